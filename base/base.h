/*
 * base.h: what every room of the house stands on: status and messages,
 * memory, text, files, random numbers, settings, linear algebra.
 * Knows nothing of ranking.
 */
#ifndef DORM_BASE_BASE_H
#define DORM_BASE_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "dorm/dorm.h"

#define DORM__PRINTF(format_at, first_at) __attribute__((format(printf, format_at, first_at)))

/* The largest whole number taken for a count: exact as a double, held by size_t also on 32 bits. */
#define DORM__LARGEST_COUNT (SIZE_MAX > UINT32_MAX ? 1e15 : (double)UINT32_MAX)

/* A function compiled for wider vectors as well, chosen when the library is
 * loaded. The results are the same bit for bit: AVX2 alone fuses no products
 * into sums. Not under the sanitizers, which are not ready that early. */
#if defined(__has_feature)
#define DORM__HAS_FEATURE(feature) __has_feature(feature)
#else
#define DORM__HAS_FEATURE(feature) 0
#endif
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__has_attribute)
#if __has_attribute(target_clones) && !defined(__SANITIZE_ADDRESS__) && !DORM__HAS_FEATURE(address_sanitizer) &&       \
    !DORM__HAS_FEATURE(thread_sanitizer) /* their calls cannot run before the program does, and resolvers do */
#define DORM__WIDE_VECTORS __attribute__((target_clones("avx2", "default")))
#endif
#endif
#ifndef DORM__WIDE_VECTORS
#define DORM__WIDE_VECTORS
#endif

/* ---- status.c ----------------------------------------------------------- */

enum { DORM__MESSAGE_SIZE = 1024 };

struct dorm_context {
  char message[DORM__MESSAGE_SIZE];
  dorm_log_function log;
  void *log_user;
  dorm_cancel_function cancel;
  void *cancel_user;
};

/* Sets the context's message and returns `status`. */
dorm_status dorm__fail(dorm_context *context, dorm_status status, const char *format, ...) DORM__PRINTF(3, 4);
/* What became of one share of a job done by several threads, with its message. */
typedef struct dorm__outcome {
  dorm_status status;
  dorm_context context;
} dorm__outcome;
/* The first failure among outcomes[count], with its message; DORM_OK when there is none. */
dorm_status dorm__first_failure(dorm_context *context, size_t count, const dorm__outcome *outcomes);
/* "out of memory for <what>" */
dorm_status dorm__out_of_memory(dorm_context *context, const char *what);
void dorm__log(const dorm_context *context, const dorm_event *event);
void dorm__note(const dorm_context *context, const char *format, ...) DORM__PRINTF(2, 3);
void dorm__warn(const dorm_context *context, const char *format, ...) DORM__PRINTF(2, 3);
bool dorm__cancelled(const dorm_context *context);
/* Seconds on a clock that only goes forward. */
double dorm__seconds(void);

/* ---- memory.c ----------------------------------------------------------- */

/* count * size bytes, NULL when that overflows or there is no memory; a size
 * of 0 gives a pointer that can be freed. The only callers of malloc. */
void *dorm__alloc(size_t count, size_t size);
void *dorm__alloc_zero(size_t count, size_t size);
/* On NULL the old block is still there. */
void *dorm__realloc(void *block, size_t count, size_t size);
void dorm__free(void *block);
char *dorm__copy_text(const char *text);
/* Makes room for `needed` items by doubling: *items and *capacity change only
 * on success, after which *items is not NULL, even for none. */
bool dorm__grow(void **items, size_t *capacity, size_t needed, size_t size);

/* Brings bytes that are wanted soon from memory, meanwhile other work is done. */
static inline void dorm__fetch(const void *memory, size_t bytes)
{
  enum { LINE = 64, TO_SECOND_LEVEL = 2 };
  for (size_t i = 0; i < bytes; i += LINE)
    __builtin_prefetch((const char *)memory + i, 0, TO_SECOND_LEVEL);
}

/* ---- pool.c --------------------------------------------------------------- */

typedef struct dorm__pool_link dorm__pool_link;

/* Memory for many items of one size, which start at cache lines. For one thread
 * at a time. */
