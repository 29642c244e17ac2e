/* user_term.h: what user_term.c offers to the other files of this folder. */
#ifndef DORM_KERNELS_USER_TERM_H
#define DORM_KERNELS_USER_TERM_H

#include "base/base.h"
#include "kernels/kernel_table.h"
#include "kernels/kernels.h"

/* The kernel of a module, whose name has `length` characters. */
dorm_status dorm__expression_user_term(dorm__expression *parser, size_t length, size_t *number);
/* Makes the user's kernel of a node without lists ready for blocks. */
dorm_status dorm__kernel_create_user(dorm_context *context, dorm__kernel_node *node);

#endif
