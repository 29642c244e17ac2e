/* stream_test.c: the steps of a stream against the formula with the most violated of all rankings, and its records. */
#include "tests/unit/unit.h"

#include "data/dataset.h"

enum { DOCS = 4, WIDTH = 5, QUERIES = 40 };

static const dorm__position_weights power = {.kind = DORM__WEIGHTS_POWER, .exponent = 0.5};

/* Queries whose labels depend on the first feature. */
static dorm_dataset *random_queries(dorm_context *context, size_t num_queries)
{
  size_t first[QUERIES + 1];
  double labels[QUERIES * DOCS];
  float values[QUERIES * DOCS * WIDTH];
  dorm__random random = unit_random(0);
  for (size_t q = 0; q <= num_queries; q++)
    first[q] = q * DOCS;
  for (size_t j = 0; j < num_queries * DOCS; j++) {
    labels[j] = (double)dorm__random_below(&random, 3);
    for (size_t f = 0; f < WIDTH; f++)
      values[j * WIDTH + f] = (float)(dorm__random_normal(&random) + (f ? 0 : 0.4 * labels[j]));
  }
  return unit_dataset(context, num_queries, first, WIDTH, labels, values);
}

/* One query with its rows, dense or sparse, and its loss tables. */
typedef struct query_case {
  dorm_dataset *one;
  dorm__features features;
  dorm__loss_tables *tables;
} query_case;

typedef struct stream_case {
  dorm_context *context;
  dorm_dataset *dataset;
  dorm__loss *loss;
  dorm__stream_options options;
  bool is_sparse;
  dorm__stream *stream;
} stream_case;

static dorm__stream *new_stream(const stream_case *made)
{
  dorm__stream *stream = NULL;
  UNIT_OK(made->context, dorm__stream_new(made->context, &made->options, &stream));
  return stream;
}

static stream_case case_new(size_t prior, dorm__reference_kind reference, bool is_sparse)
{
  stream_case made = {.context = unit_context(), .is_sparse = is_sparse};
  made.options = (dorm__stream_options){
      .position_weights = &power, .C = 0.5, .prior = prior, .reference = {.kind = reference, .mu = 0.3}};
  made.dataset = random_queries(made.context, QUERIES);
  UNIT_OK(made.context, dorm__loss_open(made.context, "ndcg", &made.loss));
  made.stream = new_stream(&made);
  return made;
}

static void case_free(stream_case *made)
{
  dorm__stream_free(made->stream);
  dorm__loss_close(made->loss);
  dorm_dataset_free(made->dataset);
  dorm_context_free(made->context);
}

/* Query number `query` with its first `width` features as rows. */
static query_case query_new(const stream_case *made, size_t query, size_t width)
{
  query_case drawn = {.features = {.num_docs = DOCS, .num_features = width}};
  dorm__features *features = &drawn.features;
  dorm__query_of of = {made->dataset, query};
  UNIT_OK(made->context, dorm__dataset_gather(made->context, "stream", 1, &of, &drawn.one));
  UNIT_OK(made->context, dorm__loss_tables_build(made->context, made->loss, drawn.one, 1, &drawn.tables));
  features->values = dorm__alloc(DOCS * width, sizeof(float));
  if (made->is_sparse) {
    features->row_start = dorm__alloc_zero(DOCS + 1, sizeof(size_t));
    features->indices = dorm__alloc(DOCS * width, sizeof(uint32_t));
  }
  for (size_t i = 0; i < DOCS * width; i++) {
    features->values[i] = (float)dorm_dataset_value(drawn.one, i / width, i % width);
    if (made->is_sparse)
      features->indices[i] = (uint32_t)(i % width);
  }
  for (size_t j = 0; made->is_sparse && j < DOCS; j++)
    features->row_start[j + 1] = (j + 1) * width;
  return drawn;
}

static void query_free(query_case *drawn)
{
  dorm__loss_tables_free(drawn->tables);
  dorm__features_free(&drawn->features);
  dorm_dataset_free(drawn->one);
}

