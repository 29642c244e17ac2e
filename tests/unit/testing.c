/* testing.c: the helpers that unit.h declares. */
#include "tests/unit/unit.h"

uint64_t unit_seed(void)
{
  const char *text = getenv("DORM_TEST_SEED");
  return text ? strtoull(text, NULL, 10) : 20070401;
}

size_t unit_long_count(size_t otherwise)
{
  const char *text = getenv("DORM_TEST_LONG");
  return text ? strtoull(text, NULL, 10) : otherwise;
}

dorm_context *unit_context(void)
{
  dorm_context *context = dorm_context_new();
  CU_ASSERT_PTR_NOT_NULL_FATAL(context);
  return context;
}

void unit_fails(dorm_context *context, dorm_status status, dorm_status expected, const char *text, int line)
{
  const char *message = dorm_context_message(context);
  bool good = status == expected && (!text || strstr(message, text));
  if (!good)
    printf("\n    line %d: status %d (%s), message: %s\n", line, (int)status, dorm_status_name(status), message);
  CU_ASSERT_TRUE(good);
  CU_ASSERT_FATAL(good || expected != DORM_OK);
}

bool unit_close(double x, double y, double tolerance)
{
  return fabs(x - y) <= tolerance * fmax(1, fmax(fabs(x), fabs(y)));
}

void unit_check_close(double x, double y, double tolerance, const char *what, int line)
{
  bool is_close = unit_close(x, y, tolerance);
  if (!is_close)
    printf("\n    line %d: %s: %.17g and %.17g\n", line, what, x, y);
  CU_ASSERT_TRUE(is_close);
}

const double *unit_weights(const dorm_training *training)
{
  double rank_block;
  return dorm__model_linear_weights(dorm_training_model(training), &rank_block);
}

/* Defines a function of a context and other parameters that returns what a call makes, which it must. */
#define MAKER(type, name, call, ...)                                                                                   \
  type *name(dorm_context *context, __VA_ARGS__)                                                                       \
  {                                                                                                                    \
    type *made = NULL;                                                                                                 \
    UNIT_OK(context, (call));                                                                                          \
    CU_ASSERT_PTR_NOT_NULL_FATAL(made);                                                                                \
    return made;                                                                                                       \
  }

MAKER(dorm_dataset, unit_dataset,
      dorm_dataset_from_arrays(context, num_queries, query_start, num_features, labels, values, &made),
      size_t num_queries, const size_t *query_start, size_t num_features, const double *labels, const float *values)
MAKER(dorm_dataset, unit_read_text, dorm_dataset_read(context, unit_temporary_file(text), &made), const char *text)
MAKER(dorm_model, unit_read_model, dorm_model_read(context, unit_temporary_file(text), &made), const char *text)
MAKER(dorm_dataset, unit_read, dorm_dataset_read_with(context, path, options, &made), const char *path,
      const dorm_read_options *options)
MAKER(dorm_dataset, unit_gather, dorm__dataset_gather(context, "gathered", count, queries, &made), size_t count,
      const dorm__query_of *queries)
MAKER(dorm__loss, unit_loss, dorm__loss_open(context, spec, &made), const char *spec)
MAKER(dorm__loss_tables, unit_tables, dorm__loss_tables_build(context, loss, dataset, num_threads, &made),
      const dorm__loss *loss, const dorm_dataset *dataset, size_t num_threads)
MAKER(dorm__measure, unit_measure, dorm__measure_open(context, spec, &made), const char *spec)
MAKER(dorm__kernel, unit_kernel, dorm__kernel_parse(context, expression, &made), const char *expression)
MAKER(dorm__oracle_workspace, unit_workspace, dorm__oracle_workspace_new(context, most_docs, &made), size_t most_docs)
MAKER(dorm__oracle_plan, unit_plan, dorm__oracle_plan_new(context, method, num_docs, a, b, c, &made),
      dorm__oracle_method method, size_t num_docs, const double *a, const double *b, const double *c)
MAKER(dorm_training, unit_train, dorm_train(context, settings, train, validation, &made), const dorm_settings *settings,
      const dorm_dataset *train, const dorm_dataset *validation)

dorm_dataset *unit_even_dataset(dorm_context *context, size_t num_queries, size_t num_docs, size_t num_features,
                                const double *labels, const float *values)
{
  DORM__FREED size_t *start = unit_alloc(num_queries + 1, sizeof *start);
  for (size_t q = 0; q <= num_queries; q++)
    start[q] = q * num_docs;
  return unit_dataset(context, num_queries, start, num_features, labels, values);
}

