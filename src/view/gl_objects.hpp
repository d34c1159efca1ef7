// Owners of OpenGL objects. All are made and destroyed while the context that they belong to is current.
#pragma once

#include <epoxy/gl.h>

#include <cstddef>
#include <span>
#include <utility>

namespace quartic::view {

/// Owns one object. @tparam make, destroy functions that take a count and names, as OpenGL has them
template <auto make, auto destroy>
class GlObject {
 public:
  GlObject() { make(1, &name_); }
  ~GlObject() { reset(); }
  GlObject(GlObject&& other) noexcept : name_(std::exchange(other.name_, 0)) {}
  GlObject& operator=(GlObject&& other) noexcept {
    if (this != &other) {
      reset();
      name_ = std::exchange(other.name_, 0);
    }
    return *this;
  }
  GlObject(const GlObject&) = delete;
  GlObject& operator=(const GlObject&) = delete;
  [[nodiscard]] GLuint name() const { return name_; }

 private:
  void reset() {
    if (name_ != 0) destroy(1, &name_);
    name_ = 0;
  }
  GLuint name_ = 0;
};

// Epoxy's functions are pointers that it fills in at the first call: no constants, so that each needs a function.
namespace gl {
inline void make_buffers(GLsizei count, GLuint* names) {
  glGenBuffers(count, names);
}
inline void destroy_buffers(GLsizei count, const GLuint* names) {
  glDeleteBuffers(count, names);
}
inline void make_vertex_arrays(GLsizei count, GLuint* names) {
  glGenVertexArrays(count, names);
}
inline void destroy_vertex_arrays(GLsizei count, const GLuint* names) {
  glDeleteVertexArrays(count, names);
}
inline void make_framebuffers(GLsizei count, GLuint* names) {
  glGenFramebuffers(count, names);
}
inline void destroy_framebuffers(GLsizei count, const GLuint* names) {
  glDeleteFramebuffers(count, names);
}
inline void make_renderbuffers(GLsizei count, GLuint* names) {
  glGenRenderbuffers(count, names);
}
inline void destroy_renderbuffers(GLsizei count, const GLuint* names) {
  glDeleteRenderbuffers(count, names);
}
inline void make_textures(GLsizei count, GLuint* names) {
  glGenTextures(count, names);
}
inline void destroy_textures(GLsizei count, const GLuint* names) {
  glDeleteTextures(count, names);
}
}  // namespace gl

using VertexArray = GlObject<gl::make_vertex_arrays, gl::destroy_vertex_arrays>;
using Framebuffer = GlObject<gl::make_framebuffers, gl::destroy_framebuffers>;
using Renderbuffer = GlObject<gl::make_renderbuffers, gl::destroy_renderbuffers>;
using Texture = GlObject<gl::make_textures, gl::destroy_textures>;

/// Memory of the graphics card.
class Buffer : public GlObject<gl::make_buffers, gl::destroy_buffers> {
 public:
  /// Gives the buffer this content and size.
  template <class T>
  void assign(std::span<const T> values, GLenum usage = GL_STATIC_DRAW) {
    glBindBuffer(GL_COPY_WRITE_BUFFER, name());
    glBufferData(GL_COPY_WRITE_BUFFER, static_cast<GLsizeiptr>(values.size_bytes()), values.data(), usage);
  }
  /// Gives the buffer a size, with no content yet.
  void allocate(std::size_t bytes) {
    glBindBuffer(GL_COPY_WRITE_BUFFER, name());
    glBufferData(GL_COPY_WRITE_BUFFER, static_cast<GLsizeiptr>(bytes), nullptr, GL_DYNAMIC_COPY);
  }
  template <class T>
  void read(std::span<T> values) const {
    glBindBuffer(GL_COPY_READ_BUFFER, name());
    glGetBufferSubData(GL_COPY_READ_BUFFER, 0, static_cast<GLsizeiptr>(values.size_bytes()), values.data());
  }
  /// Lets shaders see it as `buffer` of this binding.
  void bind(GLuint binding) const { glBindBufferBase(GL_SHADER_STORAGE_BUFFER, binding, name()); }
};

}  // namespace quartic::view
