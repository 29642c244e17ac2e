/*
 * top_k.c: the best ranking where a is constant from position k on, by dynamic
 * programming over how many documents of each level the first k positions hold.
 *
 * Behind k documents stand by score, and within a level by score everywhere, so
 * the first k hold the first n_q documents of each level q, sum_q n_q = k:
 *
 *   V(n) = max_q V(n - 1_q) + c[s] g(n_q-th of level q) - (a[s] - a[k]) b_q,
 *
 * s + 1 = sum_q n_q. There are C(k + K, K) states for K levels; which states
 * precede which depends on (K, k) alone and is tabulated once. The value of a
 * final state is V plus what the documents left over earn in the order of their
 * scores. With the documents taken out (candidates: the first k of each level,
 * at ranks r_1 < .. < r_k), a document left at rank u of all stands at position
 * k + u - m, m the number of documents taken out above it. The sums
 *
 *   before[e][m] = sum over ranks u < rank of candidate e of c[k + u - m] g_u
 *
 * for all m and all candidates e give the tail in O(k) additions:
 * O(k num_docs + K C(k + K, K) + k C(k + K - 1, k)) altogether, no arrays of
 * k num_docs.
 */
#include "assignment/top_k.h"
#include "assignment/call.h"
#include "assignment/runs/levels.h"

#include <math.h>
#include <string.h>

typedef struct top_k_work {
  const dorm__oracle_call *call;
  const dorm__levels *levels;
  const dorm__top_k_states *states;
  const dorm__ranked *ranked;
  const dorm__top_k_scratch *scratch;
  size_t num_levels, num_positions;
  size_t num_candidates;
  size_t rank_end; /* behind the last candidate */
} top_k_work;

/* The n-th document of level q, n from 1: candidate number candidate_at(..). */
static uint16_t *candidate_at(const top_k_work *work, size_t q, size_t n)
{
  return &work->scratch->candidate_of[q * work->num_positions + n - 1];
}

/* The first k documents of each level, in the order of the ranked list. */
static void collect_candidates(top_k_work *work)
{
  uint32_t seen[DORM__MOST_LEVELS] = {0};
  size_t missing = 0;
  for (size_t q = 0; q < work->num_levels; q++)
    missing += work->levels->size[q] < work->num_positions ? work->levels->size[q] : work->num_positions;
  size_t rank = 0;
  for (; missing > 0; rank++) {
    size_t q = work->levels->level_of[work->ranked->docs[rank]];
    if (seen[q] == work->num_positions)
      continue;
    seen[q]++;
    missing--;
    *candidate_at(work, q, seen[q]) = (uint16_t)work->num_candidates;
    work->scratch->candidate_rank[work->num_candidates++] = (uint32_t)rank;
  }
  work->rank_end = rank;
}

/* before[e][i] and behind[e][i], i = k - m: the tail's sum up to candidate e,
 * without and with it. Positions from num_docs on are never asked for. */
static void sum_tails(const top_k_work *work)
{
  size_t num_docs = work->call->num_docs, width = work->num_positions + 1, candidate = 0;
  const double *c = work->call->c, *scores = work->ranked->scores;
  double sums[DORM__MOST_TOP_K + 1] = {0};
  for (size_t u = 0; u < work->rank_end; u++) {
    bool is_candidate = work->scratch->candidate_rank[candidate] == u;
    double score = scores[u] - work->ranked->offset;
    size_t there = u + width <= num_docs ? width : num_docs - u;
    if (is_candidate)
      memcpy(work->scratch->before + candidate * width, sums, width * sizeof *sums);
    for (size_t i = 0; i < there; i++)
      sums[i] += c[u + i] * score;
    if (is_candidate)
      memcpy(work->scratch->behind + candidate++ * width, sums, width * sizeof *sums);
  }
}

/* What the document that makes n_q of level q is worth at position s, for all
 * n_q <= s + 1; [level][n_q], -INFINITY where there is none. */
static void fill_gains(const top_k_work *work, size_t s)
{
  const dorm__oracle_call *call = work->call;
  double fall = call->a[s] - call->a[work->num_positions];
  for (size_t q = 0; q < work->num_levels; q++) {
    double *gains = work->scratch->gains + q * (work->num_positions + 1);
    double shift = fall * call->t * work->levels->gain[q];
    gains[0] = -INFINITY;
    for (size_t n = 1; n <= s + 1; n++)
      gains[n] = n <= work->levels->size[q]
                     ? call->c[s] * (work->ranked->scores[work->scratch->candidate_rank[*candidate_at(work, q, n)]] -
                                     work->ranked->offset) -
                           shift
                     : -INFINITY;
  }
}

