// A substep of one mode of one body, or of several side by side. Sums are in this order on every backend.
#pragma once

#include "core/base/host_device.hpp"
#include "core/modal/modal_impl.hpp"

namespace quartic {

/// @param add_product (sum, a, b): sum += a b, as the backend rounds it
/// @param f force at the substep's start @param rise by which it grows until the end
/// @param z, v state before and after
template <class T, class Value, class AddProduct>
[[gnu::always_inline]] QUARTIC_HD inline void modal_substep(const PackedPropagator<T>& p, const AddProduct& add_product,
                                                            const Value& f, const Value& rise, Value& z, Value& v) {
  Value dz = p.z_ramp * rise, dv = p.v_ramp * rise;
  add_product(dz, p.z_force, f), add_product(dv, p.v_force, f);
  add_product(dz, p.zv, v), add_product(dv, p.vv_less_one, v);
  add_product(dz, p.zz_less_one, z), add_product(dv, p.vz, z);
  z = z + dz;
  v = v + dv;
}

/// @param sound whether a mode's numbers are finite, and so is what they add to the energy
template <class T, class Value, class Marks>
[[gnu::always_inline]] QUARTIC_HD inline void look_at(const PackedPropagator<T>& p, const Value& z, const Value& v,
                                                      Marks& sound) {
  sound = (z <= p.largest_z) & (z >= -p.largest_z) & (v <= p.largest_v) & (v >= -p.largest_v);
}

}  // namespace quartic
