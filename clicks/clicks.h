/*
 * clicks.h: logs of clicks on ranked documents. They become gains of documents, so that everything above trains and
 * measures as with labels; this folder knows of data sets alone.
 */
#ifndef DORM_CLICKS_CLICKS_H
#define DORM_CLICKS_CLICKS_H

#include "base/base.h"
#include "data/data.h"
#include "dorm/clicks.h"

#endif
