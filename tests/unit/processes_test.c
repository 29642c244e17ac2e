/* processes_test.c: sums, failures and trainings of several processes, which are threads here: the same bits for every
 * number of them. */
#include "tests/unit/process_team.h"
#include "tests/unit/training_cases.h"

#include "base/processes.h"

enum { MOST = 5, PARTS = 11, WIDTH = 3 };

/* ---- What processes say to one another ------------------------------------------------ */

typedef struct sums {
  size_t size;
  double parts[PARTS][WIDTH];
  double sum[MOST][WIDTH], along[MOST][WIDTH];
  uint64_t before[MOST], total[MOST];
  int64_t largest[MOST];
  size_t bytes[MOST];
  dorm_status status[MOST];
  char message[MOST][80];
} sums;

static dorm_status part_of(void *user, size_t i, double *value)
{
  memcpy(value, (double(*)[WIDTH])user + i, WIDTH * sizeof *value);
  return DORM_OK;
}

/* The first part of a process; of four and more the first process has none. */
static size_t first_part(size_t number, size_t size)
{
  return number == 1 && size > 3 ? 0 : number * PARTS / size;
}

/* The sum of component f of parts first .. first + count - 1 by halves, the larger power of two first. */
static double tree_sum(const sums *all, size_t first, size_t count, size_t f)
{
  size_t left = 1;
  if (count == 1)
    return all->parts[first][f];
  while (2 * left < count)
    left *= 2;
  return tree_sum(all, first, left, f) + tree_sum(all, first + left, count - left, f);
}

static void add_up(dorm_context *context, size_t number, void *user)
{
  sums *all = user;
  size_t first = first_part(number, all->size), count = first_part(number + 1, all->size) - first;
  size_t start[MOST + 1];
  void *gathered = NULL;
  char text[MOST] = "abcd";
  dorm__processes_begin(context);
  all->largest[number] = number == all->size / 2 ? 7 : -7;
  dorm_status status =
      DORM__ALL(dorm__processes_sum(context, count, WIDTH, all->parts[first], all->sum[number]),
                dorm__processes_sum_along(context, count, WIDTH, part_of, all->parts[first], all->along[number]),
                dorm__processes_count(context, number + 1, &all->before[number], &all->total[number]),
                dorm__processes_max(context, &all->largest[number]),
                dorm__processes_gather(context, text, number, &gathered, start));
  all->bytes[number] = status == DORM_OK ? start[all->size] : 0;
  dorm__free(gathered);
  all->status[number] = dorm__processes_end(context, status);
}

UNIT_TEST(sums_have_the_same_bits_on_any_number_of_processes)
{
  sums all = {.size = 1};
  double expected[WIDTH], by_tree[WIDTH];
  dorm__random random = unit_random(0);
  for (size_t i = 0; i < PARTS; i++)
    for (size_t f = 0; f < WIDTH; f++)
      all.parts[i][f] = dorm__random_normal(&random) * (f ? 1e9 : 1e-9);
  memcpy(expected, all.parts[0], sizeof expected);
  for (size_t i = 1; i < PARTS; i++)
    for (size_t f = 0; f < WIDTH; f++)
      expected[f] += all.parts[i][f];
  for (size_t f = 0; f < WIDTH; f++)
    by_tree[f] = tree_sum(&all, 0, PARTS, f);
  for (all.size = 1; all.size <= MOST; all.size++) {
    process_team_run(all.size, add_up, &all, 0);
    for (size_t i = 0; i < all.size; i++) {
      CU_ASSERT_EQUAL(all.status[i], DORM_OK);
      CU_ASSERT_EQUAL(memcmp(all.sum[i], expected, sizeof expected), 0);
      CU_ASSERT_EQUAL(memcmp(all.along[i], by_tree, sizeof by_tree), 0);
      CU_ASSERT_EQUAL(all.before[i], i * (i + 1) / 2);
      CU_ASSERT_EQUAL(all.total[i], all.size * (all.size + 1) / 2);
      CU_ASSERT_EQUAL(all.largest[i], 7);
      CU_ASSERT_EQUAL(all.bytes[i], all.size * (all.size - 1) / 2);
    }
  }
}

