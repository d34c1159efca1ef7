// Line plots as SVG text.
#pragma once

#include <string>
#include <vector>

namespace quartic::io {

struct PlotLine {
  std::string name = {};       ///< for the legend
  std::vector<double> y = {};  ///< one value per x; what isn't finite leaves a gap
};

struct Plot {
  std::string title = {}, x_label = {}, y_label = {};
  std::vector<double> x = {};  ///< ascending
  std::vector<PlotLine> lines = {};
};

/// Round numbers inside [low, high], about `count` of them, a step of 1, 2 or 5 times a power of ten apart.
[[nodiscard]] std::vector<double> nice_ticks(double low, double high, int count);

/// The plot as an SVG document with axes, grid, labels and legend. Long series are thinned to what can be seen.
[[nodiscard]] std::string svg_text(const Plot& plot);

}  // namespace quartic::io
