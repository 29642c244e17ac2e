/* kinds.c: the measures by name: rows of their parameters, texts of their specs, and their conventions.
 * measure_values.c and diversity_values.c compute the values.
 *
 * A query is empty if no ranking is better than another because there is nothing to find: no gain, no relevant
 * document, or no two different labels. */
#include "measures/measure.h"
#include "measures/measure_values.h"
#include "measures/measures.h"
#include "measures/ranking.h"

#include <ctype.h>
#include <string.h>

#define TRUNCATION(default_text)                                                                                       \
  {                                                                                                                    \
    "truncation", default_text, NULL, 0, 1e9, 1, "positions that count, as in ndcg@10; 0: all"                         \
  }
#define GAIN                                                                                                           \
  {                                                                                                                    \
    "gain", "exp2", "exp2, linear", 0, 0, 0, "gain of label r: 2^r - 1, or r"                                          \
  }
#define DISCOUNT                                                                                                       \
  {                                                                                                                    \
    "discount", "log2", "log2, letor", 0, 0, 0,                                                                        \
        "position p from 0 is divided by log2(p+2), or as LETOR does by 1, 1, log2(3), log2(4), ..."                   \
  }
#define THRESHOLD                                                                                                      \
  {                                                                                                                    \
    "threshold", "1", NULL, 0, 1e300, 0, "smallest label of a relevant document; 0: the query's largest"               \
  }
#define EMPTY                                                                                                          \
  {                                                                                                                    \
    "empty", "0", "0, 1, skip", 0, 0, 0, "what a query with nothing to find counts"                                    \
  }
#define TIES                                                                                                           \
  {                                                                                                                    \
    "ties", "order", "order, docid, worst, expected", 0, 0, 0,                                                         \
        "equal scores: by document order, by document id downwards (as trec_eval), worst case, mean over all orders"   \
  }
#define TIES_BROKEN                                                                                                    \
  {                                                                                                                    \
    "ties", "order", "order, docid, worst", 0, 0, 0,                                                                   \
        "equal scores: by document order, by document id downwards (as trec_eval), worst case"                         \
  }
/* Rows from here on appear in texts only if they differ from their defaults (is_unsaid), because they do not matter for
 * most data. */
#define SHORT                                                                                                          \
  {                                                                                                                    \
    "short", "count", "count, 0", 0, 0, 0,                                                                             \
        "a query with fewer documents than positions that count: counts as any other, or 0 (as in LETOR 4.0)"          \
  }
#define REPEATS                                                                                                        \
  {                                                                                                                    \
    "repeats", "count", "count, irrelevant", 0, 0, 0,                                                                  \
        "a document that shares a group with one above it: counts as any other, or as irrelevant"                      \
  }

static const dorm_loss_parameter dcg_rows[] = {TRUNCATION("0"), GAIN, DISCOUNT, EMPTY, TIES, REPEATS};
static const dorm_loss_parameter ndcg_rows[] = {TRUNCATION("0"), GAIN, DISCOUNT, EMPTY, TIES, SHORT, REPEATS};
static const dorm_loss_parameter mwta_rows[] = {GAIN, DISCOUNT, EMPTY, TIES};
static const dorm_loss_parameter map_rows[] = {TRUNCATION("0"),
                                               THRESHOLD,
                                               {"divide", "relevant", "relevant, reachable", 0, 0, 0,
                                                "by the number of relevant documents, or by at most the truncation"},
                                               EMPTY,
                                               TIES,
                                               REPEATS};
static const dorm_loss_parameter mrr_rows[] = {TRUNCATION("0"), THRESHOLD, EMPTY, TIES, REPEATS};
static const dorm_loss_parameter precision_rows[] = {TRUNCATION("10"), THRESHOLD, EMPTY, TIES, REPEATS};
static const dorm_loss_parameter err_rows[] = {
    TRUNCATION("0"),
    {"max_label", "4", NULL, 0, 50, 0, "largest label R of the scale"},
    {"gain", "exp2", "exp2, linear", 0, 0, 0, "chance that label r satisfies: (2^r - 1) / 2^R, or r / R"},
    EMPTY,
    TIES,
    REPEATS};
