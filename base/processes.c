/* processes.c: messages between the processes of one training: words at the beginning of every call, failures, stops,
 * and sums in a fixed order. */
#include "base/processes.h"
#include "base/linalg.h"
#include "base/status.h"

#include <string.h>

/* The word that every process sends at the beginning of every call. */
typedef struct word {
  int64_t status; /* of a process that has ended, DORM_OK if it continues */
  int64_t ends;   /* whether the process has ended */
  int64_t value;  /* of the call: a number, or the number of bytes that follow */
} word;

static bool is_alone(const dorm_context *context)
{
  return context->processes.size <= 1;
}

dorm_status dorm_context_set_processes(dorm_context *context, const dorm_processes *processes)
{
  dorm_processes full;
  if (DORM__LACKS(context, {"context", context, NULL}))
    return DORM_BAD_USAGE;
  dorm_status status = dorm__struct_take(context, "processes", DORM__STRUCT(dorm_processes), processes, &full);
  if (status != DORM_OK)
    return status;
  if (processes && (!full.size || full.number >= full.size))
    return dorm__fail(context, DORM_BAD_USAGE, "processes: there is no process %zu of %zu", full.number, full.size);
  const char *lacking = !full.gather      ? "gather"
                        : !full.broadcast ? "broadcast"
                        : !full.send      ? "send"
                        : !full.receive   ? "receive"
                                          : NULL;
  if (processes && lacking)
    return dorm__fail(context, DORM_BAD_USAGE, "%s: the argument '%s' is NULL", __func__, lacking);
  context->processes = full;
  return DORM_OK;
}

size_t dorm__processes_size(const dorm_context *context)
{
  return is_alone(context) ? 1 : context->processes.size;
}

size_t dorm__processes_number(const dorm_context *context)
{
  return is_alone(context) ? 0 : context->processes.number;
}

/* ---- Words ------------------------------------------------------------------------- */

/* Records a failure that cannot be reported to the other processes, because they are already within a call. They may
 * wait there forever, so the caller of the library has to end them, as dorm-mpi does (cli/mpi.c). */
static dorm_status fall_silent(dorm_context *context, dorm_status status)
{
  context->processes_agree = true; /* no further message is possible */
  context->processes_failed = status;
  return status;
}

static dorm_status fail_apart(dorm_context *context)
{
  return fall_silent(context, dorm__fail(context, DORM_IO_ERROR, "process %zu of %zu cannot reach the others",
                                         context->processes.number + 1, context->processes.size));
}

static dorm_status out_of_memory_apart(dorm_context *context)
{
  return fall_silent(context, dorm__out_of_memory(context, "what the processes share"));
}

static dorm_status gather(dorm_context *context, const void *mine, const size_t *counts, void *all)
{
  return context->processes.gather(context->processes.user, mine, counts, all) == 0 ? DORM_OK : fail_apart(context);
}

/* Takes over the failure of process `from`. */
static dorm_status take_failure(dorm_context *context, size_t from, dorm_status status)
{
  char message[DORM__MESSAGE_SIZE];
  memcpy(message, context->message, sizeof message);
  if (context->processes.broadcast(context->processes.user, from, message, sizeof message) != 0)
    return fail_apart(context);
  context->processes_agree = true;
  context->processes_failed = status;
  message[sizeof message - 1] = '\0';
  return dorm__fail(context, status, "%s", message);
}

dorm_status dorm__processes_keep(dorm_context *context, dorm_status status)
{
  if (status != DORM_OK && !is_alone(context) && context->processes_failed == DORM_OK)
    context->processes_failed = status;
  return status;
}

/* Sends this process's word and receives *words [size] of all processes, which the caller frees. Fails like the lowest
 * failing process. */
