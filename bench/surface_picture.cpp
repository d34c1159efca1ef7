#include "surface_picture.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cstdio>
#include <vector>

namespace quartic::bench {
namespace {

using Eigen::Vector3d;

struct Triangle {
  Vector3d corners[3];  // x to the right, y upwards, z towards the eye
};

// Turns the world so that the eye looks along -z.
Eigen::Matrix3d view() {
  const Vector3d eye = Vector3d(1, -1.2, 0.7).normalized();
  const Vector3d right = Vector3d::UnitZ().cross(eye).normalized();
  Eigen::Matrix3d rows;
  rows << right.transpose(), eye.cross(right).transpose(), eye.transpose();
  return rows;
}

std::string polygon(const Triangle& triangle, const Placement& placement) {
  const Vector3d normal =
      (triangle.corners[1] - triangle.corners[0]).cross(triangle.corners[2] - triangle.corners[0]).normalized();
  const Vector3d light = Vector3d(-0.3, 0.6, 0.75).normalized();
  const double shade = 0.35 + 0.65 * std::max(0.0, normal.dot(light));
  char text[256];
  const auto x = [&](int i) { return placement.x + placement.pixels * triangle.corners[i].x(); };
  const auto y = [&](int i) { return placement.y - placement.pixels * triangle.corners[i].y(); };
  const int red = static_cast<int>(120 * shade), green = static_cast<int>(170 * shade);
  const int blue = static_cast<int>(225 * shade);
  std::snprintf(text, sizeof text,
                "<path d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fZ\" fill=\"#%02x%02x%02x\" stroke=\"#%02x%02x%02x\"/>\n", x(0),
                y(0), x(1), y(1), x(2), y(2), red, green, blue, red, green, blue);
  return text;
}

}  // namespace

std::string surface_picture(const VolumeMesh& mesh, std::span<const double> u, const Placement& placement) {
  const std::vector<std::int32_t> corners = boundary_triangles(mesh);
  const Eigen::Matrix3d turn = view();
  std::vector<Triangle> triangles;
  for (std::size_t t = 0; t < corners.size(); t += 3) {
    Triangle triangle;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto v = 3 * static_cast<std::size_t>(corners[t + i]);
      triangle.corners[i] = turn * (Vector3d::Map(&mesh.vertices[v]) + Vector3d::Map(u.data() + v));
    }
    const Vector3d normal =
        (triangle.corners[1] - triangle.corners[0]).cross(triangle.corners[2] - triangle.corners[0]);
    if (normal.z() > 0) triangles.push_back(triangle);
  }
  const auto depth = [](const Triangle& t) { return t.corners[0].z() + t.corners[1].z() + t.corners[2].z(); };
  std::sort(triangles.begin(), triangles.end(),
            [&](const Triangle& a, const Triangle& b) { return depth(a) < depth(b); });
  std::string picture = "<g stroke-width=\"0.3\">\n";
  for (const Triangle& triangle : triangles) picture += polygon(triangle, placement);
  char label[256];
  std::snprintf(label, sizeof label, "</g>\n<text x=\"%.0f\" y=\"%.0f\">%s</text>\n", placement.x, placement.y + 160,
                placement.label.c_str());
  return picture + label;
}

std::string svg_page(double width, double height, const std::string& elements) {
  char head[256];
  std::snprintf(head, sizeof head,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" font-family=\"Helvetica, "
                "Arial, sans-serif\" font-size=\"15\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
                width, height);
  return head + elements + "</svg>\n";
}

}  // namespace quartic::bench
