// Readers of triangle meshes, and what check_surface says of them.
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <string>
#include <vector>

#include "quartic/error.hpp"
#include "quartic/mesh.hpp"
#include "quartic/surface.hpp"
#include "support/base64.hpp"
#include "support/mesh_reading.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

// The unit cube's corners, bit b of a corner's number being its coordinate along axis b.
constexpr const char* cube_vertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n";
constexpr const char* cube_quads = "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";

class TriangleMeshes : public testing::Test {
 protected:
  [[nodiscard]] TriangleMesh read(const std::string& content, const std::string& name = "m.txt") const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    EXPECT_TRUE(looks_like_triangle_mesh(folder_ / name));
    return read_triangle_mesh(folder_ / name);
  }
  void expect_error(const std::string& content, const std::vector<std::string>& parts,
                    const std::string& name = "m.txt") const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    test::expect_error_of<ParseError>([&] { (void)read_triangle_mesh(folder_ / name); }, parts);
  }
  test::TemporaryFolder folder_;
};

void expect_unit_cube(const TriangleMesh& mesh) {
  const SurfaceReport report = check_surface(mesh);
  EXPECT_EQ(mesh.vertex_count(), 8);
  EXPECT_EQ(mesh.triangle_count(), 12);
  EXPECT_EQ(report.warnings, std::vector<std::string>());
  EXPECT_EQ(report.components, 1);
  EXPECT_DOUBLE_EQ(report.area, 6);
  ASSERT_TRUE(report.enclosed_volume.has_value());
  EXPECT_DOUBLE_EQ(*report.enclosed_volume, 1);
  EXPECT_EQ(report.bounding_box, (std::array<double, 6>{0, 0, 0, 1, 1, 1}));
}

template <class Value>
void append(std::string& bytes, Value value, bool big_endian = false) {
  std::array<char, sizeof value> raw;
  std::memcpy(raw.data(), &value, sizeof value);
  if (big_endian) std::reverse(raw.begin(), raw.end());
  bytes.append(raw.data(), raw.size());
}

/// The cube's triangles' corners, as the OBJ reader finds them.
std::vector<std::array<float, 3>> cube_corners(const TriangleMesh& cube) {
  std::vector<std::array<float, 3>> corners;
  for (const std::int32_t v : cube.triangles) {
    const double* x = cube.vertices.data() + 3 * static_cast<std::size_t>(v);
    corners.push_back({static_cast<float>(x[0]), static_cast<float>(x[1]), static_cast<float>(x[2])});
  }
  return corners;
}

std::string binary_stl(const TriangleMesh& mesh) {
  std::string bytes = "solid, as many exporters begin binary files";
  bytes.resize(80);
  append(bytes, static_cast<std::uint32_t>(mesh.triangle_count()));
  const auto corners = cube_corners(mesh);
  for (std::size_t c = 0; c < corners.size(); ++c) {
    if (c % 3 == 0)
      for (int i = 0; i < 3; ++i) append(bytes, 0.0F);
    for (const float x : corners[c]) append(bytes, x);
    if (c % 3 == 2) append(bytes, std::uint16_t{0});
  }
  return bytes;
}

std::string text_stl(const TriangleMesh& mesh) {
  std::string text = " solid cube\n";
  const auto corners = cube_corners(mesh);
  for (std::size_t c = 0; c < corners.size(); ++c) {
    if (c % 3 == 0) text += "facet normal 0 0 0\nouter loop\n";
    text += "vertex " + std::to_string(corners[c][0]) + " " + std::to_string(corners[c][1]) + " " +
            std::to_string(corners[c][2]) + "\n";
    if (c % 3 == 2) text += "endloop\nendfacet\n";
  }
  return text + "endsolid cube\n";
}

// ---- OBJ ----------------------------------------------------------------------------------------------------------

TEST_F(TriangleMeshes, ObjKeepsTheOrderOfVertices) {
  const TriangleMesh mesh = read(std::string("# a cube\no cube\n") + cube_vertices + cube_quads);
  expect_unit_cube(mesh);
  for (int v = 0; v < 8; ++v)
    for (int axis = 0; axis < 3; ++axis)
      EXPECT_EQ(mesh.vertices[static_cast<std::size_t>(3 * v + axis)], v >> axis & 1) << v;
}

