/*
 * kernel_cases.h: expressions of kernels with their formulas written out for one pair of documents, and small data to
 * try them on.
 */
#ifndef DORM_TESTS_KERNEL_CASES_H
#define DORM_TESTS_KERNEL_CASES_H

#include "tests/unit/unit.h"

enum { DOCS = 5, FEATURES = 6, QUERIES = 4, COUNT = QUERIES * DOCS };

/* The last case is the Gram matrix of the file that kernel_cases_write_gram writes; its text is NULL here, and
 * kernel_case_text returns it. */
typedef struct kernel_case {
  const char *text;
  double (*pair)(const float *x, const float *y);
} kernel_case;

enum { NUM_KERNEL_CASES = 10 };
extern const kernel_case kernel_cases[NUM_KERNEL_CASES];

/* Feature maps of the data as they are: the features alone, or with the row number. */
extern const dorm__feature_map kernel_plain_map;
extern const dorm__feature_map kernel_gram_map;

/* Writes a positive semi-definite matrix [COUNT][COUNT] and returns its path,
 * which the caller unlinks. */
const char *kernel_cases_write_gram(void);
const char *kernel_case_text(size_t c, char text[128]);
/* Computes the kernel of documents i and j of small data by the formula. */
double kernel_case_pair(size_t c, const dorm_dataset *dataset, size_t i, size_t j);
/* The kernel of an expression, ready for rows of this map. */
dorm__kernel *kernel_opened(dorm_context *context, const char *text, const dorm__feature_map *map);
/* Makes data with features in [0, 1]; feature 7 is the number of the document, from 1. */
dorm_dataset *kernel_small_data(dorm_context *context, dorm__random *random);

#endif
