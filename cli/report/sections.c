/* sections.c: the sections of a report, as HTML. */
#include "cli/report/report.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 10, MOST_BARS = 20, TEXT_SIZE = 200 };

/* The name of a measure without its conventions. */
static const char *short_measure(const report *made, char text[TEXT_SIZE])
{
  snprintf(text, TEXT_SIZE, "%.*s", cli_short_measure(made->measure), made->measure);
  return text;
}

static const char *name_of(const report *made, size_t id, char text[TEXT_SIZE])
{
  size_t other = 0;
  double value, rank;
  for (size_t i = 0; dorm_model_weight(made->model, i, &other, &value, &rank); i++)
    if (other == id) {
      snprintf(text, TEXT_SIZE, "%s", made->names[i]);
      return text;
    }
  snprintf(text, TEXT_SIZE, "feature_%zu, which the model does not know", id);
  return text;
}

/* ---- Value of the model -------------------------------------------------------------------- */

static void put_estimate(FILE *file, const report *made)
{
  static const char *const titles[] = {"chance", "best feature", "linear models"};
  char text[TEXT_SIZE];
  double error = NAN, estimate = dorm_training_estimate(made->training, &error);
  if (!isfinite(estimate))
    return;
  report_put(file,
             "<p>On new queries like the training queries, by %zu folds, corrected for choosing: %s <b>%.4f</b>, 95 %% "
             "interval %.4f to %.4f.</p><table class=all>",
             dorm_training_num_folds(made->training), short_measure(made, text), estimate, estimate - 1.96 * error,
             estimate + 1.96 * error);
  double most = estimate + 1.96 * error;
  for (int i = 0; i < 3; i++)
    most = fmax(most, dorm_training_baseline(made->training, (dorm_baseline)i, NULL));
  for (int i = 0; i < 3; i++) {
    double value = dorm_training_baseline(made->training, (dorm_baseline)i, NULL);
    if (isfinite(value))
      report_bar(file, titles[i], value, 0, most, false);
  }
  report_bar(file, "this model", estimate, 1.96 * error, most, true);
  fputs("</table><p class=soft>The line on a bar is its 95 % interval.</p>\n", file);
}

void report_put_values(FILE *file, const report *made)
{
  char text[TEXT_SIZE];
  if (made->training)
    put_estimate(file, made);
  for (size_t i = 0; i < made->num_data; i++) {
    const report_data *data = &made->data[i];
    double error = 1.96 * data->evaluation.standard_error, most = data->evaluation.mean + error;
    most = fmax(most, data->chance.mean);
    most = made->other ? fmax(most, data->other.mean + 1.96 * data->other.standard_error) : most;
    report_put(file, "<h3>%s</h3><p class=soft>%s on %zu %s%s%s</p><table class=all>", data->summary.path,
               short_measure(made, text), data->evaluation.num_queries,
               cli_plural(data->evaluation.num_queries, "query", "queries"), *data->note ? ": " : "", data->note);
    report_bar(file, "chance", data->chance.mean, 0, most, false);
    if (made->other)
      report_bar(file, made->asked->against, data->other.mean, 1.96 * data->other.standard_error, most, false);
    report_bar(file, "this model", data->evaluation.mean, error, most, true);
    fputs("</table>\n", file);
  }
  if (!made->num_data && !made->training)
    fputs("<p>Not measured: no data file was given.</p>\n", file);
}

/* ---- Data ------------------------------------------------------------------------------------- */

void report_put_data(FILE *file, const report *made)
{
  static const struct {
    const char *title;
    size_t offset;
  } counts[] = {{"queries", offsetof(cli_data, num_queries)},
                {"documents", offsetof(cli_data, num_docs)},
                {"documents of the longest query", offsetof(cli_data, most_docs)},
                {"queries without a relevant document", offsetof(cli_data, num_irrelevant)},
                {"queries whose labels are all equal", offsetof(cli_data, num_level)},
                {"features", offsetof(cli_data, num_features)}};
  fputs("<div class=wide><table><tr><th></th>", file);
  for (size_t i = 0; i < made->num_data; i++)
    report_put(file, "<th class=number>%s</th>", made->data[i].summary.path);
  fputs("</tr>", file);
  for (size_t row = 0; row < sizeof counts / sizeof *counts; row++) {
    fprintf(file, "<tr><td>%s</td>", counts[row].title);
    for (size_t i = 0; i < made->num_data; i++)
      fprintf(file, "<td class=number>%zu</td>",
              *(const size_t *)((const char *)&made->data[i].summary + counts[row].offset));
    fputs("</tr>", file);
  }
  fputs("</table></div>\n", file);
  for (size_t i = 0; i < made->num_data; i++) {
    const cli_data *data = &made->data[i].summary;
    size_t most = 1;
    for (size_t k = 0; k < data->num_labels; k++)
      most = data->label_counts[k] > most ? data->label_counts[k] : most;
    report_put(file, "<h3>Labels of %s</h3><table class=all>", data->path);
    for (size_t k = 0; k < data->num_labels && k < MOST_BARS; k++) {
      char label[32];
      snprintf(label, sizeof label, "%g", data->labels[k]);
      report_bar(file, label, (double)data->label_counts[k], 0, (double)most, false);
    }
    fputs("</table>\n", file);
    for (size_t k = 0; k < data->num_mistakes; k++)
      report_put(file, "<p>Likely mistake: %s</p>\n", data->mistakes[k]);
  }
}

