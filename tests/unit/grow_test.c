/*
 * grow_test.c: the growing of trees against an exhaustive search in double precision: every leaf, feature, cut between
 * neighbouring values or set of categories, and side of missing values is tried, and the best is taken, best first.
 * Bins hold equal shares; trees do not depend on the number of threads.
 */
#include "tests/unit/tree_walk.h"

#include "trees/bins.h"

#include <float.h>

enum { MOST_DOCS = 90, MOST_WIDTH = 9, MOST_LEAVES = 12, CATEGORIES = 5 };

typedef struct problem {
  size_t num_docs, width;
  float rows[MOST_DOCS * MOST_WIDTH];
  double gradient[MOST_DOCS], curvature[MOST_DOCS];
  bool is_drawn[MOST_DOCS];
  uint32_t features[MOST_WIDTH];
  uint8_t order[MOST_WIDTH];
  bool is_category[MOST_WIDTH];
  size_t most;                /* bins */
  unsigned known[MOST_WIDTH]; /* categories with a bin of their own, a bit each */
  dorm__tree_growth growth;
} problem;

/* The most frequent categories, as many as have bins of their own. */
static unsigned known_categories(const problem *made, size_t feature)
{
  size_t counts[CATEGORIES] = {0};
  unsigned known = 0;
  for (size_t j = 0; j < made->num_docs; j++)
    if (!isnan(made->rows[j * made->width + feature]))
      counts[(size_t)made->rows[j * made->width + feature]]++;
  for (size_t taken = 0; taken < CATEGORIES && taken + 1 < made->most; taken++) {
    size_t best = CATEGORIES;
    for (size_t c = 0; c < CATEGORIES; c++)
      if (!(known >> c & 1) && (best == CATEGORIES || counts[c] > counts[best]))
        best = c;
    known |= 1U << best;
  }
  return known;
}

/* With few bins all features are categories, since exhaustive cuts are between all values. Of categories, the best of
 * all sets is a beginning of the sorted ones only if each side may be small. */
static void problem_fill(dorm__random *random, problem *made)
{
  bool has_few_bins = dorm__random_below(random, 4) == 0;
  static const float extremes[] = {-FLT_MAX, FLT_MAX};
  bool is_counted = dorm__random_below(random, 2);
  size_t missing = dorm__random_below(random, 3);
  size_t num_features = 0;
  made->num_docs = 5 + dorm__random_below(random, MOST_DOCS - 4);
  made->width = 1 + dorm__random_below(random, MOST_WIDTH);
  made->most = has_few_bins ? 2 + dorm__random_below(random, 3) : 255;
  bool has_categories = has_few_bins || dorm__random_below(random, 2);
  for (size_t f = 0; f < made->width; f++)
    made->is_category[f] = has_few_bins || (has_categories && dorm__random_below(random, 3) == 0);
  for (size_t i = 0; i < made->num_docs * made->width; i++)
    made->rows[i] = dorm__random_below(random, 10) < missing ? NAN
                    : made->is_category[i % made->width]     ? (float)dorm__random_below(random, CATEGORIES)
                    : dorm__random_below(random, 20)         ? (float)dorm__random_normal(random)
                                                             : extremes[dorm__random_below(random, 2)];
  for (size_t j = 0; j < made->num_docs; j++) {
    made->gradient[j] = dorm__random_normal(random);
    made->curvature[j] = is_counted ? 1 : 0.05 + dorm__random_uniform(random); /* words hold 9 digits of the sum */
    made->is_drawn[j] = dorm__random_below(random, 5) > 0;
  }
  bool has_order = dorm__random_below(random, 2);
  for (size_t f = 0; f < made->width; f++)
    made->order[f] = made->is_category[f] ? 0 : (uint8_t)dorm__random_below(random, 4);
  for (size_t f = 0; f < made->width; f++)
    made->known[f] = made->is_category[f] ? known_categories(made, f) : 0;
  for (size_t f = 0; f < made->width; f++)
    if (!f || dorm__random_below(random, 4))
      made->features[num_features++] = (uint32_t)f;
  made->growth = (dorm__tree_growth){.is_drawn = made->is_drawn,
                                     .gradient = made->gradient,
                                     .curvature = made->curvature,
                                     .features = made->features,
                                     .num_features = num_features,
                                     .leaves = 2 + dorm__random_below(random, MOST_LEAVES - 1),
                                     .least_docs = has_categories ? 1 : 1 + dorm__random_below(random, 5),
                                     .penalty = (double)dorm__random_below(random, 2) / 10,
                                     .order = has_order ? made->order : NULL};
}

