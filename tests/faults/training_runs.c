/* training_runs.c: a small training of each kind, for the tests that let calls fail meanwhile. */
#include "tests/faults/runs.h"

#include "assignment/assignment.h"

#include <string.h>
#include <unistd.h>

/* Trains on a file, or on generated data if it is NULL, and writes the model. */
static dorm_status train_stored(dorm_context *context, const char *file, dorm_storage storage, const char *texts,
                                uint64_t *result)
{
  dorm_read_options options = {.struct_size = sizeof options, .storage = storage};
  DORM__OWNED(dorm_settings) *settings = NULL;
  DORM__OWNED(dorm_dataset) *data = NULL, *validation = NULL;
  DORM__OWNED(dorm_training) *training = NULL;
  unlink(fault_path("run"));
  dorm_status status = DORM__ALL(fault_settings(context, texts, &settings),
                                 file ? dorm_dataset_read_with(context, fault_path(file), &options, &data)
                                      : fault_generate(context, 6, 1, &data),
                                 dorm_dataset_read_groups(context, data, settings));
  if (status == DORM_OK && !file && strcmp(dorm_settings_get(settings, "selection.folds"), "2") != 0)
    status = fault_generate(context, 3, 2, &validation);
  if (status == DORM_OK)
    status = DORM__ALL(dorm_train(context, settings, data, validation, &training),
                       dorm_model_write(context, dorm_training_model(training), fault_path("written")));
  if (status == DORM_OK)
    fault_add_file(result, "written");
  return status;
}

static dorm_status train_on(dorm_context *context, const char *file, const char *texts, uint64_t *result)
{
  return train_stored(context, file, DORM_STORAGE_AUTO, texts, result);
}

dorm_status fault_train(dorm_context *context, const char *texts, uint64_t *result)
{
  return train_on(context, NULL, texts, result);
}

static dorm_status train_default(dorm_context *context, uint64_t *result)
{
  return fault_train(context, FAULT_SMALL "ranking.rounds=2;loss.truncation=2,3;output.checkpoint_seconds=0", result);
}

/* Several paths at the same time. */
static dorm_status train_paths(dorm_context *context, uint64_t *result)
{
  return fault_train(context, FAULT_SMALL "solver.threads=2;loss.truncation=1,2,3;data.rank_block=0", result);
}

static dorm_status train_folds(dorm_context *context, uint64_t *result)
{
  return fault_train(context,
                     FAULT_SMALL "selection.folds=2;ranking.position_weights=power:0.5;"
                                 "training.increasing=1;data.normalisation=global-zscore;selection.retrain=no",
                     result);
}

static dorm_status train_retrain(dorm_context *context, uint64_t *result)
{
  return fault_train(
      context,
      FAULT_SMALL
      "selection.retrain=yes;data.normalisation=minmax,none;ranking.position_weights=loglog;ranking.reference=averaged;"
      "loss.name=precision:truncation=2,threshold=2;data.features=1-2;solver.oracle=shortest-path",
      result);
}

static dorm_status train_kernel(dorm_context *context, uint64_t *result)
{
  return fault_train(context,
                     FAULT_SMALL "kernel.kernel=linear + rbf:scale=1 * polynomial(1-2);kernel.rank=3;data.rank_block=0",
                     result);
}

static dorm_status train_costs(dorm_context *context, uint64_t *result)
{
  char texts[300];
  snprintf(texts, sizeof texts, FAULT_SMALL "loss.name=cost:file=%s;ranking.position_weights=log;data.rank_block=0",
           fault_path("costs"));
  return fault_train(context, texts, result);
}

static dorm_status train_positions(dorm_context *context, uint64_t *result)
{
  return fault_train(
      context, FAULT_SMALL "ranking.position_functions=3;ranking.position_weights=power:0.5;data.rank_block=0,0.5",
      result);
}

static dorm_status train_products(dorm_context *context, uint64_t *result)
{
  return fault_train(context, FAULT_SMALL "features.cross=1 x 1-2;data.rank_block=0.5;data.normalisation=global-zscore",
                     result);
}

static dorm_status train_sparse_products(dorm_context *context, uint64_t *result)
{
  return train_stored(context, "named", DORM_STORAGE_SPARSE, FAULT_SMALL "features.cross=1 x 1-2;data.rank_block=0",
                      result);
}

static dorm_status train_from(dorm_context *context, uint64_t *result)
{
  char texts[300];
  snprintf(texts, sizeof texts, FAULT_SMALL "data.from=%s;solver.rho=0,0.5", fault_path("linear"));
  return fault_train(context, texts, result);
}

static dorm_status train_structured(dorm_context *context, uint64_t *result)
{
  static const char *const losses[] = {"rsvm", "rsvm_ir", "roc_area", "map", "precision_set:truncation=2"};
  dorm_status status = DORM_OK;
  for (size_t i = 0; status == DORM_OK && i < sizeof losses / sizeof *losses; i++) {
    char texts[300];
    snprintf(texts, sizeof texts, FAULT_SMALL "ranking.reference=auto;data.rank_block=0;loss.name=%s", losses[i]);
    status = fault_train(context, texts, result);
  }
  return status;
}

