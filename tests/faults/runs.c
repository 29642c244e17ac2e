/*
 * runs.c: small tasks for libdorm other than training, whose tasks are in training_runs.c, for the tests that let calls
 * fail while a task is executed. The files that all tasks read are made here.
 */
#include "tests/faults/runs.h"

#include "base/hash.h"
#include "data/data.h"
#include "jobs/jobs.h"
#include "models/models.h"
#include "settings/settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

const char *fault_path(const char *name)
{
  static char paths[4][128];
  static size_t next;
  next = (next + 1) % 4;
  snprintf(paths[next], sizeof paths[next], "%s/%s", folder, name);
  return paths[next];
}

bool fault_is_paused;

uint64_t fault_hash_file(const char *path)
{
  char buffer[4096];
  uint64_t hash = DORM__HASH_START;
  fault_is_paused = true;
  FILE *file = fopen(path, "rb");
  size_t count;
  while (file && (count = fread(buffer, 1, sizeof buffer, file)) > 0)
    hash = dorm__hash_bytes(hash, buffer, count);
  if (file)
    fclose(file);
  fault_is_paused = false;
  return hash;
}

void fault_add_file(uint64_t *result, const char *name)
{
  uint64_t hash = fault_hash_file(fault_path(name));
  *result = dorm__hash_bytes(*result, &hash, sizeof hash);
}

dorm_status fault_wrote(dorm_status status, const char *name, uint64_t *result)
{
  if (status == DORM_OK)
    fault_add_file(result, name);
  return status;
}

dorm_status fault_run_once(const fault_run *of, dorm_context *context, uint64_t *result)
{
  return of->run ? of->run(context, result) : of->run_with(context, of->texts, result);
}

dorm_status fault_generate(dorm_context *context, size_t num_queries, uint64_t seed, dorm_dataset **dataset)
{
  const dorm_artificial parameters = {.struct_size = sizeof parameters,
                                      .num_queries = num_queries,
                                      .docs_per_query = 5,
                                      .num_features = 3,
                                      .model_seed = 1,
                                      .data_seed = seed};
  return dorm_dataset_generate_artificial(context, &parameters, dataset);
}

dorm_status fault_settings(dorm_context *context, const char *texts, dorm_settings **settings)
{
  char copy[600];
  char *rest = NULL;
  snprintf(copy, sizeof copy, "%s", texts);
  dorm_status status =
      DORM__ALL(dorm_settings_new(context, settings), dorm_settings_set(context, *settings, "training.trainer", "svm"));
  for (char *text = strtok_r(copy, ";", &rest); status == DORM_OK && text; text = strtok_r(NULL, ";", &rest)) {
    char value[300], *equals = strchr(text, '='), *name = strchr(equals, '$');
    *equals = '\0';
    snprintf(value, sizeof value, "%.*s%s", name ? (int)(name - equals - 1) : 200, equals + 1,
             name ? fault_path(name + 1) : "");
    status = dorm_settings_set(context, *settings, text, value);
  }
  return status;
}

static dorm_status score(dorm_context *context, const char *data, const char *model_name, dorm_dataset **dataset,
                         double **scores)
{
  DORM__OWNED(dorm_model) *model = NULL;
  dorm_status status = DORM__ALL(dorm_dataset_read(context, fault_path(data), dataset),
                                 dorm_model_read(context, fault_path(model_name), &model));
  if (status == DORM_OK && !(*scores = dorm__alloc(dorm_dataset_num_docs(*dataset), sizeof **scores)))
    status = dorm__out_of_memory(context, "scores");
  return DORM__ALL(status, dorm_model_score(context, model, *dataset, 1, *scores));
}

static dorm_status predict(dorm_context *context, uint64_t *result)
{
  static const char *const models[] = {"linear", "kernel", "global"};
  static const char *const files[] = {"data", "data.gz", "cache", "plain"};
  dorm_status status = DORM_OK;
  for (size_t m = 0; status == DORM_OK && m < 3; m++)
    for (size_t f = 0; status == DORM_OK && f < 4; f++) {
      DORM__OWNED(dorm_dataset) *dataset = NULL;
      DORM__FREED double *scores = NULL;
      status = DORM__ALL(score(context, files[f], models[m], &dataset, &scores),
                         dorm_scores_write(context, fault_path("scores"), dorm_dataset_num_docs(dataset), scores));
      fault_wrote(status, "scores", result);
    }
  return status;
}