/* One side of a split, or a leaf. */
typedef struct sums {
  double gradient, curvature;
  size_t count;
} sums;

static double worth(const problem *from, const sums *of)
{
  return of->gradient * of->gradient / (of->curvature + from->growth.penalty);
}

static double step(const problem *from, const sums *of)
{
  return -of->gradient / (of->curvature + from->growth.penalty);
}

typedef struct found {
  double gain;
  size_t leaf, feature;
  float threshold;
  unsigned set; /* of categories on the left, a bit each */
  bool absent_left;
} found;

static bool goes_left(const problem *from, const found *split, size_t doc)
{
  float value = from->rows[doc * from->width + split->feature];
  return isnan(value)                        ? split->absent_left
         : from->is_category[split->feature] ? split->set >> (unsigned)value & 1
                                             : value < split->threshold;
}

/* The gain of a split of the drawn documents of a leaf; 0 if a side is too small. */
static double gain_of(const problem *from, const size_t *leaf_of, const found *split)
{
  size_t feature = split->feature;
  sums side[3] = {{0, 0, 0}};
  bool parts_values = false;
  for (size_t j = 0; j < from->num_docs; j++) {
    if (!from->is_drawn[j] || leaf_of[j] != split->leaf)
      continue;
    parts_values = parts_values || from->rows[j * from->width + feature] < split->threshold;
    size_t which = goes_left(from, split, j);
    for (size_t s = which; s < 3; s += 2 - which) {
      side[s].gradient += from->gradient[j];
      side[s].curvature += from->curvature[j];
      side[s].count++;
    }
  }
  if (side[0].count < from->growth.least_docs || side[1].count < from->growth.least_docs)
    return 0;
  unsigned order = from->growth.order && parts_values ? from->growth.order[feature] : 0;
  double rise = step(from, &side[0]) - step(from, &side[1]); /* from left to right */
  if (((order & DORM__NEVER_FALLS) && rise < 0) || ((order & DORM__NEVER_RISES) && rise > 0))
    return 0;
  return worth(from, &side[0]) + worth(from, &side[1]) - worth(from, &side[2]);
}

static bool has_missing(const problem *from, const size_t *leaf_of, size_t leaf, size_t feature)
{
  for (size_t j = 0; j < from->num_docs; j++)
    if (leaf_of[j] == leaf && from->is_drawn[j] && isnan(from->rows[j * from->width + feature]))
      return true;
  return false;
}

static void try_split(const problem *from, const size_t *leaf_of, found split, found *best)
{
  if (split.absent_left && !has_missing(from, leaf_of, split.leaf, split.feature))
    return;
  split.gain = gain_of(from, leaf_of, &split);
  if (split.gain > best->gain * (1 + 1e-9))
    *best = split;
}

/* Tries every value of every document as the smallest on the right, and every set of known categories. */
static found best_split(const problem *from, const size_t *leaf_of, size_t num_leaves)
{
  found best = {0};
  for (size_t leaf = 0; leaf < num_leaves; leaf++)
    for (size_t k = 0; k < from->growth.num_features; k++)
      for (int absent_left = 0; absent_left < 2; absent_left++) {
        size_t f = from->features[k];
        for (size_t j = 0; !from->is_category[f] && j < from->num_docs; j++)
          if (!isnan(from->rows[j * from->width + f]))
            try_split(from, leaf_of, (found){0, leaf, f, from->rows[j * from->width + f], 0, absent_left}, &best);
        for (unsigned set = 0; from->is_category[f] && set < 1U << CATEGORIES; set++)
          if (!(set & ~from->known[f]))
            try_split(from, leaf_of, (found){0, leaf, f, 0, set, absent_left}, &best);
      }
  return best;
}

