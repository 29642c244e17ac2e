/* text.c: converts numbers and words to and from text, independent of the locale.
 *
 * Reading: a decimal number with at most 19 significant digits, a mantissa below 2^53 and a power of ten of at most
 * 10^22 is one exact product or quotient (Clinger, "How to read floating point numbers accurately", 1990). If a long
 * double has at least 64 bits, one product or quotient in it is nearly exact. It is right if both its neighbours round
 * to the same double. Other numbers go to strtod in the C locale. */
#define _GNU_SOURCE /* strtod_l */
#include "base/base.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Switches this thread to the C locale for one conversion. */
static locale_t enter_c_locale(locale_t *c_locale)
{
  *c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  return *c_locale ? uselocale(*c_locale) : (locale_t)0;
}

static void leave_c_locale(locale_t c_locale, locale_t previous)
{
  if (c_locale) {
    uselocale(previous);
    freelocale(c_locale);
  }
}

/* [text, end) is known to be a plain decimal number. */
static double slow_double(const char *text, const char *end)
{
  char buffer[512];
  size_t size = (size_t)(end - text);
  char *copy = size < sizeof buffer ? buffer : dorm__alloc(size + 1, 1);
  if (!copy)
    return NAN;
  memcpy(copy, text, size);
  copy[size] = '\0';
  locale_t c_locale;
  locale_t previous = enter_c_locale(&c_locale);
  double value = strtod(copy, NULL);
  leave_c_locale(c_locale, previous);
  if (copy != buffer)
    dorm__free(copy);
  return value;
}

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

/* Computes mantissa * 10^exponent. Returns false if the rounding is in doubt. */
static bool nearly_exact(uint64_t mantissa, int exponent, double *value)
{
#if LDBL_MANT_DIG >= 64
  static const long double powers[] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
                                       1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
                                       1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L}; /* exact */
  if (exponent < -27 || exponent > 27)
    return false;
  long double product =
      exponent < 0 ? (long double)mantissa / powers[-exponent] : (long double)mantissa * powers[exponent];
  *value = (double)(product * (1 - 2 * LDBL_EPSILON));
  return *value == (double)(product * (1 + 2 * LDBL_EPSILON));
#else
  (void)mantissa, (void)exponent, (void)value;
  return false;
#endif
}

/* A decimal number without its sign: mantissa 10^exponent. */
typedef struct decimal {
  uint64_t mantissa;
  int num_digits; /* significant digits in the mantissa */
  int exponent;
  bool is_exact; /* the mantissa holds all digits */
} decimal;

static inline const char *read_digits(const char *s, const char *end, bool is_fraction, decimal *number)
{
  for (; s < end && is_digit(*s); s++) {
    if (number->num_digits < 19) {
      number->mantissa = number->mantissa * 10 + (uint64_t)(*s - '0');
      number->num_digits += number->mantissa != 0;
      number->exponent -= is_fraction;
    } else {
      number->is_exact = false;
    }
  }
  return s;
}

/* Reads an exponent after the digits, if there is one. */
static inline const char *read_exponent(const char *s, const char *end, decimal *number)
{
  if (s == end || (*s != 'e' && *s != 'E'))
    return s;
  const char *e = s + 1;
  bool down = false;
  int given = 0;
  if (e < end && (*e == '-' || *e == '+'))
    down = *e++ == '-';
  if (e == end || !is_digit(*e))
    return s;
  for (; e < end && is_digit(*e); e++)
    given = given < 100000 ? given * 10 + (*e - '0') : given;
  number->exponent += down ? -given : given;
  return e;
}

enum { LARGEST_POWER = 22 };

static const double powers[LARGEST_POWER + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}; /* exact */

const char *dorm__parse_double(const char *text, const char *end, double *value)
{
  const char *s = text;
  bool negative = false;
  decimal number = {.is_exact = true};
  if (s < end && (*s == '-' || *s == '+'))
    negative = *s++ == '-';
  const char *digits = s;
  s = read_digits(s, end, false, &number);
  size_t digits_seen = (size_t)(s - digits);
  if (s < end && *s == '.') {
    const char *fraction = ++s;
    s = read_digits(s, end, true, &number);
    digits_seen += (size_t)(s - fraction);
  }
  if (!digits_seen)
    return NULL;
  s = read_exponent(s, end, &number);
  double magnitude = (double)number.mantissa;
  bool is_small = number.is_exact && number.mantissa <= (UINT64_C(1) << 53);
  if (number.is_exact && number.mantissa == 0)
    magnitude = 0;
  else if (is_small && number.exponent >= 0 && number.exponent <= LARGEST_POWER)
    magnitude *= powers[number.exponent];
  else if (is_small && number.exponent < 0 && number.exponent >= -LARGEST_POWER)
    magnitude /= powers[-number.exponent];
  else if (!number.is_exact || !nearly_exact(number.mantissa, number.exponent, &magnitude)) {
    *value = slow_double(text, s);
    return s;
  }
  *value = negative ? -magnitude : magnitude;
  return s;
}

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool dorm__text_to_double(const char *text, double *value)
{
  while (is_blank(*text))
    text++;
  const char *end = text + strlen(text);
  const char *rest = dorm__parse_double(text, end, value);
  if (!rest)
    return false;
  while (is_blank(*rest))
    rest++;
  return rest == end;
}

static bool reads_back(double back, double value, bool is_float)
{
  return back == value || (is_float && (float)back == (float)value);
}

