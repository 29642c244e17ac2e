/* loss_modules_test.c: loss modules, compiled here as a user would compile them, are opened or refused. */
#include "tests/unit/unit.h"

#include "losses/loss.h"
#include "measures/measure.h"

static dorm_dataset *two_queries(dorm_context *context)
{
  const size_t query_start[] = {0, 4, 6};
  const double labels[] = {0, 2, 1, 0, 1, 0};
  return unit_dataset(context, 2, query_start, 0, labels, NULL);
}

static dorm__loss_tables *tables_of(dorm_context *context, const char *spec, const char *expected_spec,
                                    const dorm_dataset *dataset)
{
  DORM__OWNED(dorm__loss) *loss = unit_loss(context, spec);
  CU_ASSERT_STRING_EQUAL(dorm__loss_spec(loss), expected_spec);
  return unit_tables(context, loss, dataset, 1);
}

UNIT_TEST_IN(context, a_module_in_c_is_a_loss)
{
  DORM__OWNED(dorm_dataset) *dataset = two_queries(context);
  const char *path = unit_compile_module("reciprocal.c", "");
  const char *spec = unit_text("reciprocal:power=2 from %s", path);
  DORM__OWNED(dorm__loss_tables) *tables =
      tables_of(context, spec, unit_text("reciprocal:power=2,threshold=1 from %s", path), dataset);
  const dorm__query_loss *query = dorm__loss_tables_query(tables, 0);
  const uint32_t listed[] = {0, 1, 2, 3};
  const uint32_t best[] = {2, 1, 0, 3};
  UNIT_CLOSE(dorm__query_loss_of(query, listed), 1 - (1.0 / 4 + 1.0 / 9) / (1 + 1.0 / 4), 1e-14);
  UNIT_CLOSE(dorm__query_loss_of(query, best), 0, 1e-14);

  /* Minus its mean is a measure: the loss above for the first query, and 0 for the second. */
  const double scores[] = {4, 3, 2, 1, 2, 1};
  UNIT_CLOSE(unit_evaluate(context, unit_text("minus_loss(%s)", spec), dataset, scores),
             ((1.0 / 4 + 1.0 / 9) / (1 + 1.0 / 4) - 1) / 2, 1e-14);

  dorm_loss *loss = NULL;
  /* not named; a bare file name is a path too */
  UNIT_OK(context, dorm_loss_open(context, unit_text("from %s", path + 2), &loss));
  CU_ASSERT_STRING_EQUAL(dorm_loss_describe(loss)->name, "reciprocal");
  dorm_loss_close(loss);
  UNIT_BAD_USAGE(dorm_loss_open(context, unit_text("ndcg from %s", path), &loss),
                 "holds the loss 'reciprocal', not 'ndcg'");
  UNIT_BAD_USAGE(dorm_loss_open(context, unit_text("reciprocal:pover=2 from %s", path), &loss), "did you mean 'power'");
  UNIT_BAD_USAGE(dorm_loss_open(context, unit_text("reciprocal:power=20 from %s", path), &loss), "not between");
}

UNIT_TEST_IN(context, a_module_in_cxx_is_a_loss)
{
  DORM__OWNED(dorm_dataset) *dataset = two_queries(context);
  const char *path = unit_compile_module("halving.cc", "");
  const char *spec = unit_text("halving:steps=1 from %s", path);
  DORM__OWNED(dorm__loss_tables) *tables = tables_of(context, spec, spec, dataset);
  const uint32_t listed[] = {0, 1, 2, 3};
  /* levels 0 2 1 0 under 1, 1/2, 1/4, 1/8: 1 + 1/4 instead of 2 + 1/2 */
  UNIT_CLOSE(dorm__query_loss_of(dorm__loss_tables_query(tables, 0), listed), 1.25, 1e-14);
}