static const dorm_loss_parameter eru_rows[] = {
    {"half_life", "5", NULL, 1.001, 1e9, 0, "position, counted from 1, that half of the readers reach"},
    {"neutral", "0", NULL, 0, 1e300, 0, "this label and smaller ones have no utility"},
    {"normalised", "yes", "yes, no", 0, 0, 0, "divide by the utility of an ideal ranking of the query"},
    EMPTY,
    TIES,
    REPEATS};
static const dorm_loss_parameter pair_rows[] = {EMPTY, TIES};
static const dorm_loss_parameter roc_rows[] = {
    {"levels", "all", "all, two", 0, 0, 0, "pairs of any two labels, or of relevant and irrelevant documents"},
    THRESHOLD,
    EMPTY,
    TIES};
static const dorm_loss_parameter relevance_rows[] = {THRESHOLD, EMPTY, TIES};
static const dorm_loss_parameter judged_rows[] = {THRESHOLD, EMPTY, TIES_BROKEN};
static const dorm_loss_parameter success_rows[] = {TRUNCATION("10"), THRESHOLD, EMPTY, TIES};
static const dorm_loss_parameter iprec_rows[] = {
    {"recall", "0.1", NULL, 0, 1, 0, "share of the relevant documents that must be at or above, as in iprec@0.1"},
    THRESHOLD,
    EMPTY,
    TIES_BROKEN};
static const dorm_loss_parameter rbp_rows[] = {
    {"p", "0.8", NULL, 0, 1, 0, "persistence: the chance that a reader continues to the next document"},
    THRESHOLD,
    EMPTY,
    TIES};
static const dorm_loss_parameter set_rows[] = {THRESHOLD, EMPTY};
static const dorm_loss_parameter set_f_rows[] = {
    {"importance", "1", NULL, 0, 1e9, 0, "weight of recall, if precision has 1"}, THRESHOLD, EMPTY};
static const dorm_loss_parameter count_rows[] = {THRESHOLD};
static const dorm_loss_parameter tau_rows[] = {EMPTY};
static const dorm_loss_parameter redundancy_rows[] = {TRUNCATION("10"), TIES_BROKEN};
static const dorm_loss_parameter alpha_rows[] = {
    TRUNCATION("10"),
    {"alpha", "0.5", NULL, 0, 1, 0, "share of the value of a subtopic that each document above takes away"},
    EMPTY,
    TIES_BROKEN};
static const dorm_loss_parameter err_ia_rows[] = {
    TRUNCATION("10"), {"max_label", "1", NULL, 0, 50, 0, "largest judgement of the scale"}, EMPTY, TIES_BROKEN};
static const dorm_loss_parameter subtopic_rows[] = {TRUNCATION("10"), EMPTY, TIES_BROKEN};

static const dorm_loss_parameter exposure_rows[] = {TRUNCATION("0"), EMPTY, TIES};
static const dorm_loss_parameter share_rows[] = {
    TRUNCATION("0"), {"group", "", "", 0, 0, 0, "the name of the group whose share it is"}, EMPTY, TIES};

/* The members of a kind that all measures have. */
#define MEASURE(word, text, lower, rows, function)                                                                     \
  .info = {word, text, lower, sizeof(rows) / sizeof *(rows), rows}, .value = function

