/* progress.c: prints the progress of training on standard error. A terminal gets one line that is kept up to date and
 * fits its width. Other outputs get a line at most every ten seconds, or with --verbose a line for each candidate.
 * Warnings are always printed, progress not with --quiet. */
#include "cli/cli.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LINE_SIZE = 400 };
static const char clear_line[] = "\r\033[K";
static const double seconds_between_lines = 10; /* for steps, without a terminal */

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

dorm_status cli_progress_start(cli_progress *progress, cli_loudness loudness, const char *log_path, bool appends)
{
  *progress = (cli_progress){.is_quiet = loudness == CLI_QUIET,
                             .is_verbose = loudness == CLI_VERBOSE,
                             .is_terminal = isatty(STDERR_FILENO) != 0,
                             .best = -INFINITY,
                             .started = now(),
                             .printed = now(),
                             .is_whole = true};
  if (!log_path)
    return DORM_OK;
  progress->json = fopen(log_path, appends ? "a" : "w");
  if (progress->json)
    return DORM_OK;
  cli_print(stderr, "dorm: %s: cannot write: %s\n", log_path, strerror(errno));
  return DORM_IO_ERROR;
}

/* A line that is assembled piece by piece. Pieces that do not fit are left out, because half a number would mislead. */
typedef struct progress_line {
  char text[LINE_SIZE];
  size_t size, width;
} progress_line;

static progress_line empty_line(const cli_progress *progress)
{
  size_t width = progress->is_terminal ? cli_terminal_width() : LINE_SIZE;
  return (progress_line){.text = "", .width = width < LINE_SIZE ? width : LINE_SIZE};
}

