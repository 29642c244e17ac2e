/*
 * trees_part.c: boosted trees as a part of a model. The trees compute outputs for a row of the feature map with the
 * part's rank block, and the objective to which they were fitted combines them to one score (trees/objectives.c). In a
 * model file
 *
 *   part trees WEIGHT OBJECTIVE relevance RANK-BLOCK OUTPUTS TREES [raw]
 *   levels LABEL ...                       the labels that are classes; without any for regression
 *   tree NODES                             any number of them; tree t, from 0, adds to output t modulo OUTPUTS
 *   split value|rank ID THRESHOLD CHILD absent:0|1 gain:NUMBER
 *   split value ID in:CATEGORY,... CHILD absent:0|1 gain:NUMBER
 *   leaf VALUE
 *
 * With `raw` the trees use the values in the data, otherwise the values that the model normalises.
 *
 * The nodes of a tree are numbered from 0 in the order of their lines, breadth-first. A document goes to node CHILD if
 * the feature's value, or its rank within the query, is below the threshold, otherwise to CHILD + 1. With `in:`, the
 * feature's value in the data is compared with increasing categories, and a document goes to CHILD if it has one of
 * them. All splits of a part on one feature have thresholds, or all have categories. If the value is
 * missing (NaN), the document goes to CHILD plus the number after `absent:`, and no mean replaces the value. The gain
 * is the improvement of the fit by the split, used only for importances. Earlier versions also wrote `gain` in place of
 * `relevance`, and the label y of a level then counts as 2^y - 1.
 */
#include "models/model_lines.h"
#include "models/models.h"

#include <math.h>
#include <string.h>

typedef struct trees_part {
  const dorm__tree_objective *objective;
  dorm__normalisation normalisation; /* the model's, or none */
  double rank_block;
  size_t num_levels;
  double *levels; /* [num_levels] */
  dorm__ensemble ensemble;
  bool *is_category; /* [num_ids] features whose values are categories */
  char description[160];
  dorm_trees shown;
} trees_part;

static void trees_free(void *state)
{
  DORM__FREED trees_part *part = state;
  if (!part)
    return;
  dorm__ensemble_clear(&part->ensemble);
  dorm__free(part->levels);
  dorm__free(part->is_category);
}

static dorm__feature_map map_of(const trees_part *part, const dorm__feature_map *map)
{
  dorm__feature_map own_map = *map;
  own_map.normalisation = part->normalisation;
  own_map.rank_block = part->rank_block;
  own_map.keeps_missing = true;
  own_map.is_category = part->is_category;
  return own_map;
}

static bool is_raw(const trees_part *part, const dorm__feature_map *map)
{
  return part->normalisation != map->normalisation;
}

/* ---- Opening ---------------------------------------------------------------------- */

/* Sets the description, with the number of trees. */
static dorm_status trees_open(dorm_context *context, void *state, const dorm__feature_map *map)
{
  trees_part *part = state;
  const dorm__ensemble *ensemble = &part->ensemble;
  (void)context;
  snprintf(part->description, sizeof part->description, "%s, %zu trees with %zu leaves, %zu output%s, rank block %g%s",
           part->objective->name, ensemble->num_trees, dorm__ensemble_num_leaves(ensemble), ensemble->num_outputs,
           ensemble->num_outputs == 1 ? "" : "s", part->rank_block, is_raw(part, map) ? ", raw values" : "");
  part->shown = (dorm_trees){part->objective->name, ensemble->num_trees, dorm__ensemble_num_leaves(ensemble),
                             ensemble->num_outputs, part->rank_block};
  return DORM_OK;
}

/* ---- Making ------------------------------------------------------------------------ */

/* Finds the features whose values are categories. *is_good becomes whether none of them has thresholds as well. */
static dorm_status find_categories(dorm_context *context, trees_part *part, bool *is_good)
{
  part->is_category = dorm__alloc_zero(part->ensemble.width, sizeof *part->is_category);
  if (!part->is_category)
    return dorm__out_of_memory(context, "a model");
  *is_good = dorm__ensemble_find_categories(&part->ensemble, part->is_category);
  return DORM_OK;
}

