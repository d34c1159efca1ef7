// Recordings of forces: text lines `time,vertex,fx,fy,fz`.
#include <algorithm>
#include <cmath>
#include <string>

#include "io/files/atomic_file.hpp"
#include "io/text/text.hpp"
#include "quartic/error.hpp"
#include "quartic/sketch.hpp"

namespace quartic {
namespace {

class RecordingReader {
 public:
  RecordingReader(std::string name, std::int64_t vertex_count) : name_(std::move(name)), vertex_count_(vertex_count) {}

  std::vector<RecordedLoad> read(std::string_view content) {
    io::Lines lines(content);
    std::string_view line;
    for (bool first = true; lines.next(line); first = false) {
      line_ = lines.number();
      io::Fields fields(line);
      if (first && equal_ignoring_case(io::Fields(line).next(), "time")) {
        require_names(fields);
        continue;
      }
      require_no_gap(line);
      add(fields);
    }
    return std::move(loads_);
  }

 private:
  void require_names(io::Fields& fields) const {
    for (const char* name : {"time", "vertex", "fx", "fy", "fz", ""})
      if (!equal_ignoring_case(fields.next(), name)) fail("the columns must be time,vertex,fx,fy,fz in this order");
  }

  // Several separators in a row count as one, which would move what is behind an empty field.
  void require_no_gap(std::string_view line) const {
    bool comma = true;
    for (const char c : line) {
      if (c == ',' && comma) fail("there is an empty field; a line is time,vertex,fx,fy,fz");
      if (c != ' ' && c != '\t') comma = c == ',';
    }
  }

  void add(io::Fields& fields) {
    const double time = number(fields, "the time");
    const auto vertex_text = fields.next();
    const auto vertex = io::parse_integer(vertex_text);
    if (!vertex) fail("the vertex " + io::quote(vertex_text) + " is not an integer");
    if (*vertex < 0 || *vertex >= vertex_count_)
      fail("vertex " + std::to_string(*vertex) + " is outside 0 .. " + std::to_string(vertex_count_ - 1) +
           " (recordings are 0-based)");
    VertexForce force{.body = 0, .vertex = static_cast<std::int32_t>(*vertex), .force = {}};
    for (double& x : force.force) x = number(fields, "the force");
    if (const auto more = fields.next(); !more.empty())
      fail("there is " + io::quote(more) + " after the force; a line is time,vertex,fx,fy,fz");
    if (!loads_.empty() && time < loads_.back().time) fail("times must ascend");
    if (loads_.empty() || time > loads_.back().time) loads_.push_back({time, {}});
    loads_.back().forces.push_back(force);
  }

  double number(io::Fields& fields, const std::string& what) const {
    const auto text = fields.next();
    if (text.empty()) fail(what + " is missing; a line is time,vertex,fx,fy,fz");
    const auto value = io::parse_number(text);
    if (!value) fail(what + " " + io::quote(text) + " is not a finite number");
    return *value;
  }

  [[noreturn]] void fail(const std::string& what) const { throw ParseError(name_, line_, what); }

  std::string name_;
  std::int64_t vertex_count_;
  std::int64_t line_ = 0;
  std::vector<RecordedLoad> loads_;
};

// What is written has to be the same when it is read.
void require_readable(std::span<const RecordedLoad> loads) {
  for (std::size_t i = 0; i < loads.size(); ++i) {
    if (!std::isfinite(loads[i].time) || (i > 0 && loads[i].time <= loads[i - 1].time))
      throw InputError("the times of a recording must be finite and ascend; load " + std::to_string(i) + " has " +
                       io::format_number(loads[i].time));
    for (const VertexForce& force : loads[i].forces)
      if (force.body != 0 || force.vertex < 0 ||
          !std::all_of(force.force.begin(), force.force.end(), [](double x) { return std::isfinite(x); }))
        throw InputError("a recording is of body 0, of vertices from 0 on and of finite forces; load " +
                         std::to_string(i) + " has another");
  }
}

}  // namespace

std::vector<RecordedLoad> read_recorded_loads(const std::filesystem::path& path, std::int64_t vertex_count) {
  return RecordingReader(path.string(), vertex_count).read(io::read_file(path));
}

void write_recorded_loads(std::span<const RecordedLoad> loads, const std::filesystem::path& path) {
  require_readable(loads);
  std::string text = "time,vertex,fx,fy,fz\n";
  const std::vector<VertexForce> rest = {{.body = 0, .vertex = 0, .force = {}}};  // a moment without force
  for (const RecordedLoad& load : loads)
    for (const VertexForce& force : load.forces.empty() ? rest : load.forces) {
      text += io::format_number(load.time) + ',' + std::to_string(force.vertex);
      for (const double x : force.force) text += ',' + io::format_number(x);
      text += '\n';
    }
  io::AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace quartic
