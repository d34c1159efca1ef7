// The forces on a simulated body: gravity and vertex forces, projected on the basis.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "quartic/model.hpp"

namespace quartic::cli {

/// A force on one vertex while begin <= t < end.
struct Load {
  std::int32_t vertex = 0;        ///< 0-based
  std::array<double, 3> force{};  ///< [N]
  double begin = -std::numeric_limits<double>::infinity();
  double end = std::numeric_limits<double>::infinity();  ///< [s]
};

/// VERTEX,fx,fy,fz[,t0,t1]. @throws UsageError
[[nodiscard]] Load parse_load(const std::string& text);

/// The reduced force over time, the same for every body.
class LoadProgram {
 public:
  /// @throws InputError if a load's vertex isn't in the model
  LoadProgram(const ReducedModel& model, const std::array<double, 3>& gravity, const std::vector<Load>& loads);

  /// True if the force is the same at all times.
  [[nodiscard]] bool constant() const;
  /// The force for a step that begins at `time` and is `step` long [s]; shape (r).
  [[nodiscard]] const std::vector<double>& at(double time, double step);

 private:
  struct Entry {
    std::vector<double> force;  // U^T f
    double begin, end;
  };
  std::vector<double> gravity_, sum_;
  std::vector<Entry> entries_;
};

}  // namespace quartic::cli
