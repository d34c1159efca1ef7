// Mass, force, stiffness and force Hessian of one element against Appendix B of Barbic & James 2005: the integrals A,
// B, C, D (eqs. 21-24) in closed form, without any quadrature, and the force polynomials made of them (eqs. 18-20, 25).
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <functional>

#include "quartic/fem.hpp"
#include "support/boxes.hpp"

namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using namespace quartic;

// The integrals of one element with `n` vertices, as functions of vertex numbers.
struct Formulas {
  int n = 0;
  std::function<double(int, int)> mass;         // of phi_a phi_b
  std::function<double(int, int, int, int)> A;  // component (i, j) of A^ab
  std::function<double(int, int)> B;            // B^ab
  std::function<Vector3d(int, int, int)> C;     // C^abc
  std::function<double(int, int, int, int)> D;  // D^abcd
};

// The same, each computed once.
class Integrals {
 public:
  explicit Integrals(const Formulas& formulas) : n(formulas.n) {
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < n; ++b) {
        mass_.push_back(formulas.mass(a, b));
        B_.push_back(formulas.B(a, b));
        A_.emplace_back();
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j) A_.back()(i, j) = formulas.A(a, b, i, j);
        for (int c = 0; c < n; ++c) {
          C_.push_back(formulas.C(a, b, c));
          for (int d = 0; d < n; ++d) D_.push_back(formulas.D(a, b, c, d));
        }
      }
  }
  int n;
  [[nodiscard]] double mass(int a, int b) const { return mass_[place(a, b)]; }
  [[nodiscard]] const Eigen::Matrix3d& A(int a, int b) const { return A_[place(a, b)]; }
  [[nodiscard]] double B(int a, int b) const { return B_[place(a, b)]; }
  [[nodiscard]] const Vector3d& C(int a, int b, int c) const { return C_[place(n * a + b, c)]; }
  [[nodiscard]] double D(int a, int b, int c, int d) const { return D_[place((n * a + b) * n + c, d)]; }

 private:
  [[nodiscard]] std::size_t place(int row, int column) const { return static_cast<std::size_t>(row * n + column); }
  std::vector<double> mass_, B_, D_;
  std::vector<Eigen::Matrix3d> A_;
  std::vector<Vector3d> C_;
};

// Tetrahedron: gradients are constant, so every integral is the volume times a product; the mass is V (1 + delta) / 20.
Formulas tetrahedron(const VolumeMesh& mesh) {
  Eigen::Matrix4d corners;  // rows (1, x, y, z); the inverse's columns are the shape functions' coefficients
  for (int a = 0; a < 4; ++a)
    corners.row(a) << 1, Vector3d::Map(&mesh.vertices[static_cast<std::size_t>(3 * a)]).transpose();
  const Eigen::Matrix<double, 3, 4> g = corners.inverse().bottomRows<3>();
  const double volume = corners.determinant() / 6;
  Formulas integrals;
  integrals.n = 4;
  integrals.mass = [=](int a, int b) { return volume * (a == b ? 2 : 1) / 20; };
  integrals.A = [=](int a, int b, int i, int j) { return volume * g(i, a) * g(j, b); };
  integrals.B = [=](int a, int b) { return volume * g.col(a).dot(g.col(b)); };
  integrals.C = [=](int a, int b, int c) -> Vector3d { return volume * g.col(a) * g.col(b).dot(g.col(c)); };
  integrals.D = [=](int a, int b, int c, int d) { return volume * g.col(a).dot(g.col(b)) * g.col(c).dot(g.col(d)); };
  return integrals;
}

// Integral over [0, h] of a product of linear functions (1 - x/h or x/h) and their derivatives, by polynomials.
struct Factor {
  bool upper;       // x/h rather than 1 - x/h
  bool derivative;  // by x
};
double line_integral(double h, const std::vector<Factor>& factors) {
  std::vector<double> polynomial{1};  // in x/h
  double scale = h;
  for (const Factor& f : factors) {
    if (f.derivative) {
      scale *= (f.upper ? 1 : -1) / h;
      continue;
    }
    std::vector<double> product(polynomial.size() + 1);
    for (std::size_t k = 0; k < polynomial.size(); ++k) {
      product[k] += f.upper ? 0 : polynomial[k];
      product[k + 1] += f.upper ? polynomial[k] : -polynomial[k];
    }
    polynomial = product;
  }
  double sum = 0;
  for (std::size_t k = 0; k < polynomial.size(); ++k) sum += polynomial[k] / static_cast<double>(k + 1);
  return scale * sum;
}

