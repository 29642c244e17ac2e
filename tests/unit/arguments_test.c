/*
 * arguments_test.c: NULL and numbers out of range. Every function of include/dorm/ that returns a status is called with
 * each argument that it needs as NULL, the others being memory that it must not get to look at; house.sh checks that
 * none is left out. Accessors are asked for what is not there, and structs of callers have sizes that no version had.
 */
#include "tests/unit/unit.h"

#include <stddef.h>

#define REFUSES(argument, call) UNIT_FAILS(context, (call), DORM_BAD_USAGE, "the argument '" argument "' is NULL")
#define REFUSES_ALONE(call)     CU_ASSERT_EQUAL((call), DORM_BAD_USAGE)

UNIT_TEST_IN(context, null_in_settings_and_reading)
{
  static max_align_t memory[64];
  void *any = memory;
  REFUSES_ALONE(dorm_context_lock_output(NULL, any));
  REFUSES("path", dorm_context_lock_output(context, NULL));
  REFUSES_ALONE(dorm_context_check_output(NULL, any));
  REFUSES("path", dorm_context_check_output(context, NULL));
  REFUSES_ALONE(dorm_settings_new(NULL, any));
  REFUSES("settings", dorm_settings_new(context, NULL));
  dorm_processes lacking = {.struct_size = sizeof lacking, .size = 1};
  REFUSES_ALONE(dorm_context_set_processes(NULL, &lacking));
  REFUSES("gather", dorm_context_set_processes(context, &lacking));
  lacking.number = 1;
  UNIT_FAILS(context, dorm_context_set_processes(context, &lacking), DORM_BAD_USAGE, "no process 1 of 1");
  REFUSES_ALONE(dorm_settings_read(NULL, any, any));
  REFUSES("settings", dorm_settings_read(context, NULL, any));
  REFUSES("path", dorm_settings_read(context, any, NULL));
  REFUSES_ALONE(dorm_settings_set(NULL, any, any, any));
  REFUSES("settings", dorm_settings_set(context, NULL, any, any));
  REFUSES("key", dorm_settings_set(context, any, NULL, any));
  REFUSES("text", dorm_settings_set(context, any, any, NULL));
  REFUSES_ALONE(dorm_dataset_read(NULL, any, any));
  REFUSES("path", dorm_dataset_read(context, NULL, any));
  REFUSES("dataset", dorm_dataset_read(context, any, NULL));
  REFUSES_ALONE(dorm_dataset_read_with(NULL, any, NULL, any));
  REFUSES("path", dorm_dataset_read_with(context, NULL, NULL, any));
  REFUSES("dataset", dorm_dataset_read_with(context, any, NULL, NULL));
  REFUSES_ALONE(dorm_dataset_read_groups(NULL, any, any));
  REFUSES("dataset", dorm_dataset_read_groups(context, NULL, any));
  REFUSES("settings", dorm_dataset_read_groups(context, any, NULL));
  REFUSES_ALONE(dorm_dataset_read_subtopics(NULL, any, any));
  REFUSES("dataset", dorm_dataset_read_subtopics(context, NULL, any));
  REFUSES("path", dorm_dataset_read_subtopics(context, any, NULL));
}

UNIT_TEST_IN(context, null_in_making_data)
{
  static max_align_t memory[64];
  void *any = memory;
  REFUSES_ALONE(dorm_dataset_from_arrays(NULL, 1, any, 1, any, any, any));
  REFUSES("query_start", dorm_dataset_from_arrays(context, 1, NULL, 1, any, any, any));
  REFUSES("labels", dorm_dataset_from_arrays(context, 1, any, 1, NULL, any, any));
  REFUSES("features", dorm_dataset_from_arrays(context, 1, any, 1, any, NULL, any));
  REFUSES("dataset", dorm_dataset_from_arrays(context, 1, any, 1, any, any, NULL));
  REFUSES_ALONE(dorm_dataset_from_sparse(NULL, 1, any, 1, any, any, any, any, any));
  REFUSES("query_start", dorm_dataset_from_sparse(context, 1, NULL, 1, any, any, any, any, any));
  REFUSES("labels", dorm_dataset_from_sparse(context, 1, any, 1, NULL, any, any, any, any));
  REFUSES("row_start", dorm_dataset_from_sparse(context, 1, any, 1, any, NULL, any, any, any));
  REFUSES("dataset", dorm_dataset_from_sparse(context, 1, any, 1, any, any, any, any, NULL));
  REFUSES_ALONE(dorm_dataset_new(NULL, any, any));
  REFUSES("arrays", dorm_dataset_new(context, NULL, any));
  REFUSES("dataset", dorm_dataset_new(context, any, NULL));
  REFUSES_ALONE(dorm_dataset_generate_artificial(NULL, any, any));
  REFUSES("parameters", dorm_dataset_generate_artificial(context, NULL, any));
  REFUSES("dataset", dorm_dataset_generate_artificial(context, any, NULL));
  REFUSES_ALONE(dorm_dataset_generate_sparse(NULL, any, 1, any));
  REFUSES("parameters", dorm_dataset_generate_sparse(context, NULL, 1, any));
  REFUSES("dataset", dorm_dataset_generate_sparse(context, any, 1, NULL));
  REFUSES_ALONE(dorm_dataset_generate_ambiguous(NULL, 1, 1, any));
  REFUSES("dataset", dorm_dataset_generate_ambiguous(context, 1, 1, NULL));
  REFUSES_ALONE(dorm_dataset_set_weights(NULL, any, NULL, NULL));
  REFUSES("dataset", dorm_dataset_set_weights(context, NULL, NULL, NULL));
}

