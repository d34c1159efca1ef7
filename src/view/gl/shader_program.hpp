// A program of shaders, compiled from text.
#pragma once

#include <epoxy/gl.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace quartic::view {

struct ShaderSource {
  GLenum stage;  ///< GL_VERTEX_SHADER, ...
  std::string_view text;
};

class ShaderProgram {
 public:
  /// @param preamble put behind the line with the version of each: definitions, buffers
  /// @param recorded outputs of the vertex shader that transform feedback writes, side by side
  /// @throws DeviceError with what the compiler says
  ShaderProgram(std::initializer_list<ShaderSource> sources, std::string_view preamble,
                const std::vector<const char*>& recorded = {});
  ~ShaderProgram();
  ShaderProgram(const ShaderProgram&) = delete;
  ShaderProgram& operator=(const ShaderProgram&) = delete;

  void use() const { glUseProgram(name_); }
  [[nodiscard]] GLuint name() const { return name_; }
  void set(GLint location, GLuint value) const { glProgramUniform1ui(name_, location, value); }

 private:
  GLuint name_ = 0;
};

}  // namespace quartic::view
