/* base_test.c: text, hashes, random numbers, memory, files, versions of structs, messages. */
#include "base/hash.h"
#include "base/status.h"
#include "tests/unit/unit.h"

#include <locale.h>
#include <sys/stat.h>
#include <time.h>

UNIT_TEST(numbers_read_as_strtod_reads_them)
{
  static const char fixed[] =
      "0 -0.0 1 0.007477 1e-5 123456789012345678901 1e400 -1e-400 4.9e-324 5. .5 9007199254740993 "
      "1e22 1e23 0.1e-22 00000000000000000000001.5 17976931348623157e292 ";
  for (const char *at = fixed; *at; at = strchr(at, ' ') + 1) {
    double value = NAN;
    CU_ASSERT_PTR_EQUAL(dorm__parse_double(at, strchr(at, ' '), &value), strchr(at, ' '));
    CU_ASSERT_EQUAL(value, strtod(at, NULL));
  }
  dorm__random random = unit_random(0);
  for (int i = 0; i < 100000; i++) {
    double x = (dorm__random_uniform(&random) - 0.5) * pow(10, (double)dorm__random_below(&random, 40) - 20);
    const char *text = unit_text("%.*g", 1 + (int)dorm__random_below(&random, 20), x);
    double value = NAN;
    CU_ASSERT_TRUE_FATAL(dorm__text_to_double(text, &value));
    CU_ASSERT_EQUAL_FATAL(value, strtod(text, NULL));
  }
}

UNIT_TEST(what_is_no_number_is_refused)
{
  static const char *const bad[] = {"", " ", "-", ".", "e5", "nan", "inf", "1x", "1 2", "--1", "0x10", "1,5"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    double value;
    CU_ASSERT_FALSE(dorm__text_to_double(bad[i], &value));
  }
  double value;
  CU_ASSERT_TRUE(dorm__text_to_double("1e", &value) == false); /* "e" is left over */
}

UNIT_TEST(numbers_survive_being_written)
{
  dorm__random random = unit_random(0);
  for (int i = 0; i < 20000; i++) {
    uint64_t bits = dorm__random_bits(&random);
    double x;
    memcpy(&x, &bits, sizeof x);
    if (!isfinite(x))
      continue;
    char buffer[DORM__NUMBER_SIZE];
    double back = NAN;
    CU_ASSERT_TRUE_FATAL(dorm__text_to_double(dorm__format_double(buffer, x), &back));
    CU_ASSERT_EQUAL_FATAL(back, x);
  }
}

static bool has_decimal_comma(void)
{
  return strcmp(localeconv()->decimal_point, ",") == 0;
}

/* Makes a locale with a decimal comma in the folder, which LOCPATH then names. */
static bool make_locale(const char *folder)
{
  static const char source[] = "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3;3\nEND LC_NUMERIC\n";
  const char *path = unit_temporary_file(source);
  /* localedef warns of all categories that the source lacks. */
  int result = system(unit_text("localedef -c -i %s %s/comma >%s.log 2>&1", path, folder, path));
  return result != -1 && setenv("LOCPATH", folder, 1) == 0 && setlocale(LC_ALL, "comma") && has_decimal_comma();
}

/* Sets an installed locale with a decimal comma, or else one that localedef makes in `folder`. */
static bool set_decimal_comma(const char *folder)
{
  static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "es_ES.UTF-8", "it_IT.UTF-8", "pl_PL.UTF-8",
                                      "ru_RU.UTF-8", "pt_BR.UTF-8", "nl_NL.UTF-8", "sv_SE.UTF-8", "de_DE"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (setlocale(LC_ALL, names[i]) && has_decimal_comma())
      return true;
  return make_locale(folder);
}

