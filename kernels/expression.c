/*
 * expression.c: reads expressions of kernels, their parameters and blocks of features. Sums and products of positive
 * semi-definite kernels, and non-negative constants, are positive semi-definite again (for products by Schur's product
 * theorem). So every expression of built-in kernels is positive semi-definite.
 */
#include "kernels/expression.h"
#include "kernels/kernel_files.h"
#include "kernels/kernel_table.h"
#include "kernels/kernels.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { MOST_VALUES = 100, MOST_DEPTH = 50 };

static const dorm__kernel_parameter_form constant_row = {"a constant", 0, 1e12, false, false, 1};

static dorm_status check_value(const dorm__expression *parser, const char *at, const dorm__kernel_parameter_form *row,
                               double value)
{
  bool good = value <= row->max && (row->above_min ? value > row->min : value >= row->min);
  if (good && (!row->is_integer || value == floor(value)))
    return DORM_OK;
  return dorm__fail(parser->context, DORM_BAD_USAGE,
                    "kernel.kernel: at character %zu of '%.300s': %s must be %s%s %g and at most %g",
                    (size_t)(at - parser->text) + 1, parser->text, row->name, row->is_integer ? "a whole number, " : "",
                    row->above_min ? "above" : "at least", row->min, row->max);
}

/* numbers = number { "|" number }, or "auto" if that is the default */
static dorm_status parse_values(dorm__expression *parser, const dorm__kernel_parameter_form *row,
                                dorm__kernel_parameter *parameter)
{
  double values[MOST_VALUES];
  size_t count = 0;
  do {
    const char *at = parser->at;
    if (count == MOST_VALUES)
      return dorm__expression_fail(parser, at, "more values than one list can hold", "");
    if (isnan(row->default_value) && strncmp(at, "auto", strlen("auto")) == 0) {
      values[count++] = NAN;
      parser->at += strlen("auto");
      continue;
    }
    const char *rest = dorm__parse_double(at, at + strlen(at), &values[count]);
    if (!rest)
      return dorm__expression_fail(parser, at, "a number expected", "");
    dorm_status status = check_value(parser, at, row, values[count]);
    if (status != DORM_OK)
      return status;
    count++;
    parser->at = rest;
  } while (dorm__expression_take(parser, '|'));
  dorm__free(parameter->values);
  parameter->count = 0;
  parameter->values = dorm__alloc(count, sizeof *parameter->values);
  if (!parameter->values)
    return dorm__out_of_memory(parser->context, "a kernel");
  memcpy(parameter->values, values, count * sizeof *values);
  parameter->count = count;
  return DORM_OK;
}

static dorm_status set_defaults(const dorm__expression *parser, const dorm__kernel_form *row, dorm__kernel_node *node)
{
  node->num_parameters = row->num_parameters;
  for (size_t i = 0; i < row->num_parameters; i++) {
    node->parameters[i].values = dorm__alloc(1, sizeof(double));
    if (!node->parameters[i].values)
      return dorm__out_of_memory(parser->context, "a kernel");
    node->parameters[i].values[0] = row->parameters[i].default_value;
    node->parameters[i].count = 1;
  }
  return DORM_OK;
}

/* key=numbers {"," key=numbers} */
static dorm_status parse_parameters(dorm__expression *parser, const dorm__kernel_form *row, dorm__kernel_node *node)
{
  do {
    const char *at = parser->at;
    size_t length = dorm__expression_word(at);
    size_t i = 0;
    while (i < row->num_parameters &&
           (strlen(row->parameters[i].name) != length || strncmp(row->parameters[i].name, at, length) != 0))
      i++;
    if (i == row->num_parameters)
      return dorm__expression_fail(parser, at, "a parameter of the kernel expected; unknown to ", row->name);
    parser->at += length;
    dorm_status status = DORM__ALL(dorm__expression_expect(parser, '='),
                                   parse_values(parser, &row->parameters[i], &node->parameters[i]));
    if (status != DORM_OK)
      return status;
  } while (dorm__expression_take(parser, ','));
  return DORM_OK;
}

/* path "(" id ")", after "gram:" */
static dorm_status parse_gram(dorm__expression *parser, dorm__kernel_node *node)
{
  const char *at = parser->at;
  dorm_status status = dorm__expression_path(parser, "(", "the path of a Gram matrix expected", &node->path);
  if (status != DORM_OK)
    return status;
  if (!dorm__expression_take(parser, '('))
    return dorm__expression_fail(parser, parser->at,
                                 "the feature that holds the row number expected, as in gram:matrix.txt(1)", "");
  status = dorm__expression_block(parser, node);
  if (status == DORM_OK && (node->num_ranges != 1 || node->ranges[0][0] != node->ranges[0][1]))
    return dorm__expression_fail(parser, at, "a Gram matrix takes one feature, the row number", "");
  if (parser->is_model) {
    node->name = node->path;
    node->path = NULL;
  }
  return status;
}

