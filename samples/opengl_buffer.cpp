// Displacements straight into a mapped OpenGL vertex buffer: three floats per vertex, body after body.
//
// build: g++ -std=c++20 opengl_buffer.cpp -I/usr/include/eigen3 -lquartic -lepoxy -o opengl_buffer
// run:   ./opengl_buffer     (needs no window: the context is EGL's, and may be a software one)
// prints:
//   frame 0: the last body's tip has moved by -0.0011 m in the buffer
//   frame 1: the last body's tip has moved by -0.0045 m in the buffer
//   frame 2: the last body's tip has moved by -0.0114 m in the buffer
//   frame 3: the last body's tip has moved by -0.0243 m in the buffer
#include <epoxy/egl.h>
#include <epoxy/gl.h>

#include <cstdio>
#include <quartic/quartic.hpp>
#include <span>
#include <stdexcept>
#include <utility>

namespace {

void make_context() {
  if (!epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless"))
    throw std::runtime_error("no OpenGL 4.4 here");
  const EGLDisplay display = eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
  const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 4, EGL_NONE};
  if (!eglInitialize(display, nullptr, nullptr) || !eglBindAPI(EGL_OPENGL_API) ||
      !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE,
                      eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, version)))
    throw std::runtime_error("no OpenGL 4.4 here");
}

/// A vertex buffer that stays mapped, in three parts, so that the library writes into one while the card still reads
/// the others. A fence says when a part may be written again.
class DisplacementBuffer {
 public:
  explicit DisplacementBuffer(std::size_t floats) : floats_(floats) {
    constexpr GLbitfield flags = GL_MAP_WRITE_BIT | GL_MAP_READ_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    const auto bytes = static_cast<GLsizeiptr>(parts * floats_ * sizeof(float));
    glGenBuffers(1, &buffer_);
    glBindBuffer(GL_ARRAY_BUFFER, buffer_);
    glBufferStorage(GL_ARRAY_BUFFER, bytes, nullptr, flags);
    data_ = static_cast<float*>(glMapBufferRange(GL_ARRAY_BUFFER, 0, bytes, flags));
    if (data_ == nullptr) throw std::runtime_error("the buffer can't be mapped");
  }
  DisplacementBuffer(const DisplacementBuffer&) = delete;
  DisplacementBuffer& operator=(const DisplacementBuffer&) = delete;
  ~DisplacementBuffer() {
    for (const GLsync fence : fences_) glDeleteSync(fence);
    glDeleteBuffers(1, &buffer_);
  }

  /// The next part, once the card is done with it.
  std::span<float> begin_frame() {
    part_ = (part_ + 1) % parts;
    if (const GLsync fence = std::exchange(fences_[part_], nullptr); fence != nullptr) {
      constexpr GLuint64 second = 1'000'000'000;
      GLenum result = GL_TIMEOUT_EXPIRED;
      while (result == GL_TIMEOUT_EXPIRED) result = glClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, second);
      glDeleteSync(fence);
      if (result == GL_WAIT_FAILED) throw std::runtime_error("waiting for the card failed");
    }
    return {data_ + part_ * floats_, floats_};
  }
  /// What the vertex attribute of the displacement starts with in this frame.
  [[nodiscard]] const void* offset() const { return reinterpret_cast<const void*>(part_ * floats_ * sizeof(float)); }
  /// Behind the frame's last draw call.
  void end_frame() { fences_[part_] = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0); }

 private:
  static constexpr std::size_t parts = 3;
  GLuint buffer_ = 0;
  float* data_ = nullptr;
  std::size_t floats_, part_ = 0;
  GLsync fences_[parts] = {};
};

void run() {
  const auto [mesh, fixed_vertices] = quartic::make_beam();
  const quartic::ReducedModel model = quartic::reduce(mesh, fixed_vertices, {.modes = 6, .rank = 12});
  constexpr std::int64_t bodies = 100;
  quartic::Batch<float> batch(model.energy, {.bodies = bodies, .rayleigh_mass = 2});
  for (std::int64_t body = 0; body < bodies; ++body)
    for (int i = 0; i < model.rank(); ++i)
      batch.force()(i, body) = static_cast<float>(-0.1 * static_cast<double>(body) * model.unit_acceleration(i, 2));

  make_context();
  DisplacementBuffer displacements(static_cast<std::size_t>(bodies * 3 * model.mesh.vertex_count()));
  GLuint array = 0;
  glGenVertexArrays(1, &array);
  glBindVertexArray(array);
  glEnableVertexAttribArray(0);
  for (int frame = 0; frame < 4; ++frame) {
    batch.step(1. / 60, 4);
    const std::span<float> u = displacements.begin_frame();
    quartic::vertex_displacements<float>(model.basis.map(), std::as_const(batch).q(), {}, u);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, displacements.offset());
    // Here a renderer draws: its shader adds this attribute to the rest position.
    displacements.end_frame();
    std::printf("frame %d: the last body's tip has moved by %.4f m in the buffer\n", frame, double(u.back()));
  }
}

}  // namespace

int main() {
  try {
    run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "opengl_buffer: %s\n", error.what());
    return 1;
  }
}
