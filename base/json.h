/* json.h: reading and writing JSON. The writer sends JSON to an output piece by piece, indented by two blanks per
 * level. Numbers read back exactly:
 *
 *   dorm__json json = dorm__json_on(output);
 *   dorm__json_begin(&json, NULL, '{', false);
 *   dorm__json_text(&json, "name", name);
 *   dorm__json_begin(&json, "weights", '[', true);
 *   for (...)
 *     dorm__json_number(&json, NULL, weights[f]);
 *   dorm__json_end(&json);
 *   dorm__json_end(&json);
 *   status = dorm__json_finish(context, &json); */
#ifndef DORM_BASE_JSON_H
#define DORM_BASE_JSON_H

#include "base/file.h"

enum { DORM__JSON_DEEPEST = 600, DORM__JSON_WHY = 200 };

typedef struct dorm__json {
  dorm__output *output; /* borrowed */
  size_t depth;         /* number of open objects and lists */
  struct {
    char end;       /* '}' or ']' */
    bool is_inline; /* on one line, with its contents */
    size_t count;   /* members written so far */
  } levels[DORM__JSON_DEEPEST];
  bool is_quoted; /* the JSON is inside a string */
  bool is_first;  /* the next value is the first one in that string */
  bool is_bad;    /* a text was not UTF-8, or memory ran out */
} dorm__json;

dorm__json dorm__json_on(dorm__output *output);
/* Begins an object '{' or a list '['. dorm__json_end ends it. Here and below, `key` is NULL unless the value is in an
 * object. */
void dorm__json_begin(dorm__json *json, const char *key, char bracket, bool is_inline);
void dorm__json_end(dorm__json *json);
void dorm__json_text(dorm__json *json, const char *key, const char *text);
void dorm__json_number(dorm__json *json, const char *key, double value); /* infinite and NaN become null */
void dorm__json_float(dorm__json *json, const char *key, float value);   /* the same, in fewer digits */
void dorm__json_whole(dorm__json *json, const char *key, size_t value);
/* Begins a string that contains the JSON written until the second call. */
void dorm__json_begin_quoted(dorm__json *json, const char *key);
void dorm__json_end_quoted(dorm__json *json);
/* Ends the last line. Returns DORM_BAD_DATA if a text was not UTF-8. */
dorm_status dorm__json_finish(dorm_context *context, dorm__json *json);

/* Calls `take` for the texts of the list "ids" of a JSON object in [begin, end). An entry is a text, or an object with
 * a text "id". Returns the first status of `take` other than DORM_OK, or DORM_BAD_DATA with the reason in `why`, which
 * is otherwise empty. */
dorm_status dorm__json_ids(const char *begin, const char *end, dorm_status (*take)(void *user, const char *id),
                           void *user, char why[DORM__JSON_WHY]);

#endif
