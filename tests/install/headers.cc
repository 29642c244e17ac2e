// headers.cc: the installed headers compile as C++ too, each on its own.
#include <dorm/plugin.h>

#include <dorm/dorm.h>

int main()
{
  return DORM_OK + static_cast<int>(sizeof(dorm_loss_module) == 0);
}