UNIT_TEST_IN(context, null_in_writing_data)
{
  static max_align_t memory[64];
  void *any = memory;
  REFUSES_ALONE(dorm_split(NULL, any, NULL, 1, any, 1, 1, any, any));
  REFUSES("path", dorm_split(context, NULL, NULL, 1, any, 1, 1, any, any));
  REFUSES("shares", dorm_split(context, any, NULL, 1, NULL, 1, 1, any, any));
  REFUSES("paths", dorm_split(context, any, NULL, 1, any, 1, 1, NULL, any));
  REFUSES("takes", dorm_split(context, any, NULL, 1, any, 1, 1, any, NULL));
  REFUSES_ALONE(dorm_dataset_write_cache(NULL, any, any));
  REFUSES("dataset", dorm_dataset_write_cache(context, NULL, any));
  REFUSES("path", dorm_dataset_write_cache(context, any, NULL));
  REFUSES_ALONE(dorm_dataset_write(NULL, any, any));
  REFUSES("dataset", dorm_dataset_write(context, NULL, any));
  REFUSES("path", dorm_dataset_write(context, any, NULL));
  REFUSES_ALONE(dorm_dataset_arrays(NULL, any, any));
  REFUSES("dataset", dorm_dataset_arrays(context, NULL, any));
  REFUSES("arrays", dorm_dataset_arrays(context, any, NULL));
  REFUSES_ALONE(dorm_dataset_set_groups(NULL, any, any, any, NULL));
  REFUSES("dataset", dorm_dataset_set_groups(context, NULL, any, any, NULL));
  REFUSES("start", dorm_dataset_set_groups(context, any, NULL, any, NULL));
  REFUSES_ALONE(dorm_dataset_set_subtopics(NULL, any, any, any, any, any));
  REFUSES("dataset", dorm_dataset_set_subtopics(context, NULL, any, any, any, any));
  REFUSES("num_subtopics", dorm_dataset_set_subtopics(context, any, NULL, any, any, any));
  REFUSES("start", dorm_dataset_set_subtopics(context, any, any, NULL, any, any));
  REFUSES_ALONE(dorm_dataset_write_subtopics(NULL, any, any));
  REFUSES("dataset", dorm_dataset_write_subtopics(context, NULL, any));
  REFUSES("path", dorm_dataset_write_subtopics(context, any, NULL));
  REFUSES_ALONE(dorm_diversify(NULL, any, any, any, any));
  REFUSES("settings", dorm_diversify(context, NULL, any, any, any));
  REFUSES("dataset", dorm_diversify(context, any, NULL, any, any));
  REFUSES("scores", dorm_diversify(context, any, any, NULL, any));
  REFUSES("diverse", dorm_diversify(context, any, any, any, NULL));
}

UNIT_TEST_IN(context, null_in_training_and_scores)
{
  static max_align_t memory[64];
  void *any = memory;
  REFUSES_ALONE(dorm_train_check(NULL, any));
  REFUSES("settings", dorm_train_check(context, NULL));
  REFUSES_ALONE(dorm_train(NULL, any, any, NULL, any));
  REFUSES("settings", dorm_train(context, NULL, any, NULL, any));
  REFUSES("train", dorm_train(context, any, NULL, NULL, any));
  REFUSES("training", dorm_train(context, any, any, NULL, NULL));
  REFUSES_ALONE(dorm_train_consuming(NULL, any, any, NULL, any));
  REFUSES("settings", dorm_train_consuming(context, NULL, any, NULL, any));
  REFUSES("train", dorm_train_consuming(context, any, NULL, NULL, any));
  REFUSES("training", dorm_train_consuming(context, any, any, NULL, NULL));
  REFUSES_ALONE(dorm_train_stream(NULL, any, NULL, NULL, any));
  REFUSES("settings", dorm_train_stream(context, NULL, NULL, NULL, any));
  REFUSES("model", dorm_train_stream(context, any, NULL, NULL, NULL));
  REFUSES_ALONE(dorm_model_score(NULL, any, any, 1, any));
  REFUSES("model", dorm_model_score(context, NULL, any, 1, any));
  REFUSES("dataset", dorm_model_score(context, any, NULL, 1, any));
  REFUSES("scores", dorm_model_score(context, any, any, 1, NULL));
  REFUSES_ALONE(dorm_model_score_stream(NULL, any, any, any, NULL));
  REFUSES("model", dorm_model_score_stream(context, NULL, any, any, NULL));
  REFUSES("path", dorm_model_score_stream(context, any, NULL, any, NULL));
  REFUSES("take", dorm_model_score_stream(context, any, any, NULL, NULL));
  REFUSES_ALONE(dorm_model_score_rows(NULL, any, any, 1, any));
  REFUSES("model", dorm_model_score_rows(context, NULL, any, 1, any));
  REFUSES("arrays", dorm_model_score_rows(context, any, NULL, 1, any));
  REFUSES("scores", dorm_model_score_rows(context, any, any, 1, NULL));
  REFUSES_ALONE(dorm_model_importance(NULL, any, any, any));
  REFUSES("model", dorm_model_importance(context, NULL, any, any));
  REFUSES("dataset", dorm_model_importance(context, any, NULL, any));
  REFUSES_ALONE(dorm_model_explain(NULL, any, any, any));
  REFUSES("model", dorm_model_explain(context, NULL, any, any));
  REFUSES("dataset", dorm_model_explain(context, any, NULL, any));
  REFUSES_ALONE(dorm_scores_read(NULL, any, 1, any));
  REFUSES("path", dorm_scores_read(context, NULL, 1, any));
  REFUSES("scores", dorm_scores_read(context, any, 1, NULL));
  REFUSES_ALONE(dorm_scores_write(NULL, any, 1, any));
  REFUSES("path", dorm_scores_write(context, NULL, 1, any));
  REFUSES("scores", dorm_scores_write(context, any, 1, NULL));
  REFUSES_ALONE(dorm_model_probe(NULL, any, any, any, NULL, any));
  REFUSES("model", dorm_model_probe(context, NULL, any, any, NULL, any));
  REFUSES("dataset", dorm_model_probe(context, any, NULL, any, NULL, any));
  REFUSES("measure", dorm_model_probe(context, any, any, NULL, NULL, any));
  REFUSES("probe", dorm_model_probe(context, any, any, any, NULL, NULL));
}

