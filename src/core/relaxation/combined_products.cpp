#include "core/relaxation/combined_products.hpp"

namespace quartic {
namespace {

void add(double factor, const StrainProducts& part, StrainProducts& sum) {
  sum.stiffness.map() += factor * part.stiffness.map();
  sum.forces.map() += factor * part.forces.map();
}

}  // namespace

StrainProducts combined_products(std::span<const RegionRelaxation> parts, const RegionConstants& constants) {
  const StrainProducts& first = parts.front().lambda_part;
  StrainProducts sum{.stiffness = Matrix(first.stiffness.rows, first.stiffness.cols),
                     .forces = Matrix(first.forces.rows, first.forces.cols)};
  for (std::size_t g = 0; g < parts.size(); ++g) {
    add(constants[g]->lambda, parts[g].lambda_part, sum);
    add(constants[g]->mu, parts[g].mu_part, sum);
  }
  return sum;
}

}  // namespace quartic