UNIT_TEST_IN(context, a_module_of_general_costs_is_a_loss)
{
  const double labels[] = {0, 2, 1, 0};
  const float features[] = {2, 0, 0, 1}; /* one feature */
  const uint32_t listed[] = {0, 1, 2, 3};
  DORM__OWNED(dorm_dataset) *dataset = unit_even_dataset(context, 1, 4, 1, labels, features);
  const char *path = unit_compile_module("front_page.c", "");
  for (int feature = 0; feature <= 1; feature++) {
    const char *spec = unit_text("front_page:size=1,feature=%d from %s", feature, path);
    DORM__OWNED(dorm__loss_tables) *tables = tables_of(context, spec, spec, dataset);
    const dorm__query_loss *query = dorm__loss_tables_query(tables, 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(query->cost);
    dorm__loss_tables_set_minimum(tables, 0, 0.5); /* 2 on the page, 1 right after it */
    /* By label: 0 on the page costs 1, 2 right after it 1, 1 after that 3/4. By feature: 2 on the page and 1 at the end
     * cost 1 - 1/6. */
    double cost = feature ? 5.0 / 6 : 2.75;
    UNIT_CLOSE(dorm__query_loss_of(query, listed), cost - 0.5, 1e-14);
  }
}

UNIT_TEST_IN(context, a_structured_module_is_a_loss)
{
  DORM__OWNED(dorm_dataset) *dataset = two_queries(context);
  const char *path = unit_compile_module("worst_pair.c", "");
  const char *spec = unit_text("worst_pair:threshold=1 from %s", path);
  dorm__loss *loss = unit_loss(context, spec);
  CU_ASSERT_TRUE(dorm__loss_is_structured(loss));
  CU_ASSERT_STRING_EQUAL(dorm__loss_spec(loss), spec);
  const double scores[] = {0.5, 0, 2, 0.25, 0, 0}; /* labels 0 2 1 0: the second is too low, the first too high */
  const double expected[] = {1, -1, 0, 0};
  double coefficients[4], delta;
  UNIT_OK(context, dorm__loss_find_worst(context, loss, dataset, 0, scores, coefficients, &delta));
  CU_ASSERT_EQUAL(delta, 1);
  CU_ASSERT_EQUAL(memcmp(coefficients, expected, sizeof expected), 0);
  dorm__loss_close(loss);

  /* Minus its mean is a measure: the loss is 1 for the first query and 0 for the second, whose tie is broken by
   * document order. */
  CU_ASSERT_EQUAL(unit_evaluate(context, unit_text("minus_loss(%s)", spec), dataset, scores), -0.5);
}

UNIT_TEST_IN(context, bad_modules_are_refused_in_one_sentence)
{
  enum { NUM_STRUCTURED = 10 };
  static const unit_refusal bad[] = {
      {NULL, NULL}, /* without a fault a good module */
      {"NOT_THE_WORST", "its worst output is not the worst"},
      {"NOT_FILLED", "Delta or a coefficient is not a finite number"},
      {"NEGATIVE_DELTA", "the worst output costs less than the right one: Delta -1"},
      {"BELOW_THE_RIGHT", "the worst output costs less than the right one"},
      {"INFINITE", "Delta or a coefficient is not a finite number"},
      {"OUT_OF_BOUNDS", "it writes outside its coefficients"},
      {"NOT_THE_SAME_TWICE", "asked twice, its answer is not the same"},
      {"FAILING", "score 0 is not to its taste"},
      {"FAILING_PREPARE", "1 queries with label 0 first are not enough"},
      /* the modules below are of the product form */
      {NULL, NULL},
      {"OLD_STRUCT", NULL},
      {"WRONG_ABI", "built for plug-in interface 2, but this is 1"},
      {"SMALL_STRUCT", "its struct has 16 bytes"},
      {"NO_LOSS", "returned no loss"},
      {"TWO_FORMS", "exactly one of fill_product, fill_costs and find_worst"},
      {"BAD_NAME", "is not a word"},
      {"BAD_DEFAULT", "a default breaks its own rule"},
      {"NOT_A_NUMBER", "infinite or not a number"},
      {"NOT_FILLED", "missing, infinite or not a number"},
      {"INFINITE_COST", "infinite or not a number"},
      {"INCREASING", "the weights a of the positions increase"},
      {"FAILING", "label 0 is not to its taste"},
      {"FAILING_CREATE", "it is not in the mood"},
      {"OUT_OF_BOUNDS", "it writes outside its table"},
      {"NOT_THE_SAME_TWICE", "filled twice, its table is not the same"},
  };
  const char *path = NULL;
  dorm__loss *loss = NULL;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    if (i == 0 || i == NUM_STRUCTURED)
      path = unit_compile_module(i ? "bad.c" : "bad_structured.c", "");
    unit_set_fault(bad[i].given);
    UNIT_FAILS(context, dorm__loss_open(context, unit_text(" from %s", path), &loss),
               bad[i].message ? DORM_BAD_MODULE : DORM_OK, bad[i].message);
    CU_ASSERT_EQUAL(!loss, bad[i].message != NULL);
    CU_ASSERT_PTR_NULL(strchr(dorm_context_message(context), '\n'));
    CU_ASSERT_TRUE(!loss || dorm__loss_is_structured(loss) == (i < NUM_STRUCTURED));
    dorm__loss_close(loss);
  }
  unit_set_fault(NULL);
  const char *spec = unit_text("from %s", unit_compile_module("bad.c", "-DMISSING_SYMBOL"));
  UNIT_FAILS(context, dorm__loss_open(context, spec, &loss), DORM_BAD_MODULE, "has no function dorm_loss_module_entry");
  UNIT_FAILS(context, dorm__loss_open(context, "from ./no-such.so", &loss), DORM_IO_ERROR, "No such file");
  spec = unit_text("from %s", unit_temporary_file("no shared object"));
  UNIT_FAILS(context, dorm__loss_open(context, spec, &loss), DORM_BAD_MODULE, "cannot be loaded");
}

