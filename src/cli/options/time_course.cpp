#include "cli/options/time_course.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "cli/options/arguments.hpp"
#include "core/base/letters.hpp"
#include "quartic/error.hpp"
#include "quartic/loads.hpp"

namespace quartic::cli {

bool TimeCourse::constant() const {
  return std::ranges::adjacent_find(values, std::not_equal_to()) == values.end();
}

double TimeCourse::at(double time) const {
  const auto next = std::ranges::upper_bound(times, time);
  if (next == times.begin()) return values.front();
  if (next == times.end()) return values.back();
  const auto n = static_cast<std::size_t>(next - times.begin());
  const double share = (time - times[n - 1]) / (times[n] - times[n - 1]);
  return values[n - 1] + share * (values[n] - values[n - 1]);
}

double TimeCourse::rate_at(double time) const {
  const auto next = std::ranges::upper_bound(times, time);
  if (next == times.begin() || next == times.end()) return 0;
  const auto n = static_cast<std::size_t>(next - times.begin());
  return (values[n] - values[n - 1]) / (times[n] - times[n - 1]);
}

bool names_file(std::string_view value) {
  constexpr std::string_view ending = ".csv";
  return value.size() > ending.size() && equal_ignoring_case(value.substr(value.size() - ending.size()), ending);
}

TimeCourse parse_time_course(const std::string& option, const std::string& value, std::string_view column) {
  if (!names_file(value)) return {{0}, {parse_numbers<1>(option, value)[0]}};
  try {
    TimeTable table = read_time_table(value, {&column, 1}, true);
    return {std::move(table.times), std::move(table.values)};
  } catch (const FileError& error) {
    throw InputError(option + ": the file can't be read: " + error.what());
  }
}

}  // namespace quartic::cli
