/* combinations.c: all combinations of settings that are lists. */
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