dorm_status dorm__trees_part_new(dorm_context *context, const dorm__feature_map *map,
                                 const dorm__tree_objective *objective, size_t num_levels, const double *levels,
                                 dorm__ensemble *ensemble, dorm__part *part)
{
  trees_part *made = dorm__alloc_zero(1, sizeof *made);
  *part = (dorm__part){0};
  if (made)
    *made = (trees_part){.objective = objective,
                         .normalisation = map->normalisation,
                         .rank_block = map->rank_block,
                         .num_levels = num_levels,
                         .levels = dorm__alloc(num_levels, sizeof *levels),
                         .ensemble = *ensemble};
  else
    dorm__ensemble_clear(ensemble);
  *ensemble = (dorm__ensemble){0};
  if (!made || !made->levels) {
    trees_free(made);
    return dorm__out_of_memory(context, "a model");
  }
  if (num_levels)
    memcpy(made->levels, levels, num_levels * sizeof *levels);
  bool is_good;
  dorm_status status = find_categories(context, made, &is_good);
  if (status == DORM_OK)
    *part = (dorm__part){&dorm__trees_part, 1, made};
  else
    trees_free(made);
  return status;
}

dorm_status dorm__trees_part_copy(dorm_context *context, const dorm__part *part, dorm__part *copy)
{
  const trees_part *from = part->state;
  const dorm__feature_map map = {.normalisation = from->normalisation, .rank_block = from->rank_block};
  dorm__ensemble ensemble;
  *copy = (dorm__part){0};
  dorm_status status =
      DORM__ALL(dorm__ensemble_copy(context, &from->ensemble, from->ensemble.num_trees, &ensemble),
                dorm__trees_part_new(context, &map, from->objective, from->num_levels, from->levels, &ensemble, copy));
  copy->weight = part->weight;
  return status;
}

/* Moves the trees of another part into this one if the scores of both are sums over trees. */
static dorm_status trees_join(dorm_context *context, void *state, void *other, double factor, bool *is_joined)
{
  trees_part *part = state, *added = other;
  *is_joined = part->objective == added->objective && part->objective->link == DORM__LINK_OUTPUT &&
               part->normalisation == added->normalisation && part->rank_block == added->rank_block &&
               part->ensemble.width == added->ensemble.width;
  if (!*is_joined)
    return DORM_OK;
  dorm_status status = DORM_OK;
  for (size_t f = 0; f < part->ensemble.width; f++)
    part->is_category[f] = part->is_category[f] || added->is_category[f];
  for (size_t t = 0; status == DORM_OK && t < added->ensemble.num_trees; t++) {
    dorm__tree *tree = &added->ensemble.trees[t];
    dorm__tree_scale(tree, factor);
    status = dorm__ensemble_add(context, &part->ensemble, tree);
    *tree = (dorm__tree){0};
  }
  trees_free(added);
  return status;
}

/* ---- Scoring ------------------------------------------------------------------------- */

static dorm_status add_scores(dorm_context *context, const trees_part *part, const dorm__features *rows,
                              size_t num_threads, double weight, double *scores)
{
  size_t num_outputs = part->ensemble.num_outputs;
  DORM__FREED double *outputs = dorm__alloc_zero(rows->num_docs, num_outputs * sizeof *outputs);
  if (!outputs)
    return dorm__out_of_memory(context, "scores");
  dorm__ensemble_add_outputs(&part->ensemble, 0, rows->num_docs, rows->values, num_threads, outputs);
  for (size_t j = 0; j < rows->num_docs; j++)
    scores[j] += weight * part->objective->score(part->num_levels, part->levels, outputs + j * num_outputs);
  return DORM_OK;
}

/* Holds the rows of the whole data set, 4 bytes for each feature of a document, and 8 for each output. */
static dorm_status trees_score(dorm_context *context, const void *state, const dorm__feature_map *map,
                               const dorm_dataset *dataset, size_t num_threads, double weight, double *scores)
{
  const trees_part *part = state;
  DORM__AT_END(dorm__features_free) dorm__features rows = {0};
  dorm__feature_map own_map = map_of(part, map);
  return DORM__ALL(dorm__features_build_full(context, dataset, &own_map, num_threads, &rows),
                   add_scores(context, part, &rows, num_threads, weight, scores));
}

static const char *trees_describe(const void *state)
{
  const trees_part *part = state;
  return part->description;
}

/* ---- The lines of a model file ---------------------------------------------------------- */

static void write_node(const dorm__tree *tree, size_t n, const dorm__feature_map *map, dorm__output *output)
{
  const dorm__tree_node *node = &tree->nodes[n];
  if (dorm__tree_node_is_leaf(tree, n)) {
    dorm__output_text(output, "leaf ");
    dorm__output_number(output, tree->values[n]);
  } else {
    dorm__output_text(output, "split %s %zu ", node->feature < map->num_ids ? "value" : "rank",
                      map->ids[node->feature % map->num_ids]);
    size_t count;
    const float *set = dorm__tree_set(tree, node, &count);
    for (size_t i = 0; i < count; i++) {
      dorm__output_text(output, i ? "," : "in:");
      dorm__output_float(output, set[i]);
    }
    if (!set)
      dorm__output_float(output, node->threshold);
    dorm__output_text(output, " %u absent:%u gain:", node->child, (unsigned)node->absent);
    dorm__output_number(output, tree->gains[n]);
  }
  dorm__output_text(output, "\n");
}

