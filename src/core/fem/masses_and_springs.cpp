#include "core/fem/masses_and_springs.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/energy/symmetric_tensor.hpp"
#include "core/mesh/attachments.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

/// The vertices that move: of elements, and points that follow these.
class BodyVertices {
 public:
  explicit BodyVertices(const VolumeMesh& mesh)
      : is_used_(vertices_of_elements(mesh)), follows_(following_points(mesh)) {}

  void require(std::int32_t vertex, const std::string& what) const {
    if (vertex < 0 || vertex >= std::ssize(is_used_))
      throw InputError(what + " acts on vertex " + std::to_string(vertex) + ", but the mesh has " +
                       std::to_string(is_used_.size()) + " vertices");
    if (!is_used_[static_cast<std::size_t>(vertex)] && !follows_[static_cast<std::size_t>(vertex)])
      throw InputError(what + " acts on vertex " + std::to_string(vertex) +
                       ", which belongs to no element; attach it to a vertex of the body");
  }

 private:
  std::vector<bool> is_used_, follows_;
};

void require_amount(double amount, const char* what, std::int32_t vertex) {
  if (!(amount >= 0) || !std::isfinite(amount))
    throw InputError(std::string(what) + " at vertex " + std::to_string(vertex) +
                     " must be a finite number of 0 or more");
}

template <class Visit>
void for_each_factor(const Spring& spring, const Visit& visit) {
  for (const DisplacementTerm& term : spring.terms)
    for (std::size_t c = 0; c < 3; ++c)
      if (term.factors[c] != 0) visit(3 * static_cast<std::size_t>(term.vertex) + c, term.factors[c]);
}

double extension(const Spring& spring, std::span<const double> u) {
  double sum = 0;
  for_each_factor(spring, [&](std::size_t dof, double factor) { sum += factor * u[dof]; });
  return sum;
}

}  // namespace

void require_sound_attachments(const VolumeMesh& mesh) {
  if (mesh.masses.empty() && mesh.springs.empty() && mesh.joints.empty()) return;
  const BodyVertices vertices(mesh);
  for (const Constraint& joint : mesh.joints)
    for (const DisplacementTerm& term : joint.terms) vertices.require(term.vertex, joint.origin);
  for (const PointMass& mass : mesh.masses) {
    vertices.require(mass.vertex, "a mass");
    require_amount(mass.mass, "the mass", mass.vertex);
  }
  for (const Spring& spring : mesh.springs) {
    if (spring.terms.empty()) throw InputError("a spring has no terms: it acts on nothing");
    for (const DisplacementTerm& term : spring.terms) {
      vertices.require(term.vertex, "a spring");
      for (const double factor : term.factors)
        if (!std::isfinite(factor))
          throw InputError("a spring's factor at vertex " + std::to_string(term.vertex) + " isn't finite");
    }
    require_amount(spring.stiffness, "the stiffness of the spring", spring.terms.front().vertex);
  }
}

VertexGraph with_attachments(VertexGraph graph, const VolumeMesh& mesh) {
  std::set<std::pair<std::int32_t, std::int32_t>> edges;
  const auto add = [&](std::int32_t a, std::int32_t b) {
    const auto row = graph.row(a);
    if (!std::binary_search(row.begin(), row.end(), b)) edges.emplace(a, b);
  };
  for (const Spring& spring : mesh.springs)
    for (const DisplacementTerm& a : spring.terms)
      for (const DisplacementTerm& b : spring.terms) add(a.vertex, b.vertex);
  for (const PointMass& mass : mesh.masses) add(mass.vertex, mass.vertex);
  if (edges.empty()) return graph;
  VertexGraph joined;
  joined.offsets = {0};
  auto edge = edges.begin();
  for (std::int32_t v = 0; v + 1 < std::ssize(graph.offsets); ++v) {
    const auto row = graph.row(v);
    const auto first = static_cast<std::ptrdiff_t>(joined.neighbours.size());
    joined.neighbours.insert(joined.neighbours.end(), row.begin(), row.end());
    for (; edge != edges.end() && edge->first == v; ++edge) joined.neighbours.push_back(edge->second);
    std::sort(joined.neighbours.begin() + first, joined.neighbours.end());
    joined.offsets.push_back(std::ssize(joined.neighbours));
  }
  return joined;
}