/* Splits leaves best first; the documents of a leaf have its number in leaf_of. Returns the number of leaves. */
static size_t grow_exhaustively(const problem *from, size_t *leaf_of, double *total)
{
  size_t num_leaves = 1;
  memset(leaf_of, 0, from->num_docs * sizeof *leaf_of);
  *total = 0;
  while (num_leaves < from->growth.leaves) {
    found best = best_split(from, leaf_of, num_leaves);
    if (!(best.gain > 1e-6))
      break;
    *total += best.gain;
    for (size_t j = 0; j < from->num_docs; j++)
      if (leaf_of[j] == best.leaf && !goes_left(from, &best, j))
        leaf_of[j] = num_leaves;
    num_leaves++;
  }
  return num_leaves;
}

/* Compares the drawn documents' leaves: two documents share one leaf if and only if they share the other. */
static void compare_leaves(const problem *from, const size_t *expected, const uint32_t *leaves)
{
  for (size_t i = 0; i < from->num_docs; i++)
    for (size_t j = 0; j < i; j++)
      if (from->is_drawn[i] && from->is_drawn[j])
        CU_ASSERT_EQUAL(expected[i] == expected[j], leaves[i] == leaves[j]);
}

/* The outputs that trees give by bins are those that they give by values. */
static void compare_outputs(dorm_context *context, const dorm__tree_bins *bins, const problem *made, dorm__tree *tree)
{
  double by_bins[MOST_DOCS] = {0}, by_values[MOST_DOCS] = {0};
  for (size_t n = 0; n < tree->num_nodes; n++)
    tree->values[n] = (double)n;
  dorm__ensemble one = {.width = made->width, .num_outputs = 1, .num_trees = 1, .trees = tree};
  UNIT_OK(context, dorm__tree_bins_add_outputs(context, bins, &one, 0, made->num_docs, 2, by_bins));
  dorm__ensemble_add_outputs(&one, 0, made->num_docs, made->rows, 1, by_values);
  for (size_t j = 0; j < made->num_docs; j++)
    CU_ASSERT_EQUAL(by_bins[j], by_values[j]);
}

UNIT_TEST_DRAWN(context, random, an_exhaustive_search_finds_the_same_splits)
{
  enum { PROBLEMS = 144 };
  static problem made;
  size_t expected[MOST_DOCS];
  const uint32_t *leaves = NULL;
  for (size_t i = 0; i < PROBLEMS; i++) {
    DORM__OWNED(dorm__tree_bins) *bins = NULL;
    dorm__tree_grower *grower = NULL;
    DORM__AT_END(dorm__tree_clear) dorm__tree tree;
    double total, sum = 0;
    problem_fill(random, &made);
    dorm__tree_rows rows = {.num_docs = made.num_docs, .values = made.rows, .is_category = made.is_category};
    UNIT_OK(context, dorm__tree_bins_new(context, made.width, &rows, NULL, made.most, 1, &bins));
    UNIT_OK(context, dorm__tree_grower_new(context, bins, 1, &grower));
    UNIT_OK(context, dorm__tree_grow(context, grower, &made.growth, &tree, &leaves));
    size_t node;
    CU_ASSERT_PTR_NULL(dorm__tree_fault(&tree, made.width, &node));
    size_t num_leaves = grow_exhaustively(&made, expected, &total);
    CU_ASSERT_EQUAL(num_leaves, (tree.num_nodes + 1) / 2);
    compare_leaves(&made, expected, leaves);
    for (size_t n = 0; n < tree.num_nodes; n++)
      sum += tree.gains[n];
    UNIT_CLOSE(sum, total, 1e-5);
    for (size_t j = 0; j < made.num_docs; j++) /* drawn or not */
      CU_ASSERT_EQUAL(leaves[j], unit_walk(&tree, made.rows + j * made.width));
    compare_outputs(context, bins, &made, &tree);
    dorm__tree_grower_free(grower);
  }
}

