// Materials that USD stages bind to tetrahedral meshes.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "quartic/error.hpp"
#include "quartic/mesh.hpp"
#include "support/mesh_reading.hpp"

namespace quartic {
namespace {

using test::MeshReading;
using test::replaced;

// A mesh in a body in a world, and two materials.
const std::string stage = R"(#usda 1.0
(
    metersPerUnit = 1
)

def Xform "World"
{
    def Xform "Body"
    {
        def TetMesh "Gel" (
            prepend apiSchemas = ["MaterialBindingAPI"]
        )
        {
            point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 6)]
            int4[] tetVertexIndices = [(0, 1, 2, 3)]
            rel material:binding:physics = </World/Looks/Soft>
        }
    }

    def Scope "Looks"
    {
        def Material "Soft" ( prepend apiSchemas = ["PhysicsMaterialAPI"] )
        {
            float physics:density = 1100
            float physics:youngsModulus = 50000
            float physics:poissonsRatio = 0.25
            float physics:dynamicFriction = 0.5
        }
        def Material "Hard"
        {
            float physics:density = 7800
            float physics:youngsModulus = 2e11
            float physics:poissonsRatio = 0.3
        }
        def Material "Paint"
        {
            token outputs:surface.connect = </World/Looks/Paint/Shader.outputs:surface>
        }
    }
}
)";
const std::string bound = "rel material:binding:physics = </World/Looks/Soft>";

class UsdaMaterials : public MeshReading {
 protected:
  void expect_material(const std::string& text, double youngs_modulus, double poissons_ratio, double density,
                       std::size_t warnings = 0) const {
    SCOPED_TRACE(text);
    const VolumeMesh mesh = read(text);
    ASSERT_EQ(mesh.regions.size(), 1U);
    ASSERT_TRUE(mesh.regions[0].material) << (mesh.warnings.empty() ? "" : mesh.warnings[0]);
    EXPECT_DOUBLE_EQ(mesh.regions[0].material->youngs_modulus, youngs_modulus);
    EXPECT_DOUBLE_EQ(mesh.regions[0].material->poissons_ratio, poissons_ratio);
    EXPECT_DOUBLE_EQ(mesh.regions[0].material->density, density);
    EXPECT_EQ(mesh.warnings.size(), warnings) << mesh.warnings[0];
  }
  void expect_soft(const std::string& text, std::size_t warnings = 0) const {
    expect_material(text, 5e4, 0.25, 1100, warnings);
  }
  void expect_hard(const std::string& text) const { expect_material(text, 2e11, 0.3, 7800); }
  /// No material, and a warning with these parts, or none at all if there are none.
  void expect_none(const std::string& text, const std::vector<std::string>& parts) const {
    SCOPED_TRACE(text);
    const VolumeMesh mesh = read(text);
    ASSERT_EQ(mesh.regions.size(), 1U);
    EXPECT_FALSE(mesh.regions[0].material);
    ASSERT_EQ(mesh.warnings.size(), parts.empty() ? 0U : 1U);
    for (const std::string& part : parts) EXPECT_NE(mesh.warnings[0].find(part), std::string::npos) << mesh.warnings[0];
  }
};

TEST_F(UsdaMaterials, BoundMaterialsAreTheRegions) {
  expect_soft(stage);
  EXPECT_DOUBLE_EQ(check_mesh(read(stage)).mass.value(), 1100);  // a volume of 6 / 6
}

TEST_F(UsdaMaterials, SpellingsOfOmniverseAndNewton) {
  for (const std::string space :
       {"omniphysics", "physxDeformableBodyMaterial", "physxDeformableBody", "newton:mpm", "newton"}) {
    std::string text = replaced(stage, "physics:density = 1100", space + ":density = 1100");
    text = replaced(text, "physics:youngsModulus = 50000", space + ":youngsModulus = 50000");
    text = replaced(text, "physics:poissonsRatio = 0.25", space + ":poissonsRatio = 0.25");
    expect_soft(text);
  }
  // UsdPhysics' own go before, 0 and -inf stand for none.
  expect_soft(
      replaced(stage, "float physics:density = 1100", "float omniphysics:density = 5\nfloat physics:density = 1100"));
  expect_soft(replaced(stage, "physics:density = 1100", "physics:density = 0\nfloat omniphysics:density = 1100"));
  expect_soft(replaced(stage, "physics:youngsModulus = 50000",
                       "physics:youngsModulus = -inf\nfloat newton:mpm:youngsModulus = 50000"));
  expect_material(replaced(stage, "poissonsRatio = 0.25", "poissonsRatio = 0"), 5e4, 0, 1100);
}

