// The text of the shaders (GLSL 4.30).
#pragma once

#include <string_view>

namespace quartic::view::shaders {

/// Buffers and the uniform block that all have in common, as SurfaceRenderer and SceneRenderer fill them.
extern const std::string_view surface_buffers, scene_block, lighting;

extern const std::string_view positions;                   ///< compute: u = U q
extern const std::string_view body_vertex, body_fragment;  ///< normals, strain; shading
extern const std::string_view shadow_vertex, no_fragment;  ///< bodies as a light sees them
extern const std::string_view backdrop_vertex, backdrop_fragment;
extern const std::string_view ground_vertex, ground_fragment;  ///< shadows on the ground
extern const std::string_view arrow_vertex, arrow_fragment;    ///< what pulls

}  // namespace quartic::view::shaders
