#include "cli/reports/output_writer.hpp"

#include <algorithm>
#include <exception>
#include <new>

#include "cli/values/numbers.hpp"
#include "quartic/error.hpp"

namespace quartic::cli {

void OutputWriter::write(const std::string& file, const std::function<void()>& write,
                         const std::vector<std::string>& beside) {
  try {
    write();
  } catch (const std::bad_alloc&) {
    return note(file, "there isn't enough memory to write it");
  } catch (const std::exception& error) {
    return note(file, error.what());
  }
  note(file, "");
  for (const std::string& other : beside)  // point caches of one name share their surface
    if (std::find(beside_.begin(), beside_.end(), other) == beside_.end()) beside_.push_back(other);
}

std::vector<std::string> OutputWriter::written() const {
  std::vector<std::string> files = written_;
  files.insert(files.end(), beside_.begin(), beside_.end());
  return files;
}

void OutputWriter::note(const std::string& file, const std::string& failure) {
  if (failure.empty())
    written_.push_back(file);
  else
    failures_.push_back(failure.find(file) == std::string::npos ? file + ": " + failure : failure);
}

void OutputWriter::require_all() const {
  if (failures_.empty()) return;
  if (failures_.size() == 1) throw InputError(failures_.front());
  std::string text = counted(std::ssize(failures_), "output", "outputs") + " couldn't be written:";
  for (const std::string& failure : failures_) text += "\n  " + failure;
  throw InputError(text);
}

}  // namespace quartic::cli