TEST_F(TriangleMeshes, ObjCornersHaveTexturesNormalsAndNegativeNumbers) {
  const std::string attributes = "mtllib cube.mtl\nvt 0 0\nvn 0 0 1\nusemtl red\ns off\n";
  expect_unit_cube(read(attributes + cube_vertices +
                        "f 1/1/1 3/1/1 4/1/1 2/1/1\nf 5//1 6//1 8//1 7//1\nf -8 -7 -3 -4\nf 3/1 7/1 8/1 4/1\n"
                        "f 1 5 7 3 # the left\nf 2 4 \\\n  8 6\n"));
  // Numbers count back from the newest vertex at that place, not from the last one of the file.
  const TriangleMesh early = read("v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 5 5 5\n");
  EXPECT_EQ(early.triangles, (std::vector<std::int32_t>{0, 1, 2}));
}

TEST_F(TriangleMeshes, ObjMayHaveOtherLineEndsColoursAndAByteOrderMark) {
  std::string text = "\xEF\xBB\xBF";
  for (const char c : std::string(cube_vertices) + cube_quads) text += c == '\n' ? "\t\r\n" : std::string(1, c);
  expect_unit_cube(read(text));
  expect_unit_cube(
      read(std::string("v 0 0 0 0.5 0.5 0.5\n") + (cube_vertices + std::strlen("v 0 0 0\n")) + cube_quads));
}

TEST_F(TriangleMeshes, DamagedObjFilesAreRefusedByLine) {
  const std::string vertices = cube_vertices;
  expect_error(vertices + "f 1 2 9\n", {"m.txt:9:", "vertex 9", "only 8 before it"});
  expect_error(vertices + "f 1 2 -9\n", {":9:", "vertex -9"});
  expect_error(vertices + "f 1 2 0\n", {":9:", "from 1 on", "'0'"});
  expect_error(vertices + "f 1 2 x\n", {":9:", "'x'"});
  expect_error(vertices + "f 1 2\n", {":9:", "three corners"});
  expect_error("v 0 0\nf 1 1 1\n", {":1:", "vertex 1 should have three coordinates"});
  expect_error("v 0 0 a\nf 1 1 1\n", {":1:", "'a'"});
  expect_error("v 0 0 nan\nf 1 1 1\n", {":1:", "'nan'"});
  expect_error("", {"empty"});
  expect_error("hello\n", {"no triangle mesh", "OBJ"});
  expect_error(vertices, {"no triangle mesh"});
}

// A pentagon with a dent, whose fan from the first corner would leave it. The area tells.
TEST_F(TriangleMeshes, PolygonsWithDentsAreCutInside) {
  for (int first = 0; first < 5; ++first) {
    std::string face = "f";
    for (int c = 0; c < 5; ++c) face += " " + std::to_string((first + c) % 5 + 1);
    const TriangleMesh mesh = read("v 0 0 0\nv 4 0 0\nv 4 4 1\nv 2 1 0.25\nv 0 4 1\n" + face + "\n");
    const SurfaceReport report = check_surface(mesh);
    EXPECT_EQ(mesh.triangle_count(), 3);
    // Seen from above, 16 less the dent's 6, in a plane of slope 1/4.
    EXPECT_NEAR(report.area, 10 * std::sqrt(1 + 1.0 / 16), 1e-14) << first;
    EXPECT_EQ(report.misoriented_edges, 0);
  }
}

TEST_F(TriangleMeshes, QuadrilateralsAreCutAlongTheShorterDiagonal) {
  const TriangleMesh mesh = read("v 0 0 0\nv 2 0 0\nv 3 1 0\nv 1 1 0\nf 1 2 3 4\n");
  for (std::size_t t = 0; t < 2; ++t)  // both triangles have the ends of the diagonal 1-3
    for (const std::int32_t end : {1, 3})
      EXPECT_NE(std::find(mesh.triangles.begin() + static_cast<std::ptrdiff_t>(3 * t),
                          mesh.triangles.begin() + static_cast<std::ptrdiff_t>(3 * t + 3), end),
                mesh.triangles.begin() + static_cast<std::ptrdiff_t>(3 * t + 3));
}

