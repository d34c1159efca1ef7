// What checks say of elements that are folded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "quartic/element_quality.hpp"
#include "quartic/mesh.hpp"

namespace quartic {

/// Adds how far the first element is folded to a count that has the others' numbers.
void measure_fold(const VolumeMesh& mesh, FoldedElements& folded);

/// A sentence, the same from every check; none if there are none.
[[nodiscard]] std::vector<std::string> folded_warnings(const FoldedElements& folded, std::int64_t elements);

}  // namespace quartic