dorm_dataset *unit_sparse_copy(dorm_context *context, const dorm_dataset *dense)
{
  size_t width = dense->num_features, count = 0;
  DORM__FREED size_t *row_start = unit_alloc(dense->num_docs + 1, sizeof *row_start);
  DORM__FREED uint32_t *columns = unit_alloc(dense->num_docs * width, sizeof *columns);
  DORM__FREED float *entries = unit_alloc(dense->num_docs * width, sizeof *entries);
  dorm_dataset *sparse = NULL;
  for (size_t i = 0; i < dense->num_docs * width; i++) {
    columns[count] = (uint32_t)(i % width);
    entries[count] = dense->values[i];
    count += dense->values[i] != 0;
    row_start[i / width + 1] = count;
  }
  UNIT_OK(context, dorm_dataset_from_sparse(context, dense->num_queries, dense->query_start, width, dense->labels,
                                            row_start, columns, entries, &sparse));
  return sparse;
}

dorm_dataset *unit_one_query(dorm_context *context, size_t num_docs, const double *labels)
{
  return unit_even_dataset(context, 1, num_docs, 0, labels, NULL);
}

dorm_dataset *unit_artificial(dorm_context *context, size_t num_queries, size_t num_docs, size_t num_features,
                              double noise, uint64_t model_seed, uint64_t data_seed)
{
  dorm_artificial parameters = {sizeof parameters, num_queries, num_docs, num_features, noise, model_seed, data_seed};
  dorm_dataset *dataset = NULL;
  UNIT_OK(context, dorm_dataset_generate_artificial(context, &parameters, &dataset));
  CU_ASSERT_PTR_NOT_NULL_FATAL(dataset);
  return dataset;
}

double unit_evaluate(dorm_context *context, const char *measure, const dorm_dataset *dataset, const double *scores)
{
  dorm_evaluation evaluation = {.struct_size = sizeof evaluation};
  UNIT_OK(context, dorm_evaluate(context, measure, dataset, scores, NULL, &evaluation));
  return evaluation.mean;
}

dorm__random unit_random(uint64_t offset)
{
  dorm__random random;
  dorm__random_seed(&random, unit_seed() + offset);
  return random;
}

void *unit_alloc(size_t count, size_t size)
{
  void *block = dorm__alloc_zero(count, size);
  CU_ASSERT_PTR_NOT_NULL_FATAL(block);
  return block;
}

bool unit_ranking(size_t count, size_t number, uint32_t *order)
{
  for (uint32_t j = 0; j < count; j++)
    order[j] = j;
  for (size_t p = 0; p < count; number /= count - p++) {
    size_t chosen = p + number % (count - p);
    uint32_t doc = order[chosen];
    memmove(order + p + 1, order + p, (chosen - p) * sizeof *order);
    order[p] = doc;
  }
  return number == 0;
}

void unit_sort_by(size_t count, const double *scores, uint32_t *order)
{
  for (size_t p = 0; p < count; p++) {
    size_t at = p;
    for (; at > 0 && scores[order[at - 1]] < scores[p]; at--)
      order[at] = order[at - 1];
    order[at] = (uint32_t)p;
  }
}

void unit_rankings_of_five(uint32_t rankings[UNIT_RANKINGS_OF_FIVE][5])
{
  for (size_t r = 0; r < UNIT_RANKINGS_OF_FIVE; r++)
    unit_ranking(5, r, rankings[r]);
}

const char *unit_text(const char *format, ...)
{
  enum { KEPT = 64 };
  static char texts[KEPT][512];
  static size_t count;
  char *text = texts[count++ % KEPT];
  va_list arguments;
  va_start(arguments, format);
  int size = vsnprintf(text, sizeof *texts, format, arguments);
  va_end(arguments);
  CU_ASSERT_FATAL(size >= 0 && (size_t)size < sizeof *texts);
  return text;
}

const char *unit_temporary_file(const char *text)
{
  enum { KEPT = 512 };
  static char paths[KEPT][64];
  static size_t count;
  char *path = paths[count++ % KEPT];
  if (*path)
    unlink(path);
  snprintf(path, sizeof *paths, "unit-%ld-XXXXXX", (long)getpid());
  int descriptor = mkstemp(path);
  CU_ASSERT_FATAL(descriptor >= 0);
  size_t size = strlen(text);
  CU_ASSERT_EQUAL_FATAL(write(descriptor, text, size), (ssize_t)size);
  close(descriptor);
  return path;
}