UNIT_TEST_IN(context, every_built_in_loss_passes_the_check_of_modules)
{
  const char *path = unit_temporary_file("0 3 2 1\n* 0 1 5\n");
  for (size_t i = 0; dorm_loss_info_at(i); i++) {
    bool wants_file = strcmp(dorm_loss_info_at(i)->name, "cost") == 0;
    DORM__OWNED(dorm__loss) *loss = unit_loss(
        context, unit_text("%s%s%s", dorm_loss_info_at(i)->name, wants_file ? ":file=" : "", wants_file ? path : ""));
    UNIT_OK(context, dorm__loss_self_check(context, loss));
  }
}

typedef struct call_counts {
  size_t entry, create, destroy, fill;
} call_counts;

/* The lines that tests/plugins/counted.c has written so far. */
static call_counts read_counts(const char *path)
{
  call_counts counts = {0};
  char line[32];
  FILE *file = fopen(path, "r");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  while (fgets(line, sizeof line, file)) {
    counts.entry += strcmp(line, "entry\n") == 0;
    counts.create += strcmp(line, "create\n") == 0;
    counts.destroy += strcmp(line, "destroy\n") == 0;
    counts.fill += strcmp(line, "fill\n") == 0;
  }
  fclose(file);
  return counts;
}

/* Compiles counted.c, and returns the path of the file to which its functions write their calls. */
static const char *compile_counted(const char **path)
{
  const char *count_file = unit_temporary_file("");
  *path = unit_compile_module("counted.c", unit_text("-DCOUNT_FILE='\"%s\"'", count_file));
  return count_file;
}

/* Trains with the module of counted.c under these settings; the calls of its functions. */
static call_counts train_counted(dorm_context *context, const char *const *pairs, const dorm_dataset *train,
                                 const dorm_dataset *validation)
{
  const char *path, *count_file = compile_counted(&path);
  DORM__OWNED(dorm_settings) *settings = unit_svm(context, pairs);
  UNIT_OK(context, dorm_settings_set(context, settings, "loss.name", unit_text("from %s", path)));
  dorm_training_free(unit_train(context, settings, train, validation));
  return read_counts(count_file);
}

