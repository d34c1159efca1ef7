// What `quartic bench` measures: each result beside a baseline of the same run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "measure/timing.hpp"

namespace quartic::measure {

/// A value beside its baseline. `ratio` is how many times as fast ours is where both are times of the same work, and
/// the value's share of the baseline where both are rates or where it is a part of it.
struct Measurement {
  std::string name = {};
  double value = 0;
  std::string unit = {};
  std::string baseline = {};  ///< empty: there is none
  double baseline_value = 0;
  double ratio = 0;
  std::optional<double> target = {};  ///< that the ratio should reach
};

struct Plan {
  std::vector<int> ranks = {};
  std::int64_t bodies = 0;     ///< of a batch
  int threads = 0;             ///< of machine and batches; precomputation always runs on all
  std::int64_t steps = 0;      ///< of one body that are timed one by one, fewer where they take long
  int box_cells = 0;           ///< along the body whose energy is reduced and whose forces are evaluated
  int reduced_resolution = 0;  ///< of the beam that `reduce` is measured with
  Effort effort = {};
};

/// Multiply-add, copy and BLAS rates on one and on all threads.
[[nodiscard]] std::vector<Measurement> measure_machine(const Plan& plan);

/// A Newmark step of one body on one thread, against the classical scheme; how evenly steps take their time.
[[nodiscard]] std::vector<Measurement> measure_one_body(const Plan& plan);

/// A Newmark step of a batch, per body: against the classical scheme, as a share of the multiply-add rate, and on all
/// threads.
[[nodiscard]] std::vector<Measurement> measure_batch(const Plan& plan);

/// `reduce_energy` as a share of the rate of dsyrk.
[[nodiscard]] std::vector<Measurement> measure_energy_reduction(const Plan& plan);

/// Force and tangent stiffness of a mesh of tetrahedra, in processor time, against precomputed integrals.
[[nodiscard]] std::vector<Measurement> measure_unreduced_forces(const Plan& plan);

/// The stages of `reduce` of a beam of tetrahedra, as shares of the whole.
[[nodiscard]] std::vector<Measurement> measure_reduction(const Plan& plan);

}  // namespace quartic::measure
