/*
 * c.c: models as a function in C89, which is valid C++ as well and holds every part that can be exported. It includes
 * only math.h, and that only for the exponentials in scores of trees and the tanh of nets. Trees are tables: split
 * number s is in NAME_splits, a child that is negative is leaf number -1 - child in NAME_values. Nets are the table
 * NAME_units, a row for each hidden unit, and NAME_means for missing values.
 */
#include "models/export/parts.h"

#include <string.h>

/* Writes a string literal of C. Quotes, question marks (which begin trigraphs) and all bytes that are not printable
 * ASCII are octal. */
static void write_literal(dorm__output *output, const char *text)
{
  dorm__output_text(output, "\"");
  for (const char *c = text; *c; c++)
    dorm__output_text(output, *c < ' ' || *c > '~' || strchr("\"\\?", *c) ? "\\%03o" : "%c", (unsigned char)*c);
  dorm__output_text(output, "\"");
}

static void write_comment(const dorm__exported *all)
{
  dorm__output_text(all->output,
                    "/*\n * Written by dorm %s: the score of a document, higher ranks first.\n *\n"
                    " *   double %s_score(const double *features);\n *\n"
                    " * features[i], i < %zu, is the feature %s_names[i], whose id is %s_ids[i];\n"
                    " * 0 if the document lacks it, NaN if it is not known.\n */\n",
                    dorm_version(), all->name, all->count, all->name, all->name);
}

static void write_names(const dorm__exported *all)
{
  dorm__output *output = all->output;
  size_t size = all->count ? all->count : 1;
  dorm__output_text(output, "extern const unsigned long %s_ids[%zu];\nextern const char *const %s_names[%zu];\n",
                    all->name, size, all->name, size);
  dorm__output_text(output, "double %s_score(const double *features);\n\nconst unsigned long %s_ids[%zu] = {",
                    all->name, all->name, size);
  for (size_t i = 0; i < all->count; i++)
    dorm__output_text(output, "%s%zuUL", i ? ", " : "", all->model->map.ids[all->features[i]]);
  dorm__output_text(output, "%s};\nconst char *const %s_names[%zu] = {", all->count ? "" : "0UL", all->name, size);
  for (size_t i = 0; i < all->count; i++) {
    dorm__output_text(output, "%s\n    ", i ? "," : "");
    write_literal(output, all->feature_names[all->features[i]]);
  }
  dorm__output_text(output, "%s};\n\n", all->count ? "" : "\"\"");
}

/* ---- Trees -------------------------------------------------------------------------- */

/* The numbers of splits and leaves so far. */
typedef struct counts {
  long long splits, leaves;
} counts;

/* Fills numbers[num_nodes]: s for split s, -1 - l for leaf l. */
static void number_nodes(const dorm__exported_tree *tree, counts *so_far, long long *numbers)
{
  for (size_t n = 0; n < tree->num_nodes; n++)
    numbers[n] = tree->nodes[n].is_leaf ? -1 - so_far->leaves++ : so_far->splits++;
}

typedef enum table { SPLITS, VALUES, ROOTS } table;

/* Writes the rows of one tree in a table. Thresholds are doubles that are floats. */
static void write_rows(const dorm__exported *all, const dorm__exported_tree *tree, const long long *numbers,
                       table which)
{
  if (which == ROOTS)
    dorm__output_text(all->output, "    %lld,\n", numbers[0]);
  for (size_t n = 0; n < tree->num_nodes && which != ROOTS; n++) {
    const dorm__exported_node *node = &tree->nodes[n];
    if (node->is_leaf != (which == VALUES))
      continue;
    if (node->is_leaf)
      dorm__output_text(all->output, "    %s,\n", DORM__NUMBER(node->value));
    else
      dorm__output_text(all->output, "    {%s, %zu, %lld, %lld, %lld},\n", DORM__NUMBER((double)node->threshold),
                        all->columns[node->feature], numbers[node->yes], numbers[node->no], numbers[node->missing]);
  }
}

static dorm_status write_table(dorm_context *context, const dorm__exported *all, table which)
{
  static const char *const last_rows[] = {"    {0, 0, -1, -1, -1}};\n", "    0};\n", "    -1};\n"};
  counts so_far = {0, 0};
  for (size_t t = 0; t < all->num_trees; t++) {
    DORM__FREED long long *numbers = dorm__alloc(all->trees[t].num_nodes, sizeof *numbers);
    if (!numbers)
      return dorm__out_of_memory(context, "an exported model");
    number_nodes(&all->trees[t], &so_far, numbers);
    write_rows(all, &all->trees[t], numbers, which);
  }
  dorm__output_text(all->output, "%s", last_rows[which]); /* never used, but a table must not be empty */
  return DORM_OK;
}

