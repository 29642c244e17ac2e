/*
 * xgboost.c: the one door to libxgboost. The training rows are handed over once; each tree is grown by a booster of its
 * own, by histograms (tree_method=hist) and best-first (grow_policy=lossguide), and taken out of the library's text
 * dump, whose thresholds have nine digits and so read back as the same floats. A failure inside the library becomes a
 * status with its first line as the message. The library is loaded when trees are grown, since that takes longer than
 * many a whole call of the command.
 */
#include "trees/xgboost.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- A tree from its text ------------------------------------------------------------ */

/* A node as the dump gives it, under the library's own number. */
typedef struct dumped {
  bool is_there, is_split;
  size_t feature, yes, no, missing;
  double number; /* threshold or value */
  double gain;
} dumped;

typedef struct dump {
  size_t count, capacity;
  dumped *nodes; /* [count], by number */
} dump;

static bool take_text(const char **text, const char *wanted)
{
  size_t size = strlen(wanted);
  if (strncmp(*text, wanted, size) != 0)
    return false;
  *text += size;
  return true;
}

static bool take_number(const char **text, double *number)
{
  const char *rest = dorm__parse_double(*text, *text + strlen(*text), number);
  if (!rest || !isfinite(*number))
    return false;
  *text = rest;
  return true;
}

static bool take_count(const char **text, size_t *count)
{
  enum { MOST = 1 << 24 };
  double number;
  if (!take_number(text, &number) || number < 0 || number > MOST || number != floor(number))
    return false;
  *count = (size_t)number;
  return true;
}

/* "[f3<0.5] yes=1,no=2,missing=1,gain=7.5,cover=20" or "leaf=0.25,cover=8" */
static bool take_node(const char **text, dumped *node)
{
  *node = (dumped){.is_there = true};
  if (take_text(text, "leaf="))
    return take_number(text, &node->number);
  node->is_split = true;
  return take_text(text, "[f") && take_count(text, &node->feature) && take_text(text, "<") &&
         take_number(text, &node->number) && take_text(text, "] yes=") && take_count(text, &node->yes) &&
         take_text(text, ",no=") && take_count(text, &node->no) && take_text(text, ",missing=") &&
         take_count(text, &node->missing) && take_text(text, ",gain=") && take_number(text, &node->gain);
}

static dorm_status read_dump(dorm_context *context, const char *text, dump *made)
{
  for (text += strspn(text, "\t\n"); *text; text += strspn(text, "\t\n")) {
    size_t number;
    dumped node;
    if (!take_count(&text, &number) || !take_text(&text, ":") || !take_node(&text, &node))
      return dorm__fail(context, DORM_BAD_DATA, "libxgboost describes a tree by '%.40s', which dorm cannot read", text);
    text += strcspn(text, "\n"); /* the cover, which is not needed */
    if (!dorm__grow((void **)&made->nodes, &made->capacity, number + 1, sizeof *made->nodes))
      return dorm__out_of_memory(context, "a tree");
    for (; made->count <= number; made->count++)
      made->nodes[made->count] = (dumped){0};
    made->nodes[number] = node;
  }
  return DORM_OK;
}

/* Numbers the nodes that can be reached from the root breadth-first: order[n] is the library's number of node n, of
 * which there are *num_nodes, each met once. */
static bool put_in_order(const dump *from, size_t *order, size_t *num_nodes)
{
  size_t count = 1;
  order[0] = 0;
  for (size_t n = 0; n < count; n++) {
    const dumped *node = order[n] < from->count ? &from->nodes[order[n]] : NULL;
    if (!node || !node->is_there)
      return false;
    if (!node->is_split)
      continue;
    if (count + 2 > from->count) /* more children than nodes: a node is met twice */
      return false;
    order[count++] = node->yes;
    order[count++] = node->no;
  }
  *num_nodes = count;
  return true;
}

static void fill_tree(const dump *from, const size_t *order, dorm__tree *tree)
{
  size_t next = 1;
  for (size_t n = 0; n < tree->num_nodes; n++) {
    const dumped *node = &from->nodes[order[n]];
    if (node->is_split) {
      tree->nodes[n] = (dorm__tree_node){.threshold = (float)node->number,
                                         .feature = (uint32_t)node->feature,
                                         .child = (uint32_t)next,
                                         .absent = node->missing == node->no};
      tree->gains[n] = node->gain;
      next += 2;
    } else {
      tree->nodes[n] = (dorm__tree_node){.threshold = INFINITY, .child = (uint32_t)n};
      tree->values[n] = node->number;
    }
  }
}

