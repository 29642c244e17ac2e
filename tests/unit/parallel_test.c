/*
 * parallel_test.c: paths that are trained at the same time (trainers/parallel.c) make the same candidates, models,
 * events and failures as paths that follow one another.
 */
#include "tests/unit/training_cases.h"

#include <pthread.h>

/* ---- What a training says and makes ------------------------------------------------- */

/* The log of a training, without times. */
typedef struct transcript {
  pthread_t caller;
  size_t num_events, num_candidates, num_elsewhere; /* events that came on another thread */
  size_t size;
  char text[1 << 17];
  size_t most; /* candidates after which the training is cancelled */
} transcript;

/* Copies a text without times: of "sort 12 calls, 0.003 s; merge 5 calls, 0.001 s" the calls; and without text in
 * parentheses, such as the seconds of a kernel. */
static void copy_without_seconds(const char *text, size_t size, char *copy)
{
  size_t used = 0;
  bool has_times = strncmp(text, "oracles:", 8) == 0, is_left_out = false;
  for (; *text && used + 1 < size; text++) {
    is_left_out = *text == '(' || (has_times && *text == ',') || (is_left_out && *text != ';' && *text != ')');
    if (!is_left_out)
      copy[used++] = *text;
  }
  copy[used] = '\0';
}

static void write_down(void *user, const dorm_event *event)
{
  transcript *made = user;
  const dorm_candidate *candidate = event->candidate;
  char *at = made->text + made->size;
  size_t room = sizeof made->text - made->size;
  char text[DORM__MESSAGE_SIZE];
  copy_without_seconds(event->text, sizeof text, text);
  int size =
      candidate
          ? snprintf(at, room, "%d %zu %s %s %zu %g %g %zu: %zu %a %a %a %zu/%zu\n", event->kind, candidate->number,
                     candidate->reference, candidate->position_weights, candidate->truncation, candidate->rank_block,
                     candidate->C, candidate->round, candidate->certificate.iterations, candidate->certificate.primal,
                     candidate->certificate.dual, candidate->validation, event->num_done, event->num_candidates)
          : snprintf(at, room, "%d %s\n", event->kind, text);
  CU_ASSERT_TRUE_FATAL(size > 0 && (size_t)size < room);
  made->size += (size_t)size;
  made->num_events++;
  made->num_candidates += event->kind == DORM_EVENT_CANDIDATE;
  made->num_elsewhere += !pthread_equal(pthread_self(), made->caller);
}

static int has_enough(void *user)
{
  transcript *made = user;
  made->num_elsewhere += !pthread_equal(pthread_self(), made->caller);
  return made->most && made->num_candidates >= made->most;
}

/* Trains on so many threads and writes down what is said. */
static dorm_status run(dorm_context *context, dorm_settings *settings, const char *threads, const dorm_dataset *train,
                       const dorm_dataset *validation, transcript *made, dorm_training **training)
{
  size_t most = made->most;
  *made = (transcript){.caller = pthread_self(), .most = most};
  UNIT_OK(context, dorm_settings_set(context, settings, "solver.threads", threads));
  dorm_context_set_log(context, write_down, made);
  dorm_context_set_cancel(context, has_enough, made);
  dorm_status status = dorm_train(context, settings, train, validation, training);
  dorm_context_set_log(context, NULL, NULL);
  dorm_context_set_cancel(context, NULL, NULL);
  CU_ASSERT_EQUAL(made->num_elsewhere, 0);
  return status;
}

