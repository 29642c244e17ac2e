/* user_term.h: the term of an expression whose kernel is in a user's module. */
#ifndef DORM_KERNELS_USER_TERM_H
#define DORM_KERNELS_USER_TERM_H

#include "kernels/kernels.h"
#include "kernels/parser.h"

/* Reads a term at its name of `length` characters. */
dorm_status dorm__expression_user_term(dorm__expression *parser, size_t length, size_t *number);
/* Makes the opened module of a node without lists ready for tiles. */
dorm_status dorm__kernel_create_user(dorm_context *context, const dorm__kernel *kernel, dorm__kernel_node *node);

#endif
