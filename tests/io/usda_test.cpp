// USD's text files: syntax, places of prims, and what is refused because it comes from elsewhere.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "quartic/error.hpp"
#include "quartic/mesh.hpp"
#include "support/mesh_reading.hpp"

namespace quartic {
namespace {

using test::MeshReading;
using test::replaced_all;

const std::string usda_sample = R"(#usda 1.0
(
    """Written by hand; a "quoted" thing ( [ {"""
    defaultPrim = "Root"
    metersPerUnit = 1
    upAxis = "Y"
    customLayerData = {
        dictionary "a b" = { string c = "}"; int[] d = [1, 2] }
        asset e = @@@x@y.png@@@
    }
)

def Xform "Root" (
    prepend apiSchemas = ["MaterialBindingAPI"]
    kind = "component"
)
{
    double3 xformOp:translate = (10, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    rel material:binding = </Root/Looks/Rubber> ( bindMaterialAs = "weakerThanDescendants" )
    prepend rel others = [</Root/A>, </Root/B.c[</x>]>]
    custom float[] empty = [] # nothing

    def TetMesh "TetA" ( active = true )
    {
        float3[] extent = [(0, 0, 0), (1, 1, 1)]
        point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1e0, 0), (0, 0, +1),] (
            interpolation = "vertex"
        )
        int4[] tetVertexIndices = [(0, 1, 2, 3)]
        int3[] surfaceFaceVertexIndices = [(1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1)]
        normal3f[] normals.timeSamples = { 0: [(0, 0, 1)], 1: None, }
        color3f[] primvars:displayColor.connect = </Root/Looks.color>
        string note = 'it\'s; /* no comment'; token visibility
    }

    /* A second body,
       turned */
    def Xform "Part"
    {
        double xformOp:rotateZ = 90
        float3 xformOp:scale:size = (2, 2, 2)
        uniform token[] xformOpOrder = ["xformOp:rotateZ", "xformOp:scale:size"]
        def TetMesh "TetB"
        {
            point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)] // five
            int4[] tetVertexIndices = [(0, 1, 2, 3), (1, 2, 3, 4)]
        }
    }
    reorder nameChildren = ["Part", "TetA"]
    def Mesh "Surface" { point3f[] points = [(0, 0, 0)]; int[] faceVertexCounts = [] }
}
)";

class Usda : public MeshReading {};

void expect_warning(const VolumeMesh& mesh, const std::string& part) {
  for (const std::string& warning : mesh.warnings)
    if (warning.find(part) != std::string::npos) return;
  ADD_FAILURE() << "no warning: " << part << (mesh.warnings.empty() ? "" : ", but: " + mesh.warnings.front());
}

void expect_usda_sample(const VolumeMesh& mesh) {
  EXPECT_EQ(mesh.vertices, (std::vector<double>{10, 0, 0, 11, 0, 0, 10, 1, 0, 10, 0, 1,  // moved
                                                10, 0, 0, 10, 2, 0, 8,  0, 0, 10, 0, 2, 8, 2, 2}));
  ASSERT_EQ(mesh.blocks.size(), 1U);
  EXPECT_EQ(mesh.blocks[0].type, ElementType::tet4);
  EXPECT_EQ(mesh.blocks[0].vertices, (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7, 5, 6, 7, 8}));
  ASSERT_EQ(mesh.regions.size(), 2U);
  EXPECT_EQ(mesh.regions[0].name, "TetA");
  EXPECT_EQ(mesh.regions[1].name, "TetB");
  EXPECT_EQ(mesh.element_region, (std::vector<std::int32_t>{0, 1, 1}));
}

TEST_F(Usda, PrimsBecomeRegionsOfOneMesh) {
  const VolumeMesh mesh = read(usda_sample);
  expect_usda_sample(mesh);
  EXPECT_TRUE(mesh.warnings.empty()) << mesh.warnings.front();
  EXPECT_TRUE(mesh.vertex_sets.empty());
}

TEST_F(Usda, TakesWhatToolsWrite) {
  const std::string variants[] = {
      replaced_all(usda_sample, "\n", "\r\n"),
      "\xEF\xBB\xBF" + usda_sample,
      replaced_all(usda_sample, "    ", "\t"),
      replaced_all(usda_sample, ", ", " ,\n"),
      usda_sample + "# the end",
      replaced_all(usda_sample, "upAxis = \"Y\"", "upAxis = \"Z\""),
  };
  for (const std::string& variant : variants) {
    SCOPED_TRACE(variant);
    expect_usda_sample(read(variant));
  }
}

