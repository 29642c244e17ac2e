/* loss.h: the content of an opened loss, for this folder, and the calls to its module. */
#ifndef DORM_LOSSES_LOSS_H
#define DORM_LOSSES_LOSS_H

#include "base/module.h"
#include "base/spec.h"
#include "losses/losses.h"

/* The effect of the weights of documents on the gains b of a loss. */
typedef enum dorm__doc_weighing {
  DORM__WEIGHING_NONE,  /* the loss has no gains to multiply, so weights are refused */
  DORM__WEIGHING_GAINS, /* b[j] is multiplied by the weight of document j */
  DORM__WEIGHING_IDEAL  /* likewise, but then b is divided so that the worth of an ideal ranking does not change */
} dorm__doc_weighing;

/* The origin of a loss. Losses that differ in their truncation alone share it. */
typedef struct dorm__loss_source {
  size_t num_users;               /* losses that share it */
  const dorm_loss_module *module; /* a built-in one, or `loaded` */
  dorm__module *library;          /* that contains the module, or NULL if it is built in */
  dorm_loss_module loaded;        /* a copy of the library's struct */
  char *path;                     /* of the library, as given */
  bool is_own;                    /* registered by the calling program */
  void *user;                     /* the module's own pointer */
  const char *measure;            /* the name of the measure that the loss optimises, or NULL */
  dorm__doc_weighing weighing;
  dorm__spec given;
} dorm__loss_source;

struct dorm_loss {
  dorm__loss_source *source;
  const dorm_loss_module *module;          /* of the source */
  dorm_loss_value *values;                 /* [module->num_parameters] */
  char truncation_text[DORM__NUMBER_SIZE]; /* of the value of `truncation`, if it was changed */
  char *text;                              /* the spec with all parameters */
  void *state;                             /* of the module, from its create */
  bool is_created;
};

/* Shows the loss the labels of a data set, before all other calls for that data set. The message of a failure names the
 * loss, here and below. */
dorm_status dorm__loss_prepare(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset);
/* Returns whether the loss is from a module or of the calling program, and so not trusted. */
bool dorm__loss_is_foreign(const dorm__loss *loss);
/* The status for a bad table of this loss: DORM_BAD_MODULE for a module, else DORM_BAD_DATA. */
dorm_status dorm__loss_fault(const dorm__loss *loss);
/* Fill the tables of one query: a and b [num_docs] in the product form, cost [num_docs][num_docs] in the general one.
 * They do not check the module's numbers. */
dorm_status dorm__loss_fill_product(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset,
                                    size_t query, double *a, double *b);
dorm_status dorm__loss_fill_costs(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset,
                                  size_t query, double *cost);

/* Fails if the data set has weights of documents and the loss has no gains to multiply. */
dorm_status dorm__loss_check_weights(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset);
/* Multiplies the gains b [num_docs] of a query by the weights of its documents, if there are some. a [num_docs] are the
 * position weights. scratch [num_docs]. */
void dorm__loss_weigh_gains(const dorm__loss *loss, const dorm_dataset *dataset, size_t query, const double *a,
                            double *b, double *scratch);

/* ---- Module ------------------------------------------------------------------------------------ */

/* Opens a shared object that exports dorm_loss_module_entry. Returns DORM_BAD_MODULE, with the message "path: why",
 * unless its struct has this ABI, a known size, a name and exactly one form. *loss becomes a copy of the struct, valid
 * while *library is open. */
dorm_status dorm__loss_module_open(dorm_context *context, const char *path, dorm__module **library,
                                   dorm_loss_module *loss);

/* Copies the struct of a loss if it is as above. Members that an older version lacks become NULL. `path` names the
 * origin in messages. */
dorm_status dorm__loss_module_take(dorm_context *context, const char *path, const dorm_loss_module *given,
                                   dorm_loss_module *loss);

/* ---- Self check -------------------------------------------------------------------------------- */

/* Returns DORM_BAD_MODULE, with the reason, if the loss breaks a promise on one of the small queries tried. */
dorm_status dorm__loss_self_check(dorm_context *context, const dorm__loss *loss);

#endif
