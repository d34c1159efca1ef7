#include "plot/svg_plot.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

namespace quartic::io {

namespace {

// Layout in pixels.
constexpr double page_width = 900, page_height = 480;
constexpr double left = 92, right = page_width - 24, top = 72, bottom = page_height - 64;

// Told apart by people with any colour vision (Okabe and Ito's palette).
constexpr std::array<std::string_view, 6> colours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};

std::string number(double value, std::chars_format format, int precision) {
  std::array<char, 64> text{};
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value, format, precision);
  return {text.data(), result.ptr};
}

std::string pixels(double value) {
  return number(value, std::chars_format::fixed, 1);
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else {
      result += c;
    }
  }
  return result;
}

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  /// Never empty, and with some room at both ends.
  [[nodiscard]] Range padded(double share) const {
    if (low > high) return {0, 1};
    const double extent = high - low, least = 1e-12 * std::max(std::abs(low), std::abs(high));
    const double room = extent > least ? share * extent : std::max(0.1 * std::abs(high), 1e-3);
    return {low - room, high + room};
  }
};

double step_between(const std::vector<double>& ticks) {
  return ticks.size() > 1 ? ticks[1] - ticks[0] : 1;
}

/// "0.25", "-3", "2e-06": as many decimals as the step needs, the same at every tick.
std::string tick_text(double value, double step, double largest) {
  if (std::abs(value) < 1e-9 * step) return "0";
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step * (1 + 1e-9)))));
  if (decimals <= 4 && largest < 1e6) return number(value, std::chars_format::fixed, decimals);
  return number(value, std::chars_format::general, 3);
}

class Drawing {
 public:
  explicit Drawing(const Plot& plot) : plot_(plot) {
    Range x, y;
    for (const double value : plot.x) x.include(value);
    for (const PlotLine& line : plot.lines)
      for (const double value : line.y) y.include(value);
    x_ = x.low < x.high ? x : x.padded(0);
    y_ = y.padded(0.06);
  }

  std::string text() {
    begin();
    axis_x();
    axis_y();
    for (std::size_t i = 0; i < plot_.lines.size(); ++i) line(plot_.lines[i], colours[i % colours.size()]);
    frame_and_labels();
    legend();
    return svg_ + "</svg>\n";
  }

 private:
  [[nodiscard]] double to_x(double value) const {
    return left + (right - left) * (value - x_.low) / (x_.high - x_.low);
  }
  [[nodiscard]] double to_y(double value) const {
    return bottom - (bottom - top) * (value - y_.low) / (y_.high - y_.low);
  }

  void begin() {
    const std::string size = pixels(page_width) + "\" height=\"" + pixels(page_height);
    svg_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + size + "\" viewBox=\"0 0 " + pixels(page_width) +
           ' ' + pixels(page_height) +
           "\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"14\" fill=\"#222\">\n" + "<rect width=\"" +
           size + "\" fill=\"#fff\"/>\n";
  }

  void write(double x, double y, std::string_view attributes, std::string_view text) {
    svg_ += "<text x=\"" + pixels(x) + "\" y=\"" + pixels(y) + "\" " + std::string(attributes) + '>' + escaped(text) +
            "</text>\n";
  }

  void segment(double x0, double y0, double x1, double y1, std::string_view attributes) {
    svg_ += "<line x1=\"" + pixels(x0) + "\" y1=\"" + pixels(y0) + "\" x2=\"" + pixels(x1) + "\" y2=\"" + pixels(y1) +
            "\" " + std::string(attributes) + "/>\n";
  }

  void axis_x() {
    const std::vector<double> ticks = nice_ticks(x_.low, x_.high, 9);
    for (const double tick : ticks) {
      segment(to_x(tick), top, to_x(tick), bottom, "stroke=\"#e6e6e6\"");
      write(to_x(tick), bottom + 22, "text-anchor=\"middle\"",
            tick_text(tick, step_between(ticks), std::max(std::abs(x_.low), std::abs(x_.high))));
    }
  }

