/* index_map.h: a hash table from 64-bit keys to indices. */
#ifndef DORM_BASE_INDEX_MAP_H
#define DORM_BASE_INDEX_MAP_H

#include "base/base.h"
#include "base/hash.h"

typedef struct dorm__index_map dorm__index_map;
dorm__index_map *dorm__index_map_new(void); /* NULL when out of memory */
void dorm__index_map_free(dorm__index_map *map);
bool dorm__index_map_add(dorm__index_map *map, uint64_t key, size_t index); /* false when out of memory */
/* Finds the entries of `key` one after the other: *cursor is 0 before the first call. Returns false after the last. */
bool dorm__index_map_find(const dorm__index_map *map, uint64_t key, size_t *cursor, size_t *index);

#endif