/* A single layer and a net with hidden units, from a ridge start. */
static dorm_status train_nets(dorm_context *context, uint64_t *result)
{
  return fault_train(context,
                     "training.trainer=net;solver.threads=2;net.hidden=0,2;net.start=ridge;net.epochs=2;"
                     "training.lambda=ranknet|ranknet-weight-pairs;data.rank_block=0.5",
                     result);
}

static dorm_status train_random_net(dorm_context *context, uint64_t *result)
{
  return fault_train(context, "training.trainer=net;net.hidden=2;net.start=random;net.epochs=1;data.rank_block=0",
                     result);
}

/* Linear models that minimise costs on scores. */
static dorm_status train_smooth(dorm_context *context, uint64_t *result)
{
  return fault_train(context,
                     "training.trainer=smooth;solver.threads=2;smooth.cost=ranknet|softmax|smoothrank;smooth.C=3;"
                     "data.rank_block=0.5",
                     result);
}

static dorm_status train_adarank(dorm_context *context, uint64_t *result)
{
  return fault_train(context, "training.trainer=adarank;solver.threads=2;adarank.rounds=1,3;data.rank_block=0.5",
                     result);
}

/* Trees of several functions, from nothing and from a ridge start, blended with the SVM. */
static dorm_status train_trees(dorm_context *context, uint64_t *result)
{
  return fault_train(
      context,
      FAULT_SMALL
      "training.trainer=svm,trees;trees.trees=2;trees.leaves=2;trees.learning_rate=0.3;data.categorical=1;"
      "trees.start=none,ridge;trees.min_docs_in_leaf=1;trees.objective=dorm,lambda;"
      "training.lambda=ranknet|ranknet-weight-pairs;data.rank_block=0;selection.average=10;selection.blend=0.5,1",
      result);
}

/* Trees that are the mean over three folds of training and validation data, with a shared feature map, beside the SVM.
 */
static dorm_status train_committee(dorm_context *context, uint64_t *result)
{
  return fault_train(context,
                     FAULT_SMALL "training.trainer=svm,trees;trees.trees=2;trees.leaves=2;trees.learning_rate=0.3;"
                                 "trees.start=ridge;trees.min_docs_in_leaf=1;selection.folds=3;selection.blend=0.5,1;"
                                 "data.normalisation=global-zscore",
                     result);
}

/* Trains for rankings that respect groups, with each of the methods. */
static dorm_status train_diverse(dorm_context *context, const char *oracle, const char *groups, const char *weights,
                                 uint64_t *result)
{
  char texts[600];
  snprintf(texts, sizeof texts,
           FAULT_SMALL "data.rank_block=0;loss.truncation=2;diversity.top=2;diversity.capacity=%s;"
                       "solver.oracle=%s;diversity.groups=file:%s;ranking.position_weights=%s",
           strcmp(oracle, "mip") == 0 ? "1.5" : "1", oracle, fault_path(groups), weights);
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

static dorm_status stop_and_resume(dorm_context *context, const char *more, int left, uint64_t *result)
{
  char texts[500];
  snprintf(texts, sizeof texts, FAULT_SMALL "output.checkpoint=%s;output.checkpoint_seconds=0;output.resume=yes%s",
           fault_path("run"), more);
  dorm_context_set_cancel(context, stop, &left);
  uint64_t unused = 0;
  dorm_status status = fault_train(context, texts, &unused);
  dorm_context_set_cancel(context, NULL, NULL);
  return status == DORM_STOPPED || status == DORM_OK ? fault_train(context, texts, result) : status;
}

static dorm_status train_resumed(dorm_context *context, uint64_t *result)
{
  return stop_and_resume(context, "", 30, result);
}

static dorm_status train_folds_resumed(dorm_context *context, uint64_t *result)
{
  return stop_and_resume(context,
                         ";training.trainer=svm,trees;trees.trees=2;trees.leaves=2;trees.start=ridge;"
                         "trees.min_docs_in_leaf=1;selection.folds=3",
                         60, result);
}

const fault_run fault_training_runs[] = {
    {"train", train_default},
    {"train, paths", train_paths},
    {"train, folds", train_folds},
    {"train, again", train_retrain},
    {"train, kernel", train_kernel},
    {"train, costs", train_costs},
    {"train, resumed", train_resumed},
    {"train, folds with trees resumed", train_folds_resumed},
    {"train, structured", train_structured},
    {"train, functions of positions", train_positions},
    {"train, products", train_products},
    {"train, sparse products", train_sparse_products},
    {"train, from a model", train_from},
    {"train, nets", train_nets},
    {"train, a net from random weights", train_random_net},
    {"train, smooth", train_smooth},
    {"train, adarank", train_adarank},
    {"train, trees", train_trees},
    {"train, trees of folds", train_committee},
    {"diverse, shortcut", train_shortcut},
    {"diverse, lp", train_lp},
    {"diverse, mip", train_mip},
    {NULL, NULL},
};
