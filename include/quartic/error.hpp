// Exceptions of quartic. Every message says what is wrong, where, and how to fix it.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "quartic/export.hpp"

namespace quartic {

/// The base of quartic's own exceptions.
class QUARTIC_EXPORT Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  ~Error() override;
};

/// The caller's data or arguments can't be used: a damaged file, a bad index, an impossible option.
class QUARTIC_EXPORT InputError : public Error {
 public:
  using Error::Error;
  ~InputError() override;
};

/// A file violates its format; the message starts with `file:line:` (or `file: byte N:`).
class QUARTIC_EXPORT ParseError : public InputError {
 public:
  /// @param line 1-based line number; 0 where there is none (binary files, whole-file errors)
  ParseError(const std::string& file, std::int64_t line, const std::string& what);
  ~ParseError() override;

  [[nodiscard]] const std::string& file() const noexcept { return *file_; }
  [[nodiscard]] std::int64_t line() const noexcept { return line_; }  ///< 1-based; 0 where there is none

 private:
  std::shared_ptr<const std::string> file_;  // shared, so that copies can't fail, as an exception's mustn't
  std::int64_t line_;
};

/// A file can't be opened, read or written (missing, no permission, no space left).
class QUARTIC_EXPORT FileError : public InputError {
 public:
  using InputError::InputError;
  ~FileError() override;
};

/// A computation failed: no convergence, a matrix that is not positive definite.
class QUARTIC_EXPORT NumericalError : public Error {
 public:
  using Error::Error;
  ~NumericalError() override;
};

/// The requested backend isn't in this build or finds no device on this machine.
class QUARTIC_EXPORT BackendUnavailable : public Error {
 public:
  using Error::Error;
  ~BackendUnavailable() override;
};

/// The device reported an error at run time: out of memory, or a fault.
class QUARTIC_EXPORT DeviceError : public Error {
 public:
  using Error::Error;
  ~DeviceError() override;
};

}  // namespace quartic
