/*
 * index_map.c: from 64-bit keys to indices, by chaining. The entries lie in one array, in the order in which they were
 * added; those of a bucket form a ring, whose last entry the bucket knows, so that entries of one key are found in that
 * order, and adding takes constant time even if all have one key. Buckets and keys of texts come from SipHash-1-3 with
 * the map's own random key: nobody can choose texts or numbers that fall into one bucket.
 */
#include "base/index_map.h"
#include "base/hash.h"

#include <sys/random.h>

struct entry {
  uint64_t key;
  size_t index;
  size_t next; /* entry number plus one */
};

struct dorm__index_map {
  uint64_t secret[2];
  struct entry *entries;
  size_t count, capacity;
  size_t *last;       /* [num_buckets] number plus one of the last entry; 0: empty */
  size_t num_buckets; /* a power of two */
};

/* Draws the key. If the system has no random numbers yet, addresses and the clock have to do. */
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

/* Puts entry number `at` behind the others of its bucket. */
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
  if (!dorm__grow((void **)&map->entries, &map->capacity, map->count + 1, sizeof *map->entries))
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