// ---- PLY, STL, glTF -----------------------------------------------------------------------------------------------

TEST_F(TriangleMeshes, PlyOfTextAndBothByteOrders) {
  const std::string counts =
      "element vertex 8\nproperty float x\nproperty float y\nproperty float z\nelement face 6\n"
      "property list uchar int vertex_indices\nend_header\n";
  constexpr std::array<std::array<std::int32_t, 4>, 6> quads = {
      {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}};
  std::string text = "ply\nformat ascii 1.0\ncomment a cube\n" + counts;
  std::string little = "ply\nformat binary_little_endian 1.0\n" + counts;
  std::string big = "ply\nformat binary_big_endian 1.0\n" + counts;
  for (int v = 0; v < 8; ++v) {
    for (int axis = 0; axis < 3; ++axis) {
      const auto x = static_cast<float>(v >> axis & 1);
      text += std::to_string(x) + " ";
      append(little, x);
      append(big, x, true);
    }
    text += "\n";
  }
  for (const auto& quad : quads) {
    text += "4";
    append(little, std::uint8_t{4});
    append(big, std::uint8_t{4});
    for (const std::int32_t v : quad) {
      text += " " + std::to_string(v);
      append(little, v);
      append(big, v, true);
    }
    text += "\n";
  }
  for (const std::string& file : {text, little, big}) {
    const TriangleMesh mesh = read(file);
    expect_unit_cube(mesh);
    for (int v = 0; v < 8; ++v)  // the file's order
      EXPECT_EQ(mesh.vertices[static_cast<std::size_t>(3 * v)], v & 1);
  }
  for (const std::string& file : {text, little, big})
    for (const std::size_t bytes : {40U, 100U}) {
      std::ofstream(folder_ / "cut.ply", std::ios::binary) << file.substr(0, file.size() - bytes);
      EXPECT_THROW((void)read_triangle_mesh(folder_ / "cut.ply"), ParseError) << bytes;
    }
}

// A byte that looks like a line feed follows the header's last line end, which the file's first says is CR alone.
TEST_F(TriangleMeshes, PlyHeadersMayEndLinesWithCr) {
  const std::string header =
      "ply\nformat FORMAT 1.0\nelement vertex 3\nproperty uchar x\nproperty uchar y\nproperty float z\n"
      "element face 1\nproperty list uchar uchar vertex_indices\nend_header\n";
  for (const std::string line_end : {"\n", "\r\n", "\r"}) {
    std::string lines;
    for (const char c : header) lines += c == '\n' ? line_end : std::string(1, c);
    std::string bytes = test::replaced(lines, "FORMAT", "binary_little_endian");
    for (const int x : {10, 13, 2}) {
      append(bytes, static_cast<std::uint8_t>(x));
      append(bytes, std::uint8_t{10});
      append(bytes, 0.5F * static_cast<float>(x));
    }
    for (const int number : {3, 0, 1, 2}) append(bytes, static_cast<std::uint8_t>(number));
    const TriangleMesh mesh = read(bytes);
    EXPECT_EQ(mesh.vertices, (std::vector<double>{10, 10, 5, 13, 10, 6.5, 2, 10, 1}));
    EXPECT_EQ(mesh.triangles, (std::vector<std::int32_t>{0, 1, 2}));
    const std::string rows = "10 10 5\n13 10 6.5\n2 10 1\n3 0 1 2\n";
    std::string text = test::replaced(lines, "FORMAT", "ascii");
    for (const char c : rows) text += c == '\n' ? line_end : std::string(1, c);
    EXPECT_EQ(read(text).vertices, mesh.vertices);
  }
}

TEST_F(TriangleMeshes, StlOfTextAndBinaryJoinsCorners) {
  const TriangleMesh cube = read(std::string(cube_vertices) + cube_quads);
  expect_unit_cube(read(binary_stl(cube)));
  expect_unit_cube(read(text_stl(cube)));
}

