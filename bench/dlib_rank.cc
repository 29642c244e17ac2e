/*
 * dlib_rank.cc: dlib's ranking SVM (svm_rank_trainer, a cutting-plane method on pairs of documents of a query), beside
 * which scale.sh measures training.
 *
 *   dlib_rank FILE [C]
 *
 * reads LETOR text with features 1 to 136, calls documents with labels of 3 and above relevant and all others not,
 * since dlib has no more than two levels, and trains on one thread with dlib's own precision. scale.sh compiles it where
 * the headers of dlib are (Debian: libdlib-dev). Returns 2 where the text cannot be read.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <dlib/svm.h>

static const long num_features = 136;
static const double least_relevant = 3;

typedef dlib::matrix<double, 0, 1> sample;
typedef dlib::linear_kernel<sample> kernel;

/* Reads a line; the text of its query begins at *query. */
static sample read_line(char *line, double *label, char **query)
{
  sample values = dlib::zeros_matrix<double>(num_features, 1);
  char *at;
  *label = strtod(line, &at);
  *query = at + strspn(at, " ");
  at = strchr(*query, ' ');
  while (at) {
    char *colon;
    long id = strtol(at, &colon, 10);
    if (*colon != ':' || id < 1 || id > num_features)
      break;
    values(id - 1) = strtod(colon + 1, &at);
  }
  return values;
}

int main(int argc, char **argv)
{
  FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
  if (!file) {
    fprintf(stderr, "usage: dlib_rank FILE [C]\n");
    return 2;
  }
  std::vector<dlib::ranking_pair<sample>> queries;
  std::string earlier;
  char *line = NULL;
  size_t size = 0;
  while (getline(&line, &size, file) > 0) {
    double label;
    char *query;
    sample values = read_line(line, &label, &query);
    std::string name(query, strcspn(query, " \n"));
    if (queries.empty() || name != earlier)
      queries.emplace_back();
    earlier = name;
    if (label >= least_relevant)
      queries.back().relevant.push_back(values);
    else
      queries.back().nonrelevant.push_back(values);
  }
  free(line);
  fclose(file);
  std::vector<dlib::ranking_pair<sample>> kept; /* a query has to have documents of both kinds */
  for (auto &query : queries)
    if (!query.relevant.empty() && !query.nonrelevant.empty()) {
      kept.emplace_back();
      std::swap(kept.back(), query);
    }
  if (kept.empty())
    return 2;
  dlib::svm_rank_trainer<kernel> trainer;
  trainer.set_c(argc > 2 ? atof(argv[2]) : 1);
  dlib::decision_function<kernel> ranker = trainer.train(kept);
  printf("%zu queries, |w| = %g\n", kept.size(), dlib::length(ranker.basis_vectors(0)));
  return 0;
}