static void compare(const dorm_training *one, const dorm_training *other)
{
  CU_ASSERT_PTR_NOT_NULL_FATAL(one);
  CU_ASSERT_PTR_NOT_NULL_FATAL(other);
  CU_ASSERT_EQUAL_FATAL(one->num_trained, other->num_trained);
  CU_ASSERT_EQUAL(one->num_training_queries, other->num_training_queries);
  for (size_t i = 0; i < one->num_trained; i++) {
    const dorm__trained *x = &one->trained[i], *y = &other->trained[i];
    CU_ASSERT_EQUAL_FATAL(x->width, y->width);
    CU_ASSERT_EQUAL(memcmp(x->w, y->w, x->width * sizeof *x->w), 0);
    CU_ASSERT_EQUAL(x->candidate.number, i + 1);
    CU_ASSERT_EQUAL(y->candidate.number, i + 1);
    CU_ASSERT_EQUAL(x->candidate.score_scale, y->candidate.score_scale);
    CU_ASSERT_EQUAL(x->candidate.is_selected, y->candidate.is_selected);
    CU_ASSERT_STRING_EQUAL(x->candidate.reference, y->candidate.reference);
  }
  CU_ASSERT_TRUE(unit_same_weights(one, other));
}

/* ---- The tests --------------------------------------------------------------------------- */

/* The data of a test, and the record of its events. */
typedef struct world {
  dorm_context *context;
  dorm_dataset *train, *validation;
  dorm_settings *settings;
  transcript *made;
} world;

#define FOUR_PATHS                                                                                                     \
  "solver.C", "1, 30", "ranking.reference", "mu:0.3, ideal", "loss.truncation", "5, 10", "ranking.position_weights",   \
      "power:0.5", "ranking.rounds", "2", "data.rank_block", "0"

static world make_world(void)
{
  world w = {.context = unit_context(), .made = dorm__alloc_zero(1, sizeof *w.made)};
  CU_ASSERT_PTR_NOT_NULL_FATAL(w.made);
  w.train = training_artificial_data(w.context, 1, 20);
  w.validation = training_artificial_data(w.context, 2, 10);
  w.settings = unit_svm(w.context, UNIT_PAIRS(FOUR_PATHS));
  return w;
}

static void free_world(world *w)
{
  dorm__free(w->made);
  dorm_settings_free(w->settings);
  dorm_dataset_free(w->validation);
  dorm_dataset_free(w->train);
  dorm_context_free(w->context);
}

static void set(world *w, const char *key, const char *value)
{
  UNIT_OK(w->context, dorm_settings_set(w->context, w->settings, key, value));
}

/* Of a structured loss, which has neither references nor position weights. */
#define TWO_PATHS "loss.truncation", "2, 5", "solver.C", "1, 30", "data.rank_block", "0"

UNIT_TEST_IN(context, threads_change_nothing)
{
  static const char *const variants[][2] = {{"selection.average", "2"},
                                            {"selection.folds", "3"},
                                            {"selection.retrain", "yes"},
                                            {"solver.ridge", "0.1, 1"},
                                            {"solver.start", "zero"},
                                            {"solver.shards", "3"},
                                            {"solver.oracle_check", "yes"},
                                            {"ranking.position_weights", "power:0.5, log"},
                                            {"loss.name", "precision_set"},
                                            {"solver.max_iterations", "2"},
                                            {"data.rank_block", "0, 0.5"},
                                            {"kernel.kernel", "polynomial"},
                                            {"selection.measure", "minus_loss(rsvm_ir)"},
                                            {"ranking.position_weights", "loss"}};
  static const char *const threads[] = {"2", "3", "16"};
  DORM__OWNED(dorm_dataset) *train = training_artificial_data(context, 1, 20);
  DORM__OWNED(dorm_dataset) *validation = training_artificial_data(context, 2, 10);
  DORM__FREED transcript *one = dorm__alloc_zero(1, sizeof *one), *other = dorm__alloc_zero(1, sizeof *other);
  CU_ASSERT_TRUE_FATAL(one && other);
  for (size_t i = 0; i < 2 * sizeof variants / sizeof *variants; i++) {
    const char *const *variant = variants[i / 2];
    bool has_folds = strcmp(variant[0], "selection.folds") == 0, is_alone = i % 2 || has_folds;
    bool is_structured = strcmp(variant[1], "precision_set") == 0;
    DORM__OWNED(dorm_settings) *settings =
        is_structured ? unit_svm(context, UNIT_PAIRS(TWO_PATHS)) : unit_svm(context, UNIT_PAIRS(FOUR_PATHS));
    DORM__OWNED(dorm_training) *first = NULL;
    dorm_training *second = NULL;
    UNIT_OK(context, dorm_settings_set(context, settings, variant[0], variant[1]));
    dorm_status expected = strcmp(variant[0], "solver.max_iterations") == 0 ? DORM_STOPPED : DORM_OK;
    UNIT_FAILS(context, run(context, settings, "1", train, is_alone ? NULL : validation, one, &first), expected, NULL);
    for (size_t k = 0; k < sizeof threads / sizeof *threads; k++) {
      UNIT_FAILS(context, run(context, settings, threads[k], train, is_alone ? NULL : validation, other, &second),
                 expected, NULL);
      CU_ASSERT_STRING_EQUAL(one->text, other->text);
      compare(first, second);
      dorm_training_free(second);
    }
  }
}