static dorm_status add_scores(void *result, const dorm_dataset *query, const double *scores)
{
  *(uint64_t *)result = dorm__hash_bytes(*(uint64_t *)result, scores, dorm_dataset_num_docs(query) * sizeof *scores);
  return DORM_OK;
}

static dorm_status predict_one_by_one(dorm_context *context, uint64_t *result)
{
  DORM__OWNED(dorm_model) *model = NULL;
  return DORM__ALL(dorm_model_read(context, fault_path("linear"), &model),
                   dorm_model_score_stream(context, model, fault_path("data"), add_scores, result));
}

static dorm_status compute_gradients(dorm_context *context, uint64_t *result)
{
  static const char *const specs[] = {
      "ranknet-weight-pairs of map",
      "ranknet-weight-pairs of rsvm",
      "spring-smooth of roc_area",
      "local-gradient of precision@2",
      "margin:0.5",
      "dorm:power=0.5,draws=2 of ndcg@3",
      "perturbed:draws=3 of ndcg@3",
      "smoothrank of ndcg@3",
      "softrank of ndcg@3",
  };
  DORM__OWNED(dorm_dataset) *dataset = NULL;
  DORM__FREED double *scores = NULL;
  dorm_lambda *lambda = NULL;
  double lambdas[256];
  double curvature[256];
  dorm_status status = score(context, "data", "linear", &dataset, &scores);
  for (size_t i = 0; status == DORM_OK && i < sizeof specs / sizeof *specs; i++) {
    dorm_lambda_summary summary = {.struct_size = sizeof summary};
    status = dorm_lambdas(context, specs[i], dataset, scores, 2, lambdas, curvature, &summary);
    *result = dorm__hash_bytes(*result, lambdas, dorm_dataset_num_docs(dataset) * sizeof *lambdas);
  }
  status = DORM__ALL(status, dorm_lambda_open(context, specs[0], dataset, &lambda),
                     dorm_lambda_at(context, lambda, 0, scores, lambdas, curvature, NULL, NULL));
  dorm_lambda_close(lambda);
  return status;
}

/* Simulates clicks, finds propensities in every way, estimates and makes gains. */
static dorm_status learn_from_clicks(dorm_context *context, uint64_t *result)
{
  static const dorm_propensity kinds[] = {DORM_PROPENSITY_HARVEST, DORM_PROPENSITY_EM};
  dorm_click_simulation simulation = {
      .struct_size = sizeof simulation, .num_impressions = 200, .eta = 0.5, .epsilon = 0.5, .is_merged = 1};
  dorm_click_options options = {.struct_size = sizeof options};
  dorm_click_evaluation made = {.struct_size = sizeof made};
  DORM__OWNED(dorm_dataset) *dataset = NULL;
  DORM__OWNED(dorm_clicks) *clicks = NULL;
  DORM__FREED double *scores = NULL;
  dorm_status status = score(context, "data", "linear", &dataset, &scores);
  for (simulation.is_merged = 0; status == DORM_OK && simulation.is_merged < 2; simulation.is_merged++)
    status = dorm_clicks_simulate(context, dataset, &simulation, fault_path("clicks"));
  status = DORM__ALL(status, dorm_clicks_read(context, fault_path("clicks"), dataset, &clicks));
  for (size_t i = 0; status == DORM_OK && i < sizeof kinds / sizeof *kinds; i++) {
    options.propensity = kinds[i];
    status = dorm_clicks_set_propensities(context, clicks, dataset, &options);
  }
  status = DORM__ALL(status, dorm_clicks_evaluate(context, clicks, dataset, scores, NULL, 3, &made),
                     dorm_dataset_set_clicks(context, dataset, clicks));
  *result = dorm__hash_bytes(*result, &made.ips, sizeof made.ips);
  return status;
}

