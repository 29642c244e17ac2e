/*
 * json.h: reading and writing JSON. The writer sends it to an output piece by piece, indented by two blanks per level;
 * numbers read back exactly:
 *
 *   dorm__json json = dorm__json_on(output);
 *   dorm__json_begin(&json, '{', false);
 *   dorm__json_key(&json, "name");
 *   dorm__json_text(&json, name);
 *   dorm__json_key(&json, "weights");
 *   dorm__json_begin(&json, '[', true);
 *   for (...)
 *     dorm__json_number(&json, weights[f]);
 *   dorm__json_end(&json);
 *   dorm__json_end(&json);
 *   status = dorm__json_finish(context, &json);
 */
#ifndef DORM_BASE_JSON_H
#define DORM_BASE_JSON_H

#include "base/file.h"

enum { DORM__JSON_DEEPEST = 600, DORM__JSON_WHY = 200 };

typedef struct dorm__json {
  dorm__output *output; /* borrowed */
  size_t depth;         /* how many objects and lists are open */
  struct {
    char end;       /* '}' or ']' */
    bool is_inline; /* it is on one line, with all within it */
    size_t count;   /* members written so far */
  } levels[DORM__JSON_DEEPEST];
  bool has_key;   /* a value must follow */
  bool is_quoted; /* the JSON is within a string */
  bool is_bad;    /* a text was not UTF-8, or memory ran out for it */
} dorm__json;

dorm__json dorm__json_on(dorm__output *output);
/* An object '{' or a list '[', until dorm__json_end. */
void dorm__json_begin(dorm__json *json, char bracket, bool is_inline);
void dorm__json_end(dorm__json *json);
void dorm__json_key(dorm__json *json, const char *key); /* before each value of an object */
void dorm__json_text(dorm__json *json, const char *text);
void dorm__json_number(dorm__json *json, double value); /* infinite and NaN become null */
void dorm__json_float(dorm__json *json, float value);   /* the same, in fewer digits */
void dorm__json_whole(dorm__json *json, size_t value);
/* A string that holds the JSON which is written between the two calls. */
void dorm__json_begin_quoted(dorm__json *json);
void dorm__json_end_quoted(dorm__json *json);
/* Ends the last line. DORM_BAD_DATA when a text was not UTF-8. */
dorm_status dorm__json_finish(dorm_context *context, dorm__json *json);

/* Hands the texts of the list "ids" of a JSON object in [begin, end) to `take`; an entry is a text, or an object whose
 * "id" is one. Ends with the first status of `take` other than DORM_OK, or with DORM_BAD_DATA and the reason in `why`,
 * which is empty otherwise. */
dorm_status dorm__json_ids(const char *begin, const char *end, dorm_status (*take)(void *user, const char *id),
                           void *user, char why[DORM__JSON_WHY]);

#endif
