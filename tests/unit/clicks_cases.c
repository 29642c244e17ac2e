/* clicks_cases.c: data and logs that tests of clicks share. */
#include "tests/unit/clicks_cases.h"

const char clicks_data_text[] = "2 qid:a 1:1 # docid = x\n0 qid:a 1:2 # docid = y\n1 qid:a 1:3 # docid = z\n"
                                "0 qid:b 1:4 # docid = x\n1 qid:b 1:5 # docid = y\n1 qid:c 1:6 # docid = x\n";

dorm_clicks *clicks_read_log(dorm_context *context, const dorm_dataset *dataset, const char *text)
{
  dorm_clicks *clicks = NULL;
  UNIT_OK(context, dorm_clicks_read(context, unit_temporary_file(text), dataset, &clicks));
  return clicks;
}

dorm_click_simulation clicks_users(size_t num_impressions, double eta, size_t num_rankers, const double *const *scores)
{
  return (dorm_click_simulation){.struct_size = sizeof(dorm_click_simulation),
                                 .num_impressions = num_impressions,
                                 .eta = eta,
                                 .epsilon = 0.1,
                                 .num_rankers = num_rankers,
                                 .scores = scores,
                                 .is_merged = 1};
}

dorm_clicks *clicks_simulate(dorm_context *context, const dorm_dataset *dataset, const dorm_click_simulation *users)
{
  dorm_clicks *clicks = NULL;
  const char *path = unit_temporary_file("");
  UNIT_OK(context, dorm_clicks_simulate(context, dataset, users, path));
  UNIT_OK(context, dorm_clicks_read(context, path, dataset, &clicks));
  return clicks;
}

void clicks_set(dorm_context *context, dorm_clicks *clicks, const dorm_dataset *dataset, dorm_click_options options)
{
  options.struct_size = sizeof options;
  UNIT_OK(context, dorm_clicks_set_propensities(context, clicks, dataset, &options));
}

size_t clicks_rank(size_t num_docs, const double *scores, size_t doc)
{
  size_t first = doc / num_docs * num_docs, rank = 0;
  for (size_t other = first; other < first + num_docs; other++)
    rank += scores[other] > scores[doc];
  return rank;
}

double clicks_true_dcg(const dorm_dataset *dataset, size_t num_docs, const double *scores, size_t top)
{
  double sum = 0;
  for (size_t j = 0; j < dataset->num_docs; j++) {
    size_t rank = clicks_rank(num_docs, scores, j);
    double attraction = 0.1 + 0.9 * (pow(2, dorm_dataset_label(dataset, j)) - 1) / 15;
    sum += rank < top ? attraction / log2((double)rank + 2) : 0;
  }
  return sum / (double)dataset->num_queries;
}

dorm_dataset *clicks_make_data(dorm_context *context, size_t num_queries, size_t num_docs)
{
  return unit_artificial(context, num_queries, num_docs, 5, 0, 3, 4);
}

void clicks_fill_scores(const dorm_dataset *dataset, double by, double *scores)
{
  for (size_t j = 0; j < dorm_dataset_num_docs(dataset); j++)
    scores[j] = sin(12.9898 * (double)j + by) + 0.2 * by * dorm_dataset_label(dataset, j);
}
