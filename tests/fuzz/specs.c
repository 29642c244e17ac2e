/*
 * specs.c: short texts. The first character says which kind:
 *   l loss   m measure   k kernel   c position weights   i feature ids
 *   s setting, key=value   n number
 */
#include "tests/fuzz/fuzz.h"

#include "base/spec.h"
#include "kernels/expression.h"
#include "kernels/kernels.h"
#include "losses/loss.h"
#include "losses/losses.h"

static dorm_status open_loss(dorm_context *context, const char *text)
{
  static const double scores[] = {1, 2, 0.5, 0.5};
  double delta = 0;
  double tables[64];
  dorm_loss *loss = NULL;
  const dorm_dataset *dataset = fuzz_small_data(true);
  if (strstr(text, "from")) /* it would load a module */
    return DORM_OK;
  dorm_status status = dorm_loss_open(context, text, &loss);
  bool is_structured = status == DORM_OK && dorm__loss_is_structured(loss);
  if (is_structured)
    status = dorm__loss_prepare(context, loss, dataset);
  for (size_t q = 0; status == DORM_OK && q < dorm_dataset_num_queries(dataset); q++)
    status = is_structured                 ? dorm__loss_find_worst(context, loss, dataset, q, scores, tables, &delta)
             : dorm__loss_is_general(loss) ? dorm__loss_fill_costs(context, loss, dataset, q, tables)
                                           : dorm__loss_fill_product(context, loss, dataset, q, tables, tables + 32);
  dorm_loss_close(loss);
  return status;
}

static dorm_status evaluate(dorm_context *context, const char *text)
{
  static const double scores[] = {0.5, 0.5, 2, -1, 0, 1, 1, 1};
  dorm_evaluation evaluation = {.struct_size = sizeof evaluation};
  if (strstr(text, "from"))
    return DORM_OK;
  return dorm_evaluate(context, text, fuzz_small_data(true), scores, NULL, &evaluation);
}

/* Parses a list of kernels; the text that dorm prints for each of them must be parsed to the same kernel. */
static dorm_status parse_kernel(dorm_context *context, const char *text)
{
  DORM__OWNED(dorm__kernel) *kernel = NULL;
  dorm_status status = dorm__kernel_parse(context, text, &kernel);
  if (status != DORM_OK)
    return status;
  size_t count = dorm__kernel_num_choices(kernel);
  fuzz_require(count >= 1 && count <= DORM__KERNEL_MOST_CHOICES, "a number of choices");
  for (size_t choice = 0; choice < count; choice += 1 + count / 2) {
    DORM__OWNED(dorm__kernel) *again = NULL;
    DORM__FREED char *once = dorm__kernel_text(context, kernel, choice);
    fuzz_require(once != NULL, "memory");
    fuzz_require_ok(context, dorm__kernel_parse(context, once, &again), "a kernel written out is read");
    DORM__FREED char *twice = dorm__kernel_text(context, again, 0);
    fuzz_require(twice && dorm__kernel_num_choices(again) == 1 && strcmp(once, twice) == 0,
                 "a kernel written out is the same");
  }
  return DORM_OK;
}

static dorm_status set_setting(dorm_context *context, char *text)
{
  char *equals = strchr(text, '=');
  DORM__OWNED(dorm_settings) *settings = fuzz_settings(context, NULL);
  if (!equals)
    return DORM_OK;
  *equals = '\0';
  return dorm_settings_set(context, settings, text, equals + 1);
}

static dorm_status weigh_positions(dorm_context *context, const char *text)
{
  return strncmp(text, "file:", strlen("file:")) == 0 ? DORM_OK : fuzz_position_weights(context, text);
}

static dorm_status parse_ids(dorm_context *context, const char *text)
{
  DORM__AT_END(dorm__id_ranges_clear) dorm__id_ranges ranges = {0};
  dorm_status status = dorm__id_ranges_parse(context, "ids", text, &ranges);
  if (status == DORM_OK)
    dorm__id_ranges_hold(&ranges, 7);
  return status;
}

/* A number is read as strtod reads it, and has the same bits after it is written and read again. */
static dorm_status parse_number(const char *text, size_t size)
{
  char buffer[DORM__NUMBER_SIZE];
  double value;
  double again;
  const char *rest = dorm__parse_double(text, text + size, &value);
  if (!rest || size > 400)
    return DORM_OK;
  char copy[401];
  memcpy(copy, text, (size_t)(rest - text));
  copy[rest - text] = '\0';
  fuzz_require(value == strtod(copy, NULL), "a number is rounded as strtod does");
  if (!isfinite(value))
    return DORM_OK;
  const char *written = dorm__format_double(buffer, value);
  fuzz_require(dorm__text_to_double(written, &again) && again == value, "a number is written so that it reads back");
  return DORM_OK;
}

static void run(dorm_context *context, const uint8_t *data, size_t size)
{
  if (!size)
    return;
  char *text = fuzz_string((fuzz_text){(const char *)data + 1, size - 1});
  fuzz_is_good(context, data[0] == 'l'   ? open_loss(context, text)
                        : data[0] == 'm' ? evaluate(context, text)
                        : data[0] == 'k' ? parse_kernel(context, text)
                        : data[0] == 'c' ? weigh_positions(context, text)
                        : data[0] == 'i' ? parse_ids(context, text)
                        : data[0] == 's' ? set_setting(context, text)
                                         : parse_number(text, size - 1));
  free(text);
}

const fuzz_target fuzz_specs = {"specs", run, 1024};
