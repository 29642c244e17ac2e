/* stumps.h: a kind of part that only the tests know: a stump for each of five features. */
#ifndef DORM_TESTS_STUMPS_H
#define DORM_TESTS_STUMPS_H

#include "tests/unit/unit.h"

enum { STUMPS = 5 };

typedef struct stumps {
  double thresholds[STUMPS], values[STUMPS]; /* of the features of the model */
} stumps;

extern const dorm__part_kind stumps_kind;

#endif