static dorm_status exchange(dorm_context *context, word mine, word **words)
{
  size_t size = context->processes.size;
  if (!mine.ends && context->processes_failed != DORM_OK)
    return context->processes_failed;
  DORM__FREED size_t *counts = dorm__alloc(size, sizeof *counts);
  word *all = *words = dorm__alloc(size, sizeof *all);
  if (!counts || !all)
    return mine.ends ? out_of_memory_apart(context) /* not even enough memory to report the failure */
                     : dorm__processes_keep(context, dorm__out_of_memory(context, "what the processes share"));
  for (size_t i = 0; i < size; i++)
    counts[i] = sizeof *all;
  dorm_status status = gather(context, &mine, counts, all);
  bool has_ended = false, goes_on = false;
  for (size_t i = 0; status == DORM_OK && i < size; i++) {
    if (all[i].ends && all[i].status != DORM_OK && all[i].status != DORM_STOPPED)
      return take_failure(context, i, (dorm_status)all[i].status);
    has_ended = has_ended || all[i].ends;
    goes_on = goes_on || !all[i].ends;
  }
  if (status == DORM_OK && has_ended && goes_on) {
    for (size_t i = 0; i < size; i++)
      if (all[i].ends && all[i].status != DORM_OK)
        return take_failure(context, i, (dorm_status)all[i].status);
    status = fall_silent(context, dorm__fail(context, DORM_BAD_USAGE, "the processes do not make the same calls"));
  }
  return status;
}

void dorm__processes_begin(dorm_context *context)
{
  context->processes_agree = false;
  context->processes_failed = DORM_OK;
  context->is_stopping = false;
}

dorm_status dorm__processes_end(dorm_context *context, dorm_status status)
{
  if (is_alone(context))
    return status;
  if (context->processes_failed != DORM_OK)
    status = context->processes_failed;
  if (context->processes_agree)
    return status;
  DORM__FREED word *words = NULL;
  dorm_status agreed = exchange(context, (word){.status = status, .ends = true}, &words);
  context->processes_agree = true;
  return agreed == DORM_OK ? status : dorm__processes_keep(context, agreed);
}

/* ---- Numbers and bytes --------------------------------------------------------------- */

/* Exchanges the number of bytes that each process will send. Fills their offsets start [size + 1]. */
static dorm_status announce(dorm_context *context, size_t bytes, size_t *counts, size_t *start)
{
  size_t size = context->processes.size;
  DORM__FREED word *words = NULL;
  dorm_status status = exchange(context, (word){.value = (int64_t)bytes}, &words);
  start[0] = 0;
  for (size_t i = 0; status == DORM_OK && i < size; i++) {
    counts[i] = (size_t)words[i].value;
    start[i + 1] = start[i] + counts[i];
  }
  return dorm__processes_keep(context, status);
}

dorm_status dorm__processes_gather(dorm_context *context, const void *mine, size_t bytes, void **all, size_t *start)
{
  size_t size = dorm__processes_size(context);
  DORM__FREED size_t *counts = dorm__alloc(size, sizeof *counts);
  dorm_status status = counts ? DORM_OK : dorm__out_of_memory(context, "what the processes share");
  *all = NULL;
  start[0] = 0;
  start[1] = bytes;
  if (status == DORM_OK && !is_alone(context))
    status = announce(context, bytes, counts, start);
  void *made = status == DORM_OK ? dorm__alloc(start[size], 1) : NULL;
  if (status == DORM_OK && !made) /* the others are already within the call */
    status =
        is_alone(context) ? dorm__out_of_memory(context, "what the processes share") : out_of_memory_apart(context);
  else if (status == DORM_OK && is_alone(context) && bytes)
    memcpy(made, mine, bytes);
  else if (status == DORM_OK && !is_alone(context))
    status = gather(context, mine, counts, made);
  if (status != DORM_OK)
    dorm__free(made);
  *all = status == DORM_OK ? made : NULL;
  return dorm__processes_keep(context, status);
}

dorm_status dorm__processes_gather_items(dorm_context *context, size_t size, size_t count, const void *mine, void **all,
                                         size_t *all_count)
{
  size_t num_processes = dorm__processes_size(context);
  DORM__FREED size_t *start = dorm__alloc(num_processes + 1, sizeof *start);
  *all = NULL;
  dorm_status status = start ? dorm__processes_gather(context, mine, count * size, all, start)
                             : dorm__out_of_memory(context, "what the processes share");
  *all_count = status == DORM_OK ? start[num_processes] / size : 0;
  return dorm__processes_keep(context, status);
}

