#include "core/batch/batch_checks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <locale>
#include <sstream>
#include <string>
#include <string_view>

#include "core/batch/load_curve.hpp"
#include "core/energy/enclosed_volume.hpp"
#include "core/energy/quartic_polynomial.hpp"
#include "core/energy/strain_form.hpp"
#include "core/frame/moment_check.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

std::string text(double number) {
  std::ostringstream stream;
  stream.imbue(std::locale::classic());
  stream << number;
  return stream.str();
}

void require(bool condition, std::string_view name, const char* range, double value) {
  if (!condition) throw InputError(std::string(name) + " must be " + range + ", not " + text(value));
}

void require_size(std::size_t size, const std::string& name, std::int64_t bodies) {
  if (static_cast<std::int64_t>(size) != bodies)
    throw InputError(name + " must have an entry for each of the " + std::to_string(bodies) + " bodies, not " +
                     std::to_string(size));
}

template <class T>
bool finite_and_not_negative(double value) {
  return value >= 0 && value <= double{std::numeric_limits<T>::max()};
}

// The same where the caller moves the frame.
void check_base(const BodyGroup& group, const BatchOptions& options) {
  if (!group.frame)
    throw InputError("bodies of prescribed motion need BodyGroup::frame; base_frame makes it from their model");
  require_base_frame(*group.frame, group.energy.rank);
  if (options.integrator != Integrator::newmark && options.integrator != Integrator::backward_euler)
    throw InputError(std::string(integrator_name(options.integrator)) +
                     " can't move bodies on a base of prescribed motion, which takes forces at the step's end and adds "
                     "energy; take newmark or backward-euler");
}

// What groups with a frame need besides. The moments are of the group's rank.
void check_frame(const BodyGroup& group, const BatchOptions& options) {
  require_free_frame(*group.frame, group.energy.rank);
  if (options.integrator == Integrator::central_differences)
    throw InputError(
        "central differences can't move free bodies, whose kinetic energy depends on q; take newmark, "
        "backward-euler or energy-conserving");
  if (options.integrator == Integrator::newmark && options.newmark_gamma == 0)
    require(false, "newmark_gamma of a batch with frames", "above 0", 0);
}

// Whether a symmetric matrix has no negative eigenvalue beyond the tolerance: pivots of its factor L D L^T.
bool takes_energy_out(Matrix a, double tolerance) {
  for (std::int64_t k = 0; k < a.rows; ++k) {
    if (a(k, k) < -tolerance) return false;
    for (std::int64_t i = k + 1; i < a.rows; ++i) {
      // Beside a pivot of zero, |a_ik| <= sqrt(a_kk a_ii) leaves round-off alone.
      if (a(k, k) <= tolerance) {
        if (a(i, k) * a(i, k) > 4 * tolerance * (std::abs(a(i, i)) + tolerance)) return false;
        continue;
      }
      const double factor = a(i, k) / a(k, k);
      for (std::int64_t j = k + 1; j <= i; ++j) a(i, j) -= factor * a(j, k);
    }
  }
  return true;
}

// Coordinates of prescribed motion.
void check_driven(const BodyGroup& group) {
  if (group.driven < 0 || group.driven >= group.energy.rank)
    throw InputError("BodyGroup::driven must be at least 0 and below the rank " + std::to_string(group.energy.rank) +
                     ", not " + std::to_string(group.driven));
  if (group.driven > 0 && group.frame)
    throw InputError(
        "driven coordinates (BodyGroup::driven) are of held bodies, whose frame is at rest; leave BodyGroup::frame "
        "out");
}

}  // namespace

template <class T>
void check_damping_matrix(const Matrix& damping, int rank) {
  if (damping.rows == 0 && damping.cols == 0 && damping.values.empty()) return;
  if (damping.rows != rank || damping.cols != rank || std::ssize(damping.values) != std::int64_t{rank} * rank)
    throw InputError("BodyGroup::damping is of shape (" + std::to_string(damping.rows) + ", " +
                     std::to_string(damping.cols) + "), but the bodies have " + std::to_string(rank) + " coordinates");
  double largest = 0;
  for (const double value : damping.values) {
    if (!(std::abs(value) <= double{std::numeric_limits<T>::max()}))
      throw InputError("BodyGroup::damping must have numbers that are finite in the batch's precision");
    largest = std::max(largest, std::abs(value));
  }
  constexpr double round_off = 1e-9;  // of sums of products
  for (std::int64_t i = 0; i < rank; ++i)
    for (std::int64_t j = 0; j < i; ++j)
      if (std::abs(damping(i, j) - damping(j, i)) > round_off * largest)
        throw InputError("BodyGroup::damping must be symmetric");
  if (!takes_energy_out(damping, round_off * largest))
    throw InputError("BodyGroup::damping would feed energy in: it must have no negative eigenvalue");
}
template void check_damping_matrix<float>(const Matrix&, int);
template void check_damping_matrix<double>(const Matrix&, int);