UNIT_TEST_IN(context, null_in_models)
{
  static max_align_t memory[64];
  void *any = memory;
  REFUSES_ALONE(dorm_model_read(NULL, any, any));
  REFUSES("path", dorm_model_read(context, NULL, any));
  REFUSES("model", dorm_model_read(context, any, NULL));
  REFUSES_ALONE(dorm_model_write(NULL, any, any));
  REFUSES("model", dorm_model_write(context, NULL, any));
  REFUSES("path", dorm_model_write(context, any, NULL));
  REFUSES_ALONE(dorm_model_to_text(NULL, any, any, any));
  REFUSES("model", dorm_model_to_text(context, NULL, any, any));
  REFUSES("text", dorm_model_to_text(context, any, NULL, any));
  REFUSES("size", dorm_model_to_text(context, any, any, NULL));
  REFUSES_ALONE(dorm_model_from_text(NULL, any, 1, any));
  REFUSES("text", dorm_model_from_text(context, NULL, 1, any));
  REFUSES("model", dorm_model_from_text(context, any, 1, NULL));
  REFUSES_ALONE(dorm_model_describe(NULL, any, any));
  REFUSES("model", dorm_model_describe(context, NULL, any));
  REFUSES("json", dorm_model_describe(context, any, NULL));
  REFUSES_ALONE(dorm_model_export(NULL, any, any, any, NULL, any));
  REFUSES("model", dorm_model_export(context, NULL, any, any, NULL, any));
  REFUSES("format", dorm_model_export(context, any, NULL, any, NULL, any));
  REFUSES("name", dorm_model_export(context, any, any, NULL, NULL, any));
  REFUSES("path", dorm_model_export(context, any, any, any, NULL, NULL));
  REFUSES_ALONE(dorm_model_check_export(NULL, any));
  REFUSES("model", dorm_model_check_export(context, NULL));
  REFUSES_ALONE(dorm_model_use_module(NULL, any, any));
  REFUSES("model", dorm_model_use_module(context, NULL, any));
  REFUSES("path", dorm_model_use_module(context, any, NULL));
  REFUSES_ALONE(dorm_feature_names_read(NULL, any, NULL, any));
  REFUSES("model", dorm_feature_names_read(context, NULL, NULL, any));
  REFUSES("names", dorm_feature_names_read(context, any, NULL, NULL));
  REFUSES_ALONE(dorm_model_settings(NULL, any, any));
  REFUSES("model", dorm_model_settings(context, NULL, any));
  REFUSES("settings", dorm_model_settings(context, any, NULL));
}

