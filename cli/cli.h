/*
 * cli.h: what the files of the command share. Of dorm's headers the command includes those in include/dorm/ alone.
 * Results go to standard output, progress and messages to standard error; the exit code is the dorm_status.
 */
#ifndef DORM_CLI_CLI_H
#define DORM_CLI_CLI_H

#include <stdbool.h>
#include <stdio.h>

#include "dorm/dorm.h"

/* A subcommand: argv[0] is its own name. Returns the exit code. */
typedef struct cli_command {
  const char *name;
  const char *summary; /* one line for `dorm --help` */
  int (*run)(dorm_context *context, int argc, char **argv);
} cli_command;

int command_train(dorm_context *context, int argc, char **argv);
int command_predict(dorm_context *context, int argc, char **argv);
int command_split(dorm_context *context, int argc, char **argv);
int command_data(dorm_context *context, int argc, char **argv);
int command_eval(dorm_context *context, int argc, char **argv);
int command_cache(dorm_context *context, int argc, char **argv);
int command_generate(dorm_context *context, int argc, char **argv);
int command_report(dorm_context *context, int argc, char **argv);
int command_show(dorm_context *context, int argc, char **argv);
int command_losses(dorm_context *context, int argc, char **argv);
int command_export(dorm_context *context, int argc, char **argv);
int command_kernels(dorm_context *context, int argc, char **argv);
int command_lambdas(dorm_context *context, int argc, char **argv);
int command_gradients(dorm_context *context, int argc, char **argv);
int command_allocate(dorm_context *context, int argc, char **argv);
int command_certify(dorm_context *context, int argc, char **argv);
int command_probe(dorm_context *context, int argc, char **argv);
int command_ratings(dorm_context *context, int argc, char **argv);
int command_factorize(dorm_context *context, int argc, char **argv);
int command_recommend(dorm_context *context, int argc, char **argv);

/* ---- options.c -------------------------------------------------------------- */

enum { CLI_MOST_TEXTS = 100, CLI_RUN = -1 };

/* Values of an option that may be given any number of times. */
typedef struct cli_texts {
  size_t count;
  const char *items[CLI_MOST_TEXTS];
} cli_texts;

typedef enum cli_option_kind {
  CLI_FLAG,    /* bool */
  CLI_TEXT,    /* const char * */
  CLI_TEXTS,   /* cli_texts */
  CLI_COUNT,   /* unsigned long long */
  CLI_NUMBER,  /* double */
  CLI_THREADS, /* size_t */
  CLI_FUNCTION /* the user of `take` */
} cli_option_kind;

/* An option: a row of a table, which ends with a name that is NULL. */
typedef struct cli_option {
  const char *name;
  char letter; /* 0: none */
  cli_option_kind kind;
  void *target;      /* of the type of the kind; keeps its value, the default, if the option is not given */
  const char *value; /* its name in the help; NULL for a flag */
  const char *help;
  double least, most; /* bounds of a number; no upper one if most < least, none if they are equal */
  int (*take)(void *target, const char *text); /* of CLI_FUNCTION; DORM_BAD_USAGE after a message */
} cli_option;

#define CLI_OPTION(name, letter, kind, target, value, help)                                                            \
  {                                                                                                                    \
    name, letter, kind, target, value, help, 0, 0, NULL                                                                \
  }
#define CLI_BOUNDED(name, letter, kind, target, value, help, least, most)                                              \
  {                                                                                                                    \
    name, letter, kind, target, value, help, least, most, NULL                                                         \
  }
#define CLI_TAKEN(name, letter, take, target, value, help)                                                             \
  {                                                                                                                    \
    name, letter, CLI_FUNCTION, target, value, help, 0, 0, take                                                        \
  }
#define CLI_NO_MORE CLI_OPTION(NULL, 0, CLI_FLAG, NULL, NULL, NULL)
/* Options that several commands have. */
#define CLI_THREADS_OPTION(target)                                                                                     \
  CLI_OPTION("threads", 't', CLI_THREADS, target, "N",                                                                 \
             "number of threads, 0: one for each processor (0); the results are the same for any number")
