/* runs.c: small tasks of all kinds for libdorm, for the tests that let calls fail while a task is executed. */
#include "tests/faults/runs.h"

#include "assignment/assignment.h"
#include "base/base.h"
#include "base/hash.h"
#include "data/data.h"
#include "models/models.h"
#include "settings/settings.h"
#include "training/candidates.h"

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

static dorm_status generate(dorm_context *context, size_t num_queries, uint64_t seed, dorm_dataset **dataset)
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
  dorm_status status = dorm_settings_new(context, settings);
  for (char *text = strtok_r(copy, ";", &rest); status == DORM_OK && text; text = strtok_r(NULL, ";", &rest)) {
    char *equals = strchr(text, '=');
    *equals = '\0';
    status = dorm_settings_set(context, *settings, text, equals + 1);
  }
  return status;
}

/* Trains on a file, or on generated data if it is NULL, and writes the model. */
static dorm_status train_on(dorm_context *context, const char *file, const char *texts, uint64_t *result)
{
  dorm_settings *settings = NULL;
  dorm_dataset *data = NULL;
  dorm_dataset *validation = NULL;
  dorm_training *training = NULL;
  unlink(fault_path("run"));
  dorm_status status = fault_settings(context, texts, &settings);
  if (status == DORM_OK)
    status = file ? dorm_dataset_read(context, fault_path(file), &data) : generate(context, 6, 1, &data);
  if (status == DORM_OK)
    status = dorm_dataset_read_groups(context, data, settings);
  if (status == DORM_OK && !file && strcmp(dorm_settings_get(settings, "selection.folds"), "0") == 0)
    status = generate(context, 3, 2, &validation);
  if (status == DORM_OK)
    status = dorm_train(context, settings, data, validation, &training);
  if (status == DORM_OK)
    status = dorm_model_write(context, dorm_training_model(training), fault_path("written"));
  if (status == DORM_OK)
    fault_add_file(result, "written");
  dorm_training_free(training);
  dorm_dataset_free(validation);
  dorm_dataset_free(data);
  dorm_settings_free(settings);
  return status;
}

static dorm_status train(dorm_context *context, const char *texts, uint64_t *result)
{
  return train_on(context, NULL, texts, result);
}

#define SMALL "solver.C=1;solver.threads=1;ranking.rounds=1;ranking.reference=mu:1;"

static dorm_status train_default(dorm_context *context, uint64_t *result)
{
  return train(context, SMALL "ranking.rounds=2;loss.truncation=2,3;output.checkpoint_minutes=0", result);
}

/* Several paths at the same time. */
static dorm_status train_paths(dorm_context *context, uint64_t *result)
{
  return train(context, SMALL "solver.threads=2;loss.truncation=1,2,3;data.rank_block=0", result);
}

static dorm_status train_folds(dorm_context *context, uint64_t *result)
{
  return train(context,
               SMALL "selection.folds=2;ranking.position_weights=power:0.5;solver.solver=one-slack;"
                     "solver.weight_min=-1;data.normalisation=global-zscore;selection.retrain=no",
               result);
}

static dorm_status train_retrain(dorm_context *context, uint64_t *result)
{
  return train(context,
               SMALL "selection.retrain=yes;ranking.position_weights=loglog;ranking.reference=averaged;"
                     "loss.name=precision:truncation=2,threshold=2;data.features=1-2;solver.oracle=shortest-path",
               result);
}

static dorm_status train_kernel(dorm_context *context, uint64_t *result)
{
  return train(context,
               SMALL "kernel.kernel=linear + rbf:scale=1 * polynomial(1-2);kernel.rank=3;data.rank_block=0;"
                     "kernel.landmarks=kmeans",
               result);
}

static dorm_status train_costs(dorm_context *context, uint64_t *result)
{
  char texts[300];
  snprintf(texts, sizeof texts, SMALL "loss.name=cost:file=%s;ranking.position_weights=log;data.rank_block=0",
           fault_path("costs"));
  return train(context, texts, result);
}

static dorm_status train_positions(dorm_context *context, uint64_t *result)
{
  return train(context, SMALL "ranking.position_functions=3;ranking.position_weights=power:0.5;data.rank_block=0,0.5",
               result);
}

static dorm_status train_products(dorm_context *context, uint64_t *result)
{
  return train(context, SMALL "features.cross=1 x 1-2;data.rank_block=0.5;data.normalisation=global-zscore", result);
}

