#include "view/gl/surface_renderer.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "quartic/error.hpp"
#include "view/gl/gl_context.hpp"
#include "view/gl/shaders.hpp"

namespace quartic::view {
namespace {

// The upper three rows of each matrix.
std::vector<float> matrix_rows(std::span<const Eigen::Isometry3d> poses, const Eigen::Vector3d& origin) {
  std::vector<float> result;
  result.reserve(12 * poses.size());
  for (const Eigen::Isometry3d& pose : poses)
    for (Eigen::Index row = 0; row < 3; ++row) {
      for (Eigen::Index column = 0; column < 3; ++column)
        result.push_back(static_cast<float>(pose.linear()(row, column)));
      result.push_back(static_cast<float>(pose.translation()[row] - origin[row]));
    }
  return result;
}

}  // namespace

SurfaceRenderer::SurfaceRenderer(const ViewSurface& surface, const ShadingCorners& corners, BasisPrecision precision,
                                 std::int64_t bodies)
    : vertices_(surface.vertex_count()),
      triangles_(surface.triangle_count()),
      bodies_(bodies),
      rank_(surface.rank()),
      basis_(pack_basis(surface, precision)),
      positions_program_({{GL_COMPUTE_SHADER, shaders::positions}},
                         precision == BasisPrecision::half ? "#define HALF\n" : "") {
  require_limits();
  corner_buffer_.assign(std::span<const std::uint32_t>(corners.corners));
  triangle_buffer_.assign(std::span<const std::uint32_t>(surface.triangles));
  rest_buffer_.assign(std::span<const float>(surface.rest));
  basis_buffer_.assign(std::span<const std::uint32_t>(basis_.words));
  position_buffer_.allocate(static_cast<std::size_t>(3 * vertices_ * bodies_) * sizeof(float));
  vertex_buffer_.assign(std::span<const std::uint32_t>(corners.vertices));
  offset_buffer_.assign(std::span<const std::uint32_t>(corners.offsets));
  incident_buffer_.assign(std::span<const std::uint32_t>(corners.incident));
  glBindVertexArray(vertex_array_.name());
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, corner_buffer_.name());
  glBindVertexArray(0);
  basis_.words = {};
  const std::vector<Eigen::Isometry3d> at_rest(static_cast<std::size_t>(bodies_), Eigen::Isometry3d::Identity());
  move(std::vector<float>(static_cast<std::size_t>(bodies_ * rank_)), at_rest);
  check_gl("send the surface to the graphics card");
}

void SurfaceRenderer::require_limits() const {
  GLint most_bytes = 0;
  glGetIntegerv(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &most_bytes);
  // Shaders count floats in 32 bits, too.
  const std::int64_t most =
      std::min<std::int64_t>(most_bytes, std::int64_t{4} * std::numeric_limits<std::int32_t>::max());
  const std::int64_t basis_bytes = std::ssize(basis_.words) * 4, body_bytes = 12 * vertices_;
  if (basis_bytes > most || 12 * triangles_ > most || body_bytes > most)
    throw InputError("the model's surface is too large to be drawn: " + std::to_string(vertices_) +
                     " vertices of rank " + std::to_string(rank_) + ", but a buffer of this graphics card holds " +
                     std::to_string(most) + " bytes; use a coarser mesh or a smaller rank");
  const std::int64_t coordinate_bytes = 4 * std::int64_t{basis_.modes()};
  const std::int64_t most_bodies =
      std::min({most / body_bytes, most / std::int64_t{48}, most / coordinate_bytes / 4 * 4});  // q in fours
  if (bodies_ > most_bodies)
    throw InputError(std::to_string(bodies_) + " bodies are too many to be drawn: with " + std::to_string(vertices_) +
                     " vertices each, a buffer of this graphics card holds " + std::to_string(most_bodies));
}

void SurfaceRenderer::move(std::span<const float> q, std::span<const Eigen::Isometry3d> poses) {
  if (std::ssize(q) != bodies_ * rank_ || std::ssize(poses) != bodies_)
    throw InputError("the coordinates and poses must be those of all bodies");
  poses_.assign(poses.begin(), poses.end());
  send_poses();
  const std::vector<float> packed = pack_coordinates(basis_, q, rank_);
  coordinate_buffer_.assign(std::span<const float>(packed), GL_STREAM_DRAW);
  positions_program_.use();
  positions_program_.set(0, static_cast<GLuint>(vertices_));
  positions_program_.set(1, static_cast<GLuint>(basis_.word_count));
  positions_program_.set(2, static_cast<GLuint>(bodies_));
  bind_buffers();
  const std::int64_t most_groups = 65535;  // of any OpenGL 4.3
  // Groups of 64 vertices: more than the limit of one dimension means 4 million vertices.
  if (vertices_ > 64 * most_groups) throw InputError("a surface of more than 4 million vertices can't be drawn");
  glDispatchCompute(static_cast<GLuint>((vertices_ + 63) / 64),
                    static_cast<GLuint>(std::min((bodies_ + 3) / 4, most_groups)), 1);
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
}

void SurfaceRenderer::set_origin(const Eigen::Vector3d& origin) {
  if (origin == origin_) return;
  origin_ = origin;
  send_poses();
}

void SurfaceRenderer::send_poses() {
  pose_buffer_.assign(std::span<const float>(matrix_rows(poses_, origin_)), GL_STREAM_DRAW);
}

void SurfaceRenderer::bind_buffers() const {
  triangle_buffer_.bind(0);
  rest_buffer_.bind(1);
  basis_buffer_.bind(2);
  coordinate_buffer_.bind(3);
  position_buffer_.bind(4);
  vertex_buffer_.bind(5);
  offset_buffer_.bind(6);
  incident_buffer_.bind(7);
  pose_buffer_.bind(8);
}

void SurfaceRenderer::draw(const ShaderProgram& program) const {
  program.use();
  program.set(0, static_cast<GLuint>(vertices_));
  bind_buffers();
  glBindVertexArray(vertex_array_.name());
  glDrawElementsInstanced(GL_TRIANGLES, static_cast<GLsizei>(3 * triangles_), GL_UNSIGNED_INT, nullptr,
                          static_cast<GLsizei>(bodies_));
}

std::vector<float> SurfaceRenderer::read_positions(std::int64_t body) const {
  std::vector<float> positions(static_cast<std::size_t>(3 * vertices_));
  glBindBuffer(GL_COPY_READ_BUFFER, position_buffer_.name());
  const auto bytes = static_cast<GLsizeiptr>(positions.size() * sizeof(float));
  glGetBufferSubData(GL_COPY_READ_BUFFER, body * bytes, bytes, positions.data());
  return positions;
}

}  // namespace quartic::view
