/* parser.h: reading the text of a kernel expression from the left to the right. */
#ifndef DORM_KERNELS_PARSER_H
#define DORM_KERNELS_PARSER_H

#include "base/base.h"
#include "kernels/kernel_table.h"
#include "kernels/kernels.h"

/* An expression that is being read. */
typedef struct dorm__expression {
  dorm_context *context;
  const char *text;
  const char *at;
  size_t depth;
  bool is_model; /* `from module` in place of paths, and nothing is loaded */
  dorm__kernel *kernel;
} dorm__expression;

/* "kernel.kernel: at character 5 of 'rbf(': <what><word>" */
dorm_status dorm__expression_fail(const dorm__expression *parser, const char *at, const char *what, const char *word);
void dorm__expression_skip(dorm__expression *parser); /* blanks */
bool dorm__expression_take(dorm__expression *parser, char c);
dorm_status dorm__expression_expect(dorm__expression *parser, char c);
size_t dorm__expression_word(const char *at); /* length of the word there */
dorm_status dorm__expression_copy(const dorm__expression *parser, const char *at, size_t length, char **copy);
/* Reads a path up to one of `stops`, without the blanks around it, or in quotes; `what` is the message where there is
 * none. *path is freed by dorm__free. */
dorm_status dorm__expression_path(dorm__expression *parser, const char *stops, const char *what, char **path);
dorm_status dorm__expression_node(dorm__expression *parser, dorm__kernel_kind kind, size_t *number);
dorm_status dorm__expression_block(dorm__expression *parser, dorm__kernel_node *node); /* ids ")" */
/* Fails at a word that is the name of no kernel, with the nearest one. */
dorm_status dorm__expression_unknown(const dorm__expression *parser, const char *at, size_t length);

#endif