/* Processes 1 and 3 fail at different times; the others go on to calls that they make together. */
static void fail_apart(dorm_context *context, size_t number, void *user)
{
  sums *all = user;
  int64_t value = 0;
  dorm__processes_begin(context);
  dorm_status status = dorm__processes_max(context, &value);
  if (status == DORM_OK && (number == 1 || number == 3))
    status = dorm__fail(context, number == 1 ? DORM_BAD_DATA : DORM_IO_ERROR, "process %zu: no good", number);
  for (size_t i = 0; status == DORM_OK && i < 4; i++)
    status = i % 2 ? dorm__processes_max(context, &value)
                   : dorm__processes_sum(context, 1, WIDTH, all->parts[0], all->sum[number]);
  all->status[number] = dorm__processes_end(context, status);
  snprintf(all->message[number], sizeof all->message[number], "%s", dorm_context_message(context));
}

UNIT_TEST(the_lowest_failure_is_that_of_all)
{
  sums all = {.size = MOST};
  process_team_run(MOST, fail_apart, &all, 0);
  for (size_t i = 0; i < MOST; i++) {
    CU_ASSERT_EQUAL(all.status[i], DORM_BAD_DATA);
    CU_ASSERT_STRING_EQUAL(all.message[i], "process 1: no good");
  }
}

/* ---- Training -------------------------------------------------------------------------- */

static const char train_path[] = "unit-processes-train", validation_path[] = "unit-processes-validation";

enum { NUM_BASELINES = DORM_BASELINE_SERVING + 1, NUM_VALUES = 2 + NUM_BASELINES };

typedef struct training_case {
  const char *const *pairs;        /* settings */
  const char *const *second_pairs; /* more settings, of process 2; NULL: none */
  bool has_validation, is_sparse;
  bool is_read_alone; /* each process reads its data alone; process 2 those for validation */
  dorm_status status[MOST];
  char message[MOST][DORM__MESSAGE_SIZE];
  double values[MOST][NUM_VALUES]; /* of new queries, its error, and the baselines; NaN if there are none */
} training_case;

/* The settings of every case; false if one is refused. */
static bool set_all(dorm_context *context, dorm_settings *settings, const char *const *pairs)
{
  static const char *const common[] = {"data.rank_block",          "0",         "selection.average", "3",
                                       "ranking.rounds",           "2",         "solver.shards",     "7",
                                       "ranking.position_weights", "power:0.5", "training.trainer",  "svm"};
  bool is_good = true;
  for (size_t i = 0; i < sizeof common / sizeof *common; i += 2)
    is_good = is_good && dorm_settings_set(context, settings, common[i], common[i + 1]) == DORM_OK;
  for (size_t i = 0; pairs[i]; i += 2)
    is_good = is_good && dorm_settings_set(context, settings, pairs[i], pairs[i + 1]) == DORM_OK;
  return is_good;
}

static dorm_status read_train(dorm_context *context, const training_case *of, size_t number,
                              const dorm_read_options *options, dorm_dataset **train)
{
  dorm_processes together = context->processes;
  if (of->is_read_alone)
    dorm_context_set_processes(context, NULL);
  dorm_status status =
      dorm_dataset_read_with(context, of->is_read_alone && number == 1 ? validation_path : train_path, options, train);
  context->processes = together;
  return status;
}

