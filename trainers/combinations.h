/* combinations.h: all combinations of settings that are lists, of which a trainer makes one candidate each. */
#ifndef DORM_TRAINERS_COMBINATIONS_H
#define DORM_TRAINERS_COMBINATIONS_H

#include "trainers/ridge.h"

/* A setting of numbers that may be a list. */
typedef struct dorm__combined_list {
  dorm__setting setting;
  const char *name;    /* in the text of a candidate */
  bool is_always_said; /* in that text, others only if there is more than one number */
} dorm__combined_list;

/* Returns the product of the lengths of the lists. */
size_t dorm__combinations_count(const dorm__job *job, size_t num_lists, const dorm__combined_list *lists);
/* Fills values[num_lists] of combination number `index`. The last list changes fastest. Returns index divided by the
 * number of combinations. */
size_t dorm__combination_values(const dorm__job *job, size_t num_lists, const dorm__combined_list *lists, size_t index,
                                double *values);
/* Appends the values to text[size], as in ":leaves=10,rate=0.1". Text that does not fit is cut. */
void dorm__combination_say(const dorm__job *job, size_t num_lists, const dorm__combined_list *lists,
                           const double *values, size_t size, char *text);

/* ---- Lambda list ------------------------------------------------------------------------------- */

typedef struct dorm__lambda_list {
  size_t count;
  dorm__lambda **lambdas; /* [count] */
} dorm__lambda_list;

/* Opens a λ-function for the training data, which are borrowed. Unless the text names another measure, it follows the
 * measure by which candidates are chosen. It respects the job's groups if it can. */
dorm_status dorm__lambda_for_job(const dorm__job *job, const char *text, const dorm_dataset *train,
                                 dorm__lambda **lambda);
/* Counts the λ-functions that the setting names. */
size_t dorm__lambda_list_count(const dorm__job *job, dorm__setting setting);
/* Opens all of them. A failure names the setting and the function. The caller closes `list` even then. */
dorm_status dorm__lambda_list_open(const dorm__job *job, dorm__setting setting, const dorm_dataset *train,
                                   dorm__lambda_list *list);
void dorm__lambda_list_close(dorm__lambda_list *list);
/* Appends the number of the function (`index`, from 0) to text[size], as in ",lambda=2". Appends nothing if the setting
 * names only one. Text that does not fit is cut. */
void dorm__lambda_list_say(const dorm__job *job, dorm__setting setting, size_t index, size_t size, char *text);

/* ---- Path --------------------------------------------------------------------------------------- */

/* The data and options of a path. */
typedef struct dorm__path_options {
  const dorm__job *job;
  const dorm__training_rows *rows;
  dorm__sink *sink;
  const dorm__problem *problem;
  dorm__scored_point *point; /* of the problem */
  dorm__bounds bounds;
  const dorm__start *start;
  double seconds;           /* that a solve may take, or INFINITY */
  dorm_candidate candidate; /* with the fields that are the same for the whole path */
} dorm__path_options;

dorm_status dorm__path_train(const dorm__path_options *options, const dorm__named_reference *reference);
/* Returns the number of rounds of the convex-concave procedure for a reference, at most 1 if it does not depend on
 * w. */
size_t dorm__path_rounds(const dorm_settings *settings, const dorm__reference *reference);

#endif
