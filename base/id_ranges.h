/* id_ranges.h: sets of feature ids that are written as ranges. */
#ifndef DORM_BASE_ID_RANGES_H
#define DORM_BASE_ID_RANGES_H

#include "base/base.h"

typedef struct dorm__id_range {
  size_t first;
  size_t last;
} dorm__id_range;

/* A set of feature ids. */
typedef struct dorm__id_ranges {
  size_t count;
  size_t capacity;
  dorm__id_range *items;
} dorm__id_ranges;

/* Reads a text such as "1-20, 33"; an empty text is the empty set. `what` names the text in messages. */
dorm_status dorm__id_ranges_parse(dorm_context *context, const char *what, const char *text, dorm__id_ranges *ranges);
void dorm__id_ranges_clear(dorm__id_ranges *ranges);
bool dorm__id_ranges_hold(const dorm__id_ranges *ranges, size_t id);

#endif
