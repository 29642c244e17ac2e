/* trec_names.h: measures as trec_eval names them. */
#ifndef DORM_MEASURES_TREC_NAMES_H
#define DORM_MEASURES_TREC_NAMES_H

#include "base/base.h"

/* "ndcg_cut_10" or "ndcg_cut.10:empty=skip" in dorm's words, "ndcg@10:gain=linear,ties=docid,empty=skip"; a copy of any
 * other text. What the text says itself goes before trec_eval's conventions. NULL when out of memory; caller frees by
 * dorm__free. */
char *dorm__trec_measure_text(const char *text);

#endif
