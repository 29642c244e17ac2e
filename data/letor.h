/* letor.h: reading LETOR text. */
#ifndef DORM_DATA_LETOR_H
#define DORM_DATA_LETOR_H

#include "base/base.h"
#include "data/byte_reader.h"
#include "data/data.h"

/* Reads a text, whose bytes were opened. */
dorm_status dorm__letor_read(dorm_context *context, const char *path, dorm__byte_reader *bytes,
                             const dorm_read_options *options, dorm_dataset **dataset);

#endif
