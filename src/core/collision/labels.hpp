// What tells bodies apart, checked.
#pragma once

#include <cstdint>

#include "quartic/collision.hpp"

namespace quartic {

/// @throws InputError for a wrong number of ids or environments, or an id that two bodies have
void require_labels(const CollisionLabels& labels, std::int64_t bodies);

}  // namespace quartic