void unit_write_file(const char *path, const void *bytes, size_t size)
{
  FILE *file = fopen(path, "wb");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  CU_ASSERT_EQUAL_FATAL(fwrite(bytes, 1, size, file), size);
  CU_ASSERT_EQUAL_FATAL(fclose(file), 0);
}

char *unit_read_file(const char *path, size_t *size)
{
  DORM__OWNED(dorm_context) *context = unit_context();
  DORM__FREED char *bytes = NULL;
  size_t count = 0;
  UNIT_OK(context, dorm__read_whole(context, path, &bytes, &count));
  char *text = unit_alloc(count + 1, 1);
  memcpy(text, bytes, count);
  if (size)
    *size = count;
  return text;
}

/* The number of a feature, whose ids rise; num_features without it. */
static size_t column_of(const dorm_dataset *dataset, size_t id)
{
  size_t low = 0, high = dataset->num_features;
  while (low < high) {
    size_t middle = (low + high) / 2;
    *(dataset->feature_ids[middle] < id ? &low : &high) = dataset->feature_ids[middle] < id ? middle + 1 : middle;
  }
  return low < dataset->num_features && dataset->feature_ids[low] == id ? low : dataset->num_features;
}

bool unit_is_part(const dorm_dataset *part, const dorm_dataset *whole, size_t first)
{
  size_t before = whole->query_start[first];
  bool is_same = first + part->num_queries <= whole->num_queries &&
                 whole->query_start[first + part->num_queries] - before == part->num_docs;
  for (size_t q = 0; is_same && q < part->num_queries; q++)
    is_same = strcmp(dorm_dataset_query_id(part, q), dorm_dataset_query_id(whole, first + q)) == 0 &&
              dorm_dataset_query_weight(part, q) == dorm_dataset_query_weight(whole, first + q) &&
              part->query_start[q] == whole->query_start[first + q] - before;
  for (size_t j = 0; is_same && j < part->num_docs; j++)
    is_same = part->labels[j] == whole->labels[before + j] &&
              dorm_dataset_doc_weight(part, j) == dorm_dataset_doc_weight(whole, before + j) &&
              strcmp(dorm_dataset_doc_id(part, j), dorm_dataset_doc_id(whole, before + j)) == 0;
  for (size_t i = 0; is_same && i < part->num_features + whole->num_features; i++) {
    size_t id = i < part->num_features ? part->feature_ids[i] : whole->feature_ids[i - part->num_features];
    size_t f = column_of(part, id), g = column_of(whole, id);
    for (size_t j = 0; is_same && j < part->num_docs; j++) {
      float x = f < part->num_features ? dorm_dataset_value(part, j, f) : 0;
      float y = g < whole->num_features ? dorm_dataset_value(whole, before + j, g) : 0;
      is_same = x == y || (isnan(x) && isnan(y));
    }
  }
  return is_same;
}

double *unit_scores(dorm_context *context, const dorm_model *model, const dorm_dataset *dataset)
{
  double *scores = unit_alloc(dorm_dataset_num_docs(dataset), sizeof *scores);
  UNIT_OK(context, dorm_model_score(context, model, dataset, 1, scores));
  return scores;
}

dorm_model *unit_model(dorm_context *context, const dorm__feature_map *map, const dorm_settings *settings)
{
  DORM__OWNED(dorm_settings) *defaults = unit_defaults(context, NULL);
  dorm_model *made = NULL;
  UNIT_OK(context, dorm__model_new(context, map, settings ? settings : defaults, &made));
  CU_ASSERT_PTR_NOT_NULL_FATAL(made);
  return made;
}

void unit_add_linear(dorm_context *context, dorm_model *model, const double *weights, double rank_block, double weight)
{
  dorm__part part;
  UNIT_OK(context, dorm__linear_part_new(context, model->map.num_ids, rank_block, weights, &part));
  part.weight = weight;
  UNIT_OK(context, dorm__model_add(context, model, part));
}

void unit_add_kernel(dorm_context *context, dorm_model *model, const dorm__kernel_factor *factor, const double *weights)
{
  dorm__part part;
  UNIT_OK(context, dorm__kernel_part_new(context, factor, weights, &part));
  UNIT_OK(context, dorm__model_add(context, model, part));
}

bool unit_same_weights(const dorm_training *one, const dorm_training *two)
{
  const dorm_model *models[2] = {dorm_training_model(one), dorm_training_model(two)};
  double blocks[2];
  const double *weights[2] = {dorm__model_linear_weights(models[0], &blocks[0]),
                              dorm__model_linear_weights(models[1], &blocks[1])};
  size_t width = models[0]->map.num_ids * (blocks[0] > 0 ? 2 : 1);
  return models[0]->map.num_ids == models[1]->map.num_ids && blocks[0] == blocks[1] &&
         memcmp(weights[0], weights[1], width * sizeof(double)) == 0;
}

