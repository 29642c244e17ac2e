/*
 * policies.h: distributions over rankings that meet requirements on exposure: the public functions of dorm/policies.h.
 */
#ifndef DORM_POLICIES_POLICIES_H
#define DORM_POLICIES_POLICIES_H

#include "base/base.h"
#include "data/data.h"

#endif
