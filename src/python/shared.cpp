#include "python/shared.hpp"

#include <cstring>
#include <limits>

#include "quartic/error.hpp"

namespace quartic::python {
namespace {

template <class T>
std::vector<std::int32_t> narrowed(const Array& array, const std::string& name) {
  std::vector<std::int32_t> result;
  result.reserve(static_cast<std::size_t>(array.shape[0]));
  for (std::int64_t i = 0; i < array.shape[0]; ++i) {
    const T value = data_of<const T>(array)[i * array.strides[0]];
    if (!std::in_range<std::int32_t>(value))
      throw InputError(name + "[" + std::to_string(i) + "] is " + std::to_string(value) + ", too large for an index");
    result.push_back(static_cast<std::int32_t>(value));
  }
  return result;
}

std::vector<std::int32_t> from_array(const Array& array, const std::string& name) {
  if (array.shape.size() != 1)
    throw InputError(name + " has the shape " + shape_text(array.shape) + "; indices have one dimension");
  require(array, name, array.dtype, {-1});  // where it lies
  switch (array.dtype) {
    case DType::int32:
      return narrowed<std::int32_t>(array, name);
    case DType::int64:
      return narrowed<std::int64_t>(array, name);
    case DType::uint32:
      return narrowed<std::uint32_t>(array, name);
    case DType::uint64:
      return narrowed<std::uint64_t>(array, name);
    default:
      if (array.shape[0] == 0) return {};  // numpy.array([]) is one of float64
      throw InputError(name + " is an array of " + dtype_name(array.dtype) + "; indices are int32, int64 or unsigned");
  }
}

}  // namespace

std::vector<std::int32_t> indices(nb::handle object, const std::string& name) {
  if (nb::isinstance<nb::list>(object) || nb::isinstance<nb::tuple>(object) || PyRange_Check(object.ptr())) {
    std::vector<std::int32_t> result;
    result.reserve(nb::len(object));
    for (const nb::handle item : object) {
      std::int64_t value = 0;
      if (PyBool_Check(item.ptr()))
        throw InputError(name + " has " + nb::cast<std::string>(nb::repr(item)) +
                         " among its indices; a mask is an array of booleans: numpy.array(mask)");
      if (!nb::try_cast(nb::object(nb::module_::import_("operator").attr("index")(item)), value) ||
          !std::in_range<std::int32_t>(value))
        throw InputError(name + " has an entry that is no index: " + nb::cast<std::string>(nb::repr(item)));
      result.push_back(static_cast<std::int32_t>(value));
    }
    return result;
  }
  return from_array(import_array(object, name), name);
}

std::vector<double> doubles(nb::handle object, const std::string& name, const std::vector<std::int64_t>& shape) {
  Array array = import_array(object, name);
  require(array, name, DType::float64, shape);
  if (!array.is_contiguous()) array = copy_of(array);
  const auto* data = data_of<const double>(array);
  return {data, data + array.size()};
}

Matrix fields(nb::handle object, const std::string& name, std::int64_t rows) {
  Array array = import_array(object, name);
  require(array, name, DType::float64, {-1, rows / 3, 3});
  if (!array.is_contiguous()) array = copy_of(array);
  Matrix result(rows, array.shape[0]);
  if (array.size() > 0)
    std::memcpy(result.values.data(), array.data, static_cast<std::size_t>(array.size()) * sizeof(double));
  return result;
}

}  // namespace quartic::python
