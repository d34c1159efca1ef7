// A kernel that is written once and compiled for each instruction set.
#pragma once

#include "core/base/instruction_set.hpp"

namespace quartic::cpu {

/// What `Kernel::run<bytes>(args...)` is for vectors of 16, 32 and 64 bytes, with the instructions that these need.
/// `run` must be [[gnu::always_inline]], and so must what it calls in loops.
template <class Kernel, class... Arguments>
struct KernelVariants {
  static void portable(Arguments... arguments) { Kernel::template run<16>(arguments...); }
#if defined(__x86_64__)
  [[gnu::target(QUARTIC_TARGET_AVX2)]] static void avx2(Arguments... arguments) {
    Kernel::template run<32>(arguments...);
  }
  [[gnu::target(QUARTIC_TARGET_AVX512)]] static void avx512(Arguments... arguments) {
    Kernel::template run<64>(arguments...);
  }
#endif

  using Function = void (*)(Arguments...);
  /// That of `instruction_set()`.
  [[nodiscard]] static Function chosen() {
#if defined(__x86_64__)
    if (instruction_set() == InstructionSet::avx512) return avx512;
    if (instruction_set() == InstructionSet::avx2) return avx2;
#endif
    return portable;
  }
};

}  // namespace quartic::cpu
