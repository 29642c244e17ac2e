/* random.h: random numbers from a generator that the caller seeds and owns. */
#ifndef DORM_BASE_RANDOM_H
#define DORM_BASE_RANDOM_H

#include "base/base.h"

/* xoshiro256** (Blackman and Vigna 2018), seeded by splitmix64. */
typedef struct dorm__random {
  uint64_t state[4];
} dorm__random;
void dorm__random_seed(dorm__random *random, uint64_t seed);
/* Seeds for one purpose, such as "net". Draws for different purposes are unrelated, even with the same seed. Otherwise
 * random initial weights would equal the coefficients of data generated with their seed. */
void dorm__random_seed_for(dorm__random *random, const char *purpose, uint64_t seed);
uint64_t dorm__random_bits(dorm__random *random);
void dorm__random_skip(dorm__random *random, size_t count);    /* like `count` calls of uniform, O(count) */
double dorm__random_uniform(dorm__random *random);             /* [0, 1) */
double dorm__random_normal(dorm__random *random);              /* N(0, 1) */
size_t dorm__random_below(dorm__random *random, size_t bound); /* 0 .. bound - 1, bound > 0 */
void dorm__random_shuffle(dorm__random *random, size_t count, size_t *items);
void dorm__random_permutation(dorm__random *random, size_t count, size_t *items); /* of 0 .. count - 1 */

#endif
