/* expression.h: the parts of reading and writing an expression. */
#ifndef DORM_KERNELS_EXPRESSION_H
#define DORM_KERNELS_EXPRESSION_H

#include "kernels/kernel_files.h"
#include "kernels/kernel_table.h"
#include "kernels/kernels.h"

/* ---- Parser ------------------------------------------------------------------------------------ */

/* The state of the parser. */
typedef struct dorm__expression {
  dorm_context *context;
  const char *text;
  const char *at;
  size_t depth;
  bool is_model; /* `from module` in place of paths, without loading */
  dorm__kernel *kernel;
} dorm__expression;

/* "kernel.kernel: at character 5 of 'rbf(': <what><word>" */
dorm_status dorm__expression_fail(const dorm__expression *parser, const char *at, const char *what, const char *word);
void dorm__expression_skip(dorm__expression *parser); /* blanks */
bool dorm__expression_take(dorm__expression *parser, char c);
dorm_status dorm__expression_expect(dorm__expression *parser, char c);
size_t dorm__expression_word(const char *at); /* length of the word at `at` */
dorm_status dorm__expression_copy(const dorm__expression *parser, const char *at, size_t length, char **copy);
/* Reads a path up to one of `stops`, without the blanks around it, or in quotes. `what` is the message if there is
 * none. The caller frees *path by dorm__free. */
dorm_status dorm__expression_path(dorm__expression *parser, const char *stops, const char *what, char **path);
dorm_status dorm__expression_node(dorm__expression *parser, dorm__kernel_kind kind, size_t *number);
dorm_status dorm__expression_block(dorm__expression *parser, dorm__kernel_node *node); /* ids ")" */
/* Fails at a word that is the name of no kernel, and suggests the nearest name. */
dorm_status dorm__expression_unknown(const dorm__expression *parser, const char *at, size_t length);

/* ---- Expression text --------------------------------------------------------------------------- */

/* Writes the expression with combination `choice` of its lists, with all parameters. Numbers read back exactly. Returns
 * NULL when out of memory. The caller frees it by dorm__free. */
char *dorm__kernel_text(dorm_context *context, const dorm__kernel *kernel, size_t choice);
/* Writes a kernel without lists for a model, without paths of modules. */
char *dorm__kernel_model_text(dorm_context *context, const dorm__kernel *kernel);
/* Takes one term `linear` over all features out of a sum, so that it can be kept exactly beside the rest. Returns false
 * if there is no such term, or if some features are row numbers of a Gram matrix, which `linear` would have to leave
 * out. */
bool dorm__kernel_take_linear(dorm__kernel *kernel);

/* ---- User term --------------------------------------------------------------------------------- */

/* Reads a term at its name of `length` characters. */
dorm_status dorm__expression_user_term(dorm__expression *parser, size_t length, size_t *number);
/* Makes the opened module of a node without lists ready for tiles. */
dorm_status dorm__kernel_create_user(dorm_context *context, const dorm__kernel *kernel, dorm__kernel_node *node);

/* ---- Resolve ----------------------------------------------------------------------------------- */

/* Sets each gamma that is "auto" from 2000 random pairs of rows: scale / (2 median |x - y|^2) for rbf, scale / median
 * |x - y|_1 for laplacian. */
dorm_status dorm__kernel_set_auto(dorm_context *context, dorm__kernel *kernel, const dorm__kernel_rows *rows,
                                  uint64_t seed);

/* ---- Self check -------------------------------------------------------------------------------- */

/* Tries the kernel on small rows. Returns DORM_BAD_MODULE with the reason if it breaks a promise. */
dorm_status dorm__user_kernel_self_check(dorm_context *context, dorm__user_kernel *kernel);

#endif