typedef struct dorm__pool {
  size_t size;                 /* of an item, whole cache lines */
  size_t block_bytes;          /* of the last block */
  char *fresh;                 /* items of it that were never taken */
  size_t num_fresh;            /* of them */
  dorm__pool_link *given_back; /* items */
  dorm__pool_link *blocks;     /* owned */
} dorm__pool;

dorm__pool dorm__pool_of(size_t size);   /* of items of so many bytes */
void *dorm__pool_take(dorm__pool *pool); /* NULL when out of memory */
void dorm__pool_give(dorm__pool *pool, void *item);
void dorm__pool_clear(dorm__pool *pool); /* frees all items, taken or not */

/* ---- text.c ------------------------------------------------------------- */

/* Reads a decimal number (no nan, no inf, no hex) from [text, end) and returns
 * the first character behind it, or NULL when there is none. Correctly
 * rounded; a value too large for double becomes infinite. Locale-free. */
const char *dorm__parse_double(const char *text, const char *end, double *value);
/* The whole text as a number, blanks around it allowed. */
bool dorm__text_to_double(const char *text, double *value);
enum { DORM__NUMBER_SIZE = 32 };
/* A decimal text of few digits that reads back as the same number; locale-free. */
const char *dorm__format_double(char buffer[DORM__NUMBER_SIZE], double value);
const char *dorm__format_float(char buffer[DORM__NUMBER_SIZE], float value);
/* The candidate nearest to `word` by edit distance, NULL when none is near. */
const char *dorm__nearest_word(const char *word, const char *const *candidates, size_t count);
/* Trims blanks in place; returns the first character that is none. */
char *dorm__trim(char *text);

/* ---- index_map.c -------------------------------------------------------- */

typedef struct dorm__index_map dorm__index_map;
dorm__index_map *dorm__index_map_new(void); /* NULL when out of memory */
void dorm__index_map_free(dorm__index_map *map);
bool dorm__index_map_add(dorm__index_map *map, uint64_t key, size_t index); /* false when out of memory */
/* Finds the entries of `key` one by one: *cursor starts at 0. */
bool dorm__index_map_find(const dorm__index_map *map, uint64_t key, size_t *cursor, size_t *index);
uint64_t dorm__hash_text(const char *text, size_t size);
/* FNV-1a (Fowler, Noll, Vo) of the bytes behind those that came to `hash`; the
 * first come behind DORM__HASH_START. */
#define DORM__HASH_START UINT64_C(0xcbf29ce484222325)
uint64_t dorm__hash_bytes(uint64_t hash, const void *bytes, size_t size);

/* ---- spec.c ------------------------------------------------------------- */

/* Something named with parameters (a loss, a measure, a kernel) as text: "name", "name:key=value,key=value", and
 * "name@10" for "name:truncation=10". The words point into `text`. */
typedef struct dorm__spec_pair {
  const char *key;
  const char *value;
} dorm__spec_pair;

typedef struct dorm__spec {
  char *text; /* owned, cut into words */
  const char *name;
  size_t num_pairs;
  dorm__spec_pair *pairs; /* owned */
} dorm__spec;

/* `what` ("loss", "measure", "kernel") names the thing in messages. */
dorm_status dorm__spec_parse(dorm_context *context, const char *what, const char *text, dorm__spec *spec);
void dorm__spec_free(dorm__spec *spec);
/* Checks the pairs against the rows and fills values[num_rows] with what was
 * given or the default; the texts live as long as `spec` and the rows. */
dorm_status dorm__spec_values(dorm_context *context, const char *what, const dorm__spec *spec, size_t num_rows,
                              const dorm_loss_parameter *rows, dorm_loss_value *values);
/* Checks the text of one value against its row. */
dorm_status dorm__spec_check(dorm_context *context, const char *what, const char *name, const dorm_loss_parameter *row,
                             const char *text, dorm_loss_value *value);
/* "name:key=value,..." with every row spelled out; NULL when out of memory,
 * freed by dorm__free. */
char *dorm__spec_text(const char *name, size_t num_rows, const dorm_loss_parameter *rows,
                      const dorm_loss_value *values);
/* The row of a key, num_rows when there is none. */
size_t dorm__spec_row(size_t num_rows, const dorm_loss_parameter *rows, const char *key);

/* ---- module.c: the only door to dlopen ----------------------------------- */