static dorm_status train_from(dorm_context *context, uint64_t *result)
{
  char texts[300];
  snprintf(texts, sizeof texts, SMALL "data.from=%s;solver.rho=0,0.5", fault_path("linear"));
  return train(context, texts, result);
}

static dorm_status train_structured(dorm_context *context, uint64_t *result)
{
  static const char *const losses[] = {"rsvm", "rsvm_ir", "roc_area", "map", "precision_set:truncation=2"};
  dorm_status status = DORM_OK;
  for (size_t i = 0; status == DORM_OK && i < sizeof losses / sizeof *losses; i++) {
    char texts[300];
    snprintf(texts, sizeof texts, SMALL "ranking.reference=auto;data.rank_block=0;loss.name=%s", losses[i]);
    status = train(context, texts, result);
  }
  return status;
}

/* A single layer and a net with hidden units, from a ridge start. */
static dorm_status train_nets(dorm_context *context, uint64_t *result)
{
  return train(context,
               "training.trainer=net;solver.threads=2;net.hidden=0,2;net.start=ridge;net.epochs=2;"
               "net.lambda=ranknet|ranknet-weight-pairs;data.rank_block=0.5",
               result);
}

/* Linear models that minimise costs on scores. */
static dorm_status train_smooth(dorm_context *context, uint64_t *result)
{
  return train(context,
               "training.trainer=smooth;solver.threads=2;smooth.cost=ranknet|softmax|smoothrank;smooth.C=3;"
               "smooth.steps=2;smooth.max_iterations=8;data.rank_block=0.5",
               result);
}

static dorm_status train_adarank(dorm_context *context, uint64_t *result)
{
  return train(context, "training.trainer=adarank;solver.threads=2;adarank.rounds=1,3;data.rank_block=0.5", result);
}

#ifdef HAVE_XGBOOST
/* Trees of several functions, from nothing and from a ridge start, blended with the SVM. */
static dorm_status train_trees(dorm_context *context, uint64_t *result)
{
  return train(context,
               SMALL
               "training.trainer=svm,trees;trees.trees=2;trees.leaves=2;trees.shrinkage=0.3;trees.start=none,ridge;"
               "trees.least_documents=1;trees.objective=dorm,lambda;trees.lambda=ranknet|ranknet-weight-pairs;"
               "data.rank_block=0;selection.average=10;selection.blend=0.5,1",
               result);
}
#endif

/* Trains for rankings that respect groups, with each of the methods. */
static dorm_status train_diverse(dorm_context *context, const char *oracle, const char *groups, const char *weights,
                                 uint64_t *result)
{
  char texts[600];
  snprintf(texts, sizeof texts,
           SMALL "data.rank_block=0;loss.truncation=2;diversity.top=2;diversity.capacity=%s;diversity.overlap=%s;"
                 "diversity.oracle=%s;diversity.groups=file:%s;ranking.position_weights=%s",
           strcmp(oracle, "mip") == 0 ? "1.5" : "1", strcmp(oracle, "mip") == 0 ? "yes" : "no", oracle,
           fault_path(groups), weights);
  return train_on(context, "named", texts, result);
}

static dorm_status train_shortcut(dorm_context *context, uint64_t *result)
{
  char weights[200];
  snprintf(weights, sizeof weights, "loss, file:%s", fault_path("weights"));
  return train_diverse(context, "shortcut", "groups", weights, result);
}

static dorm_status train_lp(dorm_context *context, uint64_t *result)
{
  char weights[200];
  snprintf(weights, sizeof weights, "loss, file:%s", fault_path("weights"));
  return dorm__has_glpk() ? train_diverse(context, "lp", "groups.json", weights, result) : DORM_OK;
}

static dorm_status train_mip(dorm_context *context, uint64_t *result)
{
  return dorm__has_glpk() ? train_diverse(context, "mip", "overlap", "loss, power:0.5", result) : DORM_OK;
}

/* A training that is stopped and then resumed: the checkpoint is written and read. */
static int stop(void *user)
{
  int *left = user;
  return (*left)-- <= 0;
}

static dorm_status train_resumed(dorm_context *context, uint64_t *result)
{
  char texts[300];
  int left = 30;
  snprintf(texts, sizeof texts, SMALL "output.checkpoint=%s;output.checkpoint_minutes=0;output.resume=yes",
           fault_path("run"));
  dorm_context_set_cancel(context, stop, &left);
  uint64_t unused = 0;
  dorm_status status = train(context, texts, &unused);
  dorm_context_set_cancel(context, NULL, NULL);
  return status == DORM_STOPPED || status == DORM_OK ? train(context, texts, result) : status;
}

