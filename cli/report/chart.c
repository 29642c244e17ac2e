/* chart.c: charts as SVG, bars, and texts of a report. Colours are classes that the page defines for light and dark. */
#include "cli/report/report.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Escapes the characters that have a meaning in HTML or for a terminal. */
static size_t escape_html(const char *text, char *shown)
{
  char *plain = cli_alloc(4 * strlen(text) + 1, 1);
  size_t size = 0;
  for (const char *s = dorm_printable(text, plain); *s; s++)
    size += (size_t)snprintf(shown + size, CLI_MOST_ESCAPED + 1, strchr("<>&\"", *s) ? "&#%d;" : "%c", *s);
  free(plain);
  return size;
}

void report_put(FILE *file, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  char *text = cli_format_escaped(format, arguments, "<>&\"\n", escape_html);
  va_end(arguments);
  fputs(text ? text : "", file);
  free(text);
}

/* ---- Charts ------------------------------------------------------------------------------- */

/* In units of the SVG view, which the page scales. */
enum { WIDTH = 480, HEIGHT = 260, LEFT = 72, RIGHT = 14, TOP = 10, BOTTOM = 40, TICKS = 5 };

void report_include(report_axis *axis, size_t count, const double *values)
{
  for (size_t i = 0; i < count; i++)
    if (isfinite(values[i])) {
      axis->least = fmin(axis->least, values[i]);
      axis->most = fmax(axis->most, values[i]);
    }
}

report_axis report_axis_of(const char *title)
{
  return (report_axis){title, INFINITY, -INFINITY};
}

/* The share of the axis below the value. */
static double share_below(const report_axis *axis, double value)
{
  return axis->most > axis->least ? (value - axis->least) / (axis->most - axis->least) : 0.5;
}

static double place_x(const report_chart *chart, double x)
{
  return LEFT + share_below(&chart->x, x) * (WIDTH - LEFT - RIGHT);
}

static double place_y(const report_chart *chart, double y)
{
  return HEIGHT - BOTTOM - share_below(&chart->y, y) * (HEIGHT - TOP - BOTTOM);
}

/* Rounds the ends of an axis outwards to multiples of the step that is returned: 1, 2 or 5 times a power of ten. */
static double round_axis(report_axis *axis)
{
  if (!(axis->least < axis->most)) { /* one value, or no value */
    double middle = axis->least <= axis->most ? axis->least : 1;
    axis->least = middle - 0.5;
    axis->most = middle + 0.5;
  }
  double rough = (axis->most - axis->least) / TICKS, power = pow(10, floor(log10(rough)));
  double step = power * (rough > 5 * power ? 10 : rough > 2 * power ? 5 : rough > power ? 2 : 1);
  axis->least = floor(axis->least / step + 1e-9) * step;
  axis->most = ceil(axis->most / step - 1e-9) * step;
  return step;
}

static void put_tick(const report_chart *chart, bool is_x, double value)
{
  char text[32];
  snprintf(text, sizeof text, "%.6g",
           fabs(value) < 1e-9 * fabs(is_x ? chart->x.most - chart->x.least : chart->y.most - chart->y.least) ? 0
                                                                                                             : value);
  double at = is_x ? place_x(chart, value) : place_y(chart, value);
  if (is_x)
    fprintf(chart->file, "<path class=grid d='M%.1f %dV%d'/><text class=mid x=%.1f y=%d>%s</text>", at, TOP,
            HEIGHT - BOTTOM, at, HEIGHT - BOTTOM + 16, text);
  else
    fprintf(chart->file, "<path class=grid d='M%d %.1fH%d'/><text class=end x=%d y=%.1f>%s</text>", LEFT, at,
            WIDTH - RIGHT, LEFT - 6, at + 4, text);
}

void report_begin(report_chart *chart)
{
  double x_step = round_axis(&chart->x), y_step = round_axis(&chart->y);
  fprintf(chart->file, "<svg viewBox='0 0 %d %d' role=img>", WIDTH, HEIGHT);
  for (int i = 0; chart->x.least + i * x_step < chart->x.most + x_step / 2; i++)
    put_tick(chart, true, chart->x.least + i * x_step);
  for (int i = 0; chart->y.least + i * y_step < chart->y.most + y_step / 2; i++)
    put_tick(chart, false, chart->y.least + i * y_step);
  report_put(chart->file,
             "<text class=mid x=%d y=%d>%s</text><text class=mid transform='translate(14 %d) rotate(-90)'>%s</text>",
             (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, chart->x.title, (TOP + HEIGHT - BOTTOM) / 2, chart->y.title);
}

void report_line(const report_chart *chart, size_t count, const double *x, const double *y, const char *kind,
                 const char *text)
{
  fprintf(chart->file, "<path class='%s' d='", kind);
  for (size_t i = 0; i < count; i++)
    fprintf(chart->file, "%c%.1f %.1f", i ? 'L' : 'M', place_x(chart, x[i]), place_y(chart, y[i]));
  report_put(chart->file, "'><title>%s</title></path>", text);
}

void report_point(const report_chart *chart, double x, double y, const char *kind, const char *text)
{
  report_put(chart->file, "<circle class='%s' cx=%.1f cy=%.1f r=4><title>%s</title></circle>", kind, place_x(chart, x),
             place_y(chart, y), text);
}

void report_end(const report_chart *chart)
{
  fputs("</svg>\n", chart->file);
}

void report_bar(FILE *file, const char *label, double value, double error, double most, bool is_main)
{
  double scale = most > 0 ? 100 / most : 0;
  report_put(file,
             "<tr><td>%s</td><td class=bars><svg viewBox='0 0 100 10' preserveAspectRatio=none><rect class=%s "
             "height=10 width=%.2f />",
             label, is_main ? "main" : "bar", fmax(0, value * scale));
  if (error > 0)
    fprintf(file, "<path class=error d='M%.2f 5H%.2f'/>", fmax(0, (value - error) * scale), (value + error) * scale);
  fprintf(file, "</svg></td><td class=number>%.4g", value);
  if (error > 0)
    fprintf(file, " &plusmn; %.2g", error);
  fputs("</td></tr>\n", file);
}
