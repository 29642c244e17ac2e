#!/bin/sh
# locale.sh: a program that runs under a locale with a decimal comma trains on,
# writes and reads the same bytes as one that runs under the locale C.
. "${srcdir:-.}/tests/cli/lib.sh"

mkdir locales
if ! { command -v localedef && localedef -i de_DE -f UTF-8 locales/de_DE.UTF-8; } > /dev/null 2>&1; then
  echo "skipped: there is no localedef or no source of the locale de_DE (apt-get install locales)"
  exit 77
fi
cat > program.c <<'END'
#include <dorm/dorm.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

/* program LOCALE MODEL SCORES */
int main(int argc, char **argv)
{
  dorm_context *context = dorm_context_new();
  dorm_artificial parameters = {.struct_size = sizeof parameters, .num_queries = 20, .docs_per_query = 10,
                                .num_features = 4, .model_seed = 1, .data_seed = 1};
  dorm_dataset *data = NULL, *again = NULL;
  dorm_settings *settings = NULL;
  dorm_training *training = NULL;
  dorm_model *model = NULL;
  double scores[200];
  char text[20];
  dorm_status status;
  if (argc < 4 || !context || !setlocale(LC_ALL, argv[1]))
    return 99;
  snprintf(text, sizeof text, "%.1f", 0.5);
  if (strcmp(argv[1], "C") != 0 && strcmp(text, "0,5") != 0)
    return 98; /* no decimal comma: nothing is tested */
  dorm_set_blas_threads(1);
  status = dorm_dataset_generate_artificial(context, &parameters, &data);
  if (status == DORM_OK)
    status = dorm_dataset_write(context, data, "data.txt");
  if (status == DORM_OK)
    status = dorm_dataset_read(context, "data.txt", &again);
  if (status == DORM_OK)
    status = dorm_settings_new(context, &settings);
  if (status == DORM_OK)
    status = dorm_settings_set(context, settings, "solver.C", "0.5, 1.25");
  if (status == DORM_OK)
    status = dorm_settings_set(context, settings, "solver.threads", "1");
  if (status == DORM_OK)
    status = dorm_settings_set(context, settings, "kernel.kernel", "linear + 0.5 * rbf:scale=1.5");
  if (status == DORM_OK)
    status = dorm_train(context, settings, again, NULL, &training);
  if (status == DORM_OK)
    status = dorm_model_write(context, dorm_training_model(training), argv[2]);
  if (status == DORM_OK)
    status = dorm_model_read(context, argv[2], &model);
  if (status == DORM_OK)
    status = dorm_model_score(context, model, again, 1, scores);
  if (status == DORM_OK)
    status = dorm_scores_write(context, argv[3], 200, scores);
  if (status != DORM_OK)
    fprintf(stderr, "%s\n", dorm_context_message(context));
  dorm_model_free(model);
  dorm_training_free(training);
  dorm_settings_free(settings);
  dorm_dataset_free(again);
  dorm_dataset_free(data);
  dorm_context_free(context);
  return (int)status;
}
END
folder=$(dirname "$LIBDORM")
${DORM_TEST_CC:-cc} -I"$srcdir/include" -o program program.c -L"$folder" -Wl,-rpath,"$folder" -ldorm \
  ${DORM_TEST_SANITIZERS:-}
result $? "compile"
expect 0 "under C" ./program C c.dorm c.scores
cp data.txt c.txt
LOCPATH=$work/locales
export LOCPATH
expect 0 "under de_DE.UTF-8" ./program de_DE.UTF-8 de.dorm de.scores
for pair in "data.txt c.txt" "de.dorm c.dorm" "de.scores c.scores"; do
  cmp -s $pair
  result $? "the same bytes: $pair"
done
finish