/* However many candidates, folds and truncations a training has, it opens and checks the module of its loss once. */
UNIT_TEST_IN(context, a_training_opens_its_module_once)
{
  const char *const *folds = UNIT_PAIRS("selection.folds", "5", "loss.truncation", "1, 2, 3", "solver.C", "1, 10");
  DORM__OWNED(dorm_dataset) *dataset = unit_artificial(context, 20, 6, 3, 0, 1, 1);
  call_counts of_defaults = train_counted(context, NULL, dataset, dataset);
  CU_ASSERT_EQUAL(of_defaults.entry, 1);
  CU_ASSERT_EQUAL(of_defaults.destroy, of_defaults.create);
  call_counts of_folds = train_counted(context, folds, dataset, NULL);
  CU_ASSERT_EQUAL(of_folds.entry, 1);
  CU_ASSERT_EQUAL(of_folds.create, 1 + 3 + 1); /* as opened, one for each truncation, and in the measure */
  CU_ASSERT_EQUAL(of_folds.destroy, of_folds.create);
}

/* Losses of other truncations, and the measure of a loss, come from the module that was opened once. */
UNIT_TEST_IN(context, a_module_is_opened_and_checked_once)
{
  DORM__OWNED(dorm_dataset) *dataset = two_queries(context);
  dorm__loss *loss = NULL, *changed[2] = {NULL};
  dorm__measure *measure = NULL;
  const char *path, *count_file = compile_counted(&path);
  UNIT_OK(context, dorm__loss_open(context, unit_text("counted:worth=3 from %s", path), &loss));
  call_counts opened = read_counts(count_file);
  CU_ASSERT_EQUAL(opened.entry, 1);
  CU_ASSERT_EQUAL(opened.create, 1);
  CU_ASSERT_TRUE(opened.fill > 0); /* by the self-check */
  UNIT_OK(context, dorm__loss_with_truncation(context, loss, 1, &changed[0]));
  UNIT_OK(context, dorm__loss_with_truncation(context, changed[0], 4, &changed[1]));
  UNIT_OK(context, dorm__measure_open_for_loss(context, changed[0], &measure));
  call_counts shared = read_counts(count_file);
  CU_ASSERT_EQUAL(shared.entry, 1);
  CU_ASSERT_EQUAL(shared.create, 4);
  CU_ASSERT_EQUAL(shared.fill, opened.fill);
  dorm__loss_close(loss);
  dorm__loss_close(changed[0]);
  CU_ASSERT_STRING_EQUAL(dorm__loss_spec(changed[1]), unit_text("counted:worth=3,truncation=4 from %s", path));
  CU_ASSERT_STRING_EQUAL(dorm__measure_spec(measure),
                         unit_text("minus_loss(counted:worth=3,truncation=1 from %s)", path));

  /* Labels 0 2 1 0 and 1 0 in the order of the scores: 3 is missing at the first position of the first query. */
  const double scores[] = {4, 3, 2, 1, 2, 1};
  dorm_evaluation evaluation = {.struct_size = sizeof evaluation};
  UNIT_OK(context, dorm__measure_dataset(context, measure, dataset, scores, NULL, &evaluation));
  CU_ASSERT_EQUAL(evaluation.mean, -1.5);
  dorm__loss_tables *tables = unit_tables(context, changed[1], dataset, 1);
  const uint32_t worst[] = {0, 3, 1, 2};
  CU_ASSERT_EQUAL(dorm__query_loss_of(dorm__loss_tables_query(tables, 0), worst), 0); /* all four positions count */
  dorm__loss_tables_free(tables);
  dorm__measure_close(measure);
  dorm__loss_close(changed[1]);
  call_counts closed = read_counts(count_file);
  CU_ASSERT_EQUAL(closed.entry, 1);
  CU_ASSERT_EQUAL(closed.create, 4);
  CU_ASSERT_EQUAL(closed.destroy, 4);
  CU_ASSERT_EQUAL(closed.fill, opened.fill + 4); /* two data sets of two queries */
}

