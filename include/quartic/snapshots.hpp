// Displacements of a whole mesh, simulated, measured or sketched, as data for a basis (proper orthogonal decomposition:
// mass-PCA of snapshots; 2005 paper, sections 5 and 5.2, Appendix A).
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "quartic/export.hpp"
#include "quartic/matrix.hpp"
#include "quartic/mesh.hpp"

namespace quartic {

/// One displacement field per moment or load.
struct Snapshots {
  std::vector<double> time = {};  ///< [s], or the number of the load; shape (N)
  Matrix displacements = {};      ///< [m], shape (3n, N): a field per column

  [[nodiscard]] std::int64_t count() const { return displacements.cols; }
};

/// `.qsnap`: a safetensors file with `time` F64 [N] and `displacements` F64 [N, n, 3].
/// @throws InputError if time and displacements differ in number, FileError
QUARTIC_EXPORT void save_snapshots(const Snapshots& snapshots, const std::filesystem::path& path);

/// Reads any safetensors file with `displacements`, F64 or F32, of shape [N, n, 3]; `time` may be missing and is then
/// 0, 1, 2, ...
/// @throws FileError, ParseError
[[nodiscard]] QUARTIC_EXPORT Snapshots load_snapshots(const std::filesystem::path& path);

/// A series for ParaView, as write_pvd of trajectory.hpp: one frame per snapshot.
/// @throws FileError, InputError if mesh and snapshots differ in the number of vertices or there are no snapshots
QUARTIC_EXPORT void write_pvd(const VolumeMesh& mesh, const Snapshots& snapshots, const std::filesystem::path& path);

/// Selects, in order, the fields that are at least `separation` times the longest field away from zero and from every
/// field selected before, in the mass norm (2005 paper, 5.2 and eq. 17).
/// @param fields shape (3n, N)
/// @param separation in [0, 1]; 0 keeps all but zeros
/// @return column numbers, ascending
/// @throws InputError if shapes differ or `separation` is out of range
[[nodiscard]] QUARTIC_EXPORT std::vector<std::int64_t> select_separated(MatrixRef fields, const SparseMatrix& mass,
                                                                        double separation);

/// Columns of a matrix, in the order of `columns`. @throws InputError for a number out of range
[[nodiscard]] QUARTIC_EXPORT Matrix select_columns(const Matrix& matrix, std::span<const std::int64_t> columns);

/// The share of the fields' squared mass norms, summed, that the first 1, 2, ... vectors of their mass-PCA capture.
/// @param singular_values descending: Basis::singular_values
/// @return shape (singular_values), ascending to 1
[[nodiscard]] QUARTIC_EXPORT std::vector<double> captured_energy(std::span<const double> singular_values);

}  // namespace quartic
