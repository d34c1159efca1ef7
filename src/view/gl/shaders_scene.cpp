// Shaders that light a scene.
#include "view/gl/shaders.hpp"

namespace quartic::view::shaders {

const std::string_view scene_block = R"(
layout(std140, binding = 0) uniform Scene {
  mat4 view_projection;
  mat4 light_matrix[2];  // the key light's and the sky's: place to shadow map
  vec4 eye;
  vec4 up;
  vec4 key_direction;    // towards the light
  vec4 base_colour;      // linear
  vec4 ground;           // centre; w: radius
  vec4 ground_axes[2];
  vec4 colouring;        // x: 0 plain, 1 displacement, 2 strain; y: what value is at the end of the scale; z: texel [m]
};
)";

// The key light has a small disc, the sky is the whole upper half: its map is seen through a wide filter.
const std::string_view lighting = R"(
layout(binding = 0) uniform sampler2DArrayShadow shadow_maps;

float turn_of_pixel() { return fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))); }

float lit(int light, vec3 place, float radius, int taps) {
  vec4 seen = light_matrix[light] * vec4(place, 1);
  vec3 at = seen.xyz * 0.5 + 0.5;
  float sum = 0.0, turn = 6.2831853 * turn_of_pixel();
  for (int k = 0; k < taps; ++k) {  // a spiral of equal areas, turned by the pixel
    float angle = turn + 2.3999632 * float(k), r = radius * sqrt((float(k) + 0.5) / float(taps));
    sum += texture(shadow_maps, vec4(at.xy + r * vec2(cos(angle), sin(angle)), float(light), at.z));
  }
  return sum / float(taps);
}

vec3 encode(vec3 light) {  // a soft shoulder, then sRGB
  vec3 shown = light * (1.0 + light / 6.0) / (1.0 + light * 0.55);
  return mix(12.92 * shown, 1.055 * pow(max(shown, vec3(1e-6)), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, shown));
}
)";

const std::string_view body_fragment = R"(
in vec3 place;
in vec3 normal;
in float value;
flat in uint body;
layout(location = 0) out vec4 colour;

vec3 scale_colour(float x) {  // from blue over green to red, each step as bright as the last or brighter, then darker
  const vec3 stops[6] = vec3[6](vec3(0.045, 0.095, 0.30), vec3(0.035, 0.27, 0.42), vec3(0.10, 0.46, 0.30),
                                vec3(0.62, 0.66, 0.14), vec3(0.88, 0.36, 0.06), vec3(0.60, 0.03, 0.03));
  float at = clamp(x, 0.0, 1.0) * 5.0;
  int below = min(int(at), 4);
  return mix(stops[below], stops[below + 1], at - float(below));
}

vec3 body_colour() {
  if (colouring.x > 0.0) return scale_colour(value / colouring.y);
  const vec3 tints[5] = vec3[5](vec3(1), vec3(1.18, 1.02, 0.82), vec3(0.80, 1.0, 1.12), vec3(0.72, 0.82, 0.92),
                                vec3(1.10, 0.86, 0.80));
  return base_colour.rgb * tints[body % 5u];
}

void main() {
  vec3 n = normalize(gl_FrontFacing ? normal : -normal);
  vec3 to_eye = normalize(eye.xyz - place), to_key = key_direction.xyz;
  vec3 halfway = normalize(to_eye + to_key);
  float key = max(dot(n, to_key), 0.0), facing = max(dot(n, to_eye), 0.0);

  // Off the surface by a texel or two, so that it doesn't shade itself.
  float key_light = lit(0, place + n * colouring.z * 2.0, 0.0022, 20);
  float sky_light = lit(1, place + n * colouring.z * 6.0, 0.035, 32);

  vec3 base = body_colour();
  float height = dot(n, up.xyz);
  vec3 sky = mix(vec3(0.34, 0.33, 0.32), vec3(0.80, 0.88, 1.0), 0.5 + 0.5 * height) * mix(0.40, 1.0, sky_light);
  vec3 fill = vec3(0.22, 0.25, 0.30) * max(dot(n, normalize(to_eye + 0.4 * up.xyz)), 0.0);
  vec3 light = base * (sky * 0.42 + fill * 0.7 + vec3(1.48, 1.39, 1.28) * key * key_light);

  float fresnel = 0.04 + 0.96 * pow(1.0 - max(dot(to_eye, halfway), 0.0), 5.0);
  float shine = pow(max(dot(n, halfway), 0.0), 42.0) * 5.5;  // normalised: (42 + 2) / 8
  light += vec3(1.48, 1.39, 1.28) * key * key_light * shine * fresnel;
  light += sky * 0.16 * pow(1.0 - facing, 4.0);  // the sky's own reflection at the rim
  colour = vec4(encode(light), 1);
}
)";

