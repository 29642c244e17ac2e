/* share_plan.h: which lines of which files each process reads. */
#ifndef DORM_DATA_SHARE_PLAN_H
#define DORM_DATA_SHARE_PLAN_H

#include "base/base.h"
#include "data/data.h"
#include "data/file_list.h"
#include "data/letor.h"
#include "data/query_scan.h"

/* A place between two lines at which a query begins, or an end. */
typedef struct dorm__data_place {
  uint64_t queries_before, docs_before; /* in all files */
  uint64_t file, offset, lines_before;  /* in the file */
} dorm__data_place;

typedef struct dorm__share_plan {
  bool is_odd;              /* the scans have met something that a look at each line has to explain */
  dorm__letor_piece *looks; /* [scan->num_ranges] what this process has scanned, for that look */
  size_t num_processes;
  dorm__data_place *places; /* [num_processes + 1] where the share of each process begins; its end is the next one */
  uint64_t *file_ends;      /* [files->count] bytes that were scanned, inflated */
  uint64_t num_queries, num_docs;
} dorm__share_plan;

/* Scans this process's part of the files: an even part of all bytes; of gzip the files that begin in that part; or the
 * file of its own. */
dorm_status dorm__share_plan_scan(dorm_context *context, const dorm__file_list *files, dorm__query_scan *scan);
/* Settles with the other processes what each reads. O(queries / processes + shards) memory, and one hash of each query
 * goes to every process. */
dorm_status dorm__share_plan_make(dorm_context *context, const dorm__file_list *files, const dorm__query_scan *scan,
                                  size_t num_shards, dorm__share_plan *plan);
void dorm__share_plan_clear(dorm__share_plan *plan);

#endif
