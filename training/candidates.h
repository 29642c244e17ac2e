/* candidates.h: what candidates.c offers to the other files of this folder. */
#ifndef DORM_TRAINING_CANDIDATES_H
#define DORM_TRAINING_CANDIDATES_H

#include "base/base.h"
#include "kernels/kernels.h"
#include "models/models.h"

struct dorm__run;

/* A candidate with what the model is made of. */
typedef struct dorm__trained {
  dorm_candidate candidate;
  char *reference; /* owned; the candidate's texts point here */
  char *position_weights;
  const dorm__kernel_factor *kernel; /* NULL: linear; owned by the training */
  size_t width;
  double *w; /* [width], of the map with the candidate's rank block, then [rank of the kernel] */
} dorm__trained;

struct dorm_training {
  size_t num_trained;
  size_t capacity;
  dorm__trained *trained;
  size_t num_kernels;
  size_t kernels_capacity;
  dorm__kernel_factor **kernels; /* [num_kernels], owned */
  size_t num_training_queries;
  double validation; /* of the model */
  dorm_model *model;
};

dorm_status dorm__training_new(dorm_context *context, dorm_training **training);
/* Appends a copy. */
dorm_status dorm__training_add(dorm_context *context, dorm_training *training, const dorm_candidate *candidate,
                               const dorm__kernel_factor *kernel, size_t width, const double *w);

void dorm__training_drop_last(dorm_training *training);

/* Measures w and keeps it as run->candidate. Before there is a problem w is the start,
 * whose scores of the training documents are in run->scores. */
dorm_status dorm__candidate_keep(struct dorm__run *run, const double *w);
/* Whether the next candidate is already there, from a checkpoint; it is then
 * passed over, its w copied out (w may be NULL). */
dorm_status dorm__candidate_restore(struct dorm__run *run, double *w, bool *is_there);

#endif
