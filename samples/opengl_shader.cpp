// A vertex shader that computes u = U q: the modes lie on the graphics card, and a frame sends r numbers per body.
//
// build: g++ -std=c++20 opengl_shader.cpp -I/usr/include/eigen3 -lquartic -lepoxy -o opengl_shader
// run:   ./opengl_shader     (needs no window: the context is EGL's, and may be a software one)
// prints:
//   body 0's tip sinks by 0.000 m
//   body 1's tip sinks by 0.155 m
//   body 2's tip sinks by 0.289 m
//   the shader differs from the CPU by less than 1e-5 m
#include <epoxy/egl.h>
#include <epoxy/gl.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <quartic/quartic.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

// One draw call for all bodies: gl_InstanceID is the body, gl_VertexID the vertex.
constexpr const char* vertex_shader = R"(#version 430
layout(std430, binding = 0) readonly buffer Modes { float modes[]; };              // U, shape (r, n, 3)
layout(std430, binding = 1) readonly buffer Coordinates { float coordinates[]; };  // q, shape (B, r)
layout(location = 0) in vec3 rest;
uniform int rank, vertices;
out vec3 moved;

void main() {
  moved = rest;
  for (int i = 0; i < rank; ++i) {
    int at = 3 * (i * vertices + gl_VertexID);
    moved += coordinates[gl_InstanceID * rank + i] * vec3(modes[at], modes[at + 1], modes[at + 2]);
  }
  gl_Position = vec4(moved.x - 0.5, moved.z, 0.5 * moved.y + 0.2 * gl_InstanceID - 0.3, 1);
}
)";

void make_context() {
  if (!epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless"))
    throw std::runtime_error("no OpenGL 4.3 here");
  const EGLDisplay display = eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
  const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 3, EGL_NONE};
  if (!eglInitialize(display, nullptr, nullptr) || !eglBindAPI(EGL_OPENGL_API) ||
      !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE,
                      eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, version)))
    throw std::runtime_error("no OpenGL 4.3 here");
  // There is nothing to draw into, and without a frame buffer nothing is drawn.
  GLuint frame = 0;
  glGenFramebuffers(1, &frame);
  glBindFramebuffer(GL_FRAMEBUFFER, frame);
  glFramebufferParameteri(GL_FRAMEBUFFER, GL_FRAMEBUFFER_DEFAULT_WIDTH, 1);
  glFramebufferParameteri(GL_FRAMEBUFFER, GL_FRAMEBUFFER_DEFAULT_HEIGHT, 1);
}

GLuint make_program() {
  const GLuint shader = glCreateShader(GL_VERTEX_SHADER), program = glCreateProgram();
  glShaderSource(shader, 1, &vertex_shader, nullptr);
  glCompileShader(shader);
  glAttachShader(program, shader);
  const char* seen = "moved";  // only so that this sample can look at what the shader computes
  glTransformFeedbackVaryings(program, 1, &seen, GL_INTERLEAVED_ATTRIBS);
  glLinkProgram(program);
  GLint is_linked = GL_FALSE;
  glGetProgramiv(program, GL_LINK_STATUS, &is_linked);
  if (!is_linked) throw std::runtime_error("the shader doesn't compile");
  glUseProgram(program);
  return program;
}

void fill_buffer(GLenum target, GLuint binding, const std::vector<float>& values) {
  GLuint buffer = 0;
  glGenBuffers(1, &buffer);
  glBindBufferBase(target, binding, buffer);
  glBufferData(target, static_cast<GLsizeiptr>(4 * values.size()), values.data(), GL_DYNAMIC_DRAW);
}

// Once: rest positions as the attribute, modes as a storage buffer. The columns of U are as the shader wants them.
void send_model(const quartic::ReducedModel& model, GLuint program) {
  fill_buffer(GL_SHADER_STORAGE_BUFFER, 0, {model.basis.values.begin(), model.basis.values.end()});
  GLuint array = 0, buffer = 0;
  glGenVertexArrays(1, &array);
  glBindVertexArray(array);
  const std::vector<float> rest(model.mesh.vertices.begin(), model.mesh.vertices.end());
  glGenBuffers(1, &buffer);
  glBindBuffer(GL_ARRAY_BUFFER, buffer);
  glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(4 * rest.size()), rest.data(), GL_STATIC_DRAW);
  glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, nullptr);
  glEnableVertexAttribArray(0);
  glUniform1i(glGetUniformLocation(program, "rank"), model.rank());
  glUniform1i(glGetUniformLocation(program, "vertices"), static_cast<GLint>(model.mesh.vertex_count()));
}

void run() {
  const auto [mesh, fixed_vertices] = quartic::make_beam();
  const quartic::ReducedModel model = quartic::reduce(mesh, fixed_vertices, {.modes = 6, .rank = 12});
  const auto vertices = static_cast<GLsizei>(model.mesh.vertex_count());
  constexpr GLsizei bodies = 3;
  quartic::Batch<float> batch(model.energy, {.bodies = bodies, .rayleigh_mass = 2});
  for (int body = 0; body < bodies; ++body)
    for (int i = 0; i < model.rank(); ++i)
      batch.force()(i, body) = static_cast<float>(-5.0 * body * model.unit_acceleration(i, 2));

  make_context();
  send_model(model, make_program());
  fill_buffer(GL_TRANSFORM_FEEDBACK_BUFFER, 0, std::vector<float>(static_cast<std::size_t>(3 * bodies * vertices)));

  // A frame: step, send q, draw. A renderer would draw the triangles of boundary_triangles(model.mesh).
  batch.step(0.5, 50);
  const auto q = std::as_const(batch).q();
  std::vector<float> coordinates;
  for (int body = 0; body < bodies; ++body)
    for (int i = 0; i < model.rank(); ++i) coordinates.push_back(q(i, body));
  fill_buffer(GL_SHADER_STORAGE_BUFFER, 1, coordinates);
  glEnable(GL_RASTERIZER_DISCARD);
  glBeginTransformFeedback(GL_POINTS);
  glDrawArraysInstanced(GL_POINTS, 0, vertices, bodies);
  glEndTransformFeedback();

  std::vector<float> seen(static_cast<std::size_t>(3 * bodies * vertices)), u(seen.size());
  glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, static_cast<GLsizeiptr>(4 * seen.size()), seen.data());
  quartic::vertex_displacements<float>(model.basis.map(), q, {}, u);
  float difference = 0;
  for (std::size_t k = 0; k < u.size(); ++k)
    difference = std::max(difference, std::abs(seen[k] - u[k] - float(model.mesh.vertices[k % (3 * vertices)])));
  for (int body = 0; body < bodies; ++body) {
    const double height = seen[static_cast<std::size_t>(3 * (body + 1) * vertices - 1)];
    std::printf("body %d's tip sinks by %.3f m\n", body, std::abs(height - model.mesh.vertices.back()));
  }
  std::printf("the shader differs from the CPU by %s than 1e-5 m\n", difference < 1e-5F ? "less" : "more");
}

}  // namespace

int main() {
  try {
    run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "opengl_shader: %s\n", error.what());
    return 1;
  }
}