static dorm_status score(dorm_context *context, const char *data, const char *model_name, dorm_dataset **dataset,
                         double **scores)
{
  dorm_model *model = NULL;
  dorm_status status = dorm_dataset_read(context, fault_path(data), dataset);
  if (status == DORM_OK)
    status = dorm_model_read(context, fault_path(model_name), &model);
  if (status == DORM_OK && !(*scores = dorm__alloc(dorm_dataset_num_docs(*dataset), sizeof **scores)))
    status = dorm__out_of_memory(context, "scores");
  if (status == DORM_OK)
    status = dorm_model_score(context, model, *dataset, 1, *scores);
  dorm_model_free(model);
  return status;
}

static dorm_status predict(dorm_context *context, uint64_t *result)
{
  static const char *const models[] = {"linear", "kernel", "global"};
  static const char *const files[] = {"data", "data.gz", "cache", "plain"};
  dorm_status status = DORM_OK;
  for (size_t m = 0; status == DORM_OK && m < 3; m++)
    for (size_t f = 0; status == DORM_OK && f < 4; f++) {
      dorm_dataset *dataset = NULL;
      double *scores = NULL;
      status = score(context, files[f], models[m], &dataset, &scores);
      if (status == DORM_OK)
        status = dorm_scores_write(context, fault_path("scores"), dorm_dataset_num_docs(dataset), scores);
      if (status == DORM_OK)
        fault_add_file(result, "scores");
      dorm__free(scores);
      dorm_dataset_free(dataset);
    }
  return status;
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
  };
  dorm_dataset *dataset = NULL;
  double *scores = NULL;
  dorm_lambda *lambda = NULL;
  double lambdas[256];
  double curvature[256];
  dorm_status status = score(context, "data", "linear", &dataset, &scores);
  for (size_t i = 0; status == DORM_OK && i < sizeof specs / sizeof *specs; i++) {
    dorm_lambda_summary summary = {.struct_size = sizeof summary};
    status = dorm_lambdas(context, specs[i], dataset, scores, 2, lambdas, curvature, &summary);
    *result = dorm__hash_bytes(*result, lambdas, dorm_dataset_num_docs(dataset) * sizeof *lambdas);
  }
  if (status == DORM_OK)
    status = dorm_lambda_open(context, specs[0], dataset, &lambda);
  if (status == DORM_OK)
    status = dorm_lambda_at(context, lambda, 0, scores, lambdas, curvature, NULL, NULL);
  dorm_lambda_close(lambda);
  dorm__free(scores);
  dorm_dataset_free(dataset);
  return status;
}

/* Simulates clicks, finds propensities in every way, estimates and makes gains. */
static dorm_status learn_from_clicks(dorm_context *context, uint64_t *result)
{
  static const dorm_propensity kinds[] = {DORM_PROPENSITY_HARVEST, DORM_PROPENSITY_CHAIN, DORM_PROPENSITY_EM};
  dorm_click_simulation simulation = {
      .struct_size = sizeof simulation, .num_impressions = 200, .eta = 0.5, .epsilon = 0.5, .is_merged = 1};
  dorm_click_options options = {.struct_size = sizeof options};
  dorm_click_evaluation made = {.struct_size = sizeof made};
  dorm_dataset *dataset = NULL;
  dorm_clicks *clicks = NULL;
  double *scores = NULL;
  dorm_status status = score(context, "data", "linear", &dataset, &scores);
  for (simulation.is_merged = 0; status == DORM_OK && simulation.is_merged < 2; simulation.is_merged++)
    status = dorm_clicks_simulate(context, dataset, &simulation, fault_path("clicks"));
  if (status == DORM_OK)
    status = dorm_clicks_read(context, fault_path("clicks"), dataset, &clicks);
  for (size_t i = 0; status == DORM_OK && i < sizeof kinds / sizeof *kinds; i++) {
    options.propensity = kinds[i];
    status = dorm_clicks_set_propensities(context, clicks, dataset, &options);
  }
  if (status == DORM_OK)
    status = dorm_clicks_evaluate(context, clicks, dataset, scores, NULL, 3, &made);
  if (status == DORM_OK)
    status = dorm_dataset_set_clicks(context, dataset, clicks);
  *result = dorm__hash_bytes(*result, &made.ips, sizeof made.ips);
  dorm__free(scores);
  dorm_clicks_free(clicks);
  dorm_dataset_free(dataset);
  return status;
}

