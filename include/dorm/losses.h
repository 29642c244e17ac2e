/* losses.h: losses, built in or from modules. */
#ifndef DORM_LOSSES_H
#define DORM_LOSSES_H

#include <stddef.h>

#include "dorm/dataset.h"
#include "dorm/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns built-in loss number `index` with its parameters (plugin.h), static. Returns NULL after the last. */
DORM_API const dorm_loss_module *dorm_loss_info_at(size_t index);

/* A loss with the values of its parameters. */
typedef struct dorm_loss dorm_loss;

/* Opens a loss. The caller closes it. `spec` is one of
 *   ndcg:truncation=10,gain=linear        a built-in loss, or one that the program registered
 *   my_loss:alpha=2 from ./my_loss.so     the loss of a module
 *   from ./my_loss.so                     the same with its default parameters
 * A file that is not a module, or a module that has another version of the interface or fails its check, returns
 * DORM_BAD_MODULE. The message gives the reason. */
DORM_API dorm_status dorm_loss_open(dorm_context *context, const char *spec, dorm_loss **loss);
/* Closes a loss, and its module if it has one. */
DORM_API void dorm_loss_close(dorm_loss *loss);
/* Registers a loss of the calling program with a context, under its name, like a built-in loss. Calls with this context
 * accept the name in loss.name, in dorm_loss_open, and in minus_loss(NAME) as a measure or the target of a
 * lambda-function.
 *
 * `loss` is the struct that a module returns (plugin.h). It is copied. Its texts and `user` must stay unchanged until
 * the context is freed. `user` is host->user in its functions, and several threads may call them at the same time. A
 * loss that the program registered before under the same name is replaced. The name of a built-in loss returns
 * DORM_BAD_USAGE.
 *
 * The loss is checked on small queries, as modules are, here and whenever it is opened. A loss that fails returns
 * DORM_BAD_MODULE. A model that it trained records its name, but can be read and used for scoring without it. */
DORM_API dorm_status dorm_loss_register(dorm_context *context, const dorm_loss_module *loss, void *user);
/* Finds the most violated ranking of every query (the assignment oracle). At scores[num_docs] this ranking maximises
 *     sum_p c[p] scores[order[p]] + Delta(order)
 * over the documents of a query. order[num_docs] receives the rankings: position p has the document query_start +
 * order[query_start + p]. position_weights gives the weights c as in ranking.position_weights, such as "power:0.5".
 * NULL is "loss", the weights of the loss itself, which a loss of general costs does not have. values[num_queries]
 * become the maxima, deltas[num_queries] the losses of the rankings. Each of the two may be NULL.
 *
 * A structured loss returns DORM_BAD_USAGE, because its outputs are not rankings. Scores that are not finite return
 * DORM_NUMERICAL_FAILURE. Cost: a sort per query if c and the loss allow it, otherwise an assignment problem. */
DORM_API dorm_status dorm_most_violated(dorm_context *context, const char *loss, const dorm_dataset *dataset,
                                        const char *position_weights, const double *scores, size_t *order,
                                        double *values, double *deltas);
/* Describes an open loss: name, help and parameters, owned by the loss. */
DORM_API const dorm_loss_module *dorm_loss_describe(const dorm_loss *loss);

#ifdef __cplusplus
}
#endif

#endif
