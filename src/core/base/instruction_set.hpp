// What the machine that runs this can do beyond what the build targets.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
/// Attributes of functions for another instruction set: [[gnu::target(QUARTIC_TARGET_AVX2)]].
#define QUARTIC_TARGET_AVX2 "avx2,fma"
#define QUARTIC_TARGET_AVX512 "avx512f,avx512dq,avx512vl,avx2,fma"
#endif

namespace quartic::cpu {

enum class InstructionSet : std::uint8_t {
  portable,  ///< what the build targets
  avx2,      ///< AVX2 and FMA
  avx512     ///< AVX-512 F, DQ and VL
};

/// The best one that this machine has, or that the environment variable QUARTIC_INSTRUCTION_SET allows ("portable",
/// "avx2" or "avx512"): with it, machines can be made to round alike.
/// @throws InputError if the variable has another value
[[nodiscard]] InstructionSet instruction_set();

}  // namespace quartic::cpu
