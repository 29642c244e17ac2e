/*
 * grow.c: grows one tree best-first: it always splits the leaf whose best split gains most, until there are enough
 * leaves or no split gains. The drawn documents of a leaf are neighbours in a list of all documents, and so are its
 * other documents. A split moves the documents that go left to the front, and both sides keep their order. The
 * histogram of the smaller child is filled. Subtracted from the parent's histogram, it gives the histogram of the other
 * child. A split also moves documents that were not drawn for the tree, so that the leaf of every document is known at
 * the end. With several processes, the histogram of each smaller child and the number of documents that go left are
 * summed over them, so all choose the same splits.
 */
#include "base/processes.h"
#include "trees/histogram.h"

#include <math.h>
#include <string.h>

enum { MOST_HISTOGRAM_BYTES = 1 << 28, AHEAD = 24, PART = 1 << 14 };

/* A part of the list of documents: docs[first .. first + count - 1]. */
typedef struct run {
  size_t first, count;
} run;

typedef struct leaf {
  uint32_t node;
  run drawn, others;   /* documents of this process */
  uint64_t all_drawn;  /* documents of all processes */
  uint64_t sum;        /* sum of the words of the drawn documents of all processes */
  uint64_t *histogram; /* NULL if not kept */
  dorm__tree_split best;
} leaf;

/* A node, in the order in which nodes are made. The children of a split are neighbours. */
typedef struct grown_node {
  dorm__tree_split split;
  uint32_t child; /* 0 for a leaf */
} grown_node;

struct dorm__tree_grower {
  dorm_context *context; /* whose processes grow the tree together */
  const dorm__tree_bins *bins;
  size_t num_threads;
  dorm__tree_words words;
  uint32_t *docs;  /* [num_docs] the list of documents: all drawn ones, then the others */
  uint32_t *moved; /* [num_docs] scratch, and at the end of a tree the leaf of each document */
  size_t *lefts;   /* [num_docs / PART + 1] numbers of documents that go left, for each part */
  /* of one tree: */
  dorm__histogram_shape shape;
  uint64_t *pool; /* [pool_capacity] histograms, one after the other */
  size_t pool_capacity, scratch_capacity;
  uint64_t **spare; /* [num_spare] histograms that are not used */
  size_t num_spare, spare_capacity;
  leaf *leaves;
  size_t num_leaves, leaf_capacity;
  grown_node *nodes;
  size_t num_nodes, node_capacity;
};

void dorm__tree_grower_free(dorm__tree_grower *grower)
{
  if (!grower)
    return;
  dorm__free(grower->words.words);
  dorm__free(grower->docs);
  dorm__free(grower->moved);
  dorm__free(grower->lefts);
  dorm__free(grower->pool);
  dorm__free(grower->spare);
  dorm__free(grower->leaves);
  dorm__free(grower->nodes);
  dorm__free(grower->shape.start);
  dorm__free(grower->shape.place);
  dorm__free(grower->shape.scratch);
  dorm__free(grower);
}

dorm_status dorm__tree_grower_new(dorm_context *context, const dorm__tree_bins *bins, size_t num_threads,
                                  dorm__tree_grower **grower)
{
  dorm__tree_grower *made = dorm__alloc_zero(1, sizeof *made);
  size_t num_docs = bins->num_docs;
  *grower = NULL;
  if (made)
    *made = (dorm__tree_grower){.context = context,
                                .bins = bins,
                                .num_threads = num_threads,
                                .words.words = dorm__alloc(num_docs, sizeof(uint64_t)),
                                .docs = dorm__alloc(num_docs, sizeof(uint32_t)),
                                .moved = dorm__alloc(num_docs, sizeof(uint32_t)),
                                .lefts = dorm__alloc(num_docs / PART + 1, sizeof(size_t)),
                                .shape = {.bins = bins,
                                          .start = dorm__alloc(bins->width + 1, sizeof(size_t)),
                                          .place = dorm__alloc(bins->width, sizeof(size_t)),
                                          .num_threads = num_threads}};
  if (!made || !made->words.words || !made->docs || !made->moved || !made->lefts || !made->shape.start ||
      !made->shape.place) {
    dorm__tree_grower_free(made);
    return dorm__out_of_memory(context, "trees");
  }
  *grower = made;
  return DORM_OK;
}

/* ---- Room -------------------------------------------------------------------------------------------- */

/* Makes room for `size` words, whose present values are lost. */
static bool reserve(uint64_t **words, size_t *capacity, size_t size)
{
  if (size <= *capacity)
    return true;
  dorm__free(*words);
  *words = dorm__alloc(size, sizeof **words);
  *capacity = *words ? size : 0;
  return *words;
}