// Brick with edges h along the axes: shape functions are products of linear functions of x, y and z.
Formulas brick(const Vector3d& h) {
  // Vertex `a` differentiated by coordinate `by` (-1: not at all).
  struct Shape {
    int a;
    int by;
  };
  const auto integral = [h](const std::vector<Shape>& shapes) {
    constexpr bool upper[8][3] = {{false, false, false}, {true, false, false}, {true, true, false},
                                  {false, true, false},  {false, false, true}, {true, false, true},
                                  {true, true, true},    {false, true, true}};
    double product = 1;
    for (int c = 0; c < 3; ++c) {
      std::vector<Factor> factors;
      for (const Shape& s : shapes) factors.push_back({upper[s.a][c], s.by == c});
      product *= line_integral(h[c], factors);
    }
    return product;
  };
  Formulas integrals;
  integrals.n = 8;
  integrals.mass = [=](int a, int b) { return integral({{a, -1}, {b, -1}}); };
  integrals.A = [=](int a, int b, int i, int j) { return integral({{a, i}, {b, j}}); };
  integrals.B = [=](int a, int b) {
    double sum = 0;
    for (int i = 0; i < 3; ++i) sum += integral({{a, i}, {b, i}});
    return sum;
  };
  integrals.C = [=](int a, int b, int c) {
    Vector3d sum = Vector3d::Zero();
    for (int k = 0; k < 3; ++k)
      for (int i = 0; i < 3; ++i) sum[k] += integral({{a, k}, {b, i}, {c, i}});
    return sum;
  };
  integrals.D = [=](int a, int b, int c, int d) {
    double sum = 0;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) sum += integral({{a, i}, {b, i}, {c, j}, {d, j}});
    return sum;
  };
  return integrals;
}

// The force polynomials of an element: R(u) = P(u) + Q(u, u) + S(u, u, u).
struct ForcePolynomials {
  Integrals integrals;
  double lambda, mu;

  static auto block(const VectorXd& u, int a) { return u.segment<3>(3 * a); }

  [[nodiscard]] VectorXd P(const VectorXd& u) const {  // eq. 18
    VectorXd force = VectorXd::Zero(3 * integrals.n);
    for (int c = 0; c < integrals.n; ++c)
      for (int a = 0; a < integrals.n; ++a) {
        force.segment<3>(3 * c) += mu * integrals.B(a, c) * block(u, a);
        force.segment<3>(3 * c) += (lambda * integrals.A(c, a) + mu * integrals.A(a, c)) * block(u, a);
      }
    return force;
  }

  [[nodiscard]] VectorXd Q(const VectorXd& u, const VectorXd& v) const {  // eq. 19
    VectorXd force = VectorXd::Zero(3 * integrals.n);
    for (int c = 0; c < integrals.n; ++c)
      for (int a = 0; a < integrals.n; ++a)
        for (int b = 0; b < integrals.n; ++b) {
          const auto C = [&](int x, int y, int z) { return integrals.C(x, y, z); };
          force.segment<3>(3 * c) += (0.5 * lambda * C(c, a, b) + mu * C(a, b, c)) * block(u, a).dot(block(v, b));
          force.segment<3>(3 * c) +=
              block(u, b) * block(v, a).dot(lambda * C(a, b, c) + mu * (C(c, a, b) + C(b, a, c)));
        }
    return force;
  }

  // Eq. 20. The second term's indices are those of A (A^T A): the dot product joins u_a and u_b, whose gradients meet
  // those of c and d.
  [[nodiscard]] VectorXd S(const VectorXd& u, const VectorXd& v, const VectorXd& w) const {
    VectorXd force = VectorXd::Zero(3 * integrals.n);
    for (int d = 0; d < integrals.n; ++d)
      for (int a = 0; a < integrals.n; ++a)
        for (int b = 0; b < integrals.n; ++b)
          for (int c = 0; c < integrals.n; ++c)
            force.segment<3>(3 * d) += (0.5 * lambda * integrals.D(a, b, c, d) + mu * integrals.D(a, c, b, d)) *
                                       block(u, a).dot(block(v, b)) * block(w, c);
    return force;
  }
};

struct Case {
  const char* name;
  VolumeMesh mesh;
  Integrals integrals;
};

Case tetrahedron_case() {
  VolumeMesh mesh;
  mesh.vertices = {0.1, 0.2, -0.1, 1.3, 0.1, 0.2, 0.3, 0.9, 0.1, 0.2, 0.4, 1.1};
  mesh.blocks = {{ElementType::tet4, {0, 1, 2, 3}}};
  mesh.element_region = {0};
  mesh.regions = {{"stiff", test::stiff}};
  return {"tet4", mesh, Integrals(tetrahedron(mesh))};
}

Case brick_case() {
  // The grid numbers its vertices row by row, the element round its faces: renumber, so that both agree.
  VolumeMesh grid = test::make_box(test::BoxCells::hexes, {1, 1, 1});
  grid.element_region = {1};
  std::vector<std::int32_t> global;
  return {"hex8", test::single_element(grid, grid.blocks[0], 0, 0, global), Integrals(brick({0.5, 0.3, 0.4}))};
}

class AppendixB : public testing::TestWithParam<Case> {
 protected:
  [[nodiscard]] ForcePolynomials polynomials() const {
    return {GetParam().integrals, lame_lambda(test::stiff), lame_mu(test::stiff)};
  }
  [[nodiscard]] VectorXd random_field(unsigned seed, double scale = 1) const {
    const auto numbers = test::random_numbers(GetParam().mesh.vertices.size(), seed);
    return scale * VectorXd::Map(numbers.data(), std::ssize(numbers));
  }
};

