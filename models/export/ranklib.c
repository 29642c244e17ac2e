/*
 * ranklib.c: models for RankLib: a linear model as a model of its Coordinate Ascent, a line of feature:weight, which
 * has no place for a constant. Trees are a model of its LambdaMART, an ensemble in XML. Features are named by id.
 *
 * In RankLib a value goes left if it is not above the threshold, in dorm if it is below it. So the file has the next
 * float below dorm's threshold. RankLib takes the first and second child of a node by their places, and skips blanks
 * only at the ends of lines, so each tag is on a line of its own.
 */
#include "models/export/parts.h"

#include <math.h>

static void write_linear(const dorm__exported *all)
{
  dorm__output_text(all->output, "## Coordinate Ascent\n## trained by dorm %s, not by coordinate ascent\n",
                    dorm_version());
  for (size_t i = 0; i < all->count; i++)
    dorm__output_text(all->output, "%s%zu:%s", i ? " " : "", all->model->map.ids[all->features[i]],
                      DORM__NUMBER(dorm__exported_weight(all, all->features[i])));
  dorm__output_text(all->output, "\n");
}

static void indent(const dorm__exported *all, size_t depth)
{
  for (size_t i = 0; i < depth; i++)
    dorm__output_bytes(all->output, "\t", 1);
}

/* Writes the inside of a <split>. Recursion is as deep as the tree. */
static void write_node(const dorm__exported *all, const dorm__exported_tree *tree, size_t n)
{
  static const char *const sides[] = {"left", "right"};
  const dorm__exported_node *node = &tree->nodes[n];
  size_t depth = node->depth + 3;
  indent(all, depth);
  if (node->is_leaf) {
    dorm__output_text(all->output, "<output> %s </output>\n", DORM__FLOAT((float)(tree->weight * node->value)));
    return;
  }
  dorm__output_text(all->output, "<feature> %zu </feature>\n", all->model->map.ids[node->feature]);
  indent(all, depth);
  dorm__output_text(all->output, "<threshold> %s </threshold>\n", DORM__FLOAT(nextafterf(node->threshold, -INFINITY)));
  for (size_t i = 0; i < 2; i++) {
    indent(all, depth);
    dorm__output_text(all->output, "<split pos=\"%s\">\n", sides[i]);
    write_node(all, tree, i ? node->no : node->yes);
    indent(all, depth);
    dorm__output_text(all->output, "</split>\n");
  }
}

/* Multiplies the leaves by the weights of their parts. */
static void write_trees(const dorm__exported *all)
{
  dorm__output_text(all->output, "## LambdaMART\n## trained by dorm %s, not by LambdaMART\n\n<ensemble>\n",
                    dorm_version());
  for (size_t t = 0; t < all->num_trees; t++) {
    dorm__output_text(all->output, "\t<tree id=\"%zu\" weight=\"1\">\n\t\t<split>\n", t + 1);
    write_node(all, &all->trees[t], 0);
    dorm__output_text(all->output, "\t\t</split>\n\t</tree>\n");
  }
  dorm__output_text(all->output, "</ensemble>\n");
}

dorm_status dorm__export_ranklib(dorm_context *context, const dorm__exported *all)
{
  (void)context;
  if (all->num_parts)
    write_trees(all);
  else
    write_linear(all);
  return DORM_OK;
}
