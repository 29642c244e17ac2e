/*
 * split.c: the best split of a leaf. Let a and b be the sums of gradients of the left and the right side, and x and y
 * their sums of curvatures, each plus the penalty. The worth of a split is a^2 / x + b^2 / y. A split is better than
 * the best one so far if
 *
 *   a^2 y + b^2 x > best x y
 *
 * This test needs no division. Most features have no split that passes it, so the worth itself is computed for few.
 *
 * Gradients and curvatures are whole numbers from words (histogram.h). A worth computed from them is in units of
 * curvature_scale / gradient_scale^2.
 */
#include "base/lanes.h"
#include "base/processes.h"
#include "trees/histogram.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CODES = 256, MOST_VECTORS = MOST_CODES / DORM__LANES };

/* The bins of one feature, in the order in which they are divided, without the bin of missing values. */
typedef struct ordered_bins {
  size_t feature, place;
  size_t count;
  const uint64_t *words; /* [count] sums of the documents of the leaf */
  const uint8_t *codes;  /* [count] */
} ordered_bins;

typedef uint64_t lane_words __attribute__((vector_size(DORM__LANES * sizeof(uint64_t))));

/* The cuts of one feature. For each: the word of the documents on its left. */
typedef struct cuts {
  size_t count;
  union {
    uint64_t word[MOST_CODES];
    lane_words lanes[MOST_VECTORS];
  } left;
} cuts;

/* The state of a search in one leaf. */
typedef struct searching {
  dorm_context *context;
  const dorm__split_search *search;
  double gradient, curvature; /* of the leaf */
  double penalty;
  double least;                /* a side with less curvature than this may be too small */
  double least_certain;        /* a side with less than this is certainly too small */
  double best;                 /* worth of the best split so far */
  size_t place;                /* place of that split's feature among the chosen features */
  size_t num_bins, num_left;   /* ordered bins of that split, and those on the left */
  uint8_t codes[MOST_CODES];   /* [num_bins] */
  bool absent_right;           /* the side of missing values in that split */
  uint8_t in_turn[MOST_CODES]; /* 0, 1, 2 ... */
  size_t counted;              /* feature for which counts is filled, or SIZE_MAX */
  uint64_t counts[MOST_CODES];
} searching;

/* Converts gradients and curvatures of words to numbers, exactly: the bits of 2^52 plus a whole number below 2^32 are
 * the bits of 2^52 with this number in the last places. */
static inline __attribute__((always_inline)) void convert(const lane_words *words, dorm__lanes *gradient,
                                                          dorm__lanes *curvature)
{
  const lane_words exponent = DORM__LANES_OF(0x4330000000000000), sign = DORM__LANES_OF(0x80000000);
  const lane_words low = DORM__LANES_OF(0xffffffff);
  *gradient = (dorm__lanes)(((*words >> 32) ^ sign) | exponent) - (0x1p52 + 0x1p31);
  *curvature = (dorm__lanes)((*words & low) | exponent) - 0x1p52;
}

/* Computes the sums on the left of all cuts. Each includes `first`, the word of the missing values if they go left.
 * Returns whether any of the cuts may be better than the best split so far. */
static DORM__WIDE_VECTORS bool sum_cuts(const searching *state, size_t num_cuts, const uint64_t *histogram,
                                        uint64_t first, cuts *made)
{
  const dorm__lanes best = DORM__LANES_OF(state->best), penalty = DORM__LANES_OF(state->penalty);
  const dorm__lanes gradient = DORM__LANES_OF(state->gradient);
  const dorm__lanes curvature = DORM__LANES_OF(state->curvature + state->penalty);
  dorm__lane_masks found = {0};
  uint64_t sum = first;
  made->count = num_cuts;
  for (size_t b = 0; b < num_cuts; b++) {
    sum += histogram[b];
    made->left.word[b] = sum;
  }
  for (size_t b = num_cuts; b % DORM__LANES; b++) /* fills the last vector: never better than the best */
    made->left.word[b] = 0;
  for (size_t i = 0; i < (num_cuts + DORM__LANES - 1) / DORM__LANES; i++) {
    dorm__lanes a, x;
    convert(&made->left.lanes[i], &a, &x);
    dorm__lanes b = gradient - a, y = curvature - x;
    x += penalty;
    found |= a * a * y + b * b * x > best * x * y;
  }
  for (size_t lane = 1; lane < DORM__LANES; lane++)
    found[0] |= found[lane];
  return found[0] != 0;
}