void add_masses(std::span<const PointMass> masses, SparseMatrix& mass) {
  for (const PointMass& point : masses)
    for (std::int32_t dof = 3 * point.vertex; dof < 3 * point.vertex + 3; ++dof) {
      const auto begin = mass.columns.begin() + mass.row_offsets[static_cast<std::size_t>(dof)];
      const auto end = mass.columns.begin() + mass.row_offsets[static_cast<std::size_t>(dof) + 1];
      mass.values[static_cast<std::size_t>(std::lower_bound(begin, end, dof) - mass.columns.begin())] += point.mass;
    }
}

SparseMatrix scalar_point_masses(const VolumeMesh& mesh) {
  SparseMatrix diagonal;
  diagonal.rows = diagonal.cols = mesh.vertex_count();
  diagonal.values.resize(static_cast<std::size_t>(mesh.vertex_count()));
  diagonal.row_offsets = {0};
  for (std::int32_t v = 0; v < mesh.vertex_count(); ++v) {
    diagonal.columns.push_back(v);
    diagonal.row_offsets.push_back(v + 1);
  }
  for (const PointMass& point : mesh.masses) diagonal.values[static_cast<std::size_t>(point.vertex)] += point.mass;
  return diagonal;
}

void add_springs(std::span<const Spring> springs, SparseMatrix& stiffness) {
  for (const Spring& spring : springs)
    for_each_factor(spring, [&](std::size_t row, double a) {
      const auto begin = stiffness.columns.begin() + stiffness.row_offsets[row];
      const auto end = stiffness.columns.begin() + stiffness.row_offsets[row + 1];
      for_each_factor(spring, [&](std::size_t column, double b) {
        const auto place = std::lower_bound(begin, end, static_cast<std::int32_t>(column));
        stiffness.values[static_cast<std::size_t>(place - stiffness.columns.begin())] += spring.stiffness * a * b;
      });
    });
}

void add_spring_forces(std::span<const Spring> springs, std::span<const double> u, std::span<double> r) {
  for (const Spring& spring : springs) {
    const double tension = spring.stiffness * extension(spring, u);
    for_each_factor(spring, [&](std::size_t dof, double factor) { r[dof] += tension * factor; });
  }
}

double spring_energy(std::span<const Spring> springs, std::span<const double> u) {
  double sum = 0;
  for (const Spring& spring : springs) {
    const double s = extension(spring, u);
    sum += spring.stiffness / 2 * s * s;
  }
  return sum;
}

Eigen::MatrixXd reduced_springs(std::span<const Spring> springs, MatrixRef basis) {
  Eigen::MatrixXd k = Eigen::MatrixXd::Zero(basis.cols(), basis.cols());
  for (const Spring& spring : springs) {
    Eigen::VectorXd s = Eigen::VectorXd::Zero(basis.cols());
    for_each_factor(spring, [&](std::size_t dof, double factor) {
      s += factor * basis.row(static_cast<Eigen::Index>(dof)).transpose();
    });
    k += spring.stiffness * s * s.transpose();
  }
  return k;
}

// At rest K_ij = S_00ij / 2.
void add_reduced_springs(std::span<const Spring> springs, MatrixRef basis, QuarticEnergy& energy) {
  if (springs.empty()) return;
  const Eigen::MatrixXd k = reduced_springs(springs, basis);
  const auto rank = static_cast<std::size_t>(energy.rank);
  for (std::size_t i = 1; i <= rank; ++i)
    for (std::size_t j = i; j <= rank; ++j)
      energy.coefficients[sorted_index(0, 0, i, j, rank)] +=
          2 * k(static_cast<Eigen::Index>(i - 1), static_cast<Eigen::Index>(j - 1));
}

}  // namespace quartic