/* Takes away the last event, which tells the number of oracle calls. */
static void drop_last(transcript *made)
{
  made->size -= made->size > 0;
  while (made->size && made->text[made->size - 1] != '\n')
    made->size--;
  made->text[made->size] = '\0';
}

/* The second choice of position weights fails if its first path begins, behind all candidates of the first choice;
 * the paths of the third are not heard of. With costs of any form a problem asks the oracle for the least ones when it
 * is made, which paths that are trained at the same time do apart; so the numbers of calls are left out. */
UNIT_TEST_IN(context, the_first_failure_is_reported)
{
  static const char table[] = "* 0 0 0 0 0\n4 0 1 2 3 4\n";
  static const char *const threads[] = {"1", "2", "3", "16"};
  DORM__OWNED(dorm_dataset) *train = training_artificial_data(context, 1, 20);
  DORM__OWNED(dorm_settings) *settings =
      unit_svm(context, UNIT_PAIRS("solver.C", "1, 30", "ranking.reference", "mu:0.3, ideal"));
  UNIT_OK(context, dorm_settings_set(context, settings, "data.rank_block", "0"));
  transcript *made[2] = {dorm__alloc_zero(1, sizeof *made[0]), dorm__alloc_zero(1, sizeof *made[1])};
  CU_ASSERT_TRUE_FATAL(made[0] && made[1]);
  const char *loss = unit_text("cost:file=%s", unit_temporary_file(table));
  UNIT_OK(context, dorm_settings_set(context, settings, "loss.name", loss));
  UNIT_OK(context, dorm_settings_set(context, settings, "ranking.position_weights", "power:0.5, loss, log"));
  for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
    dorm_training *training = NULL;
    transcript *present = made[i > 0];
    UNIT_BAD_USAGE(run(context, settings, threads[i], train, NULL, present, &training),
                   "ranking.position_weights = loss needs a loss of product form");
    CU_ASSERT_PTR_NULL(training);
    CU_ASSERT_EQUAL(present->num_candidates, 1 + 2 * 2 * 4); /* the start; references, C, rounds */
    drop_last(present);
    CU_ASSERT_STRING_EQUAL(made[0]->text, made[i > 0]->text);
  }
  dorm__free(made[0]);
  dorm__free(made[1]);
}

/* Candidates are numbered one after the other, path by path. */
static void check_order(const dorm_training *training)
{
  size_t path = 0;
  for (size_t i = 1; i < training->num_trained; i++) {
    const dorm_candidate *candidate = &training->trained[i].candidate;
    size_t is_second = candidate->truncation == 10, is_ideal = strcmp(candidate->reference, "ideal") == 0;
    size_t own = 2 * is_second + is_ideal;
    CU_ASSERT_EQUAL(candidate->number, i + 1);
    CU_ASSERT_TRUE(own >= path);
    path = own;
  }
}

