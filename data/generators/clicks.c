/*
 * clicks.c: simulated users of labelled data. An impression has a query, a ranker and a user, drawn independently. By
 * the position-based model (Richardson et al. 2007) the user looks at position k with probability 1 / k^eta; by the
 * cascade model (Craswell et al. 2008) at one after the other until the first click. A document that a user looks at is
 * clicked with probability s = epsilon + (1 - epsilon) (2^y - 1) / (2^m - 1), the noise of Chapelle et al. (2009), or
 * with s + (1 - s) trust / k at position k of the position-based model.
 */
#include "base/memory.h"
#include "base/random.h"
#include "base/status.h"
#include "data/data.h"

#include <math.h>
#include <string.h>

typedef struct simulator {
  dorm_context *context;
  const dorm_dataset *dataset;
  const dorm_click_simulation *asked;
  dorm__random random;
  dorm__region memory;
  size_t num_positions; /* of the longest ranking that is shown */
  uint32_t *order;      /* [num_rankers][num_docs] documents within their query by rank; for random order [num_docs] */
  double *attraction;   /* [num_docs] */
  double *look;         /* [num_positions] */
  uint32_t *shown;      /* [num_docs][num_positions], where the log is merged */
  uint32_t *clicked;    /* likewise */
} simulator;

static dorm_status check_asked(dorm_context *context, const dorm_click_simulation *asked)
{
  if (asked->model != DORM_CLICK_MODEL_POSITION && asked->model != DORM_CLICK_MODEL_CASCADE)
    return dorm__fail(context, DORM_BAD_USAGE, "model: %d is none of the kinds", (int)asked->model);
  if (asked->num_impressions < 1 || asked->num_impressions > 1000000000)
    return dorm__fail(context, DORM_BAD_USAGE, "num_impressions: %zu is not between 1 and 1000000000",
                      asked->num_impressions);
  if (!(asked->eta >= 0 && asked->eta <= 100))
    return dorm__fail(context, DORM_BAD_USAGE, "eta: %g is not between 0 and 100", asked->eta);
  if (!(asked->epsilon >= 0 && asked->epsilon <= 1))
    return dorm__fail(context, DORM_BAD_USAGE, "epsilon: %g is not between 0 and 1", asked->epsilon);
  if (!(asked->trust >= 0 && asked->trust <= 1))
    return dorm__fail(context, DORM_BAD_USAGE, "trust: %g is not between 0 and 1", asked->trust);
  if (asked->num_rankers > 1000)
    return dorm__fail(context, DORM_BAD_USAGE, "num_rankers: %zu is more than 1000", asked->num_rankers);
  if (asked->num_rankers && !asked->scores)
    return dorm__fail(context, DORM_BAD_USAGE, "scores: there are none of %zu rankers", asked->num_rankers);
  return DORM_OK;
}

static void fill_attraction(simulator *made)
{
  const dorm_dataset *dataset = made->dataset;
  double largest = 0;
  for (size_t j = 0; j < dataset->num_docs; j++)
    largest = fmax(largest, dataset->labels[j]);
  for (size_t j = 0; j < dataset->num_docs; j++) {
    double gain = largest > 0 ? expm1(dataset->labels[j] * log(2)) / expm1(largest * log(2)) : 0;
    made->attraction[j] = made->asked->epsilon + (1 - made->asked->epsilon) * gain;
  }
}

static dorm_status fill_orders(simulator *made)
{
  const dorm_dataset *dataset = made->dataset;
  dorm_status status = DORM_OK;
  for (size_t r = 0; status == DORM_OK && r < made->asked->num_rankers; r++)
    status =
        dorm__dataset_rankings(made->context, dataset, made->asked->scores[r], made->order + r * dataset->num_docs);
  for (size_t q = 0; !made->asked->num_rankers && q < dataset->num_queries; q++)
    for (size_t j = dataset->query_start[q]; j < dataset->query_start[q + 1]; j++)
      made->order[j] = (uint32_t)(j - dataset->query_start[q]);
  return status;
}