/* The measure of a loss is opened from the loss as from its text. */
UNIT_TEST_IN(context, the_measure_of_a_loss_has_its_parameters)
{
  static const char *const cases[][2] = {
      {"ndcg@5:gain=linear", "ndcg@5:gain=linear,discount=log2,empty=0,ties=order"},
      {"precision@3:threshold=2", "p@3:threshold=2,empty=0,ties=order"},
      {"eru:half_life=3", "eru:half_life=3,neutral=0,normalised=yes,empty=0,ties=order"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    DORM__OWNED(dorm__measure) *measure = NULL;
    DORM__FREED char *spec = NULL;
    DORM__OWNED(dorm__loss) *loss = unit_loss(context, cases[i][0]);
    UNIT_OK(context, dorm__measure_spec_of_loss(context, loss, &spec));
    UNIT_OK(context, dorm__measure_open_for_loss(context, loss, &measure));
    CU_ASSERT_STRING_EQUAL(spec, cases[i][1]);
    CU_ASSERT_STRING_EQUAL(dorm__measure_spec(measure), cases[i][1]);
  }
}

/* Trains with a module from its path in the settings. Its loss on the training set falls far below the loss of the
 * document order. */
static void train_with_module(const char *source, const char *name, const char *position_weights)
{
  DORM__OWNED(dorm_context) *context = unit_context();
  const char *path = unit_compile_module(source, "");
  const char *loss = unit_text("%s from %s", name, path);
  DORM__OWNED(dorm_settings) *settings = unit_defaults(
      context, UNIT_PAIRS("training.trainer", "svm", "loss.name", loss, "ranking.position_weights", position_weights,
                          "solver.C", "30, 100", "solver.gap", "1e-3", "solver.threads", "1"));
  DORM__OWNED(dorm_dataset) *train = unit_artificial(context, 40, 15, 8, 0.1, 3, 4);
  DORM__OWNED(dorm_training) *training = unit_train(context, settings, train, train);
  size_t count = dorm_training_num_candidates(training);
  CU_ASSERT_TRUE(count > 2);
  for (size_t i = 0; i < count; i++) /* a start has no gap */
    CU_ASSERT_TRUE(!dorm_training_candidate(training, i)->round ||
                   dorm_training_candidate(training, i)->certificate.gap <= 1e-3);

  DORM__FREED double *scores = unit_alloc(dorm_dataset_num_docs(train), sizeof *scores);
  dorm_evaluation untrained = {.struct_size = sizeof untrained};
  const char *measure = unit_text("minus_loss(%s)", loss);
  UNIT_OK(context, dorm_evaluate(context, measure, train, scores, NULL, &untrained));
  UNIT_OK(context, dorm_model_score(context, dorm_training_model(training), train, 1, scores));
  double mean_value = unit_evaluate(context, measure, train, scores);
  UNIT_CLOSE(mean_value, dorm_training_validation(training), 1e-12);
  CU_ASSERT_TRUE(untrained.mean < 0 && mean_value > 0.7 * untrained.mean);
}

UNIT_TEST(modules_train_from_their_path_in_the_settings)
{
  train_with_module("reciprocal.c", "reciprocal:threshold=3", "loss");
  train_with_module("halving.cc", "halving", "loss");
  train_with_module("front_page.c", "front_page:size=4", "power:0.5");
}

UNIT_TEST_IN(context, measures_of_which_less_is_better_do_not_select)
{
  DORM__OWNED(dorm_dataset) *train = two_queries(context);
  dorm_training *training = NULL;
  DORM__OWNED(dorm_settings) *settings =
      unit_defaults(context, UNIT_PAIRS("training.trainer", "svm", "selection.measure", "pair_error"));
  UNIT_BAD_USAGE(dorm_train(context, settings, train, train, &training), "less is better");
}
