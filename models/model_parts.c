/*
 * model_parts.c: kernel parts in the model file. A pivot is a row of the
 * feature map, its zeros left out: values by id, and behind a slash, where the
 * part has a rank block, ranks by id.
 */
#include "models/model_parts.h"
#include "base/file.h"
#include "data/data.h"
#include "features/features.h"
#include "models/model.h"
#include "models/models.h"

#include <math.h>
#include <string.h>

static void write_row(size_t count, const size_t *ids, const float *values, dorm__output *output)
{
  for (size_t f = 0; f < count; f++)
    if (values[f] != 0) {
      dorm__output_text(output, " %zu:", ids[f]);
      dorm__output_float(output, values[f]);
    }
}

void dorm__model_parts_write(const dorm_model *model, dorm__output *output)
{
  for (size_t i = 0; i < model->num_parts; i++) {
    const dorm__model_part *part = &model->parts[i];
    dorm__feature_map map = dorm__model_part_map(model, part);
    size_t width = dorm__feature_map_width(&map);
    dorm__output_text(output, "# score += sum over pivots of weight * kernel(document, pivot)\nkernel ");
    dorm__output_number(output, part->rank_block);
    dorm__output_text(output, " %zu %s\n", part->num_pivots, part->kernel);
    for (size_t p = 0; p < part->num_pivots; p++) {
      dorm__output_text(output, "pivot ");
      dorm__output_number(output, part->weights[p]);
      write_row(model->num_ids, model->ids, part->pivots + p * width, output);
      if (part->rank_block > 0) {
        dorm__output_text(output, " /");
        write_row(model->num_ids, model->ids, part->pivots + p * width + model->num_ids, output);
      }
      dorm__output_text(output, "\n");
    }
  }
}

bool dorm__next_number(char **text, const char *stops, double *value)
{
  *text += strspn(*text, " \t");
  const char *rest = dorm__parse_double(*text, *text + strlen(*text), value);
  if (!rest || !isfinite(*value) || (*rest && !strchr(stops, *rest)))
    return false;
  *text += rest - *text;
  return true;
}

dorm_status dorm__part_reader_start(dorm_context *context, const dorm__line_reader *lines, size_t num_ids, char *text,
                                    dorm__part_reader *reader)
{
  double count = 0;
  double rank_block = 0;
  if (!dorm__next_number(&text, " \t", &rank_block) || rank_block < 0)
    return dorm__line_reader_fail(context, lines, "'kernel' needs a rank block of 0 or more");
  if (!dorm__next_number(&text, " \t", &count) || !(count >= 0 && count <= 1e9 && count == floor(count)))
    return dorm__line_reader_fail(context, lines, "'kernel' needs a number of pivots");
  text = dorm__trim(text);
  if (!*text)
    return dorm__line_reader_fail(context, lines, "'kernel' needs an expression");
  reader->part.rank_block = rank_block;
  reader->expected = (size_t)count;
  reader->width = rank_block > 0 ? 2 * num_ids : num_ids;
  reader->part.kernel = dorm__copy_text(text);
  return reader->part.kernel ? DORM_OK : dorm__out_of_memory(context, "a model");
}

/* id:value ... up to '/' or the end, into row[num_ids]. */
static dorm_status read_row(dorm_context *context, const dorm__line_reader *lines, size_t num_ids, const size_t *ids,
                            char **text, float *row)
{
  size_t f = 0;
  for (;;) {
    double id = 0;
    double value = 0;
    *text += strspn(*text, " \t");
    if (!**text || **text == '/')
      return DORM_OK;
    if (!dorm__next_number(text, ":", &id) || *(*text)++ != ':' || !dorm__next_number(text, " \t", &value) ||
        !isfinite((float)value))
      return dorm__line_reader_fail(context, lines, "'pivot' needs finite numbers as id:value");
    while (f < num_ids && (double)ids[f] < id)
      f++;
    if (f == num_ids || (double)ids[f] != id)
      return dorm__line_reader_fail(context, lines,
                                    "'pivot' names the feature %g out of order, or it is not in the model", id);
    row[f++] = (float)value;
  }
}

dorm_status dorm__part_reader_pivot(dorm_context *context, const dorm__line_reader *lines, size_t num_ids,
                                    const size_t *ids, char *text, dorm__part_reader *reader)
{
  dorm__model_part *part = &reader->part;
  double weight = 0;
  size_t p = part->num_pivots;
  if (p == reader->expected)
    return dorm__line_reader_fail(context, lines, "more pivots than the %zu of the kernel", reader->expected);
  if (!dorm__next_number(&text, " \t", &weight))
    return dorm__line_reader_fail(context, lines, "'pivot' needs a finite weight");
  if (!dorm__grow((void **)&part->pivots, &reader->pivots_capacity, p + 1, (reader->width + 1) * sizeof(float)) ||
      !dorm__grow((void **)&part->weights, &reader->weights_capacity, p + 1, sizeof *part->weights))
    return dorm__out_of_memory(context, "a model");
  float *row = part->pivots + p * reader->width;
  memset(row, 0, reader->width * sizeof *row);
  dorm_status status = read_row(context, lines, num_ids, ids, &text, row);
  if (status == DORM_OK && part->rank_block > 0 && *text++ != '/')
    status = dorm__line_reader_fail(context, lines, "'pivot' needs '/' and its ranks: the kernel has a rank block");
  if (status == DORM_OK && part->rank_block > 0)
    status = read_row(context, lines, num_ids, ids, &text, row + num_ids);
  if (status == DORM_OK && *text)
    status = dorm__line_reader_fail(context, lines, "'pivot' has more than it needs");
  part->weights[p] = weight;
  part->num_pivots = p + (status == DORM_OK);
  return status;
}

void dorm__part_reader_clear(dorm__part_reader *reader)
{
  dorm__free(reader->part.kernel);
  dorm__free(reader->part.pivots);
  dorm__free(reader->part.weights);
  *reader = (dorm__part_reader){0};
}
