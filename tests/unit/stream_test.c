/* stream_test.c: streams of queries against the working set, against values found by trying all rankings, and against
 * formulas written out. */
#include "tests/unit/training_cases.h"
#include "tests/unit/unit.h"

#include "base/file.h"
#include "base/random.h"
#include "base/record.h"
#include "solver/stream_parts.h"
#include "solver/sweeps.h"
#include "training/stream_state.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { DOCS = 4, WIDTH = 5, QUERIES = 40 };

static const dorm__position_weights power = {.kind = DORM__WEIGHTS_POWER, .exponent = 0.5};

/* Queries whose labels depend on the first feature. */
static dorm_dataset *random_queries(dorm_context *context, size_t num_queries)
{
  dorm__random random;
  size_t first[QUERIES + 1];
  double labels[QUERIES * DOCS];
  float values[QUERIES * DOCS * WIDTH];
  dorm_dataset *dataset = NULL;
  dorm__random_seed(&random, unit_seed());
  for (size_t q = 0; q <= num_queries; q++)
    first[q] = q * DOCS;
  for (size_t j = 0; j < num_queries * DOCS; j++) {
    labels[j] = (double)dorm__random_below(&random, 3);
    for (size_t f = 0; f < WIDTH; f++)
      values[j * WIDTH + f] = (float)(dorm__random_normal(&random) + (f ? 0 : 0.4 * labels[j]));
  }
  UNIT_OK(context, dorm_dataset_from_arrays(context, num_queries, first, WIDTH, labels, values, &dataset));
  CU_ASSERT_PTR_NOT_NULL_FATAL(dataset);
  return dataset;
}

/* One query of a data set with its first `width` features as rows, dense or sparse. */
static dorm_dataset *one_query(dorm_context *context, const dorm_dataset *dataset, size_t query, size_t width,
                               bool is_sparse, dorm__features *features)
{
  dorm_dataset *one = NULL;
  dorm__query_of of = {dataset, query};
  UNIT_OK(context, dorm__dataset_gather(context, "stream", 1, &of, &one));
  *features = (dorm__features){.num_docs = one->num_docs, .num_features = width};
  features->values = dorm__alloc(one->num_docs * width, sizeof(float));
  if (is_sparse) {
    features->row_start = dorm__alloc_zero(one->num_docs + 1, sizeof(size_t));
    features->indices = dorm__alloc(one->num_docs * width, sizeof(uint32_t));
  }
  for (size_t j = 0; j < one->num_docs; j++) {
    for (size_t f = 0; f < width; f++) {
      features->values[j * width + f] = (float)dorm_dataset_value(one, j, f);
      if (is_sparse)
        features->indices[j * width + f] = (uint32_t)f;
    }
    if (is_sparse)
      features->row_start[j + 1] = (j + 1) * width;
  }
  return one;
}

typedef struct stream_case {
  dorm_context *context;
  dorm_dataset *dataset;
  dorm__loss *loss;
  dorm__stream *stream;
} stream_case;

static dorm__stream *new_stream(const stream_case *made, dorm__stream_options options)
{
  dorm__stream *stream = NULL;
  options.loss = made->loss;
  options.position_weights = &power;
  UNIT_OK(made->context, dorm__stream_new(made->context, &options, &stream));
  CU_ASSERT_PTR_NOT_NULL_FATAL(stream);
  return stream;
}

static stream_case case_new(dorm__stream_options options)
{
  stream_case made = {.context = unit_context()};
  made.dataset = random_queries(made.context, QUERIES);
  UNIT_OK(made.context, dorm__loss_open(made.context, "ndcg", &made.loss));
  made.stream = new_stream(&made, options);
  return made;
}

static void case_free(stream_case *made)
{
  dorm__stream_free(made->stream);
  dorm__loss_close(made->loss);
  dorm_dataset_free(made->dataset);
  dorm_context_free(made->context);
}

