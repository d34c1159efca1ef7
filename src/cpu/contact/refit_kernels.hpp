// Spheres of bodies, as many side by side as a vector register has numbers.
#pragma once

#include "core/contact/contact_operations.hpp"

namespace quartic::cpu {

/// By the instruction set of this machine. @param spheres shape (B, nodes, 4)
template <class T>
void refit(const PackedTree<T>& tree, const StateView<const T>& q, T* spheres);

}  // namespace quartic::cpu
