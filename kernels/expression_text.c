/* expression_text.c: writes expressions: each combination of the lists as text. Also finds the linear term of a sum. */
#include "kernels/expression.h"
#include "kernels/kernel_table.h"
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

size_t dorm__kernel_num_choices(const dorm__kernel *kernel)
{
  size_t count = 1;
  for (size_t i = 0; i < kernel->num_nodes; i++)
    for (size_t p = 0; p < kernel->nodes[i].num_parameters && count <= DORM__KERNEL_MOST_CHOICES; p++)
      count *= kernel->nodes[i].parameters[p].count;
  return count;
}

/* Writes a path, in quotes if blanks or brackets would end it. */
static void put_path(dorm__output *output, const char *path)
{
  const char *quote = strpbrk(path, " \t()") || *path == '"' ? "\"" : "";
  dorm__output_text(output, "%s%s%s", quote, path, quote);
}

/* `row` is NULL for a user's kernel. */
static void put_parameters(dorm__output *output, const dorm__kernel_form *row, const dorm__kernel_node *node,
                           const size_t *digits)
{
  char number[DORM__NUMBER_SIZE];
  for (size_t p = 0; p < node->num_parameters; p++) {
    const dorm__kernel_parameter *parameter = &node->parameters[p];
    double value = row ? parameter->values[digits[p]] : 0;
    dorm__output_text(output, "%c%s=%s", p ? ',' : ':', row ? row->parameters[p].name : parameter->key,
                      !row           ? parameter->texts[digits[p]]
                      : isnan(value) ? "auto"
                                     : dorm__format_double(number, value));
  }
}

static void put_node(dorm__output *output, const dorm__kernel *kernel, size_t number, bool is_model,
                     size_t (*digits)[DORM__KERNEL_MOST_PARAMETERS])
{
  const dorm__kernel_node *node = &kernel->nodes[number];
  if (node->kind == DORM__KERNEL_SUM || node->kind == DORM__KERNEL_PRODUCT) {
    const size_t sides[2] = {node->left, node->right};
    for (size_t side = 0; side < 2; side++) {
      dorm__kernel_kind kind = kernel->nodes[sides[side]].kind;
      bool wraps =
          (node->kind == DORM__KERNEL_PRODUCT && kind == DORM__KERNEL_SUM) || (side == 1 && kind == node->kind);
      const char *sign = node->kind == DORM__KERNEL_SUM ? " + " : " * ";
      dorm__output_text(output, "%s%s", side ? sign : "", wraps ? "(" : "");
      put_node(output, kernel, sides[side], is_model, digits);
      dorm__output_text(output, "%s", wraps ? ")" : "");
    }
    return;
  }
  const dorm__kernel_form *row = dorm__kernel_form_of(node->kind);
  bool is_user = node->kind == DORM__KERNEL_USER;
  if (!row && !is_user) {
    dorm__output_number(output, node->parameters[0].values[digits[number][0]]);
    return;
  }
  dorm__output_text(output, "%s%s", row ? row->name : node->name, node->path && !is_user ? ":" : "");
  if (node->path && !is_user)
    put_path(output, node->path);
  put_parameters(output, row, node, digits[number]);
  for (size_t i = 0; i < node->num_ranges; i++) {
    const size_t *range = node->ranges[i];
    dorm__output_text(output, range[0] == range[1] ? "%c%zu" : "%c%zu-%zu", i ? ',' : '(', range[0], range[1]);
  }
  dorm__output_text(output, "%s%s", node->num_ranges ? ")" : "", is_user ? " from " : "");
  if (is_user)
    put_path(output, is_model || !node->path ? "module" : node->path);
}

static char *text_of(dorm_context *context, const dorm__kernel *kernel, size_t choice, bool is_model)
{
  size_t digits[DORM__KERNEL_MOST_NODES][DORM__KERNEL_MOST_PARAMETERS] = {{0}}, size;
  for (size_t i = 0; i < kernel->num_nodes; i++)
    for (size_t p = 0; p < kernel->nodes[i].num_parameters; p++) {
      digits[i][p] = choice % kernel->nodes[i].parameters[p].count;
      choice /= kernel->nodes[i].parameters[p].count;
    }
  dorm__output *output;
  char *text = NULL;
  if (dorm__output_to_memory(context, &output) != DORM_OK)
    return NULL;
  put_node(output, kernel, kernel->root, is_model, digits);
  dorm__output_take(context, output, &text, &size);
  return text;
}

char *dorm__kernel_text(dorm_context *context, const dorm__kernel *kernel, size_t choice)
{
  return text_of(context, kernel, choice, false);
}

char *dorm__kernel_model_text(dorm_context *context, const dorm__kernel *kernel)
{
  return text_of(context, kernel, 0, true);
}

static bool is_plain_linear(const dorm__kernel_node *node)
{
  return node->kind == DORM__KERNEL_LINEAR && !node->num_ranges;
}

bool dorm__kernel_is_linear(const dorm__kernel *kernel)
{
  return is_plain_linear(&kernel->nodes[kernel->root]);
}

bool dorm__kernel_take_linear(dorm__kernel *kernel)
{
  for (size_t i = 0; i < kernel->num_nodes; i++)
    if (kernel->nodes[i].kind == DORM__KERNEL_GRAM)
      return false;
  size_t *link = &kernel->root;
  while (kernel->nodes[*link].kind == DORM__KERNEL_SUM) { /* the left side of a sum may be a sum */
    dorm__kernel_node *sum = &kernel->nodes[*link];
    if (is_plain_linear(&kernel->nodes[sum->right])) {
      *link = sum->left;
      return true;
    }
    if (is_plain_linear(&kernel->nodes[sum->left])) {
      *link = sum->right;
      return true;
    }
    link = &sum->left;
  }
  return false;
}