static dorm_status evaluate(dorm_context *context, uint64_t *result)
{
  static const char *const measures[] = {"ndcg@3:ties=docid", "map:empty=skip",    "err", "tau",
                                         "pair_error",        "minus_loss(ndcg@2)"};
  DORM__OWNED(dorm_dataset) *dataset = NULL, *joined = NULL;
  DORM__FREED double *scores = NULL;
  double *joined_scores = NULL;
  double values[2][64];
  dorm_comparison comparison = {.struct_size = sizeof comparison};
  dorm_status status = score(context, "data", "linear", &dataset, &scores);
  for (size_t m = 0; status == DORM_OK && m < sizeof measures / sizeof *measures; m++) {
    dorm_evaluation evaluation = {.struct_size = sizeof evaluation};
    status = dorm_evaluate(context, measures[m], dataset, scores, values[m % 2], &evaluation);
    *result = dorm__hash_bytes(*result, &evaluation.mean, sizeof evaluation.mean);
  }
  status = DORM__ALL(
      status, dorm_compare(context, dorm_dataset_num_queries(dataset), values[0], values[1], 100, 1, &comparison),
      dorm_trec_run_write(context, fault_path("trec"), dataset, scores, "tag"),
      dorm_trec_qrels_write(context, fault_path("qrels"), dataset),
      dorm_trec_read(context, fault_path("qrels"), fault_path("trec"), 1, &joined, &joined_scores),
      dorm_scores_read(context, fault_path("given"), dorm_dataset_num_docs(dataset), scores),
      dorm_dataset_write(context, dataset, fault_path("text")));
  if (status == DORM_OK)
    fault_add_file(result, "text");
  dorm_scores_free(joined_scores);
  return status;
}

/* Gradients of measures of groups and subtopics. */
static dorm_status push_diversely(dorm_context *context, const dorm_dataset *dataset, const double *scores,
                                  uint64_t *result)
{
  static const char *const functions[] = {"ranknet-weight-pairs of ndcg@2:repeats=irrelevant",
                                          "ranknet-weight-pairs of alpha_ndcg@3", "dorm:top=2 of ndcg@2"};
  size_t num_docs = dorm_dataset_num_docs(dataset);
  DORM__FREED double *numbers = dorm__alloc(num_docs, 2 * sizeof *numbers);
  dorm_status status = numbers ? DORM_OK : dorm__out_of_memory(context, "gradients");
  for (size_t i = 0; status == DORM_OK && i < sizeof functions / sizeof *functions; i++) {
    status = dorm_lambdas(context, functions[i], dataset, scores, 1, numbers, numbers + num_docs, NULL);
    if (status == DORM_OK)
      *result = dorm__hash_bytes(*result, numbers, 2 * num_docs * sizeof *numbers);
  }
  return status;
}

/* Reads groups and subtopics, ranks diversely, and computes measures of diversity and their gradients. */
static dorm_status evaluate_diverse(dorm_context *context, uint64_t *result)
{
  static const char *const measures[] = {"redundancy@2", "alpha_ndcg@3", "subtopic_recall@2", "ndcg@2"};
  DORM__OWNED(dorm_settings) *settings = NULL;
  DORM__OWNED(dorm_dataset) *dataset = NULL;
  DORM__FREED double *scores = NULL;
  dorm_status status = DORM__ALL(fault_settings(context, "diversity.groups=docid:^(.);diversity.top=2", &settings),
                                 score(context, "named", "global", &dataset, &scores),
                                 dorm_dataset_read_groups(context, dataset, settings),
                                 dorm_dataset_read_subtopics(context, dataset, fault_path("subtopics")),
                                 dorm_dataset_write_subtopics(context, dataset, fault_path("subtopics again")),
                                 dorm_diversify(context, settings, dataset, scores, scores));
  for (size_t m = 0; status == DORM_OK && m < sizeof measures / sizeof *measures; m++) {
    dorm_evaluation evaluation = {.struct_size = sizeof evaluation};
    status = dorm_evaluate(context, measures[m], dataset, scores, NULL, &evaluation);
    *result = dorm__hash_bytes(*result, &evaluation.mean, sizeof evaluation.mean);
  }
  status = DORM__ALL(status, push_diversely(context, dataset, scores, result));
  return fault_wrote(status, "subtopics again", result);
}

static dorm_status export_to(dorm_context *context, const char *file, size_t num_formats, const char *const *formats,
                             uint64_t *result)
{
  DORM__OWNED(dorm_model) *model = NULL;
  dorm_status status = dorm_model_read(context, fault_path(file), &model);
  for (size_t i = 0; status == DORM_OK && i < num_formats; i++) {
    status = dorm_model_export(context, model, formats[i], "name", i % 2 ? NULL : fault_path("names"),
                               fault_path("exported"));
    fault_wrote(status, "exported", result);
  }
  return status;
}

