/* subtopic_tables.h: the tables of the measures of subtopics for one query. */
#ifndef DORM_LAMBDAS_SUBTOPIC_TABLES_H
#define DORM_LAMBDAS_SUBTOPIC_TABLES_H

#include "lambdas/measure_tables.h"

/* Each is a fill_subtopics of dorm__measure_tables. */
void dorm__fill_alpha_ndcg(const dorm__measure_rules *rules, const double *judgements, double *scratch, double *a,
                           dorm__target_query *made);
void dorm__fill_err_ia(const dorm__measure_rules *rules, const double *judgements, double *scratch, double *a,
                       dorm__target_query *made);
void dorm__fill_subtopic_recall(const dorm__measure_rules *rules, const double *judgements, double *scratch, double *a,
                                dorm__target_query *made);

#endif
