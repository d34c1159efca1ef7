// The surfaces of many bodies on the graphics card: moved there from reduced coordinates, drawn from there.
#pragma once

#include <Eigen/Geometry>
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
/// precision. Per frame, only coordinates are sent, 4 B r bytes, and where bodies are, 48 B bytes.
class SurfaceRenderer {
 public:
  /// @param bodies B of them, at rest where the surface is
  /// @throws InputError if bodies or surface are too many for this card's buffers
  SurfaceRenderer(const ViewSurface& surface, const ShadingCorners& corners, BasisPrecision precision,
                  std::int64_t bodies);

  /// Makes positions of coordinates (2005 paper, section 6.4), in the surface's own axes.
  /// @param q shape (B, r), C order
  /// @param poses where the surface's coordinates are of each body, shape (B)
  void move(std::span<const float> q, std::span<const Eigen::Isometry3d> poses);

  /// Lets shaders see where bodies are from this point [m] on, near which single precision does them justice.
  void set_origin(const Eigen::Vector3d& origin);

  /// Draws all bodies with a program that has `shaders::surface_buffers`.
  void draw(const ShaderProgram& program) const;

  /// Positions of one body as the card has them, shape (s, 3). For tests.
  [[nodiscard]] std::vector<float> read_positions(std::int64_t body) const;

  [[nodiscard]] std::int64_t bodies() const { return bodies_; }
  /// Lets shaders see all buffers but indices. For tests.
  void bind_buffers() const;

 private:
  void require_limits() const;
  void send_poses();

  std::int64_t vertices_, triangles_, bodies_;
  int rank_;
  std::vector<Eigen::Isometry3d> poses_;
  Eigen::Vector3d origin_ = Eigen::Vector3d::Zero();
  PackedBasis basis_;  // without words, which are on the card
  ShaderProgram positions_program_;
  VertexArray vertex_array_;
  Buffer corner_buffer_, triangle_buffer_, rest_buffer_, basis_buffer_, coordinate_buffer_, position_buffer_,
      vertex_buffer_, offset_buffer_, incident_buffer_, pose_buffer_;
};

}  // namespace quartic::view
