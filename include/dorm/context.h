/* context.h: status codes, the context of calls, its messages, log and cancellation. */
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

/* The result of a call. The exit codes of the command are the same numbers. */
typedef enum dorm_status {
  DORM_OK = 0,
  DORM_STOPPED = 1,           /* stopped before the gap was reached; the output is the result so far */
  DORM_BAD_USAGE = 2,         /* bad argument, setting or configuration file */
  DORM_IO_ERROR = 3,          /* cannot read or write */
  DORM_BAD_DATA = 4,          /* bad data or model */
  DORM_NUMERICAL_FAILURE = 5, /* a number left its range or a factorisation failed */
  DORM_BAD_MODULE = 6,        /* a module was refused, or is missing */
  DORM_OUT_OF_MEMORY = 7
} dorm_status;

/* The version of this header. A program that may meet another library compares it with dorm_version. */
#define DORM_VERSION_MAJOR 0
#define DORM_VERSION_MINOR 1
#define DORM_VERSION_PATCH 0
/* As one number, 100 for 0.1.0, to compare in #if. */
#define DORM_VERSION_NUMBER (10000 * DORM_VERSION_MAJOR + 100 * DORM_VERSION_MINOR + DORM_VERSION_PATCH)

/* The version of the library, "0.1.0"; static. */
DORM_API const char *dorm_version(void);

/* 1 if this library was built with "glpk" or "openblas", 0 if not, and for another word or NULL. */
DORM_API int dorm_has(const char *what);

/* A few words for a status ("bad data"); static, never NULL. */
DORM_API const char *dorm_status_name(dorm_status status);

/* The one of candidates[count] that `word` is probably a mistyped form of, for messages of the kind "did you mean";
 * NULL if none is near. */
DORM_API const char *dorm_nearest_word(const char *word, size_t count, const char *const *candidates);

/* Copies a text so that a terminal only shows it: each byte of a control character (U+0000 to U+001F, U+007F to U+009F)
 * or of anything that is not UTF-8 becomes \x and two digits, as in \x1b. `shown` has room for 4 strlen(text) + 1
 * characters. Returns `shown`. Messages and the texts of events already have this form. */
DORM_API const char *dorm_printable(const char *text, char *shown);

/* Sets the number of threads of OpenBLAS, which is one number for the whole
 * process. A program whose training must repeat bit for bit calls this with 1
 * when it starts. It has no effect if libdorm was built on another BLAS. */
DORM_API void dorm_set_blas_threads(int num_threads);

/* Ends the threads that OpenBLAS starts when it is loaded, which then wait in a
 * loop for a tenth of a second; OpenBLAS starts threads anew where it needs them.
 * For a program that calls this when it starts, together with
 * dorm_set_blas_threads(1): no other thread may be in a call of OpenBLAS. OpenBLAS
 * also takes its first buffer, some 128 MB of address space. If the system refuses
 * it (ulimit -v), OpenBLAS asks again for ever. */
DORM_API void dorm_end_blas_threads(void);

/* ---- Context: messages, log, cancellation ---- */

typedef struct dorm_context dorm_context;
typedef struct dorm_event dorm_event;
typedef struct dorm_candidate dorm_candidate; /* training.h */

/* Makes a context, which the caller frees; NULL when out of memory. */
DORM_API dorm_context *dorm_context_new(void);
/* Frees a context and the texts that it owns. Data sets and models do not need the context that made them. */
DORM_API void dorm_context_free(dorm_context *context);

/* The sentence of the last failure, or "" if there was none. It is owned by the
 * context and valid until the next call that fails. */
DORM_API const char *dorm_context_message(const dorm_context *context);

/* Called between steps, only from the thread that called the library. The event is valid during the call. */
typedef void (*dorm_log_function)(void *user, const dorm_event *event);
/* Calls log(user, event) for each event of calls with this context; NULL ends that. */
DORM_API void dorm_context_set_log(dorm_context *context, dorm_log_function log, void *user);

/* Called often, only from the thread that called the library. If it returns a
 * value other than 0, the work stops cleanly (DORM_STOPPED). */
typedef int (*dorm_cancel_function)(void *user);
/* Asks cancel(user) during calls with this context; NULL ends that. */
DORM_API void dorm_context_set_cancel(dorm_context *context, dorm_cancel_function cancel, void *user);

/* ---- Output files ---- */

/* From now on a call with this context that would write over a regular file which the context has read, by whatever
 * name, is DORM_BAD_USAGE. Exceptions are the model of data.from and a checkpoint that is resumed. The command does
 * this.
 */
DORM_API void dorm_context_guard_inputs(dorm_context *context);
/* The same check, for a program that writes files itself. */
DORM_API dorm_status dorm_context_check_output(dorm_context *context, const char *path);

/* Keeps a file that a long computation will write to this context until it is freed or the process ends: meanwhile
 * every other context, of this process or another, gets DORM_IO_ERROR. The lock is a file PATH.dorm-lock; a killed
 * process may leave it, and the next call replaces it. Nothing for "-" and devices. dorm_train and dorm_train_stream
 * lock output.checkpoint themselves while they run. On a file system without flock(2) nothing is locked. */
DORM_API dorm_status dorm_context_lock_output(dorm_context *context, const char *path);

/* ---- Events ---- */

typedef enum dorm_event_kind {
  DORM_EVENT_NOTE,      /* `text` says what may be useful to know */
  DORM_EVENT_WARNING,   /* `text` says what is probably wrong */
  DORM_EVENT_ITERATION, /* an oracle pass, a round of boosting or an epoch was made for `candidate` */
  DORM_EVENT_CANDIDATE, /* `candidate` is finished */
  DORM_EVENT_STEP,      /* `text` says what is being computed, and how far that is, as in "Gram matrix: 40 %" */
  DORM_EVENT_DETAIL     /* `text` says how something was computed, for those who know the method */
} dorm_event_kind;

struct dorm_event {
  dorm_event_kind kind;
  const char *text;                /* for NOTE, WARNING and STEP; otherwise "" */
  const dorm_candidate *candidate; /* ITERATION: with its certificate so far; CANDIDATE: finished; otherwise NULL */
  size_t num_done;                 /* number of candidates finished, in all folds */
  size_t num_candidates;           /* number of candidates expected, in all folds */
  double seconds;                  /* since training began */
};

#ifdef __cplusplus
}
#endif

#endif
