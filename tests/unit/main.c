/* main.c: runs every suite and prints CUnit's summary. An argument runs only the suite of that name; --list prints the
 * names. */
#include "tests/unit/unit.h"

#include <CUnit/Basic.h>
#include <glob.h>

/* The linker defines the ends of the section. */
extern const unit_test *const __start_unit_tests[];
extern const unit_test *const __stop_unit_tests[];

/* Removes the temporary files that tests of this process made, and files beside them. */
static void remove_temporary_files(void)
{
  char pattern[64];
  glob_t found;
  snprintf(pattern, sizeof pattern, "unit-%ld-*", (long)getpid());
  if (glob(pattern, 0, NULL, &found))
    return;
  for (size_t i = 0; i < found.gl_pathc; i++)
    unlink(found.gl_pathv[i]);
  globfree(&found);
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
