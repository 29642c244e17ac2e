/* id_set.c: a set of feature ids as a paged bitmap with ranks. The members have ranks 0, 1, 2 and so on in increasing
 * order. A page is allocated when the first id falls into it, so a large id costs the memory of one page. Adding and
 * ranking take constant time. */
#include "data/reader_parts.h"

enum { PAGE_BITS = 15, WORDS = (1 << PAGE_BITS) / 64, NUM_PAGES = (DORM__LARGEST_ID >> PAGE_BITS) + 1 };

typedef struct page {
  uint64_t words[WORDS];
  uint32_t ranks[WORDS]; /* rank of the first bit of each word, valid once ranked */
} page;

struct dorm__id_set {
  size_t count;
  size_t end; /* all pages have smaller numbers */
  page *pages[NUM_PAGES];
};

dorm__id_set *dorm__id_set_new(void)
{
  return dorm__alloc_zero(1, sizeof(dorm__id_set));
}

void dorm__id_set_free(dorm__id_set *set)
{
  if (!set)
    return;
  for (size_t i = 0; i < set->end; i++)
    dorm__free(set->pages[i]);
  dorm__free(set);
}

size_t dorm__id_set_count(const dorm__id_set *set)
{
  return set->count;
}

/* Returns page i, and allocates it if necessary. NULL when out of memory. */
static page *page_at(dorm__id_set *set, size_t i)
{
  if (!set->pages[i] && (set->pages[i] = dorm__alloc_zero(1, sizeof *set->pages[i])) && i >= set->end)
    set->end = i + 1;
  return set->pages[i];
}

bool dorm__id_set_add(dorm__id_set *set, uint32_t id)
{
  page *own = page_at(set, id >> PAGE_BITS);
  if (!own)
    return false;
  uint32_t bit = id & ((1U << PAGE_BITS) - 1);
  uint64_t mask = UINT64_C(1) << (bit % 64);
  set->count += (own->words[bit / 64] & mask) == 0;
  own->words[bit / 64] |= mask;
  return true;
}

bool dorm__id_set_add_all(dorm__id_set *set, const dorm__id_set *other)
{
  for (size_t i = 0; i < other->end; i++) {
    if (!other->pages[i])
      continue;
    if (!page_at(set, i))
      return false;
    for (size_t k = 0; k < WORDS; k++) {
      uint64_t added = other->pages[i]->words[k] & ~set->pages[i]->words[k];
      set->pages[i]->words[k] |= added;
      set->count += (size_t)__builtin_popcountll(added);
    }
  }
  return true;
}

void dorm__id_set_rank_all(dorm__id_set *set)
{
  uint32_t rank = 0;
  for (size_t i = 0; i < set->end; i++)
    for (size_t k = 0; set->pages[i] && k < WORDS; k++) {
      set->pages[i]->ranks[k] = rank;
      rank += (uint32_t)__builtin_popcountll(set->pages[i]->words[k]);
    }
}

uint32_t dorm__id_set_rank(const dorm__id_set *set, uint32_t id)
{
  const page *own = set->pages[id >> PAGE_BITS];
  uint32_t bit = id & ((1U << PAGE_BITS) - 1);
  uint64_t below = own->words[bit / 64] & ((UINT64_C(1) << (bit % 64)) - 1);
  return own->ranks[bit / 64] + (uint32_t)__builtin_popcountll(below);
}

void dorm__id_set_list(const dorm__id_set *set, size_t *ids)
{
  for (size_t i = 0; i < set->end; i++)
    for (size_t k = 0; set->pages[i] && k < WORDS; k++)
      for (uint64_t word = set->pages[i]->words[k]; word; word &= word - 1)
        *ids++ = (i << PAGE_BITS) + 64 * k + (size_t)__builtin_ctzll(word);
}