/* Learns from query number `query`, of which the first `width` features are there. */
static void learn(const stream_case *made, dorm__stream *stream, size_t query, size_t width)
{
  dorm__features features;
  const double *scores = NULL;
  dorm_dataset *one = one_query(made->context, made->dataset, query, width, stream->options.is_sparse, &features);
  UNIT_OK(made->context, dorm__stream_offer(made->context, stream, one, &features, &scores));
  for (size_t j = 0; j < DOCS; j++) {
    double score = 0;
    for (size_t f = 0; f < width; f++)
      score += stream->w[f] * dorm_dataset_value(made->dataset, query * DOCS + j, f);
    CU_ASSERT_TRUE(unit_close(scores[j], score, 1e-9));
  }
  UNIT_OK(made->context, dorm__stream_learn(made->context, stream));
}

static dorm__stream_options whole_window(void)
{
  return (dorm__stream_options){.window = QUERIES, .C = 0.05, .reference = {DORM__REFERENCE_LISTED, 0}};
}

/* One pass over a stream is one sequential pass of the batch dual: the same w, bit for bit, also where queries have
 * left a small window. */
static void a_pass_is_a_batch_pass(void)
{
  for (size_t window = 1; window <= QUERIES; window += QUERIES - 1) {
    dorm__stream_options options = whole_window();
    training_problem batch;
    double gap = 0;
    options.window = window;
    stream_case made = case_new(options);
    training_problem_new(unit_context(), random_queries(made.context, QUERIES), "ndcg", "power:0.5", 1, &batch);
    training_problem_start(&batch, false, (dorm__bounds){NULL, NULL});
    UNIT_OK(batch.context, dorm__working_set_set_reference(batch.context, batch.set, &options.reference, batch.start));
    UNIT_OK(batch.context, dorm__working_set_pass(batch.context, batch.set, options.C, 0, &gap));
    for (size_t q = 0; q < QUERIES; q++)
      learn(&made, made.stream, q, WIDTH);
    CU_ASSERT_EQUAL(dorm__stream_num_trained(made.stream), dorm__problem_num_queries(batch.problem));
    double norm = 0;
    for (size_t f = 0; f < WIDTH; f++) {
      norm += fabs(batch.set->w[f]);
      CU_ASSERT_TRUE(unit_close(made.stream->w[f], batch.set->w[f], 1e-10));
    }
    CU_ASSERT_TRUE(norm > 0.01);
    training_problem_free(&batch);
    case_free(&made);
  }
}

/* ---- By hand ---------------------------------------------------------------------- */

/* The largest margin over all rankings of a slot at w; 0 without a ranking above 0. */
static double margin_by_hand(const dorm__stream_slot *slot, const double *w)
{
  const dorm__query_loss *loss = dorm__loss_tables_query(slot->tables, 0);
  double best = 0;
  for (size_t code = 0; code < DOCS * DOCS * DOCS * DOCS; code++) {
    uint32_t order[DOCS];
    unsigned used = 0;
    double phi[WIDTH] = {0}, margin = 0;
    for (size_t p = 0, rest = code; p < DOCS; p++, rest /= DOCS) {
      order[p] = (uint32_t)(rest % DOCS);
      used |= 1U << order[p];
    }
    if (used != (1U << DOCS) - 1)
      continue;
    for (size_t p = 0; p < DOCS; p++)
      for (size_t f = 0; f < WIDTH; f++)
        phi[f] += pow((double)p + 2, -0.5) * dorm_dataset_value(slot->dataset, order[p], f);
    margin = dorm__query_loss_of(loss, order);
    for (size_t f = 0; f < WIDTH; f++)
      margin += w[f] * (phi[f] - slot->columns.reference.values[f]);
    best = fmax(best, margin);
  }
  return best;
}

/* The window's gap and its best w are those of an enumeration, the best w cannot be improved, and a report changes
 * nothing. */