static void learn(const stream_case *made, dorm__stream *stream, size_t query, size_t width)
{
  double scores[DOCS];
  DORM__AT_END(query_free) query_case drawn = query_new(made, query, width);
  UNIT_OK(made->context, dorm__stream_take(made->context, stream, drawn.one, &drawn.features, drawn.tables, scores));
}

/* ---- The step by hand ----------------------------------------------------------------- */

static void fill_phi(const dorm_dataset *one, const uint32_t *order, double *phi)
{
  memset(phi, 0, WIDTH * sizeof *phi);
  for (size_t p = 0; p < DOCS; p++)
    for (size_t f = 0; f < WIDTH; f++)
      phi[f] += pow((double)p + 2, -0.5) * dorm_dataset_value(one, order[p], f);
}

/* Fills phi [WIDTH] of the documents by falling label, ties in the order of the data. */
static void fill_listed(const dorm_dataset *one, double *phi)
{
  uint32_t order[DOCS];
  unit_sort_by(DOCS, one->labels, order);
  fill_phi(one, order, phi);
}

/* Fills psi [WIDTH] of the ranking with the largest margin above 0 at w, over all rankings; 0 without one. */
static void fill_psi(const dorm_dataset *one, const dorm__query_loss *loss, const double *w, double *psi)
{
  double best = 0, listed[WIDTH], phi[WIDTH];
  fill_listed(one, listed);
  memset(psi, 0, WIDTH * sizeof *psi);
  uint32_t order[DOCS];
  for (size_t r = 0; unit_ranking(DOCS, r, order); r++) {
    fill_phi(one, order, phi);
    double margin = dorm__query_loss_of(loss, order);
    for (size_t f = 0; f < WIDTH; f++)
      margin += w[f] * (phi[f] - listed[f]);
    for (size_t f = 0; margin > best && f < WIDTH; f++)
      psi[f] = listed[f] - phi[f];
    best = fmax(best, margin);
  }
}

/* The weights of a stream after some queries, by the formula. */
typedef struct expectation {
  double base[WIDTH];
  double sum[WIDTH]; /* of psi */
  size_t count;      /* queries that train */
} expectation;

static void fill_w(const stream_case *made, const expectation *expected, double *w)
{
  double divisor = fmax((double)expected->count, (double)made->options.prior);
  for (size_t f = 0; f < WIDTH; f++)
    w[f] = expected->base[f] + made->options.C / divisor * expected->sum[f];
}

/* Learns from a query, and compares scores and weights with the formula. */
static void learn_by_formula(const stream_case *made, size_t query, size_t width, expectation *expected)
{
  double scores[DOCS], w[WIDTH], psi[WIDTH];
  size_t found_width;
  DORM__AT_END(query_free) query_case drawn = query_new(made, query, width);
  const dorm__query_loss *loss = dorm__loss_tables_query(drawn.tables, 0);
  expected->count += loss->trains;
  fill_w(made, expected, w);
  fill_psi(drawn.one, loss, w, psi);
  UNIT_OK(made->context,
          dorm__stream_take(made->context, made->stream, drawn.one, &drawn.features, drawn.tables, scores));
  for (size_t j = 0; j < DOCS; j++) {
    double score = 0;
    for (size_t f = 0; f < WIDTH; f++)
      score += w[f] * dorm_dataset_value(drawn.one, j, f);
    UNIT_CLOSE(scores[j], score, 1e-9);
  }
  for (size_t f = 0; loss->trains && f < WIDTH; f++)
    expected->sum[f] += psi[f];
  fill_w(made, expected, w);
  const double *found = dorm__stream_weights(made->stream, &found_width);
  CU_ASSERT_EQUAL(found_width, width);
  for (size_t f = 0; f < found_width; f++)
    UNIT_CLOSE(found[f], w[f], 1e-9);
  CU_ASSERT_EQUAL(dorm__stream_num_trained(made->stream), expected->count);
}

/* w after t queries is base + C / max(t, prior) times the sum of their psi, each of the most violated ranking at the w
 * before. The first queries lack the last two features. */
