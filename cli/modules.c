/* modules.c: functions for modules that several commands share: print their parameters, check their files, and attach
 * them to models. */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void cli_print_parameters(size_t count, const dorm_loss_parameter *rows)
{
  for (size_t i = 0; i < count; i++) {
    const dorm_loss_parameter *row = &rows[i];
    cli_print(stdout, "    %s=%s  ", row->name, row->default_text);
    if (!row->choices)
      cli_print(stdout, "%s %g to %g: ", row->is_integer ? "whole number" : "number", row->min, row->max);
    else if (*row->choices)
      cli_print(stdout, "one of %s: ", row->choices);
    else
      printf("text: ");
    cli_print(stdout, "%s\n", row->help);
  }
}

/* Checks one module in a child process, so that a crash does not end this command. The child reports the end of its
 * check through a pipe, because a module could also end the process by exit(). */
static dorm_status check_in_child(dorm_context *context, const char *path, const char *spec, cli_check_function check)
{
  int ends[2];
  int exit_status = 0;
  char done = 0;
  fflush(NULL); /* otherwise the child would write the buffers a second time */
  if (pipe(ends) != 0)
    return cli_out_of_memory();
  pid_t child = fork();
  if (child == 0) {
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    close(ends[0]);
    dorm_status status = check(context, path, spec);
    if (status != DORM_OK)
      cli_failure(context, status);
    status = (dorm_status)cli_flush((int)status);
    _exit(write(ends[1], "d", 1) == 1 ? (int)status : (int)DORM_IO_ERROR);
  }
  close(ends[1]);
  bool is_done = child > 0 && read(ends[0], &done, 1) == 1;
  close(ends[0]);
  if (child < 0 || waitpid(child, &exit_status, 0) != child) {
    cli_print(stderr, "dorm: %s: no process for the check: %s\n", path, strerror(errno));
    return DORM_OUT_OF_MEMORY;
  }
  if (is_done && WIFEXITED(exit_status))
    return (dorm_status)WEXITSTATUS(exit_status);
  if (WIFSIGNALED(exit_status))
    cli_print(stderr, "dorm: %s: the module crashed while it was checked (signal %d: %s)\n", path,
              WTERMSIG(exit_status), strsignal(WTERMSIG(exit_status)));
  else
    cli_print(stderr, "dorm: %s: the module ended the process while it was checked (exit code %d)\n", path,
              WEXITSTATUS(exit_status));
  return DORM_BAD_MODULE;
}

int cli_check_modules(dorm_context *context, const cli_texts *paths, cli_check_function check)
{
  static const char from[] = "from ";
  int result = DORM_OK;
  for (size_t i = 0; i < paths->count; i++) {
    size_t size = strlen(paths->items[i]) + sizeof from;
    char *spec = cli_alloc(size, 1);
    snprintf(spec, size, "%s%s", from, paths->items[i]);
    dorm_status status = check_in_child(context, paths->items[i], spec, check);
    free(spec);
    result = result == DORM_OK ? (int)status : result;
  }
  return result;
}

dorm_model *cli_read_model(dorm_context *context, const char *path, const cli_texts *modules)
{
  dorm_model *model = NULL;
  cli_check(context, dorm_model_read(context, path, &model));
  for (size_t i = 0; i < modules->count; i++)
    cli_check(context, dorm_model_use_module(context, model, modules->items[i]));
  return model;
}

dorm_dataset *cli_read_data(dorm_context *context, const dorm_model *model, const char *path,
                            dorm_read_options *options)
{
  dorm_dataset *dataset = NULL;
  options->struct_size = sizeof *options;
  options->columns = model ? dorm_model_setting(model, "data.columns") : NULL;
  cli_check(context, dorm_dataset_read_with(context, path, options, &dataset));
  return dataset;
}

void cli_note_file(const dorm_model *model, const dorm_settings *settings, const char *key, const char *option)
{
  const char *text = model ? dorm_model_setting(model, key) : NULL;
  const dorm_setting_info *info;
  for (size_t i = 0; text && (info = dorm_setting_info_at(i)) != NULL; i++)
    if (strcmp(info->key, key) == 0 && strcmp(dorm_settings_get(settings, key), info->default_text) == 0 &&
        strcmp(text, info->default_text) != 0)
      cli_print(stderr, "dorm: the model has %s = %s, but a model opens no file: to use it, give it by %s\n", key, text,
                option);
}

const char *cli_measure_of_model(dorm_context *context, const dorm_model *model, dorm_settings **settings)
{
  static const char key[] = "selection.measure";
  cli_check(context, dorm_model_settings(context, model, settings));
  cli_note_file(model, *settings, key, "-m");
  const char *measure = dorm_settings_get(*settings, key);
  return strcmp(measure, "auto") == 0 ? "ndcg@10" : measure;
}
