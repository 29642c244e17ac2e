/*
 * onnx.c: models as ONNX graphs (IR version 7, operators of ai.onnx 13 and ai.onnx.ml 1), which hold every part that
 * can be exported.
 *
 * The input `features` [N][count] holds a row of floats for each document. NaN is a missing value, for which nets and
 * the linear part take the mean of the training data. The output `scores` is [N][1]. The metadata entry `features` has
 * a line `ID NAME` for each column.
 *
 *   centred   = features - centre, then the mean if it is NaN
 *   linear    LinearRegressor(centred): weights and constant of the features without normalisation
 *   nets      MatMul, Add, Tanh, MatMul over `centred`
 *   trees     TreeEnsembleRegressor(features), with an output for each output of the ensemble. Then Sigmoid or Softmax
 *             and MatMul, if the score is not a sum of leaves.
 *   scores    Sum
 *
 * Subtracting the centre, which is the shift of a feature as a float, keeps the single precision of ONNX for features
 * whose spread is small beside their values.
 *
 * A message of protobuf is a list of fields: a varint with number and type, then a varint, or a length and so many
 * bytes. Numbers of fields are from onnx.proto.
 */
#include "models/export/parts.h"

#include <string.h>

/* ---- Protobuf --------------------------------------------------------------------------- */

enum { VARINT = 0, BYTES = 2, LONGEST_VARINT = 10 };

typedef struct proto {
  uint8_t *bytes;
  size_t size, capacity;
  bool is_full; /* memory ran out */
} proto;

static void put_bytes(proto *to, const void *bytes, size_t size)
{
  to->is_full = to->is_full || !DORM__GROW(to->bytes, to->capacity, to->size + size);
  if (to->is_full || !size)
    return;
  memcpy(to->bytes + to->size, bytes, size);
  to->size += size;
}

static void put_varint(proto *to, uint64_t value)
{
  uint8_t bytes[LONGEST_VARINT];
  size_t size = 0;
  for (; value >= 128; value >>= 7)
    bytes[size++] = (uint8_t)(value | 128);
  bytes[size++] = (uint8_t)value;
  put_bytes(to, bytes, size);
}

static void put_whole(proto *to, unsigned field, uint64_t value)
{
  put_varint(to, field << 3 | VARINT);
  put_varint(to, value);
}

static void put_text(proto *to, unsigned field, const char *text)
{
  put_varint(to, field << 3 | BYTES);
  put_varint(to, strlen(text));
  put_bytes(to, text, strlen(text));
}

static void put_float(proto *to, double value)
{
  float number = (float)value;
  uint32_t bits;
  memcpy(&bits, &number, sizeof bits);
  const uint8_t bytes[] = {(uint8_t)bits, (uint8_t)(bits >> 8), (uint8_t)(bits >> 16), (uint8_t)(bits >> 24)};
  put_bytes(to, bytes, sizeof bytes);
}

/* Begins a message, or packed numbers, inside another one. Returns the start of its content. */
static size_t begin(proto *to, unsigned field)
{
  put_varint(to, field << 3 | BYTES);
  return to->size;
}

/* Puts the length before the content that starts at `start`. */
static void end(proto *to, size_t start)
{
  size_t size = to->size - start;
  put_varint(to, size); /* behind the content, to make room */
  if (to->is_full)
    return;
  size_t length = to->size - start - size;
  memmove(to->bytes + start + length, to->bytes + start, size);
  to->size = start;
  put_varint(to, size);
  to->size += size;
}

/* ---- Parts of a graph ---------------------------------------------------------------------- */

enum { NODE = 1, ATTRIBUTE = 5, TENSOR = 5, INPUT = 11, OUTPUT = 12, VALUE = 13 }; /* fields of a graph, or of a node */
enum { INT = 2, FLOATS = 6, INTS = 7, TEXTS = 8 }; /* types of attributes, whose values are fields `type + 1` */

/* The name STEM_NUMBER of a value of the graph, until the end of the block. */
#define NAME(stem, number) name_of((char[NAME_SIZE]){0}, stem, number)
enum { NAME_SIZE = 40 };
static const char *name_of(char name[NAME_SIZE], const char *stem, size_t number)
{
  snprintf(name, NAME_SIZE, "%s_%zu", stem, number);
  return name;
}

