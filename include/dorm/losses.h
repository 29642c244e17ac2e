/* losses.h: losses, built in or of modules. */
#ifndef DORM_LOSSES_H
#define DORM_LOSSES_H

#include <stddef.h>

#include "dorm/dataset.h"
#include "dorm/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Built-in loss number `index` with its parameters (plugin.h), static; NULL after the last. */
DORM_API const dorm_loss_module *dorm_loss_info_at(size_t index);

/* A loss with values of its parameters. */
typedef struct dorm_loss dorm_loss;

/* Opens a loss from a text such as "ndcg:truncation=10,gain=linear", or the loss
 * of a module from an explicit path, "my_loss:alpha=2 from ./my_loss.so" or, with
 * the default parameters, "from ./my_loss.so"; or one that the program registered. The caller closes it. A file that is
 * not a module, or a module that has another version of the interface or fails its self-check, is
 * DORM_BAD_MODULE, and the message says why. */
DORM_API dorm_status dorm_loss_open(dorm_context *context, const char *spec, dorm_loss **loss);
/* Closes a loss, and its module if it has one. */
DORM_API void dorm_loss_close(dorm_loss *loss);
/* Makes a loss of the calling program known to a context under its name, as if it were built in: calls with this
 * context take it for loss.name, in dorm_loss_open, and in minus_loss(NAME) as measure or lambda-function's target.
 * `loss` is the struct that a module returns (plugin.h); it is copied. `user` is host->user in its functions, which
 * several threads may call at the same time. Their texts and `user` stay as they are until the context is freed. A loss
 * that the program registered by this name before is replaced; the name of a built-in loss is DORM_BAD_USAGE. The loss
 * is tried on small queries as modules are, here and whenever it is opened; what is refused is DORM_BAD_MODULE. A model
 * that it made names it, and is read and scored without it. */
DORM_API dorm_status dorm_loss_register(dorm_context *context, const dorm_loss_module *loss, void *user);
/* The assignment oracle alone, for all queries of a data set. At scores[num_docs], the most violated ranking of a query
 * maximises
 *     sum_p c[p] scores[order[p]] + Delta(order)
 * over its documents; order[num_docs] gets them: document query_start + order[query_start + p] stands at position p.
 * Position weights c are given as ranking.position_weights, as in "power:0.5"; NULL is "loss", those of the loss
 * itself, which a loss of general costs does not have. values[num_queries] become the maxima, deltas[num_queries] the
 * losses of the rankings; each may be NULL. A structured loss, whose outputs are not rankings, is DORM_BAD_USAGE;
 * scores that are not finite are DORM_NUMERICAL_FAILURE. Cost: a sort per query where c and the loss allow it,
 * otherwise an assignment problem. */
DORM_API dorm_status dorm_most_violated(dorm_context *context, const char *loss, const dorm_dataset *dataset,
                                        const char *position_weights, const double *scores, size_t *order,
                                        double *values, double *deltas);
/* Describes an open loss: name, help and parameters, owned by the loss. */
DORM_API const dorm_loss_module *dorm_loss_describe(const dorm_loss *loss);

#ifdef __cplusplus
}
#endif

#endif