/* The cancel function is asked while paths train: a training that would go on for long ends early. */
UNIT_TEST(a_stop_ends_paths_early)
{
  DORM__AT_END(free_world) world w = make_world();
  DORM__OWNED(dorm_training) *training = NULL;
  enum { NUM_C = 10, NUM_ALL = 1 + 4 * 2 * NUM_C };
  set(&w, "solver.C", "1, 2, 5, 10, 20, 50, 100, 200, 500, 1000");
  set(&w, "solver.gap", "1e-9");
  w.made->most = 2;
  UNIT_FAILS(w.context, run(w.context, w.settings, "2", w.train, w.validation, w.made, &training), DORM_STOPPED,
             "stopped on request");
  CU_ASSERT_PTR_NOT_NULL_FATAL(training);
  CU_ASSERT_TRUE(training->num_trained >= 2 && training->num_trained < NUM_ALL);
  check_order(training);
}

static const dorm_candidate *find_candidate(const dorm_training *training, const dorm_candidate *wanted)
{
  for (size_t i = 0; i < training->num_trained; i++) {
    const dorm_candidate *one = &training->trained[i].candidate;
    if (one->truncation == wanted->truncation && strcmp(one->reference, wanted->reference) == 0 &&
        one->C == wanted->C && one->round == wanted->round)
      return one;
  }
  return NULL;
}

/* Wherever a training with folds stops after these, a candidate has the value that it has in the whole training. */
UNIT_TEST(values_of_folds_stay_with_their_candidates)
{
  DORM__AT_END(free_world) world w = make_world();
  DORM__OWNED(dorm_training) *whole = NULL;
  size_t num_compared = 0;
  set(&w, "selection.folds", "2");
  set(&w, "solver.gap", "1e-6");
  UNIT_OK(w.context, run(w.context, w.settings, "1", w.train, NULL, w.made, &whole));
  size_t of_folds = w.made->num_candidates / 3 * 2; /* the others are of the grid on all data */
  for (size_t most = w.made->num_candidates; most > of_folds; most--) {
    DORM__OWNED(dorm_training) *training = NULL;
    w.made->most = most;
    dorm_status status = run(w.context, w.settings, "3", w.train, NULL, w.made, &training);
    CU_ASSERT_TRUE(status == DORM_OK || status == DORM_STOPPED);
    for (size_t i = 0; training && dorm_training_model(training) && i < training->num_trained; i++) {
      const dorm_candidate *one = &training->trained[i].candidate, *same = find_candidate(whole, one);
      CU_ASSERT_PTR_NOT_NULL_FATAL(same);
      CU_ASSERT_EQUAL(one->validation, same->validation);
      num_compared++;
    }
  }
  CU_ASSERT_TRUE(num_compared > 0);
}

UNIT_TEST(a_stop_keeps_what_there_is)
{
  DORM__AT_END(free_world) world w = make_world();
  for (w.made->most = 1; w.made->most < 14; w.made->most++) {
    DORM__OWNED(dorm_training) *training = NULL;
    dorm_status status = run(w.context, w.settings, "3", w.train, w.validation, w.made, &training);
    CU_ASSERT_TRUE(status == DORM_STOPPED || status == DORM_OK); /* the last paths may be done before they are asked */
    CU_ASSERT_TRUE(status == DORM_OK || strcmp(dorm_context_message(w.context), "stopped on request") == 0);
    CU_ASSERT_TRUE(w.made->most > 1 || status == DORM_STOPPED);
    CU_ASSERT_PTR_NOT_NULL_FATAL(training);
    CU_ASSERT_EQUAL(training->num_trained, w.made->num_candidates);
    CU_ASSERT_TRUE(training->num_trained >= w.made->most);
    CU_ASSERT_PTR_NOT_NULL(dorm_training_model(training));
    check_order(training);
  }
  w.made->most = 0;
  DORM__OWNED(dorm_training) *training = NULL;
  set(&w, "solver.max_seconds", "6e-8");
  UNIT_FAILS(w.context, run(w.context, w.settings, "3", w.train, w.validation, w.made, &training), DORM_STOPPED,
             "stopped at solver.max_seconds = 6e-08");
  CU_ASSERT_PTR_NOT_NULL_FATAL(training);
  CU_ASSERT_PTR_NOT_NULL(dorm_training_model(training));
  check_order(training);
}

