// Owners of OpenGL objects. All are made and destroyed while the context that they belong to is current.
#pragma once

#include <epoxy/gl.h>

#include <cstddef>
#include <span>
#include <utility>

namespace quartic::view {

/// Owns one object. @tparam make, destroy where epoxy keeps the functions, which take a count and names: it looks them
/// up at the first call
template <auto* make, auto* destroy>
class GlObject {
 public:
  GlObject() { (*make)(1, &name_); }
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
    if (name_ != 0) (*destroy)(1, &name_);
    name_ = 0;
  }
  GLuint name_ = 0;
};

using VertexArray = GlObject<&glGenVertexArrays, &glDeleteVertexArrays>;
using Framebuffer = GlObject<&glGenFramebuffers, &glDeleteFramebuffers>;
using Renderbuffer = GlObject<&glGenRenderbuffers, &glDeleteRenderbuffers>;
using Texture = GlObject<&glGenTextures, &glDeleteTextures>;

/// Memory of the graphics card.
class Buffer : public GlObject<&glGenBuffers, &glDeleteBuffers> {
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
