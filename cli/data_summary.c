/* data_summary.c: summaries of one data file, or of two that are compared, for `dorm data` and `dorm report`. Makes one
 * pass over the queries, column by column. The moments of a feature within queries are sums of its products with the
 * deviation of the label from its mean in the query. O(values). */
#include "cli/cli.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- Features ---------------------------------------------------------------------------- */

/* Sums of one feature over the queries so far. */
typedef struct moments {
  double sum, xy, xx, yy;
  double squares;  /* of the deviations of labels in these queries */
  size_t num_docs; /* in these queries */
  uint64_t hash;   /* of the values other than 0, with their documents */
} moments;

/* The values of a feature in the documents of a query. Documents that are not listed have value 0. */
typedef struct column {
  size_t count;
  const size_t *docs;   /* [count] */
  const double *values; /* [count] */
} column;

/* A query: its documents, and the deviations of their labels from the mean. */
typedef struct query {
  size_t begin, end;
  double squares;           /* sum over its deviations */
  const double *deviations; /* [all documents] */
} query;

static void widen(cli_data_feature *feature, double value)
{
  feature->least = value < feature->least || isnan(feature->least) ? value : feature->least;
  feature->most = value > feature->most || isnan(feature->most) ? value : feature->most;
}

static uint64_t hash_of(size_t doc, double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  bits = (bits ^ (bits >> 31) ^ ((uint64_t)doc + 1) * 0x9e3779b97f4a7c15U) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 29)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 32);
}

/* Adds a query's values of a feature. Sums are taken over x - c. The shift c is the first known value, or 0 if some
 * values are absent. */
static void add_column(const column *values, const query *from, cli_data_feature *feature, moments *sums)
{
  size_t known = from->end - from->begin;
  double c = 0;
  for (size_t i = values->count == known ? values->count : 0; i > 0; i--)
    c = isnan(values->values[i - 1]) ? c : values->values[i - 1];
  double x_sum = 0, xx = 0, xy = 0, y_sum = 0, yy = from->squares;
  sums->squares += yy;
  sums->num_docs += known;
  if (values->count < known)
    widen(feature, 0);
  feature->zeros += known - values->count;
  for (size_t i = 0; i < values->count; i++) {
    double value = values->values[i], y = from->deviations[values->docs[i]];
    if (value != 0)
      sums->hash += hash_of(values->docs[i], isnan(value) ? 1e300 : value);
    if (isnan(value)) {
      feature->missing++;
      known--;
      y_sum -= y;
      yy -= y * y;
      continue;
    }
    feature->zeros += value == 0;
    widen(feature, value);
    sums->sum += value;
    x_sum += value - c;
    xx += (value - c) * (value - c);
    xy += (value - c) * y;
  }
  if (!known)
    return;
  sums->xx += xx - x_sum * x_sum / (double)known;
  sums->xy += xy - x_sum * y_sum / (double)known;
  sums->yy += yy - y_sum * y_sum / (double)known;
}

/* Buffers for the columns of a data set. Sparse rows need all entries by feature, dense rows one column of a query. */
typedef struct columns {
  size_t *start; /* [num_features + 1], of sparse rows */
  size_t *docs;
  double *values;
} columns;

static columns columns_new(const dorm_arrays *arrays, size_t most_docs)
{
  size_t count = arrays->row_start ? arrays->row_start[arrays->num_docs] : most_docs;
  columns made = {cli_alloc(arrays->num_features + 2, sizeof *made.start), cli_alloc(count, sizeof *made.docs),
                  cli_alloc(count, sizeof *made.values)};
  if (!arrays->row_start)
    return made;
  for (size_t e = 0; e < count; e++)
    made.start[arrays->indices[e] + 2]++;
  for (size_t f = 0; f < arrays->num_features; f++)
    made.start[f + 2] += made.start[f + 1];
  for (size_t j = 0; j < arrays->num_docs; j++)
    for (size_t e = arrays->row_start[j]; e < arrays->row_start[j + 1]; e++) {
      size_t at = made.start[arrays->indices[e] + 1]++;
      made.docs[at] = j;
      made.values[at] = (double)arrays->floats[e];
    }
  return made;
}

