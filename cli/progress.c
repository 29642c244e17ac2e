/*
 * progress.c: the progress of training on standard error: on a terminal one line that is kept up to date, otherwise one
 * line for each candidate, nothing with --quiet. Warnings are always printed.
 */
#include "cli/cli.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static const char clear_line[] = "\r\033[K";

dorm_status cli_progress_start(cli_progress *progress, bool is_quiet, const char *log_path)
{
  *progress = (cli_progress){
      .is_quiet = is_quiet, .is_terminal = isatty(STDERR_FILENO) != 0, .best = -INFINITY, .is_whole = true};
  if (!log_path)
    return DORM_OK;
  progress->json = fopen(log_path, "w");
  if (progress->json)
    return DORM_OK;
  fprintf(stderr, "dorm: %s: cannot write: %s\n", log_path, strerror(errno));
  return DORM_IO_ERROR;
}

static void print_text(const cli_progress *progress, const dorm_event *event)
{
  bool is_warning = event->kind == DORM_EVENT_WARNING;
  if (is_warning || !progress->is_quiet)
    fprintf(stderr, "%sdorm: %s%s\n", progress->is_terminal ? clear_line : "", is_warning ? "warning: " : "",
            event->text);
}

static void print_candidate(const cli_progress *progress, const dorm_event *event)
{
  const dorm_candidate *candidate = event->candidate;
  const dorm_certificate *certificate = &candidate->certificate;
  fprintf(stderr, "%s[%zu/%zu] ", progress->is_terminal ? clear_line : "",
          event->num_done + (event->kind == DORM_EVENT_ITERATION), event->num_candidates);
  if (candidate->round)
    fprintf(stderr, "%s C=%g round %zu: pass %zu primal %.5g dual %.5g gap %.2g columns %zu", candidate->reference,
            candidate->C, candidate->round, certificate->iterations, certificate->primal, certificate->dual,
            certificate->gap, certificate->num_columns);
  else
    fprintf(stderr, "start (ridge %g)", candidate->ridge);
  if (event->kind == DORM_EVENT_CANDIDATE && isfinite(candidate->validation))
    fprintf(stderr, " validation %.4f", candidate->validation);
  if (progress->is_terminal && isfinite(progress->best))
    fprintf(stderr, " best %.4f", progress->best);
  fputs(progress->is_terminal ? "" : "\n", stderr);
}

void cli_progress_event(void *user, const dorm_event *event)
{
  cli_progress *progress = user;
  if (progress->json)
    progress->is_whole = cli_write_json(progress->json, event) && progress->is_whole;
  if (!event->candidate) {
    print_text(progress, event);
    return;
  }
  if (event->kind == DORM_EVENT_CANDIDATE && event->candidate->validation > progress->best)
    progress->best = event->candidate->validation;
  if (!progress->is_quiet && (progress->is_terminal || event->kind == DORM_EVENT_CANDIDATE))
    print_candidate(progress, event);
}

bool cli_progress_end(cli_progress *progress)
{
  if (progress->is_terminal && !progress->is_quiet)
    fputs(clear_line, stderr);
  if (!progress->json)
    return true;
  bool is_whole = progress->is_whole && !ferror(progress->json);
  return fclose(progress->json) == 0 && is_whole;
}
