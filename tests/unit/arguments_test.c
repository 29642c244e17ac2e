/*
 * arguments_test.c: NULL and numbers out of range. Every function of include/dorm/ that returns a status is called with
 * each argument that it needs as NULL, the others being memory that it must not get to look at; house.sh checks that
 * none is left out. Accessors are asked for what is not there, and structs of callers have sizes that no version had.
 */
#include "tests/unit/unit.h"

#include <stddef.h>

#define REFUSES(argument, call) UNIT_FAILS(context, (call), DORM_BAD_USAGE, "the argument '" argument "' is NULL")
#define REFUSES_ALONE(call)     CU_ASSERT_EQUAL((call), DORM_BAD_USAGE)
/* A call in which C is the context and A(1), A(2), ... are the arguments of these names: each is NULL once. */
#define REFUSES_EACH(call, ...)                                                                                        \
  for (size_t null = 0; null <= sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *); null++)                        \
  refuses_one(context, (call), null, (const char *[]){__VA_ARGS__})
#define C    (null ? context : NULL)
#define A(k) (null == (k) ? NULL : any)

static max_align_t memory[64]; /* no call may look at it */
static void *const any = memory;

static void refuses_one(dorm_context *context, dorm_status status, size_t null, const char *const *names)
{
  char text[80] = "";
  if (null)
    snprintf(text, sizeof text, "the argument '%s' is NULL", names[null - 1]);
  CU_ASSERT_EQUAL(status, DORM_BAD_USAGE);
  if (null)
    UNIT_BAD_USAGE(status, text);
}

UNIT_TEST_IN(context, null_in_settings_and_reading)
{
  REFUSES_EACH(dorm_context_lock_output(C, A(1)), "path");
  REFUSES_EACH(dorm_context_check_output(C, A(1)), "path");
  REFUSES_EACH(dorm_settings_new(C, A(1)), "settings");
  dorm_processes lacking = {.struct_size = sizeof lacking, .size = 1};
  REFUSES_ALONE(dorm_context_set_processes(NULL, &lacking));
  REFUSES("gather", dorm_context_set_processes(context, &lacking));
  lacking.number = 1;
  UNIT_BAD_USAGE(dorm_context_set_processes(context, &lacking), "no process 1 of 1");
  REFUSES_EACH(dorm_settings_read(C, A(1), A(2)), "settings", "path");
  REFUSES_EACH(dorm_settings_set(C, A(1), A(2), A(3)), "settings", "key", "text");
  REFUSES_EACH(dorm_dataset_read(C, A(1), A(2)), "path", "dataset");
  REFUSES_EACH(dorm_dataset_read_with(C, A(1), NULL, A(2)), "path", "dataset");
  REFUSES_EACH(dorm_dataset_read_groups(C, A(1), A(2)), "dataset", "settings");
  REFUSES_EACH(dorm_dataset_read_subtopics(C, A(1), A(2)), "dataset", "path");
}

UNIT_TEST_IN(context, null_in_making_data)
{
  REFUSES_EACH(dorm_dataset_from_arrays(C, 1, A(1), 1, A(2), A(3), A(4)), "query_start", "labels", "features",
               "dataset");
  REFUSES_EACH(dorm_dataset_from_sparse(C, 1, A(1), 1, A(2), A(3), any, any, A(4)), "query_start", "labels",
               "row_start", "dataset");
  REFUSES_EACH(dorm_dataset_new(C, A(1), A(2)), "arrays", "dataset");
  REFUSES_EACH(dorm_dataset_generate_artificial(C, A(1), A(2)), "parameters", "dataset");
  REFUSES_EACH(dorm_dataset_generate_sparse(C, A(1), 1, A(2)), "parameters", "dataset");
  REFUSES_EACH(dorm_dataset_generate_ambiguous(C, 1, 1, A(1)), "dataset");
  REFUSES_EACH(dorm_dataset_set_weights(C, A(1), NULL, NULL), "dataset");
}

