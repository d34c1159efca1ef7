// Points that may come to touch something, and room for them, on the device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/base/runtime.hpp"
#include "cuda/contact/contact_view.hpp"

namespace quartic::cuda {

class Candidates {
 public:
  Candidates() = default;
  Candidates(std::int64_t bodies, std::int64_t capacity, cudaStream_t stream);

  /// More room; what was there is lost.
  void reserve(std::int64_t capacity, cudaStream_t stream);
  [[nodiscard]] std::int64_t capacity() const { return points_.size(); }
  /// What steps would have taken so far; waits for the stream.
  [[nodiscard]] std::int64_t needed(cudaStream_t stream) const;

  [[nodiscard]] CandidatesView view() const;
  [[nodiscard]] Contact* contacts() const { return contacts_.data(); }

  [[nodiscard]] static std::size_t bytes(std::int64_t bodies, std::int64_t capacity);

 private:
  DeviceArray<std::int64_t> needed_, counts_, firsts_;
  DeviceArray<double> margins_, records_;
  DeviceArray<std::int32_t> shapes_, points_;
  DeviceArray<Contact> contacts_;  // those that touch, once the step is done
};

}  // namespace quartic::cuda
