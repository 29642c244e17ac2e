/* cli.h: declarations that the files of the command share. The command includes only the headers in include/dorm/.
 * Results go to standard output, progress and messages to standard error. The exit code is the dorm_status. */
#ifndef DORM_CLI_CLI_H
#define DORM_CLI_CLI_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
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

enum { CLI_MOST_TEXTS = 100 };

/* Values of an option that may be given any number of times. */
typedef struct cli_texts {
  size_t count;
  const char *items[CLI_MOST_TEXTS];
} cli_texts;

typedef enum cli_option_kind {
  CLI_FLAG,    /* bool */
  CLI_SWITCH,  /* int, which becomes 1 */
  CLI_TEXT,    /* const char * */
  CLI_TEXTS,   /* cli_texts */
  CLI_SEED,    /* uint64_t */
  CLI_SIZE,    /* size_t */
  CLI_NUMBER,  /* double */
  CLI_FUNCTION /* the function `take` */
} cli_option_kind;

/* An option: a row of a table. A row with name NULL ends the table. */
typedef struct cli_option {
  const char *name;
  char letter; /* or 0 */
  cli_option_kind kind;
  void *target;      /* the type depends on the kind; holds the default if the option is not given */
  const char *value; /* its name in the help, or NULL for a flag */
  const char *help;
  double least, most;                          /* bounds of a number (most < least: no upper bound, equal: no bounds) */
  int (*take)(void *target, const char *text); /* for CLI_FUNCTION, returns DORM_BAD_USAGE after a message */
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
/* Options that several commands share. */
#define CLI_THREADS_OPTION(target)                                                                                     \
  CLI_BOUNDED("threads", 't', CLI_SIZE, target, "N",                                                                   \
              "number of threads, 0: one for each processor (0); the results are the same for any number", 0, 1024)
#define CLI_MODULE_OPTION(target)                                                                                      \
  CLI_OPTION("module", 0, CLI_TEXTS, target, "FILE", "a Gram matrix or kernel module that a model needs")
#define CLI_CONFIG_OPTION(target)                                                                                      \
  CLI_OPTION("config", 'c', CLI_TEXT, target, "FILE", "reads a configuration of any name")
#define CLI_SET_OPTION(target) CLI_OPTION("set", 's', CLI_TEXTS, target, "KEY=VALUE", "sets one setting")

/* The columns of CSV and TSV files that are not features, for dorm_read_options. */
#define CLI_COLUMN_OPTIONS(reading)                                                                                    \
  CLI_OPTION("query", 0, CLI_TEXT, &(reading)->query_column, "COLUMN",                                                 \
             "column of the query in CSV or TSV (qid, query, ...)"),                                                   \
      CLI_OPTION("label", 0, CLI_TEXT, &(reading)->label_column, "COLUMN",                                             \
                 "column of the label (label, relevance, ...)"),                                                       \
      CLI_OPTION("id", 0, CLI_TEXT, &(reading)->id_column, "COLUMN", "column of the document (docid, url, ...)")

typedef struct cli_usage {
  const char *command;  /* "eval", in messages */
  const char *synopsis; /* "dorm eval MODEL... DATA", several lines for several forms */
  const char *about;    /* a paragraph for the help */
  const char *after;    /* another paragraph after the options, or NULL */
  const char *settings; /* the sections whose settings are listed, "" for all, or NULL */
} cli_usage;

/* Reads the options. Afterwards argv[optind] is the first argument. Ends the program after --help and after an error
 * message. */
void cli_take_options(const cli_usage *usage, const cli_option *options, int argc, char **argv);
/* Prints a text in lines of at most 79 columns. `at` is the column of the cursor. All lines but the first are indented
 * by `indent` blanks. Line ends in the text are kept. */
void cli_print_wrapped(const char *text, size_t at, size_t indent);
/* Reads a number. Returns false if the text is not a number. */
bool cli_parse_number(const char *text, double *value);

/* ---- settings.c ------------------------------------------------------------ */

/* Finds the configuration of `dorm COMMAND [CONFIG] [FILE]...` after getopt has read the options. *config is the file
 * that --config names, or else the first argument if its name ends in .ini or .conf, or else NULL. Afterwards
 * argv[optind] is the first of at most `most_files` data files. Prints a failure. */
dorm_status cli_find_configuration(const char *command, int argc, char **argv, int most_files, const char **config);
/* Reads the settings of the configuration, if there is one. Assignments "key=value" override them. Prints a failure.
 * The caller frees *settings in any case. */
dorm_status cli_read_settings(dorm_context *context, const char *config, const cli_texts *assignments,
                              dorm_settings **settings);
/* Prints the table of settings for the named sections, as in "ratings solver", or for all sections (NULL). */
void cli_print_settings(const char *sections);
/* Prints the text of `dorm help TOPIC` for config, formats, a section or a setting. Returns false for other topics. */
bool cli_print_topic(const char *topic);

/* Reads the ratings that ratings.file, ratings.held_out and ratings.split name. *held_out becomes NULL if no ratings
 * are held out. */
void cli_read_ratings(dorm_context *context, const dorm_settings *settings, dorm_ratings **training,
                      dorm_ratings **held_out);

/* ---- messages.c ----------------------------------------------------------- */

/* Writes the text to `shown`, escaped, with at most CLI_MOST_ESCAPED characters for each of the text and a zero byte.
 * Returns its length. */
enum { CLI_MOST_ESCAPED = 5 };
typedef size_t (*cli_escape_function)(const char *text, char *shown);
/* Formats as vsnprintf does, but escapes the characters among `kept` unless they are in the format, and all others. The
 * caller frees the text, which is NULL when out of memory. */
char *cli_format_escaped(const char *format, va_list arguments, const char *kept, cli_escape_function escape);
/* Prints text for people. All text that is not constant must be printed by this function, which makes it safe for
 * terminals (dorm_printable). Line ends and tabs of the format are printed, those in arguments are escaped. Results
 * that programs read keep their bytes. */
void cli_print(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints a sentence in lines of at most 80 columns, indented by `indent` blanks. */
void cli_print_lines(FILE *file, size_t indent, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Prints a line of results: the name, then the text from column 12 on, in lines of at most 80 columns. */
void cli_print_named(FILE *file, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The width of the terminal on standard error, or SIZE_MAX if it is not a terminal. */
size_t cli_terminal_width(void);
/* A dorm_log_function that prints notes and warnings on standard error. */
void cli_print_note(void *user, const dorm_event *event);
/* Prints "dorm: <the context's message>" to standard error and returns `status`. */
dorm_status cli_failure(const dorm_context *context, dorm_status status);
/* Prints "dorm: " and the sentence, and returns DORM_BAD_USAGE. */
dorm_status cli_usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
dorm_status cli_out_of_memory(void);
/* "query" for 1, otherwise "queries". */
const char *cli_plural(size_t count, const char *one, const char *several);
/* Reads an integer of at least 0. Returns false if the text is something else. */
bool cli_parse_count(const char *text, unsigned long long *value);
/* Applies an assignment "key=value". Prints a failure. */
dorm_status cli_set_setting(dorm_context *context, dorm_settings *settings, const char *assignment);
/* Flushes standard output and returns `status`. If flushing fails, prints the reason and returns DORM_IO_ERROR instead
 * of DORM_OK. */
int cli_flush(int status);

/* ---- end.c ---------------------------------------------------------------- */

/* Says that a command begins, which cli_end ends. */
void cli_begin(dorm_context *context);
/* Flushes standard output, releases what the context has locked, and ends the program with this exit code. Each command
 * but train ends at its first failure. (The processes of dorm-mpi, which only trains, first agree on a failure.) */
_Noreturn void cli_end(int status);
/* Prints a constant sentence and ends the process at once, with the exit code for lack of memory. */
_Noreturn void cli_run_out(const char *sentence);
/* Ends the program with the exit code `status` unless it is DORM_OK. cli_check prints the context's message before,
 * cli_expect is for failures that have been printed. */
void cli_check(const dorm_context *context, dorm_status status);
void cli_expect(int status);
/* Allocates zeros. Ends the program when out of memory. */
void *cli_alloc(size_t count, size_t size);

/* ---- policies/policy_files.c ------------------------------------------------------ */

/* Adds the prices of a file that `dorm allocate --prices` wrote to the scores of the documents. */
void cli_add_prices(const char *path, const dorm_dataset *dataset, double *scores);
/* Draws a ranking of each query from a file that `dorm allocate --policy` wrote, and overwrites the scores of its
 * documents by scores that fall along the ranking. Queries that are not in the file keep their scores. */
void cli_draw_policy(const char *path, uint64_t seed, const dorm_dataset *dataset, double *scores);

/* ---- ranked.c ----------------------------------------------------------- */

typedef struct cli_diversity {
  bool is_on;            /* --diverse */
  const char *groups;    /* NULL: as in the model */
  const char *subtopics; /* or NULL */
  cli_texts assignments; /* --set */
} cli_diversity;

/* Takes --set for a cli_diversity. Returns DORM_BAD_USAGE after a message. */
int cli_diversity_set(void *diversity, const char *text);
/* Makes the settings of the model (NULL: the defaults), changed by the options. The caller frees them. */
dorm_settings *cli_diversity_settings(dorm_context *context, const cli_diversity *diversity, const dorm_model *model);
/* Reads the groups and subtopics that the settings of a training name. */
dorm_status cli_read_lists(dorm_context *context, const dorm_settings *settings, dorm_dataset *dataset);
/* Reads the groups if the settings name any, and the subtopics if an option does. */
void cli_diversity_read(dorm_context *context, const cli_diversity *diversity, const dorm_settings *settings,
                        dorm_dataset *dataset);

/* Writes the documents of each query by falling score, at most `top` of each (0: all), as lines of query, rank,
 * document and score between tabs, or as a TREC run. Scores after the top become -INFINITY. */
void cli_write_ranked(dorm_context *context, const char *path, const dorm_dataset *dataset, size_t top, bool is_trec,
                      double *scores);

/* ---- test_data.c --------------------------------------------------------------- */

/* Prints how well a model ranks data.test, if that is set. Prints a failure. */
dorm_status cli_report_test(dorm_context *context, const dorm_settings *settings, const dorm_read_options *options,
                            const dorm_model *model);
/* Reads data.test, if it is a regular file, to report its errors before training. Prints a failure. */
dorm_status cli_check_test(dorm_context *context, const dorm_settings *settings, const dorm_read_options *options);

/* ---- modules.c --------------------------------------------------------------- */

void cli_print_parameters(size_t count, const dorm_loss_parameter *rows);
/* Opens the loss or kernel `spec` from the file at `path` and describes it. */
typedef dorm_status (*cli_check_function)(dorm_context *context, const char *path, const char *spec);
/* Checks the files in turn. Returns the exit code of the first failure. */
int cli_check_modules(dorm_context *context, const cli_texts *paths, cli_check_function check);
/* Reads a model and attaches the modules that the user named. */
dorm_model *cli_read_model(dorm_context *context, const char *path, const cli_texts *modules);
/* Reads data with these options, with the columns that the settings of the model name (NULL: no model). */
dorm_dataset *cli_read_data(dorm_context *context, const dorm_model *model, const char *path,
                            dorm_read_options *options);
/* Prints a note if dorm_model_settings left a setting of the model (NULL: no model) at its default because it names a
 * file. `option` is the option that the user can give instead. */
void cli_note_file(const dorm_model *model, const dorm_settings *settings, const char *key, const char *option);
/* The length of the name at the start of a measure's text: all before its conventions, or all of minus_loss(). */
int cli_short_measure(const char *measure);
/* Returns the measure that selected the model, as a text of *settings, which the caller frees. The result is ndcg@10 if
 * the model has no measure, or one that names a file. */
const char *cli_measure_of_model(dorm_context *context, const dorm_model *model, dorm_settings **settings);

/* ---- data_summary.c ---------------------------------------------------------- */

/* A feature of a data file. Missing values count in `missing` alone. */
typedef struct cli_data_feature {
  size_t id, zeros, missing; /* zeros include those that a line leaves out */
  double least, mean, most;  /* NaN if all values are missing */
  double correlation;        /* with the label, within queries (0 if one of them is constant there) */
  bool is_constant;
  bool is_copy; /* equals feature copy_of, which has a smaller id */
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
  size_t num_apart;      /* queries whose lines are scattered */
  bool is_sparse;
  size_t num_labels; /* distinct ones */
  double *labels;    /* [num_labels], increasing */
  size_t *label_counts;
  cli_data_feature *features; /* [num_features] */
  size_t num_mistakes;
  char *mistakes[CLI_MOST_MISTAKES]; /* likely mistakes, as sentences */
} cli_data;

/* A feature that differs between two files. */
typedef struct cli_data_shift {
  size_t id;
  size_t only_in;    /* 1 or 2: only this file has it, 0: both files have it */
  double outside[2]; /* share of each file's values outside the range of the other file */
} cli_data_shift;

typedef struct cli_data_comparison {
  size_t num_shared; /* query ids in both files */
  size_t num_shifts;
  cli_data_shift *shifts; /* [num_shifts] */
} cli_data_comparison;

/* Summarises a data set, which must outlive the summary. The caller clears *data. */
void cli_summarise(dorm_context *context, const dorm_dataset *dataset, const char *path, cli_data *data);
void cli_data_clear(cli_data *data);
enum { CLI_IDS_SIZE = 264 };
/* Writes ": 3, 7" with the ids of at most ten features for which `is` holds. Returns the number of such features. */
size_t cli_list_features(const cli_data *data, bool (*is)(const cli_data_feature *feature), char ids[CLI_IDS_SIZE]);
/* Fills the comparison. The caller frees its shifts. */
void cli_compare_data(dorm_context *context, const cli_data files[2], cli_data_comparison *made);

/* ---- progress.c ------------------------------------------------------------ */

/* Values of trees or a net after each round, summed over folds. */
enum { CLI_MOST_CURVES = 12 };
typedef struct cli_curve_round {
  double sum;   /* of validation values */
  size_t folds; /* number of these */
} cli_curve_round;
typedef struct cli_curve {
  size_t number; /* of the candidate */
  char text[48];
  size_t count, capacity;
  cli_curve_round *rounds; /* [count] */
} cli_curve;

/* Prints events of training on standard error, and as lines of JSON to a file. */
typedef struct cli_progress {
  bool is_quiet;
  bool is_verbose;
  bool is_terminal;
  double best;           /* validation value so far */
  size_t num_done;       /* candidates so far */
  size_t num_candidates; /* expected number, or 0 if unknown */
  double started;        /* seconds of a monotonic clock */
  double printed;        /* time of the last line */
  FILE *json;            /* or NULL */
  bool is_whole;         /* all events so far were written to the file */
  bool keeps_curves;
  size_t num_curves;
  cli_curve curves[CLI_MOST_CURVES]; /* of the first candidates that have curves */
} cli_progress;

/* How much is printed. Quiet: warnings and results. Normal: also progress and notes. Verbose: also details and all
 * candidates, with a table. */
typedef enum cli_loudness { CLI_QUIET, CLI_NORMAL, CLI_VERBOSE } cli_loudness;

/* Starts the log. log_path may be NULL. An existing log is extended or replaced. */
dorm_status cli_progress_start(cli_progress *progress, cli_loudness loudness, const char *log_path, bool appends);
void cli_progress_event(void *progress, const dorm_event *event); /* a dorm_log_function */
/* Logs the candidates that were selected for the model. */
void cli_progress_selection(cli_progress *progress, const dorm_training *training);
/* Clears the line of progress on the terminal. */
void cli_progress_clear(const cli_progress *progress);
/* Ends the log. Returns false if it could not be written completely. The curves stay until cli_progress_free. */
bool cli_progress_end(cli_progress *progress);
void cli_progress_free(cli_progress *progress);

/* ---- train_output.c --------------------------------------------------------- */

/* Prints the number of queries, documents and features of a data set, and its labels, on standard error. */
void cli_print_data(const char *path, const dorm_dataset *dataset);
/* Prints the value and the parts of the model. CLI_VERBOSE adds a table of the ten best candidates and a line per
 * kernel. Writes all candidates to output.candidates if that names a file. Prints a failure. */
dorm_status cli_print_training(dorm_context *context, const dorm_settings *settings, const dorm_training *training,
                               cli_loudness loudness);

/* ---- log_json.c ------------------------------------------------------------- */

/* Writes the event as one line of JSON. Returns false if writing fails or memory runs out. */
bool cli_write_json(FILE *file, const dorm_event *event);
/* Does the same for a report of a stream. */
bool cli_write_stream_json(FILE *file, const dorm_stream_report *report);
/* Does the same for the selection at the end of a training. */
bool cli_write_selection_json(FILE *file, const dorm_training *training);
/* Writes all that `dorm show` prints as one JSON object. importance [features of the model] may be NULL. Like the
 * functions below, ends the program when out of memory. */
void cli_write_model_json(FILE *file, const dorm_model *model, const char *const *names, const double *importance);

/* A field of a JSON object: a text, or if that is NULL a number. Numbers that are not finite become null. */
typedef struct cli_field {
  const char *name, *text;
  double number;
} cli_field;
/* Writes the fields as one JSON object. */
void cli_write_fields_json(FILE *file, size_t count, const cli_field *fields);
/* Writes the output of `dorm data` for one file, or for two files and their comparison, as one JSON object. */
void cli_write_data_json(FILE *file, size_t num_files, const cli_data *files, const cli_data_comparison *comparison);
enum { CLI_PROBE_CURVES = 4 };
/* Writes a probe as one JSON object, with the measure along the first CLI_PROBE_CURVES directions. */
void cli_write_probe_json(FILE *file, const dorm_probe *probe);

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
  double *values;               /* [num_measures][num_queries], NaN for skipped queries */
} cli_system;

/* The propensities that the click estimates used. */
typedef struct cli_click_curve {
  double eta, eta_error; /* NaN if given, or not a power law */
  size_t num_positions;
  double *values; /* [num_positions] */
} cli_click_curve;

typedef struct cli_results {
  size_t num_measures;
  const char *const *measures; /* as the user named them */
  size_t num_systems;
  cli_system *systems;
  dorm_dataset *dataset;            /* or NULL for TREC runs */
  dorm_comparison *comparisons;     /* [num_systems - 1][num_measures], the first system against each other one */
  dorm_click_evaluation *estimates; /* [2 num_systems - 1]: each, then the first minus each other one, or NULL */
  size_t click_truncation;
  cli_click_curve click_curve;
} cli_results;

const double *cli_scores_of(const cli_system *system);
/* Returns the text of the measure with the conventions that the user left open: ties=expected for random order
 * (always), and the defaults of trec_eval for TREC runs. The caller frees the text. */
char *cli_measure_text(const char *measure, const cli_system *system);
void cli_print_results(const cli_results *results);
/* Opens an output file, which must not be an input. "-" is standard output. Prints a failure. */
dorm_status cli_open_output(dorm_context *context, const char *path, FILE **file);
/* Opens a file for reading, or ends the program. */
FILE *cli_open_input(const char *path);
/* Closes the file. Returns DORM_OK, or another status after a message. */
dorm_status cli_close_output(FILE *file, const char *path);
/* Writes tab-separated values: one line per query, one field per system and measure. */
void cli_write_per_query(dorm_context *context, const cli_results *results, const char *path);
/* Writes one JSON object for each system and measure, for each comparison, and for each estimate from clicks, in this
 * order (log_json.c). */
void cli_write_results_json(dorm_context *context, const cli_results *results, const char *path);

/* ---- report/report.c ------------------------------------------------------------ */

typedef struct cli_report_options {
  const char *model, *against;  /* files, against may be NULL */
  const char *output;           /* path of the page */
  const char *measure;          /* or NULL for the one that selected the model */
  const char *names;            /* file with the names of the features, or NULL */
  cli_texts data;               /* files to measure on */
  const cli_progress *progress; /* of the training, or NULL */
  dorm_read_options reading;    /* columns and threads */
} cli_report_options;

/* Writes a page of HTML about a model. `other` and `training` may be NULL. */
void cli_write_report(dorm_context *context, const cli_report_options *asked, const dorm_model *model,
                      const dorm_model *other, const dorm_training *training);

/* ---- alone.c for the program dorm, mpi.c for dorm-mpi ---- */

/* The name of the program. */
const char *cli_program(void);
/* Registers the processes of this program with the context. Returns false on failure. */
bool cli_processes_start(dorm_context *context, int *argc, char ***argv);
/* Whether this process prints and writes files. */
bool cli_is_first(void);
/* Agrees on a status. All processes call this with their own, whose message they have written to standard error.
 * Returns the status of the lowest process that failed, and prints its message. */
dorm_status cli_agree(dorm_status status);
/* Makes this process work alone with the context from here on. */
void cli_processes_leave(dorm_context *context);
/* Ends the process, whose exit code will be `status`. If this process failed alone and the others cannot learn of it,
 * all processes are ended. */
void cli_processes_end(int status);

/* ---- clicks.c ------------------------------------------------------------------ */

/* The options of `dorm eval --clicks`. */
typedef struct cli_click_evaluation {
  const char *path;         /* path of the log, or NULL */
  size_t truncation;        /* 0 if all positions count */
  cli_texts assignments;    /* of settings clicks.* */
  const char *model;        /* a click model for doubly robust estimates, or NULL */
  const char *propensities; /* a file to write, or NULL */
} cli_click_evaluation;

/* If the settings name logs of clicks, gives loss and measure linear gains and rejects other gains. Prints a
 * failure. */
dorm_status cli_prepare_clicks(dorm_context *context, dorm_settings *settings);
/* Replaces the labels by the clicks that the settings name. */
dorm_status cli_take_clicks(dorm_context *context, const dorm_settings *settings, dorm_dataset *train,
                            dorm_dataset *validation);
/* Estimates every system, and the difference between the first and each other system. The caller frees
 * results->estimates. Uses the propensities that the model at model_path (NULL: no model) was trained with, as
 * changed by the options. Prints a failure. */
dorm_status cli_evaluate_clicks(dorm_context *context, const cli_click_evaluation *asked, const char *model_path,
                                cli_results *results);
/* Writes the model after a training that returned `trained`. If the clicks on the validation data do not show that the
 * model ranks as well as the logged rankings, writes MODEL.refused instead and returns DORM_STOPPED. Prints a
 * failure. */
dorm_status cli_write_if_safe(dorm_context *context, const dorm_settings *settings, const dorm_model *model,
                              const dorm_dataset *validation, dorm_status trained);
void cli_print_estimates(const cli_click_evaluation *asked, const cli_results *results);

/* ---- policies/requirements.c ------------------------------------------------------ */

/* The arguments of `dorm allocate`. */
typedef struct cli_allocation {
  dorm_model *model;       /* NULL: gains come from labels */
  cli_diversity diversity; /* groups */
  cli_texts requirements, modules;
  const char *prices, *policy, *held_out; /* files, or NULL */
  size_t top;
  double gap;
  bool is_per_query, as_json;
  dorm_read_options reading;
} cli_allocation;

/* The quantity that a group's least share is proportional to. */
typedef enum cli_claim { CLI_NO_CLAIM, CLI_CLAIM_OF_DOCS, CLI_CLAIM_OF_GAINS } cli_claim;

/* A data set with groups, gains and requirements on the shares of groups. */
typedef struct cli_grouped {
  dorm_dataset *dataset;
  size_t num_groups;
  uint32_t *group_of;        /* [num_docs], num_groups if in no group */
  double *gains;             /* [num_docs] */
  const char **names;        /* [num_groups] */
  double *least, *most;      /* [num_groups + 1] shares, or NAN */
  double *doc_share, *merit; /* [num_groups + 1] of the documents, and of their gains; in one piece with least */
  cli_claim *claims;         /* [num_groups] for the least share */
} cli_grouped;

/* Reads data with groups, gains and requirements. The caller closes `groups`. */
void cli_grouped_open(dorm_context *context, const cli_allocation *asked, const char *path, cli_grouped *groups);
void cli_grouped_close(cli_grouped *groups);
/* Sets the requirements for documents begin .. end - 1 and the groups among them. */
void cli_require(const cli_texts *texts, size_t begin, size_t end, cli_grouped *groups);

#endif