typedef struct dorm__module dorm__module; /* a shared object */
typedef void (*dorm__module_function)(void);

/* Loads a shared object from an explicit path and finds the function `entry`
 * in it; `what` ("loss") names what it should hold. DORM_BAD_MODULE,
 * "path: why", otherwise. */
dorm_status dorm__module_open(dorm_context *context, const char *path, const char *what, const char *entry,
                              dorm__module **module, dorm__module_function *function);
void dorm__module_close(dorm__module *module);
/* What all structs of modules begin with. The interface is checked first: where
 * it differs, nothing else has a known place. */
dorm_status dorm__module_check_interface(dorm_context *context, const char *path, uint32_t abi, uint32_t struct_size,
                                         size_t needed);
dorm_status dorm__module_check_head(dorm_context *context, const char *path, const char *what, const char *name,
                                    const char *help, size_t num_parameters, const dorm_loss_parameter *parameters);

/* The host's side of a call into a module: what the module says by host->fail
 * is in `message`. */
typedef struct dorm__host_call {
  dorm_host host;     /* first, so that the host's address is the call's */
  dorm_status status; /* DORM_OK but for dorm__host_pass */
  char message[DORM__MESSAGE_SIZE / 2];
} dorm__host_call;
void dorm__host_call_start(dorm__host_call *call);
/* What a failed call came to: `fault`, or DORM_OUT_OF_MEMORY where the module said so. */
dorm_status dorm__host_call_status(const dorm__host_call *call, dorm_status fault);
/* host->fail for what is built in: with the message of a context, and its status
 * in place of `fault` where the host is this library's. Returns 1. */
int dorm__host_pass(const dorm_host *host, const dorm_context *context, dorm_status status);

/* ---- id_ranges.c -------------------------------------------------------- */

typedef struct dorm__id_range {
  size_t first;
  size_t last;
} dorm__id_range;

/* A set of feature ids. */
typedef struct dorm__id_ranges {
  size_t count;
  size_t capacity;
  dorm__id_range *items;
} dorm__id_ranges;

/* "1-20, 33"; an empty text is the empty set. `what` names the text in messages. */
dorm_status dorm__id_ranges_parse(dorm_context *context, const char *what, const char *text, dorm__id_ranges *ranges);
void dorm__id_ranges_clear(dorm__id_ranges *ranges);
bool dorm__id_ranges_hold(const dorm__id_ranges *ranges, size_t id);

/* ---- file.c ------------------------------------------------------------- */

/* A file written whole or not at all: a temporary file beside it, renamed over
 * `path` by commit. "-" is standard output. */
typedef struct dorm__output dorm__output;
dorm_status dorm__output_open(dorm_context *context, const char *path, dorm__output **output);
void dorm__output_text(dorm__output *output, const char *format, ...) DORM__PRINTF(2, 3);
void dorm__output_bytes(dorm__output *output, const void *bytes, size_t size);
void dorm__output_number(dorm__output *output, double value); /* dorm__format_double */
void dorm__output_float(dorm__output *output, float value);
/* dorm__hash_bytes of all that is written between the two calls. */
void dorm__output_start_hash(dorm__output *output);
uint64_t dorm__output_hash(const dorm__output *output);
/* The whole of a file into memory; *bytes is freed by the caller. */
dorm_status dorm__read_whole(dorm_context *context, const char *path, char **bytes, size_t *size);
/* Ends the file and frees the handle, also on failure (the old file stays). */
dorm_status dorm__output_commit(dorm_context *context, dorm__output *output);
void dorm__output_abandon(dorm__output *output);

/* ---- sort.c ------------------------------------------------------------- */

typedef struct dorm__sort_scratch {
  uint64_t *pairs, *other_pairs; /* [max_docs] */
  uint32_t *words;               /* [max_docs] */
} dorm__sort_scratch;

/* False when out of memory; to be freed also then. */
bool dorm__sort_scratch_alloc(size_t max_docs, dorm__sort_scratch *scratch);
void dorm__sort_scratch_free(dorm__sort_scratch *scratch);

/* order [count] becomes the documents by falling key, ties by document order;
 * sorted [count] their keys. */
void dorm__sort_descending(size_t count, const double *key, uint32_t *order, double *sorted,
                           const dorm__sort_scratch *scratch);

