#include "cuda/modes/reduction_memory.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "core/algebra/mass_qr.hpp"
#include "cuda/algebra/sparse_matrix.hpp"
#include "cuda/base/cublas.hpp"
#include "cuda/base/devices.hpp"
#include "cuda/fem/device_incidence.hpp"
#include "cuda/fem/device_mesh.hpp"
#include "quartic/error.hpp"

namespace quartic::cuda {
namespace {

constexpr std::size_t number = sizeof(double), index = sizeof(std::int32_t);

std::size_t count(std::int64_t n) {
  return static_cast<std::size_t>(n);
}

std::size_t columns_bytes(std::int64_t rows, std::int64_t columns) {
  return count(rows * columns) * number;
}

// K, M and, of a held body, M of all vertices.
std::size_t matrix_bytes(const MeshPattern& pattern, MassMatrix kind) {
  const std::size_t blocks = pattern.free.neighbours.size(), vertices = pattern.free_vertices.size(),
                    all_blocks = pattern.whole.neighbours.size(), all_vertices = pattern.whole.offsets.size() - 1;
  const bool lumped = kind == MassMatrix::lumped;
  const std::size_t whole = vertices == all_vertices ? 0 : number * (lumped ? all_vertices : all_blocks);
  return blocks * (block_stride * number + index) + 2 * vertices * index +
         (lumped ? vertices : blocks) * (number + index) + whole;
}

// The matrix' upper triangle in compressed rows, and as many entries of the factor.
std::size_t factor_bytes(const MeshPattern& pattern) {
  const std::size_t triangle = pattern.free.neighbours.size() * 9 / 2;
  return triangle * (number + index) + triangle * number;
}

std::size_t mesh_bytes(const PreparedMesh& mesh) {
  std::size_t bytes = DeviceMesh::bytes(mesh.image());
  for (const BlockImage& block : mesh.image().blocks)
    bytes += DeviceIncidence::bytes(std::ssize(block.vertices), mesh.vertex_count());
  return bytes;
}

std::string mebibytes(std::size_t bytes) {
  return std::to_string((bytes + (std::size_t{1} << 20) - 1) >> 20) + " MiB";
}

struct Stage {
  const char* name;
  std::size_t bytes;
};

}  // namespace

// LOBPCG's blocks X, W and P with their images, the new ones, residuals and corrections; of Lanczos the basis and its
// copy while it grows.
std::size_t eigensolver_bytes(std::int64_t rows, std::int64_t modes) {
  const std::int64_t lobpcg = 18 * (modes + std::max<std::int64_t>(4, modes / 5));
  const std::int64_t lanczos = 2 * (5 * modes + 96) + 32;
  return columns_bytes(rows, std::max(lobpcg, lanczos)) + product_bytes(rows, modes);
}

std::size_t basis_bytes(std::int64_t rows, std::int64_t fields) {
  return columns_bytes(rows, fields + 8 * std::int64_t{qr_panel_size});
}

void require_reduction_memory(const PreparedMesh& mesh, const MeshPattern& pattern, MassMatrix kind,
                              const ReductionSizes& sizes) {
  const std::int64_t rows = 3 * std::ssize(pattern.free_vertices), all_rows = std::ssize(mesh.image().positions);
  constexpr std::int64_t solved_together = 64, blocks_of_a_solve = 2;
  const std::size_t matrices = matrix_bytes(pattern, kind),
                    system = matrices + factor_bytes(pattern) + Cublas::workspace_bytes, on_mesh = mesh_bytes(mesh),
                    graph = (pattern.free.neighbours.size() + pattern.free.offsets.size()) * index,
                    fields = columns_bytes(rows, sizes.fields) +
                             (sizes.fields > sizes.modes ? columns_bytes(all_rows, sizes.modes) : 0);
  const std::array<Stage, 5> stages = {
      {{"assembly", matrices + on_mesh + graph},
       {"linear modes", system + (sizes.modes > 0 ? eigensolver_bytes(rows, sizes.modes) : 0)},
       {"modal derivatives",
        sizes.fields > sizes.modes
            ? system + on_mesh + fields +
                  columns_bytes(rows, blocks_of_a_solve * std::min<std::int64_t>(solved_together, sizes.fields))
            : 0},
       {"the basis", sizes.fields > 0 ? system + basis_bytes(rows, sizes.fields) : 0},
       {"the energy", sizes.rank > 0 ? DeviceMesh::bytes(mesh.image()) + columns_bytes(all_rows, sizes.rank) : 0}}};
  const Stage& largest =
      *std::max_element(stages.begin(), stages.end(), [](const Stage& a, const Stage& b) { return a.bytes < b.bytes; });
  const std::size_t available = device_memory().available;
  if (largest.bytes <= available) return;
  throw InputError("the reduction needs " + mebibytes(largest.bytes) + " of device memory or more, for " +
                   largest.name + ", but " + mebibytes(available) +
                   " are free; ask for fewer modes, take a coarser mesh, or use the backend 'cpu'");
}

}  // namespace quartic::cuda
