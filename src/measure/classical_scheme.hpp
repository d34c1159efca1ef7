// One body's Newmark step as the 2005 paper and programs after it do it: reduced force and stiffness are two separate
// polynomials, each evaluated as matrix times vector of monomials by BLAS; then LAPACK solves. The baseline for
// one body and for many.
#pragma once

#include <cblas.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "quartic/quartic_energy.hpp"

extern "C" void dposv_(const char* uplo, const int* n, const int* columns, double* a, const int* lda, double* b,
                       const int* ldb, int* info);

namespace quartic::measure {

class ClassicalScheme {
 public:
  explicit ClassicalScheme(const QuarticEnergy& energy);

  /// One step of length dt with one Newton iteration, no damping (2005 paper, Appendix C).
  void step(double dt);

  std::vector<double> q, velocity, acceleration, force;  // shape (r)

 private:
  void evaluate();
  [[nodiscard]] int rank() const { return static_cast<int>(q.size()); }

  // Coefficients by rows of outputs: of the force for (q, squares, cubes), of the stiffness for (q, squares), and the
  // latter's constants.
  std::vector<double> force_coefficients_, stiffness_coefficients_, stiffness_0_;
  std::vector<double> monomials_;  // q, squares, cubes
  std::vector<double> internal_, stiffness_, system_;
};

/// `energy`'s coefficient for indices in any order.
inline double coefficient_at(const QuarticEnergy& energy, std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
  std::size_t index[4] = {a, b, c, d};
  for (int i = 1; i < 4; ++i)
    for (int j = i; j > 0 && index[j - 1] > index[j]; --j) std::swap(index[j - 1], index[j]);
  // Position among sorted quadruples: count those that come before.
  const auto choose = [](std::size_t n, std::size_t k) {
    std::size_t value = 1;
    for (std::size_t i = 0; i < k; ++i) value = value * (n - i) / (i + 1);
    return value;
  };
  std::size_t position = 0, last = 0;
  for (std::size_t place = 0; place < 4; ++place) {
    const std::size_t rest = 3 - place, n = static_cast<std::size_t>(energy.rank) + 1;
    for (std::size_t i = last; i < index[place]; ++i) position += choose(n - i + rest - 1, rest);
    last = index[place];
  }
  return energy.coefficients[position];
}

inline ClassicalScheme::ClassicalScheme(const QuarticEnergy& energy) {
  const auto r = static_cast<std::size_t>(energy.rank);
  for (std::vector<double>* state : {&q, &velocity, &acceleration, &force, &internal_}) state->resize(r);
  stiffness_.resize(r * (r + 1) / 2);
  monomials_.resize(r + r * (r + 1) / 2 + r * (r + 1) * (r + 2) / 6);
  system_.resize(r * r);
  const auto s = [&](std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
    return coefficient_at(energy, a, b, c, d);
  };
  for (std::size_t o = 1; o <= r; ++o) {
    for (std::size_t i = 1; i <= r; ++i) force_coefficients_.push_back(0.5 * s(0, 0, o, i));
    for (std::size_t i = 1; i <= r; ++i)
      for (std::size_t j = i; j <= r; ++j) force_coefficients_.push_back((i == j ? 0.5 : 1) * s(0, o, i, j));
    for (std::size_t i = 1; i <= r; ++i)
      for (std::size_t j = i; j <= r; ++j)
        for (std::size_t k = j; k <= r; ++k)
          force_coefficients_.push_back(s(o, i, j, k) / (i == j && j == k ? 6 : i == j || j == k ? 2 : 1));
  }
  for (std::size_t a = 1; a <= r; ++a)
    for (std::size_t b = a; b <= r; ++b) {
      stiffness_0_.push_back(0.5 * s(0, 0, a, b));
      for (std::size_t i = 1; i <= r; ++i) stiffness_coefficients_.push_back(s(0, a, b, i));
      for (std::size_t i = 1; i <= r; ++i)
        for (std::size_t j = i; j <= r; ++j) stiffness_coefficients_.push_back((i == j ? 0.5 : 1) * s(a, b, i, j));
    }
}

inline void ClassicalScheme::evaluate() {
  const auto r = static_cast<std::size_t>(rank());
  std::copy(q.begin(), q.end(), monomials_.begin());
  double* square = monomials_.data() + r;
  double* cube = square + r * (r + 1) / 2;
  for (std::size_t i = 0; i < r; ++i)
    for (std::size_t j = i; j < r; ++j) {
      *square++ = q[i] * q[j];
      for (std::size_t k = j; k < r; ++k) *cube++ = q[i] * q[j] * q[k];
    }
  const auto add = [this](const std::vector<double>& matrix, std::vector<double>& y, double old) {
    const int rows = static_cast<int>(y.size()), columns = static_cast<int>(matrix.size() / y.size());
    cblas_dgemv(CblasRowMajor, CblasNoTrans, rows, columns, 1, matrix.data(), columns, monomials_.data(), 1, old,
                y.data(), 1);
  };
  add(force_coefficients_, internal_, 0);
  stiffness_ = stiffness_0_;
  add(stiffness_coefficients_, stiffness_, 1);
}

inline void ClassicalScheme::step(double dt) {
  evaluate();
  const int r = rank(), one = 1;
  const double* entry = stiffness_.data();
  for (int a = 0; a < r; ++a)  // a row of the upper triangle is a column of LAPACK's lower one
    for (int b = a; b < r; ++b)
      system_[static_cast<std::size_t>(a) * q.size() + static_cast<std::size_t>(b)] = *entry++;
  std::vector<double>& increment = internal_;
  for (std::size_t i = 0; i < q.size(); ++i) {
    system_[i * q.size() + i] += 4 / (dt * dt);
    increment[i] = force[i] - internal_[i] + 4 / dt * velocity[i] + acceleration[i];
  }
  int info = 0;
  dposv_("L", &r, &one, system_.data(), &r, increment.data(), &r, &info);
  for (std::size_t i = 0; i < q.size(); ++i) {
    q[i] += increment[i];
    const double next = 4 / (dt * dt) * increment[i] - 4 / dt * velocity[i] - acceleration[i];
    velocity[i] = 2 / dt * increment[i] - velocity[i];
    acceleration[i] = next;
  }
}

}  // namespace quartic::measure