static void a_report_certifies_and_changes_nothing(void)
{
  for (size_t is_mean = 0; is_mean < 2; is_mean++) {
    dorm__stream_options options = whole_window();
    dorm__window_report report, exact;
    double v[WIDTH], w[WIDTH], w0[WIDTH], primal = 0, hinges = 0;
    options.window = 12;
    options.is_mean = is_mean;
    options.C = 2;
    options.reference = (dorm__reference){DORM__REFERENCE_MU, 0.3};
    stream_case made = case_new(options);
    for (size_t q = 0; q < QUERIES; q++)
      learn(&made, made.stream, q, WIDTH);
    memcpy(v, made.stream->v, sizeof v);
    memcpy(w, made.stream->w, sizeof w);
    UNIT_OK(made.context, dorm__stream_report(made.context, made.stream, 1e-6, 10, &report));
    CU_ASSERT_EQUAL(memcmp(v, made.stream->v, sizeof v), 0);
    CU_ASSERT_EQUAL(memcmp(w, made.stream->w, sizeof w), 0);
    memcpy(w0, w, sizeof w0);
    double C = options.C * made.stream->scale;
    for (size_t i = 0; i < options.window; i++) {
      const dorm__stream_slot *slot = dorm__stream_slot_at(made.stream, i);
      CU_ASSERT_TRUE(dorm__columns_weight(&slot->columns) <= options.C * (1 + 1e-12));
      for (size_t k = 0; k < slot->columns.count; k++)
        for (size_t f = 0; f < WIDTH; f++)
          w0[f] -= made.stream->scale * slot->columns.alpha[k] *
                   (slot->columns.reference.values[f] - slot->columns.phi[k].values[f]);
      if (dorm__loss_tables_query(slot->tables, 0)->trains)
        hinges += margin_by_hand(slot, w);
    }
    for (size_t f = 0; f < WIDTH; f++)
      primal += 0.5 * (w[f] - w0[f]) * (w[f] - w0[f]);
    primal += C * hinges;
    CU_ASSERT_TRUE(unit_close(report.primal, primal, 1e-9));
    CU_ASSERT_TRUE(report.dual <= report.best_primal * (1 + 1e-9));
    CU_ASSERT_TRUE(report.best_dual <= report.best_primal * (1 + 1e-9));
    CU_ASSERT_TRUE(report.best_primal <= report.primal * (1 + 1e-9) && report.best_gap <= 1e-6);
    CU_ASSERT_TRUE(report.dual <= report.best_dual + 1e-9);
    CU_ASSERT_TRUE(unit_close(report.gap, (report.primal - report.dual) / report.primal, 1e-9));
    UNIT_OK(made.context, dorm__stream_report(made.context, made.stream, 1e-6, 10, &exact));
    CU_ASSERT_EQUAL(memcmp(&report, &exact, sizeof report), 0);
    case_free(&made);
  }
}

/* With the subgradient method and the mean, w after t queries is C / max(t, prior) times the sum of their psi, each of
 * the most violated ranking at the w before; with a horizon, C times that sum. */
static void subgradient_steps_are_the_formula(void)
{
  for (size_t kind = 0; kind < 3; kind++) {
    bool is_mean = kind > 0;
    double prior = kind == 2 ? 15 : 0;
    dorm__stream_options options = whole_window();
    double sum[WIDTH] = {0}, before[WIDTH];
    uint64_t count = 0;
    options.is_subgradient = true;
    options.is_mean = is_mean;
    options.prior = (size_t)prior;
    options.window = 3;
    stream_case made = case_new(options);
    for (size_t q = 0; q < QUERIES; q++) {
      uint64_t next = count + 1;
      for (size_t f = 0; f < WIDTH; f++)
        before[f] = options.C * sum[f] / (is_mean ? fmax((double)next, prior) : 1);
      learn(&made, made.stream, q, WIDTH);
      if (dorm__stream_num_trained(made.stream) == count)
        continue;
      count = next;
      const dorm__stream_slot *slot = dorm__stream_slot_at(made.stream, dorm__stream_num_kept(made.stream) - 1);
      CU_ASSERT_TRUE(unit_close(slot->hinge, margin_by_hand(slot, before), 1e-9));
      const dorm__columns *columns = &slot->columns;
      CU_ASSERT_EQUAL(columns->count, slot->hinge > 0);
      if (columns->count)
        CU_ASSERT_TRUE(unit_close(dorm__columns_margins(columns, before, NULL), slot->hinge, 1e-9));
      for (size_t f = 0; f < WIDTH; f++) {
        sum[f] += columns->count ? columns->reference.values[f] - columns->phi[0].values[f] : 0;
        CU_ASSERT_TRUE(
            unit_close(made.stream->w[f], options.C * sum[f] / (is_mean ? fmax((double)count, prior) : 1), 1e-9));
      }
    }
    case_free(&made);
  }
}