TEST_F(Usda, PrimsOfOneNameAreNamedByTheirPaths) {
  const VolumeMesh mesh = read(replaced_all(usda_sample, "TetB", "TetA"));
  ASSERT_EQ(mesh.regions.size(), 2U);
  EXPECT_EQ(mesh.regions[0].name, "/Root/TetA");
  EXPECT_EQ(mesh.regions[1].name, "/Root/Part/TetA");
}

TEST_F(Usda, UnitsBecomeMetres) {
  const VolumeMesh inches = read(replaced_all(usda_sample, "metersPerUnit = 1", "metersPerUnit = 0.0254"));
  EXPECT_EQ(inches.vertices[3], 11 * 0.0254);
  expect_warning(inches, "multiplied by 0.0254 (metersPerUnit)");
  const VolumeMesh unsaid = read(replaced_all(usda_sample, "metersPerUnit = 1\n", ""));
  EXPECT_EQ(unsaid.vertices[3], 11 * 0.01);
  expect_warning(unsaid, "no metersPerUnit");
  expect_error(replaced_all(usda_sample, "metersPerUnit = 1", "metersPerUnit = 0"),
               {"m.txt:5: metersPerUnit should be"});
}

// One tetrahedron under one prim with these operations.
std::string placed(const std::string& operations, const std::string& order, const std::string& type = "Xform") {
  return "#usda 1.0\n(metersPerUnit = 1)\ndef " + type + " \"A\"\n{\n" + operations +
         "\nuniform token[] xformOpOrder = [" + order + "]\n" +
         "def TetMesh \"T\" { point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 3)]\n" +
         "int4[] tetVertexIndices = [(0, 1, 2, 3)] }\n}\n";
}

// Expected positions are written as products of single rotations, worked out by hand.
TEST_F(Usda, Operations) {
  const double s = std::sqrt(0.5);
  struct Case {
    std::string operations, order;
    std::vector<double> expected;
  };
  const Case cases[] = {
      {"double3 xformOp:translate:a = (1, 2, 3)", "\"xformOp:translate:a\"", {1, 2, 3, 2, 2, 3, 1, 4, 3, 1, 2, 6}},
      {"float3 xformOp:scale = (2, 3, 4)", "\"xformOp:scale\"", {0, 0, 0, 2, 0, 0, 0, 6, 0, 0, 0, 12}},
      {"double xformOp:rotateX = 90", "\"xformOp:rotateX\"", {0, 0, 0, 1, 0, 0, 0, 0, 2, 0, -3, 0}},
      {"double xformOp:rotateY = 90", "\"xformOp:rotateY\"", {0, 0, 0, 0, 0, -1, 0, 2, 0, 3, 0, 0}},
      {"double xformOp:rotateZ = -90", "\"xformOp:rotateZ\"", {0, 0, 0, 0, -1, 0, 2, 0, 0, 0, 0, 3}},
      {"double xformOp:rotateZ = 45", "\"xformOp:rotateZ\"", {0, 0, 0, s, s, 0, -2 * s, 2 * s, 0, 0, 0, 3}},
      // About x first, then z; and the other way round.
      {"float3 xformOp:rotateXYZ = (90, 0, 90)", "\"xformOp:rotateXYZ\"", {0, 0, 0, 0, 1, 0, 0, 0, 2, 3, 0, 0}},
      {"float3 xformOp:rotateZYX = (90, 0, 90)", "\"xformOp:rotateZYX\"", {0, 0, 0, 0, 0, 1, -2, 0, 0, 0, -3, 0}},
      // A quarter turn about z as a quaternion, real part first, not normalised.
      {"quatf xformOp:orient = (2, 0, 0, 2)", "\"xformOp:orient\"", {0, 0, 0, 0, 1, 0, -2, 0, 0, 0, 0, 3}},
      {"matrix4d xformOp:transform = ( (0, 1, 0, 0), (-1, 0, 0, 0), (0, 0, 1, 0), (5, 6, 7, 1) )",
       "\"xformOp:transform\"",
       {5, 6, 7, 5, 7, 7, 3, 6, 7, 5, 6, 10}},
      // A quarter turn about z through (1, 0, 0).
      {"double3 xformOp:translate:pivot = (1, 0, 0)\ndouble xformOp:rotateZ = 90",
       "\"xformOp:translate:pivot\", \"xformOp:rotateZ\", \"!invert!xformOp:translate:pivot\"",
       {1, -1, 0, 1, 0, 0, -1, -1, 0, 1, -1, 3}},
      {"double3 xformOp:translate = (1, 2, 3)", "", {0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3}},  // in no order: not applied
      {"double xformOp:translateY = 5\ndouble xformOp:scaleX = 2",
       "\"xformOp:translateY\", \"xformOp:scaleX\"",
       {0, 5, 0, 2, 5, 0, 0, 7, 0, 0, 5, 3}},
  };
  for (const Case& one : cases) {
    const VolumeMesh mesh = read(placed(one.operations, one.order));
    ASSERT_EQ(mesh.vertices.size(), one.expected.size());
    for (std::size_t i = 0; i < one.expected.size(); ++i)  // a few roundings of numbers up to 10
      EXPECT_NEAR(mesh.vertices[i], one.expected[i], 4e-15) << one.operations << " " << i;
  }
  // Prims that can't have a place don't move what is in them.
  EXPECT_EQ(read(placed("double3 xformOp:translate = (1, 2, 3)", "\"xformOp:translate\"", "Scope")).vertices[0], 0);
  // And a prim may stand apart from what it stands in.
  const VolumeMesh reset =
      read(replaced_all(usda_sample, "= [\"xformOp:rotateZ\",", "= [\"!resetXformStack!\", \"xformOp:rotateZ\","));
  EXPECT_EQ(reset.vertices[12], 0);
}