std::span<const double> span_of(const VectorXd& u) {
  return {u.data(), static_cast<std::size_t>(u.size())};
}

// Sums of at most a few thousand terms of one size: 1e-13 of the largest is a few hundred roundings.
constexpr double tolerance = 1e-13;

void expect_close(const MatrixXd& ours, const MatrixXd& exact) {
  EXPECT_LE((ours - exact).lpNorm<Eigen::Infinity>(), tolerance * exact.lpNorm<Eigen::Infinity>());
}

TEST_P(AppendixB, Mass) {
  const auto& [name, mesh, integrals] = GetParam();
  MatrixXd exact = MatrixXd::Zero(3 * integrals.n, 3 * integrals.n);
  for (int a = 0; a < integrals.n; ++a)
    for (int b = 0; b < integrals.n; ++b)
      exact.block<3, 3>(3 * a, 3 * b).diagonal().setConstant(test::stiff.density * integrals.mass(a, b));
  expect_close(mass_matrix(mesh).map(), exact);
}

TEST_P(AppendixB, StiffnessAtRest) {
  const ForcePolynomials reference = polynomials();
  const auto dofs = 3 * GetParam().integrals.n;
  MatrixXd exact(dofs, dofs);
  for (int j = 0; j < dofs; ++j) exact.col(j) = reference.P(VectorXd::Unit(dofs, j));
  expect_close(stiffness_matrix(GetParam().mesh).map(), exact);
}

// At small, middle and large amplitude the linear, all and the cubic terms dominate: each is seen to full precision.
TEST_P(AppendixB, ForceAndEnergy) {
  const ForcePolynomials reference = polynomials();
  for (const double scale : {1e-6, 0.3, 1e4}) {
    const VectorXd u = random_field(1, scale);
    const VectorXd p = reference.P(u), q = reference.Q(u, u), s = reference.S(u, u, u);
    const auto force = internal_force(GetParam().mesh, span_of(u));
    expect_close(VectorXd::Map(force.data(), std::ssize(force)), p + q + s);
    const double energy = u.dot(p) / 2 + u.dot(q) / 3 + u.dot(s) / 4;
    EXPECT_NEAR(strain_energy(GetParam().mesh, span_of(u)), energy, tolerance * energy);
  }
}

// The even part of R is Q alone, the odd part P + S.
TEST_P(AppendixB, ParityParts) {
  const ForcePolynomials reference = polynomials();
  const VectorXd u = random_field(2, 0.5);
  const auto plus = internal_force(GetParam().mesh, span_of(u));
  const auto minus = internal_force(GetParam().mesh, span_of(-u));
  const auto size = std::ssize(plus);
  const double scale = VectorXd::Map(plus.data(), size).lpNorm<Eigen::Infinity>();
  const VectorXd even = (VectorXd::Map(plus.data(), size) + VectorXd::Map(minus.data(), size)) / 2;
  const VectorXd odd = (VectorXd::Map(plus.data(), size) - VectorXd::Map(minus.data(), size)) / 2;
  EXPECT_LE((even - reference.Q(u, u)).lpNorm<Eigen::Infinity>(), tolerance * scale);
  EXPECT_LE((odd - reference.P(u) - reference.S(u, u, u)).lpNorm<Eigen::Infinity>(), tolerance * scale);
}

TEST_P(AppendixB, TangentStiffness) {
  const ForcePolynomials reference = polynomials();
  const VectorXd u = random_field(3, 0.5);
  const auto dofs = u.size();
  MatrixXd exact(dofs, dofs);
  for (int j = 0; j < dofs; ++j) {
    const VectorXd x = VectorXd::Unit(dofs, j);
    exact.col(j) = reference.P(x) + reference.Q(u, x) + reference.Q(x, u) + reference.S(x, u, u) +
                   reference.S(u, x, u) + reference.S(u, u, x);
  }
  expect_close(tangent_stiffness(GetParam().mesh, span_of(u)).map(), exact);
}

TEST_P(AppendixB, ForceHessian) {
  const ForcePolynomials reference = polynomials();
  MatrixXd fields(3 * GetParam().integrals.n, 3);
  for (int i = 0; i < 3; ++i) fields.col(i) = random_field(static_cast<unsigned>(10 + i));
  const std::vector<std::array<int, 2>> pairs = {{0, 0}, {0, 2}, {2, 1}, {1, 1}};
  const Matrix ours = force_hessian(GetParam().mesh, fields, pairs);
  MatrixXd exact(fields.rows(), std::ssize(pairs));
  for (int p = 0; p < std::ssize(pairs); ++p) {
    const auto [i, j] = pairs[static_cast<std::size_t>(p)];
    exact.col(p) = reference.Q(fields.col(i), fields.col(j)) + reference.Q(fields.col(j), fields.col(i));
  }
  expect_close(ours.map(), exact);
}

INSTANTIATE_TEST_SUITE_P(Elements, AppendixB, testing::Values(tetrahedron_case(), brick_case()),
                         [](const auto& param) { return std::string(param.param.name); });

}  // namespace
