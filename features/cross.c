/* cross.c: products of features. A feature with the same value for all documents of a query, such as a feature of the
 * user, cannot change a ranking by a linear model. Its products with features of documents can (Le and Smola 2007,
 * section 6: personalisation).
 *
 * The products of a data set are additional columns, one for each pair. If there are too many pairs, they are hashed to
 * `size` columns, each with a hashed sign. Collisions then have mean 0 (Weinberger, Dasgupta, Langford, Smola and
 * Attenberg, "Feature Hashing for Large Scale Multitask Learning", ICML 2009). */
#include "base/hash.h"
#include "base/memory.h"
#include "base/sort.h"
#include "features/features_dense.h"

#include <math.h>
#include <string.h>

enum { MOST_PAIRS = 10000000 };

/* ---- Pairs ---------------------------------------------------------------------------------- */

static size_t count_ids(const dorm__id_ranges *ranges)
{
  size_t count = 0;
  for (size_t i = 0; i < ranges->count; i++)
    count += ranges->items[i].last - ranges->items[i].first + 1;
  return count;
}

/* The place of an id among the ids of the ranges, or SIZE_MAX. */
static size_t place_of(const dorm__id_ranges *ranges, size_t id)
{
  size_t before = 0;
  for (size_t i = 0; i < ranges->count; i++) {
    const dorm__id_range *range = &ranges->items[i];
    if (id >= range->first && id <= range->last)
      return before + id - range->first;
    before += range->last - range->first + 1;
  }
  return SIZE_MAX;
}

/* Reads N of " into N" and cuts it off. */
static dorm_status cut_size(dorm_context *context, const char *name, char *text, dorm__cross *cross)
{
  char *into = strstr(text, " into ");
  double size = 0;
  if (!into)
    return DORM_OK;
  if (!dorm__text_to_double(into + strlen(" into "), &size) || !(size >= 1 && size <= MOST_PAIRS) ||
      size != floor(size))
    return dorm__fail(context, DORM_BAD_USAGE, "%s: '%s' needs a number of 1 to %d behind 'into'", name, cross->text,
                      MOST_PAIRS);
  *into = '\0';
  cross->size = (size_t)size;
  return DORM_OK;
}

/* Fills the cross from "LEFT x RIGHT" or "LEFT x RIGHT into N". Changes the text. */
static dorm_status parse(dorm_context *context, const char *name, char *text, dorm__cross *cross)
{
  dorm_status status = cut_size(context, name, text, cross);
  if (status != DORM_OK)
    return status;
  char *sign = strchr(text, 'x');
  if (!sign || strchr(sign + 1, 'x'))
    return dorm__fail(context, DORM_BAD_USAGE, "%s: '%s' is not two lists of ids with an x between, as in 1-5 x 20-40",
                      name, cross->text);
  *sign = '\0';
  status = DORM__ALL(dorm__id_ranges_parse(context, name, text, &cross->left),
                     dorm__id_ranges_parse(context, name, sign + 1, &cross->right));
  if (status != DORM_OK)
    return status;
  size_t left = count_ids(&cross->left);
  size_t right = count_ids(&cross->right);
  if (!left || !right)
    return dorm__fail(context, DORM_BAD_USAGE, "%s: '%s' has no ids on one side of the x", name, cross->text);
  if (!cross->size && (left > MOST_PAIRS || right > MOST_PAIRS / left))
    return dorm__fail(context, DORM_BAD_USAGE, "%s: %zu times %zu pairs are more than %d; '%s into N' hashes them to N",
                      name, left, right, MOST_PAIRS, cross->text);
  cross->num_columns = cross->size ? cross->size : left * right;
  return DORM_OK;
}

dorm_status dorm__cross_new(dorm_context *context, const char *name, const char *text, dorm__cross **cross)
{
  dorm__cross *made = dorm__alloc_zero(1, sizeof *made);
  char *scratch = dorm__copy_text(text);
  *cross = NULL;
  if (made)
    made->text = dorm__copy_text(text);
  dorm_status status = made && made->text && scratch ? parse(context, name, scratch, made)
                                                     : dorm__out_of_memory(context, "crosses of features");
  dorm__free(scratch);
  return DORM__GIVE(status, cross, made, dorm__cross_free);
}

size_t dorm__cross_lists_size(const dorm__cross *cross)
{
  const char *into = strstr(cross->text, " into ");
  return into ? (size_t)(into - cross->text) : strlen(cross->text);
}

void dorm__cross_free(dorm__cross *cross)
{
  if (!cross)
    return;
  dorm__id_ranges_clear(&cross->left);
  dorm__id_ranges_clear(&cross->right);
  dorm__free(cross->text);
  dorm__free(cross);
}

/* ---- Columns of a data set ----------------------------------------------------------------- */