static const dorm__measure_kind kinds[] = {
    {MEASURE("ndcg", "normalised discounted cumulative gain", 0, ndcg_rows, dorm__value_ndcg)},
    {MEASURE("dcg", "discounted cumulative gain", 0, dcg_rows, dorm__value_dcg)},
    {MEASURE("mean_ndcg", "mean of NDCG@1 .. NDCG@l", 0, mwta_rows, dorm__value_mean_ndcg)},
    {MEASURE("mwta", "NDCG at 3, or just past the first change of level", 0, mwta_rows, dorm__value_mwta)},
    {MEASURE("map", "average precision", 0, map_rows, dorm__value_map)},
    {MEASURE("mrr", "reciprocal rank of the first relevant document", 0, mrr_rows, dorm__value_mrr)},
    {MEASURE("wta", "1 when the first document has the largest label", 0, pair_rows, dorm__value_wta)},
    {MEASURE("p", "relevant documents among the first k, over k", 0, precision_rows, dorm__value_precision)},
    {MEASURE("recall", "relevant documents among the first k, over all", 0, precision_rows, dorm__value_recall)},
    {MEASURE("err", "expected reciprocal rank", 0, err_rows, dorm__value_err)},
    {MEASURE("eru", "expected rank utility", 0, eru_rows, dorm__value_eru)},
    {MEASURE("pair_error", "share of the pairs in the wrong order", 1, pair_rows, dorm__value_pair_error)},
    {MEASURE("roc_area", "area under the ROC curve: share of the pairs in the right order", 0, roc_rows,
             dorm__value_roc_area)},
    {MEASURE("tau", "Kendall's tau-b of scores and labels", 0, tau_rows, dorm__value_tau)},
    {MEASURE("gm_map", "average precision; the mean over queries is the geometric one", 0, map_rows,
             dorm__value_gm_map),
     .summary = DORM__SUMMARY_GEOMETRIC},
    {MEASURE("rprec", "relevant documents among the first R, over R, the number of all", 0, relevance_rows,
             dorm__value_r_precision)},
    {MEASURE("bpref", "judged documents in the right order (Buckley and Voorhees)", 0, judged_rows, dorm__value_bpref),
     .needs = DORM__NEEDS_JUDGEMENTS},
    {MEASURE("success", "1 when a relevant document is among the first k", 0, success_rows, dorm__value_success)},
    {MEASURE("iprec", "interpolated precision at a level of recall", 0, iprec_rows, dorm__value_iprec)},
    {MEASURE("rbp", "rank-biased precision", 0, rbp_rows, dorm__value_rbp)},
    {MEASURE("set_p", "relevant documents that were found, over all that were", 0, set_rows,
             dorm__value_set_precision)},
    {MEASURE("set_recall", "relevant documents that were found, over all relevant ones", 0, set_rows,
             dorm__value_set_recall)},
    {MEASURE("set_f", "weighted harmonic mean of set_p and set_recall", 0, set_f_rows, dorm__value_set_f)},
    {MEASURE("num_ret", "documents that were found, in all queries", 0, count_rows, dorm__value_num_ret),
     .summary = DORM__SUMMARY_SUM},
    {MEASURE("num_rel", "relevant documents, in all queries", 0, count_rows, dorm__value_num_rel),
     .summary = DORM__SUMMARY_SUM},
    {MEASURE("num_rel_ret", "relevant documents that were found, in all queries", 0, count_rows,
             dorm__value_num_rel_ret),
     .summary = DORM__SUMMARY_SUM},
    {MEASURE("redundancy", "documents among the first k that share a group with one above", 1, redundancy_rows,
             dorm__value_redundancy),
     .needs = DORM__NEEDS_GROUPS},
    {MEASURE("alpha_ndcg", "novelty of subtopics, discounted, over the value of the greedy ranking", 0, alpha_rows,
             dorm__value_alpha_ndcg),
     .needs = DORM__NEEDS_SUBTOPICS},
    {MEASURE("err_ia", "mean over the subtopics of expected reciprocal rank", 0, err_ia_rows, dorm__value_err_ia),
     .needs = DORM__NEEDS_SUBTOPICS},
    {MEASURE("subtopic_recall", "subtopics among the first k, over all", 0, subtopic_rows, dorm__value_subtopic_recall),
     .needs = DORM__NEEDS_SUBTOPICS},
    {MEASURE("exposure_share", "share of a group in the exposure 1 / log2(p + 1) of positions", 0, share_rows,
             dorm__value_exposure_share),
     .needs = DORM__NEEDS_GROUPS},
    {MEASURE("ee_l", "distance of exposure from equal exposure for equal labels", 1, exposure_rows, dorm__value_ee_l),
     .needs = DORM__NEEDS_DOCS},
    {MEASURE("ee_d", "sum of squared exposures of groups or documents", 1, exposure_rows, dorm__value_ee_d),
     .needs = DORM__NEEDS_DOCS},
    {MEASURE("ee_r", "product of exposure and of equal exposure for equal labels", 0, exposure_rows, dorm__value_ee_r),
     .needs = DORM__NEEDS_DOCS},
    {MEASURE("gini", "Gini coefficient of the exposure of groups or documents", 1, exposure_rows, dorm__value_gini),
     .needs = DORM__NEEDS_DOCS},
};

enum { NUM_KINDS = sizeof kinds / sizeof *kinds };

const dorm_measure_info *dorm_measure_info_at(size_t index)
{
  return index < NUM_KINDS ? &kinds[index].info : NULL;
}