UNIT_TEST_IN(context, null_in_losses_kernels_gradients)
{
  static max_align_t memory[64];
  void *any = memory;
  REFUSES_ALONE(dorm_loss_register(NULL, any, NULL));
  REFUSES("loss", dorm_loss_register(context, NULL, any));
  REFUSES_ALONE(dorm_most_violated(NULL, any, any, any, any, any, any, any));
  REFUSES("loss", dorm_most_violated(context, NULL, any, any, any, any, any, any));
  REFUSES("dataset", dorm_most_violated(context, any, NULL, any, any, any, any, any));
  REFUSES("scores", dorm_most_violated(context, any, any, any, NULL, any, any, any));
  REFUSES("order", dorm_most_violated(context, any, any, any, any, NULL, any, any));
  REFUSES_ALONE(dorm_loss_open(NULL, any, any));
  REFUSES("spec", dorm_loss_open(context, NULL, any));
  REFUSES("loss", dorm_loss_open(context, any, NULL));
  REFUSES_ALONE(dorm_kernel_open(NULL, any, any));
  REFUSES("spec", dorm_kernel_open(context, NULL, any));
  REFUSES("kernel", dorm_kernel_open(context, any, NULL));
  REFUSES_ALONE(dorm_lambda_open(NULL, any, any, any));
  REFUSES("spec", dorm_lambda_open(context, NULL, any, any));
  REFUSES("dataset", dorm_lambda_open(context, any, NULL, any));
  REFUSES("lambda", dorm_lambda_open(context, any, any, NULL));
  REFUSES_ALONE(dorm_lambda_at(NULL, any, 1, any, any, any, NULL, NULL));
  REFUSES("lambda", dorm_lambda_at(context, NULL, 1, any, any, any, NULL, NULL));
  REFUSES("scores", dorm_lambda_at(context, any, 1, NULL, any, any, NULL, NULL));
  REFUSES("lambdas", dorm_lambda_at(context, any, 1, any, NULL, any, NULL, NULL));
  REFUSES("curvature", dorm_lambda_at(context, any, 1, any, any, NULL, NULL, NULL));
  REFUSES_ALONE(dorm_lambdas(NULL, any, any, any, 1, any, any, NULL));
  REFUSES("spec", dorm_lambdas(context, NULL, any, any, 1, any, any, NULL));
  REFUSES("dataset", dorm_lambdas(context, any, NULL, any, 1, any, any, NULL));
  REFUSES("scores", dorm_lambdas(context, any, any, NULL, 1, any, any, NULL));
  REFUSES("lambdas", dorm_lambdas(context, any, any, any, 1, NULL, any, NULL));
  REFUSES("curvature", dorm_lambdas(context, any, any, any, 1, any, NULL, NULL));
  REFUSES_ALONE(dorm_lambda_check(NULL, any, 1, any));
  REFUSES("spec", dorm_lambda_check(context, NULL, 1, any));
  REFUSES("report", dorm_lambda_check(context, any, 1, NULL));
}

UNIT_TEST_IN(context, null_in_evaluation)
{
  static max_align_t memory[64];
  void *any = memory;
  REFUSES_ALONE(dorm_evaluate(NULL, any, any, any, NULL, any));
  REFUSES("measure", dorm_evaluate(context, NULL, any, any, NULL, any));
  REFUSES("dataset", dorm_evaluate(context, any, NULL, any, NULL, any));
  REFUSES("scores", dorm_evaluate(context, any, any, NULL, NULL, any));
  REFUSES("evaluation", dorm_evaluate(context, any, any, any, NULL, NULL));
  REFUSES_ALONE(dorm_trec_run_write(NULL, any, any, any, any));
  REFUSES("path", dorm_trec_run_write(context, NULL, any, any, any));
  REFUSES("dataset", dorm_trec_run_write(context, any, NULL, any, any));
  REFUSES("scores", dorm_trec_run_write(context, any, any, NULL, any));
  REFUSES("tag", dorm_trec_run_write(context, any, any, any, NULL));
  REFUSES_ALONE(dorm_trec_qrels_write(NULL, any, any));
  REFUSES("path", dorm_trec_qrels_write(context, NULL, any));
  REFUSES("dataset", dorm_trec_qrels_write(context, any, NULL));
  REFUSES_ALONE(dorm_trec_read(NULL, any, any, 1, any, any));
  REFUSES("qrels", dorm_trec_read(context, NULL, any, 1, any, any));
  REFUSES("run", dorm_trec_read(context, any, NULL, 1, any, any));
  REFUSES("dataset", dorm_trec_read(context, any, any, 1, NULL, any));
  REFUSES("scores", dorm_trec_read(context, any, any, 1, any, NULL));
  REFUSES_ALONE(dorm_lower_bound(NULL, 1, any, 0, 1, .9, any));
  REFUSES("values", dorm_lower_bound(context, 1, NULL, 0, 1, .9, any));
  REFUSES("bound", dorm_lower_bound(context, 1, any, 0, 1, .9, NULL));
  REFUSES_ALONE(dorm_measure_range(NULL, "mrr", any, any));
  REFUSES("spec", dorm_measure_range(context, NULL, any, any));
  REFUSES("least", dorm_measure_range(context, "mrr", NULL, any));
  REFUSES("most", dorm_measure_range(context, "mrr", any, NULL));
  REFUSES_ALONE(dorm_find_depth(NULL, any, any, .9, .9, any));
  REFUSES("dataset", dorm_find_depth(context, NULL, any, .9, .9, any));
  REFUSES("scores", dorm_find_depth(context, any, NULL, .9, .9, any));
  REFUSES("depth", dorm_find_depth(context, any, any, .9, .9, NULL));
  REFUSES_ALONE(dorm_compare(NULL, 1, any, any, 1, 1, any));
  REFUSES_ALONE(dorm_compare_weighted(NULL, 1, any, any, NULL, 1, 1, any));
  REFUSES("first", dorm_compare(context, 1, NULL, any, 1, 1, any));
  REFUSES("first", dorm_compare_weighted(context, 1, NULL, any, NULL, 1, 1, any));
  REFUSES("second", dorm_compare(context, 1, any, NULL, 1, 1, any));
  REFUSES("second", dorm_compare_weighted(context, 1, any, NULL, NULL, 1, 1, any));
  REFUSES("comparison", dorm_compare(context, 1, any, any, 1, 1, NULL));
  REFUSES("comparison", dorm_compare_weighted(context, 1, any, any, NULL, 1, 1, NULL));
}