static void add(progress_line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(progress_line *line, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  int size = vsnprintf(line->text + line->size, sizeof line->text - line->size, format, arguments);
  va_end(arguments);
  bool fits = size >= 0 && line->size + (size_t)size < line->width; /* otherwise a terminal would wrap the line */
  line->size += fits ? (size_t)size : 0;
  line->text[line->size] = '\0';
}

/* "1:05", or "2:03:05" from one hour on. */
static void add_time(progress_line *line, double seconds)
{
  unsigned long long whole = seconds < 1e9 ? (unsigned long long)(seconds + 0.5) : 0;
  if (whole >= 3600)
    add(line, "%llu:%02llu:%02llu", whole / 3600, whole / 60 % 60, whole % 60);
  else
    add(line, "%llu:%02llu", whole / 60, whole % 60);
}

/* Adds "0:12, 1:40 left". The time left is estimated from the candidates so far. */
static void add_times(progress_line *line, const cli_progress *progress)
{
  double elapsed = now() - progress->started;
  add_time(line, elapsed);
  if (progress->num_done && progress->num_done < progress->num_candidates) {
    add(line, ", ");
    add_time(line, elapsed * (double)(progress->num_candidates - progress->num_done) / (double)progress->num_done);
    add(line, " left");
  }
}

/* "[3/34] 0:12, 1:40 left: ". */
static void add_start(progress_line *line, const cli_progress *progress, size_t number)
{
  if (progress->num_candidates)
    add(line, "[%zu/%zu] ", number, progress->num_candidates);
  add_times(line, progress);
  add(line, ": ");
}

static void print_line(cli_progress *progress, progress_line *line)
{
  progress->printed = now();
  if (!progress->is_terminal) {
    cli_print(stderr, "%s\n", line->text);
    return;
  }
  fputs(clear_line, stderr);
  cli_print(stderr, "%s", line->text);
}

/* Prints a detail, a note or a warning over the line of progress. */
static void print_text(const cli_progress *progress, const dorm_event *event)
{
  dorm_event note = *event;
  note.kind = event->kind == DORM_EVENT_WARNING ? DORM_EVENT_WARNING : DORM_EVENT_NOTE;
  if (note.kind == DORM_EVENT_NOTE && progress->is_quiet)
    return;
  fputs(progress->is_terminal ? clear_line : "", stderr);
  cli_print_note(NULL, &note);
}

/* "[####............] 51 of 82 candidates  0:07, 0:04 left  best 0.5150". */
static void print_bar(cli_progress *progress)
{
  progress_line line = empty_line(progress);
  char bar[] = "[................]";
  size_t room = sizeof bar - 3;
  size_t filled = progress->num_candidates ? room * progress->num_done / progress->num_candidates : 0;
  memset(bar + 1, '#', filled < room ? filled : room);
  add(&line, "%s %zu of %zu candidates  ", bar, progress->num_done, progress->num_candidates);
  add_times(&line, progress);
  if (isfinite(progress->best))
    add(&line, "  best %.4f", progress->best);
  print_line(progress, &line);
}

static void print_candidate(cli_progress *progress, const dorm_event *event)
{
  const dorm_candidate *candidate = event->candidate;
  const dorm_certificate *certificate = &candidate->certificate;
  progress_line line = empty_line(progress);
  add_start(&line, progress, event->num_done + (event->kind == DORM_EVENT_ITERATION));
  if (certificate->iterations)
    add(&line, "%s C=%g round %zu pass %zu", candidate->reference, candidate->C, candidate->round,
        certificate->iterations);
  else if (candidate->round)
    add(&line, "%s round %zu", candidate->reference, candidate->round);
  else
    add(&line, candidate->rho > 0 ? "start (rho %g)" : "start (ridge %g)",
        candidate->rho > 0 ? candidate->rho : candidate->ridge);
  if (certificate->iterations && !isnan(certificate->gap))
    add(&line, " gap %.0e", certificate->gap);
  if (!progress->is_terminal && isfinite(candidate->validation))
    add(&line, " value %.4f", candidate->validation);
  if (progress->is_terminal && isfinite(progress->best))
    add(&line, " best %.4f", progress->best);
  print_line(progress, &line);
}

/* Whether it is time for another line of progress. */
static bool is_due(const cli_progress *progress)
{
  return !progress->is_quiet && (progress->is_terminal || now() - progress->printed >= seconds_between_lines);
}

static void print_step(cli_progress *progress, const dorm_event *event)
{
  progress_line line = empty_line(progress);
  if (!is_due(progress))
    return;
  add_start(&line, progress, progress->num_done + 1);
  add(&line, "%.*s", (int)(line.width - line.size - 1), event->text);
  print_line(progress, &line);
}

/* Adds the value of a round to the curve of its candidate. The curve ends if memory runs out. */
static void keep_value(cli_progress *progress, const dorm_candidate *candidate)
{
  enum { MOST_ROUNDS = 100000 };
  size_t i = 0, round = candidate->round;
  if (!round || round > MOST_ROUNDS || candidate->certificate.iterations || !isfinite(candidate->validation))
    return;
  while (i < progress->num_curves && progress->curves[i].number != candidate->number)
    i++;
  if (i == CLI_MOST_CURVES)
    return;
  cli_curve *curve = &progress->curves[i];
  if (i == progress->num_curves) {
    curve->number = candidate->number;
    snprintf(curve->text, sizeof curve->text, "%s", candidate->reference);
    progress->num_curves++;
  }
  if (round > curve->capacity) {
    size_t capacity = 2 * round + 64;
    cli_curve_round *rounds = realloc(curve->rounds, capacity * sizeof *rounds);
    if (!rounds)
      return;
    curve->rounds = rounds;
    curve->capacity = capacity;
  }
  for (; curve->count < round; curve->count++)
    curve->rounds[curve->count] = (cli_curve_round){0, 0};
  curve->rounds[round - 1].sum += candidate->validation;
  curve->rounds[round - 1].folds++;
}

void cli_progress_free(cli_progress *progress)
{
  for (size_t i = 0; i < progress->num_curves; i++)
    free(progress->curves[i].rounds);
}

void cli_progress_event(void *user, const dorm_event *event)
{
  cli_progress *progress = user;
  if (progress->json)
    progress->is_whole = cli_write_json(progress->json, event) && progress->is_whole;
  if (event->kind == DORM_EVENT_STEP)
    print_step(progress, event);
  else if (!event->candidate && (event->kind != DORM_EVENT_DETAIL || progress->is_verbose))
    print_text(progress, event);
  if (!event->candidate)
    return;
  if (progress->keeps_curves && event->kind == DORM_EVENT_ITERATION)
    keep_value(progress, event->candidate);
  progress->num_done = event->num_done;
  progress->num_candidates = event->num_candidates;
  if (event->kind == DORM_EVENT_CANDIDATE && event->candidate->validation > progress->best)
    progress->best = event->candidate->validation;
  if (progress->is_verbose ? progress->is_terminal || event->kind == DORM_EVENT_CANDIDATE : is_due(progress))
    progress->is_verbose ? print_candidate(progress, event) : print_bar(progress);
}

void cli_progress_selection(cli_progress *progress, const dorm_training *training)
{
  if (progress->json)
    progress->is_whole = cli_write_selection_json(progress->json, training) && progress->is_whole;
}

void cli_progress_clear(const cli_progress *progress)
{
  if (progress->is_terminal && !progress->is_quiet)
    fputs(clear_line, stderr);
}

bool cli_progress_end(cli_progress *progress)
{
  cli_progress_clear(progress);
  if (!progress->json)
    return true;
  bool is_whole = progress->is_whole && !ferror(progress->json);
  return fclose(progress->json) == 0 && is_whole;
}