static void trees_write(const void *state, const dorm__feature_map *map, dorm__output *output)
{
  const trees_part *part = state;
  const dorm__ensemble *ensemble = &part->ensemble;
  dorm__output_text(output, " %s relevance %s %zu %zu%s\nlevels", part->objective->name, DORM__NUMBER(part->rank_block),
                    ensemble->num_outputs, ensemble->num_trees, is_raw(part, map) ? " raw" : "");
  dorm__output_numbers(output, part->num_levels, part->levels);
  for (size_t t = 0; t < ensemble->num_trees; t++) {
    dorm__output_text(output, "tree %zu\n", ensemble->trees[t].num_nodes);
    for (size_t n = 0; n < ensemble->trees[t].num_nodes; n++)
      write_node(&ensemble->trees[t], n, map, output);
  }
}

/* Returns whether the rest of a line begins with `word`, and if so moves *text behind it. */
static bool take(char **text, const char *word)
{
  size_t size = strlen(word);
  *text += strspn(*text, " \t");
  bool is_there = strncmp(*text, word, size) == 0;
  *text += is_there ? size : 0;
  return is_there;
}

/* Returns the next word of a line, or "", and moves *text behind it. */
static char *next_word(char **text)
{
  char *word = *text + strspn(*text, " \t");
  *text = word + strcspn(word, " \t");
  if (**text)
    *(*text)++ = '\0';
  return word;
}

/* Reads "OBJECTIVE relevance|gain RANK-BLOCK OUTPUTS TREES [raw]". */
static dorm_status read_head(dorm_context *context, const dorm__model_lines *lines, const dorm__feature_map *map,
                             char *text, trees_part *part, bool *is_gain, size_t *num_trees)
{
  const char *word = next_word(&text);
  part->objective = dorm__tree_objective_named(word);
  if (!part->objective)
    return dorm__line_reader_fail(context, lines->reader, "trees of the objective '%.40s' are not known here", word);
  word = next_word(&text);
  *is_gain = strcmp(word, "gain") == 0;
  if (!*is_gain && strcmp(word, "relevance") != 0)
    return dorm__line_reader_fail(context, lines->reader, "trees cannot be ranked by an expected '%.40s'", word);
  if (!dorm__next_number(&text, " \t", &part->rank_block) || part->rank_block < 0)
    return dorm__line_reader_fail(context, lines->reader, "'part trees' needs a rank block of 0 or more");
  if (!dorm__next_count(&text, 0, 1e6, &part->ensemble.num_outputs) || !dorm__next_count(&text, 0, 1e9, num_trees))
    return dorm__line_reader_fail(context, lines->reader, "'part trees' needs the numbers of outputs and of trees");
  word = dorm__trim(text);
  if (*word && strcmp(word, "raw") != 0)
    return dorm__line_reader_fail(context, lines->reader, "'part trees' ends with 'raw' or nothing, not '%.40s'", word);
  part->normalisation = *word ? DORM__NORMALISATION_NONE : map->normalisation;
  dorm__feature_map own_map = map_of(part, map);
  part->ensemble.width = dorm__feature_map_width(&own_map);
  return DORM_OK;
}

static dorm_status read_levels(dorm_context *context, dorm__model_lines *lines, bool is_gain, trees_part *part)
{
  char *text = NULL;
  size_t capacity = 0;
  dorm_status status = dorm__model_lines_expect(context, lines, "levels", &text);
  while (status == DORM_OK && *(text = dorm__trim(text))) {
    double level = 0;
    bool is_number = dorm__next_number(&text, " \t", &level);
    level = is_number && is_gain ? exp2(level) - 1 : level;
    if (!is_number || !isfinite(level) || (part->num_levels && level <= part->levels[part->num_levels - 1]))
      return dorm__line_reader_fail(context, lines->reader, "'levels' needs increasing labels");
    if (!DORM__GROW(part->levels, capacity, part->num_levels + 1))
      return dorm__out_of_memory(context, "a model");
    part->levels[part->num_levels++] = level;
  }
  if (status != DORM_OK)
    return status;
  bool good = part->objective->needs_levels ? part->num_levels >= 2 : part->num_levels == 0;
  if (!good || part->objective->num_outputs(part->num_levels) != part->ensemble.num_outputs)
    return dorm__line_reader_fail(context, lines->reader, "%zu levels do not go with %zu outputs of %s",
                                  part->num_levels, part->ensemble.num_outputs, part->objective->name);
  return DORM_OK;
}