static dorm_status prepare(simulator *made)
{
  const dorm_dataset *dataset = made->dataset;
  const dorm_click_simulation *asked = made->asked;
  size_t most = dorm__dataset_max_docs(dataset), num_orders = asked->num_rankers ? asked->num_rankers : 1;
  made->num_positions = asked->num_positions && asked->num_positions < most ? asked->num_positions : most;
  made->attraction = dorm__region_take_zero(&made->memory, dataset->num_docs, sizeof *made->attraction);
  made->look = dorm__region_take_zero(&made->memory, made->num_positions, sizeof *made->look);
  made->order = dorm__region_take_zero(&made->memory, dataset->num_docs, num_orders * sizeof *made->order);
  if (asked->is_merged) {
    made->shown = dorm__region_take_zero(&made->memory, dataset->num_docs, made->num_positions * sizeof *made->shown);
    made->clicked =
        dorm__region_take_zero(&made->memory, dataset->num_docs, made->num_positions * sizeof *made->clicked);
  }
  if (made->memory.is_short)
    return dorm__out_of_memory(made->context, "clicks");
  for (size_t k = 0; k < made->num_positions; k++)
    made->look[k] = asked->model == DORM_CLICK_MODEL_POSITION ? pow((double)k + 1, -asked->eta) : 1;
  fill_attraction(made);
  dorm__random_seed_for(&made->random, "clicks", asked->seed);
  return fill_orders(made);
}

/* The documents of an impression, by rank; a random order draws the first `count` places. */
static const uint32_t *draw_order(simulator *made, size_t query, size_t count)
{
  size_t start = made->dataset->query_start[query], size = made->dataset->query_start[query + 1] - start;
  if (made->asked->num_rankers)
    return made->order + dorm__random_below(&made->random, made->asked->num_rankers) * made->dataset->num_docs + start;
  uint32_t *order = made->order + start;
  for (size_t p = 0; p < count; p++) {
    size_t other = p + dorm__random_below(&made->random, size - p);
    uint32_t doc = order[other];
    order[other] = order[p];
    order[p] = doc;
  }
  return order;
}

static void show(simulator *made, dorm__output *output)
{
  const dorm_dataset *dataset = made->dataset;
  size_t query = dorm__random_below(&made->random, dataset->num_queries);
  size_t start = dataset->query_start[query], size = dataset->query_start[query + 1] - start;
  size_t count = size < made->num_positions ? size : made->num_positions;
  const uint32_t *order = draw_order(made, query, count);
  bool is_over = false;
  for (size_t p = 0; p < count; p++) {
    size_t doc = start + order[p];
    double trust = made->asked->model == DORM_CLICK_MODEL_POSITION ? made->asked->trust / ((double)p + 1) : 0;
    double chance = made->look[p] * (made->attraction[doc] + (1 - made->attraction[doc]) * trust);
    bool clicks = dorm__random_uniform(&made->random) < chance && !is_over;
    is_over = is_over || (clicks && made->asked->model == DORM_CLICK_MODEL_CASCADE);
    if (made->shown) {
      made->shown[doc * made->num_positions + p]++;
      made->clicked[doc * made->num_positions + p] += clicks;
    } else {
      dorm__doc_name name = dorm__doc_name_of(dataset, doc);
      dorm__output_text(output, "%s %s %zu %d\n", dorm_dataset_query_id(dataset, query), dorm__doc_name_text(&name),
                        p + 1, clicks);
    }
  }
}

static void write_merged(const simulator *made, dorm__output *output)
{
  const dorm_dataset *dataset = made->dataset;
  for (size_t q = 0; q < dataset->num_queries; q++)
    for (size_t j = dataset->query_start[q]; j < dataset->query_start[q + 1]; j++) {
      dorm__doc_name name = dorm__doc_name_of(dataset, j);
      for (size_t p = 0; p < made->num_positions; p++) {
        size_t cell = j * made->num_positions + p;
        if (made->shown[cell])
          dorm__output_text(output, "%s %s %zu %u %u\n", dorm_dataset_query_id(dataset, q), dorm__doc_name_text(&name),
                            p + 1, made->shown[cell], made->clicked[cell]);
      }
    }
}

dorm_status dorm_clicks_simulate(dorm_context *context, const dorm_dataset *dataset,
                                 const dorm_click_simulation *simulation, const char *path)
{
  if (DORM__LACKS(context, DORM__GIVEN(dataset), DORM__GIVEN(simulation), DORM__GIVEN(path)))
    return DORM_BAD_USAGE;
  dorm_click_simulation full;
  simulator made = {.context = context, .dataset = dataset, .asked = &full};
  dorm__output *output = NULL;
  dorm_status status =
      DORM__ALL(dorm__struct_take(context, "simulation", DORM__STRUCT(dorm_click_simulation), simulation, &full),
                check_asked(context, &full), prepare(&made), dorm__output_open(context, path, &output));
  for (size_t i = 0; status == DORM_OK && i < full.num_impressions; i++)
    show(&made, output);
  if (status == DORM_OK && made.shown)
    write_merged(&made, output);
  dorm__region_clear(&made.memory);
  return status == DORM_OK ? dorm__output_commit(context, output) : status;
}