UNIT_TEST_IN(context, null_in_writing_data)
{
  REFUSES_EACH(dorm_split(C, A(1), NULL, 1, A(2), 1, 1, A(3), A(4)), "path", "shares", "paths", "takes");
  REFUSES_EACH(dorm_dataset_write_cache(C, A(1), A(2)), "dataset", "path");
  REFUSES_EACH(dorm_dataset_write(C, A(1), A(2)), "dataset", "path");
  REFUSES_EACH(dorm_dataset_arrays(C, A(1), A(2)), "dataset", "arrays");
  REFUSES_EACH(dorm_dataset_set_groups(C, A(1), A(2), any, NULL), "dataset", "start");
  REFUSES_EACH(dorm_dataset_set_subtopics(C, A(1), A(2), A(3), any, any), "dataset", "num_subtopics", "start");
  REFUSES_EACH(dorm_dataset_write_subtopics(C, A(1), A(2)), "dataset", "path");
  REFUSES_EACH(dorm_rank_interacting(C, A(1), A(2), A(3), 1, A(4), A(5)), "spec", "dataset", "scores", "apart",
               "found");
  REFUSES_EACH(dorm_diversify(C, A(1), A(2), A(3), A(4)), "settings", "dataset", "scores", "diverse");
}

UNIT_TEST_IN(context, null_in_training_and_scores)
{
  REFUSES_EACH(dorm_train_check(C, A(1)), "settings");
  REFUSES_EACH(dorm_train(C, A(1), A(2), NULL, A(3)), "settings", "train", "training");
  REFUSES_EACH(dorm_train_consuming(C, A(1), A(2), NULL, A(3)), "settings", "train", "training");
  REFUSES_EACH(dorm_train_stream(C, A(1), NULL, NULL, A(2)), "settings", "model");
  REFUSES_EACH(dorm_model_score(C, A(1), A(2), 1, A(3)), "model", "dataset", "scores");
  REFUSES_EACH(dorm_model_score_stream(C, A(1), A(2), A(3), NULL), "model", "path", "take");
  REFUSES_EACH(dorm_model_score_rows(C, A(1), A(2), 1, A(3)), "model", "arrays", "scores");
  REFUSES_EACH(dorm_model_importance(C, A(1), A(2), any), "model", "dataset");
  REFUSES_EACH(dorm_model_explain(C, A(1), A(2), any), "model", "dataset");
  REFUSES_EACH(dorm_scores_read(C, A(1), 1, A(2)), "path", "scores");
  REFUSES_EACH(dorm_scores_write(C, A(1), 1, A(2)), "path", "scores");
  REFUSES_EACH(dorm_model_probe(C, A(1), A(2), A(3), NULL, A(4)), "model", "dataset", "measure", "probe");
}

UNIT_TEST_IN(context, null_in_models)
{
  REFUSES_EACH(dorm_model_read(C, A(1), A(2)), "path", "model");
  REFUSES_EACH(dorm_model_write(C, A(1), A(2)), "model", "path");
  REFUSES_EACH(dorm_model_to_text(C, A(1), A(2), A(3)), "model", "text", "size");
  REFUSES_EACH(dorm_model_from_text(C, A(1), 1, A(2)), "text", "model");
  REFUSES_EACH(dorm_model_describe(C, A(1), A(2)), "model", "json");
  REFUSES_EACH(dorm_model_export(C, A(1), A(2), A(3), NULL, A(4)), "model", "format", "name", "path");
  REFUSES_EACH(dorm_model_check_export(C, A(1)), "model");
  REFUSES_EACH(dorm_model_use_module(C, A(1), A(2)), "model", "path");
  REFUSES_EACH(dorm_feature_names_read(C, A(1), NULL, A(2)), "model", "names");
  REFUSES_EACH(dorm_model_settings(C, A(1), A(2)), "model", "settings");
}

