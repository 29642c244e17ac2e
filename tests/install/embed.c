/*
 * embed.c: libdorm in a program of one's own: read, train, evaluate, score.
 * Compiled against the installed library:
 *   cc embed.c $(pkg-config --cflags --libs dorm)
 */
#include <dorm/dorm.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
  dorm_context *context = dorm_context_new();
  dorm_settings *settings = NULL;
  dorm_dataset *train = NULL, *test = NULL;
  dorm_training *training = NULL;
  dorm_evaluation evaluation = {.struct_size = sizeof evaluation};
  double *scores = NULL;
  dorm_artificial parameters = {.struct_size = sizeof parameters,
                                .num_queries = 50,
                                .docs_per_query = 20,
                                .num_features = 5,
                                .model_seed = 1,
                                .data_seed = 1};
  if (!context)
    return DORM_OUT_OF_MEMORY;

  dorm_status status = dorm_dataset_generate_artificial(context, &parameters, &train);
  parameters.data_seed = 2;
  if (status == DORM_OK)
    status = dorm_dataset_generate_artificial(context, &parameters, &test);
  if (status == DORM_OK)
    status = dorm_settings_new(context, &settings);
  if (status == DORM_OK)
    status = dorm_settings_set(context, settings, "loss.truncation", "5");
  if (status == DORM_OK)
    status = dorm_train(context, settings, train, NULL, &training);
  if (status == DORM_OK) {
    scores = malloc(dorm_dataset_num_docs(test) * sizeof *scores);
    status = scores ? dorm_model_score(context, dorm_training_model(training), test, 0, scores) : DORM_OUT_OF_MEMORY;
  }
  if (status == DORM_OK)
    status = dorm_evaluate(context, "ndcg@5", test, scores, NULL, &evaluation);
  if (status == DORM_OK)
    printf("%s = %.4f over %zu queries\n", evaluation.conventions, evaluation.mean, evaluation.num_queries);
  else
    fprintf(stderr, "%s\n", dorm_context_message(context));

  free(scores);
  dorm_training_free(training);
  dorm_settings_free(settings);
  dorm_dataset_free(train);
  dorm_dataset_free(test);
  dorm_context_free(context);
  return (int)status;
}