/* Writes the tables, and NAME_sum, the sum of every step-th tree from `first` on, below `end`. */
static dorm_status write_trees(dorm_context *context, const dorm__exported *all)
{
  dorm__output_text(all->output,
                    "/* A value below the threshold goes to `yes`; a child that is negative is value -1 - child. */\n"
                    "static const struct %s_split {\n  float threshold;\n  int feature, yes, no, missing;\n"
                    "} %s_splits[] = {\n",
                    all->name, all->name);
  dorm_status status = write_table(context, all, SPLITS);
  dorm__output_text(all->output, "static const double %s_values[] = {\n", all->name);
  if (status == DORM_OK)
    status = write_table(context, all, VALUES);
  dorm__output_text(all->output, "static const int %s_roots[] = {\n", all->name);
  if (status == DORM_OK)
    status = write_table(context, all, ROOTS);
  dorm__output_text(all->output,
                    "\n/* The sum of the trees first, first + step ... below end. */\n"
                    "static double %s_sum(const double *features, int first, int end, int step)\n{\n"
                    "  double sum = 0;\n  int t;\n  for (t = first; t < end; t += step) {\n"
                    "    int node = %s_roots[t];\n    while (node >= 0) {\n"
                    "      const struct %s_split *split = &%s_splits[node];\n"
                    "      const double x = features[split->feature];\n"
                    "      node = x != x ? split->missing : (float)x < split->threshold ? split->yes : split->no;\n"
                    "    }\n    sum += %s_values[-1 - node];\n  }\n  return sum;\n}\n\n",
                    all->name, all->name, all->name, all->name, all->name);
  return status;
}

/* Adds weight times T[0] + sum_k (T[k] - T[k - 1]) / (1 + exp(-2 F[k - 1])). */
static void write_logistic(const dorm__exported *all, const dorm__model_trees *part, size_t first)
{
  size_t end = first + part->ensemble->num_trees;
  dorm__output_text(all->output, "  score += %s;\n", DORM__NUMBER(part->weight * part->levels[0]));
  for (size_t k = 1; k < part->num_levels; k++)
    dorm__output_text(all->output, "  score += %s * (1 / (1 + exp(-2 * %s_sum(features, %zu, %zu, %zu))));\n",
                      DORM__NUMBER(part->weight * (part->levels[k] - part->levels[k - 1])), all->name, first + k - 1,
                      end, part->ensemble->num_outputs);
}

/* Adds weight times sum_k exp(F[k]) T[k] / sum_k exp(F[k]), with exponents less the largest. */
static void write_softmax(const dorm__exported *all, const dorm__model_trees *part, size_t first)
{
  size_t end = first + part->ensemble->num_trees;
  dorm__output_text(all->output, "  {\n    static const double values[%zu] = {", part->num_levels);
  for (size_t k = 0; k < part->num_levels; k++)
    dorm__output_text(all->output, "%s%s", k ? ", " : "", DORM__NUMBER(part->levels[k]));
  dorm__output_text(all->output,
                    "};\n    double outputs[%zu], largest = 0, sum = 0, part = 0;\n    int k;\n"
                    "    for (k = 0; k < %zu; k++) {\n"
                    "      outputs[k] = %s_sum(features, %zu + k, %zu, %zu);\n"
                    "      largest = k == 0 || outputs[k] > largest ? outputs[k] : largest;\n    }\n"
                    "    for (k = 0; k < %zu; k++) {\n"
                    "      sum += exp(outputs[k] - largest);\n"
                    "      part += exp(outputs[k] - largest) * values[k];\n    }\n"
                    "    score += %s * (part / sum);\n  }\n",
                    part->num_levels, part->num_levels, all->name, first, end, part->ensemble->num_outputs,
                    part->num_levels, DORM__NUMBER(part->weight));
}

/* ---- Nets --------------------------------------------------------------------------- */