static void train_share(dorm_context *context, size_t number, void *user)
{
  training_case *of = user;
  DORM__OWNED(dorm_settings) *settings = NULL;
  DORM__OWNED(dorm_dataset) *train = NULL, *validation = NULL;
  DORM__OWNED(dorm_training) *training = NULL;
  dorm_read_options options = {.struct_size = sizeof options, .num_threads = 1, .num_shards = 7};
  options.storage = of->is_sparse ? DORM_STORAGE_SPARSE : DORM_STORAGE_AUTO;
  char path[40];
  dorm_status status = DORM__ALL(dorm_settings_new(context, &settings),
                                 !set_all(context, settings, of->pairs) ? DORM_BAD_USAGE : DORM_OK);
  if (status == DORM_OK && number == 1 && of->second_pairs && !set_all(context, settings, of->second_pairs))
    status = DORM_BAD_USAGE;
  if (status == DORM_OK)
    status = read_train(context, of, number, &options, &train);
  if (status == DORM_OK && of->has_validation)
    status = dorm_dataset_read_with(context, validation_path, &options, &validation);
  if (status == DORM_OK)
    status = dorm_train(context, settings, train, validation, &training);
  of->status[number] = status;
  snprintf(of->message[number], sizeof of->message[number], "%s", dorm_context_message(context));
  for (size_t i = 0; training && i < NUM_VALUES; i++)
    of->values[number][i] = i < 2 ? 0 : dorm_training_baseline(training, (dorm_baseline)(i - 2), NULL);
  if (training)
    of->values[number][0] = dorm_training_estimate(training, &of->values[number][1]);
  snprintf(path, sizeof path, "unit-processes-model-%zu", number);
  if (training && dorm_model_write(context, dorm_training_model(training), path) != DORM_OK)
    of->status[number] = DORM_IO_ERROR;
}

static char *read_model(size_t number, size_t *size)
{
  char path[64];
  snprintf(path, sizeof path, "unit-processes-model-%zu", number);
  char *bytes = unit_read_file(path, size);
  unlink(path);
  return bytes;
}

/* The models of several processes equal the model of one, byte for byte: of 2, 3 and 5, or of one of these numbers. */
static void compare_models(training_case *of, size_t case_number)
{
  static const size_t sizes[] = {2, 3, 5};
  DORM__OWNED(dorm_context) *context = unit_context();
  size_t size = 0;
  process_team_run(1, train_share, of, 0);
  CU_ASSERT_EQUAL_FATAL(of->status[0], DORM_OK);
  DORM__FREED char *alone = read_model(0, &size);
  double values[NUM_VALUES];
  memcpy(values, of->values[0], sizeof values);
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    if (case_number && k != case_number % 3)
      continue;
    process_team_run(sizes[k], train_share, of, 0);
    for (size_t i = 0; i < sizes[k]; i++) {
      size_t its_size = 0;
      CU_ASSERT_EQUAL(of->status[i], DORM_OK);
      DORM__FREED char *model = read_model(i, &its_size);
      CU_ASSERT_TRUE(alone && model && size == its_size && memcmp(alone, model, size) == 0);
      for (size_t v = 0; v < NUM_VALUES; v++)
        CU_ASSERT_TRUE(of->values[i][v] == values[v] || (isnan(of->values[i][v]) && isnan(values[v])));
    }
  }
}

/* Writes artificial queries as a cache, of which each process reads its share. */
static void write_cache(dorm_context *context, uint64_t seed, size_t num_queries, bool is_sparse, const char *path)
{
  dorm_read_options options = {.struct_size = sizeof options, .num_threads = 1};
  options.storage = is_sparse ? DORM_STORAGE_SPARSE : DORM_STORAGE_AUTO;
  DORM__OWNED(dorm_dataset) *made = training_artificial_data(context, seed, num_queries);
  UNIT_OK(context, dorm_dataset_write(context, made, path));
  DORM__OWNED(dorm_dataset) *dataset = unit_read(context, path, &options);
  UNIT_OK(context, dorm_dataset_write_cache(context, dataset, path));
}