static void columns_free(columns *room)
{
  free(room->start);
  free(room->docs);
  free(room->values);
}

static query query_of(const dorm_arrays *arrays, const double *deviations, size_t q)
{
  query made = {arrays->query_start[q], arrays->query_start[q + 1], 0, deviations};
  for (size_t j = made.begin; j < made.end; j++)
    made.squares += deviations[j] * deviations[j];
  return made;
}

static void add_dense(const dorm_arrays *arrays, const columns *room, const double *deviations,
                      cli_data_feature *features, moments *sums)
{
  for (size_t q = 0; q < arrays->num_queries; q++) {
    query from = query_of(arrays, deviations, q);
    for (size_t f = 0; f < arrays->num_features; f++) {
      for (size_t j = from.begin; j < from.end; j++) {
        room->docs[j - from.begin] = j;
        room->values[j - from.begin] = (double)arrays->floats[j * arrays->num_features + f];
      }
      add_column(&(column){from.end - from.begin, room->docs, room->values}, &from, &features[f], &sums[f]);
    }
  }
}

/* Adds the columns of the queries with entries, then the totals of the other queries. queries[num_docs] is scratch. */
static void add_sparse(const dorm_arrays *arrays, const columns *room, const double *deviations, size_t *queries,
                       cli_data_feature *features, moments *sums)
{
  double squares = 0;
  for (size_t q = 0; q < arrays->num_queries; q++) {
    squares += query_of(arrays, deviations, q).squares;
    for (size_t j = arrays->query_start[q]; j < arrays->query_start[q + 1]; j++)
      queries[j] = q;
  }
  for (size_t f = 0; f < arrays->num_features; f++) {
    for (size_t e = room->start[f], first; e < room->start[f + 1];) {
      query from = query_of(arrays, deviations, queries[room->docs[e]]);
      for (first = e; e < room->start[f + 1] && room->docs[e] < from.end;)
        e++;
      add_column(&(column){e - first, room->docs + first, room->values + first}, &from, &features[f], &sums[f]);
    }
    size_t num_rest = arrays->num_docs - sums[f].num_docs;
    features[f].zeros += num_rest;
    sums[f].yy += num_rest ? squares - sums[f].squares : 0;
    if (num_rest)
      widen(&features[f], 0);
  }
}

static int compare_sizes(const void *x, const void *y)
{
  size_t one = *(const size_t *)x, two = *(const size_t *)y;
  return (one > two) - (one < two);
}

typedef struct hash_place {
  uint64_t hash;
  size_t feature;
} hash_place;

static int compare_hashes(const void *x, const void *y)
{
  const hash_place *one = x, *two = y;
  if (one->hash != two->hash)
    return one->hash < two->hash ? -1 : 1;
  return (one->feature > two->feature) - (one->feature < two->feature);
}

/* Finds features that equal an earlier one. */
static void find_copies(const moments *sums, cli_data *data)
{
  hash_place *places = cli_alloc(data->num_features, sizeof *places);
  for (size_t f = 0; f < data->num_features; f++)
    places[f] = (hash_place){sums[f].hash, f};
  qsort(places, data->num_features, sizeof *places, compare_hashes);
  for (size_t i = 1, first = 0; i < data->num_features; i++) {
    first = places[i].hash == places[first].hash ? first : i;
    cli_data_feature *feature = &data->features[places[i].feature];
    const cli_data_feature *earlier = &data->features[places[first].feature];
    feature->is_copy = first < i && feature->zeros == earlier->zeros && feature->missing == earlier->missing;
    feature->copy_of = feature->is_copy ? earlier->id : 0;
  }
  free(places);
}

