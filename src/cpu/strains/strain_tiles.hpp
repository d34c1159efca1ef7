// The strains of all quadrature points of a mesh, tile by tile.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/elements/quadrature.hpp"
#include "core/fem/prepared_mesh.hpp"
#include "cpu/strains/strain_panel.hpp"
#include "quartic/energy.hpp"
#include "quartic/matrix.hpp"

namespace quartic {

class StrainTiles {
 public:
  /// @param fields U, shape (3n, r), and behind them `linear_fields` more (StrainPanel)
  /// @param workspace_bytes limit for the rows of a tile and `rows_besides` more of the same length
  /// @throws InputError if a single point doesn't fit
  StrainTiles(const PreparedMesh& mesh, const MatrixRef& fields, RegionConstants constants,
              std::int64_t workspace_bytes, std::int64_t rows_besides = 0, std::int64_t linear_fields = 0);

  [[nodiscard]] std::int64_t pairs() const { return pairs_; }  ///< columns, as StrainPanel::write orders them
  [[nodiscard]] std::int64_t rows() const { return rows_; }    ///< of the largest tile

  /// Writes each tile's strains to `out`, [pair][row] with `stride` numbers per pair, and calls use(rows) for it.
  void for_each(double* out, std::int64_t stride, const Progress& progress,
                const std::function<void(std::int64_t rows)>& use) const;

 private:
  struct Block {
    const ElementBlock* block;
    std::int64_t first_element;
    TabulatedRule rule;
    std::vector<std::int64_t> elements;  // that aren't passed over
  };
  [[nodiscard]] const std::optional<ElasticConstants>& constants_of(std::int64_t element) const {
    return constants_[static_cast<std::size_t>(mesh_.element_region[static_cast<std::size_t>(element)])];
  }
  void fill(const Block& block, std::int64_t begin, std::int64_t end, double* out, std::int64_t stride) const;

  const VolumeMesh& mesh_;
  const MatrixRef& fields_;
  std::int64_t linear_fields_;
  RegionConstants constants_;
  std::vector<Block> blocks_;
  std::int64_t strains_per_point_ = 6;
  std::int64_t pairs_ = 0, tile_points_ = 0, rows_ = 0;
};

}  // namespace quartic