/* ---- Candidates ----------------------------------------------------------------------------- */

static void describe(const dorm_candidate *candidate, char text[TEXT_SIZE])
{
  if (candidate->certificate.iterations)
    snprintf(text, TEXT_SIZE, "svm %s, C %g, round %zu", candidate->reference, candidate->C, candidate->round);
  else
    snprintf(text, TEXT_SIZE, "%s%s", candidate->round ? candidate->reference : "start",
             candidate->rank_block > 0 ? ", ranks" : "");
}

/* Numbers of a candidate, NaN if it has none. */
enum { NUMBER, VALUE, LOG_C, LOG_GAP, NUM_NUMBERS };
static void put_numbers(const dorm_candidate *candidate, double numbers[NUM_NUMBERS])
{
  bool is_certified = candidate->certificate.iterations > 0;
  numbers[NUMBER] = (double)candidate->number;
  numbers[VALUE] = candidate->validation;
  numbers[LOG_C] = is_certified ? log10(candidate->C) : NAN;
  numbers[LOG_GAP] = is_certified && candidate->certificate.gap > 0 ? log10(candidate->certificate.gap) : NAN;
}

/* Draws two numbers of the candidates against each other, with the model's candidates in its colour. Draws nothing if
 * no candidate has both numbers. */
static void put_candidates_chart(FILE *file, const report *made, int x, int y, const char *const titles[NUM_NUMBERS])
{
  size_t count = dorm_training_num_candidates(made->training), drawn = 0;
  report_chart chart = {file, report_axis_of(titles[x]), report_axis_of(titles[y])};
  for (int pass = 0; pass < 3; pass++) { /* the ranges, the other candidates, the model's candidates */
    for (size_t i = 0; i < count; i++) {
      char text[TEXT_SIZE];
      double numbers[NUM_NUMBERS];
      const dorm_candidate *candidate = dorm_training_candidate(made->training, i);
      put_numbers(candidate, numbers);
      if (!isfinite(numbers[x]) || !isfinite(numbers[y]) || (pass && candidate->is_selected != (pass == 2)))
        continue;
      drawn++;
      describe(candidate, text);
      if (pass)
        report_point(&chart, numbers[x], numbers[y], pass == 2 ? "main" : "bar", text);
      report_include(&chart.x, pass ? 0 : 1, &numbers[x]);
      report_include(&chart.y, pass ? 0 : 1, &numbers[y]);
    }
    if (drawn < 2)
      return;
    if (!pass)
      report_begin(&chart);
  }
  report_end(&chart);
}

static bool is_in_model(const dorm_training *training, size_t number)
{
  for (size_t i = 0; i < dorm_training_num_candidates(training); i++)
    if (dorm_training_candidate(training, i)->number == number)
      return dorm_training_candidate(training, i)->is_selected != 0;
  return false;
}

/* Draws the mean values of trees and nets by round, up to the last round that all folds completed. */
static void put_curves(FILE *file, const report *made, const char *measure)
{
  const cli_progress *progress = made->asked->progress;
  report_chart chart = {file, report_axis_of("round"), report_axis_of(measure)};
  for (int pass = 0; progress && progress->num_curves && pass < 2; pass++) { /* the ranges, then the lines */
    for (size_t i = 0; i < progress->num_curves; i++) {
      const cli_curve *curve = &progress->curves[i];
      double *numbers = cli_alloc(2 * curve->count, sizeof *numbers);
      size_t count = 0;
      for (; count < curve->count && curve->rounds[count].folds == curve->rounds[0].folds; count++) {
        numbers[count] = (double)count + 1;
        numbers[curve->count + count] = curve->rounds[count].sum / (double)curve->rounds[count].folds;
      }
      if (pass && count)
        report_line(&chart, count, numbers, numbers + curve->count,
                    is_in_model(made->training, curve->number) ? "line" : "line other", curve->text);
      report_include(&chart.x, pass ? 0 : count, numbers);
      report_include(&chart.y, pass ? 0 : count, numbers + curve->count);
      free(numbers);
    }
    if (!pass)
      report_begin(&chart);
  }
  if (progress && progress->num_curves)
    report_end(&chart);
}