static void sum_features(const dorm_arrays *arrays, const double *deviations, cli_data *data)
{
  columns room = columns_new(arrays, data->most_docs);
  moments *sums = cli_alloc(data->num_features, sizeof *sums);
  size_t *queries = cli_alloc(data->num_docs, sizeof *queries);
  if (arrays->row_start)
    add_sparse(arrays, &room, deviations, queries, data->features, sums);
  else
    add_dense(arrays, &room, deviations, data->features, sums);
  find_copies(sums, data);
  free(queries);
  for (size_t f = 0; f < data->num_features; f++) {
    cli_data_feature *feature = &data->features[f];
    size_t known = data->num_docs - feature->missing;
    feature->mean = known ? sums[f].sum / (double)known : NAN;
    feature->is_constant = isnan(feature->least) || (feature->least == feature->most && !feature->missing);
    feature->correlation = sums[f].xx > 0 && sums[f].yy > 0 ? sums[f].xy / sqrt(sums[f].xx * sums[f].yy) : 0;
  }
  columns_free(&room);
  free(sums);
}

/* ---- Likely mistakes ------------------------------------------------------------------------ */

static bool is_wide(const cli_data_feature *feature)
{
  return feature->most - feature->least > 1e9;
}

static bool is_leak(const cli_data_feature *feature)
{
  return fabs(feature->correlation) > 0.98;
}

enum { MOST_IDS = 10 };

size_t cli_list_features(const cli_data *data, bool (*is)(const cli_data_feature *feature), char ids[CLI_IDS_SIZE])
{
  size_t count = 0, used = 0;
  ids[0] = '\0';
  for (size_t f = 0; f < data->num_features; f++)
    if (is(&data->features[f]) && ++count <= MOST_IDS)
      used +=
          (size_t)snprintf(ids + used, CLI_IDS_SIZE - used, "%s%zu", count == 1 ? ": " : ", ", data->features[f].id);
  if (count > MOST_IDS)
    snprintf(ids + used, CLI_IDS_SIZE - used, " ...");
  return count;
}

static void __attribute__((format(printf, 2, 3))) add_mistake(cli_data *data, const char *format, ...)
{
  char text[CLI_IDS_SIZE + 160];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  char *copy = data->num_mistakes < CLI_MOST_MISTAKES ? strdup(text) : NULL;
  if (copy)
    data->mistakes[data->num_mistakes++] = copy;
}

static void find_mistakes(cli_data *data)
{
  char ids[CLI_IDS_SIZE];
  size_t num_odd = 0, count;
  double odd = 0, largest = data->labels[data->num_labels - 1];
  for (size_t i = 0; i < data->num_labels; i++)
    if (data->labels[i] != floor(data->labels[i])) {
      odd = num_odd ? odd : data->labels[i];
      num_odd += data->label_counts[i];
    }
  if (num_odd)
    add_mistake(data, "%zu %s not whole, such as %g", num_odd, cli_plural(num_odd, "label is", "labels are"), odd);
  if (largest > 31)
    add_mistake(data, "labels go up to %g: gains of 2^label are too large, use gain=linear", largest);
  if (data->num_labels == 1)
    add_mistake(data, "all labels are %g, so there is nothing to learn", data->labels[0]);
  if (data->num_queries == 1)
    add_mistake(data, "the file has one query only: are the query ids right?");
  if (data->num_apart)
    add_mistake(data, "the lines of %zu %s apart: most commands need --sort-queries", data->num_apart,
                cli_plural(data->num_apart, "query are", "queries are"));
  if ((count = cli_list_features(data, is_leak, ids)) > 0)
    add_mistake(data, "%zu %s the label (correlation within queries above .98), as a leak does%s", count,
                cli_plural(count, "feature follows", "features follow"), ids);
  if ((count = cli_list_features(data, is_wide, ids)) > 0)
    add_mistake(data, "the range of %zu %s above 1e9%s", count, cli_plural(count, "feature is", "features is"), ids);
}

/* ---- Queries and labels -------------------------------------------------------------------- */

