// Bodies in pieces that fit the cache, shared out among the threads of the batch.
#include "core/modal/modal_operations.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "core/base/aligned_array.hpp"
#include "core/base/thread_pool.hpp"
#include "core/modal/modal_rule.hpp"
#include "cpu/modal/modal_kernels.hpp"

namespace quartic {
namespace cpu {
namespace {

constexpr std::int64_t largest_piece = 8192;  // of bodies: the marks of a piece stay in the cache from mode to mode

template <class T>
class CpuModal final : public ModalImpl<T> {
 public:
  CpuModal(std::int64_t rank, const ModalOptions& options);

  StateView<T> state(ModalArray which) override {
    return {arrays_[static_cast<std::size_t>(which)].data(), this->rank(), bodies(), pitch_, 1};
  }
  void step(std::span<const PackedPropagator<T>> steps, int substeps, ForceHold hold) override;
  void add(const StateJumps<T>& jumps, std::span<const PackedPropagator<T>> steps) override;
  [[nodiscard]] std::span<const BodyStatus> status() const override { return status_; }
  void set_status(std::span<const BodyStatus> status) override;

 private:
  [[nodiscard]] std::int64_t bodies() const { return this->options().bodies; }
  [[nodiscard]] T* row(ModalArray which, std::int64_t mode) { return state(which).data + mode * pitch_; }
  void note_failures(std::int64_t first, std::int64_t count);

  std::int64_t pitch_, piece_;
  std::array<AlignedArray<T>, std::size(modal_state)> arrays_;  // (k, pitch) each
  AlignedArray<Mark<T>> frozen_, failed_;                       // (pitch)
  std::vector<BodyStatus> status_;
  ThreadPool pool_;
};

int thread_count(const ModalOptions& options, std::int64_t pieces) {
  const int wanted = options.threads > 0 ? options.threads : default_thread_count();
  return static_cast<int>(std::min<std::int64_t>(wanted, pieces));
}

template <class T>
CpuModal<T>::CpuModal(std::int64_t rank, const ModalOptions& options)
    : ModalImpl<T>(options, rank),
      pitch_(padded<T>(options.bodies)),
      piece_(std::min(largest_piece, padded<T>((options.bodies + 15) / 16))),
      frozen_(pitch_),
      failed_(pitch_),
      status_(static_cast<std::size_t>(options.bodies), BodyStatus::ok),
      pool_(thread_count(options, (options.bodies + piece_ - 1) / piece_)) {
  for (AlignedArray<T>& array : arrays_) array = AlignedArray<T>(rank * pitch_);
}

template <class T>
void CpuModal<T>::step(std::span<const PackedPropagator<T>> steps, int substeps, ForceHold hold) {
  pool_.run((pitch_ + piece_ - 1) / piece_, [&](std::int64_t n) {
    const std::int64_t first = n * piece_, count = std::min(piece_, pitch_ - first);
    for (std::int64_t mode = 0; mode < this->rank(); ++mode)
      step_row<T>(
          steps[static_cast<std::size_t>(mode)], substeps,
          {.q = row(ModalArray::q, mode) + first,
           .velocity = row(ModalArray::velocity, mode) + first,
           .force = row(ModalArray::force, mode) + first,
           .force_before = hold == ForceHold::first_order ? row(ModalArray::force_before, mode) + first : nullptr,
           .frozen = frozen_.data() + first,
           .failed = failed_.data() + first,
           .bodies = count});
    note_failures(first, count);
  });
}

template <class T>
void CpuModal<T>::note_failures(std::int64_t first, std::int64_t count) {
  for (std::int64_t b = first; b < std::min(first + count, bodies()); ++b) {
    if (failed_.data()[b] == 0) continue;
    failed_.data()[b] = 0;
    frozen_.data()[b] = -1;
    status_[static_cast<std::size_t>(b)] = BodyStatus::diverged;
  }
}

template <class T>
void CpuModal<T>::add(const StateJumps<T>& jumps, std::span<const PackedPropagator<T>> steps) {
  const StateView<T> q = state(ModalArray::q), velocity = state(ModalArray::velocity);
  for (std::size_t n = 0; n < jumps.bodies.size(); ++n) {
    const std::int64_t body = jumps.bodies[n];
    if (frozen_.data()[body] != 0) continue;
    for (std::int64_t i = 0; i < this->rank(); ++i) {
      const std::size_t entry = n * static_cast<std::size_t>(this->rank()) + static_cast<std::size_t>(i);
      const T z = q(i, body) + jumps.q[entry], v = velocity(i, body) + jumps.velocity[entry];
      bool sound = false;
      look_at(steps[static_cast<std::size_t>(i)], z, v, sound);
      if (sound)
        q(i, body) = z, velocity(i, body) = v;
      else
        failed_.data()[body] = -1;
    }
    note_failures(body, 1);
  }
}

template <class T>
void CpuModal<T>::set_status(std::span<const BodyStatus> status) {
  std::copy(status.begin(), status.end(), status_.begin());
  for (std::size_t b = 0; b < status.size(); ++b) frozen_.data()[b] = status[b] == BodyStatus::diverged ? -1 : 0;
}

template <class T>
std::unique_ptr<ModalImpl<T>> make_batch(std::int64_t rank, const ModalOptions& options) {
  return std::make_unique<CpuModal<T>>(rank, options);
}

}  // namespace
}  // namespace cpu

constinit const ModalOperations cpu_modal_operations = {.make_float_batch = cpu::make_batch<float>,
                                                        .make_double_batch = cpu::make_batch<double>};

}  // namespace quartic
