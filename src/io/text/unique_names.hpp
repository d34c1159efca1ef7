// Names that a file format wants to be different from each other.
#pragma once

#include <set>
#include <string>

namespace quartic::io {

class UniqueNames {
 public:
  /// The name, with `_2`, `_3`, ... behind it where it has been given out already.
  std::string add(const std::string& name) {
    std::string unique = name;
    for (int n = 2; !taken_.insert(unique).second; ++n) unique = name + "_" + std::to_string(n);
    return unique;
  }

 private:
  std::set<std::string> taken_;
};

}  // namespace quartic::io
