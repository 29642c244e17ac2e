/* clicks_cases.c: data and logs that tests of clicks share. */
#include "tests/unit/clicks_cases.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <unistd.h>

const char clicks_data_text[] = "2 qid:a 1:1 # docid = x\n0 qid:a 1:2 # docid = y\n1 qid:a 1:3 # docid = z\n"
                                "0 qid:b 1:4 # docid = x\n1 qid:b 1:5 # docid = y\n1 qid:c 1:6 # docid = x\n";

dorm_clicks *clicks_read_log(dorm_context *context, const dorm_dataset *dataset, const char *text)
{
  dorm_clicks *clicks = NULL;
  const char *path = unit_temporary_file(text);
  UNIT_OK(context, dorm_clicks_read(context, path, dataset, &clicks));
  unlink(path);
  CU_ASSERT_PTR_NOT_NULL_FATAL(clicks);
  return clicks;
}

dorm_dataset *clicks_make_data(dorm_context *context, size_t num_queries, size_t num_docs)
{
  dorm_artificial parameters = {.struct_size = sizeof parameters,
                                .num_queries = num_queries,
                                .docs_per_query = num_docs,
                                .num_features = 5,
                                .model_seed = 3,
                                .data_seed = 4};
  dorm_dataset *dataset = NULL;
  UNIT_OK(context, dorm_dataset_generate_artificial(context, &parameters, &dataset));
  CU_ASSERT_PTR_NOT_NULL_FATAL(dataset);
  return dataset;
}

void clicks_fill_scores(const dorm_dataset *dataset, double by, double *scores)
{
  for (size_t j = 0; j < dorm_dataset_num_docs(dataset); j++)
    scores[j] = sin(12.9898 * (double)j + by) + 0.2 * by * dorm_dataset_label(dataset, j);
}
