#include "measure/trajectory_hash.hpp"

#include <array>
#include <cstddef>
#include <utility>

#include "quartic/energy.hpp"

namespace quartic::measure {
namespace {

class Hash {
 public:
  template <class T>
  void add(T number) {
    value_ = fnv1a(std::as_bytes(std::span(&number, 1)), value_);
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = fnv1a_start;
};

/// Odd integers from -7 to 7, never zero.
class OddNumbers {
 public:
  explicit OddNumbers(std::uint32_t seed) : state_(seed * 2654435769U + 1) {}
  [[nodiscard]] double next() {
    state_ = state_ * 1664525U + 1013904223U;
    return 2 * static_cast<double>(state_ >> 29U) - 7;
  }

 private:
  std::uint32_t state_;
};

/// Springs of 8 to 12 rad/s beside weak ones between all coordinates, and quadratic strains that matter from |q| ~ 0.1
/// on. Buckling: the first strain is 128 (q_1^2 - 2 q_1), so that q_1 = 1 is unstable.
StrainForm strain_form(const HashedMotion& motion) {
  StrainForm form{.rank = motion.rank, .factor = {}};
  OddNumbers numbers(static_cast<std::uint32_t>(motion.rank));
  for (std::int64_t row = 0; row < strain_count(form.rank); ++row)
    for (std::int64_t column = row; column < strain_count(form.rank); ++column) {
      const double number = numbers.next();
      const bool spring = row == column && row < form.rank, linear = column < form.rank;
      form.factor.push_back(spring ? 8 + static_cast<double>(row % 5) : number / (linear ? 16 : 4));
    }
  if (motion.buckles) {
    form.factor[0] = -256;
    form.factor[static_cast<std::size_t>(form.rank)] = 128;
  }
  return form;
}

/// The coefficients of 1/2 |L m|^2. Row n of L m is 1/2 q^^T F q^, and S_abcd is the sum over n of F_ab F_cd + F_ac
/// F_bd
/// + F_ad F_bc: integers over 256 far below 2^53, whose sums are exact in any order.
QuarticEnergy energy_of(const StrainForm& form) {
  const std::int64_t r = form.rank, strains = strain_count(r);
  std::vector<Matrix> squares;
  const double* entry = form.factor.data();
  for (std::int64_t row = 0; row < strains; ++row) {
    Matrix f(r + 1, r + 1);
    std::int64_t column = 0;
    const auto take = [&] { return column++ < row ? 0.0 : *entry++; };
    for (std::int64_t i = 1; i <= r; ++i) f(0, i) = f(i, 0) = take();
    for (std::int64_t i = 1; i <= r; ++i)
      for (std::int64_t j = i; j <= r; ++j) {
        const double value = take();
        f(i, j) = f(j, i) = i == j ? 2 * value : value;
      }
    squares.push_back(std::move(f));
  }
  QuarticEnergy energy{.rank = form.rank, .coefficients = {}};
  for (std::int64_t a = 0; a <= r; ++a)
    for (std::int64_t b = a; b <= r; ++b)
      for (std::int64_t c = b; c <= r; ++c)
        for (std::int64_t d = c; d <= r; ++d) {
          double sum = 0;
          for (const Matrix& f : squares) sum += f(a, b) * f(c, d) + f(a, c) * f(b, d) + f(a, d) * f(b, c);
          energy.coefficients.push_back(sum);
        }
  return energy;
}

constexpr double step_length = 1.0 / 64;
constexpr int steps_per_frame = 10;

bool is_loaded(std::int64_t number) {
  return number % 2 == 0;
}

template <class T>
void start(Batch<T>& batch, const HashedMotion& motion, std::span<const std::int64_t> numbers) {
  std::vector<double> mass, stiffness;
  std::vector<std::int32_t> curve_of_body;
  for (std::int64_t body = 0; body < batch.bodies(); ++body) {
    const std::int64_t number = numbers[static_cast<std::size_t>(body)];
    OddNumbers random(static_cast<std::uint32_t>(number));
    for (std::int64_t i = 0; i < batch.rank(); ++i) {
      batch.q()(i, body) = static_cast<T>(random.next() / 32);
      batch.velocity()(i, body) = static_cast<T>(random.next() / 4);
      batch.force()(i, body) = static_cast<T>(is_loaded(number) ? 4 * random.next() : 0);
    }
    if (motion.buckles) batch.q()(0, body) += 1;
    mass.push_back(is_loaded(number) ? 0.25 : 0);
    stiffness.push_back(is_loaded(number) ? 1.0 / 1024 : 0);
    curve_of_body.push_back(is_loaded(number) ? 0 : -1);
  }
  batch.set_rayleigh_damping(mass, stiffness);
  const LoadCurve curve{.times = {0, 2, 2, 8, 12}, .scales = {0, 1, -0.5, 0.75, 0.25}};
  batch.set_load_curves({&curve, 1}, curve_of_body);
}

template <class T>
std::vector<BodyHash> hash_bodies(const HashedMotion& motion, std::span<const std::int64_t> numbers, int threads,
                                  int steps) {
  const StrainForm form = strain_form(motion);
  const bool iterates = motion.rank == 4;  // until the residual is small, or three times
  Batch<T> batch({{energy_of(form), std::ssize(numbers), form}}, {.integrator = motion.integrator,
                                                                  .newton_iterations = iterates ? 3 : 1,
                                                                  .newton_tolerance = iterates ? 1.0 / 64 : 0,
                                                                  .threads = threads,
                                                                  .evaluation = motion.evaluation});
  start(batch, motion, numbers);
  std::vector<Hash> hashes(numbers.size());
  for (int step = 0; step < steps; step += steps_per_frame) {
    batch.step(steps_per_frame * step_length, steps_per_frame);
    for (const StateView<T> view : {batch.q(), batch.velocity(), batch.acceleration()})
      for (std::int64_t i = 0; i < view.rank; ++i)
        for (std::int64_t body = 0; body < view.bodies; ++body)
          hashes[static_cast<std::size_t>(body)].add(view(i, body));
  }
  std::vector<BodyHash> results;
  for (std::size_t body = 0; body < numbers.size(); ++body) {
    const BodyStatus status = batch.status()[body];
    hashes[body].add(static_cast<std::int32_t>(status));
    results.push_back({hashes[body].value(), status});
  }
  return results;
}

constexpr Evaluation evaluations[] = {Evaluation::strict, Evaluation::latency, Evaluation::accurate};
constexpr Integrator integrators[] = {Integrator::newmark, Integrator::backward_euler, Integrator::central_differences,
                                      Integrator::energy_conserving};

}  // namespace

std::string name(const HashedMotion& motion) {
  return std::string(motion.is_double ? "double " : "float ")
      .append(evaluation_name(motion.evaluation))
      .append(" ")
      .append(integrator_name(motion.integrator))
      .append(" ")
      .append(std::to_string(motion.rank))
      .append(motion.buckles ? " buckling" : "");
}

std::vector<HashedMotion> hashed_motions() {
  std::vector<HashedMotion> motions;
  for (const bool is_double : {false, true})
    for (const Evaluation evaluation : evaluations)
      for (const Integrator integrator : integrators) {
        for (const int rank : {1, 4, 12}) motions.push_back({is_double, evaluation, integrator, rank});
        if (integrator != Integrator::energy_conserving) motions.push_back({is_double, evaluation, integrator, 20});
        motions.push_back({is_double, evaluation, integrator, 4, true});
      }
  return motions;
}

std::vector<BodyHash> body_hashes(const HashedMotion& motion, std::span<const std::int64_t> numbers, int threads,
                                  int steps) {
  return motion.is_double ? hash_bodies<double>(motion, numbers, threads, steps)
                          : hash_bodies<float>(motion, numbers, threads, steps);
}

std::uint64_t trajectory_hash(const HashedMotion& motion, int threads) {
  Hash all;
  for (const BodyHash& body : body_hashes(motion, std::array<std::int64_t, 3>{0, 1, 2}, threads)) all.add(body.hash);
  return all.value();
}

}  // namespace quartic::measure