TEST_F(UsdaMaterials, BindingsOfPrimsRoundTheMeshCount) {
  const std::string on_body = replaced(replaced(stage, bound, ""), "def TetMesh", bound + "\n        def TetMesh");
  expect_soft(on_body);
  expect_soft(replaced(stage, bound, "rel material:binding:physics = <../../Looks/Soft>"));
  expect_soft(replaced(stage, bound, "rel material:binding = </World/Looks/Soft>"));
  // The purpose goes before the place, and the nearer before the farther.
  expect_soft(replaced(on_body, "point3f[]", "rel material:binding = </World/Looks/Hard>\npoint3f[]"));
  expect_hard(replaced(on_body, "point3f[]", "rel material:binding:physics = </World/Looks/Hard>\npoint3f[]"));
  // Unless the farther is the stronger.
  const std::string strong = replaced(on_body, bound, bound + " (\nbindMaterialAs = \"strongerThanDescendants\"\n)");
  expect_soft(replaced(strong, "point3f[]", "rel material:binding:physics = </World/Looks/Hard>\npoint3f[]"));
  const std::string weak = replaced(on_body, bound, bound + " (\nbindMaterialAs = \"weakerThanDescendants\"\n)");
  expect_hard(replaced(weak, "point3f[]", "rel material:binding:physics = </World/Looks/Hard>\npoint3f[]"));
  expect_none(replaced(stage, bound, "delete " + bound), {});
  expect_none(replaced(stage, bound, "rel material:binding:physics = None"), {});
}

TEST_F(UsdaMaterials, StageUnitsBecomeSI) {
  // Of a stage in centimetres and grams: 1 g/cm^3 is 1000 kg/m^3, and 1 g/(cm s^2) is 0.1 Pa.
  const std::string cgs = replaced(stage, "metersPerUnit = 1", "metersPerUnit = 0.01\nkilogramsPerUnit = 0.001");
  const VolumeMesh mesh = read(cgs);
  EXPECT_NEAR(mesh.regions.at(0).material.value().youngs_modulus, 5e3, 1e-9);  // a few roundings
  EXPECT_NEAR(mesh.regions[0].material->density, 1.1e6, 1e-6);
  ASSERT_EQ(mesh.warnings.size(), 2U);
  EXPECT_NE(mesh.warnings[1].find("Young's moduli were multiplied by 0.1 "), std::string::npos) << mesh.warnings[1];
  // Mass doesn't depend on the unit of length that it is worked out in.
  EXPECT_NEAR(check_mesh(mesh).mass.value(), 1.1, 1e-12);
  expect_error(replaced(stage, "metersPerUnit = 1", "metersPerUnit = 1\nkilogramsPerUnit = 0"),
               {"m.txt:4: kilogramsPerUnit should be a number above 0"});
}

TEST_F(UsdaMaterials, WhatTheBodySaysOfItsMass) {
  expect_material(replaced(stage, bound, bound + "\nfloat physics:density = 900"), 5e4, 0.25, 900);
  const std::string on_body = replaced(stage, "def TetMesh", "float physics:density = 900\n        def TetMesh");
  expect_material(on_body, 5e4, 0.25, 900);
  expect_material(replaced(on_body, bound, bound + "\nfloat physics:density = 800"), 5e4, 0.25, 800);
  for (const char* mass : {"float physics:mass = 3", "float omniphysics:mass = 3", "float[] physics:masses = [1, 2]"}) {
    const std::string text = replaced(stage, bound, bound + "\n" + mass);
    expect_soft(text, 1);
    EXPECT_NE(read(text).warnings[0].find("TetMesh </World/Body/Gel> has a mass of its own"), std::string::npos);
  }
  expect_soft(replaced(stage, bound, bound + "\nfloat physics:mass = 0"));
}