/* Finds the place of feature `id` among the values or, if is_rank, the ranks. */
static bool find_feature(const trees_part *part, const dorm__feature_map *map, bool is_rank, size_t id,
                         uint32_t *feature)
{
  size_t place = dorm__map_place(map, id);
  *feature = (uint32_t)(place + (is_rank ? map->num_ids : 0));
  return place < map->num_ids && (!is_rank || part->rank_block > 0);
}

/* Reads "CATEGORY,..." as the set of node n. */
static dorm_status read_set(dorm_context *context, const dorm__model_lines *lines, char **text, dorm__tree *tree,
                            size_t n)
{
  size_t count = 0, capacity = 0;
  DORM__FREED float *categories = NULL;
  for (bool is_last = false; !is_last; count++) {
    double category;
    if (!dorm__next_number(text, ", \t", &category))
      return dorm__line_reader_fail(context, lines->reader, "'split' needs finite numbers with commas after 'in:'");
    if (!DORM__GROW(categories, capacity, count + 1))
      return dorm__out_of_memory(context, "a model");
    categories[count] = (float)category;
    is_last = **text != ',';
    *text += !is_last;
  }
  return dorm__tree_add_set(tree, n, count, categories) ? DORM_OK : dorm__out_of_memory(context, "a model");
}

/* Reads "value|rank ID THRESHOLD|in:CATEGORY,... CHILD absent:0|1 gain:NUMBER" as node n. */
static dorm_status read_split(dorm_context *context, const dorm__model_lines *lines, const dorm__feature_map *map,
                              const trees_part *part, char *text, dorm__tree *tree, size_t n)
{
  dorm__tree_node *node = &tree->nodes[n];
  size_t id = 0;
  size_t child = 0;
  size_t absent = 0;
  double threshold = DORM__IN_SET;
  const char *kind = next_word(&text);
  bool is_rank = strcmp(kind, "rank") == 0;
  if ((!is_rank && strcmp(kind, "value") != 0) || !dorm__next_count(&text, 0, DORM__LARGEST_ID, &id))
    return dorm__line_reader_fail(context, lines->reader, "'split' needs 'value' or 'rank' and the id of a feature");
  if (!find_feature(part, map, is_rank, id, &node->feature))
    return dorm__line_reader_fail(context, lines->reader, "'split %s %zu': the model has no such feature", kind, id);
  if (!is_rank && take(&text, "in:")) {
    dorm_status status = read_set(context, lines, &text, tree, n);
    if (status != DORM_OK)
      return status;
  } else if (!dorm__next_number(&text, " \t", &threshold) || !isfinite((float)threshold)) {
    return dorm__line_reader_fail(context, lines->reader, "'split' needs a finite threshold");
  }
  if (!dorm__next_count(&text, 0, UINT32_MAX, &child))
    return dorm__line_reader_fail(context, lines->reader, "'split' needs the number of its first child");
  if (!take(&text, "absent:") || !dorm__next_count(&text, 0, 1, &absent) || !take(&text, "gain:") ||
      !dorm__next_number(&text, " \t", &tree->gains[n]) || *dorm__trim(text))
    return dorm__line_reader_fail(context, lines->reader, "'split' needs absent:0 or absent:1, and gain:NUMBER");
  node->threshold = (float)threshold;
  node->child = (uint32_t)child;
  node->absent = absent & 1;
  return DORM_OK;
}

/* Reads the next line as node n, for which there is room. */
static dorm_status read_node(dorm_context *context, dorm__model_lines *lines, const dorm__feature_map *map,
                             const trees_part *part, size_t n, dorm__tree *tree)
{
  char *word = NULL;
  char *text = NULL;
  tree->nodes[n] = (dorm__tree_node){.threshold = INFINITY, .child = (uint32_t)n};
  tree->values[n] = tree->gains[n] = 0;
  dorm_status status = dorm__model_lines_next(context, lines, &word, &text);
  if (status != DORM_OK)
    return status;
  if (word && strcmp(word, "leaf") == 0)
    return dorm__next_number(&text, " \t", &tree->values[n]) && !*dorm__trim(text)
               ? DORM_OK
               : dorm__line_reader_fail(context, lines->reader, "'leaf' needs one finite number");
  if (!word || strcmp(word, "split") != 0)
    return dorm__line_reader_fail(context, lines->reader, "expected a line 'split' or 'leaf', but found %s%.40s%s",
                                  word ? "'" : "the end of the file", word ? word : "", word ? "'" : "");
  return DORM__ALL(
      read_split(context, lines, map, part, text, tree, n),
      tree->nodes[n].child <= n
          ? dorm__line_reader_fail(context, lines->reader,
                                   "node %zu has the child %u above itself: the nodes would go round in a circle", n,
                                   tree->nodes[n].child)
          : DORM_OK);
}