double unit_spread(const dorm_dataset *dataset, const double *scores)
{
  double squares = 0;
  for (size_t q = 0; q < dataset->num_queries; q++) {
    size_t first = dataset->query_start[q], end = dataset->query_start[q + 1];
    double mean = 0;
    for (size_t j = first; j < end; j++)
      mean += scores[j] / (double)(end - first);
    for (size_t j = first; j < end; j++)
      squares += (scores[j] - mean) * (scores[j] - mean);
  }
  return sqrt(squares / (double)dataset->num_docs);
}

void unit_reads_back(dorm_context *context, const dorm_model *model, const dorm_dataset *dataset)
{
  const char *path = unit_temporary_file("");
  size_t count = dorm_dataset_num_docs(dataset);
  DORM__OWNED(dorm_model) *read = NULL;
  DORM__FREED double *scores = unit_scores(context, model, dataset), *again = unit_alloc(count, sizeof *again);
  UNIT_OK(context, dorm_model_write(context, model, path));
  UNIT_OK(context, dorm_model_read(context, path, &read));
  UNIT_OK(context, dorm_model_score(context, read, dataset, 2, again));
  CU_ASSERT_EQUAL(memcmp(scores, again, count * sizeof *scores), 0);
}

void unit_refuses_model(dorm_context *context, const char *text, const char *message)
{
  dorm_model *model = (dorm_model *)context; /* not NULL, so that a call that leaves it is noticed */
  UNIT_BAD_DATA(dorm_model_read(context, unit_temporary_file(text), &model), message);
  CU_ASSERT_PTR_NULL(model);
}

dorm_settings *unit_defaults(dorm_context *context, const char *const *pairs)
{
  dorm_settings *made = NULL;
  UNIT_OK(context, dorm_settings_new(context, &made));
  for (; pairs && *pairs; pairs += 2)
    UNIT_OK(context, dorm_settings_set(context, made, pairs[0], pairs[1]));
  return made;
}

dorm_settings *unit_svm(dorm_context *context, const char *const *pairs)
{
  dorm_settings *made = unit_defaults(context, UNIT_PAIRS("training.trainer", "svm"));
  for (; pairs && *pairs; pairs += 2)
    UNIT_OK(context, dorm_settings_set(context, made, pairs[0], pairs[1]));
  return made;
}

int unit_stop_after(void *left)
{
  int *questions = left;
  return (*questions)-- <= 0;
}

dorm_training *unit_train_by_stops(dorm_context *context, const dorm_settings *settings, const dorm_dataset *train,
                                   const dorm_dataset *validation, int first, int spread)
{
  dorm_training *made = NULL;
  dorm_status status = DORM_STOPPED;
  int attempts = 0;
  for (; status == DORM_STOPPED && attempts < 1000; attempts++) {
    int left = first + attempts % spread;
    dorm_training_free(made);
    dorm_context_set_cancel(context, unit_stop_after, &left);
    status = dorm_train(context, settings, train, validation, &made);
  }
  dorm_context_set_cancel(context, NULL, NULL);
  UNIT_OK(context, status);
  CU_ASSERT_TRUE(attempts > 3);
  CU_ASSERT_PTR_NOT_NULL_FATAL(made);
  return made;
}

static const char *from_environment(const char *name, const char *otherwise)
{
  const char *text = getenv(name);
  return text && *text ? text : otherwise;
}

const char *unit_compile_module(const char *source, const char *definition)
{
  bool is_cxx = strstr(source, ".cc") != NULL;
  const char *sources = from_environment("srcdir", UNIT_SOURCES);
  static char path[64];
  char line[4000];
  snprintf(path, sizeof path, "./unit-%ld-mod.so", (long)getpid());
  snprintf(line, sizeof line, "%s -shared -fPIC %s -I%s/include -Wl,-z,defs -o %s %s/tests/plugins/%s -lm",
           is_cxx ? from_environment("DORM_TEST_CXX", "c++") : from_environment("DORM_TEST_CC", "cc"), definition,
           sources, path, sources, source);
  CU_ASSERT_EQUAL_FATAL(system(line), 0);
  return path;
}

void unit_set_fault(const char *fault)
{
  CU_ASSERT_EQUAL(fault ? setenv("DORM_TEST_FAULT", fault, 1) : unsetenv("DORM_TEST_FAULT"), 0);
}