/* Stopped after every second candidate and resumed, on any number of threads: the model of paths that were trained at
 * the same time and without a checkpoint. */
UNIT_TEST(resumed_paths_are_those_of_one_go)
{
  static const char *const threads[] = {"1", "2", "3"};
  DORM__AT_END(free_world) world w = make_world();
  DORM__OWNED(dorm_training) *whole = NULL;
  UNIT_OK(w.context, run(w.context, w.settings, "2", w.train, w.validation, w.made, &whole));
  set(&w, "output.checkpoint", "unit-paths-checkpoint");
  set(&w, "output.checkpoint_seconds", "0");
  set(&w, "output.resume", "yes");
  w.made->most = 2;
  for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
    dorm_status status = DORM_STOPPED;
    dorm_training *resumed = NULL;
    size_t attempts = 0;
    unlink("unit-paths-checkpoint");
    for (; status == DORM_STOPPED && attempts < 100; attempts++) {
      dorm_training_free(resumed);
      status = run(w.context, w.settings, threads[i], w.train, w.validation, w.made, &resumed);
    }
    UNIT_OK(w.context, status);
    CU_ASSERT_TRUE(attempts > 3);
    compare(whole, resumed);
    dorm_training_free(resumed);
  }
}

/* ---- Where paths are trained ----------------------------------------------------------- */

typedef struct witness {
  pthread_t caller;
  size_t here, elsewhere;
} witness;

/* Sums of labels over positions; says on which thread it was asked. */
static int fill_watched(const dorm_host *host, const void *state, const dorm_loss_query *query, double *a, double *b)
{
  witness *seen = host->user;
  bool is_here = pthread_equal(pthread_self(), seen->caller);
  (void)state;
#pragma omp atomic
  seen->here += is_here;
#pragma omp atomic
  seen->elsewhere += !is_here;
  for (size_t j = 0; j < query->num_docs; j++) {
    a[j] = 1 / (double)(j + 1);
    b[j] = query->labels[j];
  }
  return 0;
}

UNIT_TEST_IN(context, small_data_work_on_threads)
{
  static const dorm_loss_module watched = {.abi = DORM_PLUGIN_ABI,
                                           .struct_size = sizeof(dorm_loss_module),
                                           .name = "watched",
                                           .help = "watched",
                                           .fill_product = fill_watched};
  static const struct {
    const char *key, *value;
    bool has_threads;
  } cases[] = {{"solver.threads", "2", true},
               {"solver.threads", "1", false},
               {"ranking.reference", "ideal", false}, /* one path */
               {"output.checkpoint", "unit-paths-checkpoint", false}};
  DORM__OWNED(dorm_dataset) *train = training_artificial_data(context, 1, 20);
  witness seen = {.caller = pthread_self()};
  UNIT_OK(context, dorm_loss_register(context, &watched, &seen));
  unlink("unit-paths-checkpoint");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    DORM__OWNED(dorm_settings) *settings =
        unit_svm(context, UNIT_PAIRS("solver.C", "1, 30", "ranking.reference", "mu:0.3, ideal"));
    UNIT_OK(context, dorm_settings_set(context, settings, "solver.threads", "2"));
    UNIT_OK(context, dorm_settings_set(context, settings, "loss.name", "watched"));
    UNIT_OK(context, dorm_settings_set(context, settings, cases[i].key, cases[i].value));
    seen.here = seen.elsewhere = 0;
    DORM__OWNED(dorm_training) *training = unit_train(context, settings, train, NULL);
    CU_ASSERT_EQUAL(seen.elsewhere > 0, cases[i].has_threads);
    CU_ASSERT_TRUE(cases[i].has_threads || seen.here > 0);
  }
}