/* Few values have a bin each; of many, each bin has about its share, and a frequent value one of its own. */
UNIT_TEST_DRAWN(context, random, bins_hold_equal_shares)
{
  enum { DOCS = 20000, WIDTH = 3, FEW = 40 };
  static float rows[DOCS * WIDTH];
  static size_t counts[WIDTH][256];
  DORM__OWNED(dorm__tree_bins) *bins = NULL;
  for (size_t j = 0; j < DOCS; j++) {
    rows[j * WIDTH] = (float)dorm__random_below(random, FEW);
    rows[j * WIDTH + 1] = (float)exp(dorm__random_normal(random));
    rows[j * WIDTH + 2] = dorm__random_below(random, 10) < 7 ? 0 : (float)dorm__random_normal(random);
  }
  UNIT_OK(context, dorm__tree_bins_new(context, WIDTH, &(dorm__tree_rows){.num_docs = DOCS, .values = rows}, NULL, 255,
                                       2, &bins));
  for (size_t i = 0; i < DOCS * WIDTH; i++) {
    size_t f = i % WIDTH, below = 0;
    for (size_t c = bins->cut_start[f]; c < bins->cut_start[f + 1]; c++)
      below += bins->cuts[c] <= rows[i];
    CU_ASSERT_EQUAL(bins->codes[i], below);
    counts[f][below]++;
  }
  CU_ASSERT_EQUAL(dorm__tree_bins_num_cuts(bins, 0), FEW - 1);
  for (size_t f = 1; f < WIDTH; f++) {
    size_t most = 0, second = 0;
    CU_ASSERT(dorm__tree_bins_num_cuts(bins, f) >= 200);
    for (size_t b = 0; b < 256; b++) {
      second = counts[f][b] > most ? most : counts[f][b] > second ? counts[f][b] : second;
      most = counts[f][b] > most ? counts[f][b] : most;
    }
    CU_ASSERT((f == 1 ? most : second) < 2 * DOCS / 200);
  }
}

/* Grows a tree and returns a hash of its nodes and leaves. */
static uint64_t hash_of_next(dorm_context *context, dorm__tree_grower *grower, const dorm__tree_bins *bins,
                             const dorm__tree_growth *growth)
{
  DORM__AT_END(dorm__tree_clear) dorm__tree tree;
  uint64_t hash = 0;
  const uint32_t *leaves = NULL;
  UNIT_OK(context, dorm__tree_grow(context, grower, growth, &tree, &leaves));
  CU_ASSERT_EQUAL(tree.num_nodes, 2 * growth->leaves - 1);
  for (size_t n = 0; n < tree.num_nodes; n++) {
    uint64_t bits;
    memcpy(&bits, &tree.gains[n], sizeof bits);
    hash = (hash ^ bits ^ tree.nodes[n].feature) * UINT64_C(0x9e3779b97f4a7c15) + tree.nodes[n].child;
  }
  for (size_t j = 0; j < bins->num_docs; j++)
    hash = (hash ^ leaves[j]) * UINT64_C(0x9e3779b97f4a7c15);
  return hash;
}

static uint64_t hash_of_tree(dorm_context *context, const dorm__tree_bins *bins, const dorm__tree_growth *growth,
                             size_t num_threads)
{
  dorm__tree_grower *grower = NULL;
  UNIT_OK(context, dorm__tree_grower_new(context, bins, num_threads, &grower));
  uint64_t hash = hash_of_next(context, grower, bins, growth);
  dorm__tree_grower_free(grower);
  return hash;
}

/* Rows that are handed over three at a time. */
typedef struct batches {
  size_t num_docs, width, num_ranks;
  const float *rows;
} batches;

static dorm_status visit_batches(dorm_context *context, void *user, size_t first_feature, size_t num_features,
                                 dorm__take_tree_rows take, void *taker)
{
  const batches *from = user;
  size_t num_columns = from->num_ranks ? 2 * num_features : num_features;
  DORM__FREED float *made = dorm__alloc(3 * num_columns, sizeof *made);
  for (size_t first = 0; made && first < from->num_docs; first += 3) {
    size_t count = from->num_docs - first < 3 ? from->num_docs - first : 3;
    for (size_t i = 0; i < count * num_columns; i++) {
      size_t c = i % num_columns;
      size_t feature = first_feature + (c < num_features ? c : from->num_ranks + c - num_features);
      made[i] = from->rows[(first + i / num_columns) * from->width + feature];
    }
    take(taker, first, count, made);
  }
  return made ? DORM_OK : dorm__out_of_memory(context, "batches");
}