UNIT_TEST_IN(context, the_locale_changes_nothing)
{
  char folder[] = "unit-locale-XXXXXX", line[64], text[32], buffer[DORM__NUMBER_SIZE];
  double value = 0;
  CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
  bool is_set = set_decimal_comma(folder);
  if (!is_set)
    fprintf(stderr, "base_test.c: no locale with a decimal comma is installed, and localedef made none: install "
                    "de_DE.UTF-8, or localedef\n");
  CU_ASSERT_TRUE(is_set);
  snprintf(text, sizeof text, "%g", 0.5);
  CU_ASSERT_STRING_EQUAL(text, "0,5"); /* the C library does follow the locale */
  CU_ASSERT_TRUE(dorm__text_to_double("1.2345678901234567890", &value));
  CU_ASSERT_EQUAL(value, 1.2345678901234567890);
  CU_ASSERT_FALSE(dorm__text_to_double("1,5", &value));
  CU_ASSERT_STRING_EQUAL(dorm__format_double(buffer, 1234.5), "1234.5");
  CU_ASSERT_STRING_EQUAL(dorm__format_float(buffer, 0.25F), "0.25");
  DORM__OWNED(dorm_settings) *settings = unit_defaults(context, UNIT_PAIRS("solver.C", "0.5, 1.5"));
  CU_ASSERT_EQUAL(dorm__settings_number_at(settings, DORM__SOLVER_C, 1), 1.5);
  setlocale(LC_ALL, "C");
  unsetenv("LOCPATH");
  snprintf(line, sizeof line, "rm -rf %s", folder);
  CU_ASSERT_EQUAL(system(line), 0);
}

UNIT_TEST(the_nearest_word_is_found)
{
  static const char *const words[] = {"solver.C", "solver.gap", "loss.truncation"};
  CU_ASSERT_STRING_EQUAL(dorm__nearest_word("loss.trunkation", words, 3), "loss.truncation");
  CU_ASSERT_STRING_EQUAL(dorm__nearest_word("solver.gp", words, 3), "solver.gap");
  CU_ASSERT_STRING_EQUAL(dorm__nearest_word("SOLVER.GAP", words, 3), "solver.gap");
  CU_ASSERT_PTR_NULL(dorm__nearest_word("x", words, 3));
  CU_ASSERT_TRUE(dorm__equal_words("NDCG", "ndcg"));
  CU_ASSERT_FALSE(dorm__equal_words("ndcg", "ndcg@10"));
  CU_ASSERT_FALSE(dorm__equal_words("ndcg", "map"));
}

UNIT_TEST(random_numbers_have_their_moments)
{
  dorm__random random = unit_random(0);
  enum { DRAWS = 200000 };
  double sum = 0;
  double squares = 0;
  size_t counts[7] = {0};
  for (int i = 0; i < DRAWS; i++) {
    double x = dorm__random_normal(&random);
    sum += x;
    squares += x * x;
    counts[dorm__random_below(&random, 7)]++;
  }
  CU_ASSERT_TRUE(fabs(sum / DRAWS) < 0.012); /* five standard errors */
  CU_ASSERT_TRUE(fabs(squares / DRAWS - 1) < 0.016);
  for (int i = 0; i < 7; i++)
    CU_ASSERT_TRUE(fabs((double)counts[i] - DRAWS / 7.0) < 5 * sqrt(DRAWS / 7.0));
  /* the first output of the authors' code, with the state from splitmix64(0) */
  dorm__random_seed(&random, 0);
  CU_ASSERT_EQUAL(dorm__random_bits(&random), UINT64_C(0x99ec5f36cb75f2b4));
}

UNIT_TEST(permutations_hold_every_item_once)
{
  dorm__random random = unit_random(0);
  size_t items[100];
  bool seen[100] = {false};
  dorm__random_permutation(&random, 100, items);
  for (int i = 0; i < 100; i++) {
    CU_ASSERT_TRUE_FATAL(items[i] < 100 && !seen[items[i]]);
    seen[items[i]] = true;
  }
}

