/* job.h: one call of dorm_train: its settings and its progress. */
#ifndef DORM_JOBS_JOB_H
#define DORM_JOBS_JOB_H

#include "jobs/candidates.h"
#include "jobs/trainer.h"

/* A word of a setting and its meaning. */
typedef struct dorm__named_reference {
  const char *word; /* borrowed from the settings */
  dorm__reference reference;
} dorm__named_reference;

typedef struct dorm__named_position_weights {
  const char *word;
  dorm__position_weights weights;
} dorm__named_position_weights;

typedef struct dorm__named_references {
  size_t count;
  dorm__named_reference *items; /* [count] */
} dorm__named_references;

/* The kernels that training tries: every combination of the lists in kernel.kernel with every kernel.rank. */
typedef struct dorm__kernel_grid {
  dorm__kernel *kernel;
  size_t num_ranks;
  size_t count; /* number of kernels to train with */
} dorm__kernel_grid;

dorm_status dorm__kernel_grid_open(dorm_context *context, const dorm_settings *settings, dorm__kernel_grid *grid);
void dorm__kernel_grid_close(dorm__kernel_grid *grid);

/* Times, as dorm__seconds counts them. */
typedef struct dorm__job_clock {
  double started;
  double deadline; /* 0: none */
  bool is_budget;  /* the deadline is the end of training.budget */
} dorm__job_clock;

/* A job does not change once it is open. Its losses, measure and kernel are opened once. */
struct dorm__job {
  dorm_context *context;
  const dorm_settings *given; /* the settings as the caller gave them, borrowed */
  dorm_settings *settings;    /* effective, with values in place of auto */
  size_t num_trainers;
  const dorm__trainer **trainers; /* [num_trainers] */
  size_t num_losses;              /* the same loss, once for each truncation */
  dorm__loss **losses;            /* [num_losses] */
  dorm_model *from;               /* from which training continues, or NULL */
  dorm__measure *measure;         /* by which candidates are chosen */
  dorm__kernel_grid kernels;
  dorm__named_references references;
  size_t num_position_weights;
  dorm__named_position_weights *position_weights; /* [num_position_weights] */
  size_t num_own; /* number of first positions that have functions of their own: ranking.position_functions - 1 */
  dorm__diversity diversity;
  size_t num_threads;     /* that share a pass over the data, 1 if the data are small */
  size_t num_run_threads; /* that may train candidates in parallel (trainers.h), 1 for one after the other */
  size_t num_folds;       /* 0: no cross-validation */
  bool retrains;          /* the chosen candidates are trained again on training and validation data together */
  dorm__job_clock clock;
};

/* Opens the job of a call. Borrows context and settings. The caller closes it, also on failure. */
dorm_status dorm__job_open(dorm_context *context, const dorm_settings *settings, const dorm_dataset *train,
                           const dorm_dataset *validation, const dorm__trainer_set *choice, dorm__job *job);
void dorm__job_close(dorm__job *job);
/* Returns the number of folds by selection.folds, or 0 without cross-validation. */
size_t dorm__job_folds_from(const dorm_settings *settings, const dorm__trainer_set *choice, const dorm_dataset *train,
                            const dorm_dataset *validation);

/* ---- job_answers.c ---- */

/* Returns whether training.increasing or training.decreasing names features. Defined in job.c. */
bool dorm__job_keeps_order(const dorm__job *job);
/* Replaces the value auto of a setting, while the job is being opened. */
dorm_status dorm__job_set(dorm__job *job, dorm__setting setting, const char *text);
/* Returns whether the job was cancelled or is out of time. The second function returns DORM_STOPPED with a message that
 * names the reason. */
bool dorm__job_is_interrupted(const dorm__job *job);
dorm_status dorm__job_say_interrupted(const dorm__job *job);
/* The first function returns whether training begins at ridge regressions, which are then candidates themselves. The
 * second one returns the number of starts, at least 1. */
bool dorm__job_has_start(const dorm__job *job);
size_t dorm__job_num_starts(const dorm__job *job);
/* A centre of the regulariser is rho, a value of solver.rho, times the weights of the model data.from. The first
 * function returns the number of centres, and the second one the rho of centre number `index`. Without such a model
 * there is one centre, with rho = 0. The third function returns whether training with this rho starts at the model. */
size_t dorm__job_num_centres(const dorm__job *job);
double dorm__job_rho(const dorm__job *job, size_t index);
bool dorm__job_starts_at_model(const dorm__job *job, double rho);
/* Returns whether the job has a trainer of this name. */
bool dorm__job_has_trainer(const dorm__job *job, const char *name);
/* Returns whether the candidates of some trainer are means over the folds of a cross-validation. */
bool dorm__job_averages_folds(const dorm__job *job);
/* Returns the number of candidates of one grid, over all trainers, kernels and rank blocks. */
size_t dorm__job_grid_size(const dorm__job *job);
/* Evaluates the job's measure at scores [num_docs]. If the job ranks diversely, overwrites them with the scores of the
 * diverse ranking. values [num_queries] gets the value of each query, and may be NULL. */
dorm_status dorm__job_measure(const dorm__job *job, const dorm_dataset *dataset, double *scores, double *values,
                              dorm_evaluation *evaluation);

/* The two parts of training.budget, for linear models and for trees, and how much of a part is spent. */
typedef enum dorm__budget { DORM__BUDGET_LINEAR, DORM__BUDGET_TREES, DORM__NUM_BUDGETS } dorm__budget;
typedef struct dorm__spent {
  size_t num_sets; /* sets of rows that are finished */
  double seconds;
  size_t num_cut; /* solves or ensembles that ended because their share of the time was spent */
} dorm__spent;

/* The progress of a job. */
typedef struct dorm__progress {
  size_t num_expected; /* candidates, over all grids */
  size_t num_done;
  size_t num_passes; /* over the data, in this call */
  dorm__spent spent[DORM__NUM_BUDGETS];
  bool is_limited;                                 /* whether some solve ended at its limit of iterations */
  char diverged[500];                              /* message about weights that left the range of numbers, or "" */
  bool has_said_short;                             /* whether the note about queries with too few groups was given */
  dorm__oracle_counts oracles;                     /* oracle calls of all solves */
  double oracle_seconds[DORM__NUM_ORACLE_METHODS]; /* seconds of these calls, by method */
} dorm__progress;

/* Returns the seconds that each of `count` candidates of a set of rows may take, INFINITY if there is no limit. Divides
 * the rest of this part of the budget evenly among the sets that are left. Up to num_run_threads candidates are
 * made at the same time. If there are trees, all linear models together get at most .3 of the budget. Linear models
 * have no limit if the caller gave no budget, unless training.trainer is auto. For trees, call it when everything else
 * of this set is made. */
double dorm__job_seconds_each(const dorm__job *job, const dorm__progress *progress, dorm__budget which, size_t count);
/* Returns whether the budget leaves too little time for a further fold, or for the linear models on all queries. The
 * time for these is taken to be twice the mean time of the folds so far, without the growing of trees. Returns false if
 * there is no budget, or if no trees have been grown. */
bool dorm__job_lacks_time(const dorm__job *job, const dorm__progress *progress);

#endif
