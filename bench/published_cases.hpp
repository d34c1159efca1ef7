// Slender bodies under large displacements whose equilibria others have published.
#pragma once

#include <Eigen/Core>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "quartic/mesh.hpp"
#include "quartic/supports.hpp"

namespace quartic::bench {

/// A component of the mean displacement of some vertices.
struct Gauge {
  std::string name;
  std::vector<std::int32_t> vertices;
  std::array<double, 3> direction = {};
};

/// What was published for a share of the load: a value per gauge.
struct PublishedRow {
  double share = 0;
  std::vector<double> values;
};

struct PublishedCase {
  std::string name;    ///< a word
  std::string title;   ///< body and load
  std::string source;  ///< of the values
  VolumeMesh mesh;
  Supports supports;
  /// The whole load [N] where the body is displaced by u, shape (3n). Loads that don't turn with it ignore u.
  std::function<Eigen::VectorXd(const Eigen::VectorXd& u)> load;
  bool load_turns = false;
  std::vector<Gauge> gauges;
  std::vector<PublishedRow> rows;  ///< ascending by share
};

/// All of them, made of hex20 with one layer across the thickness. Units are the sources'.
[[nodiscard]] std::vector<PublishedCase> published_cases();

}  // namespace quartic::bench
