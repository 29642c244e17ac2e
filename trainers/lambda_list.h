/* lambda_list.h: the λ-functions that a setting names, separated by |, of which a trainer makes one candidate each. */
#ifndef DORM_TRAINERS_LAMBDA_LIST_H
#define DORM_TRAINERS_LAMBDA_LIST_H

#include "jobs/jobs.h"
#include "lambdas/lambdas.h"

typedef struct dorm__lambda_list {
  size_t count;
  dorm__lambda **lambdas; /* [count] */
} dorm__lambda_list;

/* Opens a λ-function for the training data, which are borrowed. Where the text says nothing else, it is of the measure
 * that candidates are chosen by, and respects the groups of a job that ranks diversely if it can. */
dorm_status dorm__lambda_for_job(const dorm__job *job, const char *text, const dorm_dataset *train,
                                 dorm__lambda **lambda);
/* How many λ-functions the setting names. */
size_t dorm__lambda_list_count(const dorm__job *job, dorm__setting setting);
/* Opens all of them. A failure names the setting and the function. `list` is to be closed even then. */
dorm_status dorm__lambda_list_open(const dorm__job *job, dorm__setting setting, const dorm_dataset *train,
                                   dorm__lambda_list *list);
void dorm__lambda_list_close(dorm__lambda_list *list);
/* Appends which function it is, number `index` from 0, to text[size], as in ",lambda=2"; nothing where the setting
 * names one alone. What does not fit is cut. */
void dorm__lambda_list_say(const dorm__job *job, dorm__setting setting, size_t index, size_t size, char *text);

#endif
