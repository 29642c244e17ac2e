/*
 * xgboost.c: trees as a model of XGBoost itself, in the JSON that its save_model writes and load_model reads (version
 * 1.7). Column i of a row is exported feature i, with its name in feature_names. The score is the sum of the leaves,
 * because the objective is reg:squarederror, which does not change it, and the base score is 0. A NaN value is missing,
 * as in dorm. The library distinguishes 2 from 2.0.
 *
 * The text dump is a line for each node, behind a tab for each level, in the order in which dump_model(file) of XGBoost
 * writes them:
 *
 *   booster[0]:
 *   0:[feature_3<0.5] yes=1,no=2,missing=1
 *           1:leaf=0.1
 *           2:leaf=-0.1
 */
#include "models/export/parts.h"

#include <limits.h>
#include <string.h>

/* Writes a count, which is a text. */
static void write_count(dorm__json *json, const char *key, size_t count)
{
  char text[DORM__NUMBER_SIZE];
  snprintf(text, sizeof text, "%zu", count);
  dorm__json_text(json, key, text);
}

/* The lists of a tree, each with one number for each node. */
typedef enum node_list { LEFT, RIGHT, PARENTS, FEATURES, DEFAULT_LEFT, SPLIT_TYPES, NUM_WHOLE_LISTS } node_list;
static const char *const whole_lists[NUM_WHOLE_LISTS] = {
    [LEFT] = "left_children",     [RIGHT] = "right_children",      [PARENTS] = "parents",
    [FEATURES] = "split_indices", [DEFAULT_LEFT] = "default_left", [SPLIT_TYPES] = "split_type",
};

/* Returns an entry of a list. A leaf has the children -1, the root the parent INT_MAX. */
static long long whole_of(const dorm__exported *all, const dorm__exported_tree *tree, size_t n, node_list list)
{
  const dorm__exported_node *node = &tree->nodes[n];
  switch (list) {
  case LEFT:
    return node->is_leaf ? -1 : (long long)node->yes;
  case RIGHT:
    return node->is_leaf ? -1 : (long long)node->no;
  case PARENTS:
    return n ? (long long)node->parent : INT_MAX;
  case FEATURES:
    return node->is_leaf ? 0 : (long long)all->columns[node->feature];
  case DEFAULT_LEFT:
    return !node->is_leaf && node->missing == node->yes;
  default:
    return 0; /* splits are on numbers, not on categories */
  }
}

static void write_tree(const dorm__exported *all, size_t number, dorm__json *json)
{
  static const char *const zeros[] = {"base_weights", "loss_changes",
                                      "sum_hessian"}; /* prediction needs none of them */
  static const char *const empty[] = {"categories", "categories_nodes", "categories_segments", "categories_sizes"};
  const dorm__exported_tree *tree = &all->trees[number];
  dorm__json_begin(json, NULL, '{', true);
  dorm__json_whole(json, "id", number);
  for (size_t i = 0; i < NUM_WHOLE_LISTS; i++) {
    dorm__json_begin(json, whole_lists[i], '[', true);
    for (size_t n = 0; n < tree->num_nodes; n++)
      dorm__json_number(json, NULL, (double)whole_of(all, tree, n, (node_list)i));
    dorm__json_end(json);
  }
  dorm__json_begin(json, "split_conditions", '[', true);
  for (size_t n = 0; n < tree->num_nodes; n++)
    dorm__json_float(json, NULL,
                     tree->nodes[n].is_leaf ? (float)(tree->weight * tree->nodes[n].value) : tree->nodes[n].threshold);
  dorm__json_end(json);
  for (size_t i = 0; i < sizeof zeros / sizeof *zeros; i++) {
    dorm__json_begin(json, zeros[i], '[', true);
    for (size_t n = 0; n < tree->num_nodes; n++)
      dorm__json_float(json, NULL, 0);
    dorm__json_end(json);
  }
  for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
    dorm__json_begin(json, empty[i], '[', true);
    dorm__json_end(json);
  }
  dorm__json_begin(json, "tree_param", '{', true);
  write_count(json, "num_deleted", 0);
  write_count(json, "num_feature", all->count);
  write_count(json, "num_nodes", tree->num_nodes);
  write_count(json, "size_leaf_vector", 0);
  dorm__json_end(json);
  dorm__json_end(json);
}

