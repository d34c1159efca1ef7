// Where each body's numbers begin, given how many it has.
#pragma once

#include <cstdint>

#include "cuda/base/runtime.hpp"

namespace quartic::cuda {

class PrefixSums {
 public:
  PrefixSums() = default;
  /// @param count of the sums, >= 1
  PrefixSums(std::int64_t count, cudaStream_t stream);

  /// firsts[i] = counts[0] + ... + counts[i - 1]. @param counts, firsts shape (count)
  void run(const std::int64_t* counts, std::int64_t* firsts, cudaStream_t stream) const;

 private:
  std::int64_t count_ = 0;
  DeviceArray<unsigned char> workspace_;
};

}  // namespace quartic::cuda