static dorm_status evaluate(dorm_context *context, uint64_t *result)
{
  static const char *const measures[] = {"ndcg@3:ties=docid", "map:empty=skip",    "err", "tau",
                                         "pair_error",        "minus_loss(ndcg@2)"};
  dorm_dataset *dataset = NULL;
  dorm_dataset *joined = NULL;
  double *scores = NULL;
  double *joined_scores = NULL;
  double values[2][64];
  dorm_comparison comparison = {.struct_size = sizeof comparison};
  dorm_status status = score(context, "data", "linear", &dataset, &scores);
  for (size_t m = 0; status == DORM_OK && m < sizeof measures / sizeof *measures; m++) {
    dorm_evaluation evaluation = {.struct_size = sizeof evaluation};
    status = dorm_evaluate(context, measures[m], dataset, scores, values[m % 2], &evaluation);
    *result = dorm__hash_bytes(*result, &evaluation.mean, sizeof evaluation.mean);
  }
  if (status == DORM_OK)
    status = dorm_compare(context, dorm_dataset_num_queries(dataset), values[0], values[1], 100, 1, &comparison);
  if (status == DORM_OK)
    status = dorm_trec_run_write(context, fault_path("trec"), dataset, scores, "tag");
  if (status == DORM_OK)
    status = dorm_trec_qrels_write(context, fault_path("qrels"), dataset);
  if (status == DORM_OK)
    status = dorm_trec_read(context, fault_path("qrels"), fault_path("trec"), 1, &joined, &joined_scores);
  if (status == DORM_OK)
    status = dorm_scores_read(context, fault_path("given"), dorm_dataset_num_docs(dataset), scores);
  if (status == DORM_OK)
    status = dorm_dataset_write(context, dataset, fault_path("text"));
  if (status == DORM_OK)
    fault_add_file(result, "text");
  dorm_scores_free(joined_scores);
  dorm_dataset_free(joined);
  dorm__free(scores);
  dorm_dataset_free(dataset);
  return status;
}

/* Gradients of measures of groups and subtopics. */
static dorm_status push_diversely(dorm_context *context, const dorm_dataset *dataset, const double *scores,
                                  uint64_t *result)
{
  static const char *const functions[] = {"ranknet-weight-pairs of ndcg@2:repeats=irrelevant",
                                          "ranknet-weight-pairs of alpha_ndcg@3", "dorm:top=2 of ndcg@2"};
  size_t num_docs = dorm_dataset_num_docs(dataset);
  double *numbers = dorm__alloc(num_docs, 2 * sizeof *numbers);
  dorm_status status = numbers ? DORM_OK : dorm__out_of_memory(context, "gradients");
  for (size_t i = 0; status == DORM_OK && i < sizeof functions / sizeof *functions; i++) {
    status = dorm_lambdas(context, functions[i], dataset, scores, 1, numbers, numbers + num_docs, NULL);
    if (status == DORM_OK)
      *result = dorm__hash_bytes(*result, numbers, 2 * num_docs * sizeof *numbers);
  }
  dorm__free(numbers);
  return status;
}

/* Reads groups and subtopics, ranks diversely, and computes measures of diversity and their gradients. */
static dorm_status evaluate_diverse(dorm_context *context, uint64_t *result)
{
  static const char *const measures[] = {"redundancy@2", "alpha_ndcg@3", "subtopic_recall@2", "ndcg@2"};
  char texts[200];
  dorm_settings *settings = NULL;
  dorm_dataset *dataset = NULL;
  double *scores = NULL;
  snprintf(texts, sizeof texts, "diversity.groups=docid:^(.);diversity.top=2");
  dorm_status status = fault_settings(context, texts, &settings);
  if (status == DORM_OK)
    status = score(context, "named", "global", &dataset, &scores);
  if (status == DORM_OK)
    status = dorm_dataset_read_groups(context, dataset, settings);
  if (status == DORM_OK)
    status = dorm_dataset_read_subtopics(context, dataset, fault_path("subtopics"));
  if (status == DORM_OK)
    status = dorm_dataset_write_subtopics(context, dataset, fault_path("subtopics again"));
  if (status == DORM_OK)
    status = dorm_diversify(context, settings, dataset, scores, scores);
  for (size_t m = 0; status == DORM_OK && m < sizeof measures / sizeof *measures; m++) {
    dorm_evaluation evaluation = {.struct_size = sizeof evaluation};
    status = dorm_evaluate(context, measures[m], dataset, scores, NULL, &evaluation);
    *result = dorm__hash_bytes(*result, &evaluation.mean, sizeof evaluation.mean);
  }
  if (status == DORM_OK)
    status = push_diversely(context, dataset, scores, result);
  if (status == DORM_OK)
    fault_add_file(result, "subtopics again");
  dorm__free(scores);
  dorm_dataset_free(dataset);
  dorm_settings_free(settings);
  return status;
}

