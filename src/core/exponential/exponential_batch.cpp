#include <Eigen/Dense>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "core/base/number_text.hpp"
#include "core/base/thread_pool.hpp"
#include "core/batch/batch_checks.hpp"
#include "core/energy/quartic_polynomial.hpp"
#include "core/exponential/exponential_tile.hpp"
#include "quartic/batch.hpp"
#include "quartic/editing.hpp"
#include "quartic/energy.hpp"
#include "quartic/error.hpp"
#include "quartic/exponential.hpp"
#include "quartic/modal_batch.hpp"

namespace quartic {
namespace {

void check(const ExponentialOptions& options) {
  const auto require = [](bool condition, const char* what) {
    if (!condition) throw InputError(std::string("ExponentialOptions::") + what);
  };
  require(options.bodies >= 1 && options.bodies <= (std::int64_t{1} << 40),
          "bodies must be at least 1, and fit into memory");
  require(options.rayleigh_mass >= 0 && std::isfinite(options.rayleigh_mass), "rayleigh_mass must be finite and >= 0");
  require(options.rayleigh_stiffness >= 0 && std::isfinite(options.rayleigh_stiffness),
          "rayleigh_stiffness must be finite and >= 0");
  require(options.highest > 0 && options.highest < 0.5, "highest must be in (0, 0.5)");
  require(options.sweeps >= 1, "sweeps must be at least 1");
  require(options.threads >= 0, "threads must be at least 0");
}

/// Coordinates in which the stiffness at rest is diagonal.
struct DiagonalModel {
  QuarticEnergy energy, turned;     // as given, and of z
  Eigen::MatrixXd rotation;         // q = Q z
  std::vector<double> eigenvalues;  // ascending
};

DiagonalModel diagonal_model(const QuarticEnergy& energy) {
  check(energy);
  const Matrix stiffness = evaluate(energy, std::vector<double>(static_cast<std::size_t>(energy.rank))).stiffness;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(stiffness.map());
  const Eigen::VectorXd& found = solver.eigenvalues();
  constexpr double round_off = 1e-9;  // of the largest
  if (found[0] < -round_off * found.cwiseAbs().maxCoeff())
    throw InputError("the stiffness at rest has an eigenvalue below zero, " + number_text(found[0], 4) +
                     ": the body isn't at rest where q is zero, and can't be split into oscillators");
  DiagonalModel model{.energy = energy, .turned = {}, .rotation = solver.eigenvectors(), .eigenvalues = {}};
  for (const double lambda : found) model.eigenvalues.push_back(std::max(lambda, 0.0));
  model.turned = transform_energy(energy, model.rotation);
  return model;
}

/// What half a kick adds to the velocity per unit force [s]. Where the force stays, two of them a step must displace an
/// oscillator as the force itself does at rest, by 1 / lambda: h/2 each give (w h/2) cot(w h/2) of that, and bodies
/// whose fast oscillators give way too little when they bend are too stiff. Undamped it is tan(w h/2) / w, Gautschi's
/// filter (Hairer, Lubich, Wanner 2006, Geometric Numerical Integration, XIII.2, psi = sinc^2(w h/2)).
double half_kick(const ModalPropagator& p, double lambda, double h) {
  if (lambda == 0) return h / 2;
  return (p.zz_less_one * p.vv_less_one / p.zv - p.vz) / (2 * lambda);
}

}  // namespace

template <class T>
class ExponentialImpl {
 public:
  static constexpr int lanes = exponential_lanes<T>;
  enum Part { q_part, velocity_part, force_part, parts };

  ExponentialImpl(const QuarticEnergy& energy, const ExponentialOptions& options)
      : options_(options),
        model_(diagonal_model(energy)),
        pitch_(padded<T>(options.bodies)),
        status_(static_cast<std::size_t>(options.bodies), BodyStatus::ok),
        flags_(status_.size(), BodyFlags::none),
        pool_(thread_count()) {
    (void)CubicForm<T>(model_.turned, 0, model_.energy.rank);  // refuses what T can't hold, before there are steps
    for (AlignedArray<T>& array : arrays_) array = AlignedArray<T>(model_.energy.rank * pitch_);
    for (int n = 0; n < pool_.thread_count(); ++n) tiles_.emplace_back(model_.energy.rank);
  }

  [[nodiscard]] const ExponentialOptions& options() const { return options_; }
  [[nodiscard]] const DiagonalModel& model() const { return model_; }
  [[nodiscard]] StateView<T> state(Part part) const {
    return {arrays_[part].data(), model_.energy.rank, options_.bodies, pitch_, 1};
  }
  std::vector<BodyStatus>& status() { return status_; }
  std::vector<BodyFlags>& flags() { return flags_; }

