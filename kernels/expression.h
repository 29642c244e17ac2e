/* expression.h: reading an expression with files that are open already. */
#ifndef DORM_KERNELS_EXPRESSION_H
#define DORM_KERNELS_EXPRESSION_H

#include "kernels/kernel_files.h"
#include "kernels/kernels.h"

/* dorm__kernel_parse, or with is_model dorm__kernel_parse_model; the kernel holds `files` and opens what is not there.
 */
dorm_status dorm__kernel_parse_with(dorm_context *context, const char *text, bool is_model, dorm__kernel_files *files,
                                    dorm__kernel **kernel);

#endif