enum { DORM__MOST_TOP_SORTED = 32 };
/* The same for the first `top` <= DORM__MOST_TOP_SORTED documents; the others
 * follow in document order. O(count top), and O(count) for keys in no
 * particular order. */
void dorm__sort_top(size_t count, size_t top, const double *key, uint32_t *order);

/* ---- random.c ----------------------------------------------------------- */

/* xoshiro256** (Blackman and Vigna 2018), seeded by splitmix64. */
typedef struct dorm__random {
  uint64_t state[4];
} dorm__random;
void dorm__random_seed(dorm__random *random, uint64_t seed);
uint64_t dorm__random_bits(dorm__random *random);
double dorm__random_uniform(dorm__random *random);                                /* [0, 1) */
double dorm__random_normal(dorm__random *random);                                 /* N(0, 1) */
size_t dorm__random_below(dorm__random *random, size_t bound);                    /* 0 .. bound - 1, bound > 0 */
void dorm__random_permutation(dorm__random *random, size_t count, size_t *items); /* of 0 .. count - 1 */

/* ---- settings.c, settings_table.c --------------------------------------- */

/* One name for each row of the table in settings_table.c, in its order. */
typedef enum dorm__setting {
  DORM__DATA_TRAIN,
  DORM__DATA_VALIDATION,
  DORM__DATA_NORMALISATION,
  DORM__DATA_RANK_BLOCK,
  DORM__DATA_FEATURES,
  DORM__DATA_STORAGE,
  DORM__DATA_CACHE,
  DORM__KERNEL_KERNEL,
  DORM__KERNEL_RANK,
  DORM__KERNEL_LANDMARKS,
  DORM__KERNEL_SEED,
  DORM__LOSS_NAME,
  DORM__LOSS_MODULE,
  DORM__LOSS_TRUNCATION,
  DORM__RANKING_POSITION_WEIGHTS,
  DORM__RANKING_REFERENCE,
  DORM__RANKING_ROUNDS,
  DORM__SOLVER_C,
  DORM__SOLVER_C_SCALE,
  DORM__SOLVER_GAP,
  DORM__SOLVER_MAX_ITERATIONS,
  DORM__SOLVER_ORACLE,
  DORM__SOLVER_ORACLE_CHECK,
  DORM__SOLVER_START,
  DORM__SOLVER_RIDGE,
  DORM__SOLVER_THREADS,
  DORM__SOLVER_SOLVER,
  DORM__SOLVER_WORKING_SET,
  DORM__SOLVER_TIME_LIMIT,
  DORM__SOLVER_WEIGHT_MIN,
  DORM__SOLVER_WEIGHT_MAX,
  DORM__SOLVER_BOUNDED,
  DORM__DIVERSITY_GROUPS,
  DORM__DIVERSITY_TOP,
  DORM__DIVERSITY_CAPACITY,
  DORM__DIVERSITY_ORACLE,
  DORM__DIVERSITY_TIME_LIMIT,
  DORM__DIVERSITY_OVERLAP,
  DORM__DIVERSITY_UNKNOWN,
  DORM__SELECTION_MEASURE,
  DORM__SELECTION_AVERAGE,
  DORM__SELECTION_START,
  DORM__SELECTION_RULE,
  DORM__SELECTION_FOLDS,
  DORM__SELECTION_SEED,
  DORM__SELECTION_RETRAIN,
  DORM__RATINGS_FILE,
  DORM__RATINGS_HELD_OUT,
  DORM__RATINGS_USERS,
  DORM__RATINGS_ITEMS,
  DORM__RATINGS_MINIMUM,
  DORM__RATINGS_MAXIMUM,
  DORM__RATINGS_DUPLICATES,
  DORM__RATINGS_SPLIT,
  DORM__RATINGS_LEAST_ITEM,
  DORM__RATINGS_LEAST_REST,
  DORM__RATINGS_SEED,
  DORM__RATINGS_FOLDS,
  DORM__RATINGS_REPEATS,
  DORM__RATINGS_FEATURES,
  DORM__RATINGS_RANK,
  DORM__RATINGS_USER_KERNEL,
  DORM__RATINGS_ITEM_KERNEL,
  DORM__RATINGS_WRITE,
  DORM__RATINGS_OUTPUT,
  DORM__FACTORIZATION_RANK,
  DORM__FACTORIZATION_SCALE,
  DORM__FACTORIZATION_PENALTY,
  DORM__FACTORIZATION_ROUNDS,
  DORM__OUTPUT_MODEL,
  DORM__OUTPUT_CHECKPOINT,
  DORM__OUTPUT_CHECKPOINT_MINUTES,
  DORM__OUTPUT_RESUME,
  DORM__NUM_SETTINGS
} dorm__setting;

