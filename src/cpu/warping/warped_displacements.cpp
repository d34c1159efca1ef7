// Displacements of modal warping: Phi q and Psi q by the product that u = U q goes by, then each vertex's map.
#include <algorithm>
#include <vector>

#include "core/base/aligned_array.hpp"
#include "core/base/thread_pool.hpp"
#include "core/warping/warp_checks.hpp"
#include "cpu/warping/warp_kernels.hpp"
#include "quartic/warping.hpp"

namespace quartic {
namespace {

// A tile's rows of Phi and Psi stay in the core's caches while all bodies go by.
constexpr std::size_t warp_tile_bytes = 96 << 10;
constexpr std::size_t most_strips_per_warp_tile = 32;

/// What all tiles share. A strip is some vertices side by side, and has six rows of each: three of Phi, three of Psi.
template <class T>
class WarpedTiles {
 public:
  WarpedTiles(const ModalWarp& warp, StateView<const T> q, std::span<const std::int32_t> vertices, VertexView<T> result)
      : warp_(warp),
        vertices_(vertices),
        result_(result),
        rank_(static_cast<std::size_t>(q.rank)),
        bodies_(static_cast<std::size_t>(q.bodies)),
        count_(static_cast<std::size_t>(result.vertices)),
        strips_per_tile_(std::clamp<std::size_t>(warp_tile_bytes / (6 * 64 * std::max<std::size_t>(rank_, 1)), 1,
                                                 most_strips_per_warp_tile)),
        coordinates_(static_cast<std::int64_t>((bodies_ + group - 1) / group * group * rank_)),
        product_(cpu::strip_product<T>()),
        map_(warp.options().map == WarpMap::integrated ? cpu::integrated_strip_warp<T>()
                                                       : cpu::rotated_strip_warp<T>()) {
    for (std::size_t b = 0; b < bodies_; ++b)
      for (std::size_t i = 0; i < rank_; ++i)
        coordinates_.data()[(b / group * rank_ + i) * group + b % group] =
            q(static_cast<std::int64_t>(i), static_cast<std::int64_t>(b));
  }

  [[nodiscard]] std::int64_t count() const {
    const std::size_t vertices = strips_per_tile_ * strip;
    return static_cast<std::int64_t>((count_ + vertices - 1) / vertices);
  }

  void compute(std::int64_t tile) const {
    const std::size_t begin = static_cast<std::size_t>(tile) * strips_per_tile_ * strip;
    const std::size_t count = std::min(strips_per_tile_ * strip, count_ - begin), strips = (count + strip - 1) / strip;
    AlignedArray<T> rows(static_cast<std::int64_t>(strips * 6 * strip * rank_));
    AlignedArray<T> sums(static_cast<std::int64_t>(group * strips * 6 * strip));
    AlignedArray<T> warped(static_cast<std::int64_t>(strips * 3 * strip));
    pack(begin, count, rows.data());
    for (std::size_t first = 0; first < bodies_; first += group) {
      const std::size_t some = std::min(group, bodies_ - first);
      product_(rows.data(), coordinates_.data() + first * rank_, rank_, 6 * strips, some, sums.data(),
               strips * 6 * strip);
      for (std::size_t b = 0; b < some; ++b) {
        map_(sums.data() + b * strips * 6 * strip, strips, warped.data());
        store(warped.data(), begin, count, first + b);
      }
    }
  }

 private:
  static constexpr std::size_t strip = cpu::strip_rows<T>, group = cpu::group_bodies;

  // [strip][row of six][mode][vertex], zeros behind the last vertex.
  void pack(std::size_t begin, std::size_t count, T* packed) const {
    const Matrix* fields[] = {&warp_.modes(), &warp_.rotations()};
    for (std::size_t k = 0; k < count; ++k) {
      const auto vertex = warping::chosen(vertices_, static_cast<std::int64_t>(begin + k));
      for (std::size_t row = 0; row < 6; ++row) {
        T* to = packed + (k / strip * 6 + row) * rank_ * strip + k % strip;
        const Matrix& field = *fields[row / 3];
        const double* from = field.values.data() + 3 * vertex + static_cast<std::int64_t>(row % 3);
        for (std::size_t i = 0; i < rank_; ++i, to += strip, from += field.rows) *to = static_cast<T>(*from);
      }
    }
  }

  void store(const T* warped, std::size_t begin, std::size_t count, std::size_t body) const {
    const bool packed = result_.stride_axis == 1 && result_.stride_vertex == 3;
    T* const to = result_.data + static_cast<std::int64_t>(body) * result_.stride_body;
    for (std::size_t s = 0; s * strip < count; ++s) {
      const T* from = warped + s * 3 * strip;
      const std::size_t some = std::min(strip, count - s * strip);
      if (packed)
        interleave(from, some, to + 3 * (begin + s * strip));
      else
        scatter(from, begin + s * strip, some, to);
    }
  }

  static void interleave(const T* from, std::size_t count, T* to) {
    for (std::size_t v = 0; v < count; ++v)
      for (std::size_t axis = 0; axis < 3; ++axis) to[3 * v + axis] = from[axis * strip + v];
  }

  void scatter(const T* from, std::size_t begin, std::size_t count, T* to) const {
    for (std::size_t v = 0; v < count; ++v)
      for (std::int64_t axis = 0; axis < 3; ++axis)
        to[static_cast<std::int64_t>(begin + v) * result_.stride_vertex + axis * result_.stride_axis] =
            from[static_cast<std::size_t>(axis) * strip + v];
  }

  const ModalWarp& warp_;
  std::span<const std::int32_t> vertices_;
  VertexView<T> result_;
  std::size_t rank_, bodies_, count_, strips_per_tile_;
  AlignedArray<T> coordinates_;  // shape (groups, rank, group), zeros behind the last body
  cpu::StripProduct<T> product_;
  cpu::StripWarp<T> map_;
};

}  // namespace

template <class T>
void ModalWarp::displacements(StateView<const T> q, std::span<const std::int32_t> vertices,
                              VertexView<T> displacement) const {
  warping::require_rank(*this, q.rank);
  warping::require_vertices(*this, vertices);
  warping::require_shape(*this, vertices, q.bodies, displacement, "displacement has");
  if (displacement.vertices == 0 || q.bodies == 0) return;
  const WarpedTiles<T> tiles(*this, q, vertices, displacement);
  parallel_for(tiles.count(), [&](std::int64_t tile) { tiles.compute(tile); });
}

template <class T>
void ModalWarp::displacements(StateView<const T> q, std::span<const std::int32_t> vertices,
                              std::span<T> displacement) const {
  const std::int64_t count = warping::chosen_count(*this, vertices);
  if (std::ssize(displacement) != 3 * count * q.bodies)
    throw InputError("displacement must hold " + std::to_string(q.bodies) + " bodies x " + std::to_string(count) +
                     " vertices x 3 numbers, not " + std::to_string(displacement.size()));
  displacements(q, vertices, VertexView<T>{displacement.data(), q.bodies, count, 3 * count});
}

template QUARTIC_EXPORT void ModalWarp::displacements(StateView<const float>, std::span<const std::int32_t>,
                                                      VertexView<float>) const;
template QUARTIC_EXPORT void ModalWarp::displacements(StateView<const double>, std::span<const std::int32_t>,
                                                      VertexView<double>) const;
template QUARTIC_EXPORT void ModalWarp::displacements(StateView<const float>, std::span<const std::int32_t>,
                                                      std::span<float>) const;
template QUARTIC_EXPORT void ModalWarp::displacements(StateView<const double>, std::span<const std::int32_t>,
                                                      std::span<double>) const;

}  // namespace quartic
