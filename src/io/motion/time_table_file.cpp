// Text files of numbers over time: lines `time,...`.
#include <string>
#include <string_view>
#include <utility>

#include "core/base/letters.hpp"
#include "io/motion/table_lines.hpp"
#include "io/text/text.hpp"
#include "quartic/error.hpp"
#include "quartic/loads.hpp"

namespace quartic {
namespace {

class TimeTableReader {
 public:
  TimeTableReader(std::string name, std::span<const std::string_view> columns, bool may_jump)
      : name_(std::move(name)), columns_(columns), may_jump_(may_jump) {
    for (const std::string_view column : columns) form_ += "," + std::string(column);
  }

  TimeTable read(std::string_view content) {
    io::for_each_line(
        content, "time", line_, [&](io::Fields& fields) { require_names(fields); },
        [&](io::Fields& fields) { add(fields); });
    if (table_.times.empty()) fail("there are no numbers; a line is " + form_);
    return std::move(table_);
  }

 private:
  void require_names(io::Fields& fields) const {
    bool are_right = equal_ignoring_case(fields.next(), "time");
    for (const std::string_view column : columns_) are_right &= equal_ignoring_case(fields.next(), column);
    if (!are_right || !fields.next().empty()) fail("the columns must be " + form_ + " in this order");
  }

  void add(io::Fields& fields) {
    const double time = number(fields, "time");
    for (const std::string_view column : columns_) table_.values.push_back(number(fields, column));
    if (const auto more = fields.next(); !more.empty())
      fail("there is " + io::quote(more) + " behind the last number; a line is " + form_);
    if (!table_.times.empty() && (time < table_.times.back() || (time == table_.times.back() && !may_jump_)))
      fail("times must ascend");
    table_.times.push_back(time);
  }

  double number(io::Fields& fields, std::string_view column) const {
    const auto text = fields.next();
    if (text.empty()) fail("the number of '" + std::string(column) + "' is missing; a line is " + form_);
    const auto value = io::parse_number(text);
    if (!value) fail(std::string(column) + " " + io::quote(text) + " is not a finite number; a line is " + form_);
    return *value;
  }

  [[noreturn]] void fail(const std::string& what) const { throw ParseError(name_, line_, what); }

  std::string name_, form_ = "time";
  std::span<const std::string_view> columns_;
  bool may_jump_;
  std::int64_t line_ = 0;
  TimeTable table_;
};

}  // namespace

TimeTable read_time_table(const std::filesystem::path& path, std::span<const std::string_view> columns, bool may_jump) {
  return TimeTableReader(path.string(), columns, may_jump).read(io::read_file(path));
}

BaseAcceleration read_base_acceleration(const std::filesystem::path& path) {
  constexpr std::string_view columns[] = {"ax", "ay", "az"};
  TimeTable table = read_time_table(path, columns);
  BaseAcceleration base{.times = std::move(table.times), .accelerations = {}};
  for (std::size_t i = 0; i < table.values.size(); i += 3)
    base.accelerations.push_back({table.values[i], table.values[i + 1], table.values[i + 2]});
  return base;
}

}  // namespace quartic
