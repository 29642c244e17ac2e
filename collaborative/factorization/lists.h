/* lists.h: what lists.c offers to the other files of this folder. */
#ifndef DORM_COLLABORATIVE_FACTORIZATION_LISTS_H
#define DORM_COLLABORATIVE_FACTORIZATION_LISTS_H

#include "assignment/assignment.h"
#include "base/base.h"
#include "collaborative/factorization/options.h"
#include "collaborative/ratings/ratings.h"
#include "data/data.h"
#include "losses/losses.h"

/* The rated items of every user with the tables of a loss: what oracles need. */
typedef struct dorm__lists {
  size_t num_lists; /* users with ratings */
  uint32_t *users;  /* [num_lists] */
  size_t *start;    /* [num_lists + 1], into items */
  uint32_t *items;  /* [start[num_lists]] */
  size_t longest;
  double mu;
  size_t num_threads;
  dorm_dataset *dataset; /* of the ratings, without features */
  dorm__loss *loss;
  dorm__loss_tables *tables;
  double *c_table;                     /* [longest]; unused where c is the loss's own */
  const double **c;                    /* [num_lists] */
  dorm__oracle_plan **plans;           /* [num_lists]; NULL for a list that no order could improve */
  dorm__oracle_workspace **workspaces; /* [num_threads] */
  uint32_t **orders;                   /* [num_threads][longest] */
} dorm__lists;

/* Loss, position weights and mu as the options say. Neither options nor ratings are needed afterwards. The number of
 * threads is not that of the options: a single list needs one. */
dorm_status dorm__lists_new(dorm_context *context, const dorm__factorization_options *options,
                            const dorm_ratings *ratings, size_t num_threads, dorm__lists **lists);
void dorm__lists_free(dorm__lists *lists);
size_t dorm__lists_size(const dorm__lists *lists, size_t list);
/* The best ranking for scores [size] and t (assignment/): the weight c[rank] of
 * each item, and Delta. By the calling OpenMP thread. */
dorm_status dorm__lists_oracle(dorm_context *context, const dorm__lists *lists, size_t list, const double *scores,
                               double t, double *weights, double *loss);

#endif