/* ---- Features that come later, and records ------------------------------------------------ */

/* Rows that lack their last features are the same as rows where these are 0. */
static void later_features_are_zero_before(void)
{
  for (size_t is_sparse = 0; is_sparse < 2; is_sparse++) {
    dorm__stream_options options = whole_window();
    options.window = 15;
    options.visits = 2;
    options.is_sparse = is_sparse;
    stream_case made = case_new(options);
    dorm__stream *wide = new_stream(&made, options);
    for (size_t j = 0; j < 10 * DOCS; j++) /* the first queries lack the last two features */
      for (size_t f = WIDTH - 2; f < WIDTH; f++)
        made.dataset->values[j * WIDTH + f] = 0;
    for (size_t q = 0; q < QUERIES; q++) {
      learn(&made, made.stream, q, q < 10 ? WIDTH - 2 : WIDTH);
      learn(&made, wide, q, WIDTH);
    }
    for (size_t f = 0; f < WIDTH; f++)
      CU_ASSERT_TRUE(unit_close(made.stream->w[f], wide->w[f], 1e-8));
    CU_ASSERT_EQUAL(made.stream->width, WIDTH);
    dorm__stream_free(wide);
    case_free(&made);
  }
}

static char *record_of(dorm_context *context, const dorm__stream *stream, size_t *size)
{
  static const char path[] = "stream_test.record";
  char *bytes = NULL;
  dorm__record_writer *writer = NULL;
  UNIT_OK(context, dorm__record_create(context, path, &writer));
  dorm__stream_save(stream, writer);
  UNIT_OK(context, dorm__record_commit(context, writer));
  UNIT_OK(context, dorm__read_whole(context, path, &bytes, size));
  unlink(path);
  return bytes;
}

/* A stream that was written down and read back goes on to the same bits; one that is cut short is refused. */
static void records_go_on_to_the_same_bits(void)
{
  for (size_t kind = 0; kind < 4; kind++) {
    dorm__stream_options options = whole_window();
    size_t size = 0, again_size = 0;
    options.window = 7;
    options.visits = 3;
    options.is_sparse = kind & 1;
    options.is_mean = kind & 2;
    options.reference = (dorm__reference){DORM__REFERENCE_MU, 0.3};
    stream_case made = case_new(options);
    dorm__stream *second = new_stream(&made, options);
    for (size_t q = 0; q < QUERIES / 2; q++)
      learn(&made, made.stream, q, q < 5 ? WIDTH - 1 : WIDTH);
    char *bytes = record_of(made.context, made.stream, &size);
    dorm__record_reader reader;
    CU_ASSERT_TRUE(dorm__record_open(bytes, size, &reader));
    UNIT_OK(made.context, dorm__stream_restore(made.context, second, &reader));
    CU_ASSERT_TRUE(!reader.is_bad && reader.at == reader.size);
    for (size_t q = QUERIES / 2; q < QUERIES; q++) {
      learn(&made, made.stream, q, WIDTH);
      learn(&made, second, q, WIDTH);
    }
    CU_ASSERT_EQUAL(memcmp(made.stream->w, second->w, WIDTH * sizeof(double)), 0);
    dorm__free(bytes);
    bytes = record_of(made.context, made.stream, &size);
    char *again = record_of(made.context, second, &again_size);
    CU_ASSERT_TRUE(size == again_size && memcmp(bytes, again, size) == 0);
    for (size_t cut = 0; cut < size - sizeof(uint64_t); cut += 13) {
      dorm__stream *third = new_stream(&made, options);
      dorm__record_reader part = {.bytes = bytes, .size = cut};
      UNIT_OK(made.context, dorm__stream_restore(made.context, third, &part));
      CU_ASSERT_TRUE(part.is_bad);
      dorm__stream_free(third);
    }
    dorm__free(bytes);
    dorm__free(again);
    dorm__stream_free(second);
    case_free(&made);
  }
}