UNIT_TEST(allocation_sizes_cannot_overflow)
{
  CU_ASSERT_PTR_NULL(dorm__alloc(SIZE_MAX / 4, 8));
  CU_ASSERT_PTR_NULL(dorm__alloc_zero(SIZE_MAX, SIZE_MAX));
  DORM__FREED void *items = NULL;
  size_t capacity = 0;
  CU_ASSERT_TRUE(dorm__grow(&items, &capacity, 5, 8));
  CU_ASSERT_TRUE(capacity >= 5);
  CU_ASSERT_FALSE(dorm__grow(&items, &capacity, SIZE_MAX / 2, 8));
}

UNIT_TEST_IN(context, files_are_written_whole_or_not_at_all)
{
  dorm__output *output = NULL;
  const char *path = unit_temporary_file("old");
  UNIT_OK(context, dorm__output_open(context, path, &output));
  dorm__output_text(output, "new");
  dorm__output_abandon(output);
  DORM__FREED char *before = unit_read_file(path, NULL);
  CU_ASSERT_STRING_EQUAL(before, "old");

  UNIT_OK(context, dorm__output_open(context, path, &output));
  dorm__output_text(output, "new");
  UNIT_OK(context, dorm__output_commit(context, output));
  DORM__FREED char *after = unit_read_file(path, NULL);
  CU_ASSERT_STRING_EQUAL(after, "new");

  UNIT_FAILS(context, dorm__output_open(context, "no/such/folder/x", &output), DORM_IO_ERROR, "no/such/folder/x");
  CU_ASSERT_PTR_NULL(output);
  UNIT_OK(context, dorm__output_open(context, "/dev/full", &output));
  dorm__output_text(output, "x");
  UNIT_FAILS(context, dorm__output_commit(context, output), DORM_IO_ERROR, "/dev/full");
  CU_ASSERT_EQUAL(access("/dev/full", F_OK), 0);
}

/* A file that a killed process left is replaced, one that is being written is not, and a file keeps its mode. */
UNIT_TEST_IN(context, one_writer_at_a_time_has_a_file)
{
  dorm_context *other = unit_context();
  dorm__output *output = NULL, *second = NULL;
  struct stat about;
  const char *path = unit_temporary_file("old");
  CU_ASSERT_EQUAL(chmod(path, 0600), 0);
  const char *temporary = unit_text("%s.dorm-tmp", path);
  const char *lock = unit_text("%s.dorm-lock", path);
  unit_write_file(temporary, "", 0); /* of a killed process */
  unit_write_file(lock, "", 0);
  UNIT_OK(context, dorm__output_open(context, path, &output));
  UNIT_FAILS(other, dorm__output_open(other, path, &second), DORM_IO_ERROR, "another process is writing it");
  UNIT_OK(context, dorm__output_commit(context, output));
  CU_ASSERT_EQUAL(stat(path, &about), 0);
  CU_ASSERT_EQUAL(about.st_size, 0);
  CU_ASSERT_EQUAL(about.st_mode & 0777, 0600);
  CU_ASSERT_NOT_EQUAL(access(temporary, F_OK), 0);

  UNIT_OK(context, dorm_context_lock_output(context, path));
  UNIT_OK(context, dorm_context_lock_output(context, path));
  UNIT_FAILS(other, dorm_context_lock_output(other, path), DORM_IO_ERROR, "another training that has not ended");
  dorm__unlock_output(context, path);
  UNIT_OK(other, dorm_context_lock_output(other, path));
  UNIT_OK(other, dorm_context_lock_output(other, "/dev/null"));
  dorm_context_free(other);
  CU_ASSERT_NOT_EQUAL(access(lock, F_OK), 0);
}

