/*
 * groups.c: groups of documents from a file (lines, or JSON lines) or from a
 * pattern on their ids, and subtopics. The first character says which:
 *   g groups   p pattern   s subtopics
 * If reading succeeds, the documents are evaluated and ranked diversely.
 */
#include "tests/fuzz/fuzz.h"

/* Documents with ids, some of them URLs. Every input gets its own, since a data set keeps its groups. */
static dorm_dataset *make_data(dorm_context *context)
{
  static const char text[] = "2 qid:1 1:1 # docid = http://a.example/1\n0 qid:1 1:2 # docid = http://a.example/2\n"
                             "1 qid:1 1:3 # docid = B\n1 qid:2 1:1 # docid = C-7\n0 qid:2 1:5 # docid = D\n";
  dorm_dataset *dataset = NULL;
  const char *path = fuzz_write("data", text, sizeof text - 1);
  fuzz_require_ok(context, dorm_dataset_read(context, path, &dataset), "data");
  return dataset;
}

static void use(dorm_context *context, const dorm_dataset *dataset)
{
  static const double scores[] = {1, 2, 3, 4, 5};
  static const char *const measures[] = {"ndcg@3", "redundancy@3", "alpha_ndcg@3", "subtopic_recall@3"};
  for (size_t m = 0; m < sizeof measures / sizeof *measures; m++) {
    dorm_evaluation evaluation = {.struct_size = sizeof evaluation};
    dorm_status status = dorm_evaluate(context, measures[m], dataset, scores, NULL, &evaluation);
    fuzz_is_good(context, status);
  }
}

static dorm_status read_groups(dorm_context *context, char kind, const char *path, char *text, dorm_dataset *dataset)
{
  char value[1200];
  DORM__OWNED(dorm_settings) *settings = fuzz_settings(context, NULL);
  snprintf(value, sizeof value, "%s:%s", kind == 'p' ? "docid" : "file", kind == 'p' ? text : path);
  return DORM__ALL(dorm_settings_set(context, settings, "diversity.groups", value),
                   dorm_dataset_read_groups(context, dataset, settings));
}

static void run(dorm_context *context, const uint8_t *data, size_t size)
{
  if (!size || (data[0] == 'p' && size > 60)) /* regcomp needs any amount of time and memory for a long pattern */
    return;
  DORM__OWNED(dorm_dataset) *dataset = make_data(context);
  const char *path = fuzz_write("table", data + 1, size - 1);
  char *text = fuzz_string((fuzz_text){(const char *)data + 1, size - 1});
  dorm_status status = data[0] == 's' ? dorm_dataset_read_subtopics(context, dataset, path)
                                      : read_groups(context, (char)data[0], path, text, dataset);
  if (fuzz_is_good(context, status))
    use(context, dataset);
  free(text);
}

const fuzz_target fuzz_groups = {"groups", run, 2048};
