/* kinds.c: the measures by name: rows of their parameters, texts of their specs, and their conventions.
 * measure_values.c and diversity_values.c compute the values.
 *
 * A query is empty if no ranking is better than another because there is nothing to find: no gain, no relevant
 * document, or no two different labels. */
#include "base/spec.h"
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
    TRUNCATION("0"), {"max_label", "4", NULL, 0, 50, 0, "largest label of the scale"}, EMPTY, TIES, REPEATS};
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
    {"recall", "0.1", NULL, 0, 1, 0, "share of the relevant documents that must stand at or above, as in iprec@0.1"},
    THRESHOLD,
    EMPTY,
    TIES_BROKEN};
static const dorm_loss_parameter rbp_rows[] = {
    {"p", "0.8", NULL, 0, 1, 0, "persistence: the chance that a reader goes on to the next document"},
    THRESHOLD,
    EMPTY,
    TIES};
static const dorm_loss_parameter set_rows[] = {THRESHOLD, EMPTY};
static const dorm_loss_parameter set_f_rows[] = {
    {"importance", "1", NULL, 0, 1e9, 0, "of recall, where that of precision is 1"}, THRESHOLD, EMPTY};
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

#define ROWS(rows) sizeof(rows) / sizeof *(rows), rows

static const dorm__measure_kind kinds[] = {
    {{"ndcg", "normalised discounted cumulative gain", 0, ROWS(ndcg_rows)}, dorm__value_ndcg, DORM__SUMMARY_MEAN},
    {{"dcg", "discounted cumulative gain", 0, ROWS(dcg_rows)}, dorm__value_dcg, DORM__SUMMARY_MEAN},
    {{"mean_ndcg", "mean of NDCG@1 .. NDCG@l", 0, ROWS(mwta_rows)}, dorm__value_mean_ndcg, DORM__SUMMARY_MEAN},
    {{"mwta", "NDCG at 3, or just past the first change of level", 0, ROWS(mwta_rows)},
     dorm__value_mwta,
     DORM__SUMMARY_MEAN},
    {{"map", "average precision", 0, ROWS(map_rows)}, dorm__value_map, DORM__SUMMARY_MEAN},
    {{"mrr", "reciprocal rank of the first relevant document", 0, ROWS(mrr_rows)}, dorm__value_mrr, DORM__SUMMARY_MEAN},
    {{"wta", "1 when the first document has the largest label", 0, ROWS(pair_rows)},
     dorm__value_wta,
     DORM__SUMMARY_MEAN},
    {{"p", "relevant documents among the first k, over k", 0, ROWS(precision_rows)},
     dorm__value_precision,
     DORM__SUMMARY_MEAN},
    {{"recall", "relevant documents among the first k, over all", 0, ROWS(precision_rows)},
     dorm__value_recall,
     DORM__SUMMARY_MEAN},
    {{"err", "expected reciprocal rank", 0, ROWS(err_rows)}, dorm__value_err, DORM__SUMMARY_MEAN},
    {{"eru", "expected rank utility", 0, ROWS(eru_rows)}, dorm__value_eru, DORM__SUMMARY_MEAN},
    {{"pair_error", "share of the pairs in the wrong order", 1, ROWS(pair_rows)},
     dorm__value_pair_error,
     DORM__SUMMARY_MEAN},
    {{"roc_area", "area under the ROC curve: share of the pairs in the right order", 0, ROWS(roc_rows)},
     dorm__value_roc_area,
     DORM__SUMMARY_MEAN},
    {{"tau", "Kendall's tau-b of scores and labels", 0, ROWS(tau_rows)}, dorm__value_tau, DORM__SUMMARY_MEAN},
    {{"gm_map", "average precision; the mean over queries is the geometric one", 0, ROWS(map_rows)},
     dorm__value_gm_map,
     DORM__SUMMARY_GEOMETRIC},
    {{"rprec", "relevant documents among the first R, over R, the number of all", 0, ROWS(relevance_rows)},
     dorm__value_r_precision,
     DORM__SUMMARY_MEAN},
    {{"bpref", "judged documents in the right order (Buckley and Voorhees)", 0, ROWS(judged_rows)},
     dorm__value_bpref,
     DORM__SUMMARY_MEAN},
    {{"success", "1 when a relevant document is among the first k", 0, ROWS(success_rows)},
     dorm__value_success,
     DORM__SUMMARY_MEAN},
    {{"iprec", "interpolated precision at a level of recall", 0, ROWS(iprec_rows)},
     dorm__value_iprec,
     DORM__SUMMARY_MEAN},
    {{"rbp", "rank-biased precision", 0, ROWS(rbp_rows)}, dorm__value_rbp, DORM__SUMMARY_MEAN},
    {{"set_p", "relevant documents that were found, over all that were", 0, ROWS(set_rows)},
     dorm__value_set_precision,
     DORM__SUMMARY_MEAN},
    {{"set_recall", "relevant documents that were found, over all relevant ones", 0, ROWS(set_rows)},
     dorm__value_set_recall,
     DORM__SUMMARY_MEAN},
    {{"set_f", "weighted harmonic mean of set_p and set_recall", 0, ROWS(set_f_rows)},
     dorm__value_set_f,
     DORM__SUMMARY_MEAN},
    {{"num_ret", "documents that were found, in all queries", 0, ROWS(count_rows)},
     dorm__value_num_ret,
     DORM__SUMMARY_SUM},
    {{"num_rel", "relevant documents, in all queries", 0, ROWS(count_rows)}, dorm__value_num_rel, DORM__SUMMARY_SUM},
    {{"num_rel_ret", "relevant documents that were found, in all queries", 0, ROWS(count_rows)},
     dorm__value_num_rel_ret,
     DORM__SUMMARY_SUM},
    {{"redundancy", "documents among the first k that share a group with one above", 1, ROWS(redundancy_rows)},
     dorm__value_redundancy,
     DORM__SUMMARY_MEAN},
    {{"alpha_ndcg", "novelty of subtopics, discounted, over that of the greedy ranking", 0, ROWS(alpha_rows)},
     dorm__value_alpha_ndcg,
     DORM__SUMMARY_MEAN},
    {{"err_ia", "mean over the subtopics of expected reciprocal rank", 0, ROWS(err_ia_rows)},
     dorm__value_err_ia,
     DORM__SUMMARY_MEAN},
    {{"subtopic_recall", "subtopics among the first k, over all", 0, ROWS(subtopic_rows)},
     dorm__value_subtopic_recall,
     DORM__SUMMARY_MEAN},
    {{"exposure_share", "share of a group in the exposure 1 / log2(p + 1) of positions", 0, ROWS(share_rows)},
     dorm__value_exposure_share,
     DORM__SUMMARY_MEAN},
    {{"ee_l", "distance of exposure from equal exposure for equal labels", 1, ROWS(exposure_rows)},
     dorm__value_ee_l,
     DORM__SUMMARY_MEAN},
    {{"ee_d", "sum of squared exposures of groups or documents", 1, ROWS(exposure_rows)},
     dorm__value_ee_d,
     DORM__SUMMARY_MEAN},
    {{"ee_r", "product of exposure and of equal exposure for equal labels", 0, ROWS(exposure_rows)},
     dorm__value_ee_r,
     DORM__SUMMARY_MEAN},
    {{"gini", "Gini coefficient of the exposure of groups or documents", 1, ROWS(exposure_rows)},
     dorm__value_gini,
     DORM__SUMMARY_MEAN},
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
  dorm__conventions rules = {0};
  for (size_t i = 0; i < kind->info.num_parameters; i++) {
    const char *row = kind->info.parameters[i].name;
    const char *word = values[i].text;
    double number = values[i].number;
    if (strcmp(row, "truncation") == 0)
      rules.truncation = (size_t)number;
    else if (strcmp(row, "gain") == 0)
      rules.linear_gain = strcmp(word, "linear") == 0;
    else if (strcmp(row, "discount") == 0)
      rules.letor_discount = strcmp(word, "letor") == 0;
    else if (strcmp(row, "threshold") == 0)
      rules.threshold = number;
    else if (strcmp(row, "levels") == 0)
      rules.has_two_levels = strcmp(word, "two") == 0;
    else if (strcmp(row, "divide") == 0)
      rules.divides_by_reachable = strcmp(word, "reachable") == 0;
    else if (strcmp(row, "max_label") == 0)
      rules.max_label = number;
    else if (strcmp(row, "half_life") == 0)
      rules.half_life = number;
    else if (strcmp(row, "neutral") == 0)
      rules.neutral = number;
    else if (strcmp(row, "normalised") == 0)
      rules.is_normalised = strcmp(word, "yes") == 0;
    else if (strcmp(row, "alpha") == 0)
      rules.alpha = number;
    else if (strcmp(row, "recall") == 0)
      rules.recall = number;
    else if (strcmp(row, "importance") == 0)
      rules.importance = number;
    else if (strcmp(row, "p") == 0)
      rules.persistence = number;
    else if (strcmp(row, "group") == 0)
      rules.group = word;
    else if (strcmp(row, "short") == 0)
      rules.short_is_0 = strcmp(word, "0") == 0;
    else if (strcmp(row, "repeats") == 0)
      rules.repeats_are_irrelevant = strcmp(word, "irrelevant") == 0;
    else if (strcmp(row, "empty") == 0)
      rules.empty = empty_rule_of(word);
    else if (strcmp(row, "ties") == 0)
      rules.ties = tie_rule_of(word);
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

/* Appends `count` bytes of a text to `made`, whose size is *end. */
static void append(char *made, size_t *end, const char *text, size_t count)
{
  memcpy(made + *end, text, count);
  *end += count;
  made[*end] = '\0';
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
  char *made = dorm__alloc(ROOM + number_size + strlen(pairs), 1);
  size_t end = 0;
  if (!made)
    return NULL;
  append(made, &end, row->start, strlen(row->start));
  append(made, &end, number, number_size);
  for (size_t i = 0; i < 2 && row->conventions[i]; i++)
    if (!gives(pairs, row->conventions[i])) {
      append(made, &end, strchr(made, ':') ? "," : ":", 1);
      append(made, &end, row->conventions[i], strlen(row->conventions[i]));
    }
  if (*pairs) {
    append(made, &end, strchr(made, ':') ? "," : ":", 1);
    append(made, &end, pairs, strlen(pairs));
  }
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
