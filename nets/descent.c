/*
 * descent.c: improves the weights by their slopes, epoch by epoch.
 *
 * `adam` (Kingma and Ba 2015, "Adam: A Method for Stochastic Optimization", Algorithm 1): with the slope s of a batch,
 * m <- 0.9 m + 0.1 s and u <- 0.999 u + 0.001 s^2. Weights move by rate m / (sqrt(u) + 1e-8), in which m and u are
 * divided by 1 - 0.9^t and 1 - 0.999^t after t steps.
 *
 * `donmez` (Donmez, Svore and Burges 2009, section 7): weights move by rate s. "Each algorithm was run for 700 epochs
 * with a random restart if validation accuracy was constant over 50 epochs. If the training accuracy decreased at a
 * given epoch, the learning rate was reduced by a factor of 0.8 with 30% probability." A restart draws new weights and
 * begins with the original rate.
 *
 * The slope of a batch is the slope of its mean cost per query. The cost of a query is multiplied by its weight / mean
 * weight of all queries.
 */
#include "base/linalg.h"
#include "base/memory.h"
#include "nets/nets.h"

#include <math.h>

enum { FLAT_EPOCHS = 50 };

static const double decay_m = 0.9, decay_u = 0.999, least_root = 1e-8;
static const double lower_rate = 0.8, lower_probability = 0.3;
static const double largest_weight = 1e100;

struct dorm__descent {
  dorm__region memory; /* of the arrays below */
  dorm__net_gradient *gradient;
  const dorm__features *rows;
  dorm__descent_options options;
  dorm__random random;
  dorm__net net;
  size_t num_queries;
  double mean_weight; /* of a query */
  size_t *order;      /* [num_queries] */
  double *slope;      /* [size of the net] */
  double *m;          /* [size], like u only for `adam` */
  double *u;
  double m_power, u_power; /* 0.9^t and 0.999^t */
  double rate;
  size_t num_epochs; /* begun */
  size_t num_flat;   /* epochs with the same validation value */
  double training_value;
  double choosing_value;
};

void dorm__descent_free(dorm__descent *descent)
{
  if (!descent)
    return;
  dorm__net_clear(&descent->net);
  dorm__region_clear(&descent->memory);
  dorm__free(descent);
}

dorm_status dorm__descent_new(dorm_context *context, dorm__net_gradient *gradient, const dorm_dataset *dataset,
                              const dorm__features *rows, const dorm__net *start, const dorm__descent_options *options,
                              dorm__descent **descent)
{
  size_t size = dorm__net_size(start->width, start->hidden);
  dorm__descent *made = dorm__alloc_zero(1, sizeof *made);
  *descent = NULL;
  if (!made)
    return dorm__out_of_memory(context, "a net");
  *made = (dorm__descent){.gradient = gradient,
                          .rows = rows,
                          .options = *options,
                          .num_queries = dataset->num_queries,
                          .mean_weight = dorm__dataset_total_weight(dataset) / (double)dataset->num_queries,
                          .m_power = 1,
                          .u_power = 1,
                          .rate = options->rate,
                          .training_value = NAN,
                          .choosing_value = NAN};
  made->order = dorm__region_take_zero(&made->memory, dataset->num_queries, sizeof *made->order);
  made->slope = dorm__region_take_zero(&made->memory, size, sizeof *made->slope);
  made->m = dorm__region_take_zero(&made->memory, size, sizeof *made->m);
  made->u = dorm__region_take_zero(&made->memory, size, sizeof *made->u);
  dorm__random_seed_for(&made->random, "descent", options->seed);
  dorm_status status = DORM__ALL(made->memory.is_short ? dorm__out_of_memory(context, "a net") : DORM_OK,
                                 dorm__net_copy(context, start, &made->net));
  for (size_t q = 0; status == DORM_OK && q < made->num_queries; q++)
    made->order[q] = q;
  return DORM__GIVE(status, descent, made, dorm__descent_free);
}

const dorm__net *dorm__descent_net(const dorm__descent *descent)
{
  return &descent->net;
}

static void step_adam(dorm__descent *descent, size_t size)
{
  double *weights = descent->net.weights;
  descent->m_power *= decay_m;
  descent->u_power *= decay_u;
  double m_share = 1 / (1 - descent->m_power);
  double u_share = 1 / (1 - descent->u_power);
  for (size_t i = 0; i < size; i++) {
    double s = descent->slope[i];
    descent->m[i] = decay_m * descent->m[i] + (1 - decay_m) * s;
    descent->u[i] = decay_u * descent->u[i] + (1 - decay_u) * s * s;
    weights[i] += descent->rate * (descent->m[i] * m_share) / (sqrt(descent->u[i] * u_share) + least_root);
  }
}

/* Makes one step with queries[count]. */
static dorm_status step(dorm_context *context, dorm__descent *descent, size_t count, const size_t *queries,
                        dorm__net_pass *pass)
{
  dorm__net_pass own;
  dorm__net *net = &descent->net;
  size_t size = dorm__net_size(net->width, net->hidden);
  dorm_status status = dorm__net_slope(context, descent->gradient, net, count, queries, descent->slope, &own);
  if (status != DORM_OK)
    return status;
  for (size_t i = 0; i < size; i++)
    descent->slope[i] /= (double)count * descent->mean_weight;
  if (descent->options.schedule == DORM__SCHEDULE_ADAM)
    step_adam(descent, size);
  else
    dorm__add_scaled(size, descent->rate, descent->slope, net->weights);
  pass->cost += own.cost;
  pass->num_pairs += own.num_pairs;
  return DORM_OK;
}

static dorm_status check_weights(dorm_context *context, const dorm__net *net)
{
  for (size_t i = 0; i < dorm__net_size(net->width, net->hidden); i++)
    if (!(fabs(net->weights[i]) <= largest_weight))
      return dorm__fail(context, DORM_NUMERICAL_FAILURE, "the weights left the range of numbers");
  return DORM_OK;
}

dorm_status dorm__descent_epoch(dorm_context *context, dorm__descent *descent, dorm__net_pass *pass)
{
  size_t count = descent->num_queries;
  size_t batch = descent->options.batch ? descent->options.batch : count;
  dorm_status status = DORM_OK;
  *pass = (dorm__net_pass){0};
  dorm__net_gradient_set_round(descent->gradient, descent->num_epochs++);
  if (batch < count)
    dorm__random_permutation(&descent->random, count, descent->order);
  for (size_t first = 0; status == DORM_OK && first < count; first += batch)
    status = step(context, descent, count - first < batch ? count - first : batch, descent->order + first, pass);
  return status == DORM_OK ? check_weights(context, &descent->net) : status;
}

dorm_status dorm__descent_heed(dorm_context *context, dorm__descent *descent, double training_value,
                               double choosing_value)
{
  dorm_status status = DORM_OK;
  if (descent->options.schedule != DORM__SCHEDULE_DONMEZ)
    return DORM_OK;
  if (training_value < descent->training_value && dorm__random_uniform(&descent->random) < lower_probability)
    descent->rate *= lower_rate;
  descent->num_flat = choosing_value == descent->choosing_value ? descent->num_flat + 1 : 0;
  descent->training_value = training_value;
  descent->choosing_value = choosing_value;
  if (descent->num_flat == FLAT_EPOCHS) {
    status = dorm__net_draw(context, descent->rows, &descent->random, &descent->net);
    descent->rate = descent->options.rate;
    descent->num_flat = 0;
    descent->training_value = descent->choosing_value = NAN;
  }
  return status;
}
