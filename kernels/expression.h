/* expression.h: what expression.c offers to the other files of this folder. */
#ifndef DORM_KERNELS_EXPRESSION_H
#define DORM_KERNELS_EXPRESSION_H

#include "base/base.h"
#include "kernels/kernel_table.h"
#include "kernels/kernels.h"

/* "kernel.kernel: at character 5 of 'rbf(': <what><word>" */
dorm_status dorm__expression_fail(const dorm__expression *parser, const char *at, const char *what, const char *word);
void dorm__expression_skip(dorm__expression *parser); /* blanks */
bool dorm__expression_take(dorm__expression *parser, char c);
dorm_status dorm__expression_expect(dorm__expression *parser, char c);
size_t dorm__expression_word(const char *at); /* length of the word there */
dorm_status dorm__expression_node(dorm__expression *parser, dorm__kernel_kind kind, size_t *number);
dorm_status dorm__expression_block(dorm__expression *parser, dorm__kernel_node *node); /* ids ")" */
dorm_status dorm__expression_unknown(const dorm__expression *parser, const char *at, size_t length);

#endif
