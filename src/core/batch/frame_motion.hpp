// Energy and momenta of bodies with frames, in double, from the state that any backend keeps.
#pragma once

#include <span>

#include "core/batch/batch_impl.hpp"

namespace quartic {

/// Adds to each body's 1/2 |q'|^2 the rest of its kinetic energy. @param energy shape (B)
template <class T>
void add_rigid_energy(BatchImpl<T>& batch, std::span<double> energy);

/// m v and R (J w + B q'), shape (B, 3). Other bodies' are left alone.
template <class T>
void linear_momenta(BatchImpl<T>& batch, std::span<double> result);
template <class T>
void angular_momenta(BatchImpl<T>& batch, std::span<double> result);

}  // namespace quartic