/* The best way into state i, whose documents fill positions 0 .. s. */
static inline double best_way(const top_k_work *work, size_t i, size_t *level)
{
  size_t levels = work->num_levels, width = work->num_positions + 1;
  const uint16_t *previous = work->states->previous + i * levels;
  const uint8_t *taken = work->states->taken + i * levels;
  double best = -INFINITY;
  *level = levels;
  for (size_t q = 0; q < levels; q++) {
    double value = work->scratch->values[previous[q]] + work->scratch->gains[q * width + taken[q]];
    *level = value > best ? q : *level;
    best = value > best ? value : best;
  }
  return best;
}

static void fill_values(const top_k_work *work)
{
  const dorm__top_k_states *states = work->states;
  work->scratch->values[0] = 0;
  work->scratch->values[states->count] = -INFINITY;
  for (size_t s = 0; s < work->num_positions; s++) {
    fill_gains(work, s);
    for (size_t i = states->layer_start[s + 1]; i < states->layer_start[s + 2]; i++) {
      size_t level;
      work->scratch->values[i] = best_way(work, i, &level);
    }
  }
}

/* Bits of the candidates that a final state takes. */
typedef struct candidate_set {
  uint64_t words[DORM__MOST_TOP_K_CANDIDATES / 64];
} candidate_set;

static candidate_set taken_by(const top_k_work *work, size_t state)
{
  const uint8_t *taken = work->states->taken + state * work->num_levels;
  candidate_set set = {{0}};
  for (size_t q = 0; q < work->num_levels; q++)
    for (size_t n = 1; n <= taken[q]; n++) {
      size_t candidate = *candidate_at(work, q, n);
      set.words[candidate / 64] |= (uint64_t)1 << candidate % 64;
    }
  return set;
}

/* What the documents left over up to the last candidate earn; behind it all
 * states agree. */
static double tail_value(const top_k_work *work, size_t state)
{
  candidate_set set = taken_by(work, state);
  size_t width = work->num_positions + 1, left = work->num_positions;
  double sum = 0, start = 0;
  for (size_t word = 0; word * 64 < work->num_candidates; word++)
    for (uint64_t bits = set.words[word]; bits; bits &= bits - 1) {
      size_t candidate = word * 64 + (size_t)__builtin_ctzll(bits);
      sum += work->scratch->before[candidate * width + left] - start;
      start = work->scratch->behind[candidate * width + --left];
    }
  return sum + work->scratch->behind[(work->num_candidates - 1) * width] - start;
}

/* Reads the first k positions of the best way into a final state backwards. */
static void write_order(const top_k_work *work, size_t state, uint32_t *order)
{
  candidate_set set = taken_by(work, state);
  for (size_t s = work->num_positions; s-- > 0;) {
    size_t level;
    fill_gains(work, s);
    best_way(work, state, &level);
    size_t n = work->states->taken[state * work->num_levels + level];
    order[s] = work->ranked->docs[work->scratch->candidate_rank[*candidate_at(work, level, n)]];
    state = work->states->previous[state * work->num_levels + level];
  }
  size_t p = work->num_positions, candidate = 0;
  for (size_t u = 0; u < work->call->num_docs; u++) {
    if (candidate < work->num_candidates && work->scratch->candidate_rank[candidate] == u) {
      size_t here = candidate++;
      if (set.words[here / 64] >> here % 64 & 1)
        continue;
    }
    order[p++] = work->ranked->docs[u];
  }
}

void dorm__top_k_solve(const dorm__oracle_call *call, const dorm__levels *levels, const dorm__top_k_states *states,
                       const dorm__ranked *ranked, const dorm__top_k_scratch *scratch, uint32_t *order)
{
  top_k_work work = {.call = call,
                     .levels = levels,
                     .states = states,
                     .ranked = ranked,
                     .scratch = scratch,
                     .num_levels = states->num_levels,
                     .num_positions = states->num_positions};
  collect_candidates(&work);
  sum_tails(&work);
  fill_values(&work);
  size_t best_state = 0;
  double best = -INFINITY;
  for (size_t i = states->layer_start[work.num_positions]; i < states->count; i++) {
    if (scratch->values[i] == -INFINITY)
      continue;
    double value = scratch->values[i] + tail_value(&work, i);
    best_state = value > best ? i : best_state;
    best = value > best ? value : best;
  }
  write_order(&work, best_state, order);
}
