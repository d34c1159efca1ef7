#include "cuda/modal/modal_operations.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/base/aligned_array.hpp"
#include "cuda/base/devices.hpp"
#include "cuda/batch/host_copies.hpp"
#include "cuda/batch/state_blocks.hpp"
#include "cuda/modal/modal_step.hpp"

namespace quartic::cuda {
namespace {

template <class T>
class CudaModal final : public ModalImpl<T> {
 public:
  CudaModal(std::int64_t rank, const ModalOptions& options);
  ~CudaModal() override {
    guard_ = try_device(device_);  // while the members are destroyed
  }

  StateView<T> state(ModalArray which) override { return view_of(host_copy(which, true)); }
  StateView<const T> read_state(ModalArray which) override { return view_of(host_copy(which, false)); }
  void step(std::span<const PackedPropagator<T>> steps, int substeps, ForceHold hold) override;
  void add(const StateJumps<T>& jumps, std::span<const PackedPropagator<T>> steps) override;
  [[nodiscard]] std::span<const BodyStatus> status() const override;
  void set_status(std::span<const BodyStatus> status) override;

 private:
  static std::size_t index(ModalArray which) { return static_cast<std::size_t>(which); }
  [[nodiscard]] StateView<T> view_of(T* values) const {
    return {values, this->rank(), this->options().bodies, pitch_, 1};
  }
  T* host_copy(ModalArray which, bool to_write) {
    const DeviceGuard guard(device_);
    return host_copies_.copy(index(which), to_write, state_, stream_.get());
  }
  [[nodiscard]] ModalView<T> device_view() const;
  /// Work in the stream between copies of the state to the device and back.
  template <class Work>
  void run(const Work& work);

  int device_;
  std::unique_ptr<DeviceGuard> guard_;
  std::int64_t pitch_;
  Stream stream_;
  StateBlocks<T> state_;
  HostCopies<T> host_copies_{std::size(modal_state)};
  DeviceArray<std::int32_t> status_, failed_;
  DeviceArray<PackedPropagator<T>> steps_;
  std::vector<PackedPropagator<T>> sent_steps_;  // as they are on the device
  mutable std::vector<BodyStatus> host_status_;
};

template <class T>
CudaModal<T>::CudaModal(std::int64_t rank, const ModalOptions& options)
    : ModalImpl<T>(options, rank),
      device_(checked_device(options.device)),
      guard_(std::make_unique<DeviceGuard>(device_)),
      pitch_(padded<T>(options.bodies)),
      host_status_(static_cast<std::size_t>(options.bodies), BodyStatus::ok) {
  const auto numbers = static_cast<std::size_t>(std::ssize(modal_state) * rank * pitch_);
  require_device_memory(numbers * sizeof(T) + static_cast<std::size_t>(pitch_) * 2 * sizeof(std::int32_t),
                        "a modal batch");
  const cudaStream_t s = stream_.get();
  state_ = StateBlocks<T>(modal_state, rank, pitch_, s);
  for (DeviceArray<std::int32_t>* array : {&status_, &failed_}) {
    *array = DeviceArray<std::int32_t>(pitch_, s);
    array->fill_zero(s);
  }
  steps_ = DeviceArray<PackedPropagator<T>>(rank, s);
  stream_.synchronize();
  guard_.reset();
}

template <class T>
ModalView<T> CudaModal<T>::device_view() const {
  const auto block = [&](ModalArray which) { return state_.block(index(which)).data(); };
  return {.q = block(ModalArray::q),
          .velocity = block(ModalArray::velocity),
          .force = block(ModalArray::force),
          .force_before = block(ModalArray::force_before),
          .rank = this->rank(),
          .bodies = this->options().bodies,
          .pitch = pitch_,
          .status = status_.data(),
          .failed = failed_.data()};
}

template <class T>
template <class Work>
void CudaModal<T>::run(const Work& work) {
  const DeviceGuard guard(device_);
  const cudaStream_t s = stream_.get();
  host_copies_.send_before_work(state_, s);
  work(s);
  host_copies_.fetch_after_steps(state_, s);
  stream_.synchronize();
}

template <class T>
void CudaModal<T>::step(std::span<const PackedPropagator<T>> steps, int substeps, ForceHold hold) {
  run([&](cudaStream_t s) {
    const auto same = [](const PackedPropagator<T>& a, const PackedPropagator<T>& b) {
      return a.zz_less_one == b.zz_less_one && a.zv == b.zv && a.vz == b.vz && a.vv_less_one == b.vv_less_one &&
             a.z_force == b.z_force && a.z_ramp == b.z_ramp && a.v_ramp == b.v_ramp;
    };
    if (!std::equal(steps.begin(), steps.end(), sent_steps_.begin(), sent_steps_.end(), same)) {
      steps_.copy_from(steps, s);
      sent_steps_.assign(steps.begin(), steps.end());
    }
    ModalView<T> view = device_view();
    if (hold == ForceHold::zero_order) view.force_before = nullptr;
    step_modes(view, steps_.data(), substeps, s);
  });
}

template <class T>
void CudaModal<T>::add(const StateJumps<T>& jumps, std::span<const PackedPropagator<T>> /*steps: sent already*/) {
  run([&](cudaStream_t s) {
    const DeviceArray<std::int64_t> bodies(std::span<const std::int64_t>(jumps.bodies), s);
    const DeviceArray<T> q(std::span<const T>(jumps.q), s), velocity(std::span<const T>(jumps.velocity), s);
    add_jumps(device_view(), steps_.data(), bodies.data(), bodies.size(), q.data(), velocity.data(), s);
  });
}

template <class T>
std::span<const BodyStatus> CudaModal<T>::status() const {
  const DeviceGuard guard(device_);
  check(cudaMemcpyAsync(host_status_.data(), status_.data(), host_status_.size() * sizeof(BodyStatus),
                        cudaMemcpyDeviceToHost, stream_.get()),
        "copy the status from the device");
  stream_.synchronize();
  return host_status_;
}

template <class T>
void CudaModal<T>::set_status(std::span<const BodyStatus> status) {
  const DeviceGuard guard(device_);
  std::copy(status.begin(), status.end(), host_status_.begin());
  check(cudaMemcpyAsync(status_.data(), host_status_.data(), host_status_.size() * sizeof(BodyStatus),
                        cudaMemcpyHostToDevice, stream_.get()),
        "copy the status to the device");
  stream_.synchronize();
}

template <class T>
std::unique_ptr<ModalImpl<T>> make_batch(std::int64_t rank, const ModalOptions& options) {
  return std::make_unique<CudaModal<T>>(rank, options);
}

}  // namespace

constinit const ModalOperations modal_operations = {.make_float_batch = make_batch<float>,
                                                    .make_double_batch = make_batch<double>};

}  // namespace quartic::cuda
