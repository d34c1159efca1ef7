// Where a batch's state is in device memory. Without CUDA's headers.
#pragma once

#include "quartic/batch.hpp"

namespace quartic::cuda {

/// The state of a batch made with Backend::cuda, in device memory: as Batch::q() etc., read and written by kernels.
template <class T>
struct DeviceState {
  StateView<T> q, velocity, acceleration, force;
  const BodyStatus* status = nullptr;      ///< shape (B)
  const BodyFlags* flags = nullptr;        ///< as Batch::flags, shape (B)
  const BodyFlags* range_flags = nullptr;  ///< of the last `check_range`, none before; shape (B)
  /// As Batch::pose() etc.; without data where no group of the batch has a frame.
  StateView<T> pose, twist, twist_rate, wrench;
  /// As Batch::set_pressure gives, shape (chambers, B): an input that kernels may write before each step; null without
  /// chambers. Finite.
  T* pressure = nullptr;
};

}  // namespace quartic::cuda