/* Makes room for a tree. Leaves keep their histograms if the pool has room for all of them. */
static bool make_room(dorm__tree_grower *grower, const dorm__tree_growth *growth)
{
  size_t size = dorm__histogram_size(&grower->shape);
  size_t most = MOST_HISTOGRAM_BYTES / sizeof(uint64_t) / (size + 1);
  size_t wanted = growth->leaves + 1 < most ? growth->leaves + 1 : most;
  wanted = wanted < 2 ? 2 : wanted;
  grower->num_leaves = grower->num_nodes = grower->num_spare = 0;
  if (!DORM__GROW(grower->leaves, grower->leaf_capacity, growth->leaves) ||
      !DORM__GROW(grower->nodes, grower->node_capacity, 2 * growth->leaves) ||
      !DORM__GROW(grower->spare, grower->spare_capacity, wanted) ||
      !reserve(&grower->pool, &grower->pool_capacity, wanted * size) ||
      !reserve(&grower->shape.scratch, &grower->scratch_capacity, (grower->num_threads - 1) * size))
    return false;
  while (grower->num_spare < wanted) {
    grower->spare[grower->num_spare] = grower->pool + grower->num_spare * size;
    grower->num_spare++;
  }
  return true;
}

static void give_back(dorm__tree_grower *grower, leaf *of)
{
  if (of->histogram)
    grower->spare[grower->num_spare++] = of->histogram;
  of->histogram = NULL;
}

/* ---- Splitting documents ------------------------------------------------------------------------------- */

/* Moves the documents docs[count] that go left to the front. Both parts keep their order. Returns the number that go
 * left. */
static size_t part_docs(const dorm__tree_grower *grower, size_t feature, const uint8_t sides[256], size_t count,
                        uint32_t *docs, uint32_t *moved)
{
  const dorm__tree_bins *bins = grower->bins;
  size_t left = 0;
  for (size_t i = 0; i < count; i++) {
    uint32_t doc = docs[i];
    size_t goes_right = sides[dorm__tree_bins_code(bins, doc, feature)];
    if (i + AHEAD < count && !bins->is_sparse)
      __builtin_prefetch(bins->codes + (size_t)docs[i + AHEAD] * bins->width + feature);
    docs[left] = doc;
    moved[i - left] = doc;
    left += 1 - goes_right;
  }
  memcpy(docs + left, moved, (count - left) * sizeof *docs);
  return left;
}

/* Does the same with several threads. They split parts of PART documents each. The calling thread then joins the left
 * sides of all parts, and the right ones. */
static size_t part_docs_together(const dorm__tree_grower *grower, size_t feature, const uint8_t sides[256],
                                 const run *docs)
{
  uint32_t *list = grower->docs + docs->first;
  uint32_t *moved = grower->moved + docs->first;
  size_t num_parts = (docs->count + PART - 1) / PART;
  size_t left = 0, right = 0;
#pragma omp parallel for schedule(dynamic) num_threads((int)grower->num_threads)
  for (size_t p = 0; p < num_parts; p++) {
    size_t first = p * PART;
    size_t count = docs->count - first < PART ? docs->count - first : PART;
    grower->lefts[p] = part_docs(grower, feature, sides, count, list + first, moved + first);
  }
  for (size_t p = 0; p < num_parts; p++) {
    size_t first = p * PART;
    size_t count = docs->count - first < PART ? docs->count - first : PART;
    memcpy(moved + right, list + first + grower->lefts[p], (count - grower->lefts[p]) * sizeof *moved);
    memmove(list + left, list + first, grower->lefts[p] * sizeof *list);
    left += grower->lefts[p];
    right += count - grower->lefts[p];
  }
  memcpy(list + left, moved, right * sizeof *list);
  return left;
}

/* Splits the documents `from` into those that go left and those that go right. */
static void split_run(const dorm__tree_grower *grower, const dorm__tree_split *split, const run *from, run *left,
                      run *right)
{
  size_t count = grower->num_threads > 1 && from->count > 4 * PART
                     ? part_docs_together(grower, split->feature, split->sides, from)
                     : part_docs(grower, split->feature, split->sides, from->count, grower->docs + from->first,
                                 grower->moved + from->first);
  *left = (run){from->first, count};
  *right = (run){from->first + count, from->count - count};
}

/* ---- Splitting leaves ----------------------------------------------------------------------------------- */

