/*
 * random.c: xoshiro256** 1.0 (Blackman and Vigna, "Scrambled linear
 * pseudorandom number generators", 2018), seeded by splitmix64.
 */
#include "base/random.h"
#include "base/hash.h"

#include <math.h>
#include <string.h>

void dorm__random_seed(dorm__random *random, uint64_t seed)
{
  for (int i = 0; i < 4; i++) {
    seed += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = seed;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    random->state[i] = z ^ (z >> 31);
  }
}

void dorm__random_seed_for(dorm__random *random, const char *purpose, uint64_t seed)
{
  uint64_t hash = dorm__hash_bytes(DORM__HASH_START, purpose, strlen(purpose));
  dorm__random_seed(random, dorm__hash_bytes(hash, &seed, sizeof seed));
}

static uint64_t rotate_left(uint64_t x, int bits)
{
  return (x << bits) | (x >> (64 - bits));
}

uint64_t dorm__random_bits(dorm__random *random)
{
  uint64_t *s = random->state;
  uint64_t result = rotate_left(s[1] * 5, 7) * 9;
  uint64_t t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotate_left(s[3], 45);
  return result;
}

void dorm__random_skip(dorm__random *random, size_t count)
{
  for (size_t i = 0; i < count; i++)
    dorm__random_bits(random);
}

double dorm__random_uniform(dorm__random *random)
{
  return (double)(dorm__random_bits(random) >> 11) * 0x1.0p-53;
}

double dorm__random_normal(dorm__random *random)
{
  /* Box and Muller. The second value is dropped, so that there is no hidden state. */
  double radius = sqrt(-2 * log(1 - dorm__random_uniform(random)));
  return radius * cos(2 * 3.14159265358979323846 * dorm__random_uniform(random));
}

size_t dorm__random_below(dorm__random *random, size_t bound)
{
  uint64_t limit = UINT64_MAX - UINT64_MAX % bound; /* avoids bias */
  uint64_t bits;
  do
    bits = dorm__random_bits(random);
  while (bits >= limit);
  return (size_t)(bits % bound);
}

void dorm__random_shuffle(dorm__random *random, size_t count, size_t *items)
{
  for (size_t i = count; i > 1; i--) {
    size_t j = dorm__random_below(random, i);
    size_t item = items[i - 1];
    items[i - 1] = items[j];
    items[j] = item;
  }
}

void dorm__random_permutation(dorm__random *random, size_t count, size_t *items)
{
  for (size_t i = 0; i < count; i++)
    items[i] = i;
  dorm__random_shuffle(random, count, items);
}
