/* base.h: status and messages, memory, and numbers and words as text. All other files include it. Each other header of
 * this folder is one tool. Nothing here depends on ranking. */
#ifndef DORM_BASE_BASE_H
#define DORM_BASE_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "dorm/dorm.h"

#define DORM__PRINTF(format_at, first_at) __attribute__((format(printf, format_at, first_at)))

/* The largest integer that is accepted as a count. It is exact as a double and fits into a size_t, also of 32 bits. */
#define DORM__LARGEST_COUNT (SIZE_MAX > UINT32_MAX ? 1e15 : (double)UINT32_MAX)

/* Compiles a function for wider vectors as well. The loader chooses the version when the library is loaded. The results
 * are equal to the last bit, because AVX2 alone fuses no products into sums. Sanitizers are excluded because they are
 * not ready when the version is chosen. Only for static functions: clang 14 gives other functions a name that no other
 * file calls. */
#if defined(__has_feature)
#define DORM__HAS_FEATURE(feature) __has_feature(feature)
#else
#define DORM__HAS_FEATURE(feature) 0
#endif
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__has_attribute)
#if __has_attribute(target_clones) && !defined(__SANITIZE_ADDRESS__) && !DORM__HAS_FEATURE(address_sanitizer) &&       \
    !DORM__HAS_FEATURE(thread_sanitizer) /* the version is chosen before they are set up */
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
  struct dorm__kept *kept;      /* status.h */
  struct dorm__lock *locks;     /* of outputs (file.h) */
  bool guards_inputs;           /* refuses outputs that would replace an input (file.h) */
  struct dorm__input *inputs;   /* files that were read */
  dorm_processes processes;     /* processes.h, of size 0 or 1 if this process is alone */
  bool processes_agree;         /* all processes know how the current call ends */
  dorm_status processes_failed; /* of an earlier call, returned by all later ones, or DORM_OK */
  bool is_stopping;             /* all processes have agreed to stop */
};

/* Sets the context's message and returns `status`. */
dorm_status dorm__fail(dorm_context *context, dorm_status status, const char *format, ...) DORM__PRINTF(3, 4);
/* Adds to the message of a failure in an inner function. The new message ends with the old one, as in "train.txt: query
 * 17: the scores left the range of numbers". Returns `status`. */
dorm_status dorm__fail_within(dorm_context *context, dorm_status status, const char *format, ...) DORM__PRINTF(3, 4);
/* Fails with "out of memory for <what>". */
dorm_status dorm__out_of_memory(dorm_context *context, const char *what);
/* Makes at most eight calls in turn, up to the first that fails. Returns the status of the last call made. */
#define DORM__ALL(...)                                   DORM__ALL_OF(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1)(__VA_ARGS__)
#define DORM__ALL_OF(a, b, c, d, e, f, g, h, count, ...) DORM__ALL_##count
#define DORM__ALL_1(call)                                (call)
#define DORM__ALL_2(call, ...)                           ((call) ?: DORM__ALL_1(__VA_ARGS__))
#define DORM__ALL_3(call, ...)                           ((call) ?: DORM__ALL_2(__VA_ARGS__))
#define DORM__ALL_4(call, ...)                           ((call) ?: DORM__ALL_3(__VA_ARGS__))
#define DORM__ALL_5(call, ...)                           ((call) ?: DORM__ALL_4(__VA_ARGS__))
#define DORM__ALL_6(call, ...)                           ((call) ?: DORM__ALL_5(__VA_ARGS__))
#define DORM__ALL_7(call, ...)                           ((call) ?: DORM__ALL_6(__VA_ARGS__))
#define DORM__ALL_8(call, ...)                           ((call) ?: DORM__ALL_7(__VA_ARGS__))
/* Stores `made` at *place if `call` succeeds, otherwise releases it. Returns the status of the call. */
#define DORM__GIVE(call, place, made, release)                                                                         \
  __extension__({                                                                                                      \
    dorm_status given_status = (call);                                                                                 \
    if (given_status == DORM_OK)                                                                                       \
      *(place) = (made);                                                                                               \
    else                                                                                                               \
      release(made);                                                                                                   \
    given_status;                                                                                                      \
  })
/* An argument of a public function: an input, or the address of a result, which is a pointer. */
typedef struct dorm__argument {
  const char *name;
  const void *given;
  void *result;
} dorm__argument;
#define DORM__GIVEN(name)                                                                                              \
  {                                                                                                                    \
#name, (name), NULL                                                                                                \
  }
#define DORM__GIVEN_IF(condition, name)                                                                                \
  {                                                                                                                    \
#name, (condition) ? (const void *)(name) : #name, NULL                                                            \
  }
#define DORM__RESULT(name)                                                                                             \
  {                                                                                                                    \
#name, NULL, (name)                                                                                                \
  }
/* Whether the context or an argument is NULL. If so, the context's message names it, and the caller returns
 * DORM_BAD_USAGE. Results are set to NULL in any case. */
#define DORM__LACKS(context, ...)                                                                                      \
  dorm__lacks((context), __func__, sizeof((dorm__argument[]){__VA_ARGS__}) / sizeof(dorm__argument),                   \
              (dorm__argument[]){__VA_ARGS__})
