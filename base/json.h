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
 *
 * The reader keeps a whole file in memory.
 */
#ifndef DORM_BASE_JSON_H
#define DORM_BASE_JSON_H

#include "base/file.h"

enum { DORM__JSON_DEEPEST = 600, DORM__JSON_WHY = 200, DORM__JSON_SHOWN = 60 };

typedef struct dorm__json {
  dorm__output *output; /* borrowed */
  size_t depth;         /* how many objects and lists are open */
  struct {
    char end;       /* '}' or ']' */
    bool is_inline; /* it stands on one line, as does all within it */
    size_t count;   /* members written so far */
  } levels[DORM__JSON_DEEPEST];
  bool has_key;   /* a value must follow */
  bool is_quoted; /* the JSON stands within a string */
  bool is_bad;    /* a text was not UTF-8, or memory ran out for it */
} dorm__json;

dorm__json dorm__json_on(dorm__output *output);
/* An object '{' or a list '[', until dorm__json_end. */
void dorm__json_begin(dorm__json *json, char bracket, bool is_inline);
void dorm__json_end(dorm__json *json);
void dorm__json_key(dorm__json *json, const char *key); /* before each value of an object */
void dorm__json_text(dorm__json *json, const char *text);
void dorm__json_number(dorm__json *json, double value); /* what is not finite is null */
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

/* ---- Files that are read ---- */

/* A value of a file: an object, a list, a text, a number, true, false or null. */
typedef struct json_t dorm__json_value;

/* Reads a file of one object, in which no key stands twice. DORM_BAD_DATA names file and line. Freed by
 * dorm__json_free. */
dorm_status dorm__json_read(dorm_context *context, const char *path, dorm__json_value **object);
void dorm__json_free(dorm__json_value *object);
/* Each of these takes NULL and values of any kind. A member of an object, borrowed; NULL where there is none. */
const dorm__json_value *dorm__json_member(const dorm__json_value *object, const char *key);
bool dorm__json_is_list(const dorm__json_value *value);
size_t dorm__json_count(const dorm__json_value *list); /* 0 where it is no list */
/* Entry `index` of a list, borrowed; NULL past its end. */
const dorm__json_value *dorm__json_at(const dorm__json_value *list, size_t index);
/* A text, borrowed; NULL where it is none. */
const char *dorm__json_text_of(const dorm__json_value *value);
/* False where it is no number. The number is rounded correctly, whole ones too. */
bool dorm__json_number_of(const dorm__json_value *value, double *number);
/* The beginning of a value as it stands in the file, for messages; "nothing" where it is NULL. */
const char *dorm__json_show(const dorm__json_value *value, char shown[DORM__JSON_SHOWN]);

#endif