/* Writes sparse queries with so many features that processes send one another only those that change. */
static void write_wide_data(void)
{
  enum { QUERIES = 23, DOCS = 10, ENTRIES = 12, GAP = 200 };
  DORM__OWNED(dorm_context) *context = unit_context();
  dorm__random random = unit_random(0);
  FILE *file = fopen(train_path, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  for (int j = 0; j < QUERIES * DOCS; j++) {
    size_t feature = 0;
    fprintf(file, "%zu qid:%d", dorm__random_below(&random, 3), j / DOCS + 1);
    for (int k = 0; k < ENTRIES; k++)
      fprintf(file, " %zu:%g", feature += 1 + dorm__random_below(&random, GAP), dorm__random_uniform(&random));
    fputc('\n', file);
  }
  fclose(file);
  DORM__OWNED(dorm_dataset) *dataset = unit_read(context, train_path, NULL);
  CU_ASSERT_TRUE(dorm_dataset_num_features(dataset) > 1024);
  UNIT_OK(context, dorm_dataset_write_cache(context, dataset, train_path));
}

static void write_data(bool is_sparse)
{
  DORM__OWNED(dorm_context) *context = unit_context();
  write_cache(context, unit_seed(), 23, is_sparse, train_path);
  write_cache(context, unit_seed() + 1, 12, is_sparse, validation_path);
}

static void drop_data(void)
{
  unlink(train_path);
  unlink(validation_path);
}

UNIT_TEST(models_are_the_same_on_any_number_of_processes)
{
  static const char *const plain[] = {"solver.C", "1, 30", NULL};
  static const char *const folds[] = {"solver.C", "1, 30", "selection.folds", "3", NULL};
  static const char *const global[] = {
      "data.normalisation", "global-zscore", "training.increasing", "1-100", "solver.C", "1", NULL};
  static const char *const structured[] = {"loss.name", "rsvm", "solver.C", "1", NULL};
  static const char *const ridge[] = {"training.trainer", "ridge", "solver.ridge", "0.1, 1, 10", NULL};
  static const char *const retrained[] = {"selection.retrain", "yes", "solver.C", "1", NULL};
  const struct {
    const char *const *pairs;
    bool has_validation, is_sparse;
  } cases[] = {{plain, true, false},      {plain, false, false}, {folds, false, false},    {global, true, false},
               {structured, true, false}, {ridge, true, false},  {retrained, true, false}, {plain, false, true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    training_case of = {
        .pairs = cases[i].pairs, .has_validation = cases[i].has_validation, .is_sparse = cases[i].is_sparse};
    write_data(cases[i].is_sparse);
    compare_models(&of, i);
  }
  write_wide_data();
  compare_models(&(training_case){.pairs = plain, .is_sparse = true}, 1);
  drop_data();
}

/* Gives some documents missing values, one a label that no other has, and weights to the queries, and writes the cache
 * again. */
static void write_gaps(void)
{
  DORM__OWNED(dorm_context) *context = unit_context();
  dorm__random random = unit_random(0);
  DORM__OWNED(dorm_dataset) *dataset = unit_read(context, train_path, NULL);
  for (size_t i = 0; i < dataset->num_docs * dataset->num_features; i++)
    if (dorm__random_below(&random, 9) == 0)
      dataset->values[i] = NAN;
  dataset->has_missing = true;
  dataset->labels[0] = 6;
  dataset->query_weights = dorm__alloc(dataset->num_queries, sizeof *dataset->query_weights);
  CU_ASSERT_PTR_NOT_NULL_FATAL(dataset->query_weights);
  for (size_t q = 0; q < dataset->num_queries; q++)
    dataset->query_weights[q] = 0.5 + (double)dorm__random_below(&random, 3);
  UNIT_OK(context, dorm_dataset_write_cache(context, dataset, train_path));
}

#define TREES "training.trainer", "trees", "trees.trees", "8", "trees.min_docs_in_leaf", "7"

UNIT_TEST(trees_are_the_same_on_any_number_of_processes)
{
  static const char *const plain[] = {TREES, NULL};
  static const char *const all_rows[] = {TREES,     "trees.row_share",     "1",   "trees.feature_share",
                                         "1",       "training.increasing", "1",   "trees.raw_values",
                                         "no, yes", "selection.retrain",   "yes", NULL};
  static const char *const few_bins[] = {TREES,         "trees.bins",       "9",   "trees.start",
                                         "none, ridge", "data.categorical", "1-2", NULL};
  static const char *const lambdas[] = {
      TREES, "trees.objective", "lambda", "training.lambda", "ranknet | perturbed of dcg@5 | smoothrank of ndcg", NULL};
  static const char *const classes[] = {TREES, "trees.objective", "ordinal, classification, regression", NULL};
  static const char *const folds[] = {TREES, "selection.folds", "3", "training.patience", "3", NULL};
  static const char *const race[] = {TREES, "trees.row_share", "1, 0.01", "selection.folds", "11", NULL};
  static const char *const blend[] = {TREES, "training.trainer", "svm, trees", "solver.C",
                                      "1",   "selection.folds",  "3",          NULL};
  static const char *const whole[] = {"training.trainer", "auto", "trees.trees", "12", "trees.min_docs_in_leaf", "7",
                                      "solver.C",         "1",    NULL};
  const struct {
    const char *const *pairs;
    bool has_validation, is_sparse, has_gaps;
  } cases[] = {{plain, true, false, false},    {plain, false, false, true},   {plain, true, true, false},
               {all_rows, true, false, false}, {few_bins, true, false, true}, {lambdas, true, false, false},
               {classes, true, false, true},   {folds, false, false, false},  {folds, false, false, true},
               {race, false, false, true},     {blend, false, false, false},  {whole, true, false, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    training_case of = {
        .pairs = cases[i].pairs, .has_validation = cases[i].has_validation, .is_sparse = cases[i].is_sparse};
    write_data(cases[i].is_sparse);
    if (cases[i].has_gaps)
      write_gaps();
    compare_models(&of, i);
  }
  write_wide_data();
  compare_models(&(training_case){.pairs = plain, .is_sparse = true}, 1);
  drop_data();
}

UNIT_TEST(what_one_machine_alone_can_do_is_refused)
{
  static const char *const nets[] = {"training.trainer", "net", NULL};
  static const char *const kernels[] = {"kernel.kernel", "rbf", NULL};
  static const char *const prepared[] = {"loss.name", "rsvm_ir", NULL};
  static const char *const undealt[] = {"solver.shards", "auto", NULL};
  static const char *const others[] = {"solver.shards", "3", NULL};
  const struct {
    const char *const *pairs;
    const char *says;
  } cases[] = {{nets, "trainer 'net' does not train on several processes"},
               {kernels, "kernel.kernel = rbf: a kernel compares documents of all processes"},
               {prepared, "loss 'rsvm_ir' looks at all queries"},
               {undealt, "solver.shards = auto: 2 processes need a number of shards"},
               {others, "was read in 7 shards, but solver.shards = 3"}};
  write_data(false);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    training_case of = {.pairs = cases[i].pairs};
    process_team_run(2, train_share, &of, 0);
    for (size_t k = 0; k < 2; k++) {
      CU_ASSERT_EQUAL(of.status[k], DORM_BAD_USAGE);
      CU_ASSERT_PTR_NOT_NULL(strstr(of.message[k], cases[i].says));
    }
  }
  drop_data();
}

/* Process 2 differs from the others. */
UNIT_TEST(processes_that_differ_are_refused)
{
  static const char *const all[] = {"solver.C", "1", NULL};
  static const char *const normalised[] = {"data.normalisation", "zscore", NULL};
  static const char *const checkpoint[] = {"output.checkpoint", "unit-processes-checkpoint", NULL};
  static const char *const threads[] = {"solver.threads", "2", NULL};
  const struct {
    const char *const *second;
    bool is_read_alone;
    const char *says;
  } cases[] = {
      {normalised, false, "process 2 has data.normalisation = zscore, but process 1 has data.normalisation = minmax"},
      {checkpoint, false, "process 2 has output.checkpoint = unit-processes-checkpoint, but"},
      {all, true, "process 2 has number of features of the training data = 3, but process 1 has number of"},
      {threads, false, NULL}};
  write_data(false);
  FILE *file = fopen(validation_path, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  for (int q = 1; q < 30; q++)
    fprintf(file, "1 qid:%d 1:0.5 2:1 3:7\n0 qid:%d 1:0.25 2:2 3:%d\n", q, q, q);
  fclose(file);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    training_case of = {.pairs = all, .second_pairs = cases[i].second, .is_read_alone = cases[i].is_read_alone};
    process_team_run(3, train_share, &of, 0);
    for (size_t k = 0; k < 3; k++) {
      CU_ASSERT_EQUAL(of.status[k], cases[i].says ? DORM_BAD_USAGE : DORM_OK);
      CU_ASSERT_TRUE(!cases[i].says || strstr(of.message[k], cases[i].says));
    }
  }
  unlink("unit-processes-model-0");
  unlink("unit-processes-model-1");
  unlink("unit-processes-model-2");
  drop_data();
}

/* ---- Shards ------------------------------------------------------------------------------ */

/* Trains on a data set in memory and returns the weights of the first trained candidate. */
static size_t train_weights(const char *shards, const dorm_dataset *dataset, double *w)
{
  DORM__OWNED(dorm_context) *context = unit_context();
  const char *const pairs[] = {"solver.C", "10", "ranking.rounds", "3", "solver.threads", "1", "solver.shards",
                               shards,     NULL};
  DORM__OWNED(dorm_training) *training = training_run(context, pairs, DORM_OK, dataset, NULL);
  const dorm__trained *trained = &training->trained[training->num_trained - 1];
  size_t width = trained->width;
  memcpy(w, trained->w, width * sizeof *w);
  return width;
}

UNIT_TEST_IN(context, one_shard_is_one_thread)
{
  DORM__OWNED(dorm_dataset) *dataset = training_artificial_data(context, unit_seed(), 30);
  double one[64], undealt[64], three[64];
  size_t width = train_weights("1", dataset, one);
  CU_ASSERT_EQUAL(train_weights("auto", dataset, undealt), width);
  CU_ASSERT_EQUAL(train_weights("3", dataset, three), width);
  CU_ASSERT_EQUAL(memcmp(one, undealt, width * sizeof *one), 0);
  CU_ASSERT_NOT_EQUAL(memcmp(one, three, width * sizeof *one), 0);
  CU_ASSERT_PTR_NULL(dataset->shards);
}

UNIT_TEST_IN(context, queries_are_dealt_by_their_documents)
{
  DORM__OWNED(dorm_dataset) *dataset = training_random_data(context, unit_seed(), 40, TRAINING_MOST_DOCS, false);
  for (size_t count = 1; count < 60; count += 7) {
    dorm__shards *shards = NULL;
    UNIT_OK(context, dorm__shards_deal(context, dataset, count, &shards));
    CU_ASSERT_EQUAL(shards->start[0], 0);
    CU_ASSERT_EQUAL(shards->start[count], dataset->num_queries);
    for (size_t i = 0; i < count; i++)
      for (size_t q = shards->start[i]; q < shards->start[i + 1]; q++) { /* i / count of the documents are before it */
        CU_ASSERT_TRUE(dataset->query_start[q] * count >= i * dataset->num_docs);
        CU_ASSERT_TRUE(dataset->query_start[q] * count < (i + 1) * dataset->num_docs);
      }
    dorm__shards_free(shards);
  }
}
