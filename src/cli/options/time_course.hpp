// A number that may change over time, as options take it: NUMBER or FILE.csv.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace quartic::cli {

/// Linear between points, constant outside of them; of two points at one time the second holds from then on.
struct TimeCourse {
  std::vector<double> times = {};   ///< [s], ascending, at least one
  std::vector<double> values = {};  ///< as many

  [[nodiscard]] bool constant() const;
  [[nodiscard]] double at(double time) const;
  /// How fast it changes from then on, jumps left aside.
  [[nodiscard]] double rate_at(double time) const;
};

/// True for a value that ends in .csv, in any case.
[[nodiscard]] bool names_file(std::string_view value);

/// The number that a value is, or what lines `time,COLUMN` of its file say.
/// @param option that has the value, for messages
/// @throws UsageError for another text; InputError for a file that can't be read, or other lines
[[nodiscard]] TimeCourse parse_time_course(const std::string& option, const std::string& value,
                                           std::string_view column);

}  // namespace quartic::cli
