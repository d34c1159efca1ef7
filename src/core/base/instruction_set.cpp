#include "core/base/instruction_set.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

#include "quartic/error.hpp"

namespace quartic::cpu {
namespace {

constexpr std::array<std::string_view, 3> names = {"portable", "avx2", "avx512"};

InstructionSet best_of_machine() {
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return InstructionSet::avx512;
  if (avx2) return InstructionSet::avx2;
#endif
  return InstructionSet::portable;
}

InstructionSet best_allowed() {
  const InstructionSet best = best_of_machine();
  const char* wish = std::getenv("QUARTIC_INSTRUCTION_SET");
  if (wish == nullptr || *wish == '\0') return best;
  const auto name = std::find(names.begin(), names.end(), wish);
  if (name == names.end())
    throw InputError("QUARTIC_INSTRUCTION_SET is \"" + std::string(wish) +
                     "\"; it must be \"portable\", \"avx2\" or \"avx512\", or not be set");
  return std::min(best, static_cast<InstructionSet>(name - names.begin()));
}

}  // namespace

InstructionSet instruction_set() {
  static const InstructionSet found = best_allowed();
  return found;
}

}  // namespace quartic::cpu