/* Writes the means that replace missing values, and the units of all nets, one after the other. */
static void write_net_tables(const dorm__exported *all)
{
  dorm__output *output = all->output;
  dorm__output_text(output, "static const double %s_means[] = {", all->name);
  for (size_t i = 0; i < all->count; i++)
    dorm__output_text(output, "%s%s", i ? ", " : "", DORM__NUMBER(dorm__exported_mean(all, all->features[i])));
  dorm__output_text(output,
                    "%s};\n/* Output and threshold of a hidden unit, and its weights of the features. */\n"
                    "static const double %s_units[][%zu] = {",
                    all->count ? "" : "0", all->name, all->count + 2);
  for (size_t i = 0; i < all->num_nets; i++)
    for (size_t k = 0; k < all->nets[i].hidden; k++) {
      dorm__output_text(output, "%s\n    {%s, %s", i || k ? "," : "", DORM__NUMBER(all->nets[i].outputs[k]),
                        DORM__NUMBER(all->nets[i].thresholds[k]));
      for (size_t f = 0; f < all->count; f++)
        dorm__output_text(output, ", %s", DORM__NUMBER(all->nets[i].weights[k * all->count + f]));
      dorm__output_text(output, "}");
    }
  dorm__output_text(output, "};\n\n");
}

/* Writes the tables, and NAME_net, the sum over units number first .. end - 1. */
static void write_nets(const dorm__exported *all)
{
  write_net_tables(all);
  dorm__output_text(all->output,
                    "/* The sum of output * tanh(input) over the units first, first + 1 ... below end. */\n"
                    "static double %s_net(const double *features, int first, int end)\n{\n"
                    "  double sum = 0;\n  int k, i;\n  for (k = first; k < end; k++) {\n"
                    "    const double *unit = %s_units[k];\n    double input = unit[1];\n"
                    "    for (i = 0; i < %zu; i++)\n"
                    "      input += unit[2 + i] * (features[i] == features[i] ? features[i] : %s_means[i]);\n"
                    "    sum += unit[0] * tanh(input);\n  }\n  return sum;\n}\n\n",
                    all->name, all->name, all->count, all->name);
}

/* ---- The function --------------------------------------------------------------------- */

static bool needs_math(const dorm__exported *all)
{
  bool needs = all->num_nets > 0;
  for (size_t i = 0; i < all->num_parts; i++)
    needs = needs || all->parts[i].from.objective->link != DORM__LINK_OUTPUT;
  return needs;
}

static void add_linear(const dorm__exported *all)
{
  for (size_t i = 0; all->weights && i < all->count; i++)
    dorm__output_text(all->output, "  score += %s * (features[%zu] == features[%zu] ? features[%zu] : %s);\n",
                      DORM__NUMBER(dorm__exported_weight(all, all->features[i])), i, i, i,
                      DORM__NUMBER(dorm__exported_mean(all, all->features[i])));
}

static void add_trees(const dorm__exported *all)
{
  size_t first = 0;
  for (size_t i = 0; i < all->num_parts; i++) {
    const dorm__model_trees *part = &all->parts[i].from;
    if (part->objective->link == DORM__LINK_LOGISTIC) {
      write_logistic(all, part, first);
    } else if (part->objective->link == DORM__LINK_SOFTMAX) {
      write_softmax(all, part, first);
    } else {
      dorm__output_text(all->output, "  score += %s * %s_sum(features, %zu, %zu, 1);\n", DORM__NUMBER(part->weight),
                        all->name, first, first + part->ensemble->num_trees);
    }
    first += part->ensemble->num_trees;
  }
}

static void add_nets(const dorm__exported *all)
{
  size_t first = 0;
  for (size_t i = 0; i < all->num_nets; i++) {
    dorm__output_text(all->output, "  score += %s * %s_net(features, %zu, %zu);\n",
                      DORM__NUMBER(all->nets[i].from.weight), all->name, first, first + all->nets[i].hidden);
    first += all->nets[i].hidden;
  }
}

dorm_status dorm__export_c(dorm_context *context, const dorm__exported *all)
{
  dorm_status status = DORM_OK;
  write_comment(all);
  if (needs_math(all))
    dorm__output_text(all->output, "#include <math.h>\n\n");
  write_names(all);
  if (all->num_parts)
    status = write_trees(context, all);
  if (all->num_nets)
    write_nets(all);
  bool sees_features = all->num_parts || all->num_nets || (all->weights && all->count);
  dorm__output_text(all->output, "double %s_score(const double *features)\n{\n  double score = %s;\n%s", all->name,
                    DORM__NUMBER(dorm__exported_constant(all)), sees_features ? "" : "  (void)features;\n");
  add_linear(all);
  add_trees(all);
  add_nets(all);
  dorm__output_text(all->output, "  return score;\n}\n");
  return status;
}