TEST_F(Usda, OperationsThatCantBeDoneAreNamed) {
  expect_error(placed("", "\"xformOp:translate\""),
               {"m.txt:6: prim </A>: the operation 'xformOp:translate' has no value"});
  expect_error(placed("double3 xformOp:shear = (1, 2, 3)", "\"xformOp:shear\""), {"'xformOp:shear' isn't known"});
  expect_error(placed("double2 xformOp:scale = (1, 2)", "\"xformOp:scale\""), {"'xformOp:scale'", "2 numbers"});
  expect_error(placed("double3 xformOp:rotateXXY = (1, 2, 3)", "\"xformOp:rotateXXY\""), {"isn't known"});
  expect_error(placed("quatf xformOp:orient = (0, 0, 0, 0)", "\"xformOp:orient\""), {"'xformOp:orient'"});
  expect_error(
      placed("matrix4d xformOp:transform = ((1,0,0,0),(0,1,0,0),(0,0,1,0.5),(0,0,0,1))", "\"xformOp:transform\""),
      {"'xformOp:transform'"});
  expect_error(placed("float3 xformOp:scale = (1, 0, 1)", "\"!invert!xformOp:scale\""), {"has no inverse"});
  expect_error(placed("float3 xformOp:scale = (1e308, 1e308, 1e308)", "\"xformOp:scale\", \"xformOp:scale\""),
               {"points beyond all bounds"});
}

// Left-handed tetrahedra, and mirrored ones, are turned round; both at once are as they should be.
TEST_F(Usda, OrientationIsMended) {
  const std::string mirrored = placed("float3 xformOp:scale = (-1, 1, 1)", "\"xformOp:scale\"");
  const std::string right = placed("", "");
  const auto left = [](const std::string& text) {
    return replaced_all(text, "(0, 1, 2, 3)", "(0, 2, 1, 3)");  // the same tetrahedron, wound the other way
  };
  const auto mark = [](const std::string& text) {
    return replaced_all(text, "int4[]", "uniform token orientation = \"leftHanded\"\nint4[]");
  };
  for (const std::string& text : {right, mirrored, mark(left(right)), mark(left(mirrored))})
    EXPECT_EQ(check_mesh(read(text)).inverted, 0) << text;
  for (const std::string& text : {left(right), left(mirrored), mark(right), mark(mirrored)})
    EXPECT_EQ(check_mesh(read(text)).inverted, 1) << text;
}

TEST_F(Usda, MovingMeshesStandAtTheirFirstTime) {
  const std::string points = "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1e0, 0), (0, 0, +1),]";
  const std::string samples =
      "point3f[] points.timeSamples = { 2: [(9, 9, 9)], -1: [(0,0,0),(1,0,0),(0,1,0),(0,0,1)], 0: None }";
  const VolumeMesh moving = read(replaced_all(usda_sample, points, samples));
  expect_usda_sample(moving);
  expect_warning(moving, "TetMesh </Root/TetA> moves");
  // A value without time goes before.
  const VolumeMesh both = read(replaced_all(usda_sample, points, samples + "\n" + points));
  expect_usda_sample(both);
  EXPECT_TRUE(both.warnings.empty());
  const VolumeMesh carried =
      read(replaced_all(usda_sample, "double3 xformOp:translate = (10, 0, 0)",
                        "double3 xformOp:translate.timeSamples = { 0: (10, 0, 0), 1: (11, 0, 0) }"));
  expect_usda_sample(carried);
  expect_warning(carried, "prim </Root> moves");
}