UNIT_TEST_IN(context, null_in_losses_kernels_gradients)
{
  REFUSES_ALONE(dorm_loss_register(NULL, any, NULL));
  REFUSES("loss", dorm_loss_register(context, NULL, any));
  REFUSES_EACH(dorm_most_violated(C, A(1), A(2), any, A(3), A(4), any, any), "loss", "dataset", "scores", "order");
  REFUSES_EACH(dorm_loss_open(C, A(1), A(2)), "spec", "loss");
  REFUSES_EACH(dorm_kernel_open(C, A(1), A(2)), "spec", "kernel");
  REFUSES_EACH(dorm_lambda_open(C, A(1), A(2), A(3)), "spec", "dataset", "lambda");
  REFUSES_EACH(dorm_lambda_at(C, A(1), 1, A(2), A(3), A(4), NULL, NULL), "lambda", "scores", "lambdas", "curvature");
  REFUSES_EACH(dorm_lambdas(C, A(1), A(2), A(3), 1, A(4), A(5), NULL), "spec", "dataset", "scores", "lambdas",
               "curvature");
  REFUSES_EACH(dorm_lambda_check(C, A(1), 1, A(2)), "spec", "report");
}

UNIT_TEST_IN(context, null_in_evaluation)
{
  REFUSES_EACH(dorm_evaluate(C, A(1), A(2), A(3), NULL, A(4)), "measure", "dataset", "scores", "evaluation");
  REFUSES_EACH(dorm_trec_run_write(C, A(1), A(2), A(3), A(4)), "path", "dataset", "scores", "tag");
  REFUSES_EACH(dorm_trec_qrels_write(C, A(1), A(2)), "path", "dataset");
  REFUSES_EACH(dorm_trec_read(C, A(1), A(2), 1, A(3), A(4)), "qrels", "run", "dataset", "scores");
  REFUSES_EACH(dorm_compare(C, 1, A(1), A(2), 1, 1, A(3)), "first", "second", "comparison");
  REFUSES_EACH(dorm_compare_weighted(C, 1, A(1), A(2), NULL, 1, 1, A(3)), "first", "second", "comparison");
  REFUSES_EACH(dorm_lower_bound(C, 1, A(1), 0, 1, .9, A(2)), "values", "bound");
  REFUSES_EACH(dorm_allocate(C, A(1), A(2), A(3), A(4)), "dataset", "gains", "options", "policy");
  REFUSES_EACH(dorm_try_prices(C, A(1), A(2), A(3), A(4), NULL, A(5)), "dataset", "gains", "options", "prices",
               "trial");
  REFUSES_ALONE(dorm_measure_range(NULL, "mrr", any, any));
  REFUSES("spec", dorm_measure_range(context, NULL, any, any));
  REFUSES("least", dorm_measure_range(context, "mrr", NULL, any));
  REFUSES("most", dorm_measure_range(context, "mrr", any, NULL));
  REFUSES_EACH(dorm_find_depth(C, A(1), A(2), .9, .9, A(3)), "dataset", "scores", "depth");
}

UNIT_TEST_IN(context, null_in_ratings)
{
  REFUSES_EACH(dorm_ratings_read(C, A(1), A(2), NULL, A(3), NULL), "settings", "path", "ratings");
  REFUSES_EACH(dorm_ratings_split(C, A(1), A(2), A(3), A(4)), "settings", "ratings", "training", "held_out");
  REFUSES_EACH(dorm_ratings_write(C, A(1), A(2)), "ratings", "path");
  REFUSES_EACH(dorm_ratings_generate(C, A(1), NULL, NULL, A(2)), "parameters", "ratings");
  REFUSES_EACH(dorm_attributes_read(C, A(1), A(2)), "path", "side");
  REFUSES_EACH(dorm_rating_features_fit(C, A(1), A(2), NULL, NULL, A(3)), "settings", "training", "features");
  REFUSES_EACH(dorm_rating_features_training(C, A(1), NULL, A(2)), "features", "dataset");
  REFUSES_EACH(dorm_rating_features_predict(C, A(1), A(2), A(3)), "features", "pairs", "dataset");
  REFUSES_EACH(dorm_rating_features_candidates(C, A(1), A(2), A(3)), "features", "user_id", "dataset");
  REFUSES_EACH(dorm_rating_kernels_write(C, A(1), A(2), NULL, NULL, A(3), A(4)), "settings", "training", "users_path",
               "items_path");
}

