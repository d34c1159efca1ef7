// A picture of bodies: backdrop, shadows, light.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "view/gl/gl_objects.hpp"
#include "view/gl/shader_program.hpp"
#include "view/gl/surface_renderer.hpp"
#include "view/session/camera.hpp"
#include "view/session/scene_options.hpp"

namespace quartic::view {

struct Arrow {
  Eigen::Vector3d from, to;  ///< [m]
};

/// What is in the picture besides the bodies, and how it is looked at.
struct Scene {
  Camera camera;
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();  ///< of all bodies [m]
  double radius = 1;                                 ///< of a ball around it that holds all bodies [m]
  double ground_height = 0;                          ///< [m] along the up axis
  double light_azimuth = -100;                       ///< [degrees], as the camera's
  ColourBy colour_by = ColourBy::plain;
  double colour_range = 1;                                ///< what has the last colour of the scale: [m], or a strain
  std::array<float, 3> colour = {0.50F, 0.105F, 0.045F};  ///< of bodies, linear
  std::vector<Arrow> arrows;
};

class SceneRenderer {
 public:
  /// @param shadow_size pixels along a side of the shadow maps
  explicit SceneRenderer(int shadow_size = 2048);

  /// Draws into the framebuffer, from its lower left corner on; everything there is covered.
  /// Bodies are seen from the scene's centre on, so that they may be far away from the origin.
  void draw(SurfaceRenderer& bodies, const Scene& scene, GLuint framebuffer, int width, int height);

 private:
  void draw_shadows(const SurfaceRenderer& bodies);
  void draw_arrows(const Scene& scene);

  int shadow_size_;
  Texture shadow_maps_;
  std::array<Framebuffer, 2> shadow_framebuffers_;
  Buffer scene_buffer_;
  VertexArray no_vertices_;
  ShaderProgram body_program_, shadow_program_, backdrop_program_, ground_program_, arrow_program_;
};

}  // namespace quartic::view
