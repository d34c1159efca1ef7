#include "view/gl/shader_program.hpp"

#include <algorithm>
#include <array>

#include "quartic/error.hpp"
#include "view/gl/gl_context.hpp"

namespace quartic::view {
namespace {

std::string log_of(GLuint name, decltype(glGetShaderiv) get, decltype(glGetShaderInfoLog) get_log) {
  GLint length = 0;
  get(name, GL_INFO_LOG_LENGTH, &length);
  std::string log(static_cast<std::size_t>(std::max(length, 1)), '\0');
  get_log(name, length, nullptr, log.data());
  return log.substr(0, log.find('\0'));
}

// Owns a shader until its program is linked.
class Shader {
 public:
  Shader(const ShaderSource& source, std::string_view preamble) : name_(glCreateShader(source.stage)) {
    constexpr std::string_view version = "#version 430 core\n";
    const std::array parts = {version.data(), preamble.data(), source.text.data()};
    const std::array lengths = {static_cast<GLint>(version.size()), static_cast<GLint>(preamble.size()),
                                static_cast<GLint>(source.text.size())};
    glShaderSource(name_, 3, parts.data(), lengths.data());
    glCompileShader(name_);
    GLint compiled = 0;
    glGetShaderiv(name_, GL_COMPILE_STATUS, &compiled);
    if (compiled != 0) return;
    const std::string log = log_of(name_, glGetShaderiv, glGetShaderInfoLog);
    glDeleteShader(name_);
    forget_gl_errors();  // some drivers report it there, too
    throw DeviceError("this OpenGL driver doesn't compile a shader of the viewer: " + log);
  }
  ~Shader() { glDeleteShader(name_); }
  Shader(const Shader&) = delete;
  Shader& operator=(const Shader&) = delete;
  [[nodiscard]] GLuint name() const { return name_; }

 private:
  GLuint name_;
};

}  // namespace

ShaderProgram::ShaderProgram(std::initializer_list<ShaderSource> sources, std::string_view preamble,
                             const std::vector<const char*>& recorded)
    : name_(glCreateProgram()) {
  try {
    for (const ShaderSource& source : sources) glAttachShader(name_, Shader(source, preamble).name());
    if (!recorded.empty())
      glTransformFeedbackVaryings(name_, static_cast<GLsizei>(recorded.size()), recorded.data(),
                                  GL_INTERLEAVED_ATTRIBS);
    glLinkProgram(name_);
    GLint linked = 0;
    glGetProgramiv(name_, GL_LINK_STATUS, &linked);
    if (linked == 0)
      throw DeviceError("this OpenGL driver doesn't link a program of the viewer: " +
                        log_of(name_, glGetProgramiv, glGetProgramInfoLog));
  } catch (...) {
    glDeleteProgram(name_);
    forget_gl_errors();
    throw;
  }
}

ShaderProgram::~ShaderProgram() {
  glDeleteProgram(name_);
}

}  // namespace quartic::view