void report_put_candidates(FILE *file, const report *made)
{
  char measure[TEXT_SIZE];
  const char *const titles[NUM_NUMBERS] = {"candidate, in the order of training", short_measure(made, measure),
                                           "log10 of C", "log10 of the gap"};
  fprintf(file,
          "<p>%zu candidates were trained; the model's are coloured. Values are %s; lines are trees and "
          "nets.</p><div class=charts>",
          dorm_training_num_candidates(made->training),
          dorm_training_num_folds(made->training) ? "means over held-out folds" : "those on the validation data");
  put_candidates_chart(file, made, NUMBER, VALUE, titles);
  put_curves(file, made, measure);
  put_candidates_chart(file, made, LOG_C, VALUE, titles);
  put_candidates_chart(file, made, LOG_C, LOG_GAP, titles);
  fputs("</div>\n", file);
}

/* ---- Features --------------------------------------------------------------------------------- */

static void put_effect(FILE *file, const report *made, size_t i)
{
  char name[TEXT_SIZE];
  const report_effect *effect = &made->effects[i];
  report_chart chart = {file, report_axis_of(name_of(made, made->features[i].id, name)),
                        report_axis_of("change of the score")};
  if (effect->count < 2)
    return;
  report_include(&chart.x, effect->count, effect->values);
  report_include(&chart.y, effect->count, effect->changes);
  report_begin(&chart);
  report_line(&chart, effect->count, effect->values, effect->changes, "line", name);
  for (size_t k = 0; k < effect->count; k++) {
    char text[TEXT_SIZE];
    snprintf(text, sizeof text, "%.4g: %+.4g", effect->values[k], effect->changes[k]);
    report_point(&chart, effect->values[k], effect->changes[k], "main", text);
  }
  report_end(&chart);
}

void report_put_features(FILE *file, const report *made)
{
  char text[TEXT_SIZE];
  report_put(file,
             "<p>How much %s falls when the values of one feature are shuffled among the documents of %zu %s of "
             "%s:</p><table class=all>",
             short_measure(made, text), made->num_shuffled, cli_plural(made->num_shuffled, "query", "queries"),
             made->data->summary.path);
  for (size_t i = 0; i < made->num_features && i < MOST_BARS; i++)
    report_bar(file, name_of(made, made->features[i].id, text), made->features[i].loss, 0, made->features->loss,
               i < REPORT_EFFECTS);
  fputs("</table>\n", file);
  if (made->num_features > MOST_BARS)
    fprintf(file, "<p class=soft>%zu features with smaller losses are left out.</p>", made->num_features - MOST_BARS);
  fputs("<p>How the score of a document changes, on average, when this feature alone takes another value:</p><div "
        "class=charts>",
        file);
  for (size_t i = 0; i < REPORT_EFFECTS && i < made->num_features; i++)
    put_effect(file, made, i);
  fputs("</div>\n", file);
}

/* ---- Queries ----------------------------------------------------------------------------------- */

typedef struct query_value {
  size_t query;
  double value;
} query_value;

static int compare_values(const void *x, const void *y)
{
  const query_value *one = x, *two = y;
  if (one->value != two->value)
    return one->value < two->value ? -1 : 1;
  return (one->query > two->query) - (one->query < two->query);
}

/* Returns the queries that count, by increasing values (minus the values of `minus` unless it is NULL). The caller
 * frees them. */
static query_value *sort_queries(const report_data *data, const double *minus, size_t *count)
{
  query_value *sorted = cli_alloc(data->summary.num_queries, sizeof *sorted);
  *count = 0;
  for (size_t q = 0; q < data->summary.num_queries; q++) {
    double value = data->values[q] - (minus ? minus[q] : 0);
    if (isfinite(value))
      sorted[(*count)++] = (query_value){q, value};
  }
  qsort(sorted, *count, sizeof *sorted, compare_values);
  return sorted;
}