static void write_booster(const dorm__exported *all, dorm__json *json)
{
  dorm__json_begin(json, "gradient_booster", '{', false);
  dorm__json_begin(json, "model", '{', false);
  dorm__json_begin(json, "gbtree_model_param", '{', true);
  write_count(json, "num_parallel_tree", 1);
  write_count(json, "num_trees", all->num_trees);
  write_count(json, "size_leaf_vector", 0);
  dorm__json_end(json);
  dorm__json_begin(json, "tree_info", '[', true);
  for (size_t t = 0; t < all->num_trees; t++)
    dorm__json_whole(json, NULL, 0); /* the tree's output */
  dorm__json_end(json);
  dorm__json_begin(json, "trees", '[', false);
  for (size_t t = 0; t < all->num_trees; t++)
    write_tree(all, t, json);
  dorm__json_end(json);
  dorm__json_end(json);
  dorm__json_text(json, "name", "gbtree");
  dorm__json_end(json);
}

static void write_learner(const dorm__exported *all, dorm__json *json)
{
  dorm__json_begin(json, "learner", '{', false);
  dorm__json_begin(json, "attributes", '{', true);
  dorm__json_text(json, "name", all->name);
  dorm__json_end(json);
  dorm__json_begin(json, "feature_names", '[', true);
  for (size_t i = 0; i < all->count; i++)
    dorm__json_text(json, NULL, all->feature_names[all->features[i]]);
  dorm__json_end(json);
  dorm__json_begin(json, "feature_types", '[', true);
  for (size_t i = 0; i < all->count; i++)
    dorm__json_text(json, NULL, "float");
  dorm__json_end(json);
  write_booster(all, json);
  dorm__json_begin(json, "learner_model_param", '{', true);
  dorm__json_text(json, "base_score", "0");
  dorm__json_text(json, "boost_from_average", "0");
  write_count(json, "num_class", 0);
  write_count(json, "num_feature", all->count);
  write_count(json, "num_target", 1);
  dorm__json_end(json);
  dorm__json_begin(json, "objective", '{', true);
  dorm__json_text(json, "name", "reg:squarederror");
  dorm__json_begin(json, "reg_loss_param", '{', true);
  dorm__json_text(json, "scale_pos_weight", "1");
  dorm__json_end(json);
  dorm__json_end(json);
  dorm__json_end(json);
}

dorm_status dorm__export_xgboost(dorm_context *context, const dorm__exported *all)
{
  static const size_t version[] = {1, 7, 4};
  dorm__json json = dorm__json_on(all->output);
  dorm__json_begin(&json, NULL, '{', false);
  write_learner(all, &json);
  dorm__json_begin(&json, "version", '[', true);
  for (size_t i = 0; i < sizeof version / sizeof *version; i++)
    dorm__json_whole(&json, NULL, version[i]);
  dorm__json_end(&json);
  dorm__json_end(&json);
  return dorm__json_finish(context, &json);
}

/* ---- The text dump ------------------------------------------------------------------ */

/* Writes the line of a node. The dump has no place for the weight of a part, so it multiplies the leaves. */
static void dump_node(const dorm__exported *all, const dorm__exported_tree *tree, size_t n)
{
  const dorm__exported_node *node = &tree->nodes[n];
  for (size_t level = 0; level < node->depth; level++)
    dorm__output_text(all->output, "\t");
  if (node->is_leaf) {
    dorm__output_text(all->output, "%zu:leaf=%s\n", n, DORM__FLOAT((float)(tree->weight * node->value)));
    return;
  }
  dorm__output_text(all->output, "%zu:[%s<%s] yes=%zu,no=%zu,missing=%zu\n", n, all->feature_names[node->feature],
                    DORM__FLOAT(node->threshold), node->yes, node->no, node->missing);
}

/* Writes the nodes in preorder. Needs no stack: after a leaf comes the `no` side of the nearest split above with the
 * leaf on its `yes` side. */
static void dump_tree(const dorm__exported *all, const dorm__exported_tree *tree)
{
  size_t n = 0;
  for (;;) {
    const dorm__exported_node *node = &tree->nodes[n];
    dump_node(all, tree, n);
    if (!node->is_leaf) {
      n = node->yes;
      continue;
    }
    while (n != 0 && n == tree->nodes[tree->nodes[n].parent].no)
      n = tree->nodes[n].parent;
    if (n == 0)
      return;
    n = tree->nodes[tree->nodes[n].parent].no;
  }
}

dorm_status dorm__export_xgboost_dump(dorm_context *context, const dorm__exported *all)
{
  for (size_t f = 0; f < all->model->map.num_ids; f++)
    if (all->is_split[f] && strpbrk(all->feature_names[f], "[]<"))
      return dorm__fail(context, DORM_BAD_DATA,
                        "the name '%.200s' of feature %zu contains [, ] or <, which XGBoost allows in no name",
                        all->feature_names[f], all->model->map.ids[f]);
  for (size_t t = 0; t < all->num_trees; t++) {
    dorm__output_text(all->output, "booster[%zu]:\n", t);
    dump_tree(all, &all->trees[t]);
  }
  return DORM_OK;
}