UNIT_TEST_IN(context, null_in_ratings)
{
  static max_align_t memory[64];
  void *any = memory;
  REFUSES_ALONE(dorm_ratings_read(NULL, any, any, NULL, any, NULL));
  REFUSES("settings", dorm_ratings_read(context, NULL, any, NULL, any, NULL));
  REFUSES("path", dorm_ratings_read(context, any, NULL, NULL, any, NULL));
  REFUSES("ratings", dorm_ratings_read(context, any, any, NULL, NULL, NULL));
  REFUSES_ALONE(dorm_ratings_split(NULL, any, any, any, any));
  REFUSES("settings", dorm_ratings_split(context, NULL, any, any, any));
  REFUSES("ratings", dorm_ratings_split(context, any, NULL, any, any));
  REFUSES("training", dorm_ratings_split(context, any, any, NULL, any));
  REFUSES("held_out", dorm_ratings_split(context, any, any, any, NULL));
  REFUSES_ALONE(dorm_ratings_write(NULL, any, any));
  REFUSES("ratings", dorm_ratings_write(context, NULL, any));
  REFUSES("path", dorm_ratings_write(context, any, NULL));
  REFUSES_ALONE(dorm_ratings_generate(NULL, any, NULL, NULL, any));
  REFUSES("parameters", dorm_ratings_generate(context, NULL, NULL, NULL, any));
  REFUSES("ratings", dorm_ratings_generate(context, any, NULL, NULL, NULL));
  REFUSES_ALONE(dorm_side_read(NULL, any, any));
  REFUSES("path", dorm_side_read(context, NULL, any));
  REFUSES("side", dorm_side_read(context, any, NULL));
  REFUSES_ALONE(dorm_rating_features_fit(NULL, any, any, NULL, NULL, any));
  REFUSES("settings", dorm_rating_features_fit(context, NULL, any, NULL, NULL, any));
  REFUSES("training", dorm_rating_features_fit(context, any, NULL, NULL, NULL, any));
  REFUSES("features", dorm_rating_features_fit(context, any, any, NULL, NULL, NULL));
  REFUSES_ALONE(dorm_rating_features_training(NULL, any, NULL, any));
  REFUSES("features", dorm_rating_features_training(context, NULL, NULL, any));
  REFUSES("dataset", dorm_rating_features_training(context, any, NULL, NULL));
  REFUSES_ALONE(dorm_rating_features_predict(NULL, any, any, any));
  REFUSES("features", dorm_rating_features_predict(context, NULL, any, any));
  REFUSES("pairs", dorm_rating_features_predict(context, any, NULL, any));
  REFUSES("dataset", dorm_rating_features_predict(context, any, any, NULL));
  REFUSES_ALONE(dorm_rating_features_candidates(NULL, any, any, any));
  REFUSES("features", dorm_rating_features_candidates(context, NULL, any, any));
  REFUSES("user_id", dorm_rating_features_candidates(context, any, NULL, any));
  REFUSES("dataset", dorm_rating_features_candidates(context, any, any, NULL));
  REFUSES_ALONE(dorm_rating_kernels_write(NULL, any, any, NULL, NULL, any, any));
  REFUSES("settings", dorm_rating_kernels_write(context, NULL, any, NULL, NULL, any, any));
  REFUSES("training", dorm_rating_kernels_write(context, any, NULL, NULL, NULL, any, any));
  REFUSES("users_path", dorm_rating_kernels_write(context, any, any, NULL, NULL, NULL, any));
  REFUSES("items_path", dorm_rating_kernels_write(context, any, any, NULL, NULL, any, NULL));
}

UNIT_TEST_IN(context, null_in_factors)
{
  static max_align_t memory[64];
  void *any = memory;
  REFUSES_ALONE(dorm_factorize(NULL, any, any, NULL, any));
  REFUSES("settings", dorm_factorize(context, NULL, any, NULL, any));
  REFUSES("training", dorm_factorize(context, any, NULL, NULL, any));
  REFUSES("factors", dorm_factorize(context, any, any, NULL, NULL));
  REFUSES_ALONE(dorm_factors_read(NULL, any, any));
  REFUSES("path", dorm_factors_read(context, NULL, any));
  REFUSES("factors", dorm_factors_read(context, any, NULL));
  REFUSES_ALONE(dorm_factors_use_settings(NULL, any, any));
  REFUSES("factors", dorm_factors_use_settings(context, NULL, any));
  REFUSES("settings", dorm_factors_use_settings(context, any, NULL));
  REFUSES_ALONE(dorm_factors_write(NULL, any, any));
  REFUSES("factors", dorm_factors_write(context, NULL, any));
  REFUSES("path", dorm_factors_write(context, any, NULL));
  REFUSES_ALONE(dorm_factors_score(NULL, any, any, any));
  REFUSES("factors", dorm_factors_score(context, NULL, any, any));
  REFUSES("pairs", dorm_factors_score(context, any, NULL, any));
  REFUSES("scores", dorm_factors_score(context, any, any, NULL));
  REFUSES_ALONE(dorm_factors_recommend(NULL, any, any, NULL, 1, any, any, any));
  REFUSES("factors", dorm_factors_recommend(context, NULL, any, NULL, 1, any, any, any));
  REFUSES("user_id", dorm_factors_recommend(context, any, NULL, NULL, 1, any, any, any));
  REFUSES("count", dorm_factors_recommend(context, any, any, NULL, 1, NULL, any, any));
  REFUSES("items", dorm_factors_recommend(context, any, any, NULL, 1, any, NULL, any));
  REFUSES("scores", dorm_factors_recommend(context, any, any, NULL, 1, any, any, NULL));
}