static dorm_status export_model(dorm_context *context, uint64_t *result)
{
  static const char *const formats[] = {"json",    "c",       "onnx",         "elasticsearch",    "solr",
                                        "ranklib", "xgboost", "xgboost-dump", "xgboost-json-dump"};
  dorm_status status = DORM__ALL(export_to(context, "exportable", 6, formats, result),
                                 export_to(context, "sums", sizeof formats / sizeof *formats, formats, result),
                                 export_to(context, "nets", 3, formats, result));
  return status == DORM_OK ? export_to(context, "levels", 3, formats, result) : status;
}

/* Moves the weights of nets with hidden units: one at a time, and all of them. */
static dorm_status probe_model(dorm_context *context, uint64_t *result)
{
  static const double step = 0.1;
  const dorm_probe_options options = {
      .struct_size = sizeof options, .num_directions = 2, .num_steps = 1, .steps = &step, .num_threads = 1};
  DORM__OWNED(dorm_dataset) *dataset = NULL;
  DORM__OWNED(dorm_model) *model = NULL;
  DORM__OWNED(dorm_probe) *probe = NULL;
  dorm_status status = DORM__ALL(dorm_dataset_read(context, fault_path("data"), &dataset),
                                 dorm_model_read(context, fault_path("nets"), &model),
                                 dorm_model_probe(context, model, dataset, "ndcg@5", &options, &probe));
  if (status == DORM_OK)
    *result = dorm__hash_bytes(*result, &probe->value, sizeof probe->value);
  return status;
}

/* Reads sparse rows, a cache beside its text, and a configuration file. */
static dorm_status read_others(dorm_context *context, uint64_t *result)
{
  const dorm_read_options options = {
      .struct_size = sizeof options, .num_threads = 1, .storage = DORM_STORAGE_SPARSE, .use_cache = 1};
  DORM__OWNED(dorm_settings) *settings = NULL, *copy = NULL;
  dorm_dataset *sparse = NULL;
  DORM__OWNED(dorm_training) *training = NULL;
  unlink(fault_path("data.dorm-cache"));
  dorm_status status =
      DORM__ALL(dorm_settings_new(context, &settings), dorm_settings_read(context, settings, fault_path("config")),
                dorm__settings_copy(context, settings, &copy));
  for (size_t i = 0; status == DORM_OK && i < 2; i++) { /* without the cache, and with it */
    dorm_dataset_free(sparse);
    status = dorm_dataset_read_with(context, fault_path("data"), &options, &sparse);
  }
  status = DORM__ALL(status, dorm_train_consuming(context, copy, sparse, NULL, &training),
                     dorm_model_write(context, dorm_training_model(training), fault_path("written")));
  if (status == DORM_OK)
    fault_add_file(result, "written");
  dorm_dataset_free(sparse);
  return status;
}

/* Columns with a header, all features and two of them by name. */
static dorm_status read_columns(dorm_context *context, uint64_t *result)
{
  dorm_read_options options = {.struct_size = sizeof options, .num_threads = 1};
  dorm_status status = DORM_OK;
  for (size_t i = 0; status == DORM_OK && i < 2; i++) {
    DORM__OWNED(dorm_dataset) *dataset = NULL;
    options.columns = i ? "age,bm25" : NULL;
    status = dorm_dataset_read_with(context, fault_path("table.csv"), &options, &dataset);
    if (status == DORM_OK) {
      const char *columns = dorm_dataset_columns(dataset);
      *result = dorm__hash_bytes(*result, columns, strlen(columns));
    }
  }
  return status;
}

/* The lines of a text go into two files. */
static dorm_status split_text(dorm_context *context, uint64_t *result)
{
  const char *const paths[] = {fault_path("one"), fault_path("other")};
  dorm_status status = dorm_split(context, fault_path("data"), NULL, 3, (const double[]){2, 1, 1}, 1, 2, paths,
                                  (const int[]){1, 0, 0, 0, 1, 1});
  fault_wrote(status, "one", result);
  return fault_wrote(status, "other", result);
}

