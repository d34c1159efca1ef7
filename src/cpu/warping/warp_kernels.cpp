#include "cpu/warping/warp_kernels.hpp"

#include <cmath>

#include "core/base/kernel_variants.hpp"

namespace quartic::cpu {
namespace {

// Numbers so large that adding and subtracting them rounds to whole ones.
template <class T>
inline constexpr T rounding = T(sizeof(T) == 8 ? 6755399441055744.0 : 12582912.0);

template <class T>
[[gnu::always_inline]] inline T whole(T x) {
  return (x + rounding<T>)-rounding<T>;
}

// sum over n < terms of (-square)^n / (2 n + first)! times first!
template <class T, int first, int terms>
[[gnu::always_inline]] inline T series(T square) {
  T sum = 1;
#pragma GCC unroll 16
  for (int n = terms - 1; n > 0; --n) sum = 1 - square * T(1.0 / ((2 * n + first) * (2 * n + first - 1))) * sum;
  return sum;
}

/// a = sin t / t, b = (1 - cos t) / t^2, c = (t - sin t) / t^3 without a branch, so that vectors of them are one: by
/// sine and cosine of half the angle, turned back by whole multiples of pi in three parts, and c by its series where it
/// would lose digits. As rotation_map.hpp, to some units in the last place.
template <class T>
struct Functions {
  T a, b, c;

  [[gnu::always_inline]] explicit Functions(T square) {
    constexpr int terms = sizeof(T) == 8 ? 12 : 7;
    constexpr T pi_high = T(sizeof(T) == 8 ? 0x1.921fb544p1 : 3.140625),
                pi_middle = T(sizeof(T) == 8 ? 0x1.0b4611a6p-33 : 0x1.fb4p-11),
                pi_low = T(sizeof(T) == 8 ? 0x1.3198a2e037073p-68 : 0x1.4442d2p-23);
    constexpr T tiny = T(1e-30);
    const T t = std::sqrt(square + tiny), half = t / 2;
    const T turns = whole(half * T(0.31830988618379067154));
    const T odd = std::abs(turns - 2 * whole(turns / 2)), sign = 1 - 2 * odd;
    const T x = ((half - turns * pi_high) - turns * pi_middle) - turns * pi_low, xx = x * x;
    const T sine = sign * x * series<T, 1, terms>(xx), cosine = sign * series<T, 0, terms + 1>(xx);
    const T ratio = sine / t;
    a = 2 * ratio * cosine;
    b = 2 * ratio * ratio;
    const T far = (1 - a) / (square + tiny), near = series<T, 3, 8>(square) * T(1.0 / 6);
    c = square < T(0.25) ? near : far;
  }
};

/// @tparam integrated V(w), else exp(w^)
template <class T, bool integrated>
struct Warp {
  template <int bytes>
  [[gnu::always_inline]] static void run(const T* sums, std::size_t strips, T* warped) {
    constexpr std::size_t rows = strip_rows<T>;
    for (std::size_t s = 0; s < strips; ++s, sums += 6 * rows, warped += 3 * rows) {
#pragma GCC ivdep
      for (std::size_t v = 0; v < rows; ++v) {
        const T px = sums[v], py = sums[rows + v], pz = sums[2 * rows + v];
        const T wx = sums[3 * rows + v], wy = sums[4 * rows + v], wz = sums[5 * rows + v];
        const Functions<T> f(wx * wx + wy * wy + wz * wz);
        const T first = integrated ? f.b : f.a, second = integrated ? f.c : f.b;
        const T tx = wy * pz - wz * py, ty = wz * px - wx * pz, tz = wx * py - wy * px;
        warped[v] = px + (first * tx + second * (wy * tz - wz * ty));
        warped[rows + v] = py + (first * ty + second * (wz * tx - wx * tz));
        warped[2 * rows + v] = pz + (first * tz + second * (wx * ty - wy * tx));
      }
    }
  }
};

}  // namespace

template <class T>
StripWarp<T> integrated_strip_warp() {
  return KernelVariants<Warp<T, true>, const T*, std::size_t, T*>::chosen();
}
template <class T>
StripWarp<T> rotated_strip_warp() {
  return KernelVariants<Warp<T, false>, const T*, std::size_t, T*>::chosen();
}

template StripWarp<float> integrated_strip_warp();
template StripWarp<double> integrated_strip_warp();
template StripWarp<float> rotated_strip_warp();
template StripWarp<double> rotated_strip_warp();

}  // namespace quartic::cpu
