/* printable.c: texts as a terminal may have them: UTF-8 (RFC 3629) without control characters. O(size). */
#include "base/base.h"

#include <string.h>

/* The number of bytes of the character of UTF-8 at s (RFC 3629), 0 if there is none or it is a control character. */
static size_t printable_size(const unsigned char *s)
{
  static const struct {
    unsigned char first, last; /* bounds of the first byte */
    unsigned char least, most; /* of the second */
    unsigned char size;
  } rows[] = {{' ', '~', 0, 0xff, 1},      {0xc2, 0xc2, 0xa0, 0xbf, 2}, {0xc3, 0xdf, 0x80, 0xbf, 2},
              {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3},
              {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4},
              {0xf4, 0xf4, 0x80, 0x8f, 4}};
  size_t r = 0, size = 2;
  while (r < sizeof rows / sizeof *rows && (*s < rows[r].first || *s > rows[r].last))
    r++;
  if (r == sizeof rows / sizeof *rows || s[1] < rows[r].least || s[1] > rows[r].most)
    return 0;
  while (size < rows[r].size && (s[size] & 0xc0) == 0x80)
    size++;
  return rows[r].size <= size ? rows[r].size : 0;
}

const char *dorm_printable(const char *text, char *shown)
{
  static const char digits[] = "0123456789abcdef";
  char *end = shown;
  while (text && *text) {
    size_t size = printable_size((const unsigned char *)text);
    if (size) {
      memcpy(end, text, size);
    } else {
      unsigned char byte = (unsigned char)*text;
      memcpy(end, (const char[]){'\\', 'x', digits[byte >> 4], digits[byte & 15]}, 4);
    }
    text += size ? size : 1;
    end += size ? size : 4;
  }
  *end = '\0';
  return shown;
}
