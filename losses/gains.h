/* gains.h: the built-in losses, and what they share: rows of parameters, gains, discounts and relevance. */
#ifndef DORM_LOSSES_GAINS_H
#define DORM_LOSSES_GAINS_H

#include "base/base.h"

#define DORM__ROW_TRUNCATION(default_text)                                                                             \
  {                                                                                                                    \
    "truncation", default_text, NULL, 0, 1e9, 1, "positions that count; 0: all"                                        \
  }
#define DORM__ROW_GAIN                                                                                                 \
  {                                                                                                                    \
    "gain", "exp2", "exp2, linear", 0, 0, 0, "gain of label r: 2^r - 1, or r"                                          \
  }
#define DORM__ROW_DISCOUNT                                                                                             \
  {                                                                                                                    \
    "discount", "log2", "log2, letor", 0, 0, 0,                                                                        \
        "position p from 0 is divided by log2(p+2), or as LETOR does by 1, 1, log2(3), log2(4), ..."                   \
  }
#define DORM__ROW_THRESHOLD(default_text)                                                                              \
  {                                                                                                                    \
    "threshold", default_text, NULL, 0, 1e300, 0, "smallest label of a relevant document; 0: the query's largest"      \
  }

/* A built-in loss. `make` is its create, `release` its destroy, and the rest its form. */
#define DORM__LOSS(word, text, rows, make, release, ...)                                                               \
  {                                                                                                                    \
    .abi = DORM_PLUGIN_ABI, .struct_size = sizeof(dorm_loss_module), .name = word, .help = text,                       \
    .num_parameters = sizeof(rows) / sizeof *(rows), .parameters = rows, .create = make, .destroy = release,           \
    __VA_ARGS__                                                                                                        \
  }

extern const dorm_loss_module dorm__loss_wta;
extern const dorm_loss_module dorm__loss_mwta;
extern const dorm_loss_module dorm__loss_mrr;
extern const dorm_loss_module dorm__loss_dcg;
extern const dorm_loss_module dorm__loss_ndcg;
extern const dorm_loss_module dorm__loss_precision;
extern const dorm_loss_module dorm__loss_eru;
extern const dorm_loss_module dorm__loss_cost;
extern const dorm_loss_module dorm__loss_rsvm;
extern const dorm_loss_module dorm__loss_rsvm_ir;
extern const dorm_loss_module dorm__loss_roc_area;
extern const dorm_loss_module dorm__loss_map;
extern const dorm_loss_module dorm__loss_precision_set;

/* The values of the parameters of all built-in losses. Each loss has some of them. */
typedef struct dorm__loss_rules {
  size_t truncation; /* 0 for all positions */
  double threshold;  /* 0 for the largest label of the query */
  double half_life;
  double neutral;
  bool linear_gain;
  bool letor_discount;
  bool is_normalised;
  bool counts_all;     /* all top documents count, not only the first in the data */
  bool is_mean;        /* the mean over pairs, not their sum */
  bool has_two_levels; /* each pair has a relevant and another document */
} dorm__loss_rules;

/* Is the `create` of a built-in loss. Makes a dorm__loss_rules from its rows, by their names. */
int dorm__loss_rules_create(const dorm_host *host, size_t num_rows, const dorm_loss_parameter *rows,
                            const dorm_loss_value *values, void **state);
/* Fills b[j] with 2^r - 1 or r for label r. Returns 0, or 1 after host->fail for a label with a gain so large that a
 * sum would lose the others. */
int dorm__fill_gains(const dorm_host *host, const dorm__loss_rules *rules, const dorm_loss_query *query, double *b);
/* Fills a[p] with the discount for p < truncation (0 for num_docs), and with 0 from there on. */
void dorm__fill_discounts(const dorm__loss_rules *rules, size_t truncation, size_t num_docs, double *a);
/* Returns sum_p a[p] b_(p) with b in falling order. scratch [num_docs]. */
double dorm__ideal_worth(size_t num_docs, const double *a, const double *b, double *scratch);
/* Divides b by that worth, or sets b to 0 if the worth is 0. Returns 0, or 1 after host->fail. */
int dorm__divide_by_ideal(const dorm_host *host, size_t num_docs, const double *a, double *b);
double dorm__largest_label(const dorm_loss_query *query);
/* Fills relevance [num_docs] with 1 if the label is above 0 and at least `threshold` (0 for the query's largest label),
 * else with 0. Returns the number of relevant documents. */
size_t dorm__fill_relevance(const dorm_loss_query *query, double threshold, double *relevance);

#endif
