// OpenUSD, UsdGeomXformOp. The first operation of xformOpOrder is the outermost: it is applied last.
#include "io/usd/usd_transform.hpp"

#include <cmath>
#include <numbers>
#include <string_view>

#include "io/text/text.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

using Linear = std::array<std::array<double, 3>, 3>;

constexpr std::string_view axes = "XYZ";

UsdTransform product(const UsdTransform& a, const UsdTransform& b) {
  UsdTransform c;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      c.linear[i][j] = 0;
      for (std::size_t k = 0; k < 3; ++k) c.linear[i][j] += a.linear[i][k] * b.linear[k][j];
    }
  c.offset = a.apply(b.offset);
  return c;
}

double determinant(const Linear& a) {
  return a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) - a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
         a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
}

UsdTransform inverse(const UsdTransform& a) {
  UsdTransform b;
  const double scale = 1 / determinant(a.linear);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const std::size_t r = (j + 1) % 3, s = (j + 2) % 3, p = (i + 1) % 3, q = (i + 2) % 3;
      b.linear[i][j] = scale * (a.linear[r][p] * a.linear[s][q] - a.linear[r][q] * a.linear[s][p]);
    }
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) b.offset[i] -= b.linear[i][j] * a.offset[j];
  return b;
}

// The sine and cosine of multiples of 90 degrees are exact.
UsdTransform rotation(std::size_t axis, double degrees) {
  const double turned = std::remainder(degrees, 360), quarters = turned / 90;
  const bool is_exact = quarters == std::round(quarters);
  const double angle = turned * std::numbers::pi / 180;
  const double sine = is_exact ? std::round(std::sin(angle)) : std::sin(angle);
  const double cosine = is_exact ? std::round(std::cos(angle)) : std::cos(angle);
  const std::size_t i = (axis + 1) % 3, j = (axis + 2) % 3;
  UsdTransform result;
  result.linear[i][i] = result.linear[j][j] = cosine;
  result.linear[j][i] = sine;
  result.linear[i][j] = -sine;
  return result;
}

/// One operation: `kind` is its name between the colons, "rotateXYZ".
class Operation {
 public:
  Operation(std::string_view kind, const std::vector<double>& values) : kind_(kind), values_(values) {}

  /// False if there is no such operation, or it takes another count of numbers.
  bool make(UsdTransform& result) const {
    if (kind_ == "transform") return matrix(result);
    if (kind_ == "orient") return orientation(result);
    if (kind_.starts_with("translate")) return along_axes("translate", result);
    if (kind_.starts_with("scale")) return along_axes("scale", result);
    if (kind_.starts_with("rotate")) return rotations(result);
    return false;
  }

 private:
  // Rows act on row vectors; points stay points only if the last column is that of a translation.
  bool matrix(UsdTransform& result) const {
    if (values_.size() != 16) return false;
    if (values_[3] != 0 || values_[7] != 0 || values_[11] != 0 || values_[15] != 1) return false;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) result.linear[i][j] = values_[4 * j + i];
      result.offset[i] = values_[12 + i];
    }
    return true;
  }

  // A quaternion, its real part first.
  bool orientation(UsdTransform& result) const {
    const auto& q = values_;
    if (q.size() != 4) return false;
    const double norm = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (!(norm > 0)) return false;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
      result.linear[i][i] = 1 - 2 / norm * (q[j + 1] * q[j + 1] + q[k + 1] * q[k + 1]);
      result.linear[i][j] = 2 / norm * (q[i + 1] * q[j + 1] - q[0] * q[k + 1]);
      result.linear[j][i] = 2 / norm * (q[i + 1] * q[j + 1] + q[0] * q[k + 1]);
    }
    return true;
  }

  // All three axes, or one: translateX.
  bool along_axes(std::string_view stem, UsdTransform& result) const {
    const auto axis = kind_.substr(stem.size());
    const auto set = [&](std::size_t i, double value) {
      (stem == "scale" ? result.linear[i][i] : result.offset[i]) = value;
    };
    if (axis.empty() && values_.size() == 3) {
      for (std::size_t i = 0; i < 3; ++i) set(i, values_[i]);
      return true;
    }
    const auto number = axes.find(axis);
    if (axis.size() != 1 || number == std::string_view::npos || values_.size() != 1) return false;
    set(number, values_[0]);
    return true;
  }

  // The first letter's rotation is applied first.
  bool rotations(UsdTransform& result) const {
    const auto order = kind_.substr(std::string_view("rotate").size());
    if (order.size() == 1 && axes.find(order) != std::string_view::npos && values_.size() == 1) {
      result = rotation(axes.find(order), values_[0]);
      return true;
    }
    if (order.size() != 3 || values_.size() != 3) return false;
    for (const char axis : axes)
      if (order.find(axis) == std::string_view::npos) return false;
    for (const char axis : order) result = product(rotation(axes.find(axis), values_[axes.find(axis)]), result);
    return true;
  }

  std::string_view kind_;
  const std::vector<double>& values_;
};

[[noreturn]] void fail_operation(const std::string& file, std::int64_t line, const std::string& path,
                                 std::string_view operation, const std::string& what) {
  throw ParseError(file, line, "prim <" + path + ">: the operation " + quote(operation) + " " + what);
}

}  // namespace

std::array<double, 3> UsdTransform::apply(const std::array<double, 3>& x) const {
  std::array<double, 3> y = offset;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) y[i] += linear[i][j] * x[j];
  return y;
}

bool UsdTransform::mirrors() const {
  return determinant(linear) < 0;
}

UsdTransform usd_transform(const UsdPrim& prim, const std::string& path, const UsdTransform& parent,
                           const std::string& file) {
  if (prim.type.empty() || prim.type == "Scope") return parent;  // they have no place of their own
  const UsdAttribute* order = prim.find_attribute("xformOpOrder");
  if (order == nullptr) return parent;
  constexpr std::string_view invert = "!invert!", prefix = "xformOp:";
  UsdTransform result = parent;
  constexpr std::size_t most_operations = 1000;
  if (order->value.words.size() > most_operations)
    fail_operation(file, order->line, path, "xformOpOrder", "has more than 1000 operations");
  for (std::string_view word : order->value.words) {
    const auto fail = [&](const std::string& what) { fail_operation(file, order->line, path, word, what); };
    if (word == "!resetXformStack!") {
      result = {};
      continue;
    }
    const bool is_inverse = word.starts_with(invert);
    const auto name = word.substr(is_inverse ? invert.size() : 0);
    const UsdAttribute* attribute = prim.find_attribute(name);
    if (!name.starts_with(prefix)) fail("isn't known");
    if (attribute == nullptr) fail("has no value");
    const auto kind = name.substr(prefix.size(), name.find(':', prefix.size()) - prefix.size());
    UsdTransform operation;
    if (!Operation(kind, attribute->value.numbers).make(operation))
      fail("isn't known, or not with " + std::to_string(attribute->value.numbers.size()) + " numbers as they are");
    if (is_inverse && determinant(operation.linear) == 0) fail("has no inverse");
    result = product(result, is_inverse ? inverse(operation) : operation);
  }
  return result;
}

}  // namespace quartic::io
