/*
 * stream_queries.c: writes LETOR text of queries for the benchmark of streams, for as long as somebody reads it, in
 * constant memory: features are uniform numbers of three decimals, and labels 0 to 2 follow a fixed linear function of
 * them.
 *
 *   stream_queries QUERIES [DOCS [FEATURES]]     (5 documents, 10 features)
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FEATURES = 1000 };

/* splitmix64 (Steele, Lea and Flood 2014). */
static uint64_t draw(uint64_t *state)
{
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static char *put_count(uint64_t count, char *at)
{
  char digits[20];
  size_t size = 0;
  do {
    digits[size++] = (char)('0' + count % 10);
    count /= 10;
  } while (count);
  while (size)
    *at++ = digits[--size];
  return at;
}

/* Writes a line of a query; prefixes are " 1:0." and so on. */
static void put_line(uint64_t query, size_t num_features, char prefixes[][12], uint64_t *state)
{
  static char line[64 + 16 * MOST_FEATURES];
  int sum = 0;
  char *at = line + 1;
  memcpy(at, " qid:", 5);
  at = put_count(query, at + 5);
  for (size_t f = 0; f < num_features; f++) {
    int value = (int)(draw(state) % 1000);
    size_t size = strlen(prefixes[f]);
    sum += (int)(f % 3) * value - value;
    memcpy(at, prefixes[f], size);
    at += size;
    *at++ = (char)('0' + value / 100);
    *at++ = (char)('0' + value / 10 % 10);
    *at++ = (char)('0' + value % 10);
  }
  *at++ = '\n';
  line[0] = sum > 0 ? '2' : sum > -700 ? '1' : '0';
  fwrite(line, 1, (size_t)(at - line), stdout);
}

int main(int argc, char **argv)
{
  static char prefixes[MOST_FEATURES][12];
  uint64_t state = 1, queries = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
  size_t docs = argc > 2 ? strtoul(argv[2], NULL, 10) : 5, features = argc > 3 ? strtoul(argv[3], NULL, 10) : 10;
  if (!queries || argc > 4 || !docs || !features || features > MOST_FEATURES) {
    fprintf(stderr, "usage: stream_queries QUERIES [DOCS [FEATURES]]\n");
    return 2;
  }
  for (size_t f = 0; f < features; f++)
    snprintf(prefixes[f], sizeof prefixes[f], " %zu:0.", f + 1);
  for (uint64_t q = 1; q <= queries && !ferror(stdout); q++)
    for (size_t d = 0; d < docs; d++)
      put_line(q, features, prefixes, &state);
  return fflush(stdout) != 0 || ferror(stdout);
}
