// Names of sets and regions on the command line, and what commands tell of what a mesh file asks for.
#include <fstream>
#include <string>

#include "quartic/quartic.hpp"
#include "support/command.hpp"

namespace quartic {
namespace {

using test::CommandResult;
using test::run_quartic;

/// Two cubes side by side, with four vertices on each of three walls.
std::string two_cubes(const char* row_start, const char* separator) {
  std::string text;
  for (int i = 0; i < 12; ++i)
    text += row_start + std::to_string(i + 1) + separator + std::to_string(i / 4) + separator +
            std::to_string(i / 2 % 2) + separator + std::to_string(i % 2) + "\n";
  return text;
}

const std::string deck = "*NODE\n" + two_cubes("", ", ") + R"(*ELEMENT, TYPE=C3D8, ELSET=Body
1, 1, 5, 7, 3, 2, 6, 8, 4
2, 5, 9, 11, 7, 6, 10, 12, 8
*NSET, NSET=Wall
1, 2, 3, 4
*SOLID SECTION, ELSET=Body, MATERIAL=Gel
*MATERIAL, NAME=Gel
*ELASTIC
1e6, 0.3
*DENSITY
1000.
)";

// Two physical volumes of one name.
const std::string groups =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n2 1 \"wall\"\n3 2 \"block\"\n"
    "3 3 \"block\"\n$EndPhysicalNames\n$Nodes\n12\n" +
    two_cubes("", " ") +
    "$EndNodes\n$Elements\n3\n1 3 2 1 1 1 2 4 3\n2 5 2 2 1 1 5 7 3 2 6 8 4\n"
    "3 5 2 3 2 5 9 11 7 6 10 12 8\n$EndElements\n";

class MeshNamesCommand : public testing::Test {
 protected:
  CommandResult run(const std::string& arguments) const { return run_quartic(folder_.path(), arguments); }
  void write(const char* name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  [[nodiscard]] std::vector<Region> regions(const std::string& materials) const {
    write("materials.json", materials);
    const CommandResult result =
        run("modes groups.msh --fix-set wall --modes 2 --materials materials.json -o groups.qrt");
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return load_model(folder_ / "groups.qrt").mesh.regions;
  }

  test::TemporaryFolder folder_;
};

TEST_F(MeshNamesCommand, SetsOfDecksAreFoundInAnyCase) {
  write("deck.inp", deck);
  for (const char* name : {"Wall", "WALL", "wall"}) {
    const CommandResult result = run("modes deck.inp --modes 2 -o deck.qrt --json --fix-set " + std::string(name));
    ASSERT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(result.json()["fixed_vertices"], 4);
  }
  write("soft.json", R"({"BODY": {"youngs_modulus": 4e6}})");
  EXPECT_EQ(run("modes deck.inp --modes 2 -o deck.qrt --fix-set wall --materials soft.json").exit_code, 0);
  EXPECT_EQ(load_model(folder_ / "deck.qrt").mesh.regions[0].material->youngs_modulus, 4e6);
  // Gmsh's names are as they are.
  write("groups.msh", groups);
  const CommandResult refused =
      run("modes groups.msh --modes 2 -o groups.qrt --fix-set Wall --youngs-modulus 1e6 "
          "--poissons-ratio 0.3 --density 1000");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.errors.find("no vertex set 'Wall'; it has: 'wall'"), std::string::npos) << refused.errors;
}

TEST_F(MeshNamesCommand, RegionsOfOneNameAreToldApart) {
  write("groups.msh", groups);
  const CommandResult info = run("info groups.msh");
  EXPECT_NE(info.output.find("'block#1': no material"), std::string::npos) << info.output;
  EXPECT_NE(info.output.find("'block#2': no material"), std::string::npos) << info.output;
  EXPECT_NE(info.errors.find("2 regions share their name with others"), std::string::npos) << info.errors;
  const std::string all = R"("block": {"youngs_modulus": 1e6, "poissons_ratio": 0.3, "density": 1000})";
  const std::vector<Region> alike = regions("{" + all + "}");
  ASSERT_EQ(alike.size(), 2U);
  EXPECT_EQ(alike[0].material->density, 1000);
  EXPECT_EQ(alike[1].material->density, 1000);
  const std::vector<Region> different = regions("{" + all + R"(, "block#2": {"density": 2000}})");
  EXPECT_EQ(different[0].material->density, 1000);
  EXPECT_EQ(different[1].material->density, 2000);
  EXPECT_EQ(different[1].material->youngs_modulus, 1e6);
  write("materials.json", "{" + all + R"(, "block#3": {"density": 2000}})");
  const CommandResult refused =
      run("modes groups.msh --fix-set wall --modes 2 --materials materials.json -o groups.qrt");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.errors.find("materials.json: the mesh has no region 'block#3'; it has: 'block#1' 'block#2'"),
            std::string::npos)
      << refused.errors;
}

TEST_F(MeshNamesCommand, WhatADeckAsksForIsToldByEveryCommand) {
  write("deck.inp", deck + "*TIE, NAME=t\nS1, S2\n*BOUNDARY\nWall, 1, 3\n9, 2, 2\n");
  const std::string told = "warning: deck.inp: not all that this deck asks for is done here";
  for (const char* command :
       {"info deck.inp", "modes deck.inp --modes 2 --fix-set boundary -o x.qrt",
        "reduce deck.inp --modes 2 --rank 3 --fix-set boundary -o x.qrt",
        "solve deck.inp --fix-set boundary --gravity 0,0,-9.81 --static -o x.qsnap", "convert deck.inp x.msh"}) {
    const CommandResult result = run(command);
    EXPECT_EQ(result.exit_code, 0) << command << result.errors;
    EXPECT_NE(result.errors.find(told), std::string::npos) << command << result.errors;
    EXPECT_NE(result.errors.find("line 25, *TIE: what it joins moves on its own"), std::string::npos) << result.errors;
  }
  EXPECT_EQ(run("info deck.inp --strict").exit_code, 1);
}

TEST_F(MeshNamesCommand, ModelsOfFEBioAreNamed) {
  write("model.feb",
        "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<!-- made by hand -->\n"
        "<febio_spec version=\"4.0\">\n<Mesh/>\n</febio_spec>\n");
  const CommandResult result = run("info model.feb");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.errors.find("looks like an FEBio model (.feb)"), std::string::npos) << result.errors;
  EXPECT_NE(result.errors.find("--materials"), std::string::npos) << result.errors;
  write("other.xml", "<?xml version=\"1.0\"?>\n<Xdmf/>\n");
  EXPECT_EQ(run("info other.xml").errors.find("FEBio"), std::string::npos);
}

}  // namespace
}  // namespace quartic