  [[nodiscard]] int oscillators(double h) const {
    const double highest = 2 * std::numbers::pi * options_.highest;
    int count = 0;
    for (const double lambda : model_.eigenvalues) count += std::sqrt(lambda) * h < highest ? 1 : 0;
    return count;
  }

  void step(double h, int substeps) {
    prepare(h);
    const std::int64_t count = (options_.bodies + lanes - 1) / lanes;
    std::atomic<std::int64_t> next{0};
    pool_.run(std::ssize(tiles_), [&](std::int64_t n) {
      ExponentialTile<T>& tile = tiles_[static_cast<std::size_t>(n)];
      for (std::int64_t index = next++; index < count; index = next++) step_tile(tile, index * lanes, substeps);
    });
    time += h * substeps;
  }

  double time = 0;

 private:
  [[nodiscard]] int thread_count() const {
    const int wanted = options_.threads > 0 ? options_.threads : default_thread_count();
    return static_cast<int>(std::min<std::int64_t>(wanted, (options_.bodies + lanes - 1) / lanes));
  }

  void prepare(double h) {
    if (h == step_.h) return;
    const int rank = model_.energy.rank, count = oscillators(h);
    if (step_.h == 0 || count != step_.oscillators) {
      step_.kicks = CubicForm<T>(model_.turned, 0, count);
      step_.followers = CubicForm<T>(model_.turned, count, rank - count);
    }
    step_.oscillators = count;
    step_.propagators.clear();
    step_.half_kicks.clear();
    step_.compliances.clear();
    for (int i = 0; i < rank; ++i) {
      const double lambda = model_.eigenvalues[static_cast<std::size_t>(i)];
      if (i >= count) {
        step_.compliances.push_back(static_cast<T>(1 / lambda));
        continue;
      }
      const ModalPropagator p =
          modal_propagator(lambda, options_.rayleigh_mass + options_.rayleigh_stiffness * lambda, h);
      step_.half_kicks.push_back(static_cast<T>(half_kick(p, lambda, h)));
      step_.propagators.push_back({static_cast<T>(p.zz_less_one), static_cast<T>(p.zv), static_cast<T>(p.vz),
                                   static_cast<T>(p.vv_less_one), static_cast<T>(p.z_force), static_cast<T>(p.v_force),
                                   0, 0, 0, 0});
    }
    step_.h = h;
  }

  /// z = Q^T q, or q = Q z. In the order of coordinates.
  void turn_in(Part part, std::int64_t first, int bodies, AlignedArray<T>& z) const {
    const int rank = model_.energy.rank;
    std::fill_n(z.data(), z.size(), T{0});
    for (int i = 0; i < rank; ++i)
      for (int j = 0; j < rank; ++j) {
        const auto factor = static_cast<T>(model_.rotation(j, i));
        const T* from = arrays_[part].data() + j * pitch_ + first;
        for (int l = 0; l < bodies; ++l) z.data()[i * lanes + l] += factor * from[l];
      }
  }
  void turn_out(const AlignedArray<T>& z, Part part, std::int64_t first, int lane) {
    const int rank = model_.energy.rank;
    for (int j = 0; j < rank; ++j) {
      T sum = 0;
      for (int i = 0; i < rank; ++i) sum += static_cast<T>(model_.rotation(j, i)) * z.data()[i * lanes + lane];
      arrays_[part].data()[j * pitch_ + first + lane] = sum;
    }
  }

  void step_tile(ExponentialTile<T>& tile, std::int64_t first, int substeps) {
    const int bodies = static_cast<int>(std::min<std::int64_t>(lanes, options_.bodies - first));
    turn_in(q_part, first, bodies, tile.z);
    turn_in(velocity_part, first, bodies, tile.velocity);
    turn_in(force_part, first, bodies, tile.force);
    tile.begin(step_);
    for (int n = 0; n < substeps; ++n) tile.advance(step_, options_.sweeps);
    for (int l = 0; l < bodies; ++l) {
      const auto body = static_cast<std::size_t>(first + l);
      if (status_[body] == BodyStatus::diverged) continue;
      if (tile.not_converged[static_cast<std::size_t>(l)]) flags_[body] |= BodyFlags::not_converged;
      if (tile.stopped[static_cast<std::size_t>(l)]) status_[body] = BodyStatus::diverged;
      turn_out(tile.z, q_part, first, l);
      turn_out(tile.velocity, velocity_part, first, l);
    }
  }