dorm_status dorm__processes_gather_into(dorm_context *context, const void *mine, size_t bytes, void *all, size_t room)
{
  size_t size = dorm__processes_size(context);
  if (is_alone(context)) {
    memcpy(all, mine, bytes);
    return DORM_OK;
  }
  DORM__FREED size_t *numbers = dorm__alloc(2 * size + 1, sizeof *numbers);
  dorm_status status =
      DORM__ALL(numbers ? announce(context, bytes, numbers, numbers + size)
                        : dorm__out_of_memory(context, "what the processes share"),
                numbers[2 * size] != room ? fail_apart(context) : DORM_OK, gather(context, mine, numbers, all));
  return dorm__processes_keep(context, status);
}

dorm_status dorm__processes_totals(dorm_context *context, size_t count, uint64_t *numbers)
{
  DORM__FREED void *all = NULL;
  size_t all_count = 0;
  if (is_alone(context))
    return DORM_OK;
  dorm_status status = dorm__processes_gather_items(context, sizeof *numbers, count, numbers, &all, &all_count);
  const uint64_t *of_all = all;
  memset(numbers, 0, count * sizeof *numbers);
  for (size_t first = 0; first < all_count; first += count)
    for (size_t i = 0; i < count; i++)
      numbers[i] += of_all[first + i];
  return status;
}

dorm_status dorm__processes_count(dorm_context *context, uint64_t mine, uint64_t *before, uint64_t *total)
{
  *before = 0;
  *total = mine;
  if (is_alone(context))
    return DORM_OK;
  DORM__FREED word *words = NULL;
  dorm_status status = exchange(context, (word){.value = (int64_t)mine}, &words);
  *total = 0;
  for (size_t i = 0; status == DORM_OK && i < context->processes.size; i++) {
    *before += i < context->processes.number ? (uint64_t)words[i].value : 0;
    *total += (uint64_t)words[i].value;
  }
  return status;
}

dorm_status dorm__processes_max(dorm_context *context, int64_t *value)
{
  if (is_alone(context))
    return DORM_OK;
  DORM__FREED word *words = NULL;
  dorm_status status = exchange(context, (word){.value = *value}, &words);
  for (size_t i = 0; status == DORM_OK && i < context->processes.size; i++)
    *value = words[i].value > *value ? words[i].value : *value;
  return status;
}

dorm_status dorm__processes_stop(dorm_context *context, bool *is_stopping)
{
  int64_t stops = *is_stopping || dorm__cancelled_here(context);
  dorm_status status = dorm__processes_max(context, &stops);
  *is_stopping = status == DORM_OK && stops;
  context->is_stopping = *is_stopping;
  return status;
}

dorm_status dorm__processes_broadcast(dorm_context *context, size_t from, void *data, size_t bytes)
{
  int64_t unused = 0;
  dorm_status status = dorm__processes_max(context, &unused); /* whether all processes have reached this point */
  if (status != DORM_OK || is_alone(context))
    return status;
  return context->processes.broadcast(context->processes.user, from, data, bytes) == 0 ? DORM_OK : fail_apart(context);
}

/* ---- Sums in a fixed order ------------------------------------------------------------- */

static void add_parts(size_t count, size_t width, const double *parts, double *sum)
{
  if (!count)
    memset(sum, 0, width * sizeof *sum);
  else
    memmove(sum, parts, width * sizeof *sum);
  for (size_t i = 1; i < count; i++)
    dorm__add_scaled(width, 1, parts + i * width, sum);
}

dorm_status dorm__processes_sum(dorm_context *context, size_t count, size_t width, const double *parts, double *sum)
{
  if (is_alone(context)) {
    add_parts(count, width, parts, sum);
    return DORM_OK;
  }
  DORM__FREED void *all = NULL;
  size_t all_count = 0;
  dorm_status status = dorm__processes_gather_items(context, sizeof *parts, count * width, parts, &all, &all_count);
  if (status == DORM_OK)
    add_parts(width ? all_count / width : 0, width, all, sum);
  return status;
}

/* ---- Sums of large vectors, in a binary tree ---------------------------------------------- */

enum { MOST_SUMS = 128 }; /* two per bit of a size_t */

/* A sum of consecutive vectors, kept as partial sums from left to right. Partial sum i covers 2^level[i] vectors, so it
 * is a node of the binary tree. */
typedef struct tree_sum {
  size_t width; /* length of a vector */
  size_t next;  /* index, among the vectors of all processes, of the vector that would come next */
  size_t count; /* number of partial sums */
  unsigned level[MOST_SUMS];
  double *part[MOST_SUMS]; /* [width] each, owned */
} tree_sum;