/* Begins a node. Further inputs (field 1) and attributes may follow. */
static size_t begin_node(proto *to, const char *operator, const char * domain, const char *in, const char *out)
{
  size_t start = begin(to, NODE);
  put_text(to, 4, operator);
  put_text(to, 7, domain);
  put_text(to, 1, in);
  put_text(to, 2, out);
  return start;
}

/* Puts a node of two inputs, or of one, if `second` is NULL. */
static void put_node(proto *to, const char *operator, const char * in, const char *second, const char *out)
{
  size_t start = begin_node(to, operator, "", in, out);
  if (second)
    put_text(to, 1, second);
  end(to, start);
}

/* Begins an attribute of a node. Its packed numbers or its texts follow, until end_numbers. */
static void begin_attribute(proto *to, const char *name, unsigned type, size_t starts[2])
{
  starts[0] = begin(to, ATTRIBUTE);
  put_text(to, 1, name);
  put_whole(to, 20, type);
  starts[1] = type == TEXTS ? 0 : begin(to, type + 1); /* texts are fields of their own */
}

/* Begins a tensor [rows][columns] of floats, or [columns] if `rows` is 0. Its floats follow, until end_numbers. */
static void begin_tensor(proto *to, const char *name, size_t rows, size_t columns, size_t starts[2])
{
  starts[0] = begin(to, TENSOR);
  if (rows)
    put_whole(to, 1, rows);
  put_whole(to, 1, columns);
  put_whole(to, 2, 1); /* float */
  put_text(to, 8, name);
  starts[1] = begin(to, 4);
}

static void end_numbers(proto *to, const size_t starts[2])
{
  if (starts[1])
    end(to, starts[1]);
  end(to, starts[0]);
}

/* Declares the input, the output or another value of the graph: floats [documents][columns]. The checker of ONNX finds
 * the types of other values itself, except for the operators of ai.onnx.ml. */
static void put_value(proto *to, unsigned field, const char *name, size_t columns)
{
  size_t value = begin(to, field);
  put_text(to, 1, name);
  size_t type = begin(to, 2);
  size_t tensor = begin(to, 1);
  put_whole(to, 1, 1);
  size_t shape = begin(to, 2);
  size_t size = begin(to, 1);
  put_text(to, 2, "documents");
  end(to, size);
  size = begin(to, 1);
  put_whole(to, 1, columns);
  end(to, size);
  end(to, shape);
  end(to, tensor);
  end(to, type);
  end(to, value);
}

/* ---- Linear parts and nets --------------------------------------------------------------------- */

static double centre_of(const dorm__exported *all, size_t i)
{
  return (float)dorm__exported_shift(all, all->features[i]);
}

static void put_centred(const dorm__exported *all, proto *to)
{
  size_t starts[2];
  begin_tensor(to, "centre", 0, all->count, starts);
  for (size_t i = 0; i < all->count; i++)
    put_float(to, centre_of(all, i));
  end_numbers(to, starts);
  begin_tensor(to, "mean", 0, all->count, starts);
  for (size_t i = 0; i < all->count; i++)
    put_float(to, dorm__exported_mean(all, all->features[i]) - centre_of(all, i));
  end_numbers(to, starts);
  put_node(to, "Sub", "features", "centre", "differences");
  put_node(to, "IsNaN", "differences", NULL, "missing");
  size_t node = begin_node(to, "Where", "", "missing", "centred");
  put_text(to, 1, "mean");
  put_text(to, 1, "differences");
  end(to, node);
}

static void put_linear(const dorm__exported *all, proto *to)
{
  size_t starts[2];
  double constant = dorm__exported_constant(all);
  put_value(to, VALUE, "linear", 1);
  size_t node = begin_node(to, "LinearRegressor", "ai.onnx.ml", "centred", "linear");
  begin_attribute(to, "coefficients", FLOATS, starts);
  for (size_t i = 0; i < all->count; i++) {
    put_float(to, dorm__exported_weight(all, all->features[i]));
    constant += dorm__exported_weight(all, all->features[i]) * centre_of(all, i);
  }
  end_numbers(to, starts);
  begin_attribute(to, "intercepts", FLOATS, starts);
  put_float(to, constant);
  end_numbers(to, starts);
  end(to, node);
}

