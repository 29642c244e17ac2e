/* json_test.c: JSON that is written, and the ids in a line of it. */
#include "base/json.h"
#include "tests/unit/unit.h"

static dorm_status join_ids(void *user, const char *id)
{
  char *list = user;
  strcat(strcat(list, id), ";");
  return strcmp(id, "stop") == 0 ? DORM_STOPPED : DORM_OK;
}

/* jansson reads the writer's text again, and the library its numbers. */
UNIT_TEST_IN(context, json_is_written_and_read)
{
  static const char expected[] = "{\n"
                                 "  \"ids\": [\n"
                                 "    \"a \\\"b\\\" \\\\ \\u0001 \xc3\xa9\",\n"
                                 "    {\"id\": \"two\", \"n\": [0.1, null, 7]}\n"
                                 "  ],\n"
                                 "  \"none\": {},\n"
                                 "  \"text\": \"{\\\"a \\\\\\\"\\\": 1e-300}\"\n"
                                 "}\n";
  dorm__output *output = NULL;
  char ids[100] = "", why[DORM__JSON_WHY];
  char *text = NULL;
  size_t size = 0;
  const char *path = unit_temporary_file("");
  UNIT_OK(context, dorm__output_open(context, path, &output));
  dorm__json json = dorm__json_on(output);
  dorm__json_begin(&json, NULL, '{', false);
  dorm__json_begin(&json, "ids", '[', false);
  dorm__json_text(&json, NULL, "a \"b\" \\ \x01 \xc3\xa9");
  dorm__json_begin(&json, NULL, '{', true);
  dorm__json_text(&json, "id", "two");
  dorm__json_begin(&json, "n", '[', false);
  dorm__json_number(&json, NULL, 0.1);
  dorm__json_number(&json, NULL, NAN);
  dorm__json_whole(&json, NULL, 7);
  dorm__json_end(&json);
  dorm__json_end(&json);
  dorm__json_end(&json);
  dorm__json_begin(&json, "none", '{', false);
  dorm__json_end(&json);
  dorm__json_begin_quoted(&json, "text");
  dorm__json_begin(&json, NULL, '{', false);
  dorm__json_number(&json, "a \"", 1e-300);
  dorm__json_end(&json);
  dorm__json_end_quoted(&json);
  dorm__json_end(&json);
  UNIT_OK(context, dorm__json_finish(context, &json));
  UNIT_OK(context, dorm__output_commit(context, output));
  UNIT_OK(context, dorm__read_whole(context, path, &text, &size));
  CU_ASSERT_EQUAL(size, strlen(expected));
  CU_ASSERT_EQUAL(strncmp(text, expected, size), 0);
  CU_ASSERT_EQUAL(dorm__json_ids(text, text + size, join_ids, ids, why), DORM_OK);
  CU_ASSERT_STRING_EQUAL(ids, "a \"b\" \\ \x01 \xc3\xa9;two;");
  CU_ASSERT_STRING_EQUAL(why, "");
  dorm__free(text);

  UNIT_OK(context, dorm__output_open(context, path, &output));
  json = dorm__json_on(output);
  dorm__json_text(&json, NULL, "\xff");
  UNIT_BAD_DATA(dorm__json_finish(context, &json), "is not UTF-8");
  dorm__output_abandon(output);

  static const struct {
    const char *text, *why;
    dorm_status status;
  } cases[] = {{"{\"ids\": [\"stop\", \"on\"]}", "", DORM_STOPPED},
               {"{\"ids\": [3]}", "entry 1 of \"ids\" is no text", DORM_BAD_DATA},
               {"{\"id\": \"a\"}", "needs a list \"ids\"", DORM_BAD_DATA},
               {"{\"ids\": [}", "not JSON: ", DORM_BAD_DATA}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *begin = cases[i].text;
    CU_ASSERT_EQUAL(dorm__json_ids(begin, begin + strlen(begin), join_ids, ids, why), cases[i].status);
    CU_ASSERT_PTR_NOT_NULL(strstr(why, cases[i].why));
    CU_ASSERT_EQUAL(!*why, cases[i].status != DORM_BAD_DATA);
  }
}
