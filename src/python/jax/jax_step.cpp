// Pure steps as calls of XLA's foreign function interface, for quartic.jax: on the CPU, and in the stream of XLA's on a
// CUDA device. A compiled program knows its batch by a number.
#include <nanobind/nanobind.h>
#include <xla/ffi/api/ffi.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "python/bindings.hpp"
#include "python/pure_step.hpp"
#include "quartic/error.hpp"

namespace quartic::python {
namespace {

namespace ffi = xla::ffi;

// Batches by number. A program may outlive its model, and then says so.
class Registry {
 public:
  std::int64_t add(const BatchObject& batch) {
    const std::lock_guard lock(mutex_);
    batches_.emplace(next_, Entry{batch.shared, batch.place});
    return next_++;
  }
  [[nodiscard]] std::pair<SharedBatch, Place> find(std::int64_t number) {
    const std::lock_guard lock(mutex_);
    const auto found = batches_.find(number);
    const SharedBatch batch = found == batches_.end() ? nullptr : found->second.batch.lock();
    if (batch == nullptr)
      throw InputError("the model of this step is gone; keep it as long as what was compiled for it");
    return {batch, found->second.place};
  }

 private:
  struct Entry {
    std::weak_ptr<LockedBatch> batch;
    Place place;
  };
  std::mutex mutex_;
  std::map<std::int64_t, Entry> batches_;
  std::int64_t next_ = 1;
};

Registry& registry() {
  static auto& registry = *new Registry;  // programs may run while the interpreter ends
  return registry;
}

template <class T>
struct XlaType;
template <>
struct XlaType<float> {
  static constexpr ffi::DataType value = ffi::F32;
};
template <>
struct XlaType<double> {
  static constexpr ffi::DataType value = ffi::F64;
};
template <class T>
using Input = ffi::Buffer<XlaType<T>::value, 2>;
template <class T>
using Output = ffi::Result<ffi::Buffer<XlaType<T>::value, 2>>;

// XLA's arrays are in C order.
template <class T>
StateView<const T> rows_of(Input<T>& buffer) {
  const auto shape = buffer.dimensions();
  return {buffer.typed_data(), shape[1], shape[0], 1, shape[1]};
}
template <class T>
StateView<T> rows_of(Output<T>& buffer) {
  const auto shape = buffer->dimensions();
  return {buffer->typed_data(), shape[1], shape[0], 1, shape[1]};
}

enum class Platform : std::uint8_t { cpu, cuda };

// XLA chooses where a program runs; the batch is where `device` said.
template <class T>
void require_place(const Place& place, Platform platform, const PureStep<T>& call) {
  const auto refuse = [&](const std::string& other) {
    throw InputError("the step was made for " + place.text() + ", but XLA runs it on " + other +
                     "; pass step(..., device=...) of where the arrays are");
  };
  if (place.on_device() != (platform == Platform::cuda)) refuse(place.on_device() ? "the CPU" : "a CUDA device");
  if (!place.on_device() || call.force.data == nullptr) return;
  const int device = streams().device_of(call.force.data);
  if (device >= 0 && device != place.device) refuse("cuda:" + std::to_string(device));
}

template <class T>
ffi::Error run(const PureStep<T>& call, std::int64_t number, Platform platform, void* stream) {
  try {
    auto [shared, place] = registry().find(number);
    require_place(place, platform, call);
    place.stream = stream;
    const std::lock_guard lock(shared->mutex);
    pure_step(*shared, std::get<Batch<T>>(shared->batch), call, place);
  } catch (const InputError& error) {
    return ffi::Error::InvalidArgument(error.what());
  } catch (const std::exception& error) {
    return ffi::Error::Internal(error.what());
  }
  return ffi::Error::Success();
}

template <class T>
ffi::Error step_on_cpu(Input<T> q, Input<T> velocity, Input<T> acceleration, Input<T> force, Output<T> to_q,
                       Output<T> to_velocity, Output<T> to_acceleration, std::int64_t batch, double dt,
                       std::int64_t substeps) {
  return run<T>({{rows_of<T>(q), rows_of<T>(velocity), rows_of<T>(acceleration)},
                 rows_of<T>(force),
                 {rows_of<T>(to_q), rows_of<T>(to_velocity), rows_of<T>(to_acceleration)},
                 dt,
                 static_cast<int>(substeps)},
                batch, Platform::cpu, nullptr);
}

template <class T>
ffi::Error step_on_device(void* stream, Input<T> q, Input<T> velocity, Input<T> acceleration, Input<T> force,
                          Output<T> to_q, Output<T> to_velocity, Output<T> to_acceleration, std::int64_t batch,
                          double dt, std::int64_t substeps) {
  return run<T>({{rows_of<T>(q), rows_of<T>(velocity), rows_of<T>(acceleration)},
                 rows_of<T>(force),
                 {rows_of<T>(to_q), rows_of<T>(to_velocity), rows_of<T>(to_acceleration)},
                 dt,
                 static_cast<int>(substeps)},
                batch, Platform::cuda, stream);
}

template <class T, class Binding>
auto with_arguments(Binding binding) {
  return std::move(binding)
      .template Arg<Input<T>>()
      .template Arg<Input<T>>()
      .template Arg<Input<T>>()
      .template Arg<Input<T>>()
      .template Ret<ffi::Buffer<XlaType<T>::value, 2>>()
      .template Ret<ffi::Buffer<XlaType<T>::value, 2>>()
      .template Ret<ffi::Buffer<XlaType<T>::value, 2>>()
      .template Attr<std::int64_t>("batch")
      .template Attr<double>("dt")
      .template Attr<std::int64_t>("substeps");
}

XLA_FFI_DEFINE_HANDLER(float_on_cpu, step_on_cpu<float>, with_arguments<float>(ffi::Ffi::Bind()));
XLA_FFI_DEFINE_HANDLER(double_on_cpu, step_on_cpu<double>, with_arguments<double>(ffi::Ffi::Bind()));
XLA_FFI_DEFINE_HANDLER(float_on_device, step_on_device<float>,
                       with_arguments<float>(ffi::Ffi::Bind().Ctx<ffi::PlatformStream<void*>>()));
XLA_FFI_DEFINE_HANDLER(double_on_device, step_on_device<double>,
                       with_arguments<double>(ffi::Ffi::Bind().Ctx<ffi::PlatformStream<void*>>()));

nb::capsule capsule_of(XLA_FFI_Handler* handler) {
  return nb::capsule(reinterpret_cast<void*>(handler));
}

}  // namespace

void bind_jax_step(nb::module_& module) {
  module.def("_number_of_batch", [](const BatchObject& batch) { return registry().add(batch); });
  module.def(
      "_xla_targets",
      [] {
        nb::list targets;
        targets.append(nb::make_tuple("float32", "cpu", capsule_of(float_on_cpu)));
        targets.append(nb::make_tuple("float64", "cpu", capsule_of(double_on_cpu)));
        targets.append(nb::make_tuple("float32", "CUDA", capsule_of(float_on_device)));
        targets.append(nb::make_tuple("float64", "CUDA", capsule_of(double_on_device)));
        return targets;
      },
      nb::sig("def _xla_targets() -> list[tuple[str, str, typing.Any]]"),
      "Functions for jax.ffi: dtype, platform, capsule.");
}

}  // namespace quartic::python