static dorm_status read_tree(dorm_context *context, dorm__model_lines *lines, const dorm__feature_map *map,
                             trees_part *part)
{
  char *text = NULL;
  size_t num_nodes = 0;
  size_t capacities[3] = {0};
  dorm__tree tree = {0};
  dorm_status status = dorm__model_lines_expect(context, lines, "tree", &text);
  if (status != DORM_OK)
    return status;
  if (!dorm__next_count(&text, 0, 1e9, &num_nodes) || !num_nodes || *dorm__trim(text))
    return dorm__line_reader_fail(context, lines->reader, "'tree' needs a number of nodes");
  for (size_t n = 0; status == DORM_OK && n < num_nodes; n++) {
    if (!DORM__GROW(tree.nodes, capacities[0], n + 1) || !DORM__GROW(tree.values, capacities[1], n + 1) ||
        !DORM__GROW(tree.gains, capacities[2], n + 1)) {
      status = dorm__out_of_memory(context, "a model");
      break;
    }
    tree.num_nodes = n + 1;
    status = read_node(context, lines, map, part, n, &tree);
  }
  size_t node = 0;
  const char *fault = status == DORM_OK ? dorm__tree_fault(&tree, part->ensemble.width, &node) : NULL;
  if (fault)
    status = dorm__line_reader_fail(context, lines->reader, "tree %zu, which ends here: node %zu: %s",
                                    part->ensemble.num_trees, node, fault);
  if (status == DORM_OK)
    return dorm__ensemble_add(context, &part->ensemble, &tree);
  dorm__tree_clear(&tree);
  return status;
}

static dorm_status trees_read(dorm_context *context, dorm__model_lines *lines, const dorm__feature_map *map, char *text,
                              void **state)
{
  size_t num_trees = 0;
  bool is_gain = false;
  trees_part *part = dorm__alloc_zero(1, sizeof *part);
  *state = NULL;
  if (!part)
    return dorm__out_of_memory(context, "a model");
  dorm_status status = DORM__ALL(
      read_head(context, lines, map, text, part, &is_gain, &num_trees), read_levels(context, lines, is_gain, part),
      num_trees % part->ensemble.num_outputs
          ? dorm__line_reader_fail(context, lines->reader, "%zu trees are not the same number for each of %zu outputs",
                                   num_trees, part->ensemble.num_outputs)
          : DORM_OK);
  for (size_t t = 0; status == DORM_OK && t < num_trees; t++)
    status = read_tree(context, lines, map, part);
  bool is_good = true;
  if (status == DORM_OK)
    status = find_categories(context, part, &is_good);
  if (!is_good)
    status = dorm__line_reader_fail(context, lines->reader, "a feature of the trees has thresholds and categories");
  return DORM__GIVE(status, state, part, trees_free);
}

const dorm__part_kind dorm__trees_part = {
    .word = "trees",
    .score = trees_score,
    .join = trees_join,
    .open = trees_open,
    .write = trees_write,
    .read = trees_read,
    .describe = trees_describe,
    .free = trees_free,
};

bool dorm__part_trees(const dorm__part *part, dorm__model_trees *trees)
{
  if (part->kind != &dorm__trees_part)
    return false;
  const trees_part *own = part->state;
  *trees = (dorm__model_trees){.weight = part->weight,
                               .description = own->description,
                               .objective = own->objective,
                               .normalisation = own->normalisation,
                               .rank_block = own->rank_block,
                               .is_category = own->is_category,
                               .num_levels = own->num_levels,
                               .levels = own->levels,
                               .ensemble = &own->ensemble,
                               .shown = &own->shown};
  return true;
}

bool dorm__model_trees_at(const dorm_model *model, size_t index, dorm__model_trees *trees)
{
  for (size_t i = 0; i < model->num_parts; i++)
    if (dorm__part_trees(&model->parts[i], trees) && index-- == 0)
      return true;
  return false;
}
