/* lanes.c: exp of many numbers <= 0 without branches, so that the compiler uses vector registers. An RBF kernel takes
 * one exponential per pair of documents. Writes x = n ln 2 + r with |r| <= ln 2 / 2 (ln 2 in two parts, Cody and Waite,
 * "Software manual for the elementary functions", 1980). exp(r) is its Taylor polynomial of degree 13, whose remainder
 * (ln 2 / 2)^14 / 14! is below 5e-18. 2^n is added to the exponent. */
#include "base/lanes.h"

#include <string.h>

/* A comparison with NaN sets a flag of the processor. The code does not need the flag, and without it the compiler may
 * compare all lanes at once. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-trapping-math")
#endif

static const double smallest = -708; /* smallest number with a normal exp, rounded up */

DORM__WIDE_VECTORS
static void take_exponentials(size_t count, double *values)
{
  const double log2_e = 1.4426950408889634;
  const double ln2_high = 6.93147180369123816490e-01; /* 32 bits: n ln2_high is exact */
  const double ln2_low = 1.90821492927058770002e-10;
  const double shifter = 6755399441055744.0; /* 1.5 2^52: adding it rounds to integers */
  for (size_t i = 0; i < count; i++) {
    double x = values[i];
    double kept = smallest > x ? smallest : x;
    double shifted = kept * log2_e + shifter;
    double n = shifted - shifter;
    double r = (kept - n * ln2_high) - n * ln2_low;
    double p = 1.0 / 6227020800;
    p = p * r + 1.0 / 479001600;
    p = p * r + 1.0 / 39916800;
    p = p * r + 1.0 / 3628800;
    p = p * r + 1.0 / 362880;
    p = p * r + 1.0 / 40320;
    p = p * r + 1.0 / 5040;
    p = p * r + 1.0 / 720;
    p = p * r + 1.0 / 120;
    p = p * r + 1.0 / 24;
    p = p * r + 1.0 / 6;
    p = p * r + 0.5;
    p = r + r * r * p + 1;
    /* the low bits of `shifted` hold n, which is shifted and added to the exponent */
    uint64_t bits, exponent;
    memcpy(&bits, &p, sizeof bits);
    memcpy(&exponent, &shifted, sizeof exponent);
    bits += exponent << 52;
    memcpy(&p, &bits, sizeof p);
    values[i] = p;
  }
}

void dorm__exponentials(size_t count, double *values)
{
  take_exponentials(count, values);
}