UNIT_TEST_IN(context, null_in_factors)
{
  REFUSES_EACH(dorm_factorize(C, A(1), A(2), NULL, A(3)), "settings", "training", "factors");
  REFUSES_EACH(dorm_factors_read(C, A(1), A(2)), "path", "factors");
  REFUSES_EACH(dorm_factors_use_settings(C, A(1), A(2)), "factors", "settings");
  REFUSES_EACH(dorm_factors_write(C, A(1), A(2)), "factors", "path");
  REFUSES_EACH(dorm_factors_score(C, A(1), A(2), A(3)), "factors", "pairs", "scores");
  REFUSES_EACH(dorm_factors_recommend(C, A(1), A(2), NULL, 1, A(3), A(4), A(5)), "factors", "user_id", "count", "items",
               "scores");
}

UNIT_TEST_IN(context, arrays_that_entries_need)
{
  static const double labels[] = {1, 0};
  static const size_t start[] = {0, 1, 2};
  DORM__OWNED(dorm_dataset) *dataset = unit_one_query(context, 2, labels);
  dorm_dataset *made = dataset; /* not NULL, so that a call that leaves it is noticed */
  UNIT_BAD_USAGE(dorm_dataset_from_sparse(context, 1, (size_t[]){0, 2}, 3, labels, start, NULL, NULL, &made),
                 "'indices'");
  CU_ASSERT_PTR_NULL(made);
  UNIT_BAD_USAGE(
      dorm_dataset_from_sparse(context, 1, (size_t[]){0, 2}, 3, labels, start, (uint32_t[]){0, 2}, NULL, &made),
      "'floats' and 'doubles'");
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
  for (size_t i = 0; (info = dorm_setting_info_at(i)); i++) {
    if (!info->instead)
      continue;
    DORM__OWNED(dorm_training) *training = NULL;
    DORM__OWNED(dorm_settings) *settings = unit_defaults(context, NULL);
    UNIT_OK(context, dorm_settings_set(context, settings, info->key, other_value(info)));
    UNIT_OK(context, dorm_settings_set(context, settings, "solver.C", "1"));
    UNIT_BAD_USAGE(dorm_train(context, settings, data, NULL, &training), info->key);
    UNIT_BAD_USAGE(dorm_train_consuming(context, settings, data, NULL, &training), info->instead);
    CU_ASSERT_PTR_NULL(training);
    dorm_settings_obey_all(settings);
    UNIT_OK(context, dorm_train(context, settings, data, NULL, &training));
    CU_ASSERT_STRING_EQUAL(dorm_model_setting(dorm_training_model(training), info->key), other_value(info));
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
  dorm_policy *policy = NULL;
  double numbers[2] = {1, 2};
  REFUSES_SIZES("options", dorm_read_options, dorm_dataset_read_with(context, "no such file", &given, &made));
  REFUSES_SIZES("processes", dorm_processes, dorm_context_set_processes(context, &given));
  REFUSES_SIZES("arrays", dorm_arrays, dorm_dataset_new(context, &given, &made));
  REFUSES_SIZES("arrays", dorm_arrays, dorm_dataset_arrays(context, data, &given));
  REFUSES_SIZES("parameters", dorm_artificial, dorm_dataset_generate_artificial(context, &given, &made));
  REFUSES_SIZES("parameters", dorm_artificial, dorm_dataset_generate_sparse(context, &given, 1, &made));
  REFUSES_SIZES("evaluation", dorm_evaluation, dorm_evaluate(context, "mrr", data, numbers, NULL, &given));
  REFUSES_SIZES("comparison", dorm_comparison, dorm_compare(context, 2, numbers, numbers, 10, 1, &given));
  REFUSES_SIZES("options", dorm_allocation_options, dorm_allocate(context, data, numbers, &given, &policy));
  REFUSES_SIZES("options", dorm_allocation_options,
                dorm_try_prices(context, data, numbers, &given, numbers, NULL, &(dorm_price_trial){0}));
  dorm_allocation_options allocation = {.struct_size = sizeof allocation};
  REFUSES_SIZES("trial", dorm_price_trial, dorm_try_prices(context, data, numbers, &allocation, numbers, NULL, &given));
  REFUSES_SIZES("found", dorm_interacting, dorm_rank_interacting(context, "groups", data, numbers, 1, numbers, &given));
  REFUSES_SIZES("summary", dorm_lambda_summary,
                dorm_lambdas(context, "ranknet", data, numbers, 1, numbers, numbers, &given));
  REFUSES_SIZES("report", dorm_lambda_report, dorm_lambda_check(context, "ranknet", 1, &given));
  REFUSES_SIZES("options", dorm_probe_options, dorm_model_probe(context, any, data, "mrr", &given, &probe));
  REFUSES_SIZES("parameters", dorm_artificial_ratings, dorm_ratings_generate(context, &given, NULL, NULL, &ratings));
  REFUSES_SIZES("bound", dorm_bound, dorm_lower_bound(context, 2, numbers, 0, 2, .9, &given));
  REFUSES_SIZES("depth", dorm_depth, dorm_find_depth(context, data, numbers, .9, .9, &given));
  CU_ASSERT_TRUE(!made && !ratings && !probe && !policy);
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
  CU_ASSERT_EQUAL(dorm_model_num_features(NULL), 0);
  CU_ASSERT_EQUAL(dorm_model_feature_id(NULL, 0), 0);
  CU_ASSERT_EQUAL(dorm_model_feature_name(NULL, 0, NULL, 0), 0);
  CU_ASSERT_EQUAL(dorm_has(NULL), 0);
  CU_ASSERT_EQUAL(dorm_has("glpx"), 0);
  CU_ASSERT_EQUAL(dorm_model_weight(NULL, 0, NULL, NULL, NULL), 0);
  CU_ASSERT_PTR_NULL(dorm_model_remark(NULL, 0));
  CU_ASSERT_PTR_NULL(dorm_model_kernel(NULL, 0, NULL, NULL));
  CU_ASSERT_PTR_NULL(dorm_model_trees(NULL, 0, NULL, NULL));
  CU_ASSERT_PTR_NULL(dorm_model_setting(NULL, "solver.C"));
  CU_ASSERT_EQUAL(dorm_model_setting_is_given(NULL, "solver.C"), 0);
  CU_ASSERT_PTR_NULL(dorm_kernel_info_at(SIZE_MAX));
  CU_ASSERT_PTR_NULL(dorm_loss_describe(NULL));
  CU_ASSERT_PTR_NULL(dorm_kernel_describe(NULL));
  CU_ASSERT_PTR_NULL(dorm_lambda_describe(NULL));
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
  dorm_attributes_free(NULL);
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
  REFUSES_EACH(dorm_clicks_read(C, A(1), A(2), A(3)), "path", "dataset", "clicks");
  REFUSES_EACH(dorm_clicks_set_propensities(C, A(1), A(2), A(3)), "clicks", "dataset", "options");
  REFUSES_EACH(dorm_clicks_share_propensities(C, A(1), A(2)), "clicks", "from");
  REFUSES_EACH(dorm_dataset_set_clicks(C, A(1), A(2)), "dataset", "clicks");
  REFUSES_EACH(dorm_clicks_evaluate(C, A(1), A(2), A(3), any, 0, A(4)), "clicks", "dataset", "scores", "evaluation");
  REFUSES_EACH(dorm_clicks_simulate(C, A(1), A(2), A(3)), "dataset", "simulation", "path");
  REFUSES_EACH(dorm_clicks_set_model(C, A(1), A(2), A(3)), "clicks", "dataset", "scores");
  REFUSES_EACH(dorm_clicks_compare_logged(C, A(1), A(2), A(3), 0, A(4)), "clicks", "dataset", "scores", "evaluation");
  CU_ASSERT_EQUAL(dorm_clicks_num_impressions(NULL), 0);
  CU_ASSERT_EQUAL(dorm_clicks_num_clicks(NULL), 0);
  CU_ASSERT_EQUAL(dorm_clicks_num_positions(NULL), 0);
  CU_ASSERT_EQUAL(dorm_clicks_num_moved(NULL), 0);
  CU_ASSERT_TRUE(isnan(dorm_clicks_propensity(NULL, 1)));
  CU_ASSERT_TRUE(isnan(dorm_clicks_eta(NULL)));
  dorm_clicks_free(NULL);
}