/* Whether the last two sums are the two halves of one node of the tree. */
static bool has_siblings(const tree_sum *sum)
{
  if (sum->count < 2)
    return false;
  unsigned level = sum->level[sum->count - 1];
  return sum->level[sum->count - 2] == level && !(sum->next & (((size_t)2 << level) - 1));
}

/* Appends values [width], the sum of the next 2^level vectors, and takes ownership of it. */
static void push_sum(tree_sum *sum, unsigned level, double *values)
{
  sum->level[sum->count] = level;
  sum->part[sum->count++] = values;
  sum->next += (size_t)1 << level;
  while (has_siblings(sum)) {
    double *right = sum->part[--sum->count];
    dorm__add_scaled(sum->width, 1, right, sum->part[sum->count - 1]);
    dorm__free(right);
    sum->level[sum->count - 1]++;
  }
}

/* Writes the total into values [width], which is 0 if the tree sum is empty. */
static void write_total(const tree_sum *sum, double *values)
{
  memset(values, 0, sum->width * sizeof *values);
  for (size_t i = sum->count; i-- > 0;)
    dorm__add_scaled(sum->width, 1, sum->part[i], values);
}

static void clear_sums(tree_sum *sum)
{
  for (size_t i = 0; i < sum->count; i++)
    dorm__free(sum->part[i]);
  sum->count = 0;
}

/* Adds the `count` parts of this process to `sum`. */
static dorm_status add_own(dorm_context *context, size_t count, dorm__make_part part, void *user, tree_sum *sum)
{
  dorm_status status = DORM_OK;
  for (size_t i = 0; status == DORM_OK && i < count; i++) {
    double *values = dorm__alloc(sum->width, sizeof *values);
    status = values ? part(user, i, values) : dorm__out_of_memory(context, "a sum");
    if (status == DORM_OK)
      push_sum(sum, 0, values);
    else
      dorm__free(values);
  }
  return status;
}

/* Allocates in `sum` the sums of the tree's first `vectors` vectors, which another process sends. */
static dorm_status make_room(dorm_context *context, uint64_t vectors, tree_sum *sum)
{
  for (unsigned level = 64; level-- > 0;) {
    if (!(vectors >> level & 1))
      continue;
    double *values = dorm__alloc(sum->width, sizeof *values);
    if (!values)
      return dorm__out_of_memory(context, "a sum");
    push_sum(sum, level, values);
  }
  return DORM_OK;
}

/* Receives the sums of the processes before this one, adds its own, sends them on, and receives the total. */
static bool pass_along(const dorm_processes *processes, tree_sum *before, tree_sum *own, double *total)
{
  size_t bytes = own->width * sizeof *total;
  bool is_good = true;
  for (size_t i = 0; is_good && i < before->count; i++)
    is_good = processes->receive(processes->user, processes->number - 1, before->part[i], bytes) == 0;
  for (size_t i = 0; i < own->count; i++)
    push_sum(before, own->level[i], own->part[i]);
  own->count = 0;
  bool is_last = processes->number + 1 == processes->size;
  for (size_t i = 0; is_good && !is_last && i < before->count; i++)
    is_good = processes->send(processes->user, processes->number + 1, before->part[i], bytes) == 0;
  if (is_last)
    write_total(before, total);
  return is_good && processes->broadcast(processes->user, processes->size - 1, total, bytes) == 0;
}

dorm_status dorm__processes_sum_along(dorm_context *context, size_t count, size_t width, dorm__make_part part,
                                      void *user, double *sum)
{
  uint64_t first, all;
  DORM__AT_END(clear_sums) tree_sum before = {.width = width}, own = {.width = width};
  dorm_status status = dorm__processes_count(context, count, &first, &all);
  own.next = (size_t)first;
  if (status == DORM_OK)
    status = DORM__ALL(make_room(context, first, &before), add_own(context, count, part, user, &own));
  int64_t unused = 0; /* whether all processes have reached this point, after which nothing can fail */
  if (status == DORM_OK)
    status = dorm__processes_max(context, &unused);
  if (status == DORM_OK && is_alone(context))
    write_total(&own, sum);
  else if (status == DORM_OK && !pass_along(&context->processes, &before, &own, sum))
    status = fail_apart(context);
  return status;
}