extern const dorm_setting_info dorm__setting_table[DORM__NUM_SETTINGS];

const char *dorm__settings_text(const dorm_settings *settings, dorm__setting setting);
double dorm__settings_number(const dorm_settings *settings, dorm__setting setting);
size_t dorm__settings_integer(const dorm_settings *settings, dorm__setting setting);
/* The number of values of a list; 0 when the setting is "auto". */
size_t dorm__settings_count(const dorm_settings *settings, dorm__setting setting);
const char *dorm__settings_word_at(const dorm_settings *settings, dorm__setting setting, size_t index);
double dorm__settings_number_at(const dorm_settings *settings, dorm__setting setting, size_t index);
bool dorm__settings_is_auto(const dorm_settings *settings, dorm__setting setting);
/* "power:0.5" is the name "power" with the argument "0.5". True when `word`
 * starts with `name` and ends there or goes on with ':'; *argument is then
 * what follows the colon, or NULL. */
bool dorm__spec_is(const char *word, const char *name, const char **argument);
dorm_status dorm__settings_copy(dorm_context *context, const dorm_settings *settings, dorm_settings **copy);

/* ---- linalg.c: the only door to BLAS and LAPACK ------------------------- */

/* Solves the symmetric positive definite system matrix x = rhs by Cholesky:
 * matrix [size][size] is overwritten, rhs [size] becomes x. Returns false when
 * it is not positive definite. O(size^3). */
bool dorm__solve_positive_definite(size_t size, double *matrix, double *rhs);
/* The inverse of a symmetric positive definite matrix [size][size], of which
 * the upper triangle is read, in its place. False when it is not. O(size^3). */
bool dorm__invert_positive_definite(size_t size, double *matrix);
/* result[rows] = matrix[rows][columns] x[columns], row-major. */
void dorm__matrix_vector(size_t rows, size_t columns, const double *matrix, const double *x, double *result);
double dorm__dot(size_t size, const double *x, const double *y);
/* y += factor x */
void dorm__add_scaled(size_t size, double factor, const double *x, double *y);
/* Upper triangle of gram[columns][columns] += rows' rows for a block
 * rows[count][columns]. */
void dorm__add_gram(size_t count, size_t columns, const double *rows, double *gram);
void dorm__add_gram_float(size_t count, size_t columns, const float *rows, float *gram);
/* result[rows][columns] = factor x y' + keep result for x[rows][inner] and
 * y[columns][inner]; the strides are the distances of rows. */
void dorm__multiply_transposed(size_t rows, size_t columns, size_t inner, double factor, const double *x,
                               size_t x_stride, const double *y, size_t y_stride, double keep, double *result,
                               size_t result_stride);
/* Every row v of block[rows][size] becomes lower^-1 v; lower[size][size] is
 * lower triangular. O(rows size^2). */
void dorm__solve_rows_lower(size_t rows, size_t size, const double *lower, size_t lower_stride, double *block,
                            size_t block_stride);
/* x becomes lower'^-1 x. */
void dorm__solve_lower_transposed(size_t size, const double *lower, size_t stride, double *x);
/* Overwrites matrix[size][size], of which the lower triangle is read. O(size^3). */
bool dorm__is_positive_definite(size_t size, double *matrix);
/* The factor of a positive semi-definite matrix[size][size] by LAPACK's dpstrf:
 * row j of the lower triangle becomes the row of L that belongs to row
 * pivots[j]; columns from *rank on are not filled. Ends where the largest pivot
 * is at most `tolerance`. DORM_NUMERICAL_FAILURE for sizes that LAPACK cannot take. O(size^3). */
dorm_status dorm__pivoted_cholesky(dorm_context *context, size_t size, double *matrix, double tolerance, size_t *pivots,
                                   size_t *rank);

#endif