TEST_F(TriangleMeshes, StlWithALyingCountIsRefused) {
  std::string bytes = binary_stl(read(std::string(cube_vertices) + cube_quads));
  const std::uint32_t absurd = 4'000'000'000;
  std::memcpy(bytes.data() + 80, &absurd, sizeof absurd);
  expect_error(bytes, {"4000000000 triangles", "200000000084 bytes", "684"}, "cube.STL");
}

TEST_F(TriangleMeshes, PlyHeadersMayHaveTabsAndPropertiesThatNobodyReads) {
  const TriangleMesh mesh = read(
      "ply\r\nformat ascii 1.0\r\nelement vertex 3\r\nproperty float nx\r\nproperty double x\r\nproperty double y\r\n"
      "property double z\r\nelement material 1\r\nproperty\tlist\tuchar\tint\tnumbers\r\nelement face 1\r\n"
      "property\tlist\tuchar\tint\tvertex_index\r\nproperty int flags\r\nend_header\r\n"
      "nan 0.1 0 0\r\nnan 1 0 0\r\n7 0 1 0\r\n2 5 6\r\n3 0 1 2 9\r\n");
  EXPECT_EQ(mesh.vertices, (std::vector<double>{0.1, 0, 0, 1, 0, 0, 0, 1, 0}));  // doubles, to the last bit
  EXPECT_EQ(mesh.triangles, (std::vector<std::int32_t>{0, 1, 2}));
  // Found by fuzzing: a count that no integer can hold.
  std::string bytes =
      "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
      "property float z\nelement face 1\nproperty list double int vertex_index\nend_header\n";
  for (int i = 0; i < 3; ++i) append(bytes, 0.0F);
  append(bytes, 1e300);
  expect_error(bytes, {"whole number"});
}

// Two nodes, one moved and enlarged; the buffer lies in the file itself.
TEST_F(TriangleMeshes, GltfNodesStandWhereTheScenePutsThem) {
  // 0 0 0, 1 0 0, 0 1 0 as floats; 0 1 2 as 16-bit integers
  const std::string buffer = "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAABAAIA";
  const std::string text =
      R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0,1]}],
"nodes":[{"mesh":0},{"mesh":0,"translation":[0,0,5],"scale":[2,2,2]}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],
"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]},
{"bufferView":1,"componentType":5123,"count":3,"type":"SCALAR"}],
"bufferViews":[{"buffer":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":6}],
"buffers":[{"byteLength":42,"uri":"data:application/octet-stream;base64,)" +
      buffer + R"("}]})";
  const TriangleMesh mesh = read(text);
  EXPECT_EQ(mesh.vertices, (std::vector<double>{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 5, 2, 0, 5, 0, 2, 5}));
  EXPECT_EQ(mesh.triangles, (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5}));
  // What it demands may change where vertices are.
  expect_error(test::replaced(text, "{", R"({"extensionsRequired":["EXT_mesh_gpu_instancing"],)"),
               {"EXT_mesh_gpu_instancing", "instances"});
  EXPECT_EQ(read(test::replaced(text, "{", R"({"extensionsRequired":["KHR_materials_unlit"],)")).triangles,
            mesh.triangles);
}

TEST_F(TriangleMeshes, GltfMirrorsAndFansKeepTheirWinding) {
  const std::string head = R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0)";
  const std::string middle = R"(}],"meshes":[{"primitives":[{"attributes":{"POSITION":0},"mode":)";
  const std::string tail = R"(}]}],"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],
"bufferViews":[{"buffer":0,"byteLength":36}],"buffers":[{"byteLength":42,"uri":"data:application/octet-stream;base64,)"
                           R"(AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAABAAIA"}]})";
  const TriangleMesh mirrored = read(head + R"(,"scale":[-1,1,1])" + middle + "4" + tail);
  EXPECT_EQ(mirrored.triangles, (std::vector<std::int32_t>{0, 2, 1}));
  for (const char* mode : {"5", "6"}) EXPECT_EQ(read(head + middle + mode + tail).triangle_count(), 1) << mode;
  expect_error(head + middle + "7" + tail, {"mode 7"});
  expect_error(head + R"(,"children":[0])" + middle + "4" + tail, {"two parents"});
  expect_error(head + middle + "4" + test::replaced(tail, "\"byteLength\":36", "\"byteLength\":35"), {"accessor 0"});
  expect_error(R"({"asset":{"version":"2.0"},"meshes":[],"extras":)" + std::string(100000, '[') + "}", {"nested"});
}