UNIT_TEST(steps_are_the_formula)
{
  static const size_t priors[] = {1, 15};
  for (size_t kind = 0; kind < 4; kind++) {
    DORM__AT_END(case_free) stream_case made = case_new(priors[kind / 2], DORM__REFERENCE_LISTED, kind % 2);
    expectation expected = {.base = {0.3, -0.2}};
    for (size_t j = 0; j < 10 * DOCS; j++)
      for (size_t f = WIDTH - 2; f < WIDTH; f++)
        made.dataset->values[j * WIDTH + f] = 0;
    UNIT_OK(made.context, dorm__stream_start_at(made.context, made.stream, 2, expected.base));
    for (size_t q = 0; q < QUERIES; q++)
      learn_by_formula(&made, q, q < 10 ? WIDTH - 2 : WIDTH, &expected);
    CU_ASSERT_TRUE(fabs(expected.sum[0]) > 0.01 && expected.count > QUERIES / 2);
  }
}

/* ---- Records ---------------------------------------------------------------------------- */

static char *record_of(dorm_context *context, const dorm__stream *stream, size_t *size)
{
  static const char path[] = "stream_test.record";
  dorm__record_writer *writer = NULL;
  UNIT_OK(context, dorm__record_create(context, path, &writer));
  dorm__stream_save(stream, writer);
  UNIT_OK(context, dorm__record_commit(context, writer));
  char *bytes = unit_read_file(path, size);
  unlink(path);
  return bytes;
}

/* Whether a new stream with `width` features takes a record that is cut to `size` bytes. */
static bool is_taken(const stream_case *made, size_t width, const char *bytes, size_t size)
{
  double base[WIDTH + 1] = {0};
  dorm__stream *stream = new_stream(made);
  dorm__record_reader reader = {.bytes = bytes, .size = size};
  UNIT_OK(made->context, dorm__stream_start_at(made->context, stream, width, base));
  UNIT_OK(made->context, dorm__stream_restore(made->context, stream, &reader));
  dorm__stream_free(stream);
  return !reader.is_bad && reader.at == size;
}

/* A stream that is saved and restored continues to the same bits. A record that is cut, or has fewer features than the
 * stream starts with, is refused. */
UNIT_TEST(records_continue_to_the_same_bits)
{
  for (size_t kind = 0; kind < 4; kind++) {
    size_t size = 0, again_size = 0;
    DORM__AT_END(case_free) stream_case made = case_new(kind & 2 ? 10 : 1, DORM__REFERENCE_MU, kind & 1);
    dorm__stream *second = new_stream(&made);
    for (size_t q = 0; q < QUERIES / 2; q++)
      learn(&made, made.stream, q, q < 5 ? WIDTH - 1 : WIDTH);
    char *bytes = record_of(made.context, made.stream, &size);
    dorm__record_reader reader;
    CU_ASSERT_TRUE(dorm__record_open(bytes, size, &reader));
    UNIT_OK(made.context, dorm__stream_restore(made.context, second, &reader));
    CU_ASSERT_TRUE(!reader.is_bad && reader.at == reader.size);
    for (size_t cut = 0; cut < reader.size; cut += 5)
      CU_ASSERT_FALSE(is_taken(&made, 0, bytes, cut));
    CU_ASSERT_TRUE(is_taken(&made, WIDTH, bytes, reader.size));
    CU_ASSERT_FALSE(is_taken(&made, WIDTH + 1, bytes, reader.size));
    dorm__free(bytes);
    for (size_t q = QUERIES / 2; q < QUERIES; q++) {
      learn(&made, made.stream, q, WIDTH);
      learn(&made, second, q, WIDTH);
    }
    bytes = record_of(made.context, made.stream, &size);
    DORM__FREED char *again = record_of(made.context, second, &again_size);
    CU_ASSERT_TRUE(size == again_size && memcmp(bytes, again, size) == 0);
    dorm__free(bytes);
    dorm__stream_free(second);
  }
}
