/* combinations.c: all combinations of settings that are lists, and the λ-functions that a setting names, separated
 * by |. */
#include "trainers/combinations.h"

#include <stdio.h>
#include <string.h>

size_t dorm__combinations_count(const dorm__job *job, size_t num_lists, const dorm__combined_list *lists)
{
  size_t product = 1;
  for (size_t i = 0; i < num_lists; i++)
    product *= dorm__settings_count(job->settings, lists[i].setting);
  return product;
}

size_t dorm__combination_values(const dorm__job *job, size_t num_lists, const dorm__combined_list *lists, size_t index,
                                double *values)
{
  for (size_t i = num_lists; i-- > 0;) {
    size_t length = dorm__settings_count(job->settings, lists[i].setting);
    values[i] = dorm__settings_number_at(job->settings, lists[i].setting, index % length);
    index /= length;
  }
  return index;
}

void dorm__combination_say(const dorm__job *job, size_t num_lists, const dorm__combined_list *lists,
                           const double *values, size_t size, char *text)
{
  char mark = ':';
  for (size_t i = 0; i < num_lists; i++) {
    size_t used = strlen(text);
    if (!lists[i].is_always_said && dorm__settings_count(job->settings, lists[i].setting) == 1)
      continue;
    snprintf(text + used, size - used, "%c%s=%g", mark, lists[i].name, values[i]);
    mark = ',';
  }
}

/* ---- Lambda list ------------------------------------------------------------------------------- */

dorm_status dorm__lambda_for_job(const dorm__job *job, const char *text, const dorm_dataset *train,
                                 dorm__lambda **lambda)
{
  const dorm__diversity *diversity = &job->diversity;
  dorm__lambda_defaults defaults = {.target = dorm__measure_spec(job->measure),
                                    .top = diversity->is_on ? diversity->top : 0,
                                    .capacity = diversity->capacity,
                                    .seconds = diversity->seconds};
  return dorm__lambda_open(job->context, text, &defaults, train, job->num_threads, lambda);
}

size_t dorm__lambda_list_count(const dorm__job *job, dorm__setting setting)
{
  size_t count = 1;
  for (const char *s = dorm__settings_text(job->settings, setting); *s; s++)
    count += *s == '|';
  return count;
}

static dorm_status open_one(const dorm__job *job, dorm__setting setting, const char *word, const dorm_dataset *train,
                            dorm__lambda **lambda)
{
  dorm_status status = dorm__lambda_for_job(job, word, train, lambda);
  return status == DORM_OK ? DORM_OK
                           : dorm__fail_within(job->context, status, "%s = %s", dorm__setting_table[setting].key, word);
}

dorm_status dorm__lambda_list_open(const dorm__job *job, dorm__setting setting, const dorm_dataset *train,
                                   dorm__lambda_list *list)
{
  DORM__FREED char *text = dorm__copy_text(dorm__settings_text(job->settings, setting));
  size_t count = dorm__lambda_list_count(job, setting);
  *list = (dorm__lambda_list){.lambdas = dorm__alloc_zero(count, sizeof *list->lambdas)};
  dorm_status status = text && list->lambdas ? DORM_OK : dorm__out_of_memory(job->context, "lambda-functions");
  for (char *rest = text; status == DORM_OK && list->count < count; list->count++) {
    char *end = rest + strcspn(rest, "|");
    char *next = *end ? end + 1 : end;
    *end = '\0';
    status = open_one(job, setting, dorm__trim(rest), train, &list->lambdas[list->count]);
    rest = next;
  }
  return status;
}

void dorm__lambda_list_close(dorm__lambda_list *list)
{
  for (size_t i = 0; i < list->count; i++)
    dorm__lambda_close(list->lambdas[i]);
  dorm__free(list->lambdas);
  *list = (dorm__lambda_list){0};
}

void dorm__lambda_list_say(const dorm__job *job, dorm__setting setting, size_t index, size_t size, char *text)
{
  size_t used = strlen(text);
  if (dorm__lambda_list_count(job, setting) > 1)
    snprintf(text + used, size - used, ",lambda=%zu", index + 1);
}
