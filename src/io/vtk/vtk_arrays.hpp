// The arrays of VTK's legacy files, as text or binary, big endian.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/text/words.hpp"
#include "io/vtk/vtk_types.hpp"

namespace quartic::io {

/// Binary data of legacy files are big endian.
inline constexpr bool swap_vtk_bytes = std::endian::native == std::endian::little;

/// What an array is said to hold.
struct VtkArrayHead {
  std::string name;
  std::string type;  ///< as in the file
  std::int64_t components = 1;
  std::int64_t tuples = 0;
};

/// The type of a legacy file's name for it, whatever its case; none for bits, strings and unknown ones.
[[nodiscard]] std::optional<VtkType> find_vtk_type(std::string_view name);

/// The text with what stands as `%20` in names.
[[nodiscard]] std::string without_percents(std::string_view text);

/// Cuts the last word off a line, and the white space before it.
std::string_view cut_last_word(std::string_view& line);

/// Takes arrays from where a file's words are.
class VtkArrays {
 public:
  /// @param words must outlive this object
  explicit VtkArrays(Words& words) : words_(words) {}
  void set_binary(bool is_binary) { is_binary_ = is_binary; }
  [[nodiscard]] bool is_binary() const { return is_binary_; }

  /// `count` numbers. As text, those that are no numbers are NaN. @throws ParseError
  [[nodiscard]] std::vector<double> numbers(VtkType type, std::int64_t count, std::string_view what);
  /// @param lines of each number, in text; may be null
  [[nodiscard]] std::vector<std::int64_t> integers(VtkType type, std::int64_t count, std::string_view what,
                                                   std::vector<std::int64_t>* lines = nullptr);
  /// Goes past the array's values.
  void skip(const VtkArrayHead& head);
  /// The bytes from here to the end of the file, without going on.
  [[nodiscard]] std::string_view rest() const;

 private:
  std::string_view binary(VtkType type, std::int64_t count, std::string_view what);
  /// Of text: refuses a count that the rest of the file can't hold.
  void require(std::int64_t count, std::string_view what) const;
  void skip_strings(const VtkArrayHead& head, std::int64_t count);

  Words& words_;
  bool is_binary_ = false;
};

}  // namespace quartic::io
