// H by the ways of a GPU to compute products in single precision, bit by bit on the host.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "quartic/matrix.hpp"

namespace quartic::measure {

/// An entry of H: the sum of the products of coefficients and monomials.
using EmulatedProduct = std::function<float(std::span<const double> coefficients, std::span<const float> monomials)>;

struct ProductWay {
  const char* name;
  EmulatedProduct product;
};
/// Multiply-adds as Evaluation::strict has them on a GPU; tensor cores on TF32 as it is, on sums of two TF32 numbers
/// with and without rounding after each step of eight monomials, on sums of three bfloat16 numbers with rounding after
/// each step of 16 (Evaluation::tensor), on sums of two halves.
[[nodiscard]] std::vector<ProductWay> product_ways();

}  // namespace quartic::measure
