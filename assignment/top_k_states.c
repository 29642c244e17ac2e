/*
 * top_k_states.c: the states of top_k.c, which depend on the numbers of levels
 * and positions alone, and the cache that shares them between plans.
 *
 * A state says how many documents of each of K levels stand at the first s
 * positions, s <= k; layers of equal s follow each other, C(k + K, K) states in
 * all.
 */
#include "assignment/top_k_states.h"
#include "assignment/assignment.h"
#include "assignment/runs/levels.h"
#include "assignment/top_k.h"

#include <string.h>

struct dorm__oracle_cache {
  dorm__top_k_states **states; /* [num_states], by levels and positions as below */
  size_t *levels, *positions;
  size_t num_states, states_capacity, levels_capacity, positions_capacity;
};

/* ---- States ---------------------------------------------------------------- */

/* C(k + K, K) as far as it is allowed, 0 beyond. */
static size_t count_states(size_t num_levels, size_t num_positions)
{
  size_t count = 1;
  for (size_t i = 1; i <= num_levels; i++) {
    if (count > DORM__MOST_TOP_K_STATES)
      return 0;
    count = count * (num_positions + i) / i; /* a binomial coefficient at every step */
  }
  return count <= DORM__MOST_TOP_K_STATES ? count : 0;
}

size_t dorm__top_k_num_states(size_t num_levels, size_t num_positions)
{
  bool is_possible = num_levels >= 1 && num_positions >= 1 && num_positions <= DORM__MOST_TOP_K &&
                     num_levels * num_positions <= DORM__MOST_TOP_K_CANDIDATES;
  return is_possible ? count_states(num_levels, num_positions) : 0;
}

/* The next composition of the same sum in colexicographic order; false at the
 * last. */
static bool next_composition(size_t num_levels, uint8_t *counts)
{
  size_t q = 0;
  while (q < num_levels && counts[q] == 0)
    q++;
  if (q + 1 >= num_levels)
    return false;
  uint8_t moved = counts[q];
  counts[q] = 0;
  counts[0] = (uint8_t)(moved - 1);
  counts[q + 1]++;
  return true;
}

/* The state of layer s with these counts, by bisection in the same order. */
static size_t find_state(const dorm__top_k_states *states, size_t layer, const uint8_t *counts)
{
  size_t levels = states->num_levels;
  size_t low = states->layer_start[layer], high = states->layer_start[layer + 1];
  while (high - low > 1) {
    size_t middle = (low + high) / 2, q = levels;
    const uint8_t *other = states->taken + middle * levels;
    while (q > 0 && other[q - 1] == counts[q - 1])
      q--;
    if (q == 0 || other[q - 1] < counts[q - 1])
      low = middle;
    else
      high = middle;
  }
  return low;
}

static void fill_states(dorm__top_k_states *states)
{
  size_t levels = states->num_levels, at = 0;
  for (size_t layer = 0; layer <= states->num_positions; layer++) {
    uint8_t counts[DORM__MOST_LEVELS] = {0};
    counts[0] = (uint8_t)layer;
    states->layer_start[layer] = at;
    do {
      memcpy(states->taken + at++ * levels, counts, levels);
    } while (next_composition(levels, counts));
  }
  states->layer_start[states->num_positions + 1] = at;
  for (size_t layer = 0; layer <= states->num_positions; layer++)
    for (size_t i = states->layer_start[layer]; i < states->layer_start[layer + 1]; i++)
      for (size_t q = 0; q < levels; q++) {
        uint8_t counts[DORM__MOST_LEVELS];
        memcpy(counts, states->taken + i * levels, levels);
        bool is_there = counts[q]-- > 0;
        states->previous[i * levels + q] = (uint16_t)(is_there ? find_state(states, layer - 1, counts) : states->count);
      }
}

void dorm__top_k_states_free(dorm__top_k_states *states)
{
  if (!states)
    return;
  dorm__free(states->layer_start);
  dorm__free(states->previous);
  dorm__free(states->taken);
  dorm__free(states);
}

dorm_status dorm__top_k_states_new(dorm_context *context, size_t num_levels, size_t num_positions,
                                   dorm__top_k_states **states)
{
  *states = NULL;
  dorm__top_k_states *made = dorm__alloc_zero(1, sizeof *made);
  if (made) {
    made->num_levels = num_levels;
    made->num_positions = num_positions;
    made->count = count_states(num_levels, num_positions);
    made->layer_start = dorm__alloc(num_positions + 2, sizeof *made->layer_start);
    made->previous = dorm__alloc(made->count * num_levels, sizeof *made->previous);
    made->taken = dorm__alloc(made->count * num_levels, sizeof *made->taken);
  }
  if (!made || !made->layer_start || !made->previous || !made->taken) {
    dorm__top_k_states_free(made);
    return dorm__out_of_memory(context, "the states of an oracle");
  }
  fill_states(made);
  *states = made;
  return DORM_OK;
}

/* ---- Caches ---------------------------------------------------------------- */

dorm_status dorm__oracle_cache_new(dorm_context *context, dorm__oracle_cache **cache)
{
  *cache = dorm__alloc_zero(1, sizeof **cache);
  return *cache ? DORM_OK : dorm__out_of_memory(context, "the cache of an oracle");
}

void dorm__oracle_cache_free(dorm__oracle_cache *cache)
{
  if (!cache)
    return;
  for (size_t i = 0; i < cache->num_states; i++)
    dorm__top_k_states_free(cache->states[i]);
  dorm__free(cache->states);
  dorm__free(cache->levels);
  dorm__free(cache->positions);
  dorm__free(cache);
}

static dorm_status find_or_make(dorm_context *context, dorm__oracle_cache *cache, size_t levels, size_t positions,
                                const dorm__top_k_states **states)
{
  size_t count = cache->num_states;
  for (size_t i = 0; i < count; i++)
    if (cache->levels[i] == levels && cache->positions[i] == positions) {
      *states = cache->states[i];
      return DORM_OK;
    }
  if (!dorm__grow((void **)&cache->states, &cache->states_capacity, count + 1, sizeof(*cache->states)) ||
      !dorm__grow((void **)&cache->levels, &cache->levels_capacity, count + 1, sizeof(*cache->levels)) ||
      !dorm__grow((void **)&cache->positions, &cache->positions_capacity, count + 1, sizeof(*cache->positions)))
    return dorm__out_of_memory(context, "the cache of an oracle");
  dorm_status status = dorm__top_k_states_new(context, levels, positions, &cache->states[count]);
  if (status != DORM_OK)
    return status;
  cache->levels[count] = levels;
  cache->positions[count] = positions;
  *states = cache->states[cache->num_states++];
  return DORM_OK;
}

dorm_status dorm__top_k_states_cached(dorm_context *context, dorm__oracle_cache *cache, size_t levels, size_t positions,
                                      const dorm__top_k_states **states)
{
  dorm_status status = DORM_OK;
#pragma omp critical(dorm_oracle_cache)
  status = find_or_make(context, cache, levels, positions, states);
  return status;
}