/* The places in the pairs of the features of a data set. */
typedef struct crossing {
  dorm__region memory; /* of the arrays below */
  const dorm__cross *cross;
  const dorm_dataset *dataset;
  size_t *left, *right; /* [num_features] places in the lists, or SIZE_MAX */
  size_t num_right;
  float *sums;       /* [num_columns] of one document, zero between documents */
  bool *is_touched;  /* [num_columns] */
  uint32_t *touched; /* [num_columns] columns of the document */
  size_t num_touched;
} crossing;

/* Adds the product of two values to the column of their pair. */
static void add_pair(crossing *all, size_t left, size_t right, float product)
{
  const size_t *ids = all->dataset->feature_ids;
  size_t column = all->left[left] * all->num_right + all->right[right];
  if (all->cross->size) {
    uint64_t pair[2] = {ids[left], ids[right]};
    uint64_t hash = dorm__hash_bytes(DORM__HASH_START, pair, sizeof pair);
    column = (size_t)((hash & (UINT64_MAX >> 1)) % all->cross->size);
    product = hash >> 63 ? -product : product;
  }
  if (!all->is_touched[column]) {
    all->is_touched[column] = true;
    all->touched[all->num_touched++] = (uint32_t)column;
  }
  all->sums[column] += product;
}

/* The feature of an entry of a row. The row begins at entry `begin`. */
static size_t feature_at(const dorm_dataset *dataset, size_t begin, size_t entry)
{
  return dataset->row_start ? dataset->indices[entry] : entry - begin;
}

static void row_of(const dorm_dataset *dataset, size_t doc, size_t *begin, size_t *end)
{
  *begin = dataset->row_start ? dataset->row_start[doc] : doc * dataset->num_features;
  *end = dataset->row_start ? dataset->row_start[doc + 1] : *begin + dataset->num_features;
}

static void add_pairs(crossing *all, size_t doc)
{
  const dorm_dataset *dataset = all->dataset;
  size_t begin, end;
  row_of(dataset, doc, &begin, &end);
  for (size_t e = begin; e < end; e++) {
    size_t left = feature_at(dataset, begin, e);
    if (all->left[left] == SIZE_MAX || dataset->values[e] == 0)
      continue;
    for (size_t k = begin; k < end; k++) {
      size_t right = feature_at(dataset, begin, k);
      if (all->right[right] != SIZE_MAX && dataset->values[k] != 0)
        add_pair(all, left, right, dataset->values[e] * dataset->values[k]);
    }
  }
}

/* An upper bound on the entries of all rows with their products. */
static size_t count_entries(const crossing *all)
{
  const dorm_dataset *dataset = all->dataset;
  size_t count = 0;
  for (size_t j = 0; j < dataset->num_docs; j++) {
    size_t begin, end, left = 0, right = 0;
    row_of(dataset, j, &begin, &end);
    for (size_t e = begin; e < end; e++) {
      left += all->left[feature_at(dataset, begin, e)] != SIZE_MAX;
      right += all->right[feature_at(dataset, begin, e)] != SIZE_MAX;
    }
    size_t most = left * right < all->cross->num_columns ? left * right : all->cross->num_columns;
    count += end - begin + most;
  }
  return count;
}

/* Appends the products of a document to its row. `entry` is the next entry of sparse rows. */
static size_t put_row(crossing *all, size_t doc, size_t entry, dorm_dataset *crossed)
{
  const dorm_dataset *dataset = all->dataset;
  size_t begin, end;
  row_of(dataset, doc, &begin, &end);
  float *row = crossed->values + (crossed->row_start ? entry : doc * crossed->num_features);
  dorm__file_memory_use(dataset->file, dataset->values + begin, (end - begin) * sizeof *row);
  dorm__file_memory_use(crossed->file, row, crossed->num_features * sizeof *row);
  memcpy(row, dataset->values + begin, (end - begin) * sizeof *row);
  if (crossed->row_start) {
    memcpy(crossed->indices + entry, dataset->indices + begin, (end - begin) * sizeof *crossed->indices);
    entry += end - begin;
  }
  all->num_touched = 0;
  add_pairs(all, doc);
  dorm__sort_ids(all->num_touched, all->touched);
  for (size_t i = 0; i < all->num_touched; i++) {
    uint32_t column = all->touched[i];
    if (crossed->row_start) {
      crossed->indices[entry] = (uint32_t)dataset->num_features + column;
      crossed->values[entry++] = all->sums[column];
    } else {
      row[dataset->num_features + column] = all->sums[column];
    }
    all->sums[column] = 0;
    all->is_touched[column] = false;
  }
  return entry;
}

