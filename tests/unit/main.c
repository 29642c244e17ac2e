/* main.c: runs every suite and prints CUnit's summary. An argument runs only the suite of that name; --list prints the
 * names. */
#include "models/models.h"
#include "tests/unit/unit.h"

#include <CUnit/Basic.h>
#include <glob.h>

/* The linker defines the ends of the section. */
extern const unit_test *const __start_unit_tests[];
extern const unit_test *const __stop_unit_tests[];

uint64_t unit_seed(void)
{
  const char *text = getenv("DORM_TEST_SEED");
  return text ? strtoull(text, NULL, 10) : 20070401;
}

dorm_context *unit_context(void)
{
  dorm_context *context = dorm_context_new();
  CU_ASSERT_PTR_NOT_NULL_FATAL(context);
  return context;
}

void unit_fails(dorm_context *context, dorm_status status, dorm_status expected, const char *text, int line)
{
  const char *message = dorm_context_message(context);
  bool good = status == expected && (!text || strstr(message, text));
  if (!good)
    printf("\n    line %d: status %d (%s), message: %s\n", line, (int)status, dorm_status_name(status), message);
  CU_ASSERT_TRUE(good);
  CU_ASSERT_FATAL(good || expected != DORM_OK);
}

bool unit_close(double x, double y, double tolerance)
{
  return fabs(x - y) <= tolerance * fmax(1, fmax(fabs(x), fabs(y)));
}

const double *unit_weights(const dorm_training *training)
{
  double rank_block;
  return dorm__model_linear_weights(dorm_training_model(training), &rank_block);
}

dorm_dataset *unit_one_query(dorm_context *context, size_t num_docs, const double *labels)
{
  size_t query_start[2] = {0, num_docs};
  dorm_dataset *dataset = NULL;
  UNIT_OK(context, dorm_dataset_from_arrays(context, 1, query_start, 0, labels, NULL, &dataset));
  CU_ASSERT_PTR_NOT_NULL_FATAL(dataset);
  return dataset;
}

dorm_settings *unit_settings(dorm_context *context, const char *const pairs[][2], size_t count)
{
  dorm_settings *settings = NULL;
  UNIT_OK(context, dorm_settings_new(context, &settings));
  CU_ASSERT_PTR_NOT_NULL_FATAL(settings);
  UNIT_OK(context, dorm_settings_set(context, settings, "training.trainer", "svm"));
  for (size_t i = 0; i < count; i++)
    UNIT_OK(context, dorm_settings_set(context, settings, pairs[i][0], pairs[i][1]));
  return settings;
}

void unit_rankings_of_five(uint32_t rankings[UNIT_RANKINGS_OF_FIVE][5])
{
  size_t count = 0;
  for (size_t code = 0; code < 3125; code++) { /* five digits of base five, kept where all differ */
    uint32_t order[5];
    unsigned seen = 0;
    for (size_t p = 0, rest = code; p < 5; p++, rest /= 5) {
      order[p] = (uint32_t)(rest % 5);
      seen |= 1U << order[p];
    }
    if (seen == 31)
      memcpy(rankings[count++], order, sizeof order);
  }
  CU_ASSERT_EQUAL_FATAL(count, UNIT_RANKINGS_OF_FIVE);
}

/* Removes the temporary files that tests of this process left. */
static void remove_temporary_files(void)
{
  char pattern[64];
  glob_t found;
  snprintf(pattern, sizeof pattern, "unit-%ld-??????", (long)getpid());
  if (glob(pattern, 0, NULL, &found))
    return;
  for (size_t i = 0; i < found.gl_pathc; i++)
    unlink(found.gl_pathv[i]);
  globfree(&found);
}

const char *unit_temporary_file(const char *text)
{
  static char path[64];
  snprintf(path, sizeof path, "unit-%ld-XXXXXX", (long)getpid());
  int descriptor = mkstemp(path);
  CU_ASSERT_FATAL(descriptor >= 0);
  size_t size = strlen(text);
  CU_ASSERT_EQUAL_FATAL(write(descriptor, text, size), (ssize_t)size);
  close(descriptor);
  return path;
}

dorm_dataset *unit_read_text(dorm_context *context, const char *text)
{
  dorm_dataset *dataset = NULL;
  const char *path = unit_temporary_file(text);
  UNIT_OK(context, dorm_dataset_read(context, path, &dataset));
  unlink(path);
  CU_ASSERT_PTR_NOT_NULL_FATAL(dataset);
  return dataset;
}

