/* builtin.h: the built-in losses, one file each. */
#ifndef DORM_LOSSES_BUILTIN_H
#define DORM_LOSSES_BUILTIN_H

#include "base/base.h"

extern const dorm_loss_module dorm__loss_wta;
extern const dorm_loss_module dorm__loss_mwta;
extern const dorm_loss_module dorm__loss_mrr;
extern const dorm_loss_module dorm__loss_dcg;
extern const dorm_loss_module dorm__loss_ndcg;
extern const dorm_loss_module dorm__loss_precision;
extern const dorm_loss_module dorm__loss_eru;
extern const dorm_loss_module dorm__loss_cost;
extern const dorm_loss_module dorm__loss_rsvm;
extern const dorm_loss_module dorm__loss_rsvm_ir;
extern const dorm_loss_module dorm__loss_roc_area;
extern const dorm_loss_module dorm__loss_map;
extern const dorm_loss_module dorm__loss_precision_set;

#endif
