/*
 * user_term.c: the kernel of a module in an expression, `name:key=texts,key=texts (ids) from path`. In a model, which
 * never loads a file, it is `name... from module`. The table of the module defines the allowed texts.
 */
#include "kernels/expression.h"
#include "kernels/kernel_files.h"
#include "kernels/kernels.h"

#include <string.h>

enum { MOST_VALUES = 100 };

/* Returns the length of a text, which ends before a blank or one of the marks of expressions. */
static size_t text_length(const char *at)
{
  return strcspn(at, " \t|,()*");
}

/* text { "|" text }, which the module checks later */
static dorm_status parse_texts(dorm__expression *parser, dorm__kernel_parameter *parameter)
{
  size_t capacity = 0;
  do {
    size_t length = text_length(parser->at);
    if (!length || parameter->count == MOST_VALUES)
      return dorm__expression_fail(parser, parser->at,
                                   length ? "more values than one list can hold" : "a value expected", "");
    if (!DORM__GROW(parameter->texts, capacity, parameter->count + 1))
      return dorm__out_of_memory(parser->context, "a kernel");
    dorm_status status = dorm__expression_copy(parser, parser->at, length, &parameter->texts[parameter->count]);
    if (status != DORM_OK)
      return status;
    parameter->count++;
    parser->at += length;
  } while (dorm__expression_take(parser, '|'));
  return DORM_OK;
}

/* key=texts {"," key=texts} */
static dorm_status parse_parameters(dorm__expression *parser, dorm__kernel_node *node)
{
  do {
    const char *at = parser->at;
    size_t length = dorm__expression_word(at);
    if (!length || node->num_parameters == DORM__KERNEL_MOST_PARAMETERS)
      return dorm__expression_fail(parser, at,
                                   length ? "more parameters than a kernel may have" : "a parameter expected", "");
    dorm__kernel_parameter *parameter = &node->parameters[node->num_parameters++];
    parser->at += length;
    dorm_status status = DORM__ALL(dorm__expression_copy(parser, at, length, &parameter->key),
                                   dorm__expression_expect(parser, '='), parse_texts(parser, parameter));
    if (status != DORM_OK)
      return status;
  } while (dorm__expression_take(parser, ','));
  return DORM_OK;
}

/* Reads "from" path, and loads the module. In a model reads "from module". */
static dorm_status parse_from(dorm__expression *parser, dorm__kernel_node *node)
{
  static const char from[] = "from";
  static const char unnamed[] = "module";
  const char *at = parser->at + strlen(from);
  if (strncmp(parser->at, from, strlen(from)) != 0 || (*at != ' ' && *at != '\t'))
    return dorm__expression_fail(parser, parser->at, "'from' and the module's path expected after the kernel ",
                                 node->name);
  at += strspn(at, " \t");
  parser->at = at;
  char *path = NULL;
  dorm_status status = dorm__expression_path(parser, " \t)", "the path of a module expected", &path);
  if (status != DORM_OK)
    return status;
  if (parser->is_model) {
    bool is_unnamed = strcmp(path, unnamed) == 0;
    dorm__free(path);
    return is_unnamed ? DORM_OK : dorm__expression_fail(parser, at, "a model names no file of a module", "");
  }
  node->path = path;
  for (size_t i = 0; i < parser->kernel->num_nodes; i++) {
    const dorm__kernel_node *other = &parser->kernel->nodes[i];
    if (other != node && other->user && strcmp(other->name, node->name) == 0 && strcmp(other->path, node->path) != 0)
      return dorm__expression_fail(parser, at, "two modules hold a kernel named ",
                                   node->name); /* a model, which keeps only names, could not distinguish them */
  }
  return dorm__kernel_open_user(parser->context, parser->kernel, node);
}

