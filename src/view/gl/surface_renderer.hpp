// The surfaces of many bodies on the graphics card: moved there from reduced coordinates, drawn from there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "view/gl/gl_objects.hpp"
#include "view/gl/shader_program.hpp"
#include "view/session/packed_basis.hpp"
#include "view/session/shading_corners.hpp"
#include "view/session/view_surface.hpp"

namespace quartic::view {

/// What a picture costs in memory of the graphics card: B s 12 bytes for positions, 6 r s for a basis of half
/// precision. Per frame, only coordinates are sent: 4 B r bytes.
class SurfaceRenderer {
 public:
  /// @param places where each body stands [m], shape (B)
  /// @throws InputError if bodies or surface are too many for this card's buffers
  SurfaceRenderer(const ViewSurface& surface, const ShadingCorners& corners, BasisPrecision precision,
                  std::span<const Eigen::Vector3d> places);

  /// Makes positions of coordinates (2005 paper, section 6.4). @param q shape (B, r), C order
  void move(std::span<const float> q);

  /// Draws all bodies with a program that has `shaders::surface_buffers`.
  void draw(const ShaderProgram& program) const;

  /// Positions of one body as the card has them, shape (s, 3). For tests.
  [[nodiscard]] std::vector<float> read_positions(std::int64_t body) const;

  [[nodiscard]] std::int64_t bodies() const { return bodies_; }
  /// Lets shaders see all buffers but indices. For tests.
  void bind_buffers() const;

 private:
  void require_limits() const;

  std::int64_t vertices_, triangles_, bodies_;
  int rank_;
  PackedBasis basis_;  // without words, which are on the card
  ShaderProgram positions_program_;
  VertexArray vertex_array_;
  Buffer corner_buffer_, triangle_buffer_, rest_buffer_, basis_buffer_, coordinate_buffer_, position_buffer_,
      vertex_buffer_, offset_buffer_, incident_buffer_, place_buffer_;
};

}  // namespace quartic::view