#define CLI_MODULE_OPTION(target)                                                                                      \
  CLI_OPTION("module", 0, CLI_TEXTS, target, "FILE", "a Gram matrix or kernel module that a model needs")
#define CLI_CONFIG_OPTION(target)                                                                                      \
  CLI_OPTION("config", 'c', CLI_TEXT, target, "FILE", "reads a configuration of any name")
#define CLI_SET_OPTION(target) CLI_OPTION("set", 's', CLI_TEXTS, target, "KEY=VALUE", "sets one setting")

/* Columns of CSV and TSV files that are no features; NULL: one with a usual name. */
typedef struct cli_columns {
  const char *query, *label, *id;
} cli_columns;
#define CLI_COLUMN_OPTIONS(columns)                                                                                    \
  CLI_OPTION("query", 0, CLI_TEXT, &(columns)->query, "COLUMN",                                                        \
             "column of the query in CSV or TSV (qid, query, ...)"),                                                   \
      CLI_OPTION("label", 0, CLI_TEXT, &(columns)->label, "COLUMN", "column of the label (label, relevance, ...)"),    \
      CLI_OPTION("id", 0, CLI_TEXT, &(columns)->id, "COLUMN", "column of the document (docid, url, ...)")
/* Says which columns are which; `features` as dorm_read_options.columns. */
void cli_name_columns(const cli_columns *columns, const char *features, dorm_read_options *options);

typedef struct cli_usage {
  const char *command;  /* "eval", in messages */
  const char *synopsis; /* "dorm eval MODEL... DATA", lines for several forms */
  const char *about;    /* a paragraph for the help */
  const char *after;    /* another one behind the options; NULL: none */
  const char *settings; /* the sections whose settings follow, "" for all; NULL: none */
} cli_usage;

/* Reads the options; argv[optind] is then the first argument. Returns CLI_RUN, or the exit code if that ends the
 * command: after --help, or after a message. */
int cli_take_options(const cli_usage *usage, const cli_option *options, int argc, char **argv);
/* Prints a text in lines of at most 79 columns, all but the first behind `indent` blanks. `at` is where the cursor is.
 * A line end in the text is kept. */
void cli_print_wrapped(const char *text, size_t at, size_t indent);
/* Reads a number; false if the text is something else. */
bool cli_parse_number(const char *text, double *value);

/* ---- settings.c ------------------------------------------------------------ */

/* Finds the configuration of `dorm COMMAND [CONFIG] [FILE]...`, whose options getopt has read: *config if --config
 * named one, otherwise the first argument if its name ends in .ini or .conf, otherwise NULL. Then argv[optind] is the
 * first of at most `most_files` data files. Prints a failure. */
dorm_status cli_find_configuration(const char *command, int argc, char **argv, int most_files, const char **config);
/* Reads the settings of a configuration, if there is one, then the assignments "key=value", which override them. Prints
 * a failure; the caller frees *settings in any case. */
dorm_status cli_read_settings(dorm_context *context, const char *config, const cli_texts *assignments,
                              dorm_settings **settings);
/* Prints the table of settings, for the sections that are named, as in "ratings solver", or for all (NULL). */
void cli_print_settings(const char *sections);
/* Prints what `dorm help TOPIC` says of config, formats, a section or a setting; false if the topic is none of these.
 */
bool cli_print_topic(const char *topic);

/* Reads the ratings that ratings.file, ratings.held_out and ratings.split name; *held_out is NULL if no ratings are
 * held out. Prints a failure. */
dorm_status cli_read_ratings(dorm_context *context, const dorm_settings *settings, dorm_ratings **training,
                             dorm_ratings **held_out);
/* ---- generate.c ---------------------------------------------------- */

