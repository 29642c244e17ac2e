/* stream.c: `dorm train --stream`: one line of standard output per report. */
#include "cli/cli.h"

#include <stdio.h>

/* What a report is printed with. */
typedef struct stream_printer {
  cli_progress *progress;
  bool has_header;
  bool has_begun; /* the first report has come */
} stream_printer;

static void print_header(void)
{
  cli_print(stdout,
            "progressive: mean over all queries so far, each ranked before it was learned from; recent: over the "
            "queries since the line before\n"
            "%10s %11s %8s %9s %8s %9s\n",
            "queries", "progressive", "+-", "recent", "+-", "seconds");
}

static void print_report(void *user, const dorm_stream_report *report)
{
  stream_printer *printer = user;
  if (printer->progress->json)
    printer->progress->is_whole = cli_write_stream_json(printer->progress->json, report) && printer->progress->is_whole;
  bool is_first = !printer->has_begun;
  printer->has_begun = true;
  if (is_first && report->num_resumed) {
    printf("goes on after %zu queries (%zu lines)\n", report->num_queries, report->num_lines);
    fflush(stdout);
    return;
  }
  if (!printer->has_header)
    print_header();
  printer->has_header = true;
  printf("%10zu %11.4f %8.4f %9.4f %8.4f %9.1f\n", report->num_queries, report->progressive, report->progressive_error,
         report->recent, report->recent_error, report->seconds);
  fflush(stdout);
}

dorm_status cli_train_stream(dorm_context *context, const dorm_settings *settings, cli_progress *progress,
                             dorm_model **model)
{
  stream_printer printer = {.progress = progress};
  dorm_status status = dorm_train_stream(context, settings, print_report, &printer, model);
  if (status != DORM_OK)
    cli_failure(context, status);
  else
    cli_print(stdout, "model written to %s\n", dorm_settings_get(settings, "output.model"));
  return status;
}
