/* folds.h: cross-validation over queries. */
#ifndef DORM_TRAINING_FOLDS_H
#define DORM_TRAINING_FOLDS_H

#include "training/selection.h"
#include "training/train_once.h"

/* The value of a model on new queries, and values to compare it with. */
typedef struct dorm__estimate {
  dorm_evaluation model;   /* of no query if there is no estimate */
  dorm_evaluation linear;  /* of its linear candidates; of no query if all candidates are linear, or none */
  dorm_evaluation serving; /* of candidates that score each document by itself; of no query if all do, or none */
  double chance, feature;  /* values of random rankings, and of the best single feature (NaN if unknown) */
  size_t best_feature;     /* its id */
} dorm__estimate;

/* For each fold, trains a grid on the queries of all other folds and measures its candidates on the fold. Adds their
 * values to `sums`, and the values of the best ones with each share of parts to `shares`. `grid` holds the common
 * fields of all grids. Unless `committee` is NULL, it takes the grids of finished folds or, if no fold is finished, the
 * grid of the fold in which the training was stopped. The caller clears it. If the committee keeps all folds and all
 * are finished, *estimate becomes the estimated value of the model on new queries. */
dorm_status dorm__folds_train(const dorm__job *job, const dorm__grid *grid, dorm__fold_sums *sums,
                              dorm__share_sums *shares, dorm__committee *committee, dorm__estimate *estimate);

/* ---- Committee --------------------------------------------------------------------------------- */

/* The part of the grid of a fold that is kept. */
typedef struct dorm__committee_member {
  size_t fold;             /* from 0 */
  dorm_training *training; /* the candidates, owned */
  dorm__feature_map map;   /* owned */
  dorm_evaluation counted; /* number of its held-out queries that count */
  dorm__share_sums shares; /* over its held-out queries, owned */
  size_t num_queries;      /* held out, of all processes */
  double *weights;         /* [num_queries], owned */
} dorm__committee_member;

struct dorm__committee {
  bool keeps_all; /* all finished folds, otherwise the last one */
  size_t count, capacity;
  dorm__committee_member *members; /* [count], owned */
};

/* Takes candidates and feature map of the grid of a fold, together with *shares. Takes every finished fold, and a
 * stopped one if there is no other and it has candidates. Otherwise it takes nothing. */
dorm_status dorm__committee_keep(dorm_context *context, dorm__grid *fold, const dorm_evaluation *counted,
                                 bool is_finished, dorm__share_sums *shares, dorm__committee *committee);
/* Takes candidates out of the race (dorm__fold_sums) if they are worse than the best one by more than two standard
 * errors of the paired difference over the held-out queries so far. See Maron and Moore, "Hoeffding Races", NIPS 1993.
 * Further folds do not train them, and they have no part in the model. */
void dorm__committee_race(dorm_context *context, dorm__committee *committee, dorm__fold_sums *sums);
/* Appends the missing candidates to a grid that was stopped, or not begun. Each is the mean of the candidates of the
 * same number in the folds. */
dorm_status dorm__committee_complete(dorm_context *context, const dorm__committee *committee, dorm_training *training);
/* Hands the sink the next `count` candidates of its grid. Each is the mean of the candidates of the same number in all
 * folds, and takes over their parts. */
dorm_status dorm__committee_take(const dorm__committee *committee, size_t count, dorm__sink *sink);
void dorm__committee_clear(dorm__committee *committee);

#endif
