// What errors of H do to a body.
#pragma once

#include <vector>

#include "bent_bodies.hpp"
#include "emulated_products.hpp"

namespace quartic::measure {

struct ProductErrors {
  double force = 0;        // |dR| / |R|
  double equilibrium = 0;  // |K^-1 dR| / |q|: where the body comes to rest
  double stiffness = 0;    // the largest eigenvalue of K^-1 dK by size; at 1, K is no longer definite
};
/// Of H at q, rounded to float; the rest is in double.
[[nodiscard]] ProductErrors product_errors(const BentBody& body, const std::vector<double>& q,
                                           const EmulatedProduct& product);

}  // namespace quartic::measure