/* Writes the problem of a query with groups, reads and solves it. The file has times in it, so that its bytes do not
 * count. */
static dorm_status replay_problem(dorm_context *context, uint64_t *result)
{
  dorm_settings *settings = NULL;
  dorm_dataset *dataset = NULL;
  dorm_problem *problem = NULL, *again = NULL;
  double *scores = NULL;
  dorm_status status =
      fault_settings(context, "diversity.groups=docid:^(.);diversity.top=2;loss.truncation=2", &settings);
  if (status == DORM_OK)
    status = score(context, "named", "global", &dataset, &scores);
  if (status == DORM_OK)
    status = dorm_dataset_read_groups(context, dataset, settings);
  if (status == DORM_OK)
    status = dorm_problem_of(context, settings, dataset, DORM_WORST_QUERY, scores, &problem);
  dorm_problem_free(problem); /* which one it is depends on times */
  problem = NULL;
  if (status == DORM_OK)
    status = dorm_problem_of(context, settings, dataset, 0, scores, &problem);
  if (status == DORM_OK)
    status = dorm_problem_write(context, problem, fault_path("problem"));
  if (status == DORM_OK)
    status = dorm_problem_read(context, fault_path("problem"), &again);
  if (status == DORM_OK)
    status = dorm_problem_solve(context, again);
  for (size_t i = 0; status == DORM_OK && dorm_problem_solution(again, i); i++)
    *result = dorm__hash_bytes(*result, &dorm_problem_solution(again, i)->value, sizeof(double));
  dorm_problem_free(problem);
  dorm_problem_free(again);
  dorm__free(scores);
  dorm_dataset_free(dataset);
  dorm_settings_free(settings);
  return status;
}

static dorm_status export_to(dorm_context *context, const char *file, size_t num_formats, const char *const *formats,
                             uint64_t *result)
{
  dorm_model *model = NULL;
  dorm_status status = dorm_model_read(context, fault_path(file), &model);
  for (size_t i = 0; status == DORM_OK && i < num_formats; i++) {
    status = dorm_model_export(context, model, formats[i], "name", i % 2 ? NULL : fault_path("names"),
                               fault_path("exported"));
    if (status == DORM_OK)
      fault_add_file(result, "exported");
  }
  dorm_model_free(model);
  return status;
}

static dorm_status export_model(dorm_context *context, uint64_t *result)
{
  static const char *const formats[] = {"json", "c", "elasticsearch", "solr", "ranklib", "xgboost"};
  dorm_status status = export_to(context, "exportable", 5, formats, result);
  if (status == DORM_OK)
    status = export_to(context, "sums", 6, formats, result);
  if (status == DORM_OK)
    status = export_to(context, "nets", 2, formats, result);
  return status == DORM_OK ? export_to(context, "levels", 2, formats, result) : status;
}