/* Rows of which few values are not 0, and some of these missing. */
static void fill_sparse_rows(dorm__random *random, size_t count, float *rows)
{
  for (size_t i = 0; i < count; i++)
    rows[i] = dorm__random_below(random, 13)  ? 0
              : dorm__random_below(random, 5) ? (float)dorm__random_normal(random)
                                              : NAN;
}

/* Rows in memory and rows that are visited, dense or sparse, all of them or the last half as others, give one tree. */
UNIT_TEST_DRAWN(context, random, sparse_bins_grow_the_tree_of_dense_ones)
{
  enum { DOCS = 900, WIDTH = 40, TRAINED = 500 };
  static float rows[DOCS * WIDTH];
  static double gradient[DOCS], curvature[DOCS];
  static bool is_drawn[DOCS];
  uint32_t features[WIDTH];
  fill_sparse_rows(random, DOCS * WIDTH, rows);
  for (size_t j = 0; j < DOCS; j++) {
    gradient[j] = rows[j * WIDTH] * (rows[j * WIDTH] == rows[j * WIDTH] ? 1 : 0) + dorm__random_normal(random);
    gradient[j] = gradient[j] == gradient[j] ? gradient[j] : 1;
    curvature[j] = dorm__random_uniform(random);
    is_drawn[j] = j < TRAINED && dorm__random_below(random, 4) > 0;
  }
  for (uint32_t f = 0; f < WIDTH; f++)
    features[f] = f + (f > 7) - (f == WIDTH - 1);
  dorm__tree_growth growth = {.is_drawn = is_drawn,
                              .gradient = gradient,
                              .curvature = curvature,
                              .features = features,
                              .num_features = WIDTH - 1,
                              .leaves = 30,
                              .least_docs = 3};
  batches some[2] = {{TRAINED, WIDTH, 0, rows}, {DOCS - TRAINED, WIDTH, 0, rows + TRAINED * WIDTH}};
  dorm__tree_rows in_memory[2], visited[2];
  for (size_t i = 0; i < 2; i++) {
    in_memory[i] = (dorm__tree_rows){.num_docs = some[i].num_docs, .values = some[i].rows};
    visited[i] =
        (dorm__tree_rows){.num_docs = some[i].num_docs, .num_sparse = DOCS, .visit = visit_batches, .user = &some[i]};
  }
  dorm__tree_bins *dense = NULL, *sparse = NULL;
  for (size_t most = 4; most < 300; most *= 4) {
    UNIT_OK(context, dorm__tree_bins_new(context, WIDTH, &in_memory[0], &in_memory[1], most, 1, &dense));
    UNIT_OK(context, dorm__tree_bins_new(context, WIDTH, &visited[0], &visited[1], most, 2, &sparse));
    CU_ASSERT_TRUE(sparse->is_sparse && !dense->is_sparse);
    for (size_t j = 0; j < DOCS; j++)
      for (size_t f = 0; f < WIDTH; f++)
        CU_ASSERT_EQUAL(dorm__tree_bins_code(dense, j, f), dorm__tree_bins_code(sparse, j, f));
    uint64_t hash = hash_of_tree(context, dense, &growth, 1);
    CU_ASSERT_EQUAL(hash_of_tree(context, sparse, &growth, 1), hash);
    CU_ASSERT_EQUAL(hash_of_tree(context, sparse, &growth, 3), hash);
    dorm__tree_bins_free(dense);
    dorm__tree_bins_free(sparse);
  }
}

