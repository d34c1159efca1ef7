// Matrix instructions of tensor cores: a warp adds the product of two small matrices to a third. Each lane holds pieces
// of all three. With g = lane / 4 and t = lane % 4:
//   A, 16 by 8: (g, t), (g + 8, t), (g, t + 4), (g + 8, t + 4);   B, 8 by 8: (t, g), (t + 4, g);
//   C, 16 by 8: (g, 2t), (g, 2t + 1), (g + 8, 2t), (g + 8, 2t + 1).
// All 32 lanes call together.
#pragma once

#include <cuda_runtime.h>

#ifndef QUARTIC_CUDA_ON_HOST  // there, the stand-in for the CUDA headers has them

/// Two numbers rounded to the 8 significant bits of bfloat16, side by side, the first one below.
__device__ inline unsigned round_to_bfloat16(float first, float second) {
  unsigned pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  return pair;
}
__device__ inline float first_of_bfloat16(unsigned pair) {
  return __uint_as_float(pair << 16);
}
__device__ inline float second_of_bfloat16(unsigned pair) {
  return __uint_as_float(pair & 0xFFFF0000U);
}

/// Of numbers in bfloat16: 16 monomials instead of 8, of which each lane holds t, t + 4, t + 8 and t + 12, two in a
/// word: a = (g, first two), (g + 8, first two), (g, last two), (g + 8, last two). Products are exact; sums are cut
/// off, not rounded.
__device__ inline void multiply_add_bfloat16(const uint4& a, const uint2& b, float (&c)[4]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y));
}

/// One instruction from sm_90 on, four of a quarter of the size before. Multiply-adds round as scalar ones do.
__device__ inline void multiply_add_double(const double2& a_first, const double2& a_second, double b0, double b1,
                                           double (&c)[4]) {
#if __CUDA_ARCH__ >= 900
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
               : "d"(a_first.x), "d"(a_first.y), "d"(a_second.x), "d"(a_second.y), "d"(b0), "d"(b1));
#else
  const auto quarter = [](double a, double b, double& c0, double& c1) {
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+d"(c0), "+d"(c1)
                 : "d"(a), "d"(b));
  };
  quarter(a_first.x, b0, c[0], c[1]);
  quarter(a_first.y, b0, c[2], c[3]);
  quarter(a_second.x, b1, c[0], c[1]);
  quarter(a_second.y, b1, c[2], c[3]);
#endif
}

#endif
