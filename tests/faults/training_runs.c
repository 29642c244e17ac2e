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
  dorm_status status = DORM__ALL(fault_settings(context, texts, &settings),
                                 file ? dorm_dataset_read_with(context, fault_path(file), &options, &data)
                                      : fault_generate(context, 6, 1, &data),
                                 dorm_dataset_read_groups(context, data, settings));
  if (status == DORM_OK && !file && strcmp(dorm_settings_get(settings, "selection.folds"), "2") != 0)
    status = fault_generate(context, 3, 2, &validation);
  if (status == DORM_OK)
    status = DORM__ALL(dorm_train(context, settings, data, validation, &training),
                       dorm_model_write(context, dorm_training_model(training), fault_path("written")));
  return fault_wrote(status, "written", result);
}

dorm_status fault_train(dorm_context *context, const char *texts, uint64_t *result)
{
  return train_stored(context, NULL, DORM_STORAGE_AUTO, texts, result);
}

static dorm_status train_named(dorm_context *context, const char *texts, uint64_t *result)
{
  return train_stored(context, "named", DORM_STORAGE_AUTO, texts, result);
}

static dorm_status train_sparse(dorm_context *context, const char *texts, uint64_t *result)
{
  return train_stored(context, "named", DORM_STORAGE_SPARSE, texts, result);
}

static dorm_status train_by_glpk(dorm_context *context, const char *texts, uint64_t *result)
{
  return dorm__has_glpk() ? train_named(context, texts, result) : DORM_OK;
}

/* A training that is stopped and then resumed: the checkpoint is written and read. */
static int stop(void *user)
{
  int *left = user;
  return (*left)-- <= 0;
}

static dorm_status stop_and_resume(dorm_context *context, int left, const char *texts, uint64_t *result)
{
  uint64_t unused = 0;
  unlink(fault_path("run"));
  dorm_context_set_cancel(context, stop, &left);
  dorm_status status = fault_train(context, texts, &unused);
  dorm_context_set_cancel(context, NULL, NULL);
  return status == DORM_STOPPED || status == DORM_OK ? fault_train(context, texts, result) : status;
}

static dorm_status stop_early(dorm_context *context, const char *texts, uint64_t *result)
{
  return stop_and_resume(context, 30, texts, result);
}

static dorm_status stop_later(dorm_context *context, const char *texts, uint64_t *result)
{
  return stop_and_resume(context, 60, texts, result);
}

#define RESUMED    FAULT_SMALL "output.checkpoint=$run;output.checkpoint_seconds=0;output.resume=yes"
#define STRUCTURED FAULT_SMALL "ranking.reference=auto;data.rank_block=0;loss.name="
#define TREES      "trees.trees=2;trees.leaves=2;trees.min_docs_in_leaf=1;"
/* Rankings that respect groups, with each of the methods. */
#define DIVERSE FAULT_SMALL "data.rank_block=0;loss.truncation=2;diversity.top=2;"