TEST_F(UsdaMaterials, WhatIsBoundAndCantBeUsedIsNamed) {
  expect_none(replaced(stage, bound, ""), {});
  expect_none(replaced(stage, bound, "rel material:binding = </World/Looks/Paint>"), {});  // for rendering
  expect_none(replaced(stage, bound, "rel material:binding = </World/Looks/Gone>"), {});
  expect_none(replaced(stage, bound, "rel material:binding:physics = </World/Looks/Gone>"),
              {"line 16: TetMesh </World/Body/Gel> is bound to </World/Looks/Gone>, which the stage doesn't have"});
  expect_none(replaced(stage, bound, "rel material:binding:physics = </World/Looks/Paint>"),
              {"material </World/Looks/Paint> gives no youngsModulus, poissonsRatio, density"});
  expect_none(replaced(stage, "float physics:density = 1100", ""),
              {"line 22: material </World/Looks/Soft> gives no density"});
  expect_none(replaced(stage, "float physics:youngsModulus = 50000", "float maker:youngsModulus = 50000"),
              {"gives no youngsModulus", "maker:youngsModulus isn't read"});
  expect_none(replaced(stage, "youngsModulus = 50000", "youngsModulus = (1, 2)"), {"gives no youngsModulus"});
  expect_none(replaced(stage, bound,
                       "rel material:binding:collection:all = [</World/Body.collection:all>, </World/Looks/Soft>]"),
              {"bound to a collection", "TetMesh </World/Body/Gel> itself"});
  // A material that isn't on the stage.
  expect_none(replaced(stage, "def Material \"Soft\"", "over \"Soft\""),
              {"</World/Looks/Soft>, which the stage doesn't have"});
}

TEST_F(UsdaMaterials, VariantsOfMaterialsAreNamed) {
  const auto with = [](const std::string& content) {
    return replaced(stage, "        def Material \"Hard\"",
                    "variantSet \"kind\" = {\n\"a\" {" + content + "}\n\"b\" { }\n}\ndef Material \"Hard\"");
  };
  expect_soft(with("rel material:binding = </World/Looks/Paint>"));
  expect_soft(with("float inputs:density = 1"));
  for (const char* content : {"rel material:binding:physics = </World/Looks/Hard>", "float physics:density = 1",
                              "over \"Soft\" { float omniphysics:youngsModulus = 1 }"}) {
    const std::string text = with(content);
    expect_soft(text, 1);
    EXPECT_NE(read(text).warnings[0].find("variant 'a' of prim </World/Looks> changes its materials"),
              std::string::npos);
  }
}

TEST_F(UsdaMaterials, CutAnywhereIsAMeshOrAnError) {
  for (std::size_t length = 0; length < stage.size(); ++length) {
    try {
      (void)check_mesh(read(stage.substr(0, length)));
    } catch (const Error& error) {
      EXPECT_STRNE(error.what(), "");
    }
  }
}

TEST_F(UsdaMaterials, ReferenceStage) {
  QUARTIC_NEED_DATA(file, "turn2/t23_usd_material.usda");
  const VolumeMesh mesh = read_mesh(file);
  ASSERT_EQ(mesh.regions.size(), 1U);
  EXPECT_EQ(mesh.regions[0].name, "Gel");
  EXPECT_EQ(mesh.regions[0].material.value().youngs_modulus, 5e4);
  EXPECT_EQ(mesh.regions[0].material->poissons_ratio, 0.45);
  EXPECT_EQ(mesh.regions[0].material->density, 1100);
  EXPECT_NEAR(check_mesh(mesh).mass.value(), 550, 1e-10);
  EXPECT_TRUE(mesh.warnings.empty()) << mesh.warnings[0];
}

}  // namespace
}  // namespace quartic