static dorm_status parse_named(dorm__expression *parser, size_t *number)
{
  const char *at = parser->at;
  size_t length = dorm__expression_word(at);
  size_t i = 0;
  const dorm__kernel_form *row;
  while ((row = dorm__kernel_form_at(i)) != NULL &&
         (strlen(row->name) != length || strncmp(row->name, at, length) != 0))
    i++;
  if (!row)
    return dorm__expression_user_term(parser, length, number);
  dorm_status status = dorm__expression_node(parser, row->kind, number);
  if (status != DORM_OK)
    return status;
  dorm__kernel_node *node = &parser->kernel->nodes[*number];
  parser->at += length;
  status = set_defaults(parser, row, node);
  if (status != DORM_OK)
    return status;
  if (row->kind == DORM__KERNEL_GRAM) {
    status = dorm__expression_expect(parser, ':');
    return status == DORM_OK ? parse_gram(parser, node) : status;
  }
  if (dorm__expression_take(parser, ':'))
    status = parse_parameters(parser, row, node);
  if (status == DORM_OK && dorm__expression_take(parser, '('))
    status = dorm__expression_block(parser, node);
  return status;
}

static dorm_status parse_sum(dorm__expression *parser, size_t *number);

static dorm_status parse_factor(dorm__expression *parser, size_t *number)
{
  dorm__expression_skip(parser);
  if (++parser->depth > MOST_DEPTH)
    return dorm__expression_fail(parser, parser->at, "too many parentheses", "");
  dorm_status status;
  if (dorm__expression_take(parser, '(')) {
    status = DORM__ALL(parse_sum(parser, number), dorm__expression_expect(parser, ')'));
  } else if (isdigit((unsigned char)*parser->at) || strchr("+-.", *parser->at ? *parser->at : 'x')) {
    status = dorm__expression_node(parser, DORM__KERNEL_CONSTANT, number);
    if (status == DORM_OK) {
      parser->kernel->nodes[*number].num_parameters = 1;
      status = parse_values(parser, &constant_row, &parser->kernel->nodes[*number].parameters[0]);
    }
  } else {
    status = parse_named(parser, number);
  }
  parser->depth--;
  return status;
}

static dorm_status join(dorm__expression *parser, dorm__kernel_kind kind, size_t left, size_t right, size_t *number)
{
  dorm_status status = dorm__expression_node(parser, kind, number);
  if (status == DORM_OK) {
    parser->kernel->nodes[*number].left = left;
    parser->kernel->nodes[*number].right = right;
  }
  return status;
}

static dorm_status parse_product(dorm__expression *parser, size_t *number)
{
  dorm_status status = parse_factor(parser, number);
  while (status == DORM_OK && dorm__expression_take(parser, '*')) {
    size_t right = 0;
    status = DORM__ALL(parse_factor(parser, &right), join(parser, DORM__KERNEL_PRODUCT, *number, right, number));
  }
  return status;
}

static dorm_status parse_sum(dorm__expression *parser, size_t *number)
{
  dorm_status status = parse_product(parser, number);
  while (status == DORM_OK && dorm__expression_take(parser, '+')) {
    size_t right = 0;
    status = DORM__ALL(parse_product(parser, &right), join(parser, DORM__KERNEL_SUM, *number, right, number));
  }
  return status;
}

/* Parses a text. The kernel holds `files` and opens missing ones. */
static dorm_status parse_with(dorm_context *context, const char *text, bool is_model, dorm__kernel_files *files,
                              dorm__kernel **kernel)
{
  dorm__expression parser = {.context = context, .text = text, .at = text, .is_model = is_model};
  *kernel = NULL;
  parser.kernel = dorm__alloc_zero(1, sizeof *parser.kernel);
  if (!parser.kernel)
    return dorm__out_of_memory(context, "a kernel");
  parser.kernel->files = dorm__kernel_files_hold(files);
  dorm_status status =
      DORM__ALL(parse_sum(&parser, &parser.kernel->root),
                *parser.at ? dorm__expression_fail(&parser, parser.at, "'+', '*' or the end expected", "") : DORM_OK);
  if (status == DORM_OK && dorm__kernel_num_choices(parser.kernel) > DORM__KERNEL_MOST_CHOICES)
    status = dorm__expression_fail(&parser, parser.at, "too many combinations of its lists", "");
  return DORM__GIVE(status, kernel, parser.kernel, dorm__kernel_free);
}

