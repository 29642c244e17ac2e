/* ratings.c: `dorm ratings`: turns ratings into data that `dorm train` reads. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct ratings_job {
  dorm_context *context;
  const dorm_settings *settings;
  const char *candidates; /* a user, or NULL */
  dorm_ratings *training;
  dorm_ratings *held_out; /* or NULL */
  dorm_attributes *users;
  dorm_attributes *items;
} ratings_job;

static const char *setting(const ratings_job *job, const char *key)
{
  return dorm_settings_get(job->settings, key);
}

/* Appends `rest` to ratings.output. The caller frees the name. */
static char *output_name(const ratings_job *job, const char *rest)
{
  const char *prefix = setting(job, "ratings.output");
  size_t size = strlen(prefix) + strlen(rest) + 1;
  char *name = cli_alloc(size, 1);
  snprintf(name, size, "%s%s", prefix, rest);
  return name;
}

static bool writes(const ratings_job *job, const char *word)
{
  const char *list = setting(job, "ratings.write");
  size_t size = strlen(word);
  for (const char *s = list; (s = strstr(s, word)) != NULL; s += size)
    if (!s[size] || s[size] == ',' || s[size] == ' ')
      return true;
  return false;
}

static void read_all(ratings_job *job)
{
  const char *users = setting(job, "ratings.users");
  const char *items = setting(job, "ratings.items");
  cli_read_ratings(job->context, job->settings, &job->training, &job->held_out);
  if (*users)
    cli_check(job->context, dorm_attributes_read(job->context, users, &job->users));
  if (*items)
    cli_check(job->context, dorm_attributes_read(job->context, items, &job->items));
}

/* Fails before the features are fitted if the user of --candidates has no rating. */
static void check_candidates(const ratings_job *job)
{
  for (size_t u = 0; u < dorm_ratings_num_users(job->training); u++)
    if (strcmp(dorm_ratings_user_id(job->training, u), job->candidates) == 0 &&
        dorm_ratings_user_count(job->training, u))
      return;
  cli_print(stderr, "dorm: --candidates: user '%.60s' has no training ratings\n", job->candidates);
  cli_end(DORM_BAD_DATA);
}

/* Writes a data set, prints a summary, and frees the data set. */
static void write_dataset(const ratings_job *job, dorm_dataset *dataset, const char *rest)
{
  char *name = output_name(job, rest);
  cli_check(job->context, dorm_dataset_write(job->context, dataset, name));
  cli_print(stdout, "%s: %zu users, %zu ratings\n", name, dorm_dataset_num_queries(dataset),
            dorm_dataset_num_docs(dataset));
  dorm_dataset_free(dataset);
  free(name);
}

static void write_ratings(const ratings_job *job, const dorm_ratings *ratings, const char *rest)
{
  char *name = output_name(job, rest);
  cli_check(job->context, dorm_ratings_write(job->context, ratings, name));
  cli_print(stdout, "%s: %zu ratings\n", name, dorm_ratings_count(ratings));
  free(name);
}

static void write_features(const ratings_job *job)
{
  dorm_context *context = job->context;
  dorm_rating_features *features = NULL;
  dorm_dataset *dataset = NULL;
  bool has_input_users = strncmp(setting(job, "ratings.split"), "users:", strlen("users:")) == 0;
  cli_check(context,
            dorm_rating_features_fit(context, job->settings, job->training, job->users, job->items, &features));
  if (job->candidates) {
    cli_check(context, dorm_rating_features_candidates(context, features, job->candidates, &dataset));
    write_dataset(job, dataset, ".candidates.txt");
  } else {
    cli_check(context,
              dorm_rating_features_training(context, features, has_input_users ? job->held_out : NULL, &dataset));
    write_dataset(job, dataset, ".train.txt");
  }
  if (!job->candidates && job->held_out) {
    cli_check(context, dorm_rating_features_predict(context, features, job->held_out, &dataset));
    write_dataset(job, dataset, ".test.txt");
  }
  dorm_rating_features_free(features);
}

static void write_kernels(const ratings_job *job)
{
  char *users = output_name(job, ".users.gram"), *items = output_name(job, ".items.gram");
  cli_check(job->context, dorm_rating_kernels_write(job->context, job->settings, job->training, job->users, job->items,
                                                    users, items));
  cli_print(stdout, "%s: %zu users\n%s: %zu items\n", users, dorm_ratings_num_users(job->training), items,
            dorm_ratings_num_items(job->training));
  free(users);
  free(items);
}

static void write_all(const ratings_job *job)
{
  if (writes(job, "ratings"))
    write_ratings(job, job->training, ".train.tsv");
  if (writes(job, "ratings") && job->held_out)
    write_ratings(job, job->held_out, ".test.tsv");
  if (writes(job, "kernels"))
    write_kernels(job);
  if (writes(job, "features"))
    write_features(job);
}

int command_ratings(dorm_context *context, int argc, char **argv)
{
  static const cli_usage usage = {
      .command = "ratings",
      .synopsis = "dorm ratings [CONFIG] [-s KEY=VALUE]... [--candidates USER] [--quiet]",
      .about =
          "Reads ratings, splits them if ratings.split says so, and writes what ratings.write names. OUTPUT is "
          "ratings.output:\n"
          "- features: OUTPUT.train.txt and, if ratings are held out, OUTPUT.test.txt: LETOR text in which each user "
          "is a query\n"
          "- ratings: OUTPUT.train.tsv and, if ratings are held out, OUTPUT.test.tsv\n"
          "- kernels: OUTPUT.users.gram and OUTPUT.items.gram",
      .settings = "ratings"};
  ratings_job job = {.context = context};
  dorm_settings *settings = NULL;
  const char *config = NULL;
  cli_texts assignments = {0};
  bool is_quiet = false;
  const cli_option options[] = {
      CLI_CONFIG_OPTION(&config), CLI_SET_OPTION(&assignments),
      CLI_OPTION(
          "candidates", 0, CLI_TEXT, &job.candidates, "USER",
          "writes OUTPUT.candidates.txt instead: all items that USER has not rated, with the features that held-out "
          "ratings have"),
      CLI_OPTION("quiet", 'q', CLI_FLAG, &is_quiet, NULL, "prints neither notes nor progress on standard error"),
      CLI_NO_MORE};
  cli_take_options(&usage, options, argc, argv);
  dorm_context_set_log(context, is_quiet ? NULL : cli_print_note, NULL);
  cli_expect(cli_find_configuration("ratings", argc, argv, 0, &config));
  cli_expect(cli_read_settings(context, config, &assignments, &settings));
  job.settings = settings;
  read_all(&job);
  if (job.candidates) {
    check_candidates(&job);
    write_features(&job);
  } else {
    write_all(&job);
  }
  dorm_ratings_free(job.training);
  dorm_ratings_free(job.held_out);
  dorm_attributes_free(job.users);
  dorm_attributes_free(job.items);
  dorm_settings_free(settings);
  return DORM_OK;
}
