// What the machine itself can do: the rates that measurements are compared with.
#pragma once

#include <string>

#include "measure/timing.hpp"

namespace quartic::measure {

/// Floating-point operations per second of multiplications and additions on registers, by the instruction set that the
/// library uses: fused ones count as two. T = float or double.
template <class T>
[[nodiscard]] double multiply_add_rate(int threads, const Effort& effort);

/// Bytes read and written per second by a copy between arrays of 128 MB.
[[nodiscard]] double copy_rate(int threads, const Effort& effort);

/// Floating-point operations per second of BLAS' product of square matrices of order `size`. T = float or double.
template <class T>
[[nodiscard]] double gemm_rate(int threads, int size, const Effort& effort);

/// The same of dsyrk, C += A A^T, of which it computes one triangle.
[[nodiscard]] double syrk_rate(int threads, int size, const Effort& effort);

/// BLAS works on so many threads while this object lives.
class BlasThreads {
 public:
  explicit BlasThreads(int threads);
  ~BlasThreads();
  BlasThreads(const BlasThreads&) = delete;
  BlasThreads& operator=(const BlasThreads&) = delete;

 private:
  int before_;
};

/// The processor's name as the system gives it, or "unknown".
[[nodiscard]] std::string processor_name();

/// "AVX-512", "AVX2" or "portable": what the library's kernels use.
[[nodiscard]] const char* instruction_set_name();

}  // namespace quartic::measure
