#include "cuda/contact/candidates.hpp"

namespace quartic::cuda {

Candidates::Candidates(std::int64_t bodies, std::int64_t capacity, cudaStream_t stream)
    : needed_(1, stream), counts_(bodies, stream), firsts_(bodies, stream), margins_(bodies, stream) {
  needed_.fill_zero(stream);
  reserve(capacity, stream);
}

void Candidates::reserve(std::int64_t capacity, cudaStream_t stream) {
  // What there was goes first: there may not be room for both.
  shapes_ = {}, points_ = {}, records_ = {}, contacts_ = {};
  shapes_ = DeviceArray<std::int32_t>(capacity, stream);
  points_ = DeviceArray<std::int32_t>(capacity, stream);
  records_ = DeviceArray<double>(capacity * record_rows, stream);
  contacts_ = DeviceArray<Contact>(capacity, stream);
}

std::int64_t Candidates::needed(cudaStream_t stream) const {
  std::int64_t count = 0;
  check(cudaMemcpyAsync(&count, needed_.data(), sizeof(count), cudaMemcpyDeviceToHost, stream), "copy a count");
  check(cudaStreamSynchronize(stream), "copy a count");
  return count;
}

CandidatesView Candidates::view() const {
  return {.capacity = capacity(),
          .needed = needed_.data(),
          .margins = margins_.data(),
          .counts = counts_.data(),
          .firsts = firsts_.data(),
          .shapes = shapes_.data(),
          .points = points_.data(),
          .records = records_.data()};
}

std::size_t Candidates::bytes(std::int64_t bodies, std::int64_t capacity) {
  constexpr std::size_t of_candidate = 2 * sizeof(std::int32_t) + record_rows * sizeof(double) + sizeof(Contact);
  return static_cast<std::size_t>(bodies) * (2 * sizeof(std::int64_t) + sizeof(double)) +
         static_cast<std::size_t>(capacity) * of_candidate;
}

}  // namespace quartic::cuda