/* Reads sparse rows, a cache beside its text, and a configuration file. */
static dorm_status read_others(dorm_context *context, uint64_t *result)
{
  const dorm_read_options options = {
      .struct_size = sizeof options, .num_threads = 1, .storage = DORM_STORAGE_SPARSE, .use_cache = 1};
  dorm_settings *settings = NULL;
  dorm_settings *copy = NULL;
  dorm_dataset *sparse = NULL;
  dorm_training *training = NULL;
  unlink(fault_path("data.dorm-cache"));
  dorm_status status = dorm_settings_new(context, &settings);
  if (status == DORM_OK)
    status = dorm_settings_read(context, settings, fault_path("config"));
  if (status == DORM_OK)
    status = dorm__settings_copy(context, settings, &copy);
  for (size_t i = 0; status == DORM_OK && i < 2; i++) { /* without the cache, and with it */
    dorm_dataset_free(sparse);
    status = dorm_dataset_read_with(context, fault_path("data"), &options, &sparse);
  }
  if (status == DORM_OK)
    status = dorm_train_consuming(context, copy, sparse, NULL, &training);
  if (status == DORM_OK)
    status = dorm_model_write(context, dorm_training_model(training), fault_path("written"));
  if (status == DORM_OK)
    fault_add_file(result, "written");
  dorm_training_free(training);
  dorm_dataset_free(sparse);
  dorm_settings_free(copy);
  dorm_settings_free(settings);
  return status;
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
  dorm_dataset *dataset = NULL;
  dorm_model *model = NULL, *back = NULL;
  dorm_status status = dorm_dataset_new(context, &arrays, &dataset);
  if (status == DORM_OK)
    status = dorm_model_read(context, fault_path("linear"), &model);
  if (status == DORM_OK)
    status = dorm_model_to_text(context, model, &text, &size);
  if (status == DORM_OK)
    status = dorm_model_from_text(context, text, size, &back);
  if (status == DORM_OK)
    status = dorm_model_describe(context, back, &json);
  if (status == DORM_OK)
    status = dorm_model_score_rows(context, back, &arrays, 1, scores);
  if (status == DORM_OK) {
    *result = dorm__hash_bytes(*result, text, size);
    *result = dorm__hash_bytes(*result, scores, sizeof scores);
  }
  dorm_text_free(text);
  dorm_text_free(json);
  dorm_model_free(model);
  dorm_model_free(back);
  dorm_dataset_free(dataset);
  return status;
}

const fault_run fault_runs[] = {
    {"train", train_default},
    {"train, paths", train_paths},
    {"train, folds", train_folds},
    {"train, again", train_retrain},
    {"train, kernel", train_kernel},
    {"train, costs", train_costs},
    {"train, resumed", train_resumed},
    {"train, structured", train_structured},
    {"train, functions of positions", train_positions},
    {"train, products", train_products},
    {"train, from a model", train_from},
    {"train, nets", train_nets},
    {"train, smooth", train_smooth},
    {"train, adarank", train_adarank},
#ifdef HAVE_XGBOOST
    {"train, trees", train_trees},
#endif
    {"diverse, shortcut", train_shortcut},
    {"diverse, lp", train_lp},
    {"diverse, mip", train_mip},
    {"arrays and models through memory", through_memory},
    {"read, sparse", read_others},
    {"predict", predict},
    {"eval", evaluate},
    {"clicks", learn_from_clicks},
    {"gradients", compute_gradients},
    {"eval, diverse", evaluate_diverse},
    {"problem", replay_problem},
    {"export", export_model},
    {NULL, NULL},
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
  dorm_context *context = dorm_context_new();
  dorm_dataset *dataset = NULL;
  char command[300];
  snprintf(folder, sizeof folder, "%s/dorm-oom-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  bool good = mkdtemp(folder) && generate(context, 4, 3, &dataset) == DORM_OK &&
              dorm_dataset_write(context, dataset, fault_path("data")) == DORM_OK &&
              dorm_dataset_write_cache(context, dataset, fault_path("cache")) == DORM_OK;
  dorm_dataset_free(dataset);
  snprintf(command, sizeof command,
           "cd %s && gzip -kn data && sed 's/qid:[^ ]* //' data > plain && "
           "printf '5\\n5\\n5\\n5\\n' > plain.query && printf '1\\n0.5\\n0\\n2\\n' > plain.weight",
           folder);
  good = good && system(command) == 0 &&
         fault_write("given", "1\n2\n3\n4\n5\n1\n2\n3\n4\n5\n1\n2\n3\n4\n5\n1\n2\n3\n4\n5\n") &&
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
  good = good && train(context, SMALL, &unused) == DORM_OK &&
         rename(fault_path("written"), fault_path("linear")) == 0 &&
         train(context, SMALL "data.normalisation=global-minmax", &unused) == DORM_OK &&
         rename(fault_path("written"), fault_path("global")) == 0 &&
         train(context, SMALL "data.normalisation=global-zscore;data.rank_block=0", &unused) == DORM_OK &&
         rename(fault_path("written"), fault_path("exportable")) == 0 && fault_prepare_ratings(context) &&
         fault_prepare_streams() && train(context, SMALL "kernel.kernel=laplacian;kernel.rank=4", &unused) == DORM_OK &&
         rename(fault_path("written"), fault_path("kernel")) == 0;
  if (!good)
    printf("cannot prepare: %s\n", dorm_context_message(context));
  dorm_context_free(context);
  return good;
}

size_t fault_run_all(size_t (*check)(const fault_run *run, long step), long step)
{
  static const fault_run *const lists[] = {fault_runs, fault_rating_runs, fault_stream_runs};
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
