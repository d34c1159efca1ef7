// A tree in the precision of bodies, and what rounding may do to its spheres.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/contact/contact_operations.hpp"
#include "core/contact/tree_arrays.hpp"
#include "quartic/bound_tree.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

// The largest absolute numbers that points and spheres are computed from: of the rest positions, and per field. A sum
// of r + 1 products, of which each factor was rounded, is wrong by less than (r + 3) u times the sum of their sizes;
// the bound of the stretch costs some 30 u more.
std::vector<double> largest_numbers(const BoundTree& tree) {
  const auto r = static_cast<std::size_t>(tree.rank);
  std::vector<double> sizes(r + 1);
  const ContactPoints& points = tree.points;
  const auto norm = [](const double* x) { return std::hypot(x[0], x[1], x[2]); };
  for (std::size_t p = 0; p < points.areas.size(); ++p) {
    sizes[0] = std::max(sizes[0], norm(points.positions.data() + 3 * p));
    for (std::size_t j = 0; j < r; ++j)
      sizes[j + 1] = std::max(sizes[j + 1], norm(points.basis.col(static_cast<std::int64_t>(j)).data() + 3 * p));
  }
  std::vector<double> of_nodes(r + 1);
  for (std::int64_t n = 0; n < tree.node_count(); ++n) {
    const NodeFit fit = fit_at(tree, n);
    const double radius = tree.rest_spheres[4 * static_cast<std::size_t>(n) + 3];
    of_nodes[0] = std::max(of_nodes[0], fit.centre.norm() + 2 * radius);
    for (std::size_t j = 0; j < r; ++j)
      of_nodes[j + 1] = std::max(of_nodes[j + 1], fit.translations.col(static_cast<Eigen::Index>(j)).norm() +
                                                      radius * fit.affine[j].norm() +
                                                      tree.residuals[static_cast<std::size_t>(n) * r + j]);
  }
  for (std::size_t j = 0; j <= r; ++j) sizes[j] += of_nodes[j];
  return sizes;
}

}  // namespace

template <class T>
PackedTree<T> packed_tree(const BoundTree& tree) {
  require_sound(tree);
  PackedTree<T> packed;
  const std::int64_t r = tree.rank, nodes = tree.node_count();
  packed.rank = r;
  packed.nodes = nodes;
  packed.rest_spheres = AlignedArray<T>(4 * nodes);
  packed.fields = AlignedArray<T>(nodes * r * node_field_rows);
  packed.sizes = AlignedArray<T>(r + 1);
  const auto round = [](double value) {
    const auto rounded = static_cast<T>(value);
    if (!std::isfinite(rounded)) throw InputError("a number of the bound tree is too large for single precision");
    return rounded;
  };
  std::transform(tree.rest_spheres.begin(), tree.rest_spheres.end(), packed.rest_spheres.data(), round);
  T* next = packed.fields.data();
  for (std::int64_t n = 0; n < nodes; ++n)
    for (std::int64_t j = 0; j < r; ++j) {
      const auto at = [&](const std::vector<double>& rows, std::int64_t count, std::int64_t row) {
        return round(rows[static_cast<std::size_t>((n * count + row) * r + j)]);
      };
      for (std::int64_t row = 0; row < 3; ++row) *next++ = at(tree.centre_fields, 3, row);
      for (std::int64_t row = 0; row < 9; ++row) *next++ = at(tree.affine_fields, 9, row);
      *next++ = at(tree.residuals, 1, 0);
    }
  const double unit = std::numeric_limits<T>::epsilon() / 2.0;
  const std::vector<double> sizes = largest_numbers(tree);
  std::transform(sizes.begin(), sizes.end(), packed.sizes.data(),
                 [&](double size) { return round(2 * static_cast<double>(r + 64) * unit * size); });
  return packed;
}
template PackedTree<float> packed_tree(const BoundTree&);
template PackedTree<double> packed_tree(const BoundTree&);

template <class T>
struct SphereFit<T>::Packed : PackedTree<T> {};

template <class T>
SphereFit<T>::SphereFit(const BoundTree& tree) : packed_(new Packed{packed_tree<T>(tree)}) {}

template <class T>
SphereFit<T>::SphereFit(SphereFit&&) noexcept = default;
template <class T>
SphereFit<T>& SphereFit<T>::operator=(SphereFit&&) noexcept = default;
template <class T>
SphereFit<T>::~SphereFit() = default;

template <class T>
int SphereFit<T>::rank() const {
  return static_cast<int>(packed_->rank);
}
template <class T>
std::int64_t SphereFit<T>::node_count() const {
  return packed_->nodes;
}

template <class T>
void SphereFit<T>::refit(StateView<const T> q, std::span<T> spheres) const {
  if (q.rank != packed_->rank) throw InputError("the bodies have another number of coordinates than the bound tree");
  if (std::ssize(spheres) != q.bodies * packed_->nodes * 4)
    throw InputError("spheres must have four numbers per body and node");
  if constexpr (std::is_same_v<T, float>)
    cpu_contact_operations.refit_floats(*packed_, q, spheres.data());
  else
    cpu_contact_operations.refit_doubles(*packed_, q, spheres.data());
}

template class SphereFit<float>;
template class SphereFit<double>;

}  // namespace quartic
