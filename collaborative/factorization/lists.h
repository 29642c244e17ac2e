/* lists.h: the rated items of each user as a list to rank, with the loss and the oracle of each list. */
#ifndef DORM_COLLABORATIVE_FACTORIZATION_LISTS_H
#define DORM_COLLABORATIVE_FACTORIZATION_LISTS_H

#include "assignment/assignment.h"
#include "base/base.h"
#include "collaborative/factorization/options.h"
#include "collaborative/ratings/ratings.h"
#include "data/data.h"
#include "losses/losses.h"

/* Users with ratings, their rated items, and what the oracle of each list needs. */
typedef struct dorm__lists {
  size_t num_lists; /* users with ratings */
  uint32_t *users;  /* [num_lists] */
  size_t *start;    /* [num_lists + 1], into items */
  uint32_t *items;  /* [start[num_lists]] */
  size_t longest;
  bool has_offsets;
  double mu;
  double
      *fixed; /* [start[num_lists]] position weights of the items in a fixed reference; NULL: it follows the scores */
  size_t num_threads;
  dorm_dataset *dataset; /* the lists with their labels, without features */
  dorm__loss *loss;
  dorm__loss_tables *tables;
  double *c_table;                     /* [longest]; unused where c is the loss's own */
  const double **c;                    /* [num_lists], position weights */
  dorm__oracle_plan **plans;           /* [num_lists]; NULL for a list whose orders all cost nothing */
  dorm__oracle_workspace **workspaces; /* [num_threads] */
  uint32_t **orders;                   /* [num_threads][longest] */
} dorm__lists;

/* Loss, position weights and mu as the options say. Neither options nor ratings are needed afterwards. The number of
 * threads may be smaller than in the options: a single list needs one. */
dorm_status dorm__lists_new(dorm_context *context, const dorm__factorization_options *options,
                            const dorm_ratings *ratings, size_t num_threads, dorm__lists **lists);
void dorm__lists_free(dorm__lists *lists);
size_t dorm__lists_size(const dorm__lists *lists, size_t list);
/* Finds the best ranking of a list for scores [size] and t (assignment/). weights [size] becomes the weight c[rank] of
 * each item, *loss Delta. Uses the memory of the calling OpenMP thread. A failure names the user. */
dorm_status dorm__lists_oracle(dorm_context *context, const dorm__lists *lists, size_t list, const double *scores,
                               double t, double *weights, double *loss);
/* The same for the reference: of t = -mu, or fixed, for which *loss becomes 0. */
dorm_status dorm__lists_reference(dorm_context *context, const dorm__lists *lists, size_t list, const double *scores,
                                  double *weights, double *loss);

#endif
