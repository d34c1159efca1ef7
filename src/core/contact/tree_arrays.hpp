// A node's numbers in the arrays of its tree.
#pragma once

#include "core/contact/node_fit.hpp"
#include "quartic/bound_tree.hpp"

namespace quartic {

/// Radius and residuals are made a little larger than they were found, so that they hold for whoever computes them
/// again.
void put_fit(BoundTree& tree, std::int64_t node, const NodeFit& fit, const NodeExtent& extent);
[[nodiscard]] NodeFit fit_at(const BoundTree& tree, std::int64_t node);

}  // namespace quartic