/* SipHash-1-3 with the key 0, as PYTHONHASHSEED=0 python3 -c "print(hex(hash(b'a') % 2**64))" prints it. */
UNIT_TEST(keyed_hashes_are_those_of_python)
{
  static const uint64_t zero[2] = {0, 0}, other[2] = {UINT64_C(1) << 63, 0};
  unsigned char bytes[63];
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (unsigned char)i;
  CU_ASSERT_EQUAL(dorm__hash_keyed(zero, "a", 1), UINT64_C(0x407448d2b89b1813));
  CU_ASSERT_EQUAL(dorm__hash_keyed(zero, "foobar", 6), UINT64_C(0x7738ae0a5df09b34));
  CU_ASSERT_EQUAL(dorm__hash_keyed(zero, "qid:1234", 8), UINT64_C(0x978373db8fa939e3));
  CU_ASSERT_EQUAL(dorm__hash_keyed(zero, bytes, 15), UINT64_C(0xf30eb725bb91c9ea));
  CU_ASSERT_EQUAL(dorm__hash_keyed(zero, bytes, 63), UINT64_C(0x385d3e39e5f37359));
  CU_ASSERT_NOT_EQUAL(dorm__hash_keyed(other, "a", 1), dorm__hash_keyed(zero, "a", 1));
}

/* Adds `count` keys, multiples of `factor`, and finds each. Returns the processor time. */
static double time_of_keys(uint64_t factor, size_t count)
{
  dorm__index_map *map = dorm__index_map_new();
  CU_ASSERT_PTR_NOT_NULL_FATAL(map);
  clock_t begin = clock();
  bool good = true;
  for (size_t i = 0; i < count; i++)
    good = good && dorm__index_map_add(map, i * factor, i);
  for (size_t i = 0, index, cursor; i < count && factor; i++) {
    cursor = 0;
    good = good && dorm__index_map_find(map, i * factor, &cursor, &index) && index == i &&
           !dorm__index_map_find(map, i * factor, &cursor, &index);
  }
  double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
  size_t cursor = 0, index;
  for (size_t i = 0; i < count && !factor; i++)
    good = good && dorm__index_map_find(map, 0, &cursor, &index) && index == i;
  CU_ASSERT_TRUE(good && dorm__index_map_find(map, factor, &(size_t){0}, &index));
  CU_ASSERT_FALSE(dorm__index_map_find(map, 1, &(size_t){0}, &index) && factor != 1);
  dorm__index_map_free(map);
  return seconds;
}

/* Keys that agree in their low or in their high bits, keys that Fibonacci hashing puts side by side, and equal keys
 * take no longer than 0, 1, 2 ...; equal ones are found in the order in which they were added. */
UNIT_TEST(chosen_keys_are_as_fast_as_others)
{
  enum { COUNT = 1 << 16 };
  static const uint64_t inverse = UINT64_C(0xf1de83e19937733d); /* of Fibonacci hashing's factor modulo 2^64 */
  CU_ASSERT_EQUAL(inverse * UINT64_C(0x9e3779b97f4a7c15), 1);
  double usual = time_of_keys(1, COUNT);
  const uint64_t factors[] = {UINT64_C(1) << 40, UINT64_C(1) << 20, inverse << 40, 0};
  for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
    CU_ASSERT_TRUE(time_of_keys(factors[i], COUNT) < 20 * usual + 0.1);
}

