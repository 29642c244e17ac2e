/*
 * halving.cc: a loss module in C++, in the product form: the weight of the
 * positions halves every `steps`, and the gain of a document is its rank among
 * the distinct labels of the query.
 *
 *   c++ -shared -fPIC -o halving.so halving.cc
 */
#include <dorm/plugin.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <vector>

namespace
{

struct halving {
  double steps;
};

const dorm_loss_parameter parameters[] = {
    {"steps", "3", nullptr, 1, 1000, 1, "positions after which the weight is half"},
};

int create(const dorm_host *host, const dorm_loss_value *values, void **state)
{
  halving *made = new (std::nothrow) halving{values[0].number};
  if (!made)
    return host->fail(host, "out of memory");
  *state = made;
  return 0;
}

void destroy(void *state)
{
  delete static_cast<halving *>(state);
}

/* No exception may leave a module. */
int fill_product(const dorm_host *host, const void *state, const dorm_loss_query *query, double *a, double *b)
{
  const halving *loss = static_cast<const halving *>(state);
  try {
    std::vector<double> levels(query->labels, query->labels + query->num_docs);
    std::sort(levels.begin(), levels.end());
    levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
    for (std::size_t j = 0; j < query->num_docs; j++) {
      a[j] = std::exp2(-static_cast<double>(j) / loss->steps);
      auto level = std::lower_bound(levels.begin(), levels.end(), query->labels[j]);
      b[j] = static_cast<double>(level - levels.begin());
    }
  } catch (const std::bad_alloc &) {
    return host->fail(host, "out of memory");
  }
  return 0;
}

const dorm_loss_module module = {
    DORM_PLUGIN_ABI,
    sizeof(dorm_loss_module),
    "halving",
    "levels of labels under weights that halve",
    sizeof parameters / sizeof *parameters,
    parameters,
    create,
    destroy,
    fill_product,
    nullptr,
};

} // namespace

extern "C" const dorm_loss_module *dorm_loss_module_entry(void)
{
  return &module;
}