dorm_status dorm__tree_from_dump(dorm_context *context, const char *text, dorm__tree *tree)
{
  dump from = {0};
  size_t num_nodes = 0;
  *tree = (dorm__tree){0};
  dorm_status status = read_dump(context, text, &from);
  size_t *order = dorm__alloc(from.count + 2, sizeof *order);
  if (status == DORM_OK && !order)
    status = dorm__out_of_memory(context, "a tree");
  if (status == DORM_OK && !put_in_order(&from, order, &num_nodes))
    status = dorm__fail(context, DORM_BAD_DATA, "libxgboost describes a tree whose nodes do not hang together");
  if (status == DORM_OK && !dorm__tree_make(num_nodes, tree))
    status = dorm__out_of_memory(context, "a tree");
  if (status == DORM_OK)
    fill_tree(&from, order, tree);
  dorm__free(order);
  dorm__free(from.nodes);
  return status;
}

#ifdef HAVE_XGBOOST

#include "base/module.h"

#include <xgboost/c_api.h>

/* The functions of libxgboost that are called. */
#define FOR_EACH_FUNCTION(what)                                                                                        \
  what(XGBGetLastError) what(XGDMatrixCreateFromMat_omp) what(XGDMatrixSetFloatInfo) what(XGDMatrixFree)               \
      what(XGBoosterCreate) what(XGBoosterSetParam) what(XGBoosterBoostOneIter) what(XGBoosterDumpModelEx)             \
          what(XGBoosterFree)
#define DECLARE(name) __typeof__(name) *name;
#define NAME(name)    #name,
#define PLACE(name)   &library->name,

typedef struct xgboost {
  FOR_EACH_FUNCTION(DECLARE)
} xgboost;

struct dorm__tree_grower {
  xgboost library;
  DMatrixHandle rows;
  size_t num_docs;
  size_t num_threads;
};

static dorm_status load(dorm_context *context, xgboost *library)
{
  static const char *const names[] = {FOR_EACH_FUNCTION(NAME)};
  void *const places[] = {FOR_EACH_FUNCTION(PLACE)};
  return dorm__library_load(context, "training.trainer = trees needs libxgboost", XGBOOST_LIBRARY,
                            sizeof names / sizeof *names, names, places);
}

/* What the library says of its last failure on this thread; its message goes on over many lines of addresses. */
static dorm_status fail(dorm_context *context, const xgboost *library, const char *what)
{
  const char *message = library->XGBGetLastError();
  if (strstr(message, "bad_alloc"))
    return dorm__out_of_memory(context, "trees");
  const char *place = strstr(message, "] "); /* "[12:00:00] file:line: " */
  message = place ? place + 2 : message;
  return dorm__fail(context, DORM_NUMERICAL_FAILURE, "libxgboost cannot %s: %.*s", what, (int)strcspn(message, "\n"),
                    message);
}

dorm_status dorm__tree_grower_check(dorm_context *context)
{
  xgboost library;
  return load(context, &library);
}

dorm_status dorm__tree_grower_new(dorm_context *context, size_t num_docs, size_t width, const float *rows,
                                  size_t num_threads, dorm__tree_grower **grower)
{
  *grower = NULL;
  if (!width)
    return dorm__fail(context, DORM_BAD_DATA, "training.trainer = trees: the data have no feature to split on");
  dorm__tree_grower *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "trees");
  made->num_docs = num_docs;
  made->num_threads = num_threads;
  dorm_status status = load(context, &made->library);
  if (status == DORM_OK &&
      made->library.XGDMatrixCreateFromMat_omp(rows, num_docs, width, NAN, &made->rows, (int)num_threads) != 0)
    status = fail(context, &made->library, "take the rows");
  if (status == DORM_OK)
    *grower = made;
  else
    dorm__free(made);
  return status;
}

dorm_status dorm__tree_grower_weigh(dorm_context *context, dorm__tree_grower *grower, const float *weights)
{
  return grower->library.XGDMatrixSetFloatInfo(grower->rows, "weight", weights, grower->num_docs) == 0
             ? DORM_OK
             : fail(context, &grower->library, "take the weights");
}

