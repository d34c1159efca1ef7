// SVG plots: round ticks, points where they belong, well-formed text.
#include "plot/svg_plot.hpp"

#include <cmath>
#include <limits>
#include <regex>
#include <sstream>
#include <string>

#include "support/support.hpp"

namespace quartic::io {
namespace {

TEST(NiceTicks, AreRoundAndInside) {
  EXPECT_EQ(nice_ticks(0, 10, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(nice_ticks(-1, 1, 4), (std::vector<double>{-1, -0.5, 0, 0.5, 1}));
  EXPECT_EQ(nice_ticks(103, 196, 5), (std::vector<double>{120, 140, 160, 180}));
  EXPECT_TRUE(nice_ticks(1, 1, 5).empty());
  EXPECT_TRUE(nice_ticks(0, std::numeric_limits<double>::infinity(), 5).empty());
}

// Whatever the range, some labels: never none, never a crowd.
TEST(NiceTicks, AreOfAReadableNumberAtEveryScale) {
  for (int exponent = -12; exponent <= 12; ++exponent)
    for (const double mantissa : {1.0, 1.7, 2.3, 4.4, 7.9}) {
      const double high = mantissa * std::pow(10, exponent);
      const auto ticks = nice_ticks(-0.3 * high, high, 6);
      EXPECT_GE(ticks.size(), 3U) << high;
      EXPECT_LE(ticks.size(), 11U) << high;
    }
}

// The numbers of all paths of a plot, as "M" or "L" with two coordinates.
std::vector<std::array<double, 2>> path_points(const std::string& svg) {
  std::vector<std::array<double, 2>> points;
  const std::regex point("[ML](-?[0-9.]+) (-?[0-9.]+)");
  for (std::sregex_iterator i(svg.begin(), svg.end(), point), end; i != end; ++i)
    points.push_back({std::stod((*i)[1]), std::stod((*i)[2])});
  return points;
}

// Tags open and close in order, attributes are quoted, and no bare & or < stands in text.
void expect_well_formed(const std::string& svg) {
  std::vector<std::string> open;
  const std::regex tag(R"(<(/?)([a-z]+)((?:\s+[a-zA-Z0-9:-]+="[^"<]*")*)\s*(/?)>)");
  std::string rest;
  std::size_t position = 0;
  for (std::sregex_iterator i(svg.begin(), svg.end(), tag), end; i != end; ++i) {
    rest += svg.substr(position, static_cast<std::size_t>(i->position()) - position);
    position = static_cast<std::size_t>(i->position() + i->length());
    if ((*i)[1] == "/") {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(open.back(), (*i)[2]);
      open.pop_back();
    } else if ((*i)[4] != "/") {
      open.push_back((*i)[2]);
    }
  }
  EXPECT_TRUE(open.empty());
  EXPECT_EQ(rest.find('<'), std::string::npos) << rest;
  EXPECT_FALSE(std::regex_search(rest, std::regex("&(?!amp;|lt;|gt;)"))) << rest;
}

TEST(SvgText, MapsDataLinearlyAndUpwards) {
  const std::string svg = svg_text({.title = "t", .x = {0, 1, 4}, .lines = {{"a", {0, 1, 2}}}});
  expect_well_formed(svg);
  const auto p = path_points(svg);
  ASSERT_EQ(p.size(), 3U);
  // Coordinates have one decimal.
  EXPECT_NEAR((p[1][0] - p[0][0]) / (p[2][0] - p[0][0]), 0.25, 2e-4);
  EXPECT_NEAR((p[1][1] - p[0][1]) / (p[2][1] - p[0][1]), 0.5, 5e-4);
  EXPECT_LT(p[2][1], p[0][1]);  // SVG's y points down
}

TEST(SvgText, EscapesNames) {
  const std::string svg =
      svg_text({.title = "a < b & c", .x_label = "<x>", .y_label = "&", .x = {0, 1}, .lines = {{"<1>", {0, 1}}}});
  expect_well_formed(svg);
  EXPECT_NE(svg.find("a &lt; b &amp; c"), std::string::npos);
}

TEST(SvgText, SurvivesEmptyConstantAndBrokenSeries) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Plot& plot :
       {Plot{}, Plot{.title = "", .x_label = "", .y_label = "", .x = {0}, .lines = {{"a", {3}}}},
        Plot{.title = "", .x_label = "", .y_label = "", .x = {0, 1}, .lines = {{"a", {5, 5}}}},
        Plot{.title = "", .x_label = "", .y_label = "", .x = {0, 1}, .lines = {{"a", {nan, nan}}}}}) {
    const std::string svg = svg_text(plot);
    expect_well_formed(svg);
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_EQ(svg.find("inf"), std::string::npos);
  }
}

TEST(SvgText, LeavesAGapWhereAValueIsMissing) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::string svg = svg_text({.title = "", .x = {0, 1, 2, 3, 4}, .lines = {{"a", {0, 1, nan, 1, 0}}}});
  EXPECT_EQ(std::count(svg.begin(), svg.end(), 'M'), 2);
  EXPECT_EQ(path_points(svg).size(), 4U);
}

// A spike of one sample in a hundred thousand must not vanish when the series is thinned.
TEST(SvgText, ThinsLongSeriesWithoutLosingExtremes) {
  std::vector<double> x(100000), y(100000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
  y[54321] = 1;
  const std::string svg = svg_text({.title = "", .x = x, .lines = {{"a", y}}});
  EXPECT_LT(svg.size(), 60000U);
  const auto points = path_points(svg);
  double top = 1e9, bottom = 0;
  for (const auto& p : points) {
    top = std::min(top, p[1]);
    bottom = std::max(bottom, p[1]);
  }
  EXPECT_GT(bottom - top, 250);  // most of the plot's height
}

}  // namespace
}  // namespace quartic::io