TEST_F(Usda, WhatComesFromElsewhereIsNamed) {
  const std::string elsewhere = "usdcat --flatten";
  for (const char* key : {"references", "payload", "inherits", "specializes"}) {
    const std::string arc = std::string("prepend ") + key + " = @./a (b).usd@</X> (offset = 1; scale = 2)";
    // Over or at a mesh.
    expect_error(replaced_all(usda_sample, "kind = \"component\"", arc),
                 {"prim </Root> takes in @./a (b).usd@</X>", key, elsewhere});
    expect_error(replaced_all(usda_sample, "( active = true )", "(" + arc + ")"),
                 {"prim </Root/TetA> takes in", elsewhere});
    // Beside meshes.
    const VolumeMesh beside = read(usda_sample + "def \"Other\" (" + arc + ")\n{\n}\n");
    expect_usda_sample(beside);
    expect_warning(beside, "prim </Other> takes in @./a (b).usd@</X>");
    // Alone.
    expect_error("#usda 1.0\ndef \"Other\" (" + arc + ")\n{\n}\n", {"the stage has no TetMesh", elsewhere});
  }
  expect_usda_sample(read(replaced_all(usda_sample, "kind = \"component\"", "references = None")));
  expect_error(replaced_all(usda_sample, "upAxis = \"Y\"", "subLayers = [ @./base.usda@ (offset = 1), @b.usda@ ]"),
               {"m.txt:6: the stage has the sublayer @./base.usda@", elsewhere});
}

TEST_F(Usda, VariantsOfMeshesAreRefused) {
  const auto with = [](const std::string& content) {
    return replaced_all(usda_sample, "    reorder",
                        "variantSet \"look\" = {\n\"red\" (kind = \"x\") {" + content + "}\n\"blue\" { }\n}\n reorder");
  };
  expect_usda_sample(read(with("float roughness = 1\n def Material \"M\" { token outputs:surface.connect = </a.b> }")));
  const std::string part = "variant 'red' of prim </Root> changes its meshes";
  expect_error(with("def TetMesh \"C\" { }"), {part, "usdcat --flatten"});
  expect_error(with("over \"TetA\" { point3f[] points = [] }"), {part});
  expect_error(with("double3 xformOp:translate = (0, 0, 1)"), {part});
}

TEST_F(Usda, WhatIsNotOnTheStageIsPassedOver) {
  for (const char* head : {"over \"X\"", "class \"X\"", "def \"X\" ( active = false )", "def \"X\" ( active = 0 )"}) {
    const VolumeMesh mesh = read(usda_sample + head + " { def TetMesh \"C\" { } }\n");
    expect_usda_sample(mesh);
    expect_warning(mesh, "prim </X> is ");
    EXPECT_TRUE(read(usda_sample + head + " { }\n").warnings.empty());
  }
  const VolumeMesh subset =
      read(replaced_all(usda_sample, "token visibility", "def GeomSubset \"soft\" { int[] indices = [0] }"));
  expect_usda_sample(subset);
  expect_warning(subset, "the GeomSubset </Root/TetA/soft> was skipped");
}

TEST_F(Usda, MeshesForOtherPurposesAreNamed) {
  for (const char* attribute : {"uniform token purpose = \"guide\"", "token visibility = \"invisible\""}) {
    const VolumeMesh mesh =
        read(replaced_all(usda_sample, "token visibility", std::string(attribute) + "\n        token other"));
    expect_usda_sample(mesh);
    expect_warning(mesh, "and is read all the same");
  }
}

TEST_F(Usda, MeshesWithoutTetrahedraAreRefused) {
  expect_error("#usda 1.0\n", {"the stage has no TetMesh"});
  expect_error("#usda 1.0\ndef Mesh \"M\" { point3f[] points = [(0, 0, 0)] }", {"only 1 of type Mesh", "fTetWild"});
  expect_error("#usda 1.0\ndef TetMesh \"M\" { point3f[] points = []\nint4[] tetVertexIndices = [] }",
               {"have no tetrahedra"});
  expect_error("#usda 1.0\n\ndef TetMesh \"M\" { point3f[] points = [] }",
               {"m.txt:3: TetMesh </M> has no tetVertexIndices"});
  expect_error("#usda 1.0\ndef TetMesh \"M\" { point3f[] points = None\nint4[] tetVertexIndices = [] }",
               {"</M> has no points"});
}