/* `dorm generate ratings`; argv[0] is "ratings". */
int cli_generate_ratings(dorm_context *context, int argc, char **argv);

/* ---- generate.c ------------------------------------------------------ */

/* `dorm generate clicks`; argv[0] is "clicks". */
int cli_generate_clicks(dorm_context *context, int argc, char **argv);

/* ---- messages.c ----------------------------------------------------------- */

/* Prints what is for people: every text that is not a constant goes through here (dorm_printable). Line ends and tabs
 * of the format are printed, the ones of arguments are shown. Results that programs read keep their bytes. */
void cli_print(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints a sentence behind `indent` blanks, in lines of at most 80 columns. */
void cli_print_lines(FILE *file, size_t indent, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Prints a line of results: the name, then the text from column 12 on, in lines of at most 80 columns. */
void cli_print_named(FILE *file, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The columns of the terminal that standard error is; SIZE_MAX if it is none. */
size_t cli_terminal_width(void);
/* A dorm_log_function that prints notes and warnings on standard error. */
void cli_print_note(void *user, const dorm_event *event);
/* Prints "dorm: <the context's message>" to standard error; returns `status`. */
int cli_failure(const dorm_context *context, dorm_status status);
/* Prints "dorm: " and this sentence; returns DORM_BAD_USAGE. */
int cli_usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
int cli_out_of_memory(void);
/* "query" for 1, otherwise "queries". */
const char *cli_plural(size_t count, const char *one, const char *several);
/* Reads a whole number of 0 or more; false if the text is something else. */
bool cli_parse_count(const char *text, unsigned long long *value);
/* Reads a number of threads, 0 to 1024; false if the text is something else. */
bool cli_parse_threads(const char *text, size_t *num_threads);
/* Sets what an assignment "key=value" says. Prints a failure. */
dorm_status cli_set_setting(dorm_context *context, dorm_settings *settings, const char *assignment);
/* Flushes standard output and returns `status`; if that fails, prints why and returns DORM_IO_ERROR in place of
 * DORM_OK. */
int cli_flush(int status);

/* ---- policies/policy_files.c ------------------------------------------------------ */

/* Adds the prices of a file that `dorm allocate --prices` wrote to the scores of the documents. Prints a failure. */
dorm_status cli_add_prices(const char *path, const dorm_dataset *dataset, double *scores);
/* Draws a ranking of each query from a file that `dorm allocate --policy` wrote. The scores of its documents become
 * ones that fall along the ranking; queries that the file lacks keep their scores. Prints a failure. */
dorm_status cli_draw_policy(const char *path, unsigned long long seed, const dorm_dataset *dataset, double *scores);

/* ---- ranked.c ----------------------------------------------------------- */

typedef struct cli_diversity {
  bool is_on;            /* --diverse */
  const char *groups;    /* NULL: the model's */
  const char *subtopics; /* NULL: none */
  cli_texts assignments; /* --set */
} cli_diversity;

/* Takes --set for a cli_diversity; DORM_BAD_USAGE after a message. */
int cli_diversity_set(void *diversity, const char *text);
/* The settings of the model (NULL: the defaults), changed as the options say. Prints a failure. */
dorm_status cli_diversity_settings(dorm_context *context, const cli_diversity *diversity, const dorm_model *model,
                                   dorm_settings **settings);
/* Reads the groups and subtopics that the settings of a training name. */
dorm_status cli_read_lists(dorm_context *context, const dorm_settings *settings, dorm_dataset *dataset);
/* Reads the groups, if the settings name some, and the subtopics, if an option does. Prints a failure. */
dorm_status cli_diversity_read(dorm_context *context, const cli_diversity *diversity, const dorm_settings *settings,
                               dorm_dataset *dataset);

/* Writes the documents of each query by falling score, at most `top` of each (0: all), as lines of query, rank,
 * document and score between tabs, or as a TREC run. Scores after the top become -INFINITY. Prints a failure. */
dorm_status cli_write_ranked(dorm_context *context, const char *path, const dorm_dataset *dataset, size_t top,
                             bool is_trec, double *scores);

/* ---- test_data.c --------------------------------------------------------------- */

/* Prints how well a model ranks data.test; nothing if that is not set. Prints a failure. */
dorm_status cli_report_test(dorm_context *context, const dorm_settings *settings, const dorm_read_options *options,
                            const dorm_model *model);
/* Reads data.test, if it is a regular file, so that its faults are told before training. Prints a failure. */
dorm_status cli_check_test(dorm_context *context, const dorm_settings *settings, const dorm_read_options *options);

/* ---- modules.c --------------------------------------------------------------- */

void cli_print_parameters(size_t count, const dorm_loss_parameter *rows);
/* Opens the loss or kernel `spec` from the file at `path` and prints what it is. */
typedef dorm_status (*cli_check_function)(dorm_context *context, const char *path, const char *spec);
/* Checks the files one after the other; returns the exit code of the first failure. */
int cli_check_modules(dorm_context *context, const cli_texts *paths, cli_check_function check);
/* Reads a model and gives it the modules that the user named. */
dorm_status cli_read_model(dorm_context *context, const char *path, const cli_texts *modules, dorm_model **model);
/* Prints a note if a setting of the model (NULL: none) is left at its default in `settings`, of dorm_model_settings,
 * because it names a file; `option` is how the user gives it. */
void cli_note_file(const dorm_model *model, const dorm_settings *settings, const char *key, const char *option);
/* The length of the beginning of a measure's text that names it: what precedes its conventions, or all of minus_loss().
 */
int cli_short_measure(const char *measure);
/* Finds the measure that the model was chosen by, in *settings, which the caller frees; ndcg@10 if the model has none,
 * or one that names a file. */
dorm_status cli_measure_of_model(dorm_context *context, const dorm_model *model, dorm_settings **settings,
                                 const char **measure);

/* ---- data_summary.c ---------------------------------------------------------- */

/* A feature of a data file. Values that are missing count for `missing` alone. */
typedef struct cli_data_feature {
  size_t id, zeros, missing; /* zeros: also if a line does not name the feature */
  double least, mean, most;  /* NaN if all values are missing */
  double correlation;        /* with the label, within queries; 0 if either is constant there */
  bool is_constant;
  bool is_copy; /* equals the feature copy_of, whose id is smaller */
  size_t copy_of;
} cli_data_feature;

enum { CLI_MOST_MISTAKES = 8 };

/* A data file. */
typedef struct cli_data {
  const char *path;
  const dorm_dataset *dataset;
  size_t num_queries, num_docs, num_features;
  size_t least_docs, most_docs; /* of a query */
  double median_docs;
  size_t num_lone;       /* queries with one document */
  size_t num_level;      /* queries whose labels are all equal */
  size_t num_irrelevant; /* queries without a label above 0 */
  size_t num_apart;      /* queries whose lines are apart */
  bool is_sparse;
  size_t num_labels; /* distinct ones */
  double *labels;    /* [num_labels], increasing */
  size_t *label_counts;
  cli_data_feature *features; /* [num_features] */
  size_t num_mistakes;
  char *mistakes[CLI_MOST_MISTAKES]; /* likely ones, in sentences */
} cli_data;

/* A feature that differs between two files. */
typedef struct cli_data_shift {
  size_t id;
  size_t only_in;    /* 1 or 2: the file that alone has it; 0: both have it */
  double outside[2]; /* share of the values of each file outside of the range in the other one */
} cli_data_shift;

typedef struct cli_data_comparison {
  size_t num_shared; /* query ids in both files */
  size_t num_shifts;
  cli_data_shift *shifts; /* [num_shifts] */
} cli_data_comparison;

/* Computes the numbers of a data set, which outlives them. Prints a failure; the caller clears *data in any case. */
dorm_status cli_summarise(dorm_context *context, const dorm_dataset *dataset, const char *path, cli_data *data);
void cli_data_clear(cli_data *data);
enum { CLI_IDS_SIZE = 264 };
/* Writes ": 3, 7" with the ids of the features for which `is` holds, at most the first ten; returns their number. */
size_t cli_list_features(const cli_data *data, bool (*is)(const cli_data_feature *feature), char ids[CLI_IDS_SIZE]);
/* Fills the comparison, whose shifts are freed by the caller. Prints a failure. */
dorm_status cli_compare_data(dorm_context *context, const cli_data files[2], cli_data_comparison *made);

/* ---- progress.c ------------------------------------------------------------ */

/* Values of trees or a net by round, summed over folds. */
enum { CLI_MOST_CURVES = 12 };
typedef struct cli_curve {
  size_t number; /* of the candidate */
  char text[48];
  size_t count, capacity; /* rounds */
  double *sums;           /* [count] of validation values */
  size_t *folds;          /* [count] how many values each sum has */
} cli_curve;

/* Prints events of training: on standard error, and as lines of JSON into a file. */
typedef struct cli_progress {
  bool is_quiet;
  bool is_verbose;
  bool is_terminal;
  double best;           /* validation value so far */
  size_t num_done;       /* candidates so far */
  size_t num_candidates; /* that are expected; 0: not known yet */
  double started;        /* in seconds, on a clock that only goes forward */
  double printed;        /* when the last line was */
  FILE *json;            /* may be NULL */
  bool is_whole;         /* whether all events so far were written to the file */
  bool keeps_curves;
  size_t num_curves;
  cli_curve curves[CLI_MOST_CURVES]; /* of the first candidates that have some */
} cli_progress;

/* How much is printed: warnings and results; progress and notes too; details, all candidates and a table of them too.
 */
typedef enum cli_loudness { CLI_QUIET, CLI_NORMAL, CLI_VERBOSE } cli_loudness;

/* log_path may be NULL; a log that is there is added to, or replaced. */
dorm_status cli_progress_start(cli_progress *progress, cli_loudness loudness, const char *log_path, bool appends);
void cli_progress_event(void *progress, const dorm_event *event); /* a dorm_log_function */
/* Logs which candidates make the model. */
void cli_progress_selection(cli_progress *progress, const dorm_training *training);
/* Takes the line of progress from the terminal. */
void cli_progress_clear(const cli_progress *progress);
/* False when the log could not be written whole. The curves stay until cli_progress_free. */
bool cli_progress_end(cli_progress *progress);
void cli_progress_free(cli_progress *progress);

/* ---- train_output.c --------------------------------------------------------- */

/* Prints on standard error how many queries, documents and features the data of a file have, and their labels. */
void cli_print_data(const char *path, const dorm_dataset *dataset);
/* Prints what the model is worth and made of, with CLI_VERBOSE also a table of the ten best candidates and a line per
 * kernel, and writes all candidates to output.candidates if that names a file; prints a failure. */
dorm_status cli_print_training(dorm_context *context, const dorm_settings *settings, const dorm_training *training,
                               cli_loudness loudness);

/* ---- log_json.c ------------------------------------------------------------- */

/* Writes the event as one line of JSON; false if that failed, or memory ran out. */
bool cli_write_json(FILE *file, const dorm_event *event);
/* The same for a report of a stream. */
bool cli_write_stream_json(FILE *file, const dorm_stream_report *report);
/* The same for what was chosen at the end of a training. */
bool cli_write_selection_json(FILE *file, const dorm_training *training);
/* Writes all that `dorm show` prints as one JSON object; importance [features of the model] may be NULL. */
bool cli_write_model_json(FILE *file, const dorm_model *model, const char *const *names, const double *importance);

/* A field of a JSON object: a text, or if that is NULL a number, null if it is not finite. */
typedef struct cli_field {
  const char *name, *text;
  double number;
} cli_field;
/* Writes them as one JSON object. */
bool cli_write_fields_json(FILE *file, size_t count, const cli_field *fields);
/* Writes what `dorm data` prints of one file, or of two and their comparison, as one JSON object. */
bool cli_write_data_json(FILE *file, size_t num_files, const cli_data *files, const cli_data_comparison *comparison);
enum { CLI_PROBE_CURVES = 4 };
/* Writes a probe as one JSON object, with the measure along the first CLI_PROBE_CURVES directions. */
bool cli_write_probe_json(FILE *file, const dorm_probe *probe);

/* ---- eval_output.c ----------------------------------------------------------- */

/* The models or files to evaluate: a model, a score file or a TREC run. */
typedef struct cli_system {
  const char *name;             /* the file it comes from */
  const dorm_dataset *dataset;  /* the same for all systems, or own_dataset */
  dorm_dataset *own_dataset;    /* of a TREC run */
  bool is_chance;               /* random order */
  double *scores;               /* of a model or a score file */
  double *run_scores;           /* of a TREC run */
  dorm_evaluation *evaluations; /* [num_measures] */
  double *values;               /* [num_measures][num_queries]; NaN: skipped */
} cli_system;

/* The propensities that estimates from clicks took. */
typedef struct cli_click_curve {
  double eta, eta_error; /* NaN: given, or no power law */
  size_t num_positions;
  double *values; /* [num_positions] */
} cli_click_curve;

typedef struct cli_results {
  size_t num_measures;
  const char *const *measures; /* as the user named them */
  size_t num_systems;
  cli_system *systems;
  dorm_dataset *dataset;            /* NULL for TREC runs */
  dorm_comparison *comparisons;     /* [num_systems - 1][num_measures]: the first against the others */
  dorm_click_evaluation *estimates; /* [2 num_systems - 1]: each, then the first less each other one; NULL: no clicks */
  size_t click_truncation;
  cli_click_curve click_curve;
} cli_results;

const double *cli_scores_of(const cli_system *system);
/* The measure of a system with the conventions that the text leaves open: the defaults of trec_eval for a TREC run, and
 * ties=expected for random order whatever the text says. NULL when out of memory; caller frees. */
char *cli_measure_text(const char *measure, const cli_system *system);
void cli_print_results(const cli_results *results);
/* Opens an output file that is no input; "-" is standard output. Prints a failure. */
dorm_status cli_open_output(dorm_context *context, const char *path, FILE **file);
/* Not DORM_OK after a message. */
dorm_status cli_close_output(FILE *file, const char *path);
/* Writes tab-separated values: one line per query, one field for each system and measure. */
dorm_status cli_write_per_query(dorm_context *context, const cli_results *results, const char *path);
/* Writes one JSON object for each system and measure, then one for each comparison, then one for each estimate from
 * clicks (log_json.c). */
dorm_status cli_write_results_json(dorm_context *context, const cli_results *results, const char *path);

/* ---- report/report.c ------------------------------------------------------------ */

typedef struct cli_report_options {
  const char *model, *against;  /* files; NULL: no other model */
  const char *output;           /* of the page */
  const char *measure;          /* NULL: the one that chose the model */
  const char *names;            /* file of the features' names; NULL: none */
  cli_texts data;               /* files to measure on */
  const cli_progress *progress; /* of the training; NULL: none */
  cli_columns columns;
  size_t num_threads;
} cli_report_options;

/* Writes a page of HTML about a model; `other` and `training` may be NULL. Prints a failure. */
dorm_status cli_write_report(dorm_context *context, const cli_report_options *asked, const dorm_model *model,
                             const dorm_model *other, const dorm_training *training);

/* ---- alone.c for the program dorm, mpi.c for dorm-mpi ---- */

/* The name of the program. */
const char *cli_program(void);
/* Makes the processes of this program known to the context; false when that failed. */
bool cli_processes_start(dorm_context *context, int *argc, char ***argv);
/* Whether this is the process that prints and writes files. */
bool cli_is_first(void);
/* All processes call this with their status, whose sentence they have written to standard error: returns the status of
 * the lowest process that failed, and prints its message. */
dorm_status cli_agree(dorm_status status);
/* From here on this process works alone with this context. */
void cli_processes_leave(dorm_context *context);
/* The last that a process does, whose exit code `status` will be. If it failed alone, where the others cannot learn of
 * it, all processes end. */
void cli_processes_end(int status);

/* ---- clicks.c ------------------------------------------------------------------ */

/* The options of `dorm eval --clicks`. */
typedef struct cli_click_evaluation {
  const char *path;              /* of the log; NULL: nothing is asked */
  unsigned long long truncation; /* 0: all positions count */
  cli_texts assignments;         /* of settings clicks.* */
  const char *model;             /* of clicks, for doubly robust estimates; NULL: none */
  const char *propensities;      /* a file to write; NULL: none */
} cli_click_evaluation;

/* If the settings name logs of clicks: sees to it that loss and measure have linear gains, and refuses others. Prints
 * a failure. */
dorm_status cli_prepare_clicks(dorm_context *context, dorm_settings *settings);
/* Puts the clicks that the settings name in the place of the labels. */
dorm_status cli_take_clicks(dorm_context *context, const dorm_settings *settings, dorm_dataset *train,
                            dorm_dataset *validation);
/* Estimates every system, and the first less each other one, into results->estimates, which the caller frees.
 * Propensities are what the model at model_path (NULL: none) was trained with, as the options change it. Prints a
 * failure. */
dorm_status cli_evaluate_clicks(dorm_context *context, const cli_click_evaluation *asked, const char *model_path,
                                cli_results *results);
/* Writes the model after a training of the status `trained`, or MODEL.refused in its place, with DORM_STOPPED, if the
 * clicks on the validation data do not show that it ranks as well as the rankings that users saw. Prints a failure. */
dorm_status cli_write_if_safe(dorm_context *context, const dorm_settings *settings, const dorm_model *model,
                              const dorm_dataset *validation, dorm_status trained);
void cli_print_estimates(const cli_click_evaluation *asked, const cli_results *results);

/* ---- policies/requirements.c ------------------------------------------------------ */

/* How `dorm allocate` is called. */
typedef struct cli_allocation {
  dorm_model *model;       /* NULL: gains are of labels */
  cli_diversity diversity; /* groups */
  cli_texts requirements, modules;
  const char *prices, *policy, *held_out; /* files; NULL: none */
  unsigned long long top;
  double gap;
  bool is_per_query, as_json;
  size_t num_threads;
  cli_columns columns;
} cli_allocation;

/* What the share that a group must have is proportional to. */
typedef enum cli_claim { CLI_NO_CLAIM, CLI_CLAIM_OF_DOCS, CLI_CLAIM_OF_GAINS } cli_claim;

/* A data set with groups, gains and requirements on the shares of groups. */
typedef struct cli_grouped {
  dorm_dataset *dataset;
  size_t num_groups;
  uint32_t *group_of;        /* [num_docs]; num_groups: none */
  double *gains;             /* [num_docs] */
  const char **names;        /* [num_groups] */
  double *least, *most;      /* [num_groups + 1] shares; NAN: none */
  double *doc_share, *merit; /* [num_groups + 1] of the documents, and of their gains; in one piece with least */
  cli_claim *claims;         /* [num_groups] of the least share */
} cli_grouped;

/* Reads data with groups, gains and requirements. Prints a failure; close `groups` even then. */
dorm_status cli_grouped_open(dorm_context *context, const cli_allocation *asked, const char *path, cli_grouped *groups);
void cli_grouped_close(cli_grouped *groups);
/* Sets the requirements on documents begin .. end - 1, for the groups that these have. Prints a failure. */
dorm_status cli_require(const cli_texts *texts, size_t begin, size_t end, cli_grouped *groups);

#endif
