/*
 * share_pieces.c: from the borders between shares to the lines of files that this process reads. Where process r alone
 * sees file r, its stream is what the others need of that file, one process after the other; the streams go to all, in
 * rounds, and each takes what is for it. Files that are about equally large have short streams.
 */
#include "data/share_pieces.h"
#include "base/processes.h"
#include "data/byte_reader.h"

#include <string.h>

enum { BYTES_PER_ROUND = 1 << 25, LEAST_PER_PROCESS = 1 << 16 };

/* Bytes of a file. */
typedef struct interval {
  uint64_t begin, end;
  uint64_t lines_before;
} interval;

/* What process `number` reads of file `file`; empty where it begins at its end. */
static interval interval_of(const dorm__share_plan *plan, size_t number, size_t file)
{
  const dorm__data_place *from = &plan->places[number];
  const dorm__data_place *to = &plan->places[number + 1];
  bool is_within = from->file <= file && file <= to->file;
  interval part = {0};
  if (is_within && from->file == file)
    part = (interval){.begin = from->offset, .lines_before = from->lines_before};
  if (is_within)
    part.end = to->file == file ? to->offset : plan->file_ends[file];
  return part;
}

static dorm_status list_pieces(dorm_context *context, const dorm__file_list *files, const dorm__share_plan *plan,
                               dorm__share_pieces *found)
{
  size_t number = dorm__processes_number(context);
  found->pieces = dorm__alloc_zero(files->count, sizeof *found->pieces);
  found->received = dorm__alloc_zero(files->count, sizeof *found->received);
  if (!found->pieces || !found->received)
    return dorm__out_of_memory(context, "a share of the data");
  for (size_t f = 0; f < files->count; f++) {
    interval part = interval_of(plan, number, f);
    if (part.begin >= part.end)
      continue;
    dorm__letor_piece *piece = &found->pieces[found->count];
    *piece = (dorm__letor_piece){.path = files->paths[f],
                                 .begin = part.begin,
                                 .end = part.end,
                                 .lines_before = (size_t)part.lines_before,
                                 .ends_with_file = part.end >= plan->file_ends[f]};
    if (files->is_own_each && f != number) {
      piece->memory = found->received[found->count] = dorm__alloc((size_t)(part.end - part.begin), 1);
      if (!piece->memory)
        return dorm__out_of_memory(context, "lines of another process");
    }
    found->count++;
  }
  return DORM_OK;
}

/* ---- Streams ------------------------------------------------------------------------ */

static uint64_t stream_size(const dorm__share_plan *plan, size_t sender)
{
  uint64_t size = 0;
  for (size_t p = 0; p < plan->num_processes; p++) {
    interval part = interval_of(plan, p, sender);
    size += p != sender && part.end > part.begin ? part.end - part.begin : 0;
  }
  return size;
}

/* Where the part of process `receiver` begins in the stream. */
static uint64_t stream_offset(const dorm__share_plan *plan, size_t sender, size_t receiver)
{
  uint64_t offset = 0;
  for (size_t p = 0; p < receiver; p++) {
    interval part = interval_of(plan, p, sender);
    offset += p != sender && part.end > part.begin ? part.end - part.begin : 0;
  }
  return offset;
}

/* Reads the bytes [begin, end) of the file of this process. */
static dorm_status read_file(dorm_context *context, const char *path, uint64_t begin, uint64_t end, char *to)
{
  size_t got = 0;
  dorm__byte_reader *bytes = NULL;
  dorm_status status = dorm__byte_reader_open(context, path, &bytes);
  if (status == DORM_OK)
    status = dorm__byte_reader_limit(context, bytes, begin, end);
  if (status == DORM_OK)
    status = dorm__byte_reader_read(context, bytes, to, (size_t)(end - begin), &got);
  dorm__byte_reader_close(bytes);
  if (status == DORM_OK && got < end - begin)
    status = dorm__fail(context, DORM_BAD_DATA, "%s: the file changed while it was read", path);
  return status;
}