using test::base64;

/// A scene of one mesh. @param more of the top level, and of its primitive
std::string gltf_text(const std::string& buffer, const std::string& views, const std::string& accessors,
                      const std::string& primitive, const std::string& more = "") {
  return R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],"meshes":[{"primitives":[{)" +
         primitive + "}]" + more + R"(}],"accessors":[)" + accessors + R"(],"bufferViews":[)" + views +
         R"(],"buffers":[{"byteLength":)" + std::to_string(buffer.size()) +
         R"(,"uri":"data:application/octet-stream;base64,)" + base64(buffer) + R"("}]})";
}

/// A triangle (0, 0, 0), (1, 0, 0), (0, -1, 1) whose coordinates are integers, four apart, with `largest` for 1.
template <class Integer>
std::string quantised_triangle(int largest, int component_type, bool normalised) {
  std::string buffer;
  for (const int x : {0, 0, 0, 99, largest, 0, 0, 99, 0, -largest, largest, 99})
    append(buffer, static_cast<Integer>(x));
  const std::string stride = std::to_string(4 * sizeof(Integer));
  return gltf_text(buffer,
                   R"({"buffer":0,"byteLength":)" + std::to_string(buffer.size()) + R"(,"byteStride":)" + stride + "}",
                   R"({"bufferView":0,"componentType":)" + std::to_string(component_type) + R"(,"normalized":)" +
                       (normalised ? "true" : "false") + R"(,"count":3,"type":"VEC3"})",
                   R"("attributes":{"POSITION":0})");
}

// Specification, 3.11: c / (2^b - 1), of signed ones max(c / (2^(b-1) - 1), -1).
TEST_F(TriangleMeshes, GltfPositionsMayBeIntegers) {
  const std::vector<double> triangle = {0, 0, 0, 1, 0, 0, 0, -1, 1};
  EXPECT_EQ(read(quantised_triangle<std::int8_t>(127, 5120, true)).vertices, triangle);
  EXPECT_EQ(read(quantised_triangle<std::int16_t>(32767, 5122, true)).vertices, triangle);
  const auto scaled = [&](double factor) {
    std::vector<double> result = triangle;
    for (double& x : result) x *= factor;
    return result;
  };
  EXPECT_EQ(read(quantised_triangle<std::int8_t>(100, 5120, false)).vertices, scaled(100));
  EXPECT_EQ(read(quantised_triangle<std::int16_t>(1000, 5122, false)).vertices, scaled(1000));
  // -largest of unsigned ones is 2^b - largest.
  EXPECT_EQ(read(quantised_triangle<std::uint8_t>(51, 5121, true)).vertices,
            (std::vector<double>{0, 0, 0, 0.2, 0, 0, 0, 205.0 / 255, 0.2}));
  EXPECT_EQ(read(quantised_triangle<std::uint16_t>(13107, 5123, true)).vertices,
            (std::vector<double>{0, 0, 0, 0.2, 0, 0, 0, 52429.0 / 65535, 0.2}));
  EXPECT_EQ(read(quantised_triangle<std::int8_t>(-128, 5120, true)).vertices[3], -1);  // not -128 / 127
  expect_error(quantised_triangle<std::uint32_t>(1, 5125, false), {"floats, or integers of 8 or 16 bits"});
  expect_error(quantised_triangle<double>(1, 5130, false), {"type that glTF doesn't have"});
  const std::string required =
      R"({"extensionsRequired":["KHR_mesh_quantization"],"extensionsUsed":["KHR_mesh_quantization"],)";
  EXPECT_EQ(read(test::replaced(quantised_triangle<std::int8_t>(127, 5120, true), "{", required)).vertices, triangle);
}

// Four vertices, of which entries 1 and 3 are replaced; and four of zeros, of which no view holds any.
TEST_F(TriangleMeshes, GltfAccessorsMayBeSparse) {
  std::string buffer;
  for (const float x : {0.F, 0.F, 0.F, 9.F, 9.F, 9.F, 0.F, 1.F, 0.F, 9.F, 9.F, 9.F}) append(buffer, x);
  for (const float x : {1.F, 0.F, 0.F, 0.F, 0.F, 1.F}) append(buffer, x);
  for (const int place : {1, 3}) append(buffer, static_cast<std::uint16_t>(place));
  for (const int corner : {0, 1, 2, 0, 2, 3}) append(buffer, static_cast<std::uint8_t>(corner));
  const std::string views =
      R"({"buffer":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":24},{"buffer":0,"byteOffset":72,"byteLength":4},
{"buffer":0,"byteOffset":76,"byteLength":6})";
  const std::string sparse =
      R"("componentType":5126,"count":4,"type":"VEC3","sparse":{"count":2,"indices":{"bufferView":2,"componentType":5123},
"values":{"bufferView":1}}},{"bufferView":3,"componentType":5121,"count":6,"type":"SCALAR"})";
  const std::string primitive = R"("attributes":{"POSITION":0},"indices":1)";
  const std::string whole = gltf_text(buffer, views, R"({"bufferView":0,)" + sparse, primitive);
  const TriangleMesh mesh = read(whole);
  EXPECT_EQ(mesh.vertices, (std::vector<double>{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(mesh.triangles, (std::vector<std::int32_t>{0, 1, 2, 0, 2, 3}));
  const std::string zeros = gltf_text(buffer, views, "{" + sparse, primitive);
  EXPECT_EQ(read(zeros).vertices, (std::vector<double>{0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1}));

  const auto changed = [&](const std::string& from, const std::string& to) { return test::replaced(whole, from, to); };
  expect_error(changed(R"("count":2)", R"("count":3)"), {"accessor 0", "doesn't fit"});
  expect_error(changed(R"("count":2)", R"("count":-1)"), {"accessor 0", "sparse"});
  expect_error(changed(R"("count":4)", R"("count":3)"), {"sparse entry 3", "only 3"});
  expect_error(changed(R"({"bufferView":1})", R"({"bufferView":7})"), {"no buffer view 7"});
  expect_error(changed(R"("componentType":5123})", R"("componentType":5126})"), {"indices have a type"});
  // A few bytes can't ask for any number of zeros.
  expect_error(test::replaced(zeros, R"("count":4)", R"("count":150000000)"), {"150000000 entries"});
}

// What a program shows before an animation begins.
TEST_F(TriangleMeshes, GltfMorphTargetsCountByTheirWeights) {
  std::string buffer;
  for (const float x : {0.F, 0.F, 0.F, 1.F, 0.F, 0.F, 0.F, 1.F, 0.F}) append(buffer, x);
  for (const float x : {0.F, 0.F, 4.F, 0.F, 0.F, 0.F, 8.F, 0.F, 0.F}) append(buffer, x);
  const std::string views = R"({"buffer":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":36})";
  const std::string accessors =
      R"({"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"},{"bufferView":1,"componentType":5126,"count":3,"type":"VEC3"})";
  const std::string primitive = R"("attributes":{"POSITION":0},"targets":[{"POSITION":1}])";
  const std::string weighted = gltf_text(buffer, views, accessors, primitive, R"(,"weights":[0.25])");
  EXPECT_EQ(read(weighted).vertices, (std::vector<double>{0, 0, 1, 1, 0, 0, 2, 1, 0}));
  EXPECT_EQ(read(test::replaced(weighted, R"({"mesh":0})", R"({"mesh":0,"weights":[0.5]})")).vertices,
            (std::vector<double>{0, 0, 2, 1, 0, 0, 4, 1, 0}));  // the node's own come first
  EXPECT_EQ(read(gltf_text(buffer, views, accessors, primitive)).vertices,
            (std::vector<double>{0, 0, 0, 1, 0, 0, 0, 1, 0}));
}

