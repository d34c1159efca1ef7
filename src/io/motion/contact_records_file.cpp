// Records of contacts: text lines `time,duration,body,shape,point,x,y,z,jx,jy,jz`.
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/letters.hpp"
#include "io/files/atomic_file.hpp"
#include "io/motion/table_lines.hpp"
#include "io/text/text.hpp"
#include "quartic/contact_records.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

constexpr const char* columns = "time,duration,body,shape,point,x,y,z,jx,jy,jz";

class RecordReader {
 public:
  explicit RecordReader(std::string name) : name_(std::move(name)) {}

  std::vector<ContactRecord> read(std::string_view content) {
    std::vector<ContactRecord> records;
    io::for_each_line(
        content, "time", line_, [&](io::Fields& fields) { require_names(fields); },
        [&](io::Fields& fields) { records.push_back(record(fields)); });
    return records;
  }

 private:
  void require_names(io::Fields& fields) const {
    io::Fields names(columns);
    for (std::string_view name = names.next(); !name.empty(); name = names.next())
      if (!equal_ignoring_case(fields.next(), name)) fail("the columns must be " + std::string(columns));
    if (!fields.next().empty()) fail("the columns must be " + std::string(columns));
  }

  ContactRecord record(io::Fields& fields) const {
    ContactRecord result;
    result.time = number(fields, "the time");
    result.duration = number(fields, "the duration");
    if (result.duration < 0) fail("the duration is negative");
    result.body = count(fields, "the body", std::numeric_limits<std::int64_t>::max());
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    result.shape = static_cast<std::int32_t>(count(fields, "the shape", most));
    result.point = static_cast<std::int32_t>(count(fields, "the point", most));
    for (double& x : result.position) x = number(fields, "the position");
    for (double& j : result.impulse) j = number(fields, "the impulse");
    if (const auto more = fields.next(); !more.empty()) fail("there is " + io::quote(more) + " after the impulse");
    return result;
  }

  double number(io::Fields& fields, const std::string& what) const {
    const auto text = fields.next();
    if (text.empty()) fail(what + " is missing; a line is " + columns);
    const auto value = io::parse_number(text);
    if (!value) fail(what + " " + io::quote(text) + " is not a finite number");
    return *value;
  }

  std::int64_t count(io::Fields& fields, const std::string& what, std::int64_t most) const {
    const auto text = fields.next();
    if (text.empty()) fail(what + " is missing; a line is " + columns);
    const auto value = io::parse_integer(text);
    if (!value || *value < 0 || *value > most) fail(what + " " + io::quote(text) + " is not a number from 0 on");
    return *value;
  }

  [[noreturn]] void fail(const std::string& what) const { throw ParseError(name_, line_, what); }

  std::string name_;
  std::int64_t line_ = 0;
};

void append(std::string& text, std::span<const double> numbers) {
  for (const double x : numbers) {
    if (!std::isfinite(x)) throw InputError("records of contacts must be finite");
    text += ',' + io::format_number(x);
  }
}

}  // namespace

std::vector<ContactRecord> read_contact_records(const std::filesystem::path& path) {
  return RecordReader(path.string()).read(io::read_file(path));
}

void write_contact_records(std::span<const ContactRecord> records, const std::filesystem::path& path) {
  std::string text = std::string(columns) + '\n';
  for (const ContactRecord& record : records) {
    if (!std::isfinite(record.time)) throw InputError("records of contacts must be finite");
    text += io::format_number(record.time);
    append(text, std::array{record.duration});
    text += ',' + std::to_string(record.body) + ',' + std::to_string(record.shape) + ',' + std::to_string(record.point);
    append(text, record.position);
    append(text, record.impulse);
    text += '\n';
  }
  io::AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace quartic
