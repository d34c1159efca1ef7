// Arrays on their way between Python and quartic: what others pass in, and `quartic.Array`, which is passed out.
//
// Memory is never copied, cast or reordered in silence. Nothing here depends on an array library; NumPy is imported
// when somebody asks for one of its arrays.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "python/arrays/place.hpp"
#include "quartic/state.hpp"

namespace quartic::python {

namespace nb = nanobind;

enum class DType : std::uint8_t { float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64, boolean };

[[nodiscard]] const char* dtype_name(DType dtype);  ///< as NumPy's: "float32", ..., "bool"
[[nodiscard]] std::int64_t item_size(DType dtype);  ///< in bytes

template <class T>
constexpr DType dtype_of() {
  using Value = std::remove_const_t<T>;
  if constexpr (std::is_same_v<Value, float>) return DType::float32;
  if constexpr (std::is_same_v<Value, double>) return DType::float64;
  if constexpr (std::is_same_v<Value, std::int32_t>) return DType::int32;
  if constexpr (std::is_same_v<Value, std::int64_t>) return DType::int64;
  if constexpr (std::is_same_v<Value, std::uint8_t>) return DType::uint8;
  if constexpr (std::is_same_v<Value, std::uint32_t>) return DType::uint32;
}

/// Memory in some shape. Strides count elements, may be zero or negative, and are as many as the dimensions.
struct Array {
  std::shared_ptr<const void> owner;  ///< keeps the memory; holds no Python object if it comes from us
  void* data = nullptr;
  DType dtype = DType::float64;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  bool read_only = true;
  Place place = {};

  [[nodiscard]] std::int64_t size() const;
  [[nodiscard]] bool is_contiguous() const;  ///< in C order
};

/// "(3, 12)", "(5,)".
[[nodiscard]] std::string shape_text(const std::vector<std::int64_t>& shape);

/// C order.
[[nodiscard]] std::vector<std::int64_t> contiguous_strides(const std::vector<std::int64_t>& shape);

/// The array that somebody passed as `name`: on the CPU by the buffer protocol, else by DLPack's C exchange API, else
/// by its capsules, else on a device by the CUDA array interface. Keep it only while the GIL is held or a call runs; it
/// is destroyed with the GIL. Work that goes into the place's stream from now on comes behind what the producer has put
/// into its own.
/// @param place where it must be @throws InputError for what is no array, or one that is elsewhere
[[nodiscard]] Array import_array(nb::handle object, const std::string& name, const Place& place = {});

/// The same for an array that is written to. @throws InputError also for a read-only one
[[nodiscard]] Array import_output(nb::handle object, const std::string& name, const Place& place = {});

/// Whether the object is an array in the memory of a CUDA device, as far as it says so.
[[nodiscard]] bool is_on_device(nb::handle object);

/// @throws InputError that says what the array is and what it should be; -1 stands for any extent
void require(const Array& array, const std::string& name, DType dtype, const std::vector<std::int64_t>& shape);

/// Whether the two may share memory: by the range that each spans.
[[nodiscard]] bool overlap(const Array& a, const Array& b);
/// Whether entries may lie at one place, as they can't where each stride is longer than all shorter ones together
/// reach.
[[nodiscard]] bool may_overlap_itself(const Array& array);

/// As numbers of type T, after `require`.
template <class T>
[[nodiscard]] T* data_of(const Array& array) {
  return static_cast<T*>(array.data);
}

/// A (B, r) array as a view of B bodies.
template <class T>
[[nodiscard]] StateView<T> state_view(const Array& array) {
  return {data_of<T>(array), array.shape[1], array.shape[0], array.strides[1], array.strides[0]};
}

/// A view of B bodies as (B, r). @param owner keeps its memory
template <class T>
[[nodiscard]] Array array_of(const StateView<T>& view, std::shared_ptr<const void> owner, const Place& place = {}) {
  return {std::move(owner),
          const_cast<std::remove_const_t<T>*>(view.data),
          dtype_of<T>(),
          {view.bodies, view.rank},
          {view.stride_body, view.stride_mode},
          std::is_const_v<T>,
          place};
}

/// An array that owns its numbers, and may be written to. In C order.
template <class T>
[[nodiscard]] Array owning_array(std::vector<T> values, std::vector<std::int64_t> shape) {
  auto shared = std::make_shared<std::vector<T>>(std::move(values));
  std::vector<std::int64_t> strides = contiguous_strides(shape);
  T* data = shared->data();
  return {std::move(shared), data, dtype_of<T>(), std::move(shape), std::move(strides), false};
}

/// A read-only view of numbers that `owner` keeps, in C order.
template <class T>
[[nodiscard]] Array constant_array(const std::vector<T>& values, std::vector<std::int64_t> shape,
                                   std::shared_ptr<const void> owner) {
  std::vector<std::int64_t> strides = contiguous_strides(shape);
  return {std::move(owner), const_cast<T*>(values.data()), dtype_of<T>(), std::move(shape), std::move(strides), true};
}

/// A numpy.ndarray of the same memory, which keeps the owner. @throws ImportError without NumPy
[[nodiscard]] nb::object to_numpy(Array array);

/// An array in C order with the same numbers, which owns them, in the same place. On a device in the order of its
/// stream.
/// @throws InputError on a device, for more than two dimensions that aren't in C order
[[nodiscard]] Array copy_of(const Array& array);

/// The same in the memory of the CPU; complete on return.
[[nodiscard]] Array host_copy_of(const Array& array);

/// Of an array in C order. @throws InputError for a negative extent, and for more than memory has addresses
[[nodiscard]] std::size_t byte_size(DType dtype, const std::vector<std::int64_t>& shape);

/// In C order, all zero, in the memory of the CPU. @throws InputError as byte_size
[[nodiscard]] Array host_array(DType dtype, std::vector<std::int64_t> shape);

/// In C order, not initialised, at a device. @throws InputError as byte_size
[[nodiscard]] Array device_array(DType dtype, std::vector<std::int64_t> shape, const Place& place);
/// Numbers of the host at a device; complete on return.
[[nodiscard]] Array device_copy_of(const Array& array, const Place& place);

void bind_arrays(nb::module_& module);

}  // namespace quartic::python
