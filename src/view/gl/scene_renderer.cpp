#include "view/gl/scene_renderer.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "quartic/error.hpp"
#include "view/gl/gl_context.hpp"
#include "view/gl/shaders.hpp"

namespace quartic::view {
namespace {

// The uniform block `Scene`, laid out as std140 has it.
struct SceneBlock {
  Eigen::Matrix4f view_projection;
  std::array<Eigen::Matrix4f, 2> light_matrix;
  Eigen::Vector4f eye, up, key_direction, base_colour, ground;
  std::array<Eigen::Vector4f, 2> ground_axes;
  Eigen::Vector4f colouring;
};
static_assert(sizeof(SceneBlock) == 3 * 64 + 8 * 16);

constexpr double key_elevation = 52;

Eigen::Vector4f with(const Eigen::Vector3d& vector, double last) {
  return Eigen::Vector4d(vector.x(), vector.y(), vector.z(), last).cast<float>();
}

Eigen::Vector3d direction(const Eigen::Matrix3d& axes, double azimuth, double elevation) {
  const double a = azimuth * std::numbers::pi / 180, e = elevation * std::numbers::pi / 180;
  return axes * Eigen::Vector3d(std::cos(e) * std::cos(a), std::cos(e) * std::sin(a), std::sin(e));
}

// Seen along parallel rays: the ball around all bodies, and behind it the ground, as far as shadows fall.
Eigen::Matrix4d light_matrix(const Scene& scene, const Eigen::Vector3d& towards_light) {
  const Eigen::Vector3d side = towards_light.unitOrthogonal();
  Eigen::Matrix4d matrix = Eigen::Matrix4d::Identity();
  matrix.row(0).head<3>() = side;
  matrix.row(1).head<3>() = towards_light.cross(side);
  matrix.row(2).head<3>() = -towards_light / 4;
  matrix.topLeftCorner<3, 3>() /= scene.radius;
  matrix.topRightCorner<3, 1>() = -matrix.topLeftCorner<3, 3>() * scene.centre;
  return matrix;
}

SceneBlock scene_block(const Scene& scene, int width, int height, int shadow_size) {
  const Eigen::Matrix3d axes = ground_axes(scene.camera.up);
  const double away = (scene.camera.eye() - scene.centre).norm();
  const double ground_radius = 3.5 * scene.radius;
  const double nearest = std::max(away - 1.2 * scene.radius, 0.01 * scene.radius);
  const Eigen::Matrix4d projection =
      scene.camera.projection(static_cast<double>(width) / height, nearest, away + 2 * ground_radius);
  const Eigen::Vector3d key = direction(axes, scene.light_azimuth, key_elevation);
  const Eigen::Vector3d up = axes.col(2);
  SceneBlock block;
  block.view_projection = (projection * scene.camera.view()).cast<float>();
  block.light_matrix = {light_matrix(scene, key).cast<float>(), light_matrix(scene, up).cast<float>()};
  block.eye = with(scene.camera.eye(), 1);
  block.up = with(up, 0);
  block.key_direction = with(key, 0);
  block.base_colour = Eigen::Vector4f(scene.colour[0], scene.colour[1], scene.colour[2], 1);
  block.ground = with(scene.centre + (scene.ground_height - up.dot(scene.centre)) * up, ground_radius);
  block.ground_axes = {with(axes.col(0), 0), with(axes.col(1), 0)};
  block.colouring =
      Eigen::Vector4d(static_cast<double>(scene.colour_by), scene.colour_range, 2 * scene.radius / shadow_size, 0)
          .cast<float>();
  return block;
}

// The same scene, moved so that its centre is where coordinates are zero.
Scene about_centre(Scene scene) {
  scene.camera.target -= scene.centre;
  scene.ground_height -= ground_axes(scene.camera.up).col(2).dot(scene.centre);
  for (Arrow& arrow : scene.arrows) arrow = {arrow.from - scene.centre, arrow.to - scene.centre};
  scene.centre.setZero();
  return scene;
}

std::string preamble(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return text;
}

}  // namespace

SceneRenderer::SceneRenderer(int shadow_size)
    : shadow_size_(shadow_size),
      body_program_({{GL_VERTEX_SHADER, shaders::body_vertex},
                     {GL_FRAGMENT_SHADER, preamble({shaders::lighting, shaders::body_fragment})}},
                    preamble({shaders::surface_buffers, shaders::scene_block})),
      shadow_program_({{GL_VERTEX_SHADER, shaders::shadow_vertex}, {GL_FRAGMENT_SHADER, shaders::no_fragment}},
                      preamble({shaders::surface_buffers, shaders::scene_block})),
      backdrop_program_(
          {{GL_VERTEX_SHADER, shaders::backdrop_vertex}, {GL_FRAGMENT_SHADER, shaders::backdrop_fragment}}, ""),
      ground_program_({{GL_VERTEX_SHADER, shaders::ground_vertex},
                       {GL_FRAGMENT_SHADER, preamble({shaders::lighting, shaders::ground_fragment})}},
                      shaders::scene_block),
      arrow_program_({{GL_VERTEX_SHADER, shaders::arrow_vertex},
                      {GL_FRAGMENT_SHADER, preamble({shaders::lighting, shaders::arrow_fragment})}},
                     shaders::scene_block) {
  glBindTexture(GL_TEXTURE_2D_ARRAY, shadow_maps_.name());
  glTexStorage3D(GL_TEXTURE_2D_ARRAY, 1, GL_DEPTH_COMPONENT32F, shadow_size, shadow_size, 2);
  for (const auto& [name, value] : {std::pair{GL_TEXTURE_MIN_FILTER, GL_LINEAR},
                                    {GL_TEXTURE_MAG_FILTER, GL_LINEAR},
                                    {GL_TEXTURE_WRAP_S, GL_CLAMP_TO_BORDER},
                                    {GL_TEXTURE_WRAP_T, GL_CLAMP_TO_BORDER},
                                    {GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE},
                                    {GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL}})
    glTexParameteri(GL_TEXTURE_2D_ARRAY, static_cast<GLenum>(name), value);
  const std::array<float, 4> far_away = {1, 1, 1, 1};  // outside the map everything is lit
  glTexParameterfv(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_BORDER_COLOR, far_away.data());
  for (std::size_t light = 0; light < 2; ++light) {
    glBindFramebuffer(GL_FRAMEBUFFER, shadow_framebuffers_[light].name());
    glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, shadow_maps_.name(), 0, static_cast<GLint>(light));
    glDrawBuffer(GL_NONE);
    glReadBuffer(GL_NONE);
  }
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  check_gl("make shadow maps");
}