static int compare_numbers(const void *x, const void *y)
{
  double one = *(const double *)x, two = *(const double *)y;
  return (one > two) - (one < two);
}

/* Fills labels and label_counts with the distinct labels. */
static void count_labels(const double *labels, cli_data *data)
{
  data->labels = cli_alloc(data->num_docs, sizeof *data->labels);
  data->label_counts = cli_alloc(data->num_docs, sizeof *data->label_counts);
  for (size_t j = 0; j < data->num_docs; j++)
    data->labels[j] = labels[j];
  qsort(data->labels, data->num_docs, sizeof *data->labels, compare_numbers);
  for (size_t j = 0; j < data->num_docs; j++) {
    if (!j || data->labels[j] != data->labels[data->num_labels - 1])
      data->labels[data->num_labels++] = data->labels[j];
    data->label_counts[data->num_labels - 1]++;
  }
}

/* Counts the kinds of queries. deviations[num_docs] are labels minus their mean in the query. */
static void count_queries(const dorm_dataset *dataset, const dorm_arrays *arrays, double *deviations, cli_data *data)
{
  size_t *sizes = cli_alloc(data->num_queries, sizeof *sizes);
  for (size_t q = 0; q < data->num_queries; q++) {
    size_t begin = arrays->query_start[q], end = arrays->query_start[q + 1];
    double sum = 0;
    bool is_level = true, is_relevant = false, is_apart = false;
    for (size_t j = begin; j < end; j++) {
      sum += arrays->labels[j];
      is_level = is_level && arrays->labels[j] == arrays->labels[begin];
      is_relevant = is_relevant || arrays->labels[j] > 0;
      is_apart = is_apart || dorm_dataset_input_doc(dataset, j) != dorm_dataset_input_doc(dataset, begin) + j - begin;
    }
    for (size_t j = begin; j < end; j++)
      deviations[j] = arrays->labels[j] - sum / (double)(end - begin);
    sizes[q] = end - begin;
    data->num_lone += sizes[q] == 1;
    data->num_level += is_level;
    data->num_irrelevant += !is_relevant;
    data->num_apart += is_apart;
  }
  qsort(sizes, data->num_queries, sizeof *sizes, compare_sizes);
  size_t middle = data->num_queries / 2;
  data->least_docs = sizes[0];
  data->most_docs = sizes[data->num_queries - 1];
  data->median_docs =
      data->num_queries % 2 ? (double)sizes[middle] : ((double)sizes[middle - 1] + (double)sizes[middle]) / 2;
  free(sizes);
}

void cli_summarise(dorm_context *context, const dorm_dataset *dataset, const char *path, cli_data *data)
{
  dorm_arrays arrays = {.struct_size = sizeof arrays};
  cli_check(context, dorm_dataset_arrays(context, dataset, &arrays));
  *data = (cli_data){.path = path,
                     .dataset = dataset,
                     .num_queries = arrays.num_queries,
                     .num_docs = arrays.num_docs,
                     .num_features = arrays.num_features,
                     .is_sparse = arrays.row_start != NULL};
  data->features = cli_alloc(arrays.num_features, sizeof *data->features);
  double *deviations = cli_alloc(arrays.num_docs, sizeof *deviations);
  count_labels(arrays.labels, data);
  count_queries(dataset, &arrays, deviations, data);
  for (size_t f = 0; f < arrays.num_features; f++)
    data->features[f] = (cli_data_feature){.id = dorm_dataset_feature_id(dataset, f), .least = NAN, .most = NAN};
  sum_features(&arrays, deviations, data);
  free(deviations);
  find_mistakes(data);
}

void cli_data_clear(cli_data *data)
{
  free(data->features);
  free(data->labels);
  free(data->label_counts);
  for (size_t i = 0; i < data->num_mistakes; i++)
    free(data->mistakes[i]);
}

/* ---- Two files ---------------------------------------------------------------------------------- */

/* Fills shares[num_features of `data`] with the share of known values outside the feature's range in `other`, 0 for
 * features that `other` lacks. */
