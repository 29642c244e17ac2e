/* id_set.h: what id_set.c offers to the other files of this folder. */
#ifndef DORM_DATA_ID_SET_H
#define DORM_DATA_ID_SET_H

#include "base/base.h"

/* A set of feature ids, 0 .. DORM__LARGEST_ID; memory goes with the ids that
 * are in it. Adding returns false when out of memory. */
typedef struct dorm__id_set dorm__id_set;
dorm__id_set *dorm__id_set_new(void);
void dorm__id_set_free(dorm__id_set *set);
size_t dorm__id_set_count(const dorm__id_set *set);
bool dorm__id_set_add(dorm__id_set *set, uint32_t id);
bool dorm__id_set_add_all(dorm__id_set *set, const dorm__id_set *other);
/* Before dorm__id_set_rank, after the last change. */
void dorm__id_set_rank_all(dorm__id_set *set);
uint32_t dorm__id_set_rank(const dorm__id_set *set, uint32_t id); /* of a member: how many are smaller */
void dorm__id_set_list(const dorm__id_set *set, size_t *ids);     /* [count], increasing */

#endif
