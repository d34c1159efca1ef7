// Shaders that move a surface: positions from modes, normals from positions.
#include "view/gl/shaders.hpp"

namespace quartic::view::shaders {

// Floats one by one, since a vec3 in a buffer takes the place of four.
const std::string_view surface_buffers = R"(
layout(std430, binding = 0) readonly buffer Triangles { uint triangles[]; };  // (t, 3)
layout(std430, binding = 1) readonly buffer Rest { float rest[]; };           // (s, 3)
layout(std430, binding = 4) readonly buffer Positions { float positions[]; }; // (B, s, 3)
layout(std430, binding = 5) readonly buffer Vertices { uint vertices[]; };    // (d): of each drawn one
layout(std430, binding = 6) readonly buffer Offsets { uint offsets[]; };      // (d + 1): into incident
layout(std430, binding = 7) readonly buffer Incident { uint incident[]; };    // (3t): triangles
layout(std430, binding = 8) readonly buffer Poses { vec4 poses[]; };          // (B, 3): rows of R and c
layout(location = 0) uniform uint vertex_count;  // s

vec3 rest_position(uint v) { return vec3(rest[3u * v], rest[3u * v + 1u], rest[3u * v + 2u]); }
vec3 position(uint body, uint v) {
  uint at = 3u * (body * vertex_count + v);
  return vec3(positions[at], positions[at + 1u], positions[at + 2u]);
}
// c + R x of a body's point, where w is 1; R x where it is 0.
vec3 posed(uint body, vec3 x, float w) {
  vec4 point = vec4(x, w);
  return vec3(dot(poses[3u * body], point), dot(poses[3u * body + 1u], point), dot(poses[3u * body + 2u], point));
}
)";

// An invocation makes one vertex of four bodies at a time, so that a row of U is read once for four. Neighbouring
// invocations read neighbouring numbers: U is stored mode by mode, axis by axis. HALF: two modes in a word; the powers
// of two that scale them are already in q.
const std::string_view positions = R"(
layout(local_size_x = 64) in;
layout(std430, binding = 1) readonly buffer Rest { float rest[]; };             // (s, 3)
layout(std430, binding = 2) readonly buffer Basis { uint basis[]; };            // (words, 3, s)
layout(std430, binding = 3) readonly buffer Coordinates { float q[]; };         // (B to a multiple of 4, modes)
layout(std430, binding = 4) writeonly buffer Positions { float positions[]; };  // (B, s, 3)
layout(location = 0) uniform uint vertex_count;  // s
layout(location = 1) uniform uint word_count;    // modes, or half of them
layout(location = 2) uniform uint body_count;    // B

void main() {
  uint v = gl_GlobalInvocationID.x;
  if (v >= vertex_count) return;
  vec3 at_rest = vec3(rest[3u * v], rest[3u * v + 1u], rest[3u * v + 2u]);
  for (uint first = 4u * gl_WorkGroupID.y; first < body_count; first += 4u * gl_NumWorkGroups.y) {
    vec3 u[4] = vec3[4](vec3(0), vec3(0), vec3(0), vec3(0));
    for (uint word = 0u; word < word_count; ++word) {
      uint at = 3u * word * vertex_count + v;
      uint x = basis[at], y = basis[at + vertex_count], z = basis[at + 2u * vertex_count];
#ifdef HALF
      vec2 ux = unpackHalf2x16(x), uy = unpackHalf2x16(y), uz = unpackHalf2x16(z);
      for (uint k = 0u; k < 4u; ++k) {
        uint mode = 2u * ((first + k) * word_count + word);
        u[k] += vec3(ux.x, uy.x, uz.x) * q[mode] + vec3(ux.y, uy.y, uz.y) * q[mode + 1u];
      }
#else
      vec3 row = uintBitsToFloat(uvec3(x, y, z));
      for (uint k = 0u; k < 4u; ++k) u[k] += row * q[(first + k) * word_count + word];
#endif
    }
    for (uint k = 0u; k < 4u && first + k < body_count; ++k) {
      vec3 moved = at_rest + u[k];
      uint at = 3u * ((first + k) * vertex_count + v);
      positions[at] = moved.x;
      positions[at + 1u] = moved.y;
      positions[at + 2u] = moved.z;
    }
  }
}
)";

// The strain of a triangle with edges a, b: E = (G - G0) / 2 in the coordinates of the edges, G being their scalar
// products; |E|^2 = trace((G0^-1 E)^2).
const std::string_view body_vertex = R"(
out vec3 place;
out vec3 normal;
out float value;       // what is shown as colour
flat out uint body;

float squared_strain(vec3 a, vec3 b, vec3 a0, vec3 b0) {
  vec3 g0 = vec3(dot(a0, a0), dot(a0, b0), dot(b0, b0));
  vec3 e = (vec3(dot(a, a), dot(a, b), dot(b, b)) - g0) / 2.0;
  float determinant = g0.x * g0.z - g0.y * g0.y;
  mat2 m = mat2(g0.z, -g0.y, -g0.y, g0.x) * mat2(e.x, e.y, e.y, e.z);
  float trace = m[0][0] * m[0][0] + 2.0 * m[0][1] * m[1][0] + m[1][1] * m[1][1];
  return determinant > 0.0 ? trace / (determinant * determinant) : 0.0;
}

void main() {
  uint drawn = uint(gl_VertexID);
  body = uint(gl_InstanceID);
  uint v = vertices[drawn];
  vec3 here = position(body, v);
  vec3 sum = vec3(0);
  float strain = 0.0, count = 0.0;
  for (uint k = offsets[drawn]; k < offsets[drawn + 1u]; ++k) {
    uint first = 3u * incident[k];
    uint i = triangles[first], j = triangles[first + 1u], l = triangles[first + 2u];
    vec3 origin = position(body, i);
    vec3 a = position(body, j) - origin, b = position(body, l) - origin;
    sum += cross(a, b);
    count += 1.0;  // counted, since Mesa 22 takes the wrong difference of offsets behind the loop
    if (colouring.x == 2.0) {
      vec3 origin0 = rest_position(i);
      strain += squared_strain(a, b, rest_position(j) - origin0, rest_position(l) - origin0);
    }
  }
  float size = length(sum);
  normal = size > 0.0 ? posed(body, sum / size, 0.0) : vec3(0);
  value = colouring.x == 2.0 ? sqrt(strain / max(count, 1.0)) : distance(here, rest_position(v));
  place = posed(body, here, 1.0);
  gl_Position = view_projection * vec4(place, 1);
}
)";

const std::string_view shadow_vertex = R"(
layout(location = 1) uniform uint light;
void main() {
  uint instance = uint(gl_InstanceID);
  gl_Position = light_matrix[light] * vec4(posed(instance, position(instance, vertices[gl_VertexID]), 1.0), 1);
}
)";

const std::string_view no_fragment = "void main() {}\n";

}  // namespace quartic::view::shaders