void unit_reads_back(dorm_context *context, const dorm_model *model, const dorm_dataset *dataset)
{
  const char *path = unit_temporary_file("");
  size_t count = dorm_dataset_num_docs(dataset);
  DORM__OWNED(dorm_model) *read = NULL;
  DORM__FREED double *scores = dorm__alloc(count, sizeof *scores), *again = dorm__alloc(count, sizeof *again);
  CU_ASSERT_FATAL(scores && again);
  UNIT_OK(context, dorm_model_write(context, model, path));
  UNIT_OK(context, dorm_model_read(context, path, &read));
  unlink(path);
  UNIT_OK(context, dorm_model_score(context, model, dataset, 1, scores));
  UNIT_OK(context, dorm_model_score(context, read, dataset, 2, again));
  CU_ASSERT_EQUAL(memcmp(scores, again, count * sizeof *scores), 0);
}

void unit_refuses_model(dorm_context *context, const char *text, const char *message)
{
  dorm_model *model = (dorm_model *)context; /* not NULL, so that a call that leaves it is noticed */
  const char *path = unit_temporary_file(text);
  UNIT_FAILS(context, dorm_model_read(context, path, &model), DORM_BAD_DATA, message);
  CU_ASSERT_PTR_NULL(model);
  unlink(path);
}

static const char *from_environment(const char *name, const char *otherwise)
{
  const char *text = getenv(name);
  return text && *text ? text : otherwise;
}

void unit_compile_module(const char *source, const char *definition, char path[64])
{
  bool is_cxx = strstr(source, ".cc") != NULL;
  const char *sources = from_environment("srcdir", UNIT_SOURCES);
  char line[4000];
  snprintf(path, 64, "./module-%ld.so", (long)getpid());
  snprintf(line, sizeof line, "%s -shared -fPIC %s -I%s/include -Wl,-z,defs -o %s %s/tests/plugins/%s -lm",
           is_cxx ? from_environment("DORM_TEST_CXX", "c++") : from_environment("DORM_TEST_CC", "cc"), definition,
           sources, path, sources, source);
  CU_ASSERT_EQUAL_FATAL(system(line), 0);
}

/* Orders tests by their place in the sources. */
static int compare_places(const void *left, const void *right)
{
  const unit_test *a = *(const unit_test *const *)left;
  const unit_test *b = *(const unit_test *const *)right;
  int order = strcmp(a->file, b->file);
  return order ? order : a->line - b->line;
}

/* The suite of a test: NAME of its file tests/unit/NAME_test.c. */
static void suite_name(const unit_test *test, char name[64])
{
  const char *slash = strrchr(test->file, '/');
  const char *base = slash ? slash + 1 : test->file;
  snprintf(name, 64, "%.*s", (int)(strlen(base) - strlen("_test.c")), base);
}

/* Registers the tests of the suite `wanted`, or of all suites if it is NULL. Returns the number of tests. */
static size_t register_tests(const unit_test **tests, size_t count, const char *wanted, bool is_listing)
{
  CU_pSuite suite = NULL;
  char name[64], last[64] = "";
  size_t registered = 0;
  for (size_t i = 0; i < count; i++) {
    suite_name(tests[i], name);
    if (wanted && strcmp(wanted, name) != 0)
      continue;
    bool is_new = strcmp(name, last) != 0;
    strcpy(last, name);
    if (is_new && is_listing)
      puts(name);
    if (is_new)
      suite = CU_add_suite(name, NULL, NULL);
    if (suite && CU_add_test(suite, tests[i]->name, tests[i]->run))
      registered++;
  }
  return registered;
}

int main(int argc, char **argv)
{
  size_t count = (size_t)(__stop_unit_tests - __start_unit_tests);
  const unit_test **tests = malloc(count * sizeof *tests);
  if (!tests || CU_initialize_registry() != CUE_SUCCESS)
    return 1;
  memcpy(tests, __start_unit_tests, count * sizeof *tests);
  qsort(tests, count, sizeof *tests, compare_places);
  bool is_listing = argc > 1 && strcmp(argv[1], "--list") == 0;
  size_t registered = register_tests(tests, count, is_listing ? NULL : argv[1], is_listing);
  free(tests);
  if (registered == 0) {
    fprintf(stderr, "unit: no suite '%s'\n", argv[1]);
    return 2;
  }
  unsigned failures = 0;
  if (!is_listing) {
    printf("seed %llu\n", (unsigned long long)unit_seed());
    dorm_set_blas_threads(1);
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_basic_run_tests();
    failures = CU_get_number_of_failures() + CU_get_number_of_suites_failed();
  }
  CU_cleanup_registry();
  remove_temporary_files();
  return failures != 0;
}