static void find_split(const dorm__tree_grower *grower, const dorm__tree_growth *growth, leaf *of,
                       const uint64_t *histogram)
{
  dorm__split_search search = {.shape = &grower->shape,
                               .words = &grower->words,
                               .histogram = histogram,
                               .sum = of->sum,
                               .all_docs = of->all_drawn,
                               .count = of->drawn.count,
                               .docs = grower->docs + of->drawn.first,
                               .least_docs = growth->least_docs,
                               .penalty = growth->penalty,
                               .order = growth->order};
  dorm__tree_split_find(grower->context, &search, &of->best);
}

/* Returns whether a leaf has too few documents for a split, so that it needs no histogram. */
static bool is_final(const dorm__tree_growth *growth, const leaf *of)
{
  return of->all_drawn < 2 * growth->least_docs;
}

/* Fills the histogram of a leaf. If the processes fail, the histogram becomes 0, no leaf is split any further, and the
 * next call to the processes fails as well. */
static void fill(const dorm__tree_grower *grower, const leaf *of, uint64_t *histogram)
{
  dorm__histogram_fill(&grower->shape, of->drawn.count, grower->docs + of->drawn.first, grower->words.words, histogram);
  dorm__processes_totals(grower->context, dorm__histogram_size(&grower->shape), histogram);
}

/* Finds the best splits of two new leaves. `histogram` is the histogram of their parent, or NULL if it was not kept.
 * The new leaves take it over. While fewer than 2 histograms are spare, they keep none. */
static void search_children(dorm__tree_grower *grower, const dorm__tree_growth *growth, uint64_t *histogram, leaf *left,
                            leaf *right)
{
  leaf *small = left->all_drawn <= right->all_drawn ? left : right;
  leaf *large = small == left ? right : left;
  small->histogram = NULL;
  large->histogram = histogram;
  if (!is_final(growth, large)) {
    uint64_t *other = grower->spare[--grower->num_spare];
    fill(grower, small, other);
    if (!histogram && grower->num_spare) {
      large->histogram = grower->spare[--grower->num_spare];
      fill(grower, large, large->histogram);
    } else if (histogram) {
      dorm__histogram_subtract(&grower->shape, other, histogram);
    }
    small->histogram = other;
    if (!is_final(growth, small))
      find_split(grower, growth, small, other);
    if (large->histogram)
      find_split(grower, growth, large, large->histogram);
  }
  if (!(small->best.gain > 0) || grower->num_spare < 2)
    give_back(grower, small);
  if (!(large->best.gain > 0) || grower->num_spare < 2)
    give_back(grower, large);
}

/* Splits a leaf by its best split. Finds the best splits of the new leaves, unless this was the last split of the
 * tree. */
static void split_leaf(dorm__tree_grower *grower, const dorm__tree_growth *growth, leaf *of)
{
  bool is_last = grower->num_leaves + 1 == growth->leaves;
  dorm__tree_split split = of->best;
  uint64_t *histogram = of->histogram;
  leaf left = {.node = (uint32_t)grower->num_nodes, .sum = split.left};
  leaf right = {.node = left.node + 1, .sum = of->sum - split.left};
  grower->nodes[of->node] = (grown_node){.split = split, .child = left.node};
  grower->nodes[grower->num_nodes++] = (grown_node){.child = 0};
  grower->nodes[grower->num_nodes++] = (grown_node){.child = 0};
  split_run(grower, &split, &of->drawn, &left.drawn, &right.drawn);
  split_run(grower, &split, &of->others, &left.others, &right.others);
  if (!is_last) {
    left.all_drawn = left.drawn.count;
    dorm__processes_totals(grower->context, 1, &left.all_drawn);
    right.all_drawn = of->all_drawn - left.all_drawn;
    search_children(grower, growth, histogram, &left, &right);
  }
  *of = left;
  grower->leaves[grower->num_leaves++] = right;
}

/* Returns the leaf whose best split gains most, the first one of equal gain, or NULL if no split gains. */
static leaf *best_leaf(dorm__tree_grower *grower)
{
  leaf *best = NULL;
  for (size_t i = 0; i < grower->num_leaves; i++)
    if (grower->leaves[i].best.gain > (best ? best->best.gain : 0))
      best = &grower->leaves[i];
  return best;
}