// ---- the check ----------------------------------------------------------------------------------------------------

TEST_F(TriangleMeshes, CheckFindsHolesFinsAndTurnedTriangles) {
  const std::string vertices = cube_vertices;
  const std::string quads = cube_quads;
  const auto report = [&](const std::string& text) { return check_surface(read(text)); };
  const std::string open = quads.substr(quads.find('\n') + 1);  // without the bottom
  EXPECT_EQ(report(vertices + open).boundary_edges, 4);
  EXPECT_FALSE(report(vertices + open).enclosed_volume.has_value());
  EXPECT_EQ(report(vertices + open).first_boundary_edge, (std::array<std::int32_t, 2>{0, 1}));

  const SurfaceReport fin = report(vertices + "v 0.5 0 2\n" + quads + "f 5 6 9\n");
  EXPECT_EQ(fin.nonmanifold_edges, 1);
  EXPECT_EQ(fin.first_nonmanifold_edge, (std::array<std::int32_t, 2>{4, 5}));
  EXPECT_EQ(fin.boundary_edges, 2);

  EXPECT_EQ(report(vertices + open + "f 1 2 4 3\n").misoriented_edges, 4);
  std::string inwards = vertices + "f 2 4 3 1\nf 7 8 6 5\nf 5 6 2 1\nf 4 8 7 3\nf 3 7 5 1\nf 6 8 4 2\n";
  EXPECT_DOUBLE_EQ(report(inwards).enclosed_volume.value(), -1);
  EXPECT_EQ(report(inwards).warnings.size(), 1U);

  const SurfaceReport twice = report(vertices + quads + "f 1 3 4\n" + "f 1 1 2\n" + "v 9 9 9\n");
  EXPECT_EQ(twice.repeated_triangles, 1);
  EXPECT_EQ(twice.degenerate_triangles, 1);
  EXPECT_EQ(twice.unreferenced_vertices, 1);
  EXPECT_EQ(twice.bounding_box[3], 1);  // what no triangle has doesn't count
}