/* Compares FNV-1a with values that its authors give, and changes every single bit of what is hashed by words. */
UNIT_TEST(hashes_are_those_of_their_definitions)
{
  CU_ASSERT_EQUAL(dorm__hash_bytes(DORM__HASH_START, "", 0), UINT64_C(0xcbf29ce484222325));
  CU_ASSERT_EQUAL(dorm__hash_bytes(DORM__HASH_START, "a", 1), UINT64_C(0xaf63dc4c8601ec8c));
  CU_ASSERT_EQUAL(dorm__hash_bytes(DORM__HASH_START, "foobar", 6), UINT64_C(0x85944171f73967e8));
  CU_ASSERT_EQUAL(dorm__hash_bytes(dorm__hash_bytes(DORM__HASH_START, "foo", 3), "bar", 3),
                  UINT64_C(0x85944171f73967e8));
  unsigned char bytes[70];
  for (size_t size = 0; size <= sizeof bytes; size += 7) {
    memset(bytes, 3, sizeof bytes);
    uint64_t whole = dorm__hash_words(1, bytes, size);
    CU_ASSERT_NOT_EQUAL(dorm__hash_words(2, bytes, size), whole);
    for (size_t bit = 0; bit < 8 * size; bit++) {
      bytes[bit / 8] ^= (unsigned char)(1U << bit % 8);
      CU_ASSERT_NOT_EQUAL(dorm__hash_words(1, bytes, size), whole);
      bytes[bit / 8] ^= (unsigned char)(1U << bit % 8);
    }
    CU_ASSERT_EQUAL(dorm__hash_words(1, bytes, size), whole);
  }
}

/* Takes and gives back items at random; each item keeps what was written over all of it. */
UNIT_TEST(items_of_a_pool_keep_apart)
{
  enum { COUNT = 300, STEPS = 6000 };
  static const size_t sizes[] = {1, 64, 65, 1000, 40000};
  dorm__random random = unit_random(0);
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    dorm__pool pool = dorm__pool_of(sizes[s]);
    unsigned char *items[COUNT] = {NULL};
    bool is_good = true;
    for (size_t step = 0; step < STEPS; step++) {
      size_t i = dorm__random_below(&random, COUNT);
      unsigned char *item = items[i];
      if (item) {
        for (size_t byte = 0; byte < sizes[s]; byte++)
          is_good = is_good && item[byte] == i % 251;
        dorm__pool_give(&pool, item);
        items[i] = NULL;
        continue;
      }
      items[i] = dorm__pool_take(&pool);
      CU_ASSERT_PTR_NOT_NULL_FATAL(items[i]);
      is_good = is_good && (uintptr_t)items[i] % 64 == 0;
      memset(items[i], (int)(i % 251), sizes[s]);
    }
    CU_ASSERT_TRUE(is_good);
    dorm__pool_clear(&pool);
    CU_ASSERT_PTR_NULL(pool.slabs);
  }
}

/* A struct that grew twice: the sizes before are those up to its second and its third number. */
typedef struct grown {
  size_t struct_size;
  double first, second, third;
} grown;

UNIT_TEST_IN(context, structs_of_older_versions_are_completed)
{
  static const dorm__struct known = {"grown", sizeof(grown), {offsetof(grown, second), offsetof(grown, third)}};
  const double expected[3][3] = {{1, 0, 0}, {1, 2, 0}, {1, 2, 3}};
  for (size_t i = 0; i < 3; i++) {
    grown given = {offsetof(grown, second) + i * sizeof(double), 1, 2, 3};
    grown full = {7, 7, 7, 7};
    UNIT_OK(context, dorm__struct_take(context, "given", &known, &given, &full));
    CU_ASSERT_TRUE(full.struct_size == sizeof full && memcmp(&full.first, expected[i], sizeof *expected) == 0);
    const grown made = {sizeof made, 4, 5, 6};
    UNIT_OK(context, dorm__struct_check(context, "given", &known, &given));
    dorm__struct_give(&made, &given);
    CU_ASSERT_EQUAL(given.struct_size, offsetof(grown, second) + i * sizeof(double));
    CU_ASSERT_TRUE(given.first == 4 && given.second == (i > 0 ? 5 : 2) && given.third == (i > 1 ? 6 : 3));
  }
  grown full = {7, 7, 7, 7};
  UNIT_OK(context, dorm__struct_take(context, "given", &known, NULL, &full));
  CU_ASSERT_TRUE(full.struct_size == sizeof full && full.first == 0 && full.second == 0 && full.third == 0);
  const size_t wrong[] = {0, 1, sizeof(size_t), offsetof(grown, second) + 1, sizeof(grown) - 1, sizeof(grown) + 8};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    UNIT_BAD_USAGE(dorm__struct_take(context, "given", &known, &(grown){wrong[i], 1, 2, 3}, &full),
                   "given.struct_size is ");
}

