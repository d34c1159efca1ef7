#include "core/relaxation/relaxation_check.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "quartic/error.hpp"

namespace quartic {
namespace {

void require_parts(const StrainProducts& products, std::int64_t fields, std::int64_t pairs) {
  const std::int64_t size = products.stiffness.rows;
  if (size < fields || products.stiffness.cols != size || products.forces.rows != size || products.forces.cols != pairs)
    throw InputError("a region's parts of the relaxation don't fit its products");
}

}  // namespace

void check_relaxed_share(double share) {
  if (!(share >= 0 && share <= 1))
    throw InputError("the share of the strains that is relaxed must lie in [0, 1], not " + std::to_string(share));
}

void check(const Relaxation& relaxation, std::int64_t rank) {
  check_relaxed_share(relaxation.share);
  if (relaxation.products.cols != pair_count(rank))
    throw InputError("the relaxation has " + std::to_string(relaxation.products.cols) +
                     " products, but an energy of rank " + std::to_string(rank) + " has " +
                     std::to_string(pair_count(rank)) + " pairs");
  if (!std::ranges::all_of(relaxation.products.values, [](double x) { return std::isfinite(x); }))
    throw InputError("the relaxation has a product that isn't a finite number");
  if (!(relaxation.reach >= 0) || !std::isfinite(relaxation.reach))
    throw InputError("the reach of a relaxation must be a number >= 0");
  for (const RegionRelaxation& region : relaxation.regions)
    for (const StrainProducts* part : {&region.lambda_part, &region.mu_part})
      require_parts(*part, relaxation.field_count(), relaxation.products.cols);
}

}  // namespace quartic
