/* lists.h: the rated items of each user as a list to rank, with the loss and the oracle of each list. */
#ifndef DORM_COLLABORATIVE_FACTORIZATION_LISTS_H
#define DORM_COLLABORATIVE_FACTORIZATION_LISTS_H

#include "assignment/assignment.h"
#include "base/base.h"
#include "collaborative/factorization/options.h"
#include "collaborative/ratings/ratings.h"
#include "data/data.h"
#include "losses/losses.h"

/* Users with ratings, their rated items, and the oracle of each list. */
typedef struct dorm__lists {
  size_t num_lists; /* users with ratings */
  uint32_t *users;  /* [num_lists] */
  size_t *start;    /* [num_lists + 1], into items */
  uint32_t *items;  /* [start[num_lists]] */
  size_t longest;
  bool has_offsets;
  double mu;
  double *fixed; /* [start[num_lists]] position weights in a fixed reference, NULL if it depends on the scores */
  size_t num_threads;
  dorm_dataset *dataset; /* the lists with their labels, without features */
  dorm__loss *loss;
  dorm__loss_tables *tables;
  double *c_table;                     /* [longest], unused if the loss has its own c */
  const double **c;                    /* [num_lists], position weights */
  dorm__oracle_plan **plans;           /* [num_lists], NULL for a list whose orders all have loss 0 */
  dorm__oracle_workspace **workspaces; /* [num_threads] */
  uint32_t **orders;                   /* [num_threads][longest] */
} dorm__lists;

/* Makes the lists with the loss, position weights and mu of the options. Neither options nor ratings are needed
 * afterwards. The number of threads may be smaller than in the options (a single list needs one). */
dorm_status dorm__lists_new(dorm_context *context, const dorm__factorization_options *options,
                            const dorm_ratings *ratings, size_t num_threads, dorm__lists **lists);
void dorm__lists_free(dorm__lists *lists);
size_t dorm__lists_size(const dorm__lists *lists, size_t list);
/* Finds the best ranking of a list for scores [size] and t (assignment/). Fills weights [size] with the weight c[rank]
 * of each item, and *loss with Delta. Uses the memory of the calling OpenMP thread. The message of a failure names the
 * user. */
dorm_status dorm__lists_oracle(dorm_context *context, const dorm__lists *lists, size_t list, const double *scores,
                               double t, double *weights, double *loss);
/* Finds the reference in the same way, with t = -mu. A fixed reference sets *loss to 0. */
dorm_status dorm__lists_reference(dorm_context *context, const dorm__lists *lists, size_t list, const double *scores,
                                  double *weights, double *loss);

#endif