void SceneRenderer::draw_shadows(const SurfaceRenderer& bodies) {
  glViewport(0, 0, shadow_size_, shadow_size_);
  glEnable(GL_DEPTH_CLAMP);
  glEnable(GL_POLYGON_OFFSET_FILL);
  glPolygonOffset(1.5F, 4.0F);
  for (std::size_t light = 0; light < 2; ++light) {
    glBindFramebuffer(GL_FRAMEBUFFER, shadow_framebuffers_[light].name());
    glClear(GL_DEPTH_BUFFER_BIT);
    shadow_program_.set(1, static_cast<GLuint>(light));
    bodies.draw(shadow_program_);
  }
  glDisable(GL_POLYGON_OFFSET_FILL);
  glDisable(GL_DEPTH_CLAMP);
}

void SceneRenderer::draw_arrows(const Scene& scene) {
  arrow_program_.use();
  for (const Arrow& arrow : scene.arrows) {
    const Eigen::Vector3f from = arrow.from.cast<float>(), to = arrow.to.cast<float>();
    glUniform3fv(0, 1, from.data());
    glUniform3fv(1, 1, to.data());
    glUniform1f(2, static_cast<float>(0.0045 * scene.camera.distance));
    glDrawArrays(GL_TRIANGLES, 0, 5 * 24 * 6);
  }
}

void SceneRenderer::draw(SurfaceRenderer& bodies, const Scene& in_world, GLuint framebuffer, int width, int height) {
  const Scene scene = about_centre(in_world);
  bodies.set_origin(in_world.centre);
  const SceneBlock block = scene_block(scene, width, height, shadow_size_);
  scene_buffer_.assign(std::span(&block, 1), GL_STREAM_DRAW);
  glBindBufferBase(GL_UNIFORM_BUFFER, 0, scene_buffer_.name());
  glEnable(GL_DEPTH_TEST);
  glDepthMask(GL_TRUE);
  glDisable(GL_BLEND);
  glDisable(GL_CULL_FACE);
  glDisable(GL_SCISSOR_TEST);
  draw_shadows(bodies);

  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glViewport(0, 0, width, height);
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D_ARRAY, shadow_maps_.name());
  glBindVertexArray(no_vertices_.name());
  glDepthMask(GL_FALSE);
  glDisable(GL_DEPTH_TEST);
  backdrop_program_.use();
  glDrawArrays(GL_TRIANGLES, 0, 3);
  glEnable(GL_DEPTH_TEST);
  glDepthMask(GL_TRUE);
  bodies.draw(body_program_);
  glBindVertexArray(no_vertices_.name());
  draw_arrows(scene);
  const Eigen::Vector3d up = ground_axes(scene.camera.up).col(2);
  if (up.dot(scene.camera.eye()) > scene.ground_height) {  // from below it would hide everything
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glDepthMask(GL_FALSE);
    ground_program_.use();
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    glDepthMask(GL_TRUE);
    glDisable(GL_BLEND);
  }
  glBindVertexArray(0);
  check_gl("draw the scene");
}

}  // namespace quartic::view
