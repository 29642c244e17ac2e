/* hash.h: the checksums of files, and a keyed hash for tables of what strangers write. */
#ifndef DORM_BASE_HASH_H
#define DORM_BASE_HASH_H

#include "base/base.h"

#define DORM__HASH_START UINT64_C(0xcbf29ce484222325)
/* FNV-1a (Fowler, Noll and Vo) of `size` bytes that follow those whose hash is `hash`, DORM__HASH_START for none. The
 * checksum of models and checkpoints: the same whatever pieces the bytes come in. */
uint64_t dorm__hash_bytes(uint64_t hash, const void *bytes, size_t size);
/* SipHash-1-3 (Aumasson and Bernstein, 2012). Without the key nobody can find inputs of equal hashes, as they can for
 * the two others. */
uint64_t dorm__hash_keyed(const uint64_t key[2], const void *bytes, size_t size);
/* The checksum of large arrays, for the cache of a data set: FNV-1a takes a byte at a time, 0.8 GB/s where this one
 * makes 6 GB/s, and would be most of the time in which a cache is read. Each array is hashed by one call; `seed` is the
 * hash of the one before. */
uint64_t dorm__hash_words(uint64_t seed, const void *bytes, size_t size);

/* ---- Index map --------------------------------------------------------------------------------- */

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
