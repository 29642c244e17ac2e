/* query_scan.h: where queries begin in LETOR text, found without reading their features. */
#ifndef DORM_DATA_QUERY_SCAN_H
#define DORM_DATA_QUERY_SCAN_H

#include "base/base.h"
#include "base/index_map.h"

/* Documents of one query that stand together. */
typedef struct dorm__query_run {
  uint64_t key;         /* of the query's id, the same in all processes */
  size_t text;          /* its id, an offset into `texts` of the scan */
  uint64_t offset;      /* of its first line in the file, inflated */
  uint64_t line;        /* number of that line in the range, from 0 */
  uint64_t docs_before; /* in the scan */
} dorm__query_run;

/* Lines of one file. */
typedef struct dorm__scan_range {
  uint64_t file;       /* its number */
  uint64_t begin, end; /* bytes of the file, inflated; a line begins at both */
  uint64_t num_lines, num_docs;
  uint64_t first_run, end_run; /* in the scan */
  uint64_t is_odd; /* 1: a line has no `label qid:Q`, or a query comes back: something that reading has to look at */
} dorm__scan_range;

/* What was found in some ranges, one after the other. */
typedef struct dorm__query_scan {
  size_t num_ranges;
  dorm__scan_range *ranges;
  size_t num_runs;
  dorm__query_run *runs;
  char *texts;
  dorm__index_map *queries; /* id -> the first run of that query */
  uint64_t num_docs;
  size_t ranges_capacity, runs_capacity, texts_size, texts_capacity;
} dorm__query_scan;

bool dorm__query_scan_open(dorm__query_scan *scan); /* false when out of memory */
void dorm__query_scan_clear(dorm__query_scan *scan);
/* Adds the lines that begin in bytes [begin, end) of file number `file` (inflated; end may be UINT64_MAX). O(bytes) at
 * the speed of memchr; memory for the runs. */
dorm_status dorm__query_scan_add(dorm_context *context, dorm__query_scan *scan, size_t file, const char *path,
                                 uint64_t begin, uint64_t end);
/* The first run whose query has the id; SIZE_MAX if there is none. */
size_t dorm__query_scan_find(const dorm__query_scan *scan, const char *id, size_t size);

#endif
