#include "core/fem/incidence.hpp"

#include <limits>
#include <numeric>
#include <string>

#include "core/base/thread_pool.hpp"
#include "quartic/error.hpp"

namespace quartic {

Incidence::Incidence(const ElementBlock& block, std::int64_t vertex_count)
    : offsets(static_cast<std::size_t>(vertex_count) + 1), places(block.vertices.size()) {
  for (const std::int32_t v : block.vertices) ++offsets[static_cast<std::size_t>(v) + 1];
  for (std::size_t v = 1; v < offsets.size(); ++v) offsets[v] += offsets[v - 1];
  std::vector<std::int64_t> next(offsets.begin(), offsets.end() - 1);
  for (std::size_t place = 0; place < block.vertices.size(); ++place)
    places[static_cast<std::size_t>(next[static_cast<std::size_t>(block.vertices[place])]++)] =
        static_cast<std::int64_t>(place);
}

std::vector<Incidence> incidences_of(const VolumeMesh& mesh) {
  std::vector<Incidence> incidences;
  incidences.reserve(mesh.blocks.size());
  for (const ElementBlock& block : mesh.blocks) incidences.emplace_back(block, mesh.vertex_count());
  return incidences;
}

namespace {

// The vertices that share an element with `vertex`, and itself, ascending.
void gather_neighbours(const VolumeMesh& mesh, std::span<const Incidence> incidences, std::int64_t vertex,
                       std::vector<std::int32_t>& list) {
  list.assign(1, static_cast<std::int32_t>(vertex));
  const auto row = static_cast<std::size_t>(vertex);
  for (std::size_t b = 0; b < incidences.size(); ++b) {
    const ElementBlock& block = mesh.blocks[b];
    const std::int64_t corners = element_vertex_count(block.type);
    for (auto i = incidences[b].offsets[row]; i < incidences[b].offsets[row + 1]; ++i) {
      const auto element = block.element(incidences[b].places[static_cast<std::size_t>(i)] / corners);
      list.insert(list.end(), element.begin(), element.end());
    }
  }
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace

VertexGraph::VertexGraph(const VolumeMesh& mesh, std::span<const Incidence> incidences)
    : offsets(static_cast<std::size_t>(mesh.vertex_count()) + 1) {
  constexpr std::int64_t vertices_per_task = 512;
  const std::int64_t n = mesh.vertex_count();
  // Twice the same walk, first to count and then to fill, so that no task waits for another or keeps a list.
  parallel_ranges(n, vertices_per_task, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::int32_t> list;
    for (std::int64_t v = begin; v < end; ++v) {
      gather_neighbours(mesh, incidences, v, list);
      offsets[static_cast<std::size_t>(v) + 1] = std::ssize(list);
    }
  });
  for (std::size_t v = 1; v < offsets.size(); ++v) offsets[v] += offsets[v - 1];
  neighbours.resize(static_cast<std::size_t>(offsets.back()));
  parallel_ranges(n, vertices_per_task, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::int32_t> list;
    for (std::int64_t v = begin; v < end; ++v) {
      gather_neighbours(mesh, incidences, v, list);
      std::copy(list.begin(), list.end(), neighbours.begin() + offsets[static_cast<std::size_t>(v)]);
    }
  });
}

VertexGraph VertexGraph::restricted_to(const std::vector<bool>& kept) const {
  VertexGraph graph = *this;
  std::int64_t next = 0;
  for (std::size_t v = 0; v + 1 < offsets.size(); ++v) {
    graph.offsets[v] = next;
    if (!kept[v]) continue;
    for (const std::int32_t neighbour : row(static_cast<std::int64_t>(v)))
      if (kept[static_cast<std::size_t>(neighbour)]) graph.neighbours[static_cast<std::size_t>(next++)] = neighbour;
  }
  graph.offsets.back() = next;
  graph.neighbours.resize(static_cast<std::size_t>(next));
  return graph;
}

SparseMatrix block_matrix(const VertexGraph& graph, bool full_blocks) {
  const std::int64_t vertices = std::ssize(graph.offsets) - 1;
  const std::int64_t width = full_blocks ? 3 : 1;
  const std::int64_t nonzeros = 3 * width * std::ssize(graph.neighbours);
  if (nonzeros > std::numeric_limits<std::int32_t>::max())
    throw InputError("the mesh's matrix would have " + std::to_string(nonzeros) +
                     " entries, more than 32-bit indices can count; use a coarser mesh");
  SparseMatrix matrix;
  matrix.rows = matrix.cols = 3 * vertices;
  matrix.row_offsets.resize(static_cast<std::size_t>(3 * vertices + 1));
  matrix.columns.resize(static_cast<std::size_t>(nonzeros));
  matrix.values.resize(static_cast<std::size_t>(nonzeros));
  std::size_t next = 0;
  for (std::int64_t v = 0; v < vertices; ++v)
    for (std::int32_t c = 0; c < 3; ++c) {
      for (const std::int32_t neighbour : graph.row(v))
        for (std::int32_t d = 0; d < width; ++d) matrix.columns[next++] = 3 * neighbour + (full_blocks ? d : c);
      matrix.row_offsets[static_cast<std::size_t>(3 * v + c + 1)] = static_cast<std::int32_t>(next);
    }
  return matrix;
}

namespace {

// Writes blocks into the rows of a matrix with the graph's pattern: each row has `width` columns of each block, which
// has width^2 numbers.
void fill_rows(const VertexGraph& graph, std::span<const double> blocks, std::size_t width, SparseMatrix& matrix) {
  constexpr std::int64_t vertices_per_task = 2048;
  parallel_ranges(std::ssize(graph.offsets) - 1, vertices_per_task, [&](std::int64_t begin, std::int64_t end) {
    for (auto v = static_cast<std::size_t>(begin); v < static_cast<std::size_t>(end); ++v)
      for (std::size_t c = 0; c < 3; ++c) {
        double* to = matrix.values.data() + matrix.row_offsets[3 * v + c];
        for (auto n = static_cast<std::size_t>(graph.offsets[v]); n < static_cast<std::size_t>(graph.offsets[v + 1]);
             ++n)
          to = std::copy_n(blocks.data() + n * width * width + (width == 3 ? 3 * c : 0), width, to);
      }
  });
}

}  // namespace

SparseMatrix block_matrix(const VertexGraph& graph, std::span<const double> values, bool full_blocks) {
  SparseMatrix matrix = block_matrix(graph, full_blocks);
  fill_rows(graph, values, full_blocks ? 3 : 1, matrix);
  return matrix;
}

SparseMatrix diagonal_matrix(std::span<const double> vertex_values) {
  SparseMatrix matrix;
  matrix.rows = matrix.cols = 3 * std::ssize(vertex_values);
  if (matrix.rows >= std::numeric_limits<std::int32_t>::max())
    throw InputError("the mesh has more degrees of freedom than 32-bit indices can count; use a coarser mesh");
  matrix.columns.resize(static_cast<std::size_t>(matrix.rows));
  std::iota(matrix.columns.begin(), matrix.columns.end(), 0);
  matrix.row_offsets = matrix.columns;
  matrix.row_offsets.push_back(static_cast<std::int32_t>(matrix.rows));
  matrix.values.reserve(matrix.columns.size());
  for (const double value : vertex_values) matrix.values.insert(matrix.values.end(), 3, value);
  return matrix;
}

}  // namespace quartic
