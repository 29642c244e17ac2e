/* id_set.h: sets of feature ids, numbered in increasing order. */
#ifndef DORM_DATA_ID_SET_H
#define DORM_DATA_ID_SET_H

#include "base/base.h"

/* A set of feature ids from 0 to DORM__LARGEST_ID. Its memory grows with the ids that are in it. Adding returns false
 * when out of memory. */
typedef struct dorm__id_set dorm__id_set;
dorm__id_set *dorm__id_set_new(void);
void dorm__id_set_free(dorm__id_set *set);
size_t dorm__id_set_count(const dorm__id_set *set);
bool dorm__id_set_add(dorm__id_set *set, uint32_t id);
bool dorm__id_set_add_all(dorm__id_set *set, const dorm__id_set *other);
/* Must be called after the last change and before dorm__id_set_rank. */
void dorm__id_set_rank_all(dorm__id_set *set);
uint32_t dorm__id_set_rank(const dorm__id_set *set, uint32_t id); /* how many members are smaller than this one */
void dorm__id_set_list(const dorm__id_set *set, size_t *ids);     /* [count], increasing */

#endif