/* Reads bytes [begin, end) of this process's stream. */
static dorm_status read_stream(dorm_context *context, const dorm__file_list *files, const dorm__share_plan *plan,
                               uint64_t begin, uint64_t end, char *to)
{
  size_t sender = dorm__processes_number(context);
  dorm_status status = DORM_OK;
  for (size_t p = 0; status == DORM_OK && p < plan->num_processes; p++) {
    interval part = interval_of(plan, p, sender);
    uint64_t first = stream_offset(plan, sender, p);
    if (p == sender || part.begin >= part.end)
      continue;
    uint64_t last = first + (part.end - part.begin);
    uint64_t from = first > begin ? first : begin;
    uint64_t until = last < end ? last : end;
    if (from < until)
      status = read_file(context, files->paths[sender], part.begin + (from - first), part.begin + (until - first),
                         to + (from - begin));
  }
  return status;
}

/* Takes what is for this process from bytes [begin, begin + size) of the stream of `sender`. */
static void take(const dorm__share_plan *plan, const dorm__file_list *files, size_t sender, size_t receiver,
                 uint64_t begin, size_t size, const char *bytes, dorm__share_pieces *found)
{
  interval part = interval_of(plan, receiver, sender);
  uint64_t first = stream_offset(plan, sender, receiver);
  uint64_t last = first + (part.end > part.begin ? part.end - part.begin : 0);
  uint64_t from = first > begin ? first : begin;
  uint64_t until = last < begin + size ? last : begin + size;
  for (size_t i = 0; from < until && i < found->count; i++)
    if (found->pieces[i].path == files->paths[sender])
      memcpy(found->received[i] + (from - first), bytes + (from - begin), (size_t)(until - from));
}

static dorm_status move_round(dorm_context *context, const dorm__file_list *files, const dorm__share_plan *plan,
                              uint64_t begin, size_t most, dorm__share_pieces *found)
{
  size_t size = plan->num_processes;
  size_t number = dorm__processes_number(context);
  uint64_t whole = stream_size(plan, number);
  uint64_t end = whole < begin + most ? whole : begin + most;
  size_t own = end > begin ? (size_t)(end - begin) : 0;
  char *mine = dorm__alloc(own, 1);
  size_t *start = dorm__alloc(size + 1, sizeof *start);
  void *all = NULL;
  dorm_status status = mine && start ? DORM_OK : dorm__out_of_memory(context, "lines for other processes");
  if (status == DORM_OK && own)
    status = read_stream(context, files, plan, begin, end, mine);
  if (status == DORM_OK)
    status = dorm__processes_gather(context, mine, own, &all, start);
  for (size_t p = 0; status == DORM_OK && p < size; p++)
    if (p != number)
      take(plan, files, p, number, begin, start[p + 1] - start[p], (const char *)all + start[p], found);
  dorm__free(mine);
  dorm__free(start);
  dorm__free(all);
  return status;
}

static dorm_status move_lines(dorm_context *context, const dorm__file_list *files, const dorm__share_plan *plan,
                              dorm__share_pieces *found)
{
  size_t most = BYTES_PER_ROUND / plan->num_processes;
  uint64_t longest = 0;
  dorm_status status = DORM_OK;
  most = most > LEAST_PER_PROCESS ? most : LEAST_PER_PROCESS;
  for (size_t p = 0; p < plan->num_processes; p++) {
    uint64_t size = stream_size(plan, p);
    longest = size > longest ? size : longest;
  }
  for (uint64_t begin = 0; status == DORM_OK && begin < longest; begin += most)
    status = move_round(context, files, plan, begin, most, found);
  return status;
}

dorm_status dorm__share_pieces_find(dorm_context *context, const dorm__file_list *files, const dorm__share_plan *plan,
                                    dorm__share_pieces *found)
{
  *found = (dorm__share_pieces){0};
  dorm_status status = list_pieces(context, files, plan, found);
  if (status == DORM_OK && files->is_own_each)
    status = move_lines(context, files, plan, found);
  if (status != DORM_OK)
    dorm__share_pieces_clear(found);
  return status;
}

void dorm__share_pieces_clear(dorm__share_pieces *found)
{
  for (size_t i = 0; found->received && i < found->count; i++)
    dorm__free(found->received[i]);
  dorm__free(found->pieces);
  dorm__free(found->received);
  *found = (dorm__share_pieces){0};
}