/* A dense vector has a number for each feature, and one that has fewer is refused; a sparse one may have fewer. */
static void a_vector_of_another_width_is_refused(void)
{
  for (size_t is_sparse = 0; is_sparse < 2; is_sparse++) {
    dorm__stream_options options = whole_window();
    options.is_sparse = is_sparse;
    stream_case made = case_new(options);
    for (size_t q = 0; q < QUERIES; q++)
      learn(&made, made.stream, q, WIDTH);
    dorm__vector *reference = &dorm__stream_slot_at(made.stream, 3)->columns.reference;
    size_t count = reference->count;
    CU_ASSERT_FATAL(count > 0);
    for (size_t fewer = 0; fewer < 2; fewer++) {
      size_t size = 0;
      dorm__record_reader reader;
      dorm__stream *second = new_stream(&made, options);
      reference->count = count - fewer;
      char *bytes = record_of(made.context, made.stream, &size);
      CU_ASSERT_TRUE(dorm__record_open(bytes, size, &reader));
      UNIT_OK(made.context, dorm__stream_restore(made.context, second, &reader));
      CU_ASSERT_EQUAL(reader.is_bad, fewer && !is_sparse);
      dorm__stream_free(second);
      dorm__free(bytes);
    }
    reference->count = count;
    case_free(&made);
  }
}

/* A stream that knows more features than the record has is another stream. */
static void a_record_of_fewer_features_is_refused(void)
{
  for (size_t kind = 0; kind < 4; kind++) {
    dorm__stream_options options = whole_window();
    options.is_sparse = kind & 1;
    stream_case made = case_new(options);
    size_t size = 0, more = kind / 2;
    learn(&made, made.stream, 0, WIDTH);
    char *bytes = record_of(made.context, made.stream, &size);
    dorm__record_reader reader;
    dorm__stream *second = new_stream(&made, options);
    UNIT_OK(made.context, dorm__stream_reserve(made.context, second, 1, WIDTH + more));
    CU_ASSERT_TRUE(dorm__record_open(bytes, size, &reader));
    UNIT_OK(made.context, dorm__stream_restore(made.context, second, &reader));
    CU_ASSERT_EQUAL(reader.is_bad, more);
    dorm__stream_free(second);
    dorm__free(bytes);
    case_free(&made);
  }
}

/* The mean and its standard error, by their definitions. */
static void running_values_are_means(void)
{
  enum { COUNT = 40 };
  dorm__running running = {0};
  dorm__random random;
  double values[COUNT];
  dorm__random_seed(&random, unit_seed());
  for (size_t n = 1; n <= COUNT; n++) {
    double mean = 0, squares = 0;
    values[n - 1] = 3 + dorm__random_normal(&random);
    dorm__running_add(&running, values[n - 1]);
    for (size_t i = 0; i < n; i++)
      mean += values[i] / (double)n;
    for (size_t i = 0; i < n; i++)
      squares += (values[i] - mean) * (values[i] - mean);
    CU_ASSERT_EQUAL(running.count, n);
    CU_ASSERT_DOUBLE_EQUAL(running.mean, mean, 1e-12);
    double error = dorm__running_error(&running);
    CU_ASSERT_TRUE(n == 1 ? isnan(error) : fabs(error - sqrt(squares / (double)(n - 1) / (double)n)) < 1e-12);
  }
}

static const unit_test tests[] = {
    {"a pass over a stream is a batch pass", a_pass_is_a_batch_pass},
    {"a report certifies and changes nothing", a_report_certifies_and_changes_nothing},
    {"subgradient steps are the formula", subgradient_steps_are_the_formula},
    {"later features are zero before", later_features_are_zero_before},
    {"records go on to the same bits", records_go_on_to_the_same_bits},
    {"a vector of another width is refused", a_vector_of_another_width_is_refused},
    {"running values are means", running_values_are_means},
    {"a record of fewer features is refused", a_record_of_fewer_features_is_refused},
    {NULL, NULL},
};

const unit_suite stream_suite = {"stream", tests};