UNIT_TEST_IN(context, kept_texts_stay)
{
  const char *kept[40];
  for (size_t i = 0; i < 80; i++) {
    const char *one = dorm__keep_text(context, unit_text("text %zu", i % 40));
    CU_ASSERT_TRUE(i < 40 || one == kept[i - 40]);
    kept[i % 40] = one;
  }
  for (size_t i = 0; i < 40; i++) {
    CU_ASSERT_STRING_EQUAL(kept[i], unit_text("text %zu", i));
  }
}

/* Of every length around that of the message: what is short is whole, what is long has its beginning and its end. */
UNIT_TEST_IN(context, long_messages_keep_their_end)
{
  char name[3 * DORM__MESSAGE_SIZE];
  for (size_t length = DORM__MESSAGE_SIZE - 40; length < sizeof name; length += length < DORM__MESSAGE_SIZE ? 1 : 97) {
    memset(name, 'x', length);
    name[length] = '\0';
    CU_ASSERT_EQUAL(dorm__fail(context, DORM_BAD_DATA, "first %s: no such file", name), DORM_BAD_DATA);
    const char *message = dorm_context_message(context);
    size_t whole = length + strlen("first : no such file");
    CU_ASSERT_EQUAL(strlen(message) == whole, whole < DORM__MESSAGE_SIZE);
    CU_ASSERT_TRUE(strlen(message) < DORM__MESSAGE_SIZE && strlen(message) > DORM__MESSAGE_SIZE - 50);
    CU_ASSERT_EQUAL(memcmp(message, "first xxx", 9), 0);
    CU_ASSERT_STRING_EQUAL(message + strlen(message) - 17, "xxx: no such file");
    CU_ASSERT_EQUAL(strstr(message, " ... ") != NULL, whole >= DORM__MESSAGE_SIZE);
  }
}

/* Writes a code point in `size` bytes of UTF-8, also if fewer would do. */
static void encode(unsigned long point, size_t size, char text[5])
{
  static const unsigned char marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
  text[size] = '\0';
  for (size_t i = size; i-- > 1; point >>= 6)
    text[i] = (char)(0x80 | (point & 0x3f));
  text[0] = (char)(marks[size] | point);
}

/* Every code point, in the bytes of UTF-8 and in more than it takes. */
UNIT_TEST_IN(context, control_characters_are_shown)
{
  char text[5], shown[4 * sizeof text], wanted[4 * sizeof text];
  size_t wrong = 0;
  for (unsigned long point = 1; point < 0x120000; point++)
    for (size_t size = point < 0x80      ? 1
                       : point < 0x800   ? 2
                       : point < 0x10000 ? 3
                                         : 4,
                least = size;
         size <= 4; size++) {
      bool is_control = point < ' ' || (point >= 0x7f && point < 0xa0);
      bool is_plain = size == least && !is_control && (point < 0xd800 || point > 0xdfff) && point <= 0x10ffff;
      encode(point, size, text);
      for (size_t i = 0; i < size; i++)
        snprintf(wanted + 4 * i, 5, "\\x%02x", (unsigned char)text[i]);
      wrong += strcmp(dorm_printable(text, shown), is_plain ? text : wanted) != 0;
    }
  CU_ASSERT_EQUAL(wrong, 0);
  dorm__fail(context, DORM_BAD_DATA, "%s: '%.3s'", "a\033[2J\n\xc2\x9b\u00fc", "\u20ac\u00fc");
  CU_ASSERT_STRING_EQUAL(dorm_context_message(context), "a\\x1b[2J\\x0a\\xc2\\x9b\u00fc: '\u20ac'");
  dorm__fail_within(context, DORM_BAD_DATA, "\r\x80");
  CU_ASSERT_STRING_EQUAL(dorm_context_message(context), "\\x0d\\x80: a\\x1b[2J\\x0a\\xc2\\x9b\u00fc: '\u20ac'");
}

