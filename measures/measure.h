/* measure.h: an opened measure, for the files of this folder. */
#ifndef DORM_MEASURES_MEASURE_H
#define DORM_MEASURES_MEASURE_H

#include "base/base.h"
#include "measures/kinds.h"
#include "measures/measures.h"
#include "measures/minus_loss.h"

struct dorm__measure {
  const dorm__measure_kind *kind; /* NULL: minus a loss */
  dorm__conventions rules;
  dorm__minus_loss *minus;
  char *text;
};

/* What a measure needs to know of a data set. */
typedef enum dorm__measure_needs {
  DORM__NEEDS_LABELS,     /* at the positions of the ranking */
  DORM__NEEDS_JUDGEMENTS, /* and which documents were judged */
  DORM__NEEDS_GROUPS,     /* of the documents, or labels as they are without repeats */
  DORM__NEEDS_SUBTOPICS   /* of the documents */
} dorm__measure_needs;
dorm__measure_needs dorm__measure_needs_of(const dorm__measure *measure);
/* The value of a ranked query under a measure that is not minus a loss; NaN where it does not count. *is_empty: there
 * was nothing to find. */
dorm_status dorm__measure_ranked(dorm_context *context, const dorm__measure *measure, dorm__ranking *ranking,
                                 double *value, bool *is_empty);

/* ---- Comparison -------------------------------------------------------------------------------- */

/* I_x(a, b) for 0 <= x <= 1. y = 1 - x is an argument of its own, so that it can be very small. */
double dorm__incomplete_beta(double a, double b, double x, double y);
/* The two-sided p-value of Student's t. */
double dorm__student_p_value(double t, double degrees);

#endif