static void put_net(const dorm__exported *all, size_t number, proto *to)
{
  const dorm__exported_net *net = &all->nets[number];
  size_t starts[2];
  begin_tensor(to, NAME("net_weights", number), all->count, net->hidden, starts);
  for (size_t i = 0; i < all->count; i++)
    for (size_t k = 0; k < net->hidden; k++)
      put_float(to, net->weights[k * all->count + i]);
  end_numbers(to, starts);
  begin_tensor(to, NAME("net_thresholds", number), 0, net->hidden, starts);
  for (size_t k = 0; k < net->hidden; k++) {
    double threshold = net->thresholds[k];
    for (size_t i = 0; i < all->count; i++)
      threshold += net->weights[k * all->count + i] * centre_of(all, i);
    put_float(to, threshold);
  }
  end_numbers(to, starts);
  begin_tensor(to, NAME("net_outputs", number), net->hidden, 1, starts);
  for (size_t k = 0; k < net->hidden; k++)
    put_float(to, net->from.weight * net->outputs[k]);
  end_numbers(to, starts);
  put_node(to, "MatMul", "centred", NAME("net_weights", number), NAME("net_sums", number));
  put_node(to, "Add", NAME("net_sums", number), NAME("net_thresholds", number), NAME("net_inputs", number));
  put_node(to, "Tanh", NAME("net_inputs", number), NULL, NAME("net_units", number));
  put_node(to, "MatMul", NAME("net_units", number), NAME("net_outputs", number), NAME("net", number));
}

/* ---- Trees -------------------------------------------------------------------------------------- */

/* The lists of a TreeEnsembleRegressor: first numbers of nodes, and from LEAVES on numbers of leaves. */
enum { THRESHOLDS = 3, MODES = 4, LEAVES = 8, VALUES = 11, NUM_LISTS };
static const char *const lists[NUM_LISTS] = {
    "nodes_treeids",  "nodes_nodeids",     "nodes_featureids",   "nodes_values",
    "nodes_modes",    "nodes_truenodeids", "nodes_falsenodeids", "nodes_missing_value_tracks_true",
    "target_treeids", "target_nodeids",    "target_ids",         "target_weights"};

/* Puts the entry of node n of tree t in a list. */
static void put_entry(const dorm__exported *all, const dorm__exported_part *part, size_t t, size_t n, unsigned list,
                      proto *to)
{
  const dorm__exported_node *node = &part->trees[t].nodes[n];
  double factor = part->from.objective->link == DORM__LINK_OUTPUT ? part->from.weight : 1;
  if (list >= LEAVES && !node->is_leaf)
    return;
  if (list == MODES)
    put_text(to, TEXTS + 1, node->is_leaf ? "LEAF" : "BRANCH_LT");
  else if (list == THRESHOLDS || list == VALUES)
    put_float(to, list == VALUES ? factor * node->value : node->is_leaf ? 0 : node->threshold);
  else {
    const size_t leaf[] = {t, n, 0, 0, 0, 0, 0, 0, t, n, t % part->from.ensemble->num_outputs};
    const size_t split[] = {t, n, 0, 0, 0, node->yes, node->no, node->missing == node->yes};
    bool is_column = list == 2 && !node->is_leaf;
    put_varint(to, is_column ? all->columns[node->feature] : node->is_leaf ? leaf[list] : split[list]);
  }
}

/* Puts an ensemble whose outputs are `out` [documents][outputs]. */
static void put_ensemble(const dorm__exported *all, const dorm__exported_part *part, const char *out, proto *to)
{
  put_value(to, VALUE, out, part->from.ensemble->num_outputs);
  size_t regressor = begin_node(to, "TreeEnsembleRegressor", "ai.onnx.ml", "features", out);
  for (unsigned list = 0; list < NUM_LISTS; list++) {
    size_t starts[2];
    bool is_float = list == THRESHOLDS || list == VALUES;
    begin_attribute(to, lists[list], list == MODES ? TEXTS : is_float ? FLOATS : INTS, starts);
    for (size_t t = 0; t < part->from.ensemble->num_trees; t++)
      for (size_t n = 0; n < part->trees[t].num_nodes; n++)
        put_entry(all, part, t, n, list, to);
    end_numbers(to, starts);
  }
  size_t targets = begin(to, ATTRIBUTE);
  put_text(to, 1, "n_targets");
  put_whole(to, 20, INT);
  put_whole(to, INT + 1, part->from.ensemble->num_outputs);
  end(to, targets);
  end(to, regressor);
}

/* Puts the score of outputs F and values T: F[0], T[0] + sum_k (T[k + 1] - T[k]) sigmoid(2 F[k]), or
 * sum_k softmax(F)[k] T[k], times the weight of the part. */