/* Reads a kernel of a module, at the word of `length` characters. */
dorm_status dorm__expression_user_term(dorm__expression *parser, size_t length, size_t *number)
{
  const char *at = parser->at;
  if (!length || !strstr(at, " from "))
    return dorm__expression_unknown(parser, at, length);
  dorm_status status = dorm__expression_node(parser, DORM__KERNEL_USER, number);
  if (status != DORM_OK)
    return status;
  dorm__kernel_node *node = &parser->kernel->nodes[*number];
  status = dorm__expression_copy(parser, at, length, &node->name);
  parser->at += length;
  if (status == DORM_OK && dorm__expression_take(parser, ':'))
    status = parse_parameters(parser, node);
  if (status == DORM_OK && dorm__expression_take(parser, '('))
    status = dorm__expression_block(parser, node);
  dorm__expression_skip(parser);
  return status == DORM_OK ? parse_from(parser, node) : status;
}

/* ---- Values for the module -------------------------------------------------------- */

/* Finds the values of the module's parameters: number `choice` of each list, or its last. */
static dorm_status values_of(dorm_context *context, const dorm__kernel_node *node, size_t choice,
                             dorm_loss_value values[DORM__KERNEL_MOST_PARAMETERS])
{
  const dorm_kernel_module *module = dorm__user_kernel_module(node->user);
  dorm__spec_pair pairs[DORM__KERNEL_MOST_PARAMETERS];
  dorm__spec spec = {.name = node->name, .num_pairs = node->num_parameters, .pairs = pairs};
  for (size_t p = 0; p < node->num_parameters; p++) {
    const dorm__kernel_parameter *parameter = &node->parameters[p];
    size_t last = parameter->count - 1;
    pairs[p] = (dorm__spec_pair){parameter->key, parameter->texts[choice < last ? choice : last]};
  }
  return dorm__spec_values(context, "kernel", &spec, module->num_parameters, module->parameters, values);
}

/* Fills in missing parameters. */
static dorm_status add_defaults(dorm_context *context, dorm__kernel_node *node)
{
  const dorm_kernel_module *module = dorm__user_kernel_module(node->user);
  for (size_t i = 0; i < module->num_parameters; i++) {
    const dorm_kernel_parameter *row = &module->parameters[i];
    size_t p = 0;
    while (p < node->num_parameters && strcmp(node->parameters[p].key, row->name) != 0)
      p++;
    if (p < node->num_parameters)
      continue;
    dorm__kernel_parameter *parameter =
        &node->parameters[node->num_parameters++]; /* all keys are known here, so there is room */
    parameter->key = dorm__copy_text(row->name);
    parameter->texts = dorm__alloc_zero(1, sizeof *parameter->texts);
    parameter->count = parameter->texts != NULL;
    if (!parameter->key || !parameter->texts || !(parameter->texts[0] = dorm__copy_text(row->default_text)))
      return dorm__out_of_memory(context, "a kernel");
  }
  return DORM_OK;
}

dorm_status dorm__kernel_open_user(dorm_context *context, const dorm__kernel *kernel, dorm__kernel_node *node)
{
  dorm_loss_value values[DORM__KERNEL_MOST_PARAMETERS];
  dorm_status status = dorm__kernel_files_open(context, kernel->files, node->path, &node->user);
  if (status != DORM_OK)
    return status;
  const char *name = dorm__user_kernel_module(node->user)->name;
  if (strcmp(name, node->name) != 0)
    return dorm__fail(context, DORM_BAD_USAGE, "%s holds the kernel '%s', not '%s'", node->path, name, node->name);
  size_t most = 1;
  for (size_t p = 0; p < node->num_parameters; p++) {
    for (size_t i = 0; i < p; i++)
      if (strcmp(node->parameters[i].key, node->parameters[p].key) == 0)
        return dorm__fail(context, DORM_BAD_USAGE, "kernel '%s': '%s' is given twice", name, node->parameters[p].key);
    most = node->parameters[p].count > most ? node->parameters[p].count : most;
  }
  for (size_t choice = 0; status == DORM_OK && choice < most; choice++)
    status = values_of(context, node, choice, values);
  return status == DORM_OK ? add_defaults(context, node) : status;
}

dorm_status dorm__kernel_create_user(dorm_context *context, const dorm__kernel *kernel, dorm__kernel_node *node)
{
  dorm_loss_value values[DORM__KERNEL_MOST_PARAMETERS];
  dorm_status status = values_of(context, node, 0, values);
  return status == DORM_OK ? dorm__kernel_files_create(context, kernel->files, node->user, values, &node->user)
                           : status;
}
