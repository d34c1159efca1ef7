// Recordings of a base's acceleration: text lines `time,ax,ay,az`.
#include <string>
#include <string_view>
#include <utility>

#include "io/files/atomic_file.hpp"
#include "io/text/text.hpp"
#include "quartic/error.hpp"
#include "quartic/loads.hpp"

namespace quartic {
namespace {

class AccelerationReader {
 public:
  explicit AccelerationReader(std::string name) : name_(std::move(name)) {}

  BaseAcceleration read(std::string_view content) {
    io::Lines lines(content);
    std::string_view line;
    for (bool first = true; lines.next(line); first = false) {
      line_ = lines.number();
      io::Fields fields(line);
      if (first && equal_ignoring_case(io::Fields(line).next(), "time"))
        require_names(fields);
      else
        add(fields);
    }
    if (base_.empty()) fail("there are no samples; a line is time,ax,ay,az");
    return std::move(base_);
  }

 private:
  void require_names(io::Fields& fields) const {
    for (const char* name : {"time", "ax", "ay", "az", ""})
      if (!equal_ignoring_case(fields.next(), name)) fail("the columns must be time,ax,ay,az in this order");
  }

  void add(io::Fields& fields) {
    const double time = number(fields, "the time");
    std::array<double, 3> acceleration{};
    for (double& a : acceleration) a = number(fields, "the acceleration");
    if (const auto more = fields.next(); !more.empty())
      fail("there is " + io::quote(more) + " after the acceleration; a line is time,ax,ay,az");
    if (!base_.empty() && time <= base_.times.back()) fail("times must ascend");
    base_.times.push_back(time);
    base_.accelerations.push_back(acceleration);
  }

  double number(io::Fields& fields, const std::string& what) const {
    const auto text = fields.next();
    if (text.empty()) fail(what + " is missing; a line is time,ax,ay,az");
    const auto value = io::parse_number(text);
    if (!value) fail(what + " " + io::quote(text) + " is not a finite number");
    return *value;
  }

  [[noreturn]] void fail(const std::string& what) const { throw ParseError(name_, line_, what); }

  std::string name_;
  std::int64_t line_ = 0;
  BaseAcceleration base_;
};

}  // namespace

BaseAcceleration read_base_acceleration(const std::filesystem::path& path) {
  return AccelerationReader(path.string()).read(io::read_file(path));
}

}  // namespace quartic