static dorm_status start(dorm__tree_grower *grower, const dorm__tree_growth *growth)
{
  size_t num_docs = grower->bins->num_docs;
  leaf root = {.all_drawn = grower->words.num_drawn};
  size_t other = 0;
  for (size_t j = 0; j < num_docs; j++) {
    size_t is_drawn = growth->is_drawn[j];
    grower->docs[root.drawn.count] = (uint32_t)j;
    grower->moved[other] = (uint32_t)j;
    root.drawn.count += is_drawn;
    other += 1 - is_drawn;
    root.sum += grower->words.words[j];
  }
  memcpy(grower->docs + root.drawn.count, grower->moved, other * sizeof *grower->docs);
  root.others = (run){root.drawn.count, other};
  dorm_status status = dorm__processes_totals(grower->context, 1, &root.sum);
  grower->nodes[grower->num_nodes++] = (grown_node){.child = 0};
  if (growth->leaves > 1 && !is_final(growth, &root)) {
    root.histogram = grower->spare[--grower->num_spare];
    fill(grower, &root, root.histogram);
    find_split(grower, growth, &root, root.histogram);
  }
  grower->leaves[grower->num_leaves++] = root;
  return status;
}

/* ---- The tree ------------------------------------------------------------------------------------------------ */

/* Makes node n a split by the set of the categories on the left. Returns false when out of memory. */
static bool put_set(const dorm__tree_bins *bins, const dorm__tree_split *split, dorm__tree *tree, size_t n)
{
  float categories[DORM__MOST_BINS];
  size_t count = 0;
  for (size_t code = 1; code <= dorm__tree_bins_num_cuts(bins, split->feature); code++)
    if (!split->sides[code])
      categories[count++] = bins->cuts[bins->cut_start[split->feature] + code - 1];
  return dorm__tree_add_set(tree, n, count, categories);
}

/* Fills the tree with the nodes in breadth-first order. place [num_nodes] becomes the place of each grown node in this
 * order, and order [num_nodes] the grown node at each place. Returns false when out of memory. */
static bool put_in_order(const dorm__tree_grower *grower, dorm__tree *tree, uint32_t *place, uint32_t *order)
{
  size_t count = 1;
  order[0] = 0;
  for (size_t n = 0; n < grower->num_nodes; n++) {
    const grown_node *node = &grower->nodes[order[n]];
    place[order[n]] = (uint32_t)n;
    if (!node->child) {
      tree->nodes[n] = (dorm__tree_node){.threshold = INFINITY, .child = (uint32_t)n};
      continue;
    }
    const dorm__tree_split *split = &node->split;
    tree->gains[n] = split->gain;
    tree->nodes[n] =
        (dorm__tree_node){.threshold = split->threshold,
                          .feature = split->feature,
                          .child = (uint32_t)count,
                          .absent = split->sides[dorm__tree_bins_missing(grower->bins, split->feature)] & 1U};
    order[count++] = node->child;
    order[count++] = node->child + 1;
    if (split->is_set && !put_set(grower->bins, split, tree, n))
      return false;
  }
  return true;
}

/* Fills leaves [num_docs] with the place of each document's leaf. */
static void name_leaves(const dorm__tree_grower *grower, const uint32_t *place, uint32_t *leaves)
{
#pragma omp parallel for schedule(dynamic)                                                                             \
    num_threads((int)grower->num_threads) if (grower->num_threads > 1 && grower->bins->num_docs > 4 * PART)
  for (size_t i = 0; i < grower->num_leaves; i++) {
    const leaf *of = &grower->leaves[i];
    for (size_t d = 0; d < of->drawn.count; d++)
      leaves[grower->docs[of->drawn.first + d]] = place[of->node];
    for (size_t d = 0; d < of->others.count; d++)
      leaves[grower->docs[of->others.first + d]] = place[of->node];
  }
}

dorm_status dorm__tree_grow(dorm_context *context, dorm__tree_grower *grower, const dorm__tree_growth *growth,
                            dorm__tree *tree, const uint32_t **leaves)
{
  leaf *next;
  *tree = (dorm__tree){0};
  dorm__histogram_choose(&grower->shape, growth->num_features, growth->features);
  if (!make_room(grower, growth))
    return dorm__out_of_memory(context, "trees");
  dorm_status status = DORM__ALL(
      dorm__tree_words_fill(context,
                            &(const dorm__tree_terms){grower->bins->num_docs, growth->is_drawn, growth->gradient,
                                                      growth->curvature, grower->num_threads},
                            &grower->words),
      start(grower, growth));
  if (status != DORM_OK)
    return status;
  while (grower->num_leaves < growth->leaves && (next = best_leaf(grower)))
    split_leaf(grower, growth, next);
  DORM__FREED uint32_t *place = dorm__alloc(grower->num_nodes, 2 * sizeof *place);
  if (!place || !dorm__tree_make(grower->num_nodes, tree) ||
      !put_in_order(grower, tree, place, place + grower->num_nodes))
    return dorm__out_of_memory(context, "trees");
  name_leaves(grower, place, grower->moved);
  *leaves = grower->moved;
  return DORM_OK;
}