/* The resident memory of this process in bytes; 0 if the system does not say. */
static size_t resident_bytes(void)
{
  size_t all = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file)
    return 0;
  int count = fscanf(file, "%zu %zu", &all, &resident);
  fclose(file);
  return count == 2 ? resident * (size_t)sysconf(_SC_PAGESIZE) : 0;
}

/* The numbers of an array in a file, each written or read as it is its turn; *most is the most memory that was seen. */
static size_t go_through(dorm__file_memory *memory, size_t count, bool writes, size_t *most)
{
  enum { AT_ONCE = 1 << 15 };
  uint64_t *numbers = dorm__file_memory_bytes(memory);
  size_t wrong = 0;
  *most = 0;
  for (size_t first = 0; first < count; first += AT_ONCE) {
    size_t end = count - first < AT_ONCE ? count : first + AT_ONCE;
    dorm__file_memory_use(memory, numbers + first, (end - first) * sizeof *numbers);
    for (size_t i = first; i < end; i++)
      if (writes)
        numbers[i] = i * i;
      else
        wrong += numbers[i] != i * i;
    size_t now = first / AT_ONCE % 16 == 0 ? resident_bytes() : 0;
    *most = now > *most ? now : *most;
  }
  return wrong;
}

UNIT_TEST_IN(context, arrays_in_a_file_keep_little_in_memory)
{
  size_t size = DORM__RESIDENT_BYTES + (64 << 20) + 8, most;
  size_t others = 16 << 20; /* bytes that the process may need for itself meanwhile */
#ifdef __SANITIZE_ADDRESS__
  others += size / 8; /* the sanitizer's notes */
#endif
  size_t count = size / sizeof(uint64_t);
  dorm__file_memory *memory = NULL, *like = NULL;
  float *values = NULL;
  size_t before = resident_bytes();
  UNIT_OK(context, dorm__file_memory_new(context, ".", 8, &memory));
  UNIT_OK(context, dorm__file_memory_resize(context, memory, size));
  go_through(memory, count, true, &most);
  CU_ASSERT_TRUE(most <= before + DORM__RESIDENT_BYTES + others);
  CU_ASSERT_EQUAL(go_through(memory, count, false, &most), 0);
  CU_ASSERT_TRUE(most <= before + DORM__RESIDENT_BYTES + others);
  UNIT_OK(context, dorm__file_memory_resize(context, memory, size / 2)); /* what is cut off does not come back */
  UNIT_OK(context, dorm__file_memory_resize(context, memory, size));
  CU_ASSERT_EQUAL(go_through(memory, size / 2 / sizeof(uint64_t), false, &most), 0);
  CU_ASSERT_EQUAL(((const uint64_t *)dorm__file_memory_bytes(memory))[count - 1], 0);
  UNIT_OK(context, dorm__values_new(context, memory, 1000, &like, &values));
  CU_ASSERT_PTR_NOT_NULL(like);
  CU_ASSERT_TRUE(values && values[0] == 0 && values[999] == 0);
  dorm__values_free(like, values);
  UNIT_OK(context, dorm__values_new(context, NULL, 1000, &like, &values));
  CU_ASSERT_PTR_NULL(like);
  dorm__file_memory_use(like, values, 1000 * sizeof *values); /* of an array in memory: nothing */
  dorm__values_free(like, values);
  dorm__file_memory_free(memory);
  UNIT_FAILS(context, dorm__file_memory_new(context, "no-such-folder", 8, &memory), DORM_IO_ERROR, "no-such-folder");
  CU_ASSERT_PTR_NULL(memory);
}