UNIT_TEST_IN(context, arrays_that_entries_need)
{
  static const double labels[] = {1, 0};
  static const size_t start[] = {0, 1, 2};
  DORM__OWNED(dorm_dataset) *dataset = unit_one_query(context, 2, labels);
  dorm_dataset *made = dataset; /* not NULL, so that a call that leaves it is noticed */
  UNIT_FAILS(context, dorm_dataset_from_sparse(context, 1, (size_t[]){0, 2}, 3, labels, start, NULL, NULL, &made),
             DORM_BAD_USAGE, "'indices'");
  CU_ASSERT_PTR_NULL(made);
  UNIT_FAILS(context,
             dorm_dataset_from_sparse(context, 1, (size_t[]){0, 2}, 3, labels, start, (uint32_t[]){0, 2}, NULL, &made),
             DORM_BAD_USAGE, "'floats' and 'doubles'");
  REFUSES("groups", dorm_dataset_set_groups(context, dataset, start, NULL, NULL));
  REFUSES("subtopics", dorm_dataset_set_subtopics(context, dataset, start, start, NULL, NULL));
}

/* A value of a setting that is not its default. */
static const char *other_value(const dorm_setting_info *info)
{
  const char *last = info->choices ? strrchr(info->choices, ' ') : NULL;
  if (info->kind == DORM_SETTING_NUMBER)
    return "0.5";
  return info->kind == DORM_SETTING_PATH ? "some file" : last ? last + 1 : "";
}

UNIT_TEST_IN(context, settings_of_the_command_are_refused)
{
  DORM__OWNED(dorm_dataset) *data =
      unit_read_text(context, "1 qid:1 1:1 2:0\n0 qid:1 1:0 2:1\n1 qid:2 1:3 2:1\n0 qid:2 1:0 2:2\n");
  const dorm_setting_info *info;
  size_t count = 0;
  for (size_t i = 0; (info = dorm_setting_at(i)); i++) {
    if (!info->instead)
      continue;
    dorm_settings *settings = NULL;
    dorm_training *training = NULL;
    UNIT_OK(context, dorm_settings_new(context, &settings));
    UNIT_OK(context, dorm_settings_set(context, settings, info->key, other_value(info)));
    UNIT_OK(context, dorm_settings_set(context, settings, "solver.C", "1"));
    UNIT_FAILS(context, dorm_train(context, settings, data, NULL, &training), DORM_BAD_USAGE, info->key);
    UNIT_FAILS(context, dorm_train_consuming(context, settings, data, NULL, &training), DORM_BAD_USAGE, info->instead);
    CU_ASSERT_PTR_NULL(training);
    dorm_settings_obey_all(settings);
    UNIT_OK(context, dorm_train(context, settings, data, NULL, &training));
    CU_ASSERT_STRING_EQUAL(dorm_model_setting(dorm_training_model(training), info->key), other_value(info));
    dorm_training_free(training);
    dorm_settings_free(settings);
    count++;
  }
  CU_ASSERT_TRUE(count > 10);
}