static void put_trees(const dorm__exported *all, size_t number, proto *to)
{
  const dorm__model_trees *from = &all->parts[number].from;
  bool is_logistic = from->objective->link == DORM__LINK_LOGISTIC;
  bool is_sum = from->objective->link == DORM__LINK_OUTPUT;
  size_t starts[2];
  put_ensemble(all, &all->parts[number], is_sum ? NAME("trees", number) : NAME("trees_outputs", number), to);
  if (is_sum)
    return;
  begin_tensor(to, NAME("trees_values", number), from->ensemble->num_outputs, 1, starts);
  for (size_t k = 0; k < from->ensemble->num_outputs; k++)
    put_float(to, from->weight * (is_logistic ? from->levels[k + 1] - from->levels[k] : from->levels[k]));
  end_numbers(to, starts);
  begin_tensor(to, NAME("trees_first", number), 0, 1, starts);
  put_float(to, is_logistic ? from->weight * from->levels[0] : 0);
  end_numbers(to, starts);
  if (is_logistic)
    put_node(to, "Add", NAME("trees_outputs", number), NAME("trees_outputs", number), NAME("trees_doubled", number));
  put_node(to, is_logistic ? "Sigmoid" : "Softmax",
           is_logistic ? NAME("trees_doubled", number) : NAME("trees_outputs", number), NULL,
           NAME("trees_shares", number));
  put_node(to, "MatMul", NAME("trees_shares", number), NAME("trees_values", number), NAME("trees_sums", number));
  put_node(to, "Add", NAME("trees_sums", number), NAME("trees_first", number), NAME("trees", number));
}

/* ---- Models --------------------------------------------------------------------------------------- */

static void put_sum(const dorm__exported *all, proto *to)
{
  size_t node = begin(to, NODE);
  put_text(to, 4, "Sum");
  put_text(to, 2, "scores");
  if (all->weights)
    put_text(to, 1, "linear");
  for (size_t i = 0; i < all->num_parts; i++)
    put_text(to, 1, NAME("trees", i));
  for (size_t i = 0; i < all->num_nets; i++)
    put_text(to, 1, NAME("net", i));
  end(to, node);
}

static void put_graph(const dorm__exported *all, proto *to)
{
  size_t graph = begin(to, 7);
  put_text(to, 2, all->name);
  put_value(to, INPUT, "features", all->count);
  put_value(to, OUTPUT, "scores", 1);
  if (all->weights || all->num_nets)
    put_centred(all, to);
  if (all->weights)
    put_linear(all, to);
  for (size_t i = 0; i < all->num_parts; i++)
    put_trees(all, i, to);
  for (size_t i = 0; i < all->num_nets; i++)
    put_net(all, i, to);
  put_sum(all, to);
  end(to, graph);
}

static void put_operators(proto *to, const char *domain, unsigned version)
{
  size_t set = begin(to, 8);
  put_text(to, 1, domain);
  put_whole(to, 2, version);
  end(to, set);
}

/* Puts the lines `ID NAME` of the columns. */
static void put_names(const dorm__exported *all, proto *to)
{
  size_t entry = begin(to, 14);
  put_text(to, 1, "features");
  size_t value = begin(to, 2);
  for (size_t i = 0; i < all->count; i++) {
    char id[NAME_SIZE];
    const char *name = all->feature_names[all->features[i]];
    put_bytes(to, id, (size_t)snprintf(id, sizeof id, "%zu ", all->model->map.ids[all->features[i]]));
    put_bytes(to, name, strlen(name));
    put_bytes(to, "\n", 1);
  }
  end(to, value);
  end(to, entry);
}

dorm_status dorm__export_onnx(dorm_context *context, const dorm__exported *all)
{
  proto to = {0};
  if (!all->count)
    return dorm__fail(context, DORM_BAD_DATA, "the model looks at no feature, and the format onnx needs one");
  put_whole(&to, 1, 7);
  put_text(&to, 2, "dorm");
  put_text(&to, 3, dorm_version());
  put_operators(&to, "", 13);
  put_operators(&to, "ai.onnx.ml", 1);
  put_names(all, &to);
  put_graph(all, &to);
  bool is_long = to.size > INT32_MAX;
  if (!to.is_full && !is_long)
    dorm__output_bytes(all->output, to.bytes, to.size);
  dorm__free(to.bytes);
  if (to.is_full)
    return dorm__out_of_memory(context, "an exported model");
  return is_long ? dorm__fail(context, DORM_BAD_DATA, "the model takes more than the 2 GiB that protobuf allows")
                 : DORM_OK;
}