/* Counts the drawn documents of the leaf in each bin of a feature. All processes count the same features. If they
 * fail, their next call fails as well. */
static void count_docs(searching *state, size_t feature)
{
  const dorm__split_search *search = state->search;
  const dorm__tree_bins *bins = search->shape->bins;
  if (state->counted == feature)
    return;
  memset(state->counts, 0, sizeof state->counts);
  for (size_t i = 0; i < search->count; i++)
    state->counts[dorm__tree_bins_code(bins, search->docs[i], feature)]++;
  dorm__processes_totals(state->context, MOST_CODES, state->counts);
  state->counted = feature;
}

static bool has_enough_docs(searching *state, const ordered_bins *bins, size_t last, bool absent_right, double x)
{
  double other = state->curvature - x;
  if (x <= 0 || other <= 0 || x < state->least_certain || other < state->least_certain)
    return false;
  if (x > state->least && other > state->least)
    return true;
  count_docs(state, bins->feature);
  uint64_t left = absent_right ? 0 : state->counts[dorm__tree_bins_missing(state->search->shape->bins, bins->feature)];
  for (size_t b = 0; b <= last; b++)
    left += state->counts[bins->codes[b]];
  return left >= state->search->least_docs && state->search->all_docs - left >= state->search->least_docs;
}

/* Returns whether the steps of the two sides, -a / x on the left and -b / y on the right, are in a forbidden order. */
static bool breaks_order(const searching *state, size_t feature, double a, double x, double b, double y)
{
  unsigned order = state->search->order ? state->search->order[feature] : 0;
  return ((order & DORM__NEVER_FALLS) && a * y < b * x) || ((order & DORM__NEVER_RISES) && a * y > b * x);
}

static void try_cuts(searching *state, const ordered_bins *bins, bool absent_right, const cuts *made,
                     dorm__tree_split *best)
{
  for (size_t i = 0; i < made->count; i++) {
    double a = dorm__word_gradient(made->left.word[i]), b = state->gradient - a;
    double bare = dorm__word_curvature(made->left.word[i]);
    double x = bare + state->penalty, y = state->curvature - bare + state->penalty;
    if (!(a * a * y + b * b * x > state->best * x * y))
      continue;
    if (i + 1 < bins->count && breaks_order(state, bins->feature, a, x, b, y))
      continue;
    double worth = a * a / x + b * b / y;
    if (!(worth > state->best) || !has_enough_docs(state, bins, i, absent_right, bare))
      continue;
    state->best = worth;
    state->place = bins->place;
    state->num_bins = bins->count;
    state->num_left = i + 1;
    memcpy(state->codes, bins->codes, bins->count);
    state->absent_right = absent_right;
    best->gain = worth;
    best->left = made->left.word[i];
  }
}

/* Tries the cuts between ordered bins. `missing` is the word of the missing values. If there are any, a last cut
 * separates all others from them. */
static void search_bins(searching *state, const ordered_bins *bins, uint64_t missing, dorm__tree_split *best)
{
  cuts made;
  if (sum_cuts(state, bins->count - 1 + (missing != 0), bins->words, 0, &made))
    try_cuts(state, bins, true, &made, best);
  if (missing && sum_cuts(state, bins->count - 1, bins->words, missing, &made))
    try_cuts(state, bins, false, &made, best);
}

typedef struct category {
  double ratio; /* gradient over curvature */
  uint8_t code;
} category;

static int by_ratio(const void *left, const void *right)
{
  const category *x = left, *y = right;
  return x->ratio != y->ratio ? (x->ratio > y->ratio) - (x->ratio < y->ratio)
                              : (x->code > y->code) - (x->code < y->code);
}

/* Fills words and codes with the categories of the leaf, sorted by gradient over curvature. Values of bin 0 come last,
 * since they are in no set. Returns the number of bins. */
static size_t sort_categories(size_t num_cuts, const uint64_t *histogram, bool falls, uint64_t *words, uint8_t *codes)
{
  category found[MOST_CODES];
  size_t count = 0;
  for (size_t code = 1; code <= num_cuts; code++)
    if (histogram[code]) {
      double gradient = dorm__word_gradient(histogram[code]), curvature = dorm__word_curvature(histogram[code]);
      found[count++] = (category){curvature > 0 ? gradient / curvature : copysign(INFINITY, gradient), (uint8_t)code};
    }
  qsort(found, count, sizeof *found, by_ratio);
  for (size_t i = 0; i < count; i++) {
    codes[i] = found[falls ? count - 1 - i : i].code;
    words[i] = histogram[codes[i]];
  }
  codes[count] = 0;
  words[count] = histogram[0];
  return count + (histogram[0] != 0);
}