/* Visits of some features at a time, with their ranks or without, find the bins of rows in memory. */
UNIT_TEST_DRAWN(context, random, visited_rows_have_the_bins_of_rows_in_memory)
{
  enum { DOCS = 3000, WIDTH = 260 };
  static float rows[DOCS * WIDTH];
  for (size_t i = 0; i < DOCS * WIDTH; i++) /* 2,800 values of some features, of which each has another median */
    rows[i] = dorm__random_below(random, 15) ? (float)(dorm__random_bits(random) % 10000) + (float)(i % WIDTH) : NAN;
  for (size_t num_ranks = 0; num_ranks <= WIDTH / 2; num_ranks += WIDTH / 2) {
    batches some = {DOCS, WIDTH, num_ranks, rows};
    dorm__tree_rows in_memory = {.num_docs = DOCS, .num_ranks = num_ranks, .values = rows};
    dorm__tree_rows visited = {.num_docs = DOCS, .num_ranks = num_ranks, .visit = visit_batches, .user = &some};
    DORM__OWNED(dorm__tree_bins) *one = NULL, *other = NULL;
    UNIT_OK(context, dorm__tree_bins_new(context, WIDTH, &in_memory, NULL, 255, 3, &one));
    UNIT_OK(context, dorm__tree_bins_new(context, WIDTH, &visited, NULL, 255, 2, &other));
    CU_ASSERT_FALSE(one->is_sparse || other->is_sparse);
    CU_ASSERT_EQUAL(one->cut_start[WIDTH], (size_t)WIDTH * 254);
    CU_ASSERT_EQUAL(memcmp(one->cut_start, other->cut_start, (WIDTH + 1) * sizeof *one->cut_start), 0);
    CU_ASSERT_EQUAL(memcmp(one->cuts, other->cuts, one->cut_start[WIDTH] * sizeof *one->cuts), 0);
    CU_ASSERT_EQUAL(memcmp(one->codes, other->codes, DOCS * WIDTH), 0);
  }
}

UNIT_TEST_DRAWN(context, random, threads_grow_the_same_tree)
{
  enum { DOCS = 150000, WIDTH = 11 };
  static float rows[DOCS * WIDTH];
  static double gradient[DOCS], curvature[DOCS];
  static bool is_drawn[DOCS];
  uint32_t features[WIDTH];
  DORM__OWNED(dorm__tree_bins) *bins = NULL;
  for (size_t j = 0; j < DOCS; j++) {
    for (size_t f = 0; f < WIDTH; f++)
      rows[j * WIDTH + f] = (float)(dorm__random_bits(random) % 1000);
    gradient[j] = rows[j * WIDTH] * rows[j * WIDTH + 1] / 1e6 + dorm__random_uniform(random);
    curvature[j] = dorm__random_uniform(random);
    is_drawn[j] = dorm__random_below(random, 3) > 0;
  }
  for (uint32_t f = 0; f < WIDTH; f++)
    features[f] = f;
  dorm__tree_growth growth = {.is_drawn = is_drawn,
                              .gradient = gradient,
                              .curvature = curvature,
                              .features = features,
                              .num_features = WIDTH,
                              .leaves = 20,
                              .least_docs = 30};
  UNIT_OK(context, dorm__tree_bins_new(context, WIDTH, &(dorm__tree_rows){.num_docs = DOCS, .values = rows}, NULL, 255,
                                       2, &bins));
  uint64_t one = hash_of_tree(context, bins, &growth, 1);
  for (size_t num_threads = 2; num_threads < 9; num_threads += 3)
    CU_ASSERT_EQUAL(hash_of_tree(context, bins, &growth, num_threads), one);
  /* First many leaves with histograms of one feature, then few with larger ones. The leaves then have enough room, but
   * the threads need more. */
  dorm__tree_grower *grower = NULL;
  dorm__tree_growth narrow = growth;
  narrow.num_features = 1;
  narrow.leaves = 40;
  growth.leaves = 2;
  UNIT_OK(context, dorm__tree_grower_new(context, bins, 3, &grower));
  hash_of_next(context, grower, bins, &narrow);
  CU_ASSERT_EQUAL(hash_of_next(context, grower, bins, &growth), hash_of_tree(context, bins, &growth, 1));
  dorm__tree_grower_free(grower);
}