const fault_run fault_training_runs[] = {
    {"train", NULL, fault_train, FAULT_SMALL "ranking.rounds=2;loss.truncation=2,3;output.checkpoint_seconds=0"},
    {"train, paths", NULL, fault_train, /* several at the same time */
     FAULT_SMALL "solver.threads=2;loss.truncation=1,2,3;data.rank_block=0"},
    {"train, folds", NULL, fault_train,
     FAULT_SMALL "selection.folds=2;ranking.position_weights=power:0.5;"
                 "training.increasing=1;data.normalisation=global-zscore;selection.retrain=no"},
    {"train, again", NULL, fault_train,
     FAULT_SMALL "selection.retrain=yes;data.normalisation=minmax,none;ranking.position_weights=loglog;"
                 "ranking.reference=averaged;loss.name=precision:truncation=2,threshold=2;data.features=1-2;"
                 "solver.oracle=shortest-path"},
    {"train, kernel", NULL, fault_train,
     FAULT_SMALL "kernel.kernel=linear + rbf:scale=1 * polynomial(1-2);kernel.rank=3;data.rank_block=0"},
    {"train, costs", NULL, fault_train,
     FAULT_SMALL "loss.name=cost:file=$costs;ranking.position_weights=log;data.rank_block=0"},
    {"train, resumed", NULL, stop_early, RESUMED},
    {"train, folds with trees resumed", NULL, stop_later,
     RESUMED ";training.trainer=svm,trees;" TREES "trees.start=ridge;selection.folds=3"},
    {"train, rsvm", NULL, fault_train, STRUCTURED "rsvm"},
    {"train, rsvm_ir", NULL, fault_train, STRUCTURED "rsvm_ir"},
    {"train, roc_area", NULL, fault_train, STRUCTURED "roc_area"},
    {"train, map", NULL, fault_train, STRUCTURED "map"},
    {"train, precision_set", NULL, fault_train, STRUCTURED "precision_set:truncation=2"},
    {"train, functions of positions", NULL, fault_train,
     FAULT_SMALL "ranking.position_functions=3;ranking.position_weights=power:0.5;data.rank_block=0,0.5"},
    {"train, products", NULL, fault_train,
     FAULT_SMALL "features.cross=1 x 1-2;data.rank_block=0.5;data.normalisation=global-zscore"},
    {"train, sparse products", NULL, train_sparse, FAULT_SMALL "features.cross=1 x 1-2;data.rank_block=0"},
    {"train, from a model", NULL, fault_train, FAULT_SMALL "data.from=$linear;solver.rho=0,0.5"},
    {"train, nets", NULL, fault_train, /* a single layer and a net with hidden units, from a ridge start */
     "training.trainer=net;solver.threads=2;net.hidden=0,2;net.start=ridge;net.epochs=2;"
     "training.lambda=ranknet|ranknet-weight-pairs;data.rank_block=0.5"},
    {"train, a net from random weights", NULL, fault_train,
     "training.trainer=net;net.hidden=2;net.start=random;net.epochs=1;data.rank_block=0"},
    {"train, smooth", NULL, fault_train, /* linear models that minimise costs on scores */
     "training.trainer=smooth;solver.threads=2;smooth.cost=ranknet|softmax|smoothrank;smooth.C=3;"
     "data.rank_block=0.5"},
    {"train, adarank", NULL, fault_train, "training.trainer=adarank;solver.threads=2;data.rank_block=0.5"},
    {"train, trees", NULL, fault_train, /* of several functions, from nothing and from a ridge start, beside the SVM */
     FAULT_SMALL TREES "training.trainer=svm,trees;trees.learning_rate=0.3;data.categorical=1;"
                       "trees.start=none,ridge;trees.objective=dorm,lambda;"
                       "training.lambda=ranknet|ranknet-weight-pairs;data.rank_block=0;"
                       "selection.average=10;selection.blend=0.5,1"},
    {"train, trees of folds", NULL, fault_train, /* the mean over three folds, with a shared feature map */
     FAULT_SMALL TREES "training.trainer=svm,trees;trees.learning_rate=0.3;trees.start=ridge;selection.folds=3;"
                       "selection.blend=0.5,1;data.normalisation=global-zscore"},
    {"diverse, shortcut", NULL, train_named,
     DIVERSE "diversity.capacity=1;solver.oracle=shortcut;diversity.groups=file:$groups;"
             "ranking.position_weights=loss, file:$weights"},
    {"diverse, lp", NULL, train_by_glpk,
     DIVERSE "diversity.capacity=1;solver.oracle=lp;diversity.groups=file:$groups.json;"
             "ranking.position_weights=loss, file:$weights"},
    {"diverse, mip", NULL, train_by_glpk,
     DIVERSE "diversity.capacity=1.5;solver.oracle=mip;diversity.groups=file:$overlap;"
             "ranking.position_weights=loss, power:0.5"},
    {NULL, NULL, NULL, NULL},
};