/* Writes mantissa * 10^(exponent - num_digits + 1), where the mantissa has num_digits digits, as "%.*g" would. */
static void put_number(char buffer[DORM__NUMBER_SIZE], bool negative, uint64_t mantissa, int num_digits, int exponent)
{
  char digits[24];
  while (num_digits > 1 && mantissa % 10 == 0) {
    mantissa /= 10;
    num_digits--;
  }
  for (int i = num_digits; i-- > 0; mantissa /= 10)
    digits[i] = (char)('0' + mantissa % 10);
  char *s = buffer;
  if (negative)
    *s++ = '-';
  bool is_plain = exponent >= -4 && exponent < 15;
  int point = is_plain ? exponent : 0; /* the decimal point follows this digit */
  if (point < 0) {
    *s++ = '0';
    *s++ = '.';
    for (int i = -1; i > point; i--)
      *s++ = '0';
  }
  for (int i = 0; i < num_digits || i <= point; i++) {
    if (i == point + 1 && point >= 0)
      *s++ = '.';
    *s++ = i < num_digits ? digits[i] : '0';
  }
  *s = '\0';
  if (!is_plain)
    snprintf(s, DORM__NUMBER_SIZE - (size_t)(s - buffer), "e%+03d", exponent);
}

/* Writes `num_digits` digits by one multiplication. `exponent` belongs to the first digit. This is usually right, and
 * the caller reads it back to check. Independent of the locale. */
static bool put_rounded(char buffer[DORM__NUMBER_SIZE], double value, int num_digits, int exponent)
{
  int shift = num_digits - 1 - exponent;
  double scaled = fabs(value) * (shift >= 0 && shift <= LARGEST_POWER ? powers[shift] : pow(10, shift));
  uint64_t mantissa = (uint64_t)(scaled + 0.5);
  double least = powers[num_digits - 1];
  if ((double)mantissa < least || (double)mantissa >= 10 * least)
    return false;
  put_number(buffer, value < 0, mantissa, num_digits, exponent);
  return true;
}

/* Tries increasing numbers of digits until the text reads back as `value`. For a float, rounds the number read to float
 * first. */
static const char *format(char buffer[DORM__NUMBER_SIZE], double value, bool is_float, int fewest, int most)
{
  double back;
  if (value == 0 && !signbit(value))
    return memcpy(buffer, "0", 2);
  bool is_usual = fabs(value) >= 1e-200 && fabs(value) <= 1e200;
  int exponent = is_usual ? (int)floor(log10(fabs(value))) : 0;
  for (int digits = fewest; is_usual && digits <= most; digits++)
    if (put_rounded(buffer, value, digits, exponent) && dorm__parse_double(buffer, buffer + strlen(buffer), &back) &&
        reads_back(back, value, is_float))
      return buffer;
  locale_t c_locale;
  locale_t previous = enter_c_locale(&c_locale);
  for (int digits = fewest; digits <= most; digits++) {
    snprintf(buffer, DORM__NUMBER_SIZE, "%.*g", digits, value);
    if (reads_back(strtod(buffer, NULL), value, is_float))
      break;
  }
  leave_c_locale(c_locale, previous);
  return buffer;
}

const char *dorm__format_double(char buffer[DORM__NUMBER_SIZE], double value)
{
  return format(buffer, value, false, 15, 17);
}

const char *dorm__format_float(char buffer[DORM__NUMBER_SIZE], float value)
{
  return format(buffer, (double)value, true, 6, 9);
}

static char lower(char c)
{
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool dorm__equal_words(const char *x, const char *y)
{
  while (*x && lower(*x) == lower(*y)) {
    x++;
    y++;
  }
  return !*x && !*y;
}

/* Computes the Levenshtein distance up to `most`. Words with more than 63 characters are far. */
static size_t edit_distance(const char *x, const char *y, size_t most)
{
  enum { LONGEST = 64 };
  size_t size_x = strlen(x);
  size_t size_y = strlen(y);
  size_t row[LONGEST];
  if (size_x >= LONGEST || size_y >= LONGEST)
    return most;
  for (size_t j = 0; j <= size_y; j++)
    row[j] = j;
  for (size_t i = 1; i <= size_x; i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= size_y; j++) {
      size_t substitute = diagonal + (lower(x[i - 1]) != lower(y[j - 1]));
      size_t insert = row[j - 1] + 1;
      diagonal = row[j];
      row[j] = row[j] + 1;
      if (insert < row[j])
        row[j] = insert;
      if (substitute < row[j])
        row[j] = substitute;
    }
  }
  return row[size_y] < most ? row[size_y] : most;
}

const char *dorm__nearest_word(const char *word, const char *const *candidates, size_t count)
{
  const char *nearest = NULL;
  size_t smallest = 1 + strlen(word) / 2; /* more distant words do not help */
  for (size_t i = 0; i < count; i++) {
    size_t distance = edit_distance(word, candidates[i], smallest);
    if (distance < smallest) {
      smallest = distance;
      nearest = candidates[i];
    }
  }
  return nearest;
}

dorm_status dorm__fail_unknown(dorm_context *context, const char *what, const char *word, const char *const *candidates,
                               size_t count)
{
  const char *nearest = dorm__nearest_word(word, candidates, count);
  return dorm__fail(context, DORM_BAD_USAGE, "unknown %s '%s'%s%s%s", what, word, nearest ? "; did you mean '" : "",
                    nearest ? nearest : "", nearest ? "'?" : "");
}

const char *dorm_nearest_word(const char *word, size_t count, const char *const *candidates)
{
  return word && candidates ? dorm__nearest_word(word, candidates, count) : NULL;
}

char *dorm__trim(char *text)
{
  while (is_blank(*text))
    text++;
  size_t size = strlen(text);
  while (size && is_blank(text[size - 1]))
    text[--size] = '\0';
  return text;
}
