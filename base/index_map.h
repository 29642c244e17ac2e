/* index_map.h: a hash table from 64-bit keys to indices. Keys are numbers, or texts by dorm__index_map_key. */
#ifndef DORM_BASE_INDEX_MAP_H
#define DORM_BASE_INDEX_MAP_H

#include "base/base.h"

typedef struct dorm__index_map dorm__index_map;
dorm__index_map *dorm__index_map_new(void); /* NULL when out of memory */
void dorm__index_map_free(dorm__index_map *map);
/* The key of a text, another one in each map. Different texts may have the same key, so the caller compares them. */
uint64_t dorm__index_map_key(const dorm__index_map *map, const char *text, size_t size);
bool dorm__index_map_add(dorm__index_map *map, uint64_t key, size_t index); /* false when out of memory */
/* Finds the entries of `key` in the order in which they were added: *cursor is 0 before the first call. Returns false
 * after the last. */
bool dorm__index_map_find(const dorm__index_map *map, uint64_t key, size_t *cursor, size_t *index);

#endif
