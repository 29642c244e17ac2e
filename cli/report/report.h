/* report.h: what the files of `dorm report` share: the numbers of a report, and pieces of HTML. */
#ifndef DORM_CLI_REPORT_REPORT_H
#define DORM_CLI_REPORT_REPORT_H

#include "cli/cli.h"

/* A model on a data file. */
typedef struct report_data {
  cli_data summary; /* of the file (owned, as `dataset` is) */
  dorm_dataset *dataset;
  double *scores;   /* [num_docs] */
  double *values;   /* [num_queries] of the measure, NaN for skipped queries */
  double *others;   /* [num_queries] of the other model, or NULL */
  const char *note; /* "" or the part that the file had in training */
  dorm_evaluation evaluation, chance, other;
  dorm_comparison comparison; /* of the model and the other one */
} report_data;

/* A feature that the model uses. */
typedef struct report_feature {
  size_t column; /* of the first data file */
  size_t id;
  double loss; /* of the measure when the feature is shuffled */
} report_feature;

enum { REPORT_EFFECTS = 5, REPORT_GRID = 12 };

/* How scores change with the value of a feature. */
typedef struct report_effect {
  size_t count;
  double values[REPORT_GRID], changes[REPORT_GRID];
} report_effect;

typedef struct report {
  dorm_context *context;
  const dorm_model *model, *other;
  const cli_report_options *asked;
  const dorm_training *training; /* or NULL if the model was read */
  const char *measure;
  char **names; /* [features of the model] */
  size_t num_data;
  report_data *data;
  size_t num_shuffled; /* queries whose documents are shuffled */
  size_t num_features;
  report_feature *features; /* [num_features] of the first data file, by falling loss */
  report_effect effects[REPORT_EFFECTS];
} report;

/* ---- effects.c */

/* Fills the features and effects from the first data file. */
void report_find_effects(report *made);

/* ---- sections.c: each function writes a section without its heading, report.c lists them */

void report_put_values(FILE *file, const report *made);
void report_put_candidates(FILE *file, const report *made);
void report_put_features(FILE *file, const report *made);
void report_put_queries(FILE *file, const report *made);
void report_put_rival(FILE *file, const report *made);
void report_put_data(FILE *file, const report *made);

/* ---- chart.c */

/* Prints as fprintf does. Characters of arguments that have a meaning in HTML or for a terminal are escaped. */
void report_put(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

typedef struct report_axis {
  const char *title;
  double least, most; /* widened by report_include, empty if least > most */
} report_axis;

/* An empty axis. */
report_axis report_axis_of(const char *title);
/* Widens an axis to include the finite values. */
void report_include(report_axis *axis, size_t count, const double *values);

/* A chart whose axes are known. */
typedef struct report_chart {
  FILE *file;
  report_axis x, y;
} report_chart;

/* Opens a chart, with ticks and titles for its axes. report_end closes it. */
void report_begin(report_chart *chart);
/* Draws a line with a tooltip. `kind` is a class, as for points. */
void report_line(const report_chart *chart, size_t count, const double *x, const double *y, const char *kind,
                 const char *text);
/* Draws a point with a tooltip. `kind` is a class of the page's styles. */
void report_point(const report_chart *chart, double x, double y, const char *kind, const char *text);
void report_end(const report_chart *chart);

/* Writes a row of a table of bars: a label, a bar from 0 to `value` out of `most`, the value as text, and its error. */
void report_bar(FILE *file, const char *label, double value, double error, double most, bool is_main);

#endif
