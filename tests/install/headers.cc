// headers.cc: the installed headers compile as C++ too, each on its own, and a program in C++ links.
#include <dorm/plugin.h>

#include <dorm/dorm.h>

int main()
{
  static_assert(DORM_VERSION_NUMBER >= 100, "the version as one number");
  dorm_context *context = dorm_context_new();
  const bool is_good = context != nullptr && dorm_has("nothing") == 0 && dorm_model_num_features(nullptr) == 0;
  dorm_context_free(context);
  return is_good ? DORM_OK : DORM_BAD_DATA;
}
