// The Lame constants of a mesh's regions, and unit ones, for the parts of each region.
#pragma once

#include <cstddef>
#include <vector>

#include "core/elements/elastic_constants.hpp"
#include "core/fem/prepared_mesh.hpp"

namespace quartic {

[[nodiscard]] inline RegionConstants constants_of(const PreparedMesh& mesh) {
  const ElementMaterials& materials = mesh.materials();
  RegionConstants constants;
  for (std::size_t g = 0; g < materials.lambda.size(); ++g)
    constants.push_back(ElasticConstants{materials.lambda[g], materials.mu[g]});
  return constants;
}

/// lambda = 1, then mu = 1, of each region in turn, all others being passed over: two sets per region.
[[nodiscard]] inline std::vector<RegionConstants> unit_constants(std::size_t regions) {
  std::vector<RegionConstants> sets;
  for (std::size_t g = 0; g < regions; ++g)
    for (const ElasticConstants unit : {ElasticConstants{.lambda = 1, .mu = 0}, ElasticConstants{.lambda = 0, .mu = 1}})
      sets.emplace_back(regions)[g] = unit;
  return sets;
}

}  // namespace quartic