/* Returns the kind with this name, ignoring case, or NULL. */
static const dorm__measure_kind *find_kind(const char *name)
{
  for (size_t i = 0; i < NUM_KINDS; i++)
    if (dorm__equal_words(kinds[i].info.name, name))
      return &kinds[i];
  return NULL;
}

const dorm__measure_kind *dorm__measure_kind_find(dorm_context *context, const char *name)
{
  const char *names[NUM_KINDS];
  const dorm__measure_kind *found = find_kind(name);
  if (found)
    return found;
  static const char *const foreign[][2] = {{"precision", "p"}, {"auc", "roc_area"}, {"rr", "mrr"}, {"ap", "map"}};
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
    if (dorm__equal_words(name, foreign[i][0])) {
      dorm__fail(context, DORM_BAD_USAGE, "unknown measure '%s'; did you mean '%s'?", name, foreign[i][1]);
      return NULL;
    }
  for (size_t i = 0; i < NUM_KINDS; i++)
    names[i] = kinds[i].info.name;
  dorm__fail_unknown(context, "measure", name, names, NUM_KINDS);
  return NULL;
}

void dorm__measure_kind_name_number(const dorm__measure_kind *kind, dorm__spec *given)
{
  if (strcmp(kind->info.parameters[0].name, "recall") != 0)
    return;
  for (size_t i = 0; i < given->num_pairs; i++)
    if (strcmp(given->pairs[i].key, "truncation") == 0)
      given->pairs[i].key = "recall";
}

static bool is_unsaid(const dorm_loss_parameter *row, const dorm_loss_value *value)
{
  return (strcmp(row->name, "short") == 0 || strcmp(row->name, "repeats") == 0) &&
         strcmp(value->text, row->default_text) == 0;
}

char *dorm__measure_kind_text(const dorm__measure_kind *kind, const dorm_loss_value *values)
{
  const dorm_measure_info *info = &kind->info;
  dorm_loss_parameter rows[DORM__MOST_MEASURE_ROWS];
  dorm_loss_value said[DORM__MOST_MEASURE_ROWS];
  size_t count = 0;
  char name[64];
  bool has_truncation = strcmp(info->parameters[0].name, "truncation") == 0;
  for (size_t i = has_truncation; i < info->num_parameters; i++)
    if (!is_unsaid(&info->parameters[i], &values[i])) {
      rows[count] = info->parameters[i];
      said[count++] = values[i];
    }
  if (has_truncation && (values[0].number > 0 || strcmp(info->parameters[0].default_text, "0") != 0))
    snprintf(name, sizeof name, "%s@%.0f", info->name, values[0].number);
  else
    snprintf(name, sizeof name, "%s", info->name);
  return dorm__spec_text(name, count, rows, said);
}

static dorm__tie_rule tie_rule_of(const char *word)
{
  if (strcmp(word, "docid") == 0)
    return DORM__TIES_DOC_ID;
  if (strcmp(word, "worst") == 0)
    return DORM__TIES_WORST;
  return strcmp(word, "expected") == 0 ? DORM__TIES_EXPECTED : DORM__TIES_ORDER;
}

static dorm__empty_rule empty_rule_of(const char *word)
{
  if (strcmp(word, "skip") == 0)
    return DORM__EMPTY_IS_SKIPPED;
  return strcmp(word, "1") == 0 ? DORM__EMPTY_IS_1 : DORM__EMPTY_IS_0;
}

