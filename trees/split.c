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
#include <string.h>

enum { MOST_CODES = 256, MOST_VECTORS = MOST_CODES / DORM__LANES };

/* The cuts of one feature. For each: the sums of the documents on its left. */
typedef struct cuts {
  size_t count;
  uint64_t left[MOST_CODES]; /* as words */
  union {
    double number[MOST_CODES];
    dorm__lanes lanes[MOST_VECTORS];
  } a, x; /* gradients and curvatures of the same sums, without penalty */
} cuts;

/* The state of a search in one leaf. */
typedef struct searching {
  dorm_context *context;
  const dorm__split_search *search;
  double gradient, curvature; /* of the leaf */
  double penalty;
  double least;         /* a side with less curvature than this may be too small */
  double least_certain; /* a side with less than this is certainly too small */
  double best;          /* worth of the best split so far */
  size_t place;         /* place of that split's feature among the chosen features */
  size_t num_left;      /* bins on the left of that split */
  bool absent_right;    /* the side of missing values in that split */
  size_t counted;       /* feature for which counts is filled, or SIZE_MAX */
  uint64_t counts[MOST_CODES];
} searching;

/* Computes the sums on the left of all cuts. Each includes `first`, the word of the missing values if they go left. */
static DORM__WIDE_VECTORS void sum_cuts(size_t num_cuts, const uint64_t *histogram, uint64_t first, cuts *made)
{
  uint64_t sum = first;
  made->count = num_cuts;
  for (size_t b = 0; b < num_cuts; b++) {
    sum += histogram[b];
    made->left[b] = sum;
  }
  for (size_t b = 0; b < num_cuts; b++) {
    made->a.number[b] = dorm__word_gradient(made->left[b]);
    made->x.number[b] = dorm__word_curvature(made->left[b]);
  }
  for (size_t b = num_cuts; b % DORM__LANES; b++) /* fills the last vector: never better than the best */
    made->a.number[b] = made->x.number[b] = 0;
}

/* Returns whether any of the cuts may be better than the best split so far. */
static DORM__WIDE_VECTORS bool screen(const searching *state, const cuts *made)
{
  const dorm__lanes best = DORM__LANES_OF(state->best), penalty = DORM__LANES_OF(state->penalty);
  const dorm__lanes gradient = DORM__LANES_OF(state->gradient);
  const dorm__lanes curvature = DORM__LANES_OF(state->curvature + state->penalty);
  dorm__lane_masks found = {0};
  for (size_t i = 0; i < (made->count + DORM__LANES - 1) / DORM__LANES; i++) {
    dorm__lanes a = made->a.lanes[i], b = gradient - a;
    dorm__lanes x = made->x.lanes[i], y = curvature - x;
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

static bool has_enough_docs(searching *state, size_t feature, size_t bin, bool absent_right, double x)
{
  double other = state->curvature - x;
  if (x <= 0 || other <= 0 || x < state->least_certain || other < state->least_certain)
    return false;
  if (x > state->least && other > state->least)
    return true;
  count_docs(state, feature);
  uint64_t left = absent_right ? 0 : state->counts[dorm__tree_bins_missing(state->search->shape->bins, feature)];
  for (size_t b = 0; b <= bin; b++)
    left += state->counts[b];
  return left >= state->search->least_docs && state->search->all_docs - left >= state->search->least_docs;
}

/* Returns whether the steps of the two sides, -a / x on the left and -b / y on the right, are in a forbidden order. */
static bool breaks_order(const searching *state, size_t feature, double a, double x, double b, double y)
{
  unsigned order = state->search->order ? state->search->order[feature] : 0;
  return ((order & DORM__NEVER_FALLS) && a * y < b * x) || ((order & DORM__NEVER_RISES) && a * y > b * x);
}

static void try_cuts(searching *state, size_t place, bool absent_right, const cuts *made, dorm__tree_split *best)
{
  size_t feature = state->search->shape->features[place];
  size_t num_cuts = dorm__tree_bins_num_cuts(state->search->shape->bins, feature);
  if (!screen(state, made))
    return;
  for (size_t i = 0; i < made->count; i++) {
    double a = made->a.number[i], b = state->gradient - a;
    double x = made->x.number[i] + state->penalty, y = state->curvature - made->x.number[i] + state->penalty;
    if (!(a * a * y + b * b * x > state->best * x * y))
      continue;
    if (i < num_cuts && breaks_order(state, feature, a, x, b, y))
      continue;
    double worth = a * a / x + b * b / y;
    if (!(worth > state->best) || !has_enough_docs(state, feature, i, absent_right, made->x.number[i]))
      continue;
    state->best = worth;
    state->place = place;
    state->num_left = i + 1;
    state->absent_right = absent_right;
    best->gain = worth;
    best->left = made->left[i];
  }
}

static void search_feature(searching *state, size_t place, dorm__tree_split *best)
{
  const dorm__histogram_shape *shape = state->search->shape;
  const uint64_t *histogram = state->search->histogram + shape->start[place];
  size_t feature = shape->features[place];
  uint64_t missing = histogram[dorm__tree_bins_missing(shape->bins, feature)];
  size_t num_cuts = dorm__tree_bins_num_cuts(shape->bins, feature);
  cuts made;
  if (shape->bins->is_sparse && shape->bins->num_others[feature] < state->search->least_docs)
    return; /* each cut has a side without the usual code, which is too small */
  sum_cuts(num_cuts + (missing != 0), histogram, 0,
           &made); /* if values are missing, a last cut separates all others from them */
  try_cuts(state, place, true, &made, best);
  if (!missing)
    return;
  sum_cuts(num_cuts, histogram, missing, &made);
  try_cuts(state, place, false, &made, best);
}

/* Fills threshold and sides. If no document of the leaf lacks the value, missing values go to the side with more
 * curvature. A split of the missing values from all others has them on the left, since no value is below -FLT_MAX. */
static void fill_sides(const searching *state, dorm__tree_split *best)
{
  const dorm__histogram_shape *shape = state->search->shape;
  const dorm__tree_bins *bins = shape->bins;
  best->feature = shape->features[state->place];
  size_t num_cuts = dorm__tree_bins_num_cuts(bins, best->feature), missing = num_cuts + 1;
  bool absent_right = state->absent_right;
  if (!state->search->histogram[shape->start[state->place] + missing])
    absent_right = dorm__word_curvature(best->left) < state->curvature / 2;
  memset(best->sides, 1, sizeof best->sides);
  if (state->num_left > num_cuts) {
    best->threshold = -FLT_MAX;
    best->left = state->search->sum - best->left;
    best->sides[missing] = 0;
    return;
  }
  best->threshold = bins->cuts[bins->cut_start[best->feature] + state->num_left - 1];
  memset(best->sides, 0, state->num_left);
  best->sides[missing] = absent_right;
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
