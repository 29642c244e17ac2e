/* folds.h: cross-validation over queries. */
#ifndef DORM_TRAINING_FOLDS_H
#define DORM_TRAINING_FOLDS_H

#include "training/selection.h"
#include "training/train_once.h"

/* The value of a model on new queries, and values to compare it with. */
typedef struct dorm__estimate {
  dorm_evaluation model;   /* of no query: there is no estimate */
  dorm_evaluation linear;  /* of its linear candidates; of no query: there are no others beside them, or none */
  dorm_evaluation serving; /* of those that score each document by itself; of no query: none or all do */
  double chance, feature;  /* values of random rankings, and of the best single feature (NaN: not known) */
  size_t best_feature;     /* its id */
} dorm__estimate;

/* For each fold, trains a grid on the queries of all other folds, measures its candidates on the fold, adds their
 * values to `sums`, and what the best of them give under each share of parts to `shares`. `grid` holds what all grids
 * share. Unless `committee` is NULL, it takes the grids of finished folds; if no fold is finished, the grid of the fold
 * in which the training was stopped. The caller clears it. *estimate becomes what the model is worth on new queries if
 * the committee keeps all folds and all are finished. */
dorm_status dorm__folds_train(const dorm__job *job, const dorm__grid *grid, dorm__fold_sums *sums,
                              dorm__share_sums *shares, dorm__committee *committee, dorm__estimate *estimate);

/* ---- baselines.c ---- */

/* Measures random rankings, and each feature of dense data alone, on the queries of a data set, of which at most some
 * 2^20 values count. */
dorm_status dorm__baselines_measure(const dorm__job *job, const dorm_dataset *dataset, dorm__estimate *estimate);

/* ---- Committee --------------------------------------------------------------------------------- */

/* The part of the grid of a fold that is kept. */
typedef struct dorm__committee_member {
  size_t fold;             /* from 0 */
  dorm_training *training; /* owned; the candidates */
  dorm__feature_map map;   /* owned */
  dorm_evaluation counted; /* how many of its held-out queries count */
  dorm__share_sums shares; /* owned; over its held-out queries */
  size_t num_queries;      /* held out, of all processes */
  double *weights;         /* [num_queries], owned */
} dorm__committee_member;

struct dorm__committee {
  bool keeps_all; /* finished folds; otherwise the last one of them */
  size_t count, capacity;
  dorm__committee_member *members; /* [count], owned */
};

/* Takes candidates and feature map of the grid of a fold: of every finished one, and of one that was stopped if
 * there is no other and it has candidates. With these it takes *shares; what it does not take stays as it is. */
dorm_status dorm__committee_keep(dorm_context *context, dorm__grid *fold, const dorm_evaluation *counted,
                                 bool is_finished, dorm__share_sums *shares, dorm__committee *committee);
/* Takes candidates out of the race (dorm__fold_sums) that are worse than the best one by more than two standard errors
 * of the paired difference over the held-out queries so far (a race: Maron and Moore, "Hoeffding Races", NIPS 1993).
 * Further folds do not train them, and they have no part in the model. */
void dorm__committee_race(dorm_context *context, dorm__committee *committee, dorm__fold_sums *sums);
/* Appends to candidates of a grid that was stopped, or not begun, those that are missing: each is the mean of the
 * candidates of the same number in the folds. */
dorm_status dorm__committee_complete(dorm_context *context, const dorm__committee *committee, dorm_training *training);
/* Hands the sink the next `count` candidates of its grid: each is the mean of the candidates of the same number in all
 * folds, whose parts it takes. */
dorm_status dorm__committee_take(const dorm__committee *committee, size_t count, dorm__sink *sink);
void dorm__committee_clear(dorm__committee *committee);

#endif
