/* lists.c: makes data sets whose queries are users and whose documents are items. */
#include "collaborative/ratings/ratings.h"
#include "data/data.h"

#include <string.h>

size_t dorm__rating_users(const dorm__rating_table *table, const dorm__rating_table *only, uint32_t *users,
                          size_t *start)
{
  size_t count = 0;
  start[0] = 0;
  for (size_t u = 0; u < table->num_users; u++) {
    size_t here = table->user_start[u + 1] - table->user_start[u];
    if (!here || (only && only->user_start[u] == only->user_start[u + 1]))
      continue;
    users[count++] = (uint32_t)u;
    start[count] = start[count - 1] + here;
  }
  return count;
}

static size_t texts_size(const dorm_ratings *ratings, const dorm__rating_lists *lists)
{
  size_t size = 1;
  for (size_t q = 0; q < lists->num_queries; q++)
    size += 1 + strlen(dorm__id_table_text(&ratings->users, lists->users[q]));
  for (size_t j = 0; j < lists->start[lists->num_queries]; j++)
    size += 1 + strlen(dorm__id_table_text(&ratings->items, lists->items[j]));
  return size;
}

static size_t put_text(dorm_dataset *dataset, size_t *offset, const char *text)
{
  size_t at = *offset;
  memcpy(dataset->texts + at, text, strlen(text) + 1);
  *offset += strlen(text) + 1;
  return at;
}

dorm_status dorm__rating_dataset(dorm_context *context, const dorm_ratings *ratings, const dorm__rating_lists *lists,
                                 size_t num_features, dorm_dataset **dataset)
{
  dorm_dataset *made = NULL;
  size_t offset = 1;
  dorm_status status = dorm__dataset_new(context, ratings->name, lists->start[lists->num_queries], lists->num_queries,
                                         num_features, texts_size(ratings, lists), &made);
  if (status != DORM_OK)
    return status;
  for (size_t f = 0; f < num_features; f++)
    made->feature_ids[f] = f + 1;
  for (size_t q = 0; q < lists->num_queries; q++) {
    made->query_start[q + 1] = lists->start[q + 1];
    made->query_texts[q] = put_text(made, &offset, dorm__id_table_text(&ratings->users, lists->users[q]));
    for (size_t j = lists->start[q]; j < lists->start[q + 1]; j++) {
      made->doc_texts[j] = put_text(made, &offset, dorm__id_table_text(&ratings->items, lists->items[j]));
      made->labels[j] = lists->labels ? lists->labels[j] : 0;
    }
  }
  *dataset = made;
  return DORM_OK;
}
