/* histogram.h: sums of gradients and curvatures for each bin of each feature, and the best split by these sums. */
#ifndef DORM_TREES_HISTOGRAM_H
#define DORM_TREES_HISTOGRAM_H

#include "trees/bins.h"
#include "trees/sums.h"

/* The gradient and the curvature of each document as whole numbers, in one word: gradient * 2^32 + curvature. */
typedef struct dorm__tree_words {
  uint64_t *words; /* [num_docs], 0 for a document that is not drawn */
  double gradient_scale, curvature_scale;
  uint64_t num_drawn;         /* documents, of all processes */
  uint32_t largest_curvature; /* of a drawn document of any process */
  bool is_constant;           /* all drawn documents have the same curvature */
} dorm__tree_words;

static inline double dorm__word_gradient(uint64_t word)
{
  return (double)(int32_t)(uint32_t)(word >> 32);
}

static inline double dorm__word_curvature(uint64_t word)
{
  return (double)(uint32_t)word;
}

/* Rounds gradient and curvature of the drawn documents to multiples of units. 2^31 units of the gradient and 2^32 units
 * of the curvature are just more than the sums of all absolute values, over all processes. So the sum over any
 * documents fits into a word, and does not depend on the order of the terms. Negative curvatures count as 0. */
dorm_status dorm__tree_words_fill(dorm_context *context, const dorm__tree_terms *terms, dorm__tree_words *words);

/* A choice of features for one tree. In a histogram, feature number k of the choice has the entries from start[k] on.
 */
typedef struct dorm__histogram_shape {
  const dorm__tree_bins *bins;
  size_t num_features;
  const uint32_t *features; /* [num_features], increasing */
  size_t *start;            /* [width + 1], with start[num_features] the size of a histogram */
  size_t *place;            /* [width] of sparse bins: the start of each feature, or SIZE_MAX */
  size_t num_threads;
  uint64_t *scratch; /* [num_threads - 1][size], for threads that share documents */
} dorm__histogram_shape;

/* Chooses features. The caller allocates start and place. */
void dorm__histogram_choose(dorm__histogram_shape *shape, size_t num_features, const uint32_t *features);
size_t dorm__histogram_size(const dorm__histogram_shape *shape);
/* Fills a histogram with the sums over docs [count]. O(count * num_features). */
void dorm__histogram_fill(const dorm__histogram_shape *shape, size_t count, const uint32_t *docs, const uint64_t *words,
                          uint64_t *histogram);
/* Computes whole -= part. */
void dorm__histogram_subtract(const dorm__histogram_shape *shape, const uint64_t *part, uint64_t *whole);

/* A split of a leaf. A document goes to the side of its code of the feature. */
typedef struct dorm__tree_split {
  double gain;        /* 0 if there is no split */
  uint32_t feature;   /* number of the feature in the rows */
  float threshold;    /* of the node (trees.h) */
  bool is_set;        /* the categories that go left are the set of the node */
  uint64_t left;      /* sum of the words on the left */
  uint8_t sides[256]; /* by code: 0 for left, 1 for right */
} dorm__tree_split;

/* A leaf in the search for its best split. */
typedef struct dorm__split_search {
  const dorm__histogram_shape *shape;
  const dorm__tree_words *words;
  const uint64_t *histogram;
  uint64_t sum;      /* of the words of the leaf */
  uint64_t all_docs; /* drawn documents of all processes */
  size_t count;
  const uint32_t *docs; /* [count] drawn documents of this process */
  size_t least_docs;
  double penalty;       /* added to the sum of curvatures of each side */
  const uint8_t *order; /* [width] flags of trees.h, or NULL for any order */
} dorm__split_search;

/* Finds the split with the largest gain GL^2 / (HL + penalty) + GR^2 / (HR + penalty) - G^2 / (H + penalty). Each side
 * must have at least least_docs documents and some curvature. Among equal gains, takes the smallest feature, then
 * missing values on the right, then the smallest bin. Categories are in the order of gradient over curvature, in which
 * the best of all sets is a beginning if each side may be small (Fisher 1958). O(num_features * bins), and O(count) for
 * each feature whose documents must be counted, which processes do together. */
void dorm__tree_split_find(dorm_context *context, const dorm__split_search *search, dorm__tree_split *best);

#endif
