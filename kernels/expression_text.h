/* expression_text.h: kernels as text. */
#ifndef DORM_KERNELS_EXPRESSION_TEXT_H
#define DORM_KERNELS_EXPRESSION_TEXT_H

#include "base/base.h"
#include "kernels/kernels.h"

/* Writes the expression with combination `choice` of its lists. Every parameter is spelled out, and numbers read back
 * exactly. NULL when out of memory, freed by dorm__free. */
char *dorm__kernel_text(const dorm__kernel *kernel, size_t choice);
/* Writes a kernel without lists as a model keeps it: without paths of modules. */
char *dorm__kernel_model_text(const dorm__kernel *kernel);
/* Takes one term `linear` over all features out of a sum, so that it can be kept exactly beside the rest. False when
 * there is no such term, or when some features are row numbers of a Gram matrix, which `linear` would have to leave
 * out. */
bool dorm__kernel_take_linear(dorm__kernel *kernel);

#endif
