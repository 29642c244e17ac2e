/* hash.c: FNV-1a by bytes, a faster hash of whole arrays by words, and a keyed hash. */
#include "base/hash.h"

#include <string.h>

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

/* Takes a word into the state in one round, or mixes the state by `rounds` rounds with the word 0. */
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

/* Four lanes of multiply and rotate over words of 8 bytes; the rest is taken
 * as a word filled up with zeros. */
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
