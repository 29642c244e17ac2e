/* ambiguous.c: queries of one word with several senses, such as "jordan". On these data it matters whether training
 * knows that pages of one host exclude each other.
 *
 * Each query has 14 similar pages by the fans of one sense, all from one host (label 2). It has one page on each of 8
 * other senses, each from its own host (label 1), and 20 pages that only name the first sense (label 0). Feature 1
 * measures how much of a page is about the first sense, feature 2 how informative the page is, and feature 3 is noise.
 * Their means are below. Normal noise of deviation 0.15 is added to the first two:
 *
 *            fans   senses  others
 *   1         1.0      0.3     0.5
 *   2         0.5      0.9     0.4
 *
 * By feature 1 alone the pages of the fans fill the first ten positions, and a ranker that may put them all there
 * learns little else. If only one page of each host is allowed there, feature 2 finds the other senses. */
#include "base/random.h"
#include "data/dataset.h"
#include "data/reader_parts.h"

#include <math.h>

enum { NUM_FANS = 14, NUM_SENSES = 8, NUM_OTHERS = 20, NUM_DOCS = NUM_FANS + NUM_SENSES + NUM_OTHERS };
enum { NUM_FEATURES = 3, TEXT_SIZE = 96, QUERY_SIZE = 32 };

static const double noise = 0.15;
static const char *const words[] = {"jordan", "mercury", "jaguar", "java", "phoenix", "delta", "orion", "saturn"};
static const char *const senses[NUM_SENSES] = {"river", "country", "town", "film", "band", "ship", "shoe", "name"};

/* One page: kind 0 .. NUM_DOCS - 1 in the order of the table above. */
static void fill_page(dorm__random *random, size_t kind, const char *query, dorm_dataset *made, size_t doc,
                      size_t *end_of_texts)
{
  bool is_fan = kind < NUM_FANS, is_sense = !is_fan && kind < NUM_FANS + NUM_SENSES;
  double first = is_fan ? 1 : is_sense ? 0.3 : 0.5, second = is_fan ? 0.5 : is_sense ? 0.9 : 0.4;
  double values[NUM_FEATURES] = {first + noise * dorm__random_normal(random),
                                 second + noise * dorm__random_normal(random), dorm__random_uniform(random)};
  char name[TEXT_SIZE];
  if (is_fan)
    snprintf(name, sizeof name, "http://fans.example/%s/%zu", query, kind + 1);
  else if (is_sense)
    snprintf(name, sizeof name, "http://%s.example/%s", senses[kind - NUM_FANS], query);
  else
    snprintf(name, sizeof name, "http://other%zu.example/%s", kind - NUM_FANS - NUM_SENSES + 1, query);
  made->doc_texts[doc] = dorm__dataset_put_text(made, end_of_texts, name);
  made->labels[doc] = is_fan ? 2 : is_sense ? 1 : 0;
  for (size_t f = 0; f < NUM_FEATURES; f++)
    made->values[doc * NUM_FEATURES + f] = (float)(round(1000 * values[f]) / 1000);
}

dorm_status dorm_dataset_generate_ambiguous(dorm_context *context, size_t num_queries, uint64_t seed,
                                            dorm_dataset **dataset)
{
  if (DORM__LACKS(context, DORM__RESULT(dataset)))
    return DORM_BAD_USAGE;
  enum { NUM_RELEVANT = NUM_FANS + NUM_SENSES };
  DORM__OWNED(dorm_dataset) *made = NULL;
  *dataset = NULL;
  if (num_queries < 1 || num_queries > 1000000)
    return dorm__fail(context, DORM_BAD_USAGE, "num_queries: %zu is not between 1 and 1000000", num_queries);
  dorm_status status = DORM__ALL(
      dorm__dataset_new(context, "ambiguous", num_queries * NUM_DOCS, num_queries, NUM_FEATURES,
                        1 + num_queries * (NUM_DOCS + 1) * TEXT_SIZE, &made),
      dorm__doc_lists_new(context, made->num_docs, num_queries, num_queries * NUM_RELEVANT, &made->subtopics));
  if (status != DORM_OK)
    return status;
  dorm__random random;
  dorm__random_seed(&random, seed);
  size_t end_of_texts = 1, entry = 0;
  for (size_t f = 0; f < NUM_FEATURES; f++)
    made->feature_ids[f] = f + 1;
  for (size_t q = 0; q < num_queries; q++) {
    char query[QUERY_SIZE];
    size_t kinds[NUM_DOCS], num_words = sizeof words / sizeof *words;
    if (q < num_words)
      snprintf(query, sizeof query, "%s", words[q]);
    else
      snprintf(query, sizeof query, "%s%zu", words[q % num_words], 1 + q / num_words);
    dorm__random_permutation(&random, NUM_DOCS, kinds);
    made->query_texts[q] = dorm__dataset_put_text(made, &end_of_texts, query);
    made->query_start[q + 1] = (q + 1) * NUM_DOCS;
    made->subtopics->num_subtopics[q] = 1 + NUM_SENSES;
    for (size_t i = 0; i < NUM_DOCS; i++) {
      size_t doc = q * NUM_DOCS + i;
      fill_page(&random, kinds[i], query, made, doc, &end_of_texts);
      if (kinds[i] < NUM_RELEVANT) {
        made->subtopics->numbers[entry] = kinds[i] < NUM_FANS ? 0 : (uint32_t)(kinds[i] - NUM_FANS + 1);
        made->subtopics->weights[entry++] = 1;
      }
      made->subtopics->start[doc + 1] = entry;
    }
  }
  *dataset = made;
  made = NULL;
  return DORM_OK;
}