/* Arrays become a data set of the other storage, plain rows are scored, and a model goes through memory. */
static dorm_status through_memory(dorm_context *context, uint64_t *result)
{
  static const double values[] = {0, 0.5, 1, 0, 0, 2, 3, 1, 0};
  static const char *const ids[] = {"a", "b", "c"};
  dorm_arrays arrays = {.struct_size = sizeof arrays,
                        .num_docs = 3,
                        .num_features = 3,
                        .doc_ids = ids,
                        .doubles = values,
                        .storage = DORM_STORAGE_SPARSE};
  double scores[3] = {0};
  char *text = NULL, *json = NULL;
  size_t size = 0;
  DORM__OWNED(dorm_dataset) *dataset = NULL;
  DORM__OWNED(dorm_model) *model = NULL, *back = NULL;
  dorm_status status =
      DORM__ALL(dorm_dataset_new(context, &arrays, &dataset), dorm_model_read(context, fault_path("linear"), &model),
                dorm_model_to_text(context, model, &text, &size), dorm_model_from_text(context, text, size, &back),
                dorm_model_describe(context, back, &json), dorm_model_score_rows(context, back, &arrays, 1, scores));
  if (status == DORM_OK) {
    *result = dorm__hash_bytes(*result, text, size);
    *result = dorm__hash_bytes(*result, scores, sizeof scores);
  }
  dorm_text_free(text);
  dorm_text_free(json);
  return status;
}

/* A policy for two groups, a bound and a depth. */
static dorm_status allocate_and_certify(dorm_context *context, uint64_t *result)
{
  double gains[64] = {0};
  uint32_t group_of[64] = {0};
  const double least[2] = {NAN, 0.4};
  const dorm_allocation_options options = {
      .struct_size = sizeof options, .num_groups = 2, .group_of = group_of, .least = least, .num_threads = 1};
  dorm_bound bound = {.struct_size = sizeof bound};
  dorm_depth depth = {.struct_size = sizeof depth};
  DORM__OWNED(dorm_dataset) *dataset = NULL;
  dorm_policy *policy = NULL;
  dorm_status status = dorm_dataset_read(context, fault_path("data"), &dataset);
  size_t num_docs = dorm_dataset_num_docs(dataset);
  for (size_t j = 0; j < num_docs && j < 64; j++) {
    group_of[j] = j % 2;
    gains[j] = group_of[j] ? 0.1 : 0.9;
  }
  if (status == DORM_OK && num_docs > 64)
    status = DORM_BAD_DATA;
  status = DORM__ALL(status, dorm_allocate(context, dataset, gains, &options, &policy),
                     dorm_lower_bound(context, num_docs, gains, 0, 1, 0.9, &bound),
                     dorm_find_depth(context, dataset, gains, 0.5, 0.9, &depth));
  if (status == DORM_OK) {
    *result = dorm__hash_bytes(*result, &dorm_policy_result(policy)->worth, sizeof(double));
    *result = dorm__hash_bytes(*result, &bound.lower, sizeof bound.lower);
    *result = dorm__hash_bytes(*result, &depth.depth, sizeof depth.depth);
  }
  dorm_policy_free(policy);
  return status;
}

const fault_run fault_runs[] = {
    {.name = "arrays and models through memory", .run = through_memory},
    {.name = "read, sparse", .run = read_others},
    {.name = "read, columns", .run = read_columns},
    {.name = "split", .run = split_text},
    {.name = "predict", .run = predict},
    {.name = "predict, query by query", .run = predict_one_by_one},
    {.name = "eval", .run = evaluate},
    {.name = "clicks", .run = learn_from_clicks},
    {.name = "gradients", .run = compute_gradients},
    {.name = "eval, diverse", .run = evaluate_diverse},
    {.name = "export", .run = export_model},
    {.name = "probe", .run = probe_model},
    {.name = "allocate and certify", .run = allocate_and_certify},
    {NULL, NULL, NULL, NULL},
};

bool fault_write(const char *name, const char *text)
{
  FILE *file = fopen(fault_path(name), "w");
  bool good = file && fputs(text, file) >= 0;
  return file && fclose(file) == 0 && good;
}

#define PARTS_HEAD "dorm model 1\nnormalisation none\nrank_block 0\nfeature 1 0\nfeature 2 0\n"
#define TREE       "tree 3\nsplit value 2 0.5 1 absent:0 gain:1\nleaf -1\nleaf 2\n"