bool dorm__lacks(dorm_context *context, const char *function, size_t count, const dorm__argument *arguments);
void dorm__log(const dorm_context *context, const dorm_event *event);
/* Logs a text. A step is the current computation and its progress, as in "Gram matrix: 40 %". */
void dorm__tell(const dorm_context *context, dorm_event_kind kind, const char *format, ...) DORM__PRINTF(3, 4);
#define dorm__note(context, ...)   dorm__tell(context, DORM_EVENT_NOTE, __VA_ARGS__)
#define dorm__detail(context, ...) dorm__tell(context, DORM_EVENT_DETAIL, __VA_ARGS__)
#define dorm__step(context, ...)   dorm__tell(context, DORM_EVENT_STEP, __VA_ARGS__)
#define dorm__warn(context, ...)   dorm__tell(context, DORM_EVENT_WARNING, __VA_ARGS__)
/* Whether the work must stop. With several processes, whether they have agreed to stop (processes.h). */
bool dorm__cancelled(const dorm_context *context);
/* Whether the program cancels this process alone. */
bool dorm__cancelled_here(const dorm_context *context);
/* Seconds on a monotonic clock. */
double dorm__seconds(void);

/* ---- memory.c ----------------------------------------------------------- */

/* Allocates count * size bytes. Returns NULL if the product overflows or memory is out. A size of 0 gives a pointer
 * that can be freed. No other file calls malloc. */
void *dorm__alloc(size_t count, size_t size);
void *dorm__alloc_zero(size_t count, size_t size);
/* Returns NULL when out of memory. The old block then stays unchanged. */
void *dorm__realloc(void *block, size_t count, size_t size);
/* Returns memory to the system. Returns the larger block if that fails. */
void *dorm__shrink(void *block, size_t count, size_t size);
void dorm__free(void *block);
/* Calls a function with the address of the variable when its scope ends. */
#define DORM__AT_END(function) __attribute__((cleanup(function)))
/* Frees the block of a pointer when its scope ends. */
#define DORM__FREED DORM__AT_END(dorm__free_variable)
void dorm__free_variable(void *pointer);
/* Releases a pointer to an owned type at the end of its scope, as in DORM__OWNED(dorm_dataset) *dataset = NULL. */
#define DORM__OWNED(type) DORM__AT_END(type##_at_end) type
#define DORM__OWNER(type, release)                                                                                     \
  static inline void type##_at_end(type **owned)                                                                       \
  {                                                                                                                    \
    release(*owned);                                                                                                   \
  }
DORM__OWNER(dorm_context, dorm_context_free)
char *dorm__copy_text(const char *text);
/* Returns one text after the other. The caller frees it. NULL when out of memory. */
char *dorm__join_texts(const char *one, const char *other);
/* Makes room for `needed` items by doubling. *items and *capacity change only on success. Then *items is not NULL, even
 * for 0 items. */
bool dorm__grow(void **items, size_t *capacity, size_t needed, size_t size);
#define DORM__GROW(items, capacity, needed) dorm__grow((void **)&(items), &(capacity), (needed), sizeof *(items))

/* Prefetches bytes into the cache while other work continues. */
static inline void dorm__fetch(const void *memory, size_t bytes)
{
  enum { LINE = 64, TO_SECOND_LEVEL = 2 };
  for (size_t i = 0; i < bytes; i += LINE)
    __builtin_prefetch((const char *)memory + i, 0, TO_SECOND_LEVEL);
}

/* ---- text.c ------------------------------------------------------------- */

/* Reads a decimal number (no nan, no inf, no hexadecimal) from [text, end). Returns the first character after it, or
 * NULL if there is no number. The value is rounded correctly, and becomes infinite if it is too large. Independent of
 * the locale. */
const char *dorm__parse_double(const char *text, const char *end, double *value);
/* Reads the whole text as a number. Blanks around it are allowed. */
bool dorm__text_to_double(const char *text, double *value);
enum { DORM__NUMBER_SIZE = 32 };
/* Writes a short decimal text that reads back as the same number. Independent of the locale. */
const char *dorm__format_double(char buffer[DORM__NUMBER_SIZE], double value);
const char *dorm__format_float(char buffer[DORM__NUMBER_SIZE], float value);
/* The same text, until the end of the block. */
#define DORM__NUMBER(value) dorm__format_double((char[DORM__NUMBER_SIZE]){0}, value)
#define DORM__FLOAT(value)  dorm__format_float((char[DORM__NUMBER_SIZE]){0}, value)
/* Compares two words without regard to ASCII case. Independent of the locale. */
bool dorm__equal_words(const char *x, const char *y);
/* The candidate nearest to `word` by edit distance, ignoring case, or NULL if none is near. */
const char *dorm__nearest_word(const char *word, const char *const *candidates, size_t count);
/* Fails with "unknown WHAT 'WORD'". If a candidate is near, the message asks whether it was meant. */
dorm_status dorm__fail_unknown(dorm_context *context, const char *what, const char *word, const char *const *candidates,
                               size_t count);
/* Cuts blanks at the end, in place. Returns the first character that is not a blank. */
char *dorm__trim(char *text);

#endif