template <class T>
void check_options(const BatchOptions& options) {
  require(options.integrator <= Integrator::energy_conserving, "integrator", "one of Integrator",
          static_cast<double>(options.integrator));
  require(options.newmark_beta > 0 && options.newmark_beta <= 0.5, "newmark_beta", "in (0, 1/2]", options.newmark_beta);
  require(options.newmark_gamma >= 0 && options.newmark_gamma <= 1, "newmark_gamma", "in [0, 1]",
          options.newmark_gamma);
  require(finite_and_not_negative<T>(options.rayleigh_mass), "rayleigh_mass", "finite and >= 0", options.rayleigh_mass);
  require(finite_and_not_negative<T>(options.rayleigh_stiffness), "rayleigh_stiffness", "finite and >= 0",
          options.rayleigh_stiffness);
  require(options.newton_iterations >= 1, "newton_iterations", "at least 1", options.newton_iterations);
  require(finite_and_not_negative<T>(options.newton_tolerance), "newton_tolerance", "finite and >= 0",
          options.newton_tolerance);
  require(options.threads >= 0, "threads", "at least 0", options.threads);
  require(options.evaluation <= Evaluation::tensor, "evaluation", "one of Evaluation",
          static_cast<double>(options.evaluation));
  const bool for_devices = options.evaluation == Evaluation::cublas || options.evaluation == Evaluation::tensor;
  if (for_devices && options.backend == Backend::cpu)
    throw InputError("Evaluation::" + std::string(evaluation_name(options.evaluation)) +
                     " is for the backend 'cuda'; the CPU has Evaluation::strict, latency and accurate");
}
template void check_options<float>(const BatchOptions&);
template void check_options<double>(const BatchOptions&);

void check(const QuarticEnergy& energy, const StrainForm& strain_form) {
  check(energy);
  if (strain_form.rank != 0) check_strain_form(energy, strain_form);
}

void check(std::span<const EnclosedVolume> chambers, int rank) {
  if (std::ssize(chambers) > chamber_limit)
    throw InputError("a group of bodies may have up to " + std::to_string(chamber_limit) + " chambers, not " +
                     std::to_string(chambers.size()) + "; chambers of equal pressure can be one");
  for (std::size_t c = 0; c < chambers.size(); ++c) {
    check(chambers[c]);
    if (chambers[c].rank != rank)
      throw InputError("the volume of chamber " + std::to_string(c) + " is of rank " +
                       std::to_string(chambers[c].rank) + ", but the bodies have " + std::to_string(rank) +
                       " coordinates; make it on the basis of the same model (reduce_volume)");
  }
}

void check_cubature_beside(const Cubature& cubature, int rank, const StrainForm& strain_form,
                           std::span<const EnclosedVolume> chambers, Backend backend) {
  if (cubature.rank == 0) return;
  check_cubature(cubature);
  if (cubature.rank != rank)
    throw InputError("the cubature is of rank " + std::to_string(cubature.rank) + ", but its control variate of rank " +
                     std::to_string(rank) + "; make the force model of the cubature alone");
  if (strain_form.rank != 0)
    throw InputError("a strain form is of a quartic energy alone, not of a cubature; leave `strain_form` out");
  if (!chambers.empty())
    throw InputError("chambers don't go with a cubature yet; leave `chambers` out, or take a quartic energy");
  if (backend != Backend::cpu)
    throw InputError("forces of a cubature are computed on the backend 'cpu' alone; take it, or a quartic energy");
}

template <class T>
void check(std::span<const BodyGroup> groups, const BatchOptions& options) {
  if (groups.empty()) throw InputError("a batch needs at least one group of bodies");
  std::int64_t bodies = 0;
  for (const BodyGroup& group : groups) {
    check(group.energy, group.strain_form);
    check(group.chambers, group.energy.rank);
    check_cubature_beside(group.cubature, group.energy.rank, group.strain_form, group.chambers, options.backend);
    check_range_of(group.range, group.energy.rank);
    check_damping_matrix<T>(group.damping, group.energy.rank);
    check_driven(group);
    require(group.motion <= FrameMotion::prescribed, "BodyGroup::motion", "one of FrameMotion",
            static_cast<double>(group.motion));
    // Far above any memory, far below an overflow of sizes.
    const std::int64_t most = std::numeric_limits<std::int64_t>::max() / (1024 * std::int64_t{rank_limit});
    require(group.bodies >= 1 && group.bodies <= most - bodies,
            "the number of bodies (BatchOptions::bodies or BodyGroup::bodies)", "at least 1 and fit into memory",
            static_cast<double>(group.bodies));
    bodies += group.bodies;
  }
  check_options<T>(options);
  for (const BodyGroup& group : groups)
    if (group.motion == FrameMotion::prescribed)
      check_base(group, options);
    else if (group.frame)
      check_frame(group, options);
}
template void check<float>(std::span<const BodyGroup>, const BatchOptions&);
template void check<double>(std::span<const BodyGroup>, const BatchOptions&);