static dorm_status parse(dorm_context *context, const char *text, bool is_model, dorm__kernel **kernel)
{
  dorm__kernel_files *files = dorm__kernel_files_new();
  *kernel = NULL;
  if (!files)
    return dorm__out_of_memory(context, "a kernel");
  dorm_status status = parse_with(context, text, is_model, files, kernel);
  dorm__kernel_files_release(files);
  return status;
}

dorm_status dorm__kernel_parse(dorm_context *context, const char *text, dorm__kernel **kernel)
{
  return parse(context, text, false, kernel);
}

dorm_status dorm__kernel_parse_model(dorm_context *context, const char *text, dorm__kernel **kernel)
{
  return parse(context, text, true, kernel);
}

dorm_status dorm__kernel_choose(dorm_context *context, const dorm__kernel *kernel, size_t choice, dorm__kernel **chosen)
{
  DORM__FREED char *text = dorm__kernel_text(context, kernel, choice);
  *chosen = NULL;
  return text ? parse_with(context, text, false, kernel->files, chosen) : DORM_OUT_OF_MEMORY;
}

/* ---- Public functions ------------------------------------------------------------------------------ */

/* Lists the built-in kernels, and opens and checks a kernel of a module. */

struct dorm_kernel {
  dorm__kernel *expression; /* one term, of a module */
};

const dorm_kernel_info *dorm_kernel_info_at(size_t index)
{
  const dorm__kernel_form *row = dorm__kernel_form_at(index);
  return row ? &row->info : NULL;
}

/* Makes "NAME from "PATH"" from "from PATH". The caller frees *named by dorm__free. */
static dorm_status name_kernel(dorm_context *context, dorm__kernel_files *files, const char *spec, char **named)
{
  static const char from[] = "from ";
  dorm__user_kernel *opened = NULL;
  spec += strspn(spec, " \t");
  if (strncmp(spec, from, strlen(from)) != 0) {
    *named = dorm__copy_text(spec);
    return *named ? DORM_OK : dorm__out_of_memory(context, "a kernel");
  }
  const char *path = spec + strlen(from);
  dorm_status status = dorm__kernel_files_open(context, files, path, &opened);
  if (status != DORM_OK)
    return status;
  const char *name = dorm__user_kernel_module(opened)->name;
  size_t size = strlen(name) + strlen(spec) + sizeof " \"\"";
  *named = dorm__alloc(size, 1);
  if (!*named)
    return dorm__out_of_memory(context, "a kernel");
  snprintf(*named, size, "%s %s\"%s\"", name, from, path);
  return DORM_OK;
}

dorm_status dorm_kernel_open(dorm_context *context, const char *spec, dorm_kernel **kernel)
{
  if (DORM__LACKS(context, DORM__GIVEN(spec), DORM__RESULT(kernel)))
    return DORM_BAD_USAGE;
  char *named = NULL;
  *kernel = NULL;
  dorm_kernel *made = dorm__alloc_zero(1, sizeof *made);
  dorm__kernel_files *files = dorm__kernel_files_new();
  dorm_status status =
      made && files ? name_kernel(context, files, spec, &named) : dorm__out_of_memory(context, "a kernel");
  if (status == DORM_OK)
    status = parse_with(context, named, false, files, &made->expression);
  if (status == DORM_OK) {
    dorm__kernel_node *root = &made->expression->nodes[made->expression->root];
    if (root->kind != DORM__KERNEL_USER || dorm__kernel_num_choices(made->expression) != 1)
      status = dorm__fail(context, DORM_BAD_USAGE, "'%.300s' is not one kernel of a module", spec);
    else
      status = dorm__kernel_create_user(context, made->expression, root);
  }
  dorm__free(named);
  dorm__kernel_files_release(files);
  return DORM__GIVE(status, kernel, made, dorm_kernel_close);
}

void dorm_kernel_close(dorm_kernel *kernel)
{
  if (kernel)
    dorm__kernel_free(kernel->expression);
  dorm__free(kernel);
}

const dorm_kernel_module *dorm_kernel_describe(const dorm_kernel *kernel)
{
  return kernel ? dorm__user_kernel_module(kernel->expression->nodes[kernel->expression->root].user) : NULL;
}
