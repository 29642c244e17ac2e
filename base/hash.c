/* hash.c: FNV-1a by bytes, and a faster hash of whole arrays by words. */
#include "base/hash.h"

#include <string.h>

uint64_t dorm__hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
  const unsigned char *byte = bytes;
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
  return hash;
}

uint64_t dorm__hash_text(const char *text, size_t size)
{
  return dorm__hash_bytes(DORM__HASH_START, text, size);
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
      lanes[i] = (lanes[i] << 29) | (lanes[i] >> 35);
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