static void search_feature(searching *state, size_t place, dorm__tree_split *best)
{
  const dorm__histogram_shape *shape = state->search->shape;
  const uint64_t *histogram = state->search->histogram + shape->start[place];
  size_t feature = shape->features[place], num_cuts = dorm__tree_bins_num_cuts(shape->bins, feature);
  ordered_bins bins = {feature, place, num_cuts + 1, histogram, state->in_turn};
  if (shape->bins->is_sparse && shape->bins->num_others[feature] < state->search->least_docs)
    return; /* each cut has a side without the usual code, which is too small */
  if (!shape->bins->is_category[feature]) {
    search_bins(state, &bins, histogram[num_cuts + 1], best);
    return;
  }
  uint64_t words[MOST_CODES];
  uint8_t codes[MOST_CODES];
  bins.words = words;
  bins.codes = codes;
  for (int falls = 0; falls <= (histogram[0] != 0); falls++) { /* the other order divides bin 0 from other categories */
    bins.count = sort_categories(num_cuts, histogram, falls, words, codes);
    if (bins.count)
      search_bins(state, &bins, histogram[num_cuts + 1], best);
  }
}

/* Fills threshold and sides. If no document of the leaf lacks the value, missing values go to the side with more
 * curvature. So do categories that no document has: they are not in the set, which is on the side with less curvature
 * unless values of bin 0 are on the other side. A split of the missing values from all others has them on the left,
 * since no value is below -FLT_MAX. */
static void fill_sides(const searching *state, dorm__tree_split *best)
{
  const dorm__histogram_shape *shape = state->search->shape;
  const dorm__tree_bins *bins = shape->bins;
  best->feature = shape->features[state->place];
  size_t num_cuts = dorm__tree_bins_num_cuts(bins, best->feature), missing = num_cuts + 1;
  const uint64_t *histogram = state->search->histogram + shape->start[state->place];
  bool is_light = dorm__word_curvature(best->left) < state->curvature / 2;
  bool is_alone = state->num_left == state->num_bins; /* all values are on the left */
  best->is_set = bins->is_category[best->feature] && !is_alone;
  bool swaps = is_alone || (best->is_set && !is_light && !histogram[0]);
  memset(best->sides, 1, sizeof best->sides);
  for (size_t b = 0; b < state->num_bins; b++)
    best->sides[state->codes[b]] = (b >= state->num_left) != swaps;
  best->sides[missing] = state->absent_right != swaps;
  if (!histogram[missing])
    best->sides[missing] = is_light != swaps;
  if (swaps)
    best->left = state->search->sum - best->left;
  best->threshold = is_alone       ? -FLT_MAX
                    : best->is_set ? DORM__IN_SET
                                   : bins->cuts[bins->cut_start[best->feature] + state->num_left - 1];
}

void dorm__tree_split_find(dorm_context *context, const dorm__split_search *search, dorm__tree_split *best)
{
  static const double least_gain = 1e-7; /* relative: a smaller gain may be rounding */
  const dorm__tree_words *words = search->words;
  double largest = words->largest_curvature;
  double least_docs = (double)search->least_docs;
  searching state = {.context = context,
                     .search = search,
                     .gradient = dorm__word_gradient(search->sum),
                     .curvature = dorm__word_curvature(search->sum),
                     .penalty = search->penalty * words->curvature_scale,
                     .least = (least_docs - 0.5) * largest,
                     .least_certain = words->is_constant ? (least_docs - 0.5) * largest : 0,
                     .counted = SIZE_MAX};
  double before = state.gradient * state.gradient / (state.curvature + state.penalty);
  *best = (dorm__tree_split){0};
  for (size_t code = 0; code < MOST_CODES; code++)
    state.in_turn[code] = (uint8_t)code;
  if (search->all_docs < 2 * search->least_docs || !(state.curvature > 0))
    return;
  state.best = before * (1 + least_gain);
  for (size_t k = 0; k < search->shape->num_features; k++)
    search_feature(&state, k, best);
  if (!(best->gain > 0))
    return;
  fill_sides(&state, best);
  best->gain = (best->gain - before) * words->curvature_scale / words->gradient_scale / words->gradient_scale;
}
