// A world on another backend than the CPU, which has all stages of a step there.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/batch/batch_impl.hpp"
#include "core/contact/world_checks.hpp"
#include "quartic/contact.hpp"
#include "quartic/world.hpp"

namespace quartic {

/// As `World`, of arguments that have been checked.
template <class T>
class DeviceWorld {
 public:
  virtual ~DeviceWorld() = default;
  DeviceWorld() = default;
  DeviceWorld(const DeviceWorld&) = delete;
  DeviceWorld& operator=(const DeviceWorld&) = delete;

  /// That it is of.
  [[nodiscard]] virtual const BatchImpl<T>* batch() const = 0;
  /// @param colliders get their poses at the end
  virtual void step(double dt, int substeps, std::vector<Collider>& colliders) = 0;
  [[nodiscard]] virtual std::span<const Contact> contacts() = 0;
  [[nodiscard]] virtual std::span<const double> wrench() = 0;
  [[nodiscard]] virtual std::span<const double> impulse() = 0;
};

/// @param batch of the backend; destroyed after the world, or not used any more
struct DeviceWorldOperations {
  std::unique_ptr<DeviceWorld<float>> (*make_float_world)(BatchImpl<float>& batch, const BoundTrees& trees,
                                                          const ContactOptions& options);
  std::unique_ptr<DeviceWorld<double>> (*make_double_world)(BatchImpl<double>& batch, const BoundTrees& trees,
                                                            const ContactOptions& options);
};

}  // namespace quartic