bool fault_prepare(void)
{
  uint64_t unused = 0;
  DORM__OWNED(dorm_context) *context = dorm_context_new();
  dorm_dataset *dataset = NULL;
  char command[300];
  snprintf(folder, sizeof folder, "%s/dorm-oom-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  bool good = mkdtemp(folder) && fault_generate(context, 4, 3, &dataset) == DORM_OK &&
              dorm_dataset_write(context, dataset, fault_path("data")) == DORM_OK &&
              dorm_dataset_write_cache(context, dataset, fault_path("cache")) == DORM_OK;
  dorm_dataset_free(dataset);
  snprintf(command, sizeof command,
           "cd %s && gzip -kn data && sed 's/qid:[^ ]* //' data > plain && "
           "printf '5\\n5\\n5\\n5\\n' > plain.query && printf '1\\n0.5\\n0\\n2\\n' > plain.weight",
           folder);
  good = good && system(command) == 0 &&
         fault_write("given", "1\n2\n3\n4\n5\n1\n2\n3\n4\n5\n1\n2\n3\n4\n5\n1\n2\n3\n4\n5\n") &&
         fault_write("table.csv", "qid,label,bm25,\"age\",url\na,1,0.5,,\"x \"\"y\"\"\"\na,0,2,3,z\nb,2,1,NA,\n") &&
         fault_write("costs", "4 0 1 2\n3 0 0 2\n* 1 1 0\n") && fault_write("weights", "1\n0.4\n0\n") &&
         fault_write("names", "1 title\n2 body\n3 third\n") &&
         fault_write("groups", "A1 a\nA2 a\nA3 a\nB1 b\nB2 b\n") &&
         fault_write("overlap", "A1 a 0.7\nA2 a\nB1 a 0.5\nB1 b\nB2 b 0.8\n") &&
         fault_write("groups.json", "{\"ids\": [\"A1\", \"A2\"]}\n{\"ids\": [{\"id\": \"B1\"}, \"B2\"]}\n") &&
         fault_write("subtopics", "1 1 A1 1\n1 2 B1 1\n2 1 B2 1\n2 x A2 0\n") &&
         fault_write("named", "2 qid:1 1:0.1 2:0.5 # docid = A1\n1 qid:1 1:0.9 2:0.1 # docid = A2\n"
                              "0 qid:1 1:0.8 2:0.7 # docid = B1\n1 qid:1 1:0.3 2:0.2 # docid = C1\n"
                              "0 qid:2 1:0.6 2:0.4 # docid = A3\n2 qid:2 1:0.2 2:0.9 # docid = B2\n"
                              "1 qid:2 1:0.7 2:0.3 # docid = A2\n") &&
         fault_write("sums", PARTS_HEAD "part trees 0.5 regression gain 0 1 2\nlevels\n" TREE TREE "end 2\n") &&
         fault_write("nets", PARTS_HEAD "part net 0.5 0 2\nunit 1 0.5\nvalues 1 -1\nunit 2 0\nvalues 0 1\n"
                                        "part net 1 0 1\nunit -1 0\nvalues 0.5 2\nend 2\n") &&
         fault_write("levels",
                     PARTS_HEAD "part trees 0.5 ordinal gain 0 2 2\nlevels 0 1 2\n" TREE TREE
                                "part trees 1 classification relevance 0 2 2\nlevels 0 1\n" TREE TREE "end 2\n") &&
         fault_write("config", "[solver]\nC = 1\nthreads = 1\n[ranking]\nrounds = 1\n[loss]\nname = mrr\n");
  static const char *const models[][2] = {{"linear", ""},
                                          {"global", "data.normalisation=global-minmax"},
                                          {"exportable", "data.normalisation=global-zscore;data.rank_block=0"},
                                          {"kernel", "kernel.kernel=laplacian;kernel.rank=4"}};
  for (size_t i = 0; good && i < sizeof models / sizeof *models; i++) {
    snprintf(command, sizeof command, FAULT_SMALL "%s", models[i][1]);
    good = fault_train(context, command, &unused) == DORM_OK &&
           rename(fault_path("written"), fault_path(models[i][0])) == 0;
  }
  good = good && fault_prepare_ratings(context) && fault_prepare_streams();
  if (!good)
    printf("cannot prepare: %s\n", dorm_context_message(context));
  return good;
}

size_t fault_run_all(size_t (*check)(const fault_run *run, long step), long step)
{
  static const fault_run *const lists[] = {fault_training_runs, fault_runs, fault_rating_runs, fault_stream_runs};
  size_t num_bad = 0;
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    for (const fault_run *run = lists[i]; run->name; run++)
      num_bad += check(run, step);
  return num_bad;
}

void fault_clean(void)
{
  char command[100];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  if (system(command) != 0)
    printf("%s is left\n", folder);
}