TEST_F(Usda, ErrorsNameLineAndEntity) {
  expect_error(replaced_all(usda_sample, "(1, 2, 3, 4)]", "(1, 2, 3, 5)]"),
               {"m.txt:47: TetMesh </Root/Part/TetB>: tetrahedron 1 has point 5, but the prim has 5 points"});
  expect_error(replaced_all(usda_sample, "(1, 2, 3, 4)]", "(1, 2, 3, -1)]"), {"tetrahedron 1 has point -1"});
  expect_error(replaced_all(usda_sample, "(1, 2, 3, 4)]", "(1, 2, 3, 0.5)]"), {"tetrahedron 1 has point 0.5"});
  expect_error(replaced_all(usda_sample, "(1, 2, 3, 4)]", "(1, 2, 3, 1e300)]"), {"tetrahedron 1 has point 1e+300"});
  expect_error(replaced_all(usda_sample, "(1, 2, 3, 4)]", "(1, 2, 3)]"), {"m.txt:47: entry 1 of a list has 3 numbers"});
  expect_error(replaced_all(usda_sample, "[(0, 1, 2, 3)]", "[0, 1, 2, 3]"),
               {"m.txt:30: TetMesh </Root/TetA> should have 4 numbers"});
  expect_error(replaced_all(usda_sample, "(0, 1e0, 0)", "(0, 1e, 0)"), {"m.txt:27: '1e' is not a number"});
  expect_error(replaced_all(usda_sample, "(0, 1e0, 0)", "(0, nan, 0)"), {"entry 2 of a list has 2 numbers"});
  expect_error(replaced_all(usda_sample, "(0, 1e0, 0)", "(0, -inf, 0)"), {"entry 2 of a list has 2 numbers"});
  expect_error(replaced_all(usda_sample, "(0, 1e0, 0)", "(0 1e0, 0)"), {"m.txt:27: a list of values needs ')'"});
  expect_error(replaced_all(usda_sample, "def Mesh \"Surface\" {", "def Mesh \"Surface\" "),
               {"prim 'Surface' needs '{'"});
  expect_error(replaced_all(usda_sample, "no comment';", "no comment;"), {"m.txt:34: a string has no end"});
  expect_error(replaced_all(usda_sample, "turned */", "turned"), {"a comment has no end"});
  expect_error(replaced_all(usda_sample, "= </Root/Looks/Rubber>", "= </Root/Looks/Rubber"), {"m.txt:"});
  expect_error(replaced_all(usda_sample, "upAxis =", "upAxis"), {"m.txt:6: metadata 'upAxis' needs '='"});
  expect_error(usda_sample.substr(0, usda_sample.size() - 3), {"cut short?"});
}

TEST_F(Usda, HostileNestingIsRefused) {
  std::string prims = "#usda 1.0\n", tuples = "#usda 1.0\ndef TetMesh \"M\" { point3f[] points = ";
  for (int n = 0; n < 200000; ++n) prims += "def \"a\" {", tuples += "(";
  expect_error(prims, {"nested more than 100 deep"});
  expect_error(tuples, {"nested more than 100 deep"});
  EXPECT_THROW((void)read("#usda 1.0\ndef \"M\" { int a = " + std::string(200000, '[')), ParseError);
}

TEST_F(Usda, BinaryStagesAreNamed) {
  expect_error(std::string("PXR-USDC\0\1", 10), {"a binary USD file (.usdc)", "usdcat"});
  std::string packed("PK\3\4", 4);
  packed += std::string(22, '\0') + std::string("\6\0\0\0", 4) + "a.usdc";
  expect_error(packed, {"a packed USD stage (.usdz)", "usdcat"});
}

TEST_F(Usda, CutAnywhereIsAMeshOrAnError) {
  for (std::size_t length = 0; length < usda_sample.size(); ++length) {
    try {
      (void)check_mesh(read(usda_sample.substr(0, length)));
    } catch (const Error& error) {
      EXPECT_STRNE(error.what(), "");
    }
  }
}

TEST_F(Usda, ReferenceStage) {
  QUARTIC_NEED_DATA(file, "public/newton/tetmesh_multi.usda");
  const VolumeMesh mesh = read_mesh(file);
  EXPECT_EQ(mesh.vertex_count(), 9);
  EXPECT_EQ(mesh.element_count(), 3);
  EXPECT_EQ(mesh.element_region, (std::vector<std::int32_t>{0, 1, 1}));
  EXPECT_TRUE(mesh.warnings.empty());
}

}  // namespace
}  // namespace quartic
