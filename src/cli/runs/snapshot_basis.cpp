#include "cli/runs/snapshot_basis.hpp"

#include <algorithm>
#include <cmath>

#include "cli/values/numbers.hpp"
#include "quartic/basis.hpp"
#include "quartic/error.hpp"
#include "quartic/supports.hpp"

namespace quartic::cli {

namespace {

// Those of the vertices that the mesh has kept, if the snapshots have all of the file's.
Matrix kept_rows(const Matrix& fields, const PreparedBody& body) {
  const std::int64_t vertices = fields.rows / 3, kept = body.mesh.vertex_count();
  if (vertices == kept) return fields;
  if (vertices != body.file_vertices)
    throw InputError("the snapshots have " + std::to_string(vertices) + " vertices, but the mesh has " +
                     std::to_string(body.file_vertices));
  Matrix rows(3 * kept, fields.cols);
  for (std::int64_t j = 0; j < fields.cols; ++j)
    for (std::int64_t v = 0; v < kept; ++v)
      for (std::int64_t c = 0; c < 3; ++c)
        rows(3 * v + c, j) = fields(3 * std::int64_t{body.kept_vertices[static_cast<std::size_t>(v)]} + c, j);
  return rows;
}

// What whoever made the snapshots may have rounded, of the largest displacement.
constexpr double rounding = 1e-6;

// Other supports and joints, likewise: u = T x, where x are rows of u.
void obey(Matrix& fields, const PreparedBody& body) {
  if (body.constraints.empty() && body.mesh.joints.empty()) return;
  const SparseMatrix t = freedom_map(body.mesh, body.supports());
  Eigen::MatrixXd free = Eigen::MatrixXd::Zero(t.cols, fields.cols);
  for (std::int64_t row = 0; row < t.rows; ++row) {
    const auto entry = static_cast<std::size_t>(t.row_offsets[static_cast<std::size_t>(row)]);
    const bool is_single =
        t.row_offsets[static_cast<std::size_t>(row) + 1] == t.row_offsets[static_cast<std::size_t>(row)] + 1;
    if (is_single && t.values[entry] == 1) free.row(t.columns[entry]) = fields.map().row(row);
  }
  const Eigen::MatrixXd obedient = t.map() * free;
  Eigen::Index row = 0, column = 0;
  const double difference = (obedient - fields.map()).cwiseAbs().maxCoeff(&row, &column);
  if (difference > rounding * fields.map().cwiseAbs().maxCoeff())
    throw InputError("snapshot " + std::to_string(column) + " moves vertex " +
                     std::to_string(body.kept_vertices[static_cast<std::size_t>(row / 3)]) +
                     " as its supports and joints don't let it; hold what was held when the snapshots were made");
  fields.map() = obedient;
}

// Fixed vertices rest up to the round-off of whoever made the snapshots.
void hold_fixed_vertices(Matrix& fields, const PreparedBody& body) {
  double largest = 0;
  for (const double x : fields.values) largest = std::max(largest, std::abs(x));
  for (std::int64_t j = 0; j < fields.cols; ++j)
    for (const std::int32_t v : body.fixed_vertices)
      for (std::int64_t c = 0; c < 3; ++c) {
        double& x = fields(3 * std::int64_t{v} + c, j);
        if (std::abs(x) > rounding * largest)
          throw InputError("snapshot " + std::to_string(j) + " moves vertex " +
                           std::to_string(body.kept_vertices[static_cast<std::size_t>(v)]) +
                           ", which is fixed; fix what was held when the snapshots were made");
        x = 0;
      }
}

}  // namespace

ReducedModel reduce_with_snapshots(const PreparedBody& body, const Snapshots& snapshots,
                                   const SnapshotBasisOptions& options, SnapshotBasis& basis) {
  options.progress("basis", 0);
  Matrix all = kept_rows(snapshots.displacements, body);
  hold_fixed_vertices(all, body);
  obey(all, body);
  const SparseMatrix mass = mass_matrix(body.mesh, options.mass_matrix);
  const auto selected = select_separated(all.map(), mass, options.separation);
  if (selected.empty()) throw InputError("all snapshots are zero: they span no basis");
  basis.selected = std::ssize(selected);
  Matrix fields = select_columns(all, selected);
  all = {};
  Basis cut = options.rank ? mass_pca(std::move(fields), mass, *options.rank)
                           : mass_pca_up_to(std::move(fields), mass, default_rank);
  basis.singular_values = std::move(cut.singular_values);
  if (!options.rank && cut.vectors.cols < default_rank)
    basis.warnings.push_back("the rank is " + std::to_string(cut.vectors.cols) + ": the snapshots span no more");
  ReduceReport report;
  ReducedModel model = reduce_with_basis(body.mesh, body.supports(), cut.vectors.map(),
                                         {.region_parts = options.region_parts,
                                          .relax = options.relax,
                                          .mass_matrix = options.mass_matrix,
                                          .backend = options.backend,
                                          .progress = options.progress},
                                         &report);
  basis.warnings.insert(basis.warnings.end(), report.warnings.begin(), report.warnings.end());
  if (model.rigid_modes > 0)
    basis.warnings.push_back("the body isn't held: the basis also contains the rigid motion of its snapshots");
  return model;
}

std::string captured_text(const SnapshotBasis& basis, int rank) {
  const std::vector<double>& sigma = basis.singular_values;
  double total = 0, left = 0;  // squares, the small ones first
  for (std::size_t i = sigma.size(); i-- > 0;) {
    total += sigma[i] * sigma[i];
    if (i >= static_cast<std::size_t>(rank)) left += sigma[i] * sigma[i];
  }
  const auto enough = [captured = captured_energy(sigma)](double share) {
    const auto at = std::lower_bound(captured.begin(), captured.end(), share) - captured.begin();
    return std::to_string(std::min<std::ptrdiff_t>(at, std::ssize(captured) - 1) + 1);
  };
  return "all but " + significant(100 * left / total, 2) + " % of the selected ones at rank " + std::to_string(rank) +
         "; 1 % is left at " + enough(0.99) + ", 0.01 % at " + enough(0.9999);
}

}  // namespace quartic::cli
