// Sums of integers by CUB: the same whatever the order.
#include <cub/device/device_scan.cuh>

#include "cuda/contact/prefix_sums.hpp"

namespace quartic::cuda {

PrefixSums::PrefixSums(std::int64_t count, cudaStream_t stream) : count_(count) {
  std::size_t bytes = 0;
  const std::int64_t* counts = nullptr;
  std::int64_t* firsts = nullptr;
  check(cub::DeviceScan::ExclusiveSum(nullptr, bytes, counts, firsts, count, stream), "ask for a sum's memory");
  workspace_ = DeviceArray<unsigned char>(static_cast<std::int64_t>(bytes), stream);
}

void PrefixSums::run(const std::int64_t* counts, std::int64_t* firsts, cudaStream_t stream) const {
  std::size_t bytes = workspace_.bytes();
  check(cub::DeviceScan::ExclusiveSum(workspace_.data(), bytes, counts, firsts, count_, stream), "sum numbers");
  count_launch();
}

}  // namespace quartic::cuda
