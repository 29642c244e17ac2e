/*
 * replay.c: inputs to the fuzz targets, without libFuzzer.
 *
 *   fuzz_replay --targets          prints the names of all targets
 *   fuzz_replay FOLDER [ROUNDS]    runs each FOLDER/TARGET/FILE, then ROUNDS
 *                                  random changes of each (none by default)
 *
 * An input may take TIME_LIMIT seconds of processor time at most and, without sanitizers, which need much
 * address space, MEMORY_LIMIT bytes.
 */
#include "base/random.h"
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

enum { TIME_LIMIT = 20, MEMORY_LIMIT = 1 << 30 };

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZERS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZERS 1
#endif
#endif

static char present[600]; /* the input that is being tried, for messages */

static void say_where(int number)
{
  (void)!write(STDERR_FILENO, "fuzz_replay: ended in ", 22);
  (void)!write(STDERR_FILENO, present, strlen(present));
  (void)!write(STDERR_FILENO, "\n", 1);
  signal(number, SIG_DFL);
  raise(number);
}

static void run(const fuzz_target *target, const uint8_t *data, size_t size)
{
  setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = TIME_LIMIT}, NULL);
  fuzz_run(target, data, size);
  setitimer(ITIMER_PROF, &(struct itimerval){0}, NULL);
}

/* Changes, inserts, removes or repeats a few bytes. */
static size_t change(dorm__random *random, uint8_t *data, size_t size, size_t room)
{
  for (size_t edits = 1 + dorm__random_below(random, 4); edits-- > 0;) {
    size_t at = dorm__random_below(random, size + 1);
    size_t span = 1 + dorm__random_below(random, 8);
    switch (dorm__random_below(random, 4)) {
    case 0:
      if (at < size)
        data[at] = (uint8_t)dorm__random_below(random, 256);
      break;
    case 1:
      if (at < size)
        data[at] ^= (uint8_t)(1 << dorm__random_below(random, 8));
      break;
    case 2:
      span = at + span <= size ? span : size - at;
      memmove(data + at, data + at + span, size - at - span);
      size -= span;
      break;
    default:
      if (size + span <= room && at + span <= size) {
        memmove(data + at + span, data + at, size - at);
        size += span;
      }
    }
  }
  return size;
}

static size_t replay_file(const fuzz_target *target, const char *path, size_t rounds)
{
  enum { ROOM = 64 };
  fuzz_text text = fuzz_read(path);
  snprintf(present, sizeof present, "%s", path);
  run(target, (const uint8_t *)text.bytes, text.size);
  dorm__random random;
  dorm__random_seed(&random, 20070401);
  uint8_t *changed = malloc(text.size + ROOM);
  fuzz_require(changed != NULL, "memory");
  for (size_t i = 0; i < rounds; i++) {
    memcpy(changed, text.bytes, text.size);
    snprintf(present, sizeof present, "%.500s, change %zu", path, i);
    run(target, changed, change(&random, changed, text.size, text.size + ROOM));
  }
  free(changed);
  free((char *)text.bytes);
  return 1 + rounds;
}

static size_t replay_folder(const fuzz_target *target, const char *parent, size_t rounds)
{
  char path[500];
  snprintf(path, sizeof path, "%s/%s", parent, target->name);
  struct dirent **names = NULL;
  int count = scandir(path, &names, NULL, alphasort);
  size_t runs = 0;
  for (int i = 0; i < count; i++) {
    snprintf(path, sizeof path, "%.200s/%s/%.200s", parent, target->name, names[i]->d_name);
    if (names[i]->d_name[0] != '.')
      runs += replay_file(target, path, rounds);
    free(names[i]);
  }
  free(names);
  return runs;
}

int main(int argc, char **argv)
{
  if (argc < 2)
    return 2;
  if (strcmp(argv[1], "--targets") == 0) {
    for (size_t i = 0; fuzz_targets[i]; i++)
      printf("%s\n", fuzz_targets[i]->name);
    return 0;
  }
  size_t rounds = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
  size_t total = 0;
#ifndef HAS_SANITIZERS
  setrlimit(RLIMIT_AS, &(struct rlimit){MEMORY_LIMIT, MEMORY_LIMIT});
#endif
  dorm_set_blas_threads(1);
  signal(SIGABRT, say_where);
  signal(SIGPROF, say_where);
  for (size_t i = 0; fuzz_targets[i]; i++) {
    size_t runs = replay_folder(fuzz_targets[i], argv[1], rounds);
    printf("%-12s %6zu inputs\n", fuzz_targets[i]->name, runs);
    total += runs;
  }
  printf("%zu inputs in all\n", total);
  return total == 0;
}
