#include "quartic/error.hpp"

namespace quartic {

// The destructors are the key functions: one vtable and one type identity for the whole process.
Error::~Error() = default;
InputError::~InputError() = default;
ParseError::~ParseError() = default;
FileError::~FileError() = default;
NumericalError::~NumericalError() = default;
BackendUnavailable::~BackendUnavailable() = default;
DeviceError::~DeviceError() = default;

ParseError::ParseError(const std::string& file, std::int64_t line, const std::string& what)
    : InputError(file + (line > 0 ? ":" + std::to_string(line) : "") + ": " + what),
      file_(std::make_shared<const std::string>(file)),
      line_(line) {}

}  // namespace quartic