void dorm__tree_grower_free(dorm__tree_grower *grower)
{
  if (grower)
    grower->library.XGDMatrixFree(grower->rows);
  dorm__free(grower);
}

static int set_parameters(BoosterHandle booster, const dorm__tree_grower *grower, const dorm__tree_growth *growth)
{
  enum { NUM_NUMBERS = 8 };
  static const char *const texts[][2] = {{"verbosity", "0"},
                                         {"booster", "gbtree"},
                                         {"tree_method", "hist"},
                                         {"grow_policy", "lossguide"},
                                         {"max_depth", "0"},
                                         {"objective", "reg:squarederror"},
                                         {"eta", "1"}};
  const struct {
    const char *name;
    double value;
  } numbers[NUM_NUMBERS] = {
      {"max_leaves", (double)growth->leaves},
      {"max_bin", (double)growth->bins},
      {"min_child_weight", growth->least_curvature},
      {"colsample_bytree", growth->features_share},
      {"seed", (double)(growth->seed % 1000000007u)}, /* the library keeps 32 bits of it */
      {"nthread", (double)grower->num_threads},
      {"base_score", 0.5},
      {"lambda", growth->penalty},
  };
  int failed = 0;
  char text[DORM__NUMBER_SIZE];
  for (size_t i = 0; !failed && i < sizeof texts / sizeof *texts; i++)
    failed = grower->library.XGBoosterSetParam(booster, texts[i][0], texts[i][1]);
  for (size_t i = 0; !failed && i < NUM_NUMBERS; i++) {
    if (numbers[i].value == floor(numbers[i].value))
      snprintf(text, sizeof text, "%" PRIu64, (uint64_t)numbers[i].value);
    else
      dorm__format_double(text, numbers[i].value);
    failed = grower->library.XGBoosterSetParam(booster, numbers[i].name, text);
  }
  return failed;
}

dorm_status dorm__tree_grow(dorm_context *context, dorm__tree_grower *grower, const dorm__tree_growth *growth,
                            float *gradient, float *curvature, dorm__tree *tree)
{
  const xgboost *library = &grower->library;
  BoosterHandle booster = NULL;
  const char **texts = NULL;
  bst_ulong num_texts = 0;
  *tree = (dorm__tree){0};
  if (library->XGBoosterCreate(&grower->rows, 1, &booster) != 0)
    return fail(context, library, "begin a tree");
  bool good = set_parameters(booster, grower, growth) == 0 &&
              library->XGBoosterBoostOneIter(booster, grower->rows, gradient, curvature, grower->num_docs) == 0 &&
              library->XGBoosterDumpModelEx(booster, "", 1, "text", &num_texts, &texts) == 0;
  dorm_status status = !good            ? fail(context, library, "grow a tree")
                       : num_texts == 1 ? dorm__tree_from_dump(context, texts[0], tree)
                                        : dorm__fail(context, DORM_NUMERICAL_FAILURE, "libxgboost grew no tree");
  library->XGBoosterFree(booster);
  return status;
}

#else

dorm_status dorm__tree_grower_check(dorm_context *context)
{
  return dorm__fail(
      context, DORM_BAD_USAGE,
      "training.trainer = trees: this dorm was built without libxgboost, which grows the trees; on Debian "
      "install libxgboost-dev and configure --with-xgboost");
}

dorm_status dorm__tree_grower_new(dorm_context *context, size_t num_docs, size_t width, const float *rows,
                                  size_t num_threads, dorm__tree_grower **grower)
{
  (void)num_docs, (void)width, (void)rows, (void)num_threads;
  *grower = NULL;
  return dorm__tree_grower_check(context);
}

dorm_status dorm__tree_grower_weigh(dorm_context *context, dorm__tree_grower *grower, const float *weights)
{
  (void)grower, (void)weights;
  return dorm__tree_grower_check(context);
}

void dorm__tree_grower_free(dorm__tree_grower *grower)
{
  (void)grower;
}

dorm_status dorm__tree_grow(dorm_context *context, dorm__tree_grower *grower, const dorm__tree_growth *growth,
                            float *gradient, float *curvature, dorm__tree *tree)
{
  (void)grower, (void)growth, (void)gradient, (void)curvature;
  *tree = (dorm__tree){0};
  return dorm__tree_grower_check(context);
}

#endif
