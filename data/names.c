/* names.c: finds the queries of a data set, and the documents of a query, by their ids. An index maps the hash of an id
 * to all queries or documents with this hash, and each search compares the ids themselves. */
#include "base/hash.h"
#include "data/data.h"

#include <string.h>

struct dorm__names {
  const dorm_dataset *dataset; /* borrowed */
  dorm__index_map *queries;    /* hash of an id -> query */
  dorm__index_map *docs;       /* hash of an id and a query -> document */
};

/* Returns the key of a document's id within a query, because queries may have documents with the same id. */
static uint64_t key_in_query(const dorm__names *names, dorm__word id, size_t query)
{
  return dorm__index_map_key(names->docs, id.begin, id.size) * 31 + query;
}

static bool is_word(const char *text, dorm__word word)
{
  return strlen(text) == word.size && memcmp(text, word.begin, word.size) == 0;
}

/* Adds a query and its documents to the indices. Returns false when out of memory. */
static bool index_query(dorm__names *made, size_t query)
{
  const dorm_dataset *dataset = made->dataset;
  const char *id = dorm_dataset_query_id(dataset, query);
  bool is_made = dorm__index_map_add(made->queries, dorm__index_map_key(made->queries, id, strlen(id)), query);
  for (size_t j = dataset->query_start[query]; is_made && j < dataset->query_start[query + 1]; j++) {
    dorm__doc_name name = dorm__doc_name_of(dataset, j);
    const char *doc = dorm__doc_name_text(&name);
    is_made = dorm__index_map_add(made->docs, key_in_query(made, (dorm__word){doc, strlen(doc)}, query), j);
  }
  return is_made;
}

dorm_status dorm__names_new(dorm_context *context, const dorm_dataset *dataset, dorm__names **names)
{
  dorm__names *made = dorm__alloc_zero(1, sizeof *made);
  bool is_made = made != NULL;
  if (made)
    *made = (dorm__names){dataset, dorm__index_map_new(), dorm__index_map_new()};
  is_made = is_made && made->queries && made->docs;
  for (size_t q = 0; is_made && q < dataset->num_queries; q++)
    is_made = index_query(made, q);
  return DORM__GIVE(is_made ? DORM_OK : dorm__out_of_memory(context, "ids"), names, made, dorm__names_free);
}

void dorm__names_free(dorm__names *names)
{
  if (!names)
    return;
  dorm__index_map_free(names->queries);
  dorm__index_map_free(names->docs);
  dorm__free(names);
}

bool dorm__names_query(const dorm__names *names, dorm__word id, size_t *cursor, size_t *query)
{
  uint64_t key = dorm__index_map_key(names->queries, id.begin, id.size);
  while (dorm__index_map_find(names->queries, key, cursor, query))
    if (is_word(dorm_dataset_query_id(names->dataset, *query), id))
      return true;
  return false;
}

bool dorm__names_doc(const dorm__names *names, size_t query, dorm__word id, size_t *cursor, size_t *doc)
{
  const size_t *start = names->dataset->query_start + query;
  while (dorm__index_map_find(names->docs, key_in_query(names, id, query), cursor, doc)) {
    dorm__doc_name name = dorm__doc_name_of(names->dataset, *doc);
    if (*doc >= start[0] && *doc < start[1] && is_word(dorm__doc_name_text(&name), id))
      return true;
  }
  return false;
}