TEST_F(TriangleMeshes, LinesHideNoHolesAndWallsNoVolume) {
  const std::string corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n", open = "f 1 3 2\nf 1 2 4\nf 1 4 3\n";
  const SurfaceReport lines = check_surface(read(corners + open + "f 2 2 3\nf 3 3 4\nf 4 4 2\n"));
  EXPECT_EQ(lines.boundary_edges, 3);
  EXPECT_EQ(lines.nonmanifold_edges, 0);
  EXPECT_FALSE(lines.enclosed_volume.has_value());
  // Two pyramids and the wall between them: the volume would depend on the origin.
  const SurfaceReport wall = check_surface(read(corners + "v 0.3 0.3 -1\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
                                                          "f 2 1 5\nf 3 2 5\nf 1 3 5\nf 1 2 3\n"));
  EXPECT_EQ(wall.nonmanifold_edges, 3);
  EXPECT_EQ(wall.boundary_edges, 0);
  EXPECT_FALSE(wall.enclosed_volume.has_value());
}

TEST_F(TriangleMeshes, PolygonsWithABridgeToAHoleKeepTheHole) {
  const TriangleMesh mesh = read(
      "v 0 0 0\nv 4 0 0\nv 4 4 0\nv 0 4 0\nv 1 1 0\nv 1 3 0\nv 3 3 0\nv 3 1 0\n"
      "f 1 2 3 4 1 5 6 7 8 5\n");
  EXPECT_NEAR(check_surface(mesh).area, 12, 1e-14);
}

TEST_F(TriangleMeshes, SeamsCountAsJoined) {
  std::string text = cube_vertices;
  text += cube_vertices;
  const TriangleMesh mesh = read(text + "f 1 3 4 2\nf 5 6 8 7\nf 9 10 14 13\nf 11 15 16 12\nf 1 5 7 3\nf 2 4 8 6\n");
  const SurfaceReport report = check_surface(mesh);
  EXPECT_EQ(report.coincident_vertices, 8);
  EXPECT_EQ(report.components, 1);
  EXPECT_DOUBLE_EQ(report.enclosed_volume.value(), 1);
}

