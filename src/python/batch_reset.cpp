// Bodies that start anew.
#include "python/batch.hpp"
#include "quartic/error.hpp"

namespace quartic::python {
namespace {

std::vector<std::uint8_t> mask_of(nb::handle which, std::int64_t bodies) {
  const auto count = static_cast<std::size_t>(bodies);
  if (which.is_none()) return std::vector<std::uint8_t>(count, 1);
  std::vector<std::uint8_t> mask(count, 0);
  if (!nb::isinstance<nb::list>(which) && !nb::isinstance<nb::tuple>(which) && !PyRange_Check(which.ptr())) {
    const Array array = import_array(which, "mask_or_ids");
    if (array.dtype == DType::boolean) {
      require(array, "mask_or_ids", DType::boolean, {bodies});
      for (std::size_t i = 0; i < count; ++i)
        mask[i] = data_of<const std::uint8_t>(array)[static_cast<std::int64_t>(i) * array.strides[0]] != 0 ? 1 : 0;
      return mask;
    }
  }
  for (const std::int32_t body : indices(which, "mask_or_ids")) {
    if (body < 0 || body >= bodies)
      throw InputError("there is no body " + std::to_string(body) + "; the batch has " + std::to_string(bodies));
    mask[static_cast<std::size_t>(body)] = 1;
  }
  return mask;
}

// One of the arrays that bodies may start with; without data where it is left out.
struct Start {
  Start(nb::handle object, const char* name, DType dtype, std::vector<std::int64_t> shape, const Place& place)
      : given(!object.is_none()) {
    if (!given) return;
    array = import_array(object, name, place);
    require(array, name, dtype, shape);
  }
  template <class T>
  [[nodiscard]] StateView<const T> as() const {
    return given ? state_view<const T>(array) : StateView<const T>{};
  }

  bool given;
  Array array;
};

// A mask or numbers on a device: given ones, or a copy of the host's mask.
Array chosen_on_device(nb::handle which, std::int64_t bodies, const Place& place) {
  if (which.is_none() || !is_on_device(which))
    return device_copy_of(owning_array(mask_of(which, bodies), {bodies}), place);
  Array array = import_array(which, "mask_or_ids", place);
  if (array.dtype == DType::boolean || array.dtype == DType::uint8)
    require(array, "mask_or_ids", array.dtype, {bodies});
  else
    require(array, "mask_or_ids", DType::int32, {-1});
  if (!array.is_contiguous()) throw InputError("mask_or_ids isn't contiguous; pass a copy of it");
  return array;
}

template <class T>
void reset_on_device(Batch<T>& batch, const Array& which, const BodyStart<T>& start, const Place& place) {
  const DeviceBatchOperations<T>& operations = device_operations().batch<T>();
  if (item_size(which.dtype) == 1)
    operations.reset_masked(batch, data_of<const std::uint8_t>(which), start, place.stream);
  else
    operations.reset_numbered(batch, data_of<const std::int32_t>(which), which.size(), start, place.stream);
}

void reset(const BatchObject& batch, nb::handle mask_or_ids, nb::handle q, nb::handle velocity, nb::handle pose,
           nb::handle twist, nb::handle stream) {
  const Place place = place_of(batch, stream);
  const DType dtype = dtype_of(batch);
  const std::int64_t bodies = bodies_of(batch), rank = inspect(batch, [](const auto&b) { return b.rank(); });
  const Array which = place.on_device() ? chosen_on_device(mask_or_ids, bodies, place)
                                        : owning_array(mask_of(mask_or_ids, bodies), {bodies});
  const Start start_q(q, "q", dtype, {bodies, rank}, place);
  const Start start_velocity(velocity, "velocity", dtype, {bodies, rank}, place);
  const Start start_pose(pose, "pose", dtype, {bodies, pose_size}, place);
  const Start start_twist(twist, "twist", dtype, {bodies, twist_size}, place);
  exclusive(batch, [&](auto& b) {
    using T = Scalar<decltype(b)>;
    const BodyStart<T> start{.q = start_q.as<T>(),
                             .velocity = start_velocity.as<T>(),
                             .pose = start_pose.as<T>(),
                             .twist = start_twist.as<T>()};
    if (place.on_device()) return reset_on_device(b, which, start, place);
    reset_bodies<T>(b, std::span(data_of<const std::uint8_t>(which), static_cast<std::size_t>(bodies)), start);
  });
}

}  // namespace

void bind_batch_reset(nb::class_<BatchObject>& type) {
  type.def(
      "reset", &reset, nb::arg("mask_or_ids") = nb::none(), nb::kw_only(), nb::arg("q") = nb::none(),
      nb::arg("velocity") = nb::none(), nb::arg("pose") = nb::none(), nb::arg("twist") = nb::none(),
      nb::arg("stream") = nb::none(),
      nb::sig("def reset(self, mask_or_ids: quartic._typing.Indices | None = None, *, q: quartic._typing.ArrayLike | "
              "None = None, "
              "velocity: quartic._typing.ArrayLike | None = None, pose: quartic._typing.ArrayLike | None = None, "
              "twist: quartic._typing.ArrayLike | None = None, stream: quartic._typing.Stream | None = None) -> None"),
      "Puts the bodies of a boolean mask (B), or those of these numbers, or all, at their start, zero where nothing is "
      "given; of q (B, r) and so on only their rows are read. Loads and all other bodies stay as they are. On a GPU "
      "nothing waits for a mask (B) of bool or uint8, or int32 numbers, that are there; what only the device knows "
      "isn't "
      "checked.");
}

}  // namespace quartic::python
