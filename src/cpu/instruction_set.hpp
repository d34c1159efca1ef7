// What the machine that runs this can do beyond what the build targets.
#pragma once

namespace quartic::cpu {

#if defined(__x86_64__)
/// True where AVX2 and FMA may be used.
[[nodiscard]] inline bool has_avx2() {
  static const bool found = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return found;
}
#endif

}  // namespace quartic::cpu
