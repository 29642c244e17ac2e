/*
 * index_map.c: from 64-bit keys to indices; open addressing with linear
 * probing, at most half full. A key may stand more than once, so that a hash
 * of a text can be the key and the caller compares the texts.
 */
#include "base/index_map.h"

struct slot {
  uint64_t key;
  size_t index_plus_one; /* 0: empty */
};

struct dorm__index_map {
  struct slot *slots;
  size_t num_slots; /* a power of two */
  size_t count;
};

static size_t slot_of(const dorm__index_map *map, uint64_t key)
{
  /* Fibonacci hashing spreads keys that are small numbers. */
  return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (map->num_slots - 1);
}

dorm__index_map *dorm__index_map_new(void)
{
  enum { FIRST_SLOTS = 64 };
  dorm__index_map *map = dorm__alloc_zero(1, sizeof *map);
  if (!map)
    return NULL;
  map->num_slots = FIRST_SLOTS;
  map->slots = dorm__alloc_zero(map->num_slots, sizeof *map->slots);
  if (!map->slots) {
    dorm__free(map);
    return NULL;
  }
  return map;
}

void dorm__index_map_free(dorm__index_map *map)
{
  if (map)
    dorm__free(map->slots);
  dorm__free(map);
}

static void insert(dorm__index_map *map, uint64_t key, size_t index_plus_one)
{
  size_t i = slot_of(map, key);
  while (map->slots[i].index_plus_one)
    i = (i + 1) & (map->num_slots - 1);
  map->slots[i] = (struct slot){key, index_plus_one};
}

bool dorm__index_map_add(dorm__index_map *map, uint64_t key, size_t index)
{
  if (2 * (map->count + 1) > map->num_slots) {
    struct slot *old = map->slots;
    size_t num_old = map->num_slots;
    struct slot *larger = dorm__alloc_zero(2 * num_old, sizeof *larger);
    if (!larger)
      return false;
    map->slots = larger;
    map->num_slots = 2 * num_old;
    for (size_t i = 0; i < num_old; i++)
      if (old[i].index_plus_one)
        insert(map, old[i].key, old[i].index_plus_one);
    dorm__free(old);
  }
  insert(map, key, index + 1);
  map->count++;
  return true;
}

bool dorm__index_map_find(const dorm__index_map *map, uint64_t key, size_t *cursor, size_t *index)
{
  for (size_t steps = *cursor;; steps++) {
    const struct slot *slot = &map->slots[(slot_of(map, key) + steps) & (map->num_slots - 1)];
    if (!slot->index_plus_one)
      return false;
    if (slot->key == key) {
      *cursor = steps + 1;
      *index = slot->index_plus_one - 1;
      return true;
    }
  }
}