static void share_outside(dorm_context *context, const cli_data *data, const cli_data *other, double *shares)
{
  dorm_arrays arrays = {.struct_size = sizeof arrays};
  cli_check(context, dorm_dataset_arrays(context, data->dataset, &arrays));
  const cli_data_feature **ranges = cli_alloc(data->num_features, sizeof *ranges);
  for (size_t f = 0, g = 0; f < data->num_features; f++) {
    while (g < other->num_features && other->features[g].id < data->features[f].id)
      g++;
    bool is_there = g < other->num_features && other->features[g].id == data->features[f].id;
    ranges[f] = is_there && !isnan(other->features[g].least) ? &other->features[g] : NULL;
    shares[f] = ranges[f] && (ranges[f]->least > 0 || ranges[f]->most < 0) ? (double)data->features[f].zeros : 0;
  }
  for (size_t j = 0; j < arrays.num_docs; j++) {
    size_t first = arrays.row_start ? arrays.row_start[j] : 0;
    size_t end = arrays.row_start ? arrays.row_start[j + 1] : arrays.num_features;
    for (size_t e = first; e < end; e++) {
      size_t f = arrays.row_start ? arrays.indices[e] : e;
      double value = (double)arrays.floats[arrays.row_start ? e : j * arrays.num_features + f];
      shares[f] += ranges[f] && value != 0 && (value < ranges[f]->least || value > ranges[f]->most);
    }
  }
  for (size_t f = 0; f < data->num_features; f++)
    shares[f] = shares[f] > 0 ? shares[f] / (double)(data->num_docs - data->features[f].missing) : 0;
  free(ranges);
}

static int compare_texts(const void *x, const void *y)
{
  return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static const char **sorted_ids(const cli_data *data)
{
  const char **ids = cli_alloc(data->num_queries, sizeof *ids);
  for (size_t q = 0; q < data->num_queries; q++)
    ids[q] = dorm_dataset_query_id(data->dataset, q);
  qsort(ids, data->num_queries, sizeof *ids, compare_texts);
  return ids;
}

static size_t count_shared(const cli_data files[2])
{
  const char **ids[2] = {sorted_ids(&files[0]), sorted_ids(&files[1])};
  size_t count = 0;
  for (size_t i = 0, k = 0; i < files[0].num_queries && k < files[1].num_queries;) {
    int order = strcmp(ids[0][i], ids[1][k]);
    count += order == 0;
    i += order <= 0;
    k += order >= 0;
  }
  free(ids[0]);
  free(ids[1]);
  return count;
}

void cli_compare_data(dorm_context *context, const cli_data files[2], cli_data_comparison *made)
{
  size_t most = files[0].num_features + files[1].num_features;
  double *shares[2] = {cli_alloc(most, sizeof **shares), cli_alloc(most, sizeof **shares)};
  made->shifts = cli_alloc(most, sizeof *made->shifts);
  made->num_shared = count_shared(files);
  for (size_t i = 0; i < 2; i++)
    share_outside(context, &files[i], &files[1 - i], shares[i]);
  for (size_t f = 0, g = 0; f < files[0].num_features || g < files[1].num_features;) {
    size_t ids[2] = {f < files[0].num_features ? files[0].features[f].id : SIZE_MAX,
                     g < files[1].num_features ? files[1].features[g].id : SIZE_MAX};
    cli_data_shift *shift = &made->shifts[made->num_shifts];
    *shift = (cli_data_shift){.id = ids[0] < ids[1] ? ids[0] : ids[1], .only_in = ids[0] < ids[1] ? 1 : 2};
    if (ids[0] == ids[1])
      *shift = (cli_data_shift){.id = ids[0], .outside = {shares[0][f], shares[1][g]}};
    made->num_shifts += shift->only_in || shift->outside[0] > 0.05 || shift->outside[1] > 0.05;
    f += ids[0] <= ids[1];
    g += ids[1] <= ids[0];
  }
  free(shares[0]);
  free(shares[1]);
}
