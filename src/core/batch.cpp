#include "quartic/batch.hpp"

#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <utility>

#include "core/batch_impl.hpp"
#include "core/quartic_polynomial.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

std::string text(double number) {
  std::ostringstream stream;
  stream.imbue(std::locale::classic());
  stream << number;
  return stream.str();
}

void require(bool condition, const char* name, const char* range, double value) {
  if (!condition) throw InputError(std::string(name) + " must be " + range + ", not " + text(value));
}

bool finite_and_not_negative(double value) {
  return value >= 0 && std::isfinite(value);
}

void check(const BatchOptions& options, int rank) {
  // Far above any memory, far below an overflow of sizes.
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() / (1024 * std::int64_t{rank});
  require(options.bodies >= 1 && options.bodies <= most, "BatchOptions::bodies", "at least 1 and fit into memory",
          static_cast<double>(options.bodies));
  require(options.integrator <= Integrator::energy_conserving, "BatchOptions::integrator", "one of Integrator",
          static_cast<double>(options.integrator));
  require(options.newmark_beta > 0 && options.newmark_beta <= 0.5, "BatchOptions::newmark_beta", "in (0, 1/2]",
          options.newmark_beta);
  require(options.newmark_gamma >= 0 && options.newmark_gamma <= 1, "BatchOptions::newmark_gamma", "in [0, 1]",
          options.newmark_gamma);
  require(finite_and_not_negative(options.rayleigh_mass), "BatchOptions::rayleigh_mass", "finite and >= 0",
          options.rayleigh_mass);
  require(finite_and_not_negative(options.rayleigh_stiffness), "BatchOptions::rayleigh_stiffness", "finite and >= 0",
          options.rayleigh_stiffness);
  require(options.newton_iterations >= 1, "BatchOptions::newton_iterations", "at least 1", options.newton_iterations);
  require(finite_and_not_negative(options.newton_tolerance), "BatchOptions::newton_tolerance", "finite and >= 0",
          options.newton_tolerance);
  require(options.threads >= 0, "BatchOptions::threads", "at least 0", options.threads);
  require(options.evaluation == Evaluation::strict, "BatchOptions::evaluation", "Evaluation::strict",
          static_cast<double>(options.evaluation));
}

template <class T>
std::unique_ptr<BatchImpl<T>> make_batch(const QuarticEnergy& energy, const BatchOptions& options) {
  check(energy);
  check(options, energy.rank);
  require_backend(options.backend);
  return cpu::make_batch<T>(energy, options);
}

}  // namespace

template <class T>
Batch<T>::Batch(const QuarticEnergy& energy, const BatchOptions& options) : impl_(make_batch<T>(energy, options)) {}

template <class T>
Batch<T>::Batch(Batch&&) noexcept = default;
template <class T>
Batch<T>& Batch<T>::operator=(Batch&&) noexcept = default;
template <class T>
Batch<T>::~Batch() = default;

template <class T>
int Batch<T>::rank() const {
  return impl_->energy().rank;
}

template <class T>
std::int64_t Batch<T>::bodies() const {
  return impl_->options().bodies;
}

template <class T>
const BatchOptions& Batch<T>::options() const {
  return impl_->options();
}

template <class T>
StateView<T> Batch<T>::q() {
  return impl_->state(StateArray::q);
}
template <class T>
StateView<T> Batch<T>::velocity() {
  return impl_->state(StateArray::velocity);
}
template <class T>
StateView<T> Batch<T>::acceleration() {
  return impl_->state(StateArray::acceleration);
}
template <class T>
StateView<T> Batch<T>::force() {
  return impl_->state(StateArray::force);
}
template <class T>
StateView<const T> Batch<T>::q() const {
  return impl_->state(StateArray::q);
}
template <class T>
StateView<const T> Batch<T>::velocity() const {
  return impl_->state(StateArray::velocity);
}
template <class T>
StateView<const T> Batch<T>::acceleration() const {
  return impl_->state(StateArray::acceleration);
}
template <class T>
StateView<const T> Batch<T>::force() const {
  return impl_->state(StateArray::force);
}

template <class T>
void Batch<T>::step(double dt, int substeps) {
  require(dt > 0 && std::isfinite(dt), "the time step dt of Batch::step", "finite and > 0", dt);
  require(substeps >= 1, "the number of substeps of Batch::step", "at least 1", substeps);
  const T substep = static_cast<T>(dt / substeps);
  require(substep * substep >= 16 * std::numeric_limits<T>::min() && std::isfinite(substep * substep),
          "a substep of Batch::step", "a time whose square the precision holds", dt / substeps);
  impl_->step(dt / substeps, substeps);
}

template <class T>
std::span<const BodyStatus> Batch<T>::status() const {
  return std::as_const(*impl_).status();
}

template <class T>
void Batch<T>::reset_status() {
  impl_->reset_status();
}

template <class T>
std::vector<double> Batch<T>::elastic_energy() const {
  std::vector<double> result(static_cast<std::size_t>(bodies()));
  impl_->elastic_energy(result);
  return result;
}

template <class T>
std::vector<double> Batch<T>::kinetic_energy() const {
  std::vector<double> result(static_cast<std::size_t>(bodies()));
  impl_->kinetic_energy(result);
  return result;
}

template <class T>
void copy_state(StateView<const T> from, StateView<T> to) {
  if (from.rank != to.rank || from.bodies != to.bodies)
    throw InputError("copy_state needs views of equal shape, not (" + std::to_string(from.rank) + ", " +
                     std::to_string(from.bodies) + ") and (" + std::to_string(to.rank) + ", " +
                     std::to_string(to.bodies) + ")");
  // Blocks of bodies, so that neither order walks through memory with a large stride for long.
  constexpr std::int64_t block = 64;
  for (std::int64_t first = 0; first < from.bodies; first += block)
    for (std::int64_t mode = 0; mode < from.rank; ++mode)
      for (std::int64_t body = first; body < std::min(first + block, from.bodies); ++body)
        to(mode, body) = from(mode, body);
}

template class QUARTIC_EXPORT Batch<float>;
template class QUARTIC_EXPORT Batch<double>;
template QUARTIC_EXPORT void copy_state(StateView<const float>, StateView<float>);
template QUARTIC_EXPORT void copy_state(StateView<const double>, StateView<double>);

}  // namespace quartic
