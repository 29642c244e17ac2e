/* combinations.h: all combinations of settings that are lists, of which a trainer makes one candidate each. */
#ifndef DORM_TRAINERS_COMBINATIONS_H
#define DORM_TRAINERS_COMBINATIONS_H

#include "jobs/jobs.h"

/* A setting of numbers that may be a list. */
typedef struct dorm__combined_list {
  dorm__setting setting;
  const char *name;    /* in the text of a candidate */
  bool is_always_said; /* in that text; others only where there is more than one number */
} dorm__combined_list;

/* The product of the lengths of the lists. */
size_t dorm__combinations_count(const dorm__job *job, size_t num_lists, const dorm__combined_list *lists);
/* values[num_lists] of combination number `index`; the last list changes fastest. Returns index divided by the number
 * of combinations. */
size_t dorm__combination_values(const dorm__job *job, size_t num_lists, const dorm__combined_list *lists, size_t index,
                                double *values);
/* Appends what the values are to text[size], as in ":leaves=10,rate=0.1"; what does not fit is cut. */
void dorm__combination_say(const dorm__job *job, size_t num_lists, const dorm__combined_list *lists,
                           const double *values, size_t size, char *text);

#endif