TEST_F(TriangleMeshes, FarBodiesKeepTheirVolume) {
  std::string text;
  for (int v = 0; v < 8; ++v)
    text += "v " + std::to_string(1e6 + 1e-2 * (v & 1)) + " " + std::to_string(1e-2 * (v >> 1 & 1)) + " " +
            std::to_string(-1e6 + 1e-2 * (v >> 2 & 1)) + "\n";
  // Each coordinate is off by up to 2^-34, 6e-9 of the cube.
  EXPECT_NEAR(check_surface(read(text + cube_quads)).enclosed_volume.value(), 1e-6, 4e-14);
}

TEST(SurfaceCheck, RefusesNumbersOutOfRange) {
  EXPECT_THROW((void)check_surface({{0, 0, 0}, {0, 0, 1}, {}}), InputError);
  EXPECT_THROW((void)check_surface({{0, 0, 0}, {0, 0, -1}, {}}), InputError);
}

TEST_F(TriangleMeshes, VolumeMeshesArentTaken) {
  std::ofstream(folder_ / "m.tet") << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nt 0 1 2 3\n";
  EXPECT_FALSE(looks_like_triangle_mesh(folder_ / "m.tet"));
  EXPECT_EQ(read_mesh(folder_ / "m.tet").element_count(), 1);
  EXPECT_FALSE(looks_like_triangle_mesh(folder_ / "missing.obj"));
  EXPECT_THROW((void)read_triangle_mesh(folder_ / "missing.obj"), FileError);
}

TEST(ReferenceSurfaces, HaveTheCountsOfOtherPrograms) {
  QUARTIC_NEED_DATA(data, "public");
  const auto counts = [&](const char* name) {
    const TriangleMesh mesh = read_triangle_mesh(data / name);
    return std::array<std::int64_t, 2>{mesh.vertex_count(), mesh.triangle_count()};
  };
  EXPECT_EQ(counts("pyvista-tetgen/cow.ply"), (std::array<std::int64_t, 2>{2903, 5804}));
  EXPECT_EQ(counts("ipc-toolkit-data/cube.ply"), (std::array<std::int64_t, 2>{8, 12}));
  EXPECT_EQ(counts("vegafem/beam3_tet.obj"), (std::array<std::int64_t, 2>{208, 412}));
}

TEST(ReferenceSurfaces, AQuantisedCubeIsRead) {
  QUARTIC_NEED_DATA(data, "turn2");
  const SurfaceReport cube = check_surface(read_triangle_mesh(data / "t25_quantized.glb"));
  EXPECT_TRUE(cube.closed());
  EXPECT_NEAR(cube.enclosed_volume.value(), 8, 1e-12);
  const std::array<double, 6> box = {1, 0, 0, 3, 2, 2};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(cube.bounding_box[i], box[i], 1e-12) << i;
}

TEST(TrickySurfaces, BehaveAsTheirLogSays) {
  QUARTIC_NEED_DATA(data, "tricky");
  EXPECT_THROW((void)read_triangle_mesh(data / "b07_stl_absurd_count.stl"), ParseError);
  const SurfaceReport relative = check_surface(read_triangle_mesh(data / "b13_negative_indices.obj"));
  EXPECT_EQ(relative.components, 2);
  EXPECT_NEAR(relative.enclosed_volume.value(), 1.0 / 3, 1e-15);
  const TriangleMesh stl = read_triangle_mesh(data / "b15_leading_space_ascii.stl");
  EXPECT_EQ(stl.vertex_count(), 4);
  EXPECT_NEAR(check_surface(stl).enclosed_volume.value(), 1.0 / 6, 1e-15);
  const SurfaceReport fin = check_surface(read_triangle_mesh(data / "b39_nonmanifold_edge.obj"));
  EXPECT_EQ(fin.nonmanifold_edges, 1);
  EXPECT_EQ(fin.boundary_edges, 0);
  EXPECT_EQ(fin.first_nonmanifold_edge, (std::array<std::int32_t, 2>{0, 1}));
}

}  // namespace
}  // namespace quartic