const std::string_view backdrop_vertex = R"(
out float height;
void main() {
  vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);  // one triangle over all
  height = corner.y * 0.5 + 0.5;
  gl_Position = vec4(corner, 1, 1);
}
)";

const std::string_view backdrop_fragment = R"(
in float height;
layout(location = 0) out vec4 colour;
void main() {
  vec3 shade = mix(vec3(0.835, 0.850, 0.868), vec3(0.962, 0.968, 0.975), smoothstep(0.0, 0.85, height));
  colour = vec4(shade, 1);
}
)";

const std::string_view ground_vertex = R"(
out vec3 place;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
  place = ground.xyz + ground.w * (corner.x * ground_axes[0].xyz + corner.y * ground_axes[1].xyz);
  gl_Position = view_projection * vec4(place, 1);
}
)";

// Nothing but the shadows: the ground itself has the backdrop's colour.
const std::string_view ground_fragment = R"(
in vec3 place;
layout(location = 0) out vec4 colour;
void main() {
  float fade = 1.0 - smoothstep(0.55, 1.0, distance(place, ground.xyz) / ground.w);
  float key = 1.0 - lit(0, place + up.xyz * colouring.z, 0.0035, 24);
  float sky = 1.0 - lit(1, place + up.xyz * colouring.z, 0.035, 32);
  colour = vec4(vec3(0.10, 0.12, 0.16), fade * (0.30 * key + 0.34 * sky));
}
)";

// A shaft with a head, 24 sides: rings of corners that are told apart by the number of the vertex.
const std::string_view arrow_vertex = R"(
layout(location = 0) uniform vec3 from;
layout(location = 1) uniform vec3 to;
layout(location = 2) uniform float radius;
out vec3 place;
out vec3 normal;
const vec2 profile[6] = vec2[6](vec2(0, 0), vec2(0, 1), vec2(-3.2, 1), vec2(-3.2, 2.4), vec2(-3.2, 2.4), vec2(0, 0));
void main() {
  vec3 along = to - from;
  float length_of = max(length(along), 1e-9);
  along /= length_of;
  vec3 side = normalize(cross(along, abs(along.x) < 0.7 ? vec3(1, 0, 0) : vec3(0, 1, 0)));
  vec3 other = cross(along, side);
  const uint order[6] = uint[6](0u, 1u, 2u, 2u, 1u, 3u);
  uint quad = uint(gl_VertexID) / 6u, corner = order[uint(gl_VertexID) % 6u];
  uint segment = quad % 24u, ring = quad / 24u + (corner & 1u);
  float angle = 6.2831853 / 24.0 * float(segment + (corner >> 1));
  vec3 outwards = cos(angle) * side + sin(angle) * other;
  float head = min(3.2 * radius, 0.6 * length_of) / 3.2;  // short arrows have a smaller head
  float from_tip = profile[ring].x * head;
  float at = ring < 2u ? 0.0 : length_of + from_tip;
  place = from + along * at + outwards * profile[ring].y * (ring < 3u ? min(radius, head) : head);
  normal = quad / 24u == 0u || quad / 24u == 2u ? -along : quad / 24u == 4u ? normalize(outwards + 0.75 * along) : outwards;
  gl_Position = view_projection * vec4(place, 1);
}
)";

const std::string_view arrow_fragment = R"(
in vec3 place;
in vec3 normal;
layout(location = 0) out vec4 colour;
void main() {
  vec3 n = normalize(normal);
  float key = max(dot(n, key_direction.xyz), 0.0);
  vec3 light = vec3(0.95, 0.42, 0.05) * (0.55 + 0.25 * dot(n, up.xyz) + 1.2 * key);
  colour = vec4(encode(light), 1);
}
)";

}  // namespace quartic::view::shaders
