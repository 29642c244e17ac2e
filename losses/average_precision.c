/*
 * average_precision.c: SVM-MAP (Yue, Finley, Radlinski and Joachims 2007). An output is a ranking. With m relevant
 * documents i and k others j,
 *
 *   Delta = 1 - average precision      Phi = 1/(m k) sum over (i, j) of +-(x_i - x_j),
 *
 * with + if i is above j. In a worst ranking the relevant documents and the others are each sorted by score. Take the
 * j-th of the others (from 1), and move it from below all relevant documents to above the relevant documents p + 1 ..
 * m. Its gain does not depend on the places of the rest of the others (ibid., section 4.2):
 *
 *   D(j, p) = sum_{i = p+1}^m  1/m i / ((i + j - 1)(i + j)) - 2 (g_i - g_j) / (m k)
 *
 * The first part telescopes to (1/m) (j (H(m+j) - H(p+j)) - (j-1) (H(m+j-1) - H(p+j-1))) with the harmonic numbers H.
 * The second needs sums of the g_i. So each D takes O(1). Each term falls with j, hence the best p rises with j. To
 * find the p of the middle j first halves the search. The cost is O(l log l), while the greedy method of the article
 * uses all m k pairs.
 */
#include "losses/gains.h"
#include "losses/pairs.h"

#include <string.h>

static const dorm_loss_parameter parameters[] = {
    DORM__ROW_THRESHOLD("1"),
};

typedef struct map_search {
  dorm__sorted_halves halves;
  const double *scores;
  double *harmonic;   /* [num_docs + 1] H(n) */
  double *score_sums; /* [num_relevant + 1] sums over the best-scored relevant documents */
  size_t *num_ahead;  /* [num_others] relevant documents above each */
  double *num_others; /* [num_relevant + 1] others above each relevant document and below the one before it */
} map_search;

static int create(const dorm_host *host, const dorm_loss_value *values, void **state)
{
  return dorm__loss_rules_create(host, sizeof parameters / sizeof *parameters, parameters, values, state);
}

static bool search_init(const dorm_loss_query *query, double threshold, const double *scores, dorm__region *memory,
                        map_search *search)
{
  size_t num_docs = query->num_docs;
  *search = (map_search){.scores = scores};
  if (!dorm__sorted_halves_make(query, threshold, scores, memory, &search->halves))
    return false;
  search->harmonic = dorm__region_take(memory, num_docs + 1, sizeof *search->harmonic);
  search->score_sums = dorm__region_take(memory, num_docs + 1, sizeof *search->score_sums);
  search->num_ahead = dorm__region_take(memory, num_docs, sizeof *search->num_ahead);
  search->num_others = dorm__region_take_zero(memory, num_docs + 1, sizeof *search->num_others);
  if (memory->is_short)
    return false;
  search->harmonic[0] = 0;
  for (size_t n = 1; n <= num_docs; n++)
    search->harmonic[n] = search->harmonic[n - 1] + 1 / (double)n;
  search->score_sums[0] = 0;
  for (size_t i = 0; i < search->halves.num_relevant; i++)
    search->score_sums[i + 1] = search->score_sums[i] + scores[search->halves.relevant[i]];
  return true;
}

/* D(other + 1, place) of the top comment. */
static double gain_of(const map_search *search, size_t other, size_t place)
{
  size_t m = search->halves.num_relevant;
  double j = (double)other + 1;
  double count = (double)(m - place);
  const double *H = search->harmonic;
  double precision = j * (H[m + other + 1] - H[place + other + 1]) - (j - 1) * (H[m + other] - H[place + other]);
  double lead =
      search->score_sums[m] - search->score_sums[place] - count * search->scores[search->halves.others[other]];
  return (precision - 2 * lead / (double)search->halves.num_others) / (double)m;
}

/* Finds the best places of the others first .. end - 1, which lie in lowest .. highest. */
static void find_places(map_search *search, size_t first, size_t end, size_t lowest, size_t highest)
{
  while (first < end) {
    size_t middle = first + (end - first) / 2;
    size_t best = highest;
    double largest = gain_of(search, middle, highest);
    for (size_t place = highest; place-- > lowest;) {
      double gain = gain_of(search, middle, place);
      if (gain > largest) {
        largest = gain;
        best = place;
      }
    }
    search->num_ahead[middle] = best;
    find_places(search, first, middle, lowest, best);
    first = middle + 1;
    lowest = best;
  }
}

/* Computes Delta and coefficients of the ranking found. */
static double describe(map_search *search, double *coefficients)
{
  size_t m = search->halves.num_relevant;
  double share = 2 / ((double)m * (double)search->halves.num_others);
  for (size_t j = 0; j < search->halves.num_others; j++) {
    search->num_others[search->num_ahead[j]]++;
    coefficients[search->halves.others[j]] = share * (double)(m - search->num_ahead[j]);
  }
  double ahead = 0;
  double loss = 0; /* sum over the relevant documents of 1 - precision at their positions */
  for (size_t i = 0; i < m; i++) {
    ahead += search->num_others[i];
    coefficients[search->halves.relevant[i]] = -share * ahead;
    loss += ahead / (ahead + (double)i + 1);
  }
  return loss / (double)m;
}

static int find_worst(const dorm_host *host, const void *state, const dorm_loss_query *query, const double *scores,
                      double *coefficients, double *delta)
{
  const dorm__loss_rules *map = state;
  DORM__AT_END(dorm__region_clear) dorm__region memory = {0};
  map_search search;
  bool has_room = search_init(query, map->threshold, scores, &memory, &search);
  memset(coefficients, 0, query->num_docs * sizeof *coefficients);
  *delta = 0;
  if (has_room && search.halves.num_relevant && search.halves.num_others) {
    find_places(&search, 0, search.halves.num_others, 0, search.halves.num_relevant);
    *delta = describe(&search, coefficients);
  }
  return has_room ? 0 : host->fail(host, "out of memory");
}

const dorm_loss_module dorm__loss_map =
    DORM__LOSS("map", "1 - average precision", parameters, create, dorm__free, .find_worst = find_worst);