static bool open_crossing(const dorm__cross *cross, const dorm_dataset *dataset, crossing *all)
{
  dorm__region *memory = &all->memory;
  all->cross = cross;
  all->dataset = dataset;
  all->num_right = count_ids(&cross->right);
  all->left = dorm__region_take_zero(memory, dataset->num_features, sizeof *all->left);
  all->right = dorm__region_take_zero(memory, dataset->num_features, sizeof *all->right);
  all->sums = dorm__region_take_zero(memory, cross->num_columns, sizeof *all->sums);
  all->is_touched = dorm__region_take_zero(memory, cross->num_columns, sizeof *all->is_touched);
  all->touched = dorm__region_take_zero(memory, cross->num_columns, sizeof *all->touched);
  for (size_t f = 0; !memory->is_short && f < dataset->num_features; f++) {
    all->left[f] = place_of(&cross->left, dataset->feature_ids[f]);
    all->right[f] = place_of(&cross->right, dataset->feature_ids[f]);
  }
  return !memory->is_short;
}

dorm_status dorm__cross_check(dorm_context *context, const dorm__cross *cross, const dorm_dataset *dataset)
{
  bool has_left = false, has_right = false;
  for (size_t f = 0; f < dataset->num_features; f++) {
    has_left |= place_of(&cross->left, dataset->feature_ids[f]) != SIZE_MAX;
    has_right |= place_of(&cross->right, dataset->feature_ids[f]) != SIZE_MAX;
  }
  if (has_left && has_right)
    return DORM_OK;
  return dorm__fail(context, DORM_BAD_DATA, "features.cross = %s: the %s list names none of the %zu features of %s",
                    cross->text, has_left ? "right" : "left", dataset->num_features, dataset->name);
}

/* Allocates the rows of `crossed`, with the storage of the data set, and its ids. */
static dorm_status make_room(dorm_context *context, const crossing *all, dorm_dataset *crossed)
{
  const dorm_dataset *dataset = all->dataset;
  size_t num_features = crossed->num_features;
  size_t count = dataset->row_start ? count_entries(all) : 0;
  bool fits = dataset->row_start || num_features <= SIZE_MAX / 8 / (dataset->num_docs + 1);
  crossed->feature_ids = dorm__alloc(num_features, sizeof *crossed->feature_ids);
  if (dataset->row_start) {
    crossed->row_start = dorm__alloc_zero(dataset->num_docs + 1, sizeof *crossed->row_start);
    crossed->indices = dorm__alloc(count, sizeof *crossed->indices);
    crossed->values = dorm__alloc(count, sizeof *crossed->values);
  } else if (fits) {
    dorm_status status =
        dorm__values_new(context, dataset->file, dataset->num_docs * num_features, &crossed->file, &crossed->values);
    if (status != DORM_OK)
      return status;
  }
  if (!crossed->feature_ids || !crossed->values || (dataset->row_start && (!crossed->row_start || !crossed->indices)))
    return dorm__out_of_memory(context, "crosses of features");
  memcpy(crossed->feature_ids, dataset->feature_ids, dataset->num_features * sizeof *crossed->feature_ids);
  for (size_t i = 0; i < all->cross->num_columns; i++)
    crossed->feature_ids[dataset->num_features + i] = DORM__FIRST_CROSS + i;
  return DORM_OK;
}

dorm_status dorm__cross_dataset(dorm_context *context, const dorm__cross *cross, const dorm_dataset *dataset,
                                dorm_dataset *crossed)
{
  crossing all = {0};
  size_t num_features = dataset->num_features;
  *crossed = *dataset; /* borrows all but the values */
  crossed->num_features = num_features + cross->num_columns;
  crossed->feature_ids = NULL;
  crossed->values = NULL;
  crossed->row_start = NULL;
  crossed->indices = NULL;
  crossed->file = NULL;
  if (num_features && dataset->feature_ids[num_features - 1] >= DORM__FIRST_CROSS)
    return dorm__fail(context, DORM_BAD_DATA,
                      "%s has feature %zu, but features from %zu on are the products of features.cross", dataset->name,
                      dataset->feature_ids[num_features - 1], DORM__FIRST_CROSS);
  dorm_status status =
      open_crossing(cross, dataset, &all) ? DORM_OK : dorm__out_of_memory(context, "crosses of features");
  if (status == DORM_OK)
    status = make_room(context, &all, crossed);
  for (size_t j = 0, entry = 0; status == DORM_OK && j < dataset->num_docs; j++) {
    entry = put_row(&all, j, entry, crossed);
    if (crossed->row_start)
      crossed->row_start[j + 1] = entry;
  }
  dorm__region_clear(&all.memory);
  if (status != DORM_OK)
    dorm__cross_clear(crossed);
  return status;
}

void dorm__cross_clear(dorm_dataset *crossed)
{
  dorm__free(crossed->feature_ids);
  dorm__values_free(crossed->file, crossed->values);
  dorm__free(crossed->row_start);
  dorm__free(crossed->indices);
}