  void axis_y() {
    const std::vector<double> ticks = nice_ticks(y_.low, y_.high, 6);
    for (const double tick : ticks) {
      const bool zero = std::abs(tick) < 1e-9 * step_between(ticks);
      segment(left, to_y(tick), right, to_y(tick), zero ? "stroke=\"#999\"" : "stroke=\"#e6e6e6\"");
      write(left - 10, to_y(tick) + 5, "text-anchor=\"end\"",
            tick_text(tick, step_between(ticks), std::max(std::abs(y_.low), std::abs(y_.high))));
    }
  }

  void frame_and_labels() {
    svg_ += "<rect x=\"" + pixels(left) + "\" y=\"" + pixels(top) + "\" width=\"" + pixels(right - left) +
            "\" height=\"" + pixels(bottom - top) + "\" fill=\"none\" stroke=\"#666\"/>\n";
    write(left, 32, "font-size=\"17\" font-weight=\"bold\"", plot_.title);
    write((left + right) / 2, page_height - 16, "text-anchor=\"middle\"", plot_.x_label);
    const std::string middle = pixels((top + bottom) / 2);
    write(22, (top + bottom) / 2, "text-anchor=\"middle\" transform=\"rotate(-90 22 " + middle + ")\"", plot_.y_label);
  }

  /// Above the plot, at the right, so that it covers no line.
  void legend() {
    constexpr double sample = 26, letter = 8.5, gap = 22;
    double width = -gap;
    for (const PlotLine& line : plot_.lines) width += sample + 8 + letter * static_cast<double>(line.name.size()) + gap;
    double x = right - width;
    for (std::size_t i = 0; i < plot_.lines.size(); ++i) {
      const std::string& name = plot_.lines[i].name;
      const std::string stroke =
          "stroke=\"" + std::string(colours[i % colours.size()]) + "\" stroke-width=\"3\" stroke-linecap=\"round\"";
      segment(x, top - 17, x + sample, top - 17, stroke);
      write(x + sample + 8, top - 12, "", name);
      x += sample + 8 + letter * static_cast<double>(name.size()) + gap;
    }
  }

  void line(const PlotLine& line, std::string_view colour) {
    std::string path;
    bool pen_down = false;
    for (const std::size_t i : visible_points(line)) {
      pen_down = pen_down && std::isfinite(line.y[i]);
      if (!std::isfinite(line.y[i])) continue;
      path += (pen_down ? 'L' : 'M') + pixels(to_x(plot_.x[i])) + ' ' + pixels(to_y(line.y[i]));
      pen_down = true;
    }
    svg_ += "<path d=\"" + path + "\" fill=\"none\" stroke=\"" + std::string(colour) +
            "\" stroke-width=\"2\" stroke-linejoin=\"round\"/>\n";
  }

  /// All points, or of long series the lowest and the highest in each of 800 slices, in order.
  [[nodiscard]] std::vector<std::size_t> visible_points(const PlotLine& line) const {
    constexpr std::size_t slices = 800;
    const std::size_t count = std::min(plot_.x.size(), line.y.size());
    std::vector<std::size_t> points;
    const std::size_t slice = count > 4 * slices ? (count + slices - 1) / slices : 1;
    for (std::size_t begin = 0; begin < count; begin += slice) {
      const auto first = line.y.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto last = line.y.begin() + static_cast<std::ptrdiff_t>(std::min(begin + slice, count));
      const auto [low, high] = std::minmax_element(first, last);
      const auto [a, b] = std::minmax({low - line.y.begin(), high - line.y.begin()});
      points.push_back(static_cast<std::size_t>(a));
      if (b != a) points.push_back(static_cast<std::size_t>(b));
    }
    return points;
  }

  const Plot& plot_;
  Range x_, y_;
  std::string svg_;
};

}  // namespace

std::vector<double> nice_ticks(double low, double high, int count) {
  const double rough = (high - low) / std::max(count, 1);
  if (!(rough > 0) || !std::isfinite(rough)) return {};
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double share = rough / power;  // in [1, 10)
  const double step = power * (share <= 1.5 ? 1 : share <= 3.5 ? 2 : share <= 7.5 ? 5 : 10);
  std::vector<double> ticks;
  const double first = std::ceil(low / step - 1e-9), last = std::floor(high / step + 1e-9);
  for (double k = first; k <= last; ++k) ticks.push_back(k * step);
  return ticks;
}

std::string svg_text(const Plot& plot) {
  return Drawing(plot).text();
}

}  // namespace quartic::io
