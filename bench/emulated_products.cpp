#include "emulated_products.hpp"

#include <algorithm>
#include <cmath>

#include "measure/tensor_core.hpp"

namespace quartic::measure {
namespace {

constexpr std::size_t depth = 8;  // of an instruction on TF32

// x as the sum of two numbers of 11 bits.
struct Split {
  float high, low;
  explicit Split(double x)
      : high(round_to_tf32(static_cast<float>(x))), low(round_to_tf32(static_cast<float>(x - double{high}))) {}
};

float multiply_adds(std::span<const double> coefficients, std::span<const float> monomials) {
  float sum = 0;
  for (std::size_t n = 0; n < monomials.size(); ++n)
    sum = std::fma(static_cast<float>(coefficients[n]), monomials[n], sum);
  return sum;
}

// The upper and lower parts of a step's operands, zeros behind the last.
struct Step {
  float c_high[depth] = {}, c_low[depth] = {}, m_high[depth] = {}, m_low[depth] = {};
  Step(std::span<const double> coefficients, std::span<const float> monomials) {
    for (std::size_t k = 0; k < std::min(depth, monomials.size()); ++k) {
      const Split c(coefficients[k]), m(double{monomials[k]});
      c_high[k] = c.high, c_low[k] = c.low, m_high[k] = m.high, m_low[k] = m.low;
    }
  }
};

// For each step sum = add(sum, step).
template <class Add>
float sum_steps(std::span<const double> coefficients, std::span<const float> monomials, const Add& add) {
  float sum = 0;
  for (std::size_t n = 0; n < monomials.size(); n += depth)
    sum = add(sum, Step(coefficients.subspan(n), monomials.subspan(n)));
  return sum;
}

float add_three(float sum, const Step& step) {
  sum = add_all_products(sum, step.c_low, step.m_high);
  sum = add_all_products(sum, step.c_high, step.m_low);
  return add_all_products(sum, step.c_high, step.m_high);
}

// Sums of steps of 16 monomials, each number as the sum of three of 8 bits: six products, the small ones first.
float thirds(std::span<const double> coefficients, std::span<const float> monomials) {
  constexpr std::size_t parts = 3, step_depth = 16;
  using Parts = float[parts][step_depth];
  const auto split = [](float x, std::size_t k, Parts& to) {
    for (std::size_t part = 0; part < parts; ++part) {
      to[part][k] = round_to_bfloat16(x);
      x -= to[part][k];
    }
  };
  float sum = 0;
  for (std::size_t n = 0; n < monomials.size(); n += step_depth) {
    Parts c = {}, m = {};
    for (std::size_t k = 0; k < std::min(step_depth, monomials.size() - n); ++k)
      split(static_cast<float>(coefficients[n + k]), k, c), split(monomials[n + k], k, m);
    float step = 0;
    constexpr std::size_t order[][2] = {{2, 0}, {1, 1}, {0, 2}, {1, 0}, {0, 1}, {0, 0}};
    for (const auto& [of_c, of_m] : order) step = add_all_products(step, c[of_c], m[of_m]);
    sum += step;
  }
  return sum;
}

// The power of two that takes x to [2^12, 2^13): sums of a thousand products stay finite in float, small terms keep
// their bits.
int half_exponent(double x) {
  return x == 0 ? 0 : 12 - std::ilogb(x);
}

// As two halves, the lower one times 2^11, so that it has bits left. Sums of products of upper parts and of mixed ones
// stand apart; each step of 16 starts at zero. Coefficients and monomials are scaled to the range of half precision.
float halves(std::span<const double> coefficients, std::span<const float> monomials) {
  const auto largest = [](auto values) {
    double most = 0;
    for (const auto value : values) most = std::max(most, std::abs(static_cast<double>(value)));
    return most;
  };
  const int c_exponent = half_exponent(largest(coefficients)), m_exponent = half_exponent(largest(monomials));
  struct Halves {
    double high, low;
    explicit Halves(double x)
        : high(static_cast<double>(static_cast<_Float16>(x))),
          low(static_cast<double>(static_cast<_Float16>((x - high) * 2048))) {}
  };
  float sum = 0;
  for (std::size_t n = 0; n < monomials.size(); n += 16) {
    float upper = 0, mixed = 0;
    for (std::size_t block = n; block < n + 16; block += 4) {
      double high[4] = {}, first[4] = {}, second[4] = {};
      for (std::size_t k = 0; k < 4 && block + k < monomials.size(); ++k) {
        const Halves c(std::ldexp(coefficients[block + k], c_exponent)),
            m(std::ldexp(double{monomials[block + k]}, m_exponent));
        high[k] = c.high * m.high, first[k] = c.low * m.high, second[k] = c.high * m.low;
      }
      mixed = add_products(add_products(mixed, first), second);
      upper = add_products(upper, high);
    }
    sum += upper + mixed / 2048;
  }
  return std::ldexp(sum, -c_exponent - m_exponent);
}

}  // namespace

std::vector<ProductWay> product_ways() {
  const auto single = [](std::span<const double> c, std::span<const float> m) {
    return sum_steps(c, m, [](float sum, const Step& step) { return add_all_products(sum, step.c_high, step.m_high); });
  };
  const auto cut_off = [](std::span<const double> c, std::span<const float> m) { return sum_steps(c, m, add_three); };
  const auto rounded = [](std::span<const double> c, std::span<const float> m) {
    return sum_steps(c, m, [](float sum, const Step& step) { return sum + add_three(0, step); });
  };
  return {{"multiply-adds (`strict`)", multiply_adds},
          {"one TF32", single},
          {"two TF32, cut off", cut_off},
          {"two TF32, rounded", rounded},
          {"three bfloat16, rounded (`tensor`)", thirds},
          {"two halves, scaled", halves}};
}

}  // namespace quartic::measure