/* Calls with structs of every size but the right one. */
#define REFUSES_SIZES(name, type, call)                                                                                \
  for (size_t size = 0; size < 3 * sizeof(type); size += size == sizeof(type) - 1 ? 2 : 1) {                           \
    type given = {.struct_size = size};                                                                                \
    UNIT_FAILS(context, (call), DORM_BAD_USAGE, name ".struct_size is ");                                              \
    UNIT_FAILS(context, (call), DORM_BAD_USAGE, "sizeof(" #type ")");                                                  \
  }

UNIT_TEST_IN(context, structs_of_other_sizes)
{
  DORM__OWNED(dorm_dataset) *data = unit_read_text(context, "1 qid:1 1:1\n0 qid:1 1:0\n");
  dorm_dataset *made = NULL;
  dorm_ratings *ratings = NULL;
  dorm_probe *probe = NULL;
  double numbers[2] = {1, 2};
  static max_align_t memory[64]; /* a model that the call must not get to look at */
  const void *any = memory;
  REFUSES_SIZES("options", dorm_read_options, dorm_dataset_read_with(context, "no such file", &given, &made));
  REFUSES_SIZES("processes", dorm_processes, dorm_context_set_processes(context, &given));
  REFUSES_SIZES("arrays", dorm_arrays, dorm_dataset_new(context, &given, &made));
  REFUSES_SIZES("arrays", dorm_arrays, dorm_dataset_arrays(context, data, &given));
  REFUSES_SIZES("parameters", dorm_artificial, dorm_dataset_generate_artificial(context, &given, &made));
  REFUSES_SIZES("parameters", dorm_artificial, dorm_dataset_generate_sparse(context, &given, 1, &made));
  REFUSES_SIZES("evaluation", dorm_evaluation, dorm_evaluate(context, "mrr", data, numbers, NULL, &given));
  REFUSES_SIZES("comparison", dorm_comparison, dorm_compare(context, 2, numbers, numbers, 10, 1, &given));
  REFUSES_SIZES("bound", dorm_bound, dorm_lower_bound(context, 2, numbers, 0, 2, .9, &given));
  REFUSES_SIZES("depth", dorm_depth, dorm_find_depth(context, data, numbers, .9, .9, &given));
  REFUSES_SIZES("summary", dorm_lambda_summary,
                dorm_lambdas(context, "ranknet", data, numbers, 1, numbers, numbers, &given));
  REFUSES_SIZES("report", dorm_lambda_report, dorm_lambda_check(context, "ranknet", 1, &given));
  REFUSES_SIZES("options", dorm_probe_options, dorm_model_probe(context, any, data, "mrr", &given, &probe));
  REFUSES_SIZES("parameters", dorm_artificial_ratings, dorm_ratings_generate(context, &given, NULL, NULL, &ratings));
  CU_ASSERT_TRUE(!made && !ratings && !probe);
}

UNIT_TEST(handles_of_null)
{
  CU_ASSERT_STRING_EQUAL(dorm_context_message(NULL), "");
  dorm_context_set_log(NULL, NULL, NULL);
  dorm_context_set_cancel(NULL, NULL, NULL);
  CU_ASSERT_STRING_EQUAL(dorm_printable(NULL, (char[1]){'x'}), "");
  CU_ASSERT_PTR_NULL(dorm_nearest_word(NULL, 1, NULL));
  CU_ASSERT_PTR_NULL(dorm_settings_get(NULL, "solver.C"));
  CU_ASSERT_EQUAL(dorm_dataset_num_docs(NULL), 0);
  CU_ASSERT_EQUAL(dorm_dataset_num_queries(NULL), 0);
  CU_ASSERT_EQUAL(dorm_dataset_num_features(NULL), 0);
  CU_ASSERT_EQUAL(dorm_dataset_feature_id(NULL, 0), 0);
  CU_ASSERT_EQUAL(dorm_dataset_query_start(NULL, 0), 0);
  CU_ASSERT_PTR_NULL(dorm_dataset_query_id(NULL, 0));
  CU_ASSERT_PTR_NULL(dorm_dataset_doc_id(NULL, 0));
  CU_ASSERT_EQUAL(dorm_dataset_input_doc(NULL, 0), 0);
  CU_ASSERT_TRUE(isnan(dorm_dataset_label(NULL, 0)));
  CU_ASSERT_TRUE(isnan(dorm_dataset_query_weight(NULL, 0)));
  CU_ASSERT_TRUE(isnan(dorm_dataset_doc_weight(NULL, 0)));
  CU_ASSERT_TRUE(isnan(dorm_dataset_value(NULL, 0, 0)));
  CU_ASSERT_PTR_NULL(dorm_training_model(NULL));
  CU_ASSERT_PTR_NULL(dorm_training_take_model(NULL));
  CU_ASSERT_EQUAL(dorm_training_num_candidates(NULL), 0);
  CU_ASSERT_PTR_NULL(dorm_training_candidate(NULL, 0));
  CU_ASSERT_EQUAL(dorm_training_num_training_queries(NULL), 0);
  CU_ASSERT_TRUE(isnan(dorm_training_validation(NULL)));
  CU_ASSERT_EQUAL(dorm_model_needs_query(NULL), 0);
  CU_ASSERT_PTR_NULL(dorm_model_part(NULL, 0, NULL, NULL));
  CU_ASSERT_EQUAL(dorm_model_weight(NULL, 0, NULL, NULL, NULL), 0);
  CU_ASSERT_PTR_NULL(dorm_model_remark(NULL, 0));
  CU_ASSERT_PTR_NULL(dorm_model_kernel(NULL, 0, NULL, NULL));
  CU_ASSERT_PTR_NULL(dorm_model_trees(NULL, 0, NULL, NULL));
  CU_ASSERT_PTR_NULL(dorm_model_setting(NULL, "solver.C"));
  CU_ASSERT_EQUAL(dorm_kernel_at(0, NULL, NULL), 1);
  CU_ASSERT_PTR_NULL(dorm_loss_module_of(NULL));
  CU_ASSERT_PTR_NULL(dorm_kernel_module_of(NULL));
  CU_ASSERT_PTR_NULL(dorm_lambda_spec(NULL));
}

UNIT_TEST(handles_of_ratings_of_null)
{
  CU_ASSERT_EQUAL(dorm_ratings_count(NULL), 0);
  CU_ASSERT_EQUAL(dorm_ratings_num_users(NULL), 0);
  CU_ASSERT_EQUAL(dorm_ratings_num_items(NULL), 0);
  CU_ASSERT_EQUAL(dorm_ratings_user_count(NULL, 0), 0);
  CU_ASSERT_PTR_NULL(dorm_ratings_user_id(NULL, 0));
  CU_ASSERT_PTR_NULL(dorm_ratings_item_id(NULL, 0));
  CU_ASSERT_EQUAL(dorm_factors_num_users(NULL), 0);
  CU_ASSERT_EQUAL(dorm_factors_num_items(NULL), 0);
  CU_ASSERT_EQUAL(dorm_factors_rank(NULL), 0);
  CU_ASSERT_PTR_NULL(dorm_factors_round(NULL, 0));
}

UNIT_TEST(null_is_freed)
{
  dorm_context_free(NULL);
  dorm_settings_free(NULL);
  dorm_settings_obey_all(NULL);
  dorm_dataset_free(NULL);
  dorm_training_free(NULL);
  dorm_model_free(NULL);
  dorm_text_free(NULL);
  dorm_feature_names_free(NULL, NULL);
  dorm_loss_close(NULL);
  dorm_kernel_close(NULL);
  dorm_lambda_close(NULL);
  dorm_probe_free(NULL);
  dorm_scores_free(NULL);
  dorm_ratings_free(NULL);
  dorm_side_free(NULL);
  dorm_rating_features_free(NULL);
  dorm_factors_free(NULL);
}

UNIT_TEST_IN(context, numbers_out_of_range)
{
  DORM__OWNED(dorm_dataset) *dataset = unit_read_text(context, "2 qid:7 3:0.5 9:1 # docid = a\n0 qid:7 3:0.25\n");
  CU_ASSERT_EQUAL(dorm_dataset_feature_id(dataset, 1), 9);
  CU_ASSERT_EQUAL(dorm_dataset_feature_id(dataset, 2), 0);
  CU_ASSERT_EQUAL(dorm_dataset_query_start(dataset, 1), 2);
  CU_ASSERT_EQUAL(dorm_dataset_query_start(dataset, 2), 0);
  CU_ASSERT_STRING_EQUAL(dorm_dataset_query_id(dataset, 0), "7");
  CU_ASSERT_PTR_NULL(dorm_dataset_query_id(dataset, 1));
  CU_ASSERT_PTR_NOT_NULL(dorm_dataset_doc_id(dataset, 1));
  CU_ASSERT_PTR_NULL(dorm_dataset_doc_id(dataset, 2));
  CU_ASSERT_EQUAL(dorm_dataset_input_doc(dataset, 1), 1);
  CU_ASSERT_EQUAL(dorm_dataset_input_doc(dataset, 2), 0);
  CU_ASSERT_EQUAL(dorm_dataset_label(dataset, 0), 2);
  CU_ASSERT_EQUAL(dorm_dataset_query_weight(dataset, 0), 1);
  CU_ASSERT_EQUAL(dorm_dataset_doc_weight(dataset, 0), 1);
  CU_ASSERT_TRUE(isnan(dorm_dataset_label(dataset, 2)));
  CU_ASSERT_TRUE(isnan(dorm_dataset_query_weight(dataset, 2)));
  CU_ASSERT_TRUE(isnan(dorm_dataset_doc_weight(dataset, 2)));
  CU_ASSERT_EQUAL(dorm_dataset_value(dataset, 1, 0), 0.25F);
  CU_ASSERT_TRUE(isnan(dorm_dataset_value(dataset, 2, 0)));
  CU_ASSERT_TRUE(isnan(dorm_dataset_value(dataset, 0, 2)));
}

UNIT_TEST_IN(context, null_in_functions_of_clicks)
{
  static max_align_t memory[64];
  void *any = memory;
  REFUSES_ALONE(dorm_clicks_read(NULL, any, any, any));
  REFUSES("path", dorm_clicks_read(context, NULL, any, any));
  REFUSES("dataset", dorm_clicks_read(context, any, NULL, any));
  REFUSES("clicks", dorm_clicks_read(context, any, any, NULL));
  REFUSES_ALONE(dorm_clicks_set_propensities(NULL, any, any, any));
  REFUSES("clicks", dorm_clicks_set_propensities(context, NULL, any, any));
  REFUSES("dataset", dorm_clicks_set_propensities(context, any, NULL, any));
  REFUSES("options", dorm_clicks_set_propensities(context, any, any, NULL));
  REFUSES_ALONE(dorm_clicks_share_propensities(NULL, any, any));
  REFUSES("clicks", dorm_clicks_share_propensities(context, NULL, any));
  REFUSES("from", dorm_clicks_share_propensities(context, any, NULL));
  REFUSES_ALONE(dorm_dataset_set_clicks(NULL, any, any));
  REFUSES("dataset", dorm_dataset_set_clicks(context, NULL, any));
  REFUSES("clicks", dorm_dataset_set_clicks(context, any, NULL));
  REFUSES_ALONE(dorm_clicks_evaluate(NULL, any, any, any, any, 0, any));
  REFUSES("clicks", dorm_clicks_evaluate(context, NULL, any, any, any, 0, any));
  REFUSES("dataset", dorm_clicks_evaluate(context, any, NULL, any, any, 0, any));
  REFUSES("scores", dorm_clicks_evaluate(context, any, any, NULL, any, 0, any));
  REFUSES("evaluation", dorm_clicks_evaluate(context, any, any, any, any, 0, NULL));
  REFUSES_ALONE(dorm_clicks_simulate(NULL, any, any, any));
  REFUSES("dataset", dorm_clicks_simulate(context, NULL, any, any));
  REFUSES("simulation", dorm_clicks_simulate(context, any, NULL, any));
  REFUSES("path", dorm_clicks_simulate(context, any, any, NULL));
  CU_ASSERT_EQUAL(dorm_clicks_num_impressions(NULL), 0);
  CU_ASSERT_EQUAL(dorm_clicks_num_clicks(NULL), 0);
  CU_ASSERT_EQUAL(dorm_clicks_num_positions(NULL), 0);
  CU_ASSERT_EQUAL(dorm_clicks_num_moved(NULL), 0);
  CU_ASSERT_TRUE(isnan(dorm_clicks_propensity(NULL, 1)));
  CU_ASSERT_TRUE(isnan(dorm_clicks_eta(NULL)));
  dorm_clicks_free(NULL);
}