  ExponentialOptions options_;
  DiagonalModel model_;
  std::int64_t pitch_;
  AlignedArray<T> arrays_[parts];  // shape (r, pitch) each
  std::vector<BodyStatus> status_;
  std::vector<BodyFlags> flags_;
  ExponentialStep<T> step_;
  ThreadPool pool_;
  std::vector<ExponentialTile<T>> tiles_;  // one per thread
};

template <class T>
ExponentialBatch<T>::ExponentialBatch(const QuarticEnergy& energy, const ExponentialOptions& options) {
  check(options);
  impl_ = std::make_unique<ExponentialImpl<T>>(energy, options);
}
template <class T>
ExponentialBatch<T>::ExponentialBatch(ExponentialBatch&&) noexcept = default;
template <class T>
ExponentialBatch<T>& ExponentialBatch<T>::operator=(ExponentialBatch&&) noexcept = default;
template <class T>
ExponentialBatch<T>::~ExponentialBatch() = default;

template <class T>
int ExponentialBatch<T>::rank() const {
  return impl_->model().energy.rank;
}
template <class T>
std::int64_t ExponentialBatch<T>::bodies() const {
  return impl_->options().bodies;
}
template <class T>
const ExponentialOptions& ExponentialBatch<T>::options() const {
  return impl_->options();
}
template <class T>
std::span<const double> ExponentialBatch<T>::eigenvalues() const {
  return impl_->model().eigenvalues;
}
template <class T>
int ExponentialBatch<T>::oscillators(double h) const {
  return impl_->oscillators(h);
}

template <class T>
StateView<T> ExponentialBatch<T>::q() {
  return impl_->state(ExponentialImpl<T>::q_part);
}
template <class T>
StateView<T> ExponentialBatch<T>::velocity() {
  return impl_->state(ExponentialImpl<T>::velocity_part);
}
template <class T>
StateView<T> ExponentialBatch<T>::force() {
  return impl_->state(ExponentialImpl<T>::force_part);
}
template <class T>
StateView<const T> ExponentialBatch<T>::q() const {
  return impl_->state(ExponentialImpl<T>::q_part);
}
template <class T>
StateView<const T> ExponentialBatch<T>::velocity() const {
  return impl_->state(ExponentialImpl<T>::velocity_part);
}
template <class T>
StateView<const T> ExponentialBatch<T>::force() const {
  return impl_->state(ExponentialImpl<T>::force_part);
}

template <class T>
void ExponentialBatch<T>::step(double dt, int substeps) {
  check_step<T>(dt, substeps);
  impl_->step(dt / substeps, substeps);
}

template <class T>
double ExponentialBatch<T>::time() const {
  return impl_->time;
}
template <class T>
void ExponentialBatch<T>::set_time(double time) {
  if (!std::isfinite(time)) throw InputError("the time of a batch must be a finite number");
  impl_->time = time;
}

template <class T>
std::span<const BodyStatus> ExponentialBatch<T>::status() const {
  return impl_->status();
}
template <class T>
void ExponentialBatch<T>::reset_status() {
  std::ranges::fill(impl_->status(), BodyStatus::ok);
}
template <class T>
std::span<const BodyFlags> ExponentialBatch<T>::flags() const {
  return impl_->flags();
}
template <class T>
void ExponentialBatch<T>::reset_flags() {
  std::ranges::fill(impl_->flags(), BodyFlags::none);
}

template <class T>
std::vector<double> ExponentialBatch<T>::elastic_energy() const {
  const StateView<const T> view = q();
  std::vector<double> energies, point(static_cast<std::size_t>(view.rank));
  for (std::int64_t body = 0; body < view.bodies; ++body) {
    for (std::int64_t i = 0; i < view.rank; ++i) point[static_cast<std::size_t>(i)] = double{view(i, body)};
    energies.push_back(evaluate(impl_->model().energy, point).energy);
  }
  return energies;
}
template <class T>
std::vector<double> ExponentialBatch<T>::kinetic_energy() const {
  const StateView<const T> view = velocity();
  std::vector<double> energies(static_cast<std::size_t>(view.bodies));
  for (std::int64_t body = 0; body < view.bodies; ++body)
    for (std::int64_t i = 0; i < view.rank; ++i)
      energies[static_cast<std::size_t>(body)] += 0.5 * double{view(i, body)} * double{view(i, body)};
  return energies;
}

template class ExponentialBatch<float>;
template class ExponentialBatch<double>;

}  // namespace quartic