/* Draws the values against the share of the queries. */
static void put_sorted(FILE *file, const char *title, size_t count, const query_value *sorted)
{
  enum { POINTS = 200 };
  double x[POINTS], y[POINTS];
  size_t points = count < POINTS ? count : POINTS;
  report_chart chart = {file, report_axis_of("% of the queries"), report_axis_of(title)};
  if (count < 2)
    return;
  for (size_t i = 0; i < points; i++) {
    size_t at = i * (count - 1) / (points - 1);
    x[i] = 100 * ((double)at + 0.5) / (double)count;
    y[i] = sorted[at].value;
  }
  report_include(&chart.x, 2, (double[]){0, 100});
  report_include(&chart.y, points, y);
  fputs("<div class=charts>", file);
  report_begin(&chart);
  report_line(&chart, points, x, y, "line", title);
  report_end(&chart);
  fputs("</div>\n", file);
}

/* Prints the labels of the first documents of a query, in the order of their scores. */
static void put_labels(FILE *file, const report_data *data, size_t q)
{
  size_t start = dorm_dataset_query_start(data->dataset, q), end = dorm_dataset_query_start(data->dataset, q + 1);
  double last_score = INFINITY;
  size_t last = 0;
  for (size_t rank = 0; rank < MOST_ROWS && rank < end - start; rank++) {
    size_t best = SIZE_MAX;
    for (size_t j = start; j < end; j++) {
      bool is_after = data->scores[j] < last_score || (data->scores[j] == last_score && rank && j > last);
      if (is_after && (best == SIZE_MAX || data->scores[j] > data->scores[best]))
        best = j;
    }
    if (best == SIZE_MAX)
      return;
    fprintf(file, "%s%g", rank ? " " : "", dorm_dataset_label(data->dataset, best));
    last_score = data->scores[best];
    last = best;
  }
}

static void put_query(FILE *file, const report_data *data, const query_value *one)
{
  size_t start = dorm_dataset_query_start(data->dataset, one->query);
  size_t end = dorm_dataset_query_start(data->dataset, one->query + 1), relevant = 0;
  for (size_t j = start; j < end; j++)
    relevant += dorm_dataset_label(data->dataset, j) > 0;
  report_put(file, "<tr><td>%s<td class=number>%.4f<td class=number>%zu<td class=number>%zu<td>",
             dorm_dataset_query_id(data->dataset, one->query), one->value, end - start, relevant);
  put_labels(file, data, one->query);
  fputs("</tr>\n", file);
}

/* Prints a table of the first queries with a relevant document. */
static void put_query_table(FILE *file, const report *made, const char *title, size_t count, const query_value *sorted)
{
  const report_data *data = made->data;
  size_t rows = 0;
  fprintf(file,
          "<div class=wide><table><tr><th>query<th class=number>%s<th class=number>documents<th class=number>relevant"
          "<th>labels as ranked</tr>\n",
          title);
  for (size_t i = 0; i < count && rows < MOST_ROWS; i++) {
    bool is_relevant = false;
    size_t end = dorm_dataset_query_start(data->dataset, sorted[i].query + 1);
    for (size_t j = dorm_dataset_query_start(data->dataset, sorted[i].query); j < end; j++)
      is_relevant = is_relevant || dorm_dataset_label(data->dataset, j) > 0;
    if (is_relevant)
      put_query(file, data, &sorted[i]);
    rows += is_relevant;
  }
  fputs("</table></div>\n", file);
}

void report_put_queries(FILE *file, const report *made)
{
  char measure[TEXT_SIZE];
  size_t count;
  query_value *sorted = sort_queries(made->data, NULL, &count);
  report_put(file,
             "<p>The queries of %s, from the lowest to the highest value, and the ten lowest of those with a relevant "
             "document:</p>",
             made->data->summary.path);
  put_sorted(file, short_measure(made, measure), count, sorted);
  put_query_table(file, made, "value", count, sorted);
  free(sorted);
}

void report_put_rival(FILE *file, const report *made)
{
  size_t count, losses = 0, wins = 0;
  query_value *sorted = sort_queries(made->data, made->data->others, &count);
  for (size_t i = 0; i < count; i++) {
    losses += sorted[i].value < 0;
    wins += sorted[i].value > 0;
  }
  const dorm_comparison *comparison = &made->data->comparison;
  report_put(file,
             "<p>This model less %s: <b>%+.4f &plusmn; %.4f</b>, p = %.3g by randomisation. It is better for %zu "
             "queries, worse for %zu, and equal for %zu. The ten largest losses:</p>",
             made->asked->against, comparison->difference, comparison->standard_error, comparison->randomisation, wins,
             losses, count - wins - losses);
  put_sorted(file, "difference", count, sorted);
  put_query_table(file, made, "difference", losses, sorted);
  free(sorted);
}
