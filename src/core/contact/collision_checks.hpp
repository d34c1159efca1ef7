// What a batch whose bodies meet each other must be.
#pragma once

#include "quartic/batch.hpp"

namespace quartic {

/// @throws InputError for another backend or integrator, with what to take instead
template <class T>
void require_collisions_go_with(const Batch<T>& batch);

}  // namespace quartic
