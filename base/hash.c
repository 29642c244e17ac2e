/* hash.c: FNV-1a by bytes, a faster hash of whole arrays by words, a keyed hash, and tables of words. */
#include "base/hash.h"

#include <string.h>
#include <sys/random.h>

uint64_t dorm__hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
  const unsigned char *byte = bytes;
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
  return hash;
}

static uint64_t rotate_left(uint64_t x, int bits)
{
  return (x << bits) | (x >> (64 - bits));
}

/* Mixes a word into the state in one round, or the word 0 in `rounds` rounds. */
static void mix(uint64_t v[4], uint64_t word, int rounds)
{
  v[3] ^= word;
  for (int i = 0; i < rounds; i++) {
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotate_left(v[1], 13) ^ v[0];
    v[3] = rotate_left(v[3], 16) ^ v[2];
    v[0] = rotate_left(v[0], 32) + v[3];
    v[2] += v[1];
    v[1] = rotate_left(v[1], 17) ^ v[2];
    v[3] = rotate_left(v[3], 21) ^ v[0];
    v[2] = rotate_left(v[2], 32);
  }
  v[0] ^= word;
}

uint64_t dorm__hash_keyed(const uint64_t key[2], const void *bytes, size_t size)
{
  uint64_t v[4] = {key[0] ^ UINT64_C(0x736f6d6570736575), key[1] ^ UINT64_C(0x646f72616e646f6d),
                   key[0] ^ UINT64_C(0x6c7967656e657261), key[1] ^ UINT64_C(0x7465646279746573)};
  const unsigned char *s = bytes;
  uint64_t word = 0, last = (uint64_t)size << 56;
  for (; size >= sizeof word; size -= sizeof word, s += sizeof word) {
    memcpy(&word, s, sizeof word);
    mix(v, word, 1);
  }
  for (size_t i = 0; i < size; i++)
    last |= (uint64_t)s[i] << (8 * i);
  mix(v, last, 1);
  v[2] ^= 0xff;
  mix(v, 0, 3);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* Multiplies and rotates in four lanes over words of 8 bytes. The rest is a word padded with zeros. */
uint64_t dorm__hash_words(uint64_t seed, const void *bytes, size_t size)
{
  const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
  uint64_t lanes[4] = {seed, seed + factor, seed ^ factor, ~seed};
  const char *s = bytes;
  uint64_t words[4];
  for (; size >= sizeof words; size -= sizeof words, s += sizeof words) {
    memcpy(words, s, sizeof words);
    for (size_t i = 0; i < 4; i++) {
      lanes[i] = (lanes[i] ^ words[i]) * factor;
      lanes[i] = rotate_left(lanes[i], 29);
    }
  }
  memset(words, 0, sizeof words);
  if (size)
    memcpy(words, s, size);
  uint64_t sum = size;
  for (size_t i = 0; i < 4; i++) {
    sum = (sum ^ lanes[i] ^ words[i]) * factor;
    sum ^= sum >> 31;
  }
  return sum;
}

/* ---- Index map --------------------------------------------------------------------------------- */

/* A map from 64-bit keys to indices, by chaining. The entries are in one array in the order of insertion. The entries
 * of a bucket form a ring, and the bucket knows its last entry. So entries of one key are found in order of insertion,
 * and adding takes constant time even if all have the same key.
 *
 * Buckets and keys of texts come from SipHash-1-3 with a random key for each map. So an attacker cannot choose texts or
 * numbers that collide. */

struct entry {
  uint64_t key;
  size_t index;
  size_t next; /* number of the entry plus one */
};

struct dorm__index_map {
  uint64_t secret[2];
  struct entry *entries;
  size_t count, capacity;
  size_t *last;       /* [num_buckets] number of the last entry plus one, 0: empty */
  size_t num_buckets; /* a power of two */
};

/* Draws the key. Uses addresses and the clock if the system has no random numbers yet. */
static void draw_secret(dorm__index_map *map)
{
  if (getrandom(map->secret, sizeof map->secret, GRND_NONBLOCK) == (ssize_t)sizeof map->secret)
    return;
  const struct {
    const void *map, *stack;
    double seconds;
  } seed = {map, &map, dorm__seconds()};
  map->secret[0] = dorm__hash_words(0, &seed, sizeof seed);
  map->secret[1] = dorm__hash_words(1, &seed, sizeof seed);
}

dorm__index_map *dorm__index_map_new(void)
{
  enum { FIRST_BUCKETS = 64 };
  dorm__index_map *map = dorm__alloc_zero(1, sizeof *map);
  if (!map)
    return NULL;
  map->num_buckets = FIRST_BUCKETS;
  map->last = dorm__alloc_zero(map->num_buckets, sizeof *map->last);
  if (!map->last) {
    dorm__free(map);
    return NULL;
  }
  draw_secret(map);
  return map;
}

void dorm__index_map_free(dorm__index_map *map)
{
  if (!map)
    return;
  dorm__free(map->entries);
  dorm__free(map->last);
  dorm__free(map);
}

uint64_t dorm__index_map_key(const dorm__index_map *map, const char *text, size_t size)
{
  return dorm__hash_keyed(map->secret, text, size);
}

static size_t *bucket_of(const dorm__index_map *map, uint64_t key)
{
  return &map->last[dorm__hash_keyed(map->secret, &key, sizeof key) & (map->num_buckets - 1)];
}

/* Appends entry `at` to its bucket. */
static void link_entry(dorm__index_map *map, size_t at)
{
  size_t *last = bucket_of(map, map->entries[at].key);
  map->entries[at].next = *last ? map->entries[*last - 1].next : at + 1;
  if (*last)
    map->entries[*last - 1].next = at + 1;
  *last = at + 1;
}

bool dorm__index_map_add(dorm__index_map *map, uint64_t key, size_t index)
{
  if (!DORM__GROW(map->entries, map->capacity, map->count + 1))
    return false;
  if (map->count == map->num_buckets) {
    size_t *more = dorm__alloc_zero(2 * map->num_buckets, sizeof *more);
    if (!more)
      return false;
    dorm__free(map->last);
    map->last = more;
    map->num_buckets *= 2;
    for (size_t i = 0; i < map->count; i++)
      link_entry(map, i);
  }
  map->entries[map->count] = (struct entry){.key = key, .index = index};
  link_entry(map, map->count++);
  return true;
}

bool dorm__index_map_find(const dorm__index_map *map, uint64_t key, size_t *cursor, size_t *index)
{
  size_t last = *bucket_of(map, key);
  for (size_t at = *cursor; at != last;) {
    at = map->entries[(at ? at : last) - 1].next;
    if (map->entries[at - 1].key == key) {
      *cursor = at;
      *index = map->entries[at - 1].index;
      return true;
    }
  }
  return false;
}

/* ---- Id table ---------------------------------------------------------------------------------- */

void dorm__id_table_clear(dorm__id_table *table)
{
  dorm__free(table->texts);
  dorm__free(table->offsets);
  dorm__free(table->scopes);
  dorm__index_map_free(table->map);
  *table = (dorm__id_table){0};
}

const char *dorm__id_table_text(const dorm__id_table *table, size_t id)
{
  return table->texts + table->offsets[id];
}

static uint64_t key_in(const dorm__id_table *table, size_t scope, const char *word, size_t size)
{
  return dorm__index_map_key(table->map, word, size) * 31 + scope;
}

uint32_t dorm__id_table_find_in(const dorm__id_table *table, size_t scope, const char *word, size_t size)
{
  size_t cursor = 0, id;
  if (!table->map)
    return DORM__NO_ID;
  while (dorm__index_map_find(table->map, key_in(table, scope, word, size), &cursor, &id)) {
    const char *text = dorm__id_table_text(table, id);
    if (table->scopes[id] == scope && strncmp(text, word, size) == 0 && !text[size])
      return (uint32_t)id;
  }
  return DORM__NO_ID;
}

bool dorm__id_table_keep(dorm__id_table *table, const char *text, size_t size, size_t *offset)
{
  if (!DORM__GROW(table->texts, table->texts_capacity, table->texts_size + size + 1))
    return false;
  memcpy(table->texts + table->texts_size, text, size);
  table->texts[table->texts_size + size] = '\0';
  *offset = table->texts_size;
  table->texts_size += size + 1;
  return true;
}

uint32_t dorm__id_table_add_in(dorm__id_table *table, size_t scope, const char *word, size_t size)
{
  uint32_t found = dorm__id_table_find_in(table, scope, word, size);
  size_t offset;
  if (found != DORM__NO_ID)
    return found;
  if (table->count + 1 >= DORM__NO_ID || (!table->map && !(table->map = dorm__index_map_new())) ||
      !DORM__GROW(table->offsets, table->offsets_capacity, table->count + 1) ||
      !DORM__GROW(table->scopes, table->scopes_capacity, table->count + 1) ||
      !dorm__id_table_keep(table, word, size, &offset) ||
      !dorm__index_map_add(table->map, key_in(table, scope, word, size), table->count))
    return DORM__NO_ID;
  table->offsets[table->count] = offset;
  table->scopes[table->count] = scope;
  return (uint32_t)table->count++;
}

uint32_t dorm__id_table_find(const dorm__id_table *table, const char *word, size_t size)
{
  return dorm__id_table_find_in(table, 0, word, size);
}

uint32_t dorm__id_table_add(dorm__id_table *table, const char *word, size_t size)
{
  return dorm__id_table_add_in(table, 0, word, size);
}

bool dorm__id_table_copy(const dorm__id_table *table, dorm__id_table *copy)
{
  *copy = (dorm__id_table){0};
  for (size_t i = 0; i < table->count; i++) {
    const char *text = dorm__id_table_text(table, i);
    if (dorm__id_table_add_in(copy, table->scopes[i], text, strlen(text)) == DORM__NO_ID) {
      dorm__id_table_clear(copy);
      return false;
    }
  }
  return true;
}