template <class T>
void check_step(double dt, int substeps) {
  require(dt > 0 && std::isfinite(dt), "the time step dt", "finite and > 0", dt);
  require(substeps >= 1, "the number of substeps", "at least 1", substeps);
  const T substep = static_cast<T>(dt / substeps);
  require(substep * substep >= 16 * std::numeric_limits<T>::min(), "a substep",
          "large enough for its square in the batch's precision", dt / substeps);
  require(std::isfinite(substep * substep), "a substep", "small enough for its square in the batch's precision",
          dt / substeps);
}
template QUARTIC_EXPORT void check_step<float>(double, int);
template QUARTIC_EXPORT void check_step<double>(double, int);

template <class T>
void check_damping(std::span<const double> values, const char* name, std::int64_t bodies) {
  require_size(values.size(), name, bodies);
  for (std::size_t b = 0; b < values.size(); ++b)
    if (!finite_and_not_negative<T>(values[b]))
      require(false, std::string(name) + " of body " + std::to_string(b), "finite in the batch's precision and >= 0",
              values[b]);
}
template void check_damping<float>(std::span<const double>, const char*, std::int64_t);
template void check_damping<double>(std::span<const double>, const char*, std::int64_t);

template <class T>
void check_stiffness_scale(std::span<const double> values, std::int64_t bodies) {
  require_size(values.size(), "stiffness_scale", bodies);
  for (std::size_t b = 0; b < values.size(); ++b)
    if (!(values[b] > 0 && std::isnormal(static_cast<T>(values[b]))))
      require(false, "stiffness_scale of body " + std::to_string(b), "a normal number of the batch's precision and > 0",
              values[b]);
}
template void check_stiffness_scale<float>(std::span<const double>, std::int64_t);
template void check_stiffness_scale<double>(std::span<const double>, std::int64_t);

template <class T>
void check_pressure(std::span<const double> values, std::int64_t bodies) {
  require_size(values.size(), "pressure", bodies);
  for (std::size_t b = 0; b < values.size(); ++b)
    if (!(std::abs(values[b]) <= double{std::numeric_limits<T>::max()}))
      require(false, "the pressure of body " + std::to_string(b), "finite in the batch's precision", values[b]);
}
template void check_pressure<float>(std::span<const double>, std::int64_t);
template void check_pressure<double>(std::span<const double>, std::int64_t);

void check_chamber(int chamber, int count) {
  if (chamber < 0 || chamber >= count)
    throw InputError("there is no chamber " + std::to_string(chamber) + "; the batch's groups have up to " +
                     std::to_string(count) + " (BodyGroup::chambers)");
}

template <class T>
void check_curves(std::span<const LoadCurve> curves, std::span<const std::int32_t> curve_of_body, std::int64_t bodies) {
  check(curves);
  for (std::size_t c = 0; c < curves.size(); ++c)
    for (const double scale : curves[c].scales)
      if (std::abs(scale) > double{std::numeric_limits<T>::max()})
        throw InputError("load curve " + std::to_string(c) + " has a scale that is too large for Batch<float>");
  if (curve_of_body.empty()) return;
  require_size(curve_of_body.size(), "curve_of_body", bodies);
  for (std::size_t b = 0; b < curve_of_body.size(); ++b)
    if (curve_of_body[b] < -1 || curve_of_body[b] >= std::ssize(curves))
      throw InputError("body " + std::to_string(b) + " has load curve " + std::to_string(curve_of_body[b]) +
                       ", but there are " + std::to_string(curves.size()) + " curves (-1 means none)");
}

template void check_curves<float>(std::span<const LoadCurve>, std::span<const std::int32_t>, std::int64_t);
template void check_curves<double>(std::span<const LoadCurve>, std::span<const std::int32_t>, std::int64_t);

void check_equal_shapes(std::int64_t from_rank, std::int64_t from_bodies, std::int64_t to_rank,
                        std::int64_t to_bodies) {
  if (from_rank != to_rank || from_bodies != to_bodies)
    throw InputError("copy_state needs views of equal shape, not (" + std::to_string(from_rank) + ", " +
                     std::to_string(from_bodies) + ") and (" + std::to_string(to_rank) + ", " +
                     std::to_string(to_bodies) + ")");
}

void check_status(std::span<const BodyStatus> status, std::int64_t bodies) {
  require_size(status.size(), "status", bodies);
  for (const BodyStatus s : status)
    if (s < BodyStatus::ok || s > BodyStatus::diverged)
      throw InputError("status has the unknown value " + std::to_string(static_cast<std::int32_t>(s)));
}

void check_flags(std::span<const BodyFlags> flags, std::int64_t bodies) {
  require_size(flags.size(), "flags", bodies);
}

void require_frame(const FrameMoments& frame, int rank, FrameMotion motion) {
  if (motion == FrameMotion::prescribed)
    require_base_frame(frame, rank);
  else
    require_free_frame(frame, rank);
}

void check_range_of(const ModelRange& range, int rank) {
  if (range.rank == 0 && range.gradients.empty() && range.elements.empty()) return;
  if (range.rank != rank)
    throw InputError("the range is of a model of rank " + std::to_string(range.rank) + ", but the bodies have " +
                     std::to_string(rank) + " coordinates; make it of the same model (model_range)");
  if (range.gradients.size() != 9 * range.elements.size() * static_cast<std::size_t>(rank))
    throw InputError("ModelRange::gradients must have 9 x points x rank numbers");
}

}  // namespace quartic
