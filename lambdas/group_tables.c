/* group_tables.c: the groups of a query's documents, and the best labels without two documents of a group. */
#include "lambdas/group_tables.h"

#include <stdlib.h>
#include <string.h>

struct dorm__ranked_label {
  double label;
  size_t doc;
};

static size_t most_entries(const dorm_dataset *dataset)
{
  size_t most = 0;
  for (size_t q = 0; q < dataset->num_queries; q++) {
    const size_t *start = dataset->groups->start;
    size_t count = start[dataset->query_start[q + 1]] - start[dataset->query_start[q]];
    most = count > most ? count : most;
  }
  return most;
}

bool dorm__group_scratch_alloc(const dorm_dataset *dataset, dorm__group_scratch *scratch)
{
  size_t count = most_entries(dataset);
  *scratch = (dorm__group_scratch){
      .by_label = dorm__alloc(dorm__dataset_max_docs(dataset), sizeof *scratch->by_label),
      .known = dorm__alloc(count, sizeof *scratch->known),
      .is_taken = dorm__alloc(count, sizeof *scratch->is_taken),
  };
  return scratch->by_label && scratch->known && scratch->is_taken;
}

void dorm__group_scratch_free(dorm__group_scratch *scratch)
{
  dorm__free(scratch->by_label);
  dorm__free(scratch->known);
  dorm__free(scratch->is_taken);
  *scratch = (dorm__group_scratch){0};
}

static int compare_numbers(const void *x, const void *y)
{
  uint32_t one = *(const uint32_t *)x;
  uint32_t two = *(const uint32_t *)y;
  return (one > two) - (one < two);
}

/* Sorts numbers and leaves each once; returns how many there are. */
static size_t sort_distinct(size_t count, uint32_t *numbers)
{
  size_t kept = 0;
  qsort(numbers, count, sizeof *numbers, compare_numbers);
  for (size_t i = 0; i < count; i++)
    if (!kept || numbers[i] != numbers[kept - 1])
      numbers[kept++] = numbers[i];
  return kept;
}

void dorm__groups_fill(const dorm_dataset *dataset, size_t query, const dorm__group_scratch *scratch, uint32_t *numbers,
                       dorm__target_groups *groups)
{
  const dorm__doc_lists *lists = dataset->groups;
  const size_t *start = lists->start + dataset->query_start[query];
  size_t num_docs = dataset->query_start[query + 1] - dataset->query_start[query];
  size_t num_entries = start[num_docs] - start[0];
  *groups = (dorm__target_groups){.start = start, .numbers = numbers};
  if (num_entries)
    memcpy(scratch->known, lists->numbers + start[0], num_entries * sizeof *scratch->known);
  groups->count = sort_distinct(num_entries, scratch->known);
  for (size_t e = start[0]; e < start[num_docs]; e++) {
    const uint32_t *found =
        bsearch(&lists->numbers[e], scratch->known, groups->count, sizeof *scratch->known, compare_numbers);
    numbers[e] = (uint32_t)(found - scratch->known);
  }
  for (size_t j = 0; j < num_docs; j++)
    groups->overlap = groups->overlap || start[j + 1] - start[j] > 1;
}

static int compare_labels(const void *x, const void *y)
{
  const struct dorm__ranked_label *one = x;
  const struct dorm__ranked_label *two = y;
  if (one->label != two->label)
    return one->label < two->label ? 1 : -1;
  return (one->doc > two->doc) - (one->doc < two->doc);
}

/* Whether a group of the document is taken. If none is, all are then. */
static bool is_repeat(const dorm__target_groups *groups, size_t doc, bool *is_taken)
{
  bool repeats = false;
  for (size_t e = groups->start[doc]; e < groups->start[doc + 1]; e++)
    repeats = repeats || is_taken[groups->numbers[e]];
  for (size_t e = groups->start[doc]; !repeats && e < groups->start[doc + 1]; e++)
    is_taken[groups->numbers[e]] = true;
  return repeats;
}

void dorm__groups_ideal(const dorm__target_groups *groups, size_t num_docs, const double *labels,
                        const dorm__group_scratch *scratch, double *ideal)
{
  size_t kept = 0;
  for (size_t j = 0; j < num_docs; j++)
    scratch->by_label[j] = (struct dorm__ranked_label){labels[j], j};
  qsort(scratch->by_label, num_docs, sizeof *scratch->by_label, compare_labels);
  memset(scratch->is_taken, 0, groups->count * sizeof *scratch->is_taken);
  for (size_t i = 0; i < num_docs; i++)
    if (!is_repeat(groups, scratch->by_label[i].doc, scratch->is_taken))
      ideal[kept++] = scratch->by_label[i].label;
  for (; kept < num_docs; kept++)
    ideal[kept] = 0;
}
