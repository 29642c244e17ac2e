/* context.h: status codes, contexts with their messages, log and cancellation. */
#ifndef DORM_CONTEXT_H
#define DORM_CONTEXT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define DORM_API __attribute__((visibility("default")))
#else
#define DORM_API
#endif

/* The result of a call. The exit codes of the `dorm` command are the same numbers. */
typedef enum dorm_status {
  DORM_OK = 0,
  DORM_STOPPED = 1,           /* stopped before the gap was reached, with the result so far as output */
  DORM_BAD_USAGE = 2,         /* bad argument, setting or configuration file */
  DORM_IO_ERROR = 3,          /* cannot read or write */
  DORM_BAD_DATA = 4,          /* bad data or model */
  DORM_NUMERICAL_FAILURE = 5, /* a number out of range or a failed factorisation */
  DORM_BAD_MODULE = 6,        /* a module was refused, or is missing */
  DORM_OUT_OF_MEMORY = 7
} dorm_status;

/* The version of this header. A program that may be linked with another version of the library compares it with
 * dorm_version. */
#define DORM_VERSION_MAJOR 0
#define DORM_VERSION_MINOR 1
#define DORM_VERSION_PATCH 0
/* The version as one number, 100 for 0.1.0, to compare in #if. */
#define DORM_VERSION_NUMBER (10000 * DORM_VERSION_MAJOR + 100 * DORM_VERSION_MINOR + DORM_VERSION_PATCH)

/* Returns the version of the library, such as "0.1.0", as a static text. */
DORM_API const char *dorm_version(void);

/* Returns 1 if this library was built with `what` ("glpk" or "openblas"), 0 if not. Returns 0 for another word or
 * NULL. */
DORM_API int dorm_has(const char *what);

/* Returns a few words for a status, such as "bad data". The text is static, never NULL. */
DORM_API const char *dorm_status_name(dorm_status status);

/* Returns the one of candidates[count] that is nearest in spelling to `word`, for messages such as "did you mean".
 * Returns NULL if none is near. */
DORM_API const char *dorm_nearest_word(const char *word, size_t count, const char *const *candidates);

/* Makes a text safe to print on a terminal and returns `shown`. Each byte of a control character (U+0000 to U+001F,
 * U+007F to U+009F) or of invalid UTF-8 becomes \x and two digits, as in \x1b. `shown` has room for 4 strlen(text) + 1
 * characters. Messages and the texts of events already have this form. */
DORM_API const char *dorm_printable(const char *text, char *shown);

/* Sets the number of threads of OpenBLAS, which is one number for the whole process. If a training must repeat bit for
 * bit, call this with 1 when the program starts. It has no effect if libdorm was built with another BLAS. */
DORM_API void dorm_set_blas_threads(int num_threads);

/* Ends the threads that OpenBLAS starts when it is loaded, which busy-wait for a tenth of a second. OpenBLAS starts
 * them again when it needs them. Call this when the program starts, together with dorm_set_blas_threads(1). No other
 * thread may be in a call of OpenBLAS. OpenBLAS also takes its first buffer, some 128 MB of address space. If the
 * system refuses the buffer (ulimit -v), OpenBLAS asks again for ever. */
DORM_API void dorm_end_blas_threads(void);

/* ---- Context: messages, log, cancellation ---- */

typedef struct dorm_context dorm_context;
typedef struct dorm_event dorm_event;
typedef struct dorm_candidate dorm_candidate; /* training.h */

/* Makes a context. The caller frees it. Returns NULL when out of memory. */
DORM_API dorm_context *dorm_context_new(void);
/* Frees a context and the texts that it owns. Data sets and models outlive the context that made them. */
DORM_API void dorm_context_free(dorm_context *context);

/* Returns the message of the last failure, one sentence, or "" if there was none. The context owns it. It is valid
 * until the next call that fails. */
DORM_API const char *dorm_context_message(const dorm_context *context);

/* A log function. The library calls it between steps, only from the thread that called the library. The event is valid
 * during the call. */
typedef void (*dorm_log_function)(void *user, const dorm_event *event);
/* Sets the log: log(user, event) is called for each event of the calls with this context. NULL removes it. */
DORM_API void dorm_context_set_log(dorm_context *context, dorm_log_function log, void *user);

/* A cancel function. The library calls it often, only from the thread that called the library. If it returns a value
 * other than 0, the work stops cleanly (DORM_STOPPED). */
typedef int (*dorm_cancel_function)(void *user);
/* Sets the cancel function: cancel(user) is called during the calls with this context. NULL removes it. */
DORM_API void dorm_context_set_cancel(dorm_context *context, dorm_cancel_function cancel, void *user);

/* ---- Output files ---- */

/* Protects input files. From now on, a call with this context that would overwrite a regular file that the context has
 * read, by whatever name, returns DORM_BAD_USAGE. Exceptions are the model of data.from and a checkpoint that is
 * resumed. The `dorm` command does this. */
DORM_API void dorm_context_guard_inputs(dorm_context *context);
/* Makes the same check of `path`, for a program that writes files itself. */
DORM_API dorm_status dorm_context_check_output(dorm_context *context, const char *path);

/* Locks an output file for this context, for a long computation that will write it. The lock lasts until the context is
 * freed or the process ends. Meanwhile every other context, in this process or another, gets DORM_IO_ERROR. The lock is
 * a file PATH.dorm-lock. A killed process may leave it, and the next call replaces it. For "-" and devices the call
 * does nothing. dorm_train and dorm_train_stream lock output.checkpoint themselves while they run. On a file system
 * without flock(2) nothing is locked. */
DORM_API dorm_status dorm_context_lock_output(dorm_context *context, const char *path);

/* ---- Events ---- */

typedef enum dorm_event_kind {
  DORM_EVENT_NOTE,      /* `text` is a useful remark */
  DORM_EVENT_WARNING,   /* `text` is a probable mistake */
  DORM_EVENT_ITERATION, /* one oracle pass, round of boosting or epoch of `candidate` is done */
  DORM_EVENT_CANDIDATE, /* `candidate` is finished */
  DORM_EVENT_STEP,      /* `text` is the present step and its progress, as in "Gram matrix: 40 %" */
  DORM_EVENT_DETAIL     /* `text` is a detail of the method, for experts */
} dorm_event_kind;

struct dorm_event {
  dorm_event_kind kind;
  const char *text;                /* of NOTE, WARNING, STEP and DETAIL, otherwise "" */
  const dorm_candidate *candidate; /* of ITERATION (certificate so far) and CANDIDATE (finished), else NULL */
  size_t num_done;                 /* number of candidates finished, in all folds */
  size_t num_candidates;           /* number of candidates expected, in all folds */
  double seconds;                  /* since training began */
};

#ifdef __cplusplus
}
#endif

#endif
