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

/* A text that grows. `failed` is set when memory runs out. */
typedef struct text_buffer {
  char *text;
  size_t used;
  size_t capacity;
  bool failed;
  bool is_model; /* `from module` in place of paths */
} text_buffer;

static void append(text_buffer *buffer, const char *text)
{
  size_t size = strlen(text) + 1;
  if (buffer->failed || !dorm__grow((void **)&buffer->text, &buffer->capacity, buffer->used + size, 1)) {
    buffer->failed = true;
    return;
  }
  memcpy(buffer->text + buffer->used, text, size);
  buffer->used += size - 1;
}

/* Appends a path, in quotes if blanks or brackets would end it. */
static void append_path(text_buffer *buffer, const char *path)
{
  const char *quote = strpbrk(path, " \t()") || *path == '"' ? "\"" : "";
  append(buffer, quote);
  append(buffer, path);
  append(buffer, quote);
}

/* `row` is NULL for a user's kernel. */
static void append_parameters(text_buffer *buffer, const dorm__kernel_form *row, const dorm__kernel_node *node,
                              const size_t *digits)
{
  char number[DORM__NUMBER_SIZE];
  for (size_t p = 0; p < node->num_parameters; p++) {
    const dorm__kernel_parameter *parameter = &node->parameters[p];
    append(buffer, p ? "," : ":");
    append(buffer, row ? row->parameters[p].name : parameter->key);
    append(buffer, "=");
    if (!row)
      append(buffer, parameter->texts[digits[p]]);
    else
      append(buffer,
             isnan(parameter->values[digits[p]]) ? "auto" : dorm__format_double(number, parameter->values[digits[p]]));
  }
}

static void append_node(text_buffer *buffer, const dorm__kernel *kernel, size_t number,
                        size_t (*digits)[DORM__KERNEL_MOST_PARAMETERS])
{
  const dorm__kernel_node *node = &kernel->nodes[number];
  char text[64];
  if (node->kind == DORM__KERNEL_SUM || node->kind == DORM__KERNEL_PRODUCT) {
    const size_t sides[2] = {node->left, node->right};
    for (size_t side = 0; side < 2; side++) {
      dorm__kernel_kind kind = kernel->nodes[sides[side]].kind;
      bool wraps =
          (node->kind == DORM__KERNEL_PRODUCT && kind == DORM__KERNEL_SUM) || (side == 1 && kind == node->kind);
      if (side)
        append(buffer, node->kind == DORM__KERNEL_SUM ? " + " : " * ");
      append(buffer, wraps ? "(" : "");
      append_node(buffer, kernel, sides[side], digits);
      append(buffer, wraps ? ")" : "");
    }
    return;
  }
  const dorm__kernel_form *row = dorm__kernel_form_of(node->kind);
  bool is_user = node->kind == DORM__KERNEL_USER;
  if (!row && !is_user) {
    append(buffer, dorm__format_double(text, node->parameters[0].values[digits[number][0]]));
    return;
  }
  append(buffer, row ? row->name : node->name);
  if (node->path && !is_user) {
    append(buffer, ":");
    append_path(buffer, node->path);
  }
  append_parameters(buffer, row, node, digits[number]);
  for (size_t i = 0; i < node->num_ranges; i++) {
    const size_t *range = node->ranges[i];
    snprintf(text, sizeof text, range[0] == range[1] ? "%s%zu" : "%s%zu-%zu", i ? "," : "(", range[0], range[1]);
    append(buffer, text);
  }
  append(buffer, node->num_ranges ? ")" : "");
  if (is_user) {
    append(buffer, " from ");
    append_path(buffer, buffer->is_model || !node->path ? "module" : node->path);
  }
}

static char *text_of(const dorm__kernel *kernel, size_t choice, bool is_model)
{
  size_t digits[DORM__KERNEL_MOST_NODES][DORM__KERNEL_MOST_PARAMETERS] = {{0}};
  for (size_t i = 0; i < kernel->num_nodes; i++)
    for (size_t p = 0; p < kernel->nodes[i].num_parameters; p++) {
      digits[i][p] = choice % kernel->nodes[i].parameters[p].count;
      choice /= kernel->nodes[i].parameters[p].count;
    }
  text_buffer buffer = {.is_model = is_model};
  append_node(&buffer, kernel, kernel->root, digits);
  if (buffer.failed) {
    dorm__free(buffer.text);
    return NULL;
  }
  return buffer.text;
}

char *dorm__kernel_text(const dorm__kernel *kernel, size_t choice)
{
  return text_of(kernel, choice, false);
}

char *dorm__kernel_model_text(const dorm__kernel *kernel)
{
  return text_of(kernel, 0, true);
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