dorm__conventions dorm__measure_kind_rules(const dorm__measure_kind *kind, const dorm_loss_value *values)
{
  dorm__conventions rules = {.group = NULL};
  double truncation = 0;
  const dorm__spec_place places[] = {
      {"truncation", &truncation, NULL, NULL},
      {"threshold", &rules.threshold, NULL, NULL},
      {"max_label", &rules.max_label, NULL, NULL},
      {"half_life", &rules.half_life, NULL, NULL},
      {"neutral", &rules.neutral, NULL, NULL},
      {"alpha", &rules.alpha, NULL, NULL},
      {"recall", &rules.recall, NULL, NULL},
      {"importance", &rules.importance, NULL, NULL},
      {"p", &rules.persistence, NULL, NULL},
      {"gain", NULL, "linear", &rules.linear_gain},
      {"discount", NULL, "letor", &rules.letor_discount},
      {"levels", NULL, "two", &rules.has_two_levels},
      {"divide", NULL, "reachable", &rules.divides_by_reachable},
      {"normalised", NULL, "yes", &rules.is_normalised},
      {"short", NULL, "0", &rules.short_is_0},
      {"repeats", NULL, "irrelevant", &rules.repeats_are_irrelevant},
  };
  const dorm_measure_info *info = &kind->info;
  dorm__spec_store(info->num_parameters, info->parameters, values, sizeof places / sizeof *places, places);
  rules.truncation = (size_t)truncation;
  for (size_t i = 0; i < info->num_parameters; i++) {
    const char *row = info->parameters[i].name;
    if (strcmp(row, "group") == 0)
      rules.group = values[i].text;
    else if (strcmp(row, "empty") == 0)
      rules.empty = empty_rule_of(values[i].text);
    else if (strcmp(row, "ties") == 0)
      rules.ties = tie_rule_of(values[i].text);
  }
  if (kind->value == dorm__value_tau) /* its definition handles ties */
    rules.ties = DORM__TIES_EXPECTED;
  return rules;
}

/* ---- Trec names -------------------------------------------------------------------------------- */

/* Names of measures in trec_eval: a name, for some followed by `_` or `.` and a number, as in P_10. Names that dorm
 * shares (map, ndcg, Rprec, bpref, gm_map, set_P, num_rel) are found without this file. */

typedef struct trec_name {
  const char *name;
  const char *start; /* start of dorm's text, before the number */
  bool has_number;
  const char *conventions[2];
} trec_name;

static const trec_name names[] = {
    {"ndcg_cut", "ndcg@", true, {"gain=linear", "ties=docid"}},
    {"map_cut", "map@", true, {"ties=docid", NULL}},
    {"P", "p@", true, {"ties=docid", NULL}},
    {"recall", "recall@", true, {"ties=docid", NULL}},
    {"success", "success@", true, {"ties=docid", NULL}},
    {"iprec_at_recall", "iprec@", true, {"ties=docid", NULL}},
    {"recip_rank", "mrr", false, {"ties=docid", NULL}},
    {"set_F", "set_f:importance=", true, {NULL, NULL}},
};

/* Returns the number after the name of a row in `text`, or NULL if the text does not match the row. */
static const char *number_of(const trec_name *row, const char *text, size_t size)
{
  size_t name_size = strlen(row->name);
  if (size < name_size || strncmp(text, row->name, name_size) != 0)
    return NULL;
  const char *rest = text + name_size;
  size_t left = size - name_size;
  if (!row->has_number)
    return left == 0 ? rest : NULL;
  if (left < 2 || (*rest != '_' && *rest != '.'))
    return NULL;
  for (size_t i = 1; i < left; i++)
    if (!isdigit((unsigned char)rest[i]) && rest[i] != '.')
      return NULL;
  return rest + 1;
}

/* Whether the pairs "key=value,..." contain the key of "key=value". */
static bool gives(const char *pairs, const char *convention)
{
  size_t key_size = strcspn(convention, "=") + 1;
  for (const char *pair = pairs; *pair; pair += strcspn(pair, ",")) {
    pair += strspn(pair, ", ");
    if (strncmp(pair, convention, key_size) == 0)
      return true;
  }
  return false;
}

static char *translate(const trec_name *row, const char *number, size_t number_size, const char *pairs)
{
  enum { ROOM = 64 }; /* for the start and the conventions of any row */
  size_t size = ROOM + number_size + strlen(pairs);
  char *made = dorm__alloc(size, 1);
  if (!made)
    return NULL;
  int end = snprintf(made, size, "%s%.*s", row->start, (int)number_size, number);
  const char *parts[] = {row->conventions[0], row->conventions[1], *pairs ? pairs : NULL};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (parts[i] && (parts[i] == pairs || !gives(pairs, parts[i])))
      end += snprintf(made + end, size - (size_t)end, "%c%s", strchr(made, ':') ? ',' : ':', parts[i]);
  return made;
}

char *dorm__trec_measure_text(const char *text)
{
  size_t size = strcspn(text, ":");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *number = number_of(&names[i], text, size);
    if (number)
      return translate(&names[i], number, (size_t)(text + size - number), text[size] ? text + size + 1 : "");
  }
  return dorm__copy_text(text);
}
