/* hash.h: checksums of files, a keyed hash for tables of untrusted input, and tables of words. */
#ifndef DORM_BASE_HASH_H
#define DORM_BASE_HASH_H

#include "base/base.h"

#define DORM__HASH_START UINT64_C(0xcbf29ce484222325)
/* FNV-1a (Fowler, Noll and Vo), the checksum of models and checkpoints. Continues the hash of earlier bytes, or
 * DORM__HASH_START, by `size` bytes. The result does not depend on the pieces in which the bytes come. */
uint64_t dorm__hash_bytes(uint64_t hash, const void *bytes, size_t size);
/* SipHash-1-3 (Aumasson and Bernstein, 2012). Without the key it is infeasible to find collisions, unlike for the two
 * others. */
uint64_t dorm__hash_keyed(const uint64_t key[2], const void *bytes, size_t size);
/* The checksum of large arrays in the cache of a data set. It makes 6 GB/s. FNV-1a takes a byte at a time (0.8 GB/s)
 * and would dominate the time to read a cache. One call hashes one array, with the hash of the previous array as
 * `seed`. */
uint64_t dorm__hash_words(uint64_t seed, const void *bytes, size_t size);

/* ---- Index map --------------------------------------------------------------------------------- */

typedef struct dorm__index_map dorm__index_map;
dorm__index_map *dorm__index_map_new(void); /* NULL when out of memory */
void dorm__index_map_free(dorm__index_map *map);
/* Hashes a text with the key of this map. Different texts may have the same hash, so the caller compares them. */
uint64_t dorm__index_map_key(const dorm__index_map *map, const char *text, size_t size);
bool dorm__index_map_add(dorm__index_map *map, uint64_t key, size_t index); /* false when out of memory */
/* Finds the entries of `key` in order of insertion. *cursor is 0 before the first call. Returns false after the
 * last. */
bool dorm__index_map_find(const dorm__index_map *map, uint64_t key, size_t *cursor, size_t *index);

/* ---- Id table ---------------------------------------------------------------------------------- */

/* Words with their numbers, from 0 in the order in which they were added. The same word in two scopes, such as a
 * document in two queries, has two numbers. */
typedef struct dorm__id_table {
  size_t count;
  char *texts;     /* the words one after the other, each ended by '\0' */
  size_t *offsets; /* [count], beginning of each word in `texts` */
  size_t *scopes;  /* [count] */
  dorm__index_map *map;
  size_t texts_size, texts_capacity, offsets_capacity, scopes_capacity;
} dorm__id_table;

enum { DORM__NO_ID = UINT32_MAX };

void dorm__id_table_clear(dorm__id_table *table);
/* Returns the number of the word word[size] of scope 0, or DORM__NO_ID if it is not in the table. */
uint32_t dorm__id_table_find(const dorm__id_table *table, const char *word, size_t size);
/* Returns the number of a word, and adds the word if it is not in the table. DORM__NO_ID when out of memory. */
uint32_t dorm__id_table_add(dorm__id_table *table, const char *word, size_t size);
uint32_t dorm__id_table_find_in(const dorm__id_table *table, size_t scope, const char *word, size_t size);
uint32_t dorm__id_table_add_in(dorm__id_table *table, size_t scope, const char *word, size_t size);
const char *dorm__id_table_text(const dorm__id_table *table, size_t id);
bool dorm__id_table_copy(const dorm__id_table *table, dorm__id_table *copy);
/* Appends a text to `texts` without a number. *offset is set to its place. Returns false when out of memory. */
bool dorm__id_table_keep(dorm__id_table *table, const char *text, size_t size, size_t *offset);

#endif
