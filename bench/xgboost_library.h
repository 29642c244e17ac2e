/* xgboost_library.h: those functions of libxgboost's C interface that trees_bench measures, found when it runs, so that
 * nothing of dorm is built with XGBoost. Debian's python3-xgboost brings the library. */
#ifndef DORM_BENCHMARKS_XGBOOST_LIBRARY_H
#define DORM_BENCHMARKS_XGBOOST_LIBRARY_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef void *DMatrixHandle;
typedef void *BoosterHandle;
typedef uint64_t bst_ulong;

#define FOR_EACH_FUNCTION(what)                                                                                        \
  what(const char *, XGBGetLastError, (void))                                                                          \
      what(int, XGDMatrixCreateFromMat_omp, (const float *, bst_ulong, bst_ulong, float, DMatrixHandle *, int))        \
          what(int, XGDMatrixSetFloatInfo, (DMatrixHandle, const char *, const float *, bst_ulong))                    \
              what(int, XGDMatrixSetUIntInfo, (DMatrixHandle, const char *, const unsigned *, bst_ulong))              \
                  what(int, XGDMatrixFree, (DMatrixHandle))                                                            \
                      what(int, XGBoosterCreate, (const DMatrixHandle *, bst_ulong, BoosterHandle *))                  \
                          what(int, XGBoosterSetParam, (BoosterHandle, const char *, const char *))                    \
                              what(int, XGBoosterUpdateOneIter, (BoosterHandle, int, DMatrixHandle))                   \
                                  what(int, XGBoosterBoostOneIter,                                                     \
                                       (BoosterHandle, DMatrixHandle, float *, float *, bst_ulong))                    \
                                      what(int, XGBoosterPredictFromDense,                                             \
                                           (BoosterHandle, const char *, const char *, DMatrixHandle,                  \
                                            const bst_ulong **, bst_ulong *, const float **))                          \
                                          what(int, XGBoosterFree, (BoosterHandle))

#define DECLARE_FUNCTION(type, name, arguments) static type(*name) arguments;
FOR_EACH_FUNCTION(DECLARE_FUNCTION)

/* Finds the functions; false where there is no library. */
static bool find_xgboost(void)
{
  void *library = dlopen("libxgboost.so.0", RTLD_LAZY);
  void *symbol;
#define FIND_FUNCTION(type, name, arguments)                                                                           \
  symbol = library ? dlsym(library, #name) : NULL;                                                                     \
  if (!symbol)                                                                                                         \
    return false;                                                                                                      \
  memcpy(&name, &symbol, sizeof symbol);
  FOR_EACH_FUNCTION(FIND_FUNCTION)
  return true;
}

#endif
