/*
 * clicks.h: logs of clicks on ranked documents. Clicks become gains of documents, so that training and measures work as
 * with labels. This folder depends on data sets only.
 */
#ifndef DORM_CLICKS_CLICKS_H
#define DORM_CLICKS_CLICKS_H

#include "base/base.h"
#include "data/data.h"
#include "dorm/clicks.h"

#endif
