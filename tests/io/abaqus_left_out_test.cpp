// What Abaqus decks ask for and quartic leaves out: one list, by line, with amounts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "io/abaqus_decks.hpp"
#include "quartic/error.hpp"
#include "quartic/mesh.hpp"
#include "support/mesh_reading.hpp"

namespace quartic {
namespace {

using test::cube_deck;
using test::has_warning;
using test::joined;
using test::parts_deck;
using test::replaced;

using Indices = std::vector<std::int32_t>;

class AbaqusLeftOut : public test::AbaqusReading {
 protected:
  /// The one warning of a cube with these lines, or "" if there is none.
  [[nodiscard]] std::string warning(const std::string& lines) const {
    const VolumeMesh mesh = read(cube_deck + lines);
    EXPECT_LE(mesh.warnings.size(), 1U) << joined(mesh.warnings);
    return mesh.warnings.empty() ? "" : mesh.warnings.front();
  }
  void expect_listed(const std::string& lines, const std::vector<std::string>& items) const {
    const std::string text = warning(lines);
    for (const std::string& item : items) EXPECT_NE(text.find(item), std::string::npos) << text << "\nlacks: " << item;
  }
};

TEST_F(AbaqusLeftOut, NothingIsToldOfADeckThatAsksForNothingElse) {
  EXPECT_EQ(warning(""), "");
  EXPECT_EQ(warning("*BOUNDARY\nFLOOR, 1, 3\n*STEP\n*FREQUENCY\n5,\n*NODE FILE\nU\n*END STEP\n"), "");
  EXPECT_EQ(warning("*STEP, NLGEOM\n*STATIC\n*CLOAD\n5, 3, -1.\n*DLOAD\nALL, GRAV, 9.81, 0., 0., -1.\n*END STEP\n"),
            "");
}

TEST_F(AbaqusLeftOut, EveryKeywordIsListedOnceInTheOrderOfLines) {
  const std::string text = warning(R"(*TIE, NAME=a
S1, S2
*Orientation, name=o
1., 0., 0., 0., 1., 0.
*MPC
SLIDER, 5, 6, 7
*CONTACT PAIR, INTERACTION=I
S3, S4
*tie, name=b
S5, S6
*INITIAL CONDITIONS, TYPE=STRESS
ALL, 1e6, 0., 0., 0., 0., 0.
*SOMETHING NEW
1.
*STEP
*DYNAMIC, EXPLICIT
, 1.
*FIXED MASS SCALING, FACTOR=100.
*NODE OUTPUT
U
*END STEP
)");
  std::size_t at = 0;
  for (const char* item : {"m.txt: ", "line 22, *TIE (2 times): what it joins moves on its own",
                           "line 24, *Orientation: ", "line 27, *MPC of type SLIDER: what it joins",
                           "line 28, *CONTACT PAIR: surfaces pass through each other",
                           "line 32, *INITIAL CONDITIONS: ", "line 34, *SOMETHING NEW: it isn't known here",
                           "line 39, *FIXED MASS SCALING: masses are those of the materials' densities"}) {
    const std::size_t found = text.find(item, at);
    ASSERT_NE(found, std::string::npos) << text << "\nlacks: " << item;
    at = found;
  }
  EXPECT_EQ(text.find("OUTPUT"), std::string::npos);
}

TEST_F(AbaqusLeftOut, LinesOfIncludedFilesAreNamedWithTheirFile) {
  write("joints.inp", "** ties\n*TIE, NAME=a\nS1, S2\n");
  expect_listed("*INCLUDE, INPUT=joints.inp\n", {"joints.inp:2, *TIE: "});
}

TEST_F(AbaqusLeftOut, ElementsThatAreNoSolidsAreListedByType) {
  expect_listed(
      R"(*ELEMENT, TYPE=SPRINGA, ELSET=SPRINGS
11, 1, 2
12, 3, 4
*SPRING, ELSET=SPRINGS, NONLINEAR
0., 0.
100., 1.
*ELEMENT, TYPE=S4, ELSET=SKIN
13, 1, 2, 3, 4
*ELEMENT, TYPE=CONN3D2
14, 1, 7
*ELEMENT, TYPE=SPRINGA
15, 5, 6
)",
      {"line 23, *ELEMENT of 3 SPRINGA: their stiffness is missing", "line 25, *SPRING: its stiffness is missing",
       "line 29, *ELEMENT of 1 S4: their stiffness and mass are missing",
       "line 31, *ELEMENT of 1 CONN3D2: what they join moves on its own"});
}

// ---- masses ---------------------------------------------------------------------------------------------------------

// At nodes that are of no solid.
const std::string point_masses = R"(*NODE
21, 9., 0., 0.
22, 9., 1., 0.
23, 9., 2., 0.
*ELEMENT, TYPE=MASS, ELSET=TWO
11, 21
12, 22
*ELEMENT, TYPE=MASS, ELSET=ONE
13, 23
*MASS, ELSET=TWO
0.25
*MASS, ELSET=one
1.5
)";

TEST_F(AbaqusLeftOut, PointMassesAreSummedBesideTheMesh) {
  // 2 x 0.25 kg and 1.5 kg, beside 1 m^3 of 1000 kg/m^3.
  const std::string text = warning(point_masses);
  EXPECT_NE(text.find("line 31, *MASS: 2 kg at 3 nodes outside of solids are missing beside the mesh's 1000 kg"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("of 3 MASS"), std::string::npos) << text;  // told already
  expect_listed(point_masses + "*NONSTRUCTURAL MASS, ELSET=ALL, UNITS=TOTAL MASS\n10.\n",
                {"*MASS: 12 kg at 3 nodes outside of solids are missing"});
  expect_listed("*NONSTRUCTURAL MASS, ELSET=ALL, UNITS=MASS PER VOLUME\n10.\n",
                {"line 22, *NONSTRUCTURAL MASS: its mass is missing"});
  expect_listed("*ELEMENT, TYPE=MASS, ELSET=ONE\n13, 7\n", {"line 23, *ELEMENT of 1 MASS: their mass is missing"});
  expect_listed("*ELEMENT, TYPE=MASS, ELSET=ONE\n13, 7\n*MASS, ELSET=ONE\n",
                {"*ELEMENT of 1 MASS: ", "*MASS: its mass is missing"});
  // Of a set that the deck doesn't have: there is nothing to sum.
  expect_listed("*MASS, ELSET=NONE\n1.\n", {"*MASS: no MASS element has it"});
}

TEST_F(AbaqusLeftOut, MassesOfPartsCountForEveryInstance) {
  const VolumeMesh mesh =
      read(replaced(replaced(parts_deck, "*Nset, nset=Base",
                             "*Node\n 44, 9., 9., 9.\n*Element, type=MASS, elset=tip\n 9, 44\n*Mass, elset=tip\n 0.5,\n"
                             "*Nset, nset=Base"),
                    "*Hyperelastic, Neo Hooke\n 1., 2.\n", "*Elastic\n 1e6, 0.3\n"));
  // Two tetrahedra of volume 2 / 6 and 1000 kg/m^3, a cube of 1 and 5 kg/m^3.
  EXPECT_TRUE(has_warning(mesh, {"*Mass: 1 kg at 2 nodes outside of solids are missing beside the mesh's 671.7 kg"}))
      << joined(mesh.warnings);
  const VolumeMesh unknown = read(replaced(cube_deck + point_masses, "*DENSITY\n1000.\n", ""));
  EXPECT_TRUE(
      has_warning(unknown, {"2 kg at 3 nodes outside of solids are missing beside a mesh whose mass isn't known"}));
}

TEST_F(AbaqusLeftOut, ElasticBesideHyperelasticIsTold) {
  const VolumeMesh mesh = read(replaced(cube_deck, "1e6, 0.3\n", "1e6, 0.3\n*HYPERELASTIC, NEO HOOKE\n1., 2.\n"));
  EXPECT_TRUE(has_warning(mesh, {"'GEL' has *ELASTIC and *HYPERELASTIC; *ELASTIC is taken"})) << joined(mesh.warnings);
  EXPECT_EQ(mesh.regions[0].material->law, MaterialLaw::stvk);
}

// ---- supports -------------------------------------------------------------------------------------------------------

TEST_F(AbaqusLeftOut, SupportsThatMoveAreTold) {
  EXPECT_EQ(warning("*BOUNDARY\nFLOOR, 1, 3\nTOP, YSYMM\n5, 3\n6, 2, 3\n"), "");
  EXPECT_EQ(warning("*BOUNDARY\nTOP, 1\nTOP, 2\n*STEP\n*BOUNDARY\nTOP, 3\n*END STEP\n"), "");
  expect_listed("*BOUNDARY\n5, 3, 3, 0.1\n6, 3, 3, 0.1\n", {"line 23, *BOUNDARY that moves its nodes (2 times): "});
  // A node of no solid, such as that of a rigid body, may be held as it likes.
  const std::string with_point = replaced(cube_deck, "8, 0., 1., 1.\n", "8, 0., 1., 1.\n9, 5., 5., 5.\n");
  EXPECT_TRUE(read(with_point + "*BOUNDARY\n9, 1, 1\n1, 1\n").warnings.empty());
  EXPECT_TRUE(has_warning(read(with_point + "*BOUNDARY\n9, 1, 1\n"),
                          {"*BOUNDARY: it holds nodes outside of solids that nothing moves"}));
}

TEST_F(AbaqusLeftOut, SupportsOfLaterStepsAreListed) {
  const std::string first = "*STEP\n*STATIC\n*BOUNDARY\nFLOOR, 1, 3\n*END STEP\n*STEP\n*FREQUENCY\n3\n";
  expect_listed(first + "*BOUNDARY, OP=NEW\nTOP, 1, 3\n*END STEP\n",
                {"line 30, *BOUNDARY of a later step: what the first step fixes stays fixed"});
  EXPECT_EQ(read(cube_deck + first + "*BOUNDARY, OP=NEW\nTOP, 1, 3\n").vertex_sets.at("boundary"),
            (Indices{0, 1, 2, 3}));
  EXPECT_EQ(warning(first + "*BOUNDARY\nTOP, 11, 11, 300.\n*END STEP\n"), "");  // a temperature
}

// ---- loads before *FREQUENCY ----------------------------------------------------------------------------------------

struct Preload {
  const char *step, *load, *frequency_step;
  const char* listed;  // null: modes are those of the unloaded body
};

TEST_F(AbaqusLeftOut, ModesOfTheLoadedBodyAreListed) {
  const Preload cases[] = {
      // CalculiX: PERTURBATION asks for the state that the step before leaves.
      {"*STEP", "*CLOAD\n5, 3, -1.", "*STEP, PERTURBATION", "loaded in a step before (*CLOAD)"},
      {"*STEP", "*CLOAD\n5, 3, -1.", "*STEP", nullptr},
      {"*STEP", "*DLOAD\nALL, CENTRIF, 1e4, 0., 0., 0., 0., 0., 1.", "*STEP, PERTURBATION", "(centrifugal *DLOAD)"},
      {"*STEP", "*DLOAD\nALL, GRAV, 9.81, 0., 0., -1.\n*TEMPERATURE\nTOP, 300.", "*STEP, PERTURBATION",
       "(*DLOAD, *TEMPERATURE)"},
      {"*STEP", "*BOUNDARY\n5, 3, 3, 0.1", "*STEP, PERTURBATION", "(*BOUNDARY that moves nodes)"},
      // Abaqus: *FREQUENCY always may, and asks for it if the deformation was large.
      {"*STEP, NLGEOM", "*CLOAD\n5, 3, -1.", "*STEP", "(*CLOAD)"},
      {"*STEP, NLGEOM=YES", "*CLOAD\n5, 3, -1.", "*STEP, PERTURBATION", "(*CLOAD)"},
      {"*STEP, NLGEOM=NO", "*CLOAD\n5, 3, -1.", "*STEP, NLGEOM=NO, PERTURBATION", nullptr},
      // Nothing that loads the body for good.
      {"*STEP", "*NODE PRINT", "*STEP, PERTURBATION", nullptr},
      {"*STEP, PERTURBATION", "*CLOAD\n5, 3, -1.", "*STEP, PERTURBATION", nullptr}};
  for (const Preload& c : cases) {
    const std::string lines = std::string(c.step) + "\n*STATIC\n" + c.load + "\n*END STEP\n" + c.frequency_step +
                              "\n*FREQUENCY\n3\n*CLOAD\n6, 1, 1.\n*END STEP\n";
    SCOPED_TRACE(lines);
    const std::string text = warning(lines);
    if (c.listed == nullptr) {
      EXPECT_EQ(text, "");
    } else {
      EXPECT_NE(text.find("*FREQUENCY of the body "), std::string::npos) << text;
      EXPECT_NE(text.find(c.listed), std::string::npos) << text;
      EXPECT_NE(text.find("modes are those of the unloaded body"), std::string::npos) << text;
    }
  }
  EXPECT_EQ(warning("*STEP, PERTURBATION\n*FREQUENCY\n3\n*END STEP\n"), "");  // as Abaqus/CAE writes every one
}

TEST_F(AbaqusLeftOut, ScaledMassesOfExplicitStepsAreListed) {
  expect_listed("*STEP\n*DYNAMIC, EXPLICIT\n1e-3, 1., 1e-5\n*END STEP\n",
                {"line 23, *DYNAMIC with a smallest increment, which scales masses"});
  EXPECT_EQ(warning("*STEP\n*DYNAMIC, EXPLICIT\n, 1., , 1e-3\n*END STEP\n"), "");
  EXPECT_EQ(warning("*STEP\n*DYNAMIC\n1e-3, 1., 1e-5\n*END STEP\n"), "");
}

TEST_F(AbaqusLeftOut, LaterStepsThatCantBeReadDontRefuseTheDeck) {
  const std::string first = "*STEP\n*STATIC\n*END STEP\n";
  expect_listed(first + "*STEP\n*BOUNDARY\nTOP, up\n", {"line 27, the steps from here on: ", "'up'"});
  expect_listed(first + "*STEP\n*INCLUDE, INPUT=gone.inp\n", {"the steps from here on: ", "gone.inp"});
  expect_listed(first + "*STEP\n*NSET, NSET=\"open\n", {"the steps from here on: ", "quotation marks"});
  expect_error(cube_deck + "*STEP\n*BOUNDARY\nTOP, up\n", {"m.txt:24", "'up'"});
}

// ---- names of the assembly ------------------------------------------------------------------------------------------

TEST_F(AbaqusLeftOut, SetsOfTheAssemblyMayBeNamedWithItsName) {
  const Indices held = {0, 2, 8, 9, 10, 11};
  const std::string plain = replaced(replaced(parts_deck, "Tet-2.base, 1, 1\nTet-2.4, PINNED\n", ""),
                                     "Tet-2.base, 2, 2\nTet-2.base, 3, 3\n", "");
  EXPECT_EQ(read(plain).vertex_sets.at("boundary"), held);
  EXPECT_EQ(read(replaced(plain, "Held, ENCASTRE", "Assembly.Held, ENCASTRE")).vertex_sets.at("boundary"), held);
  EXPECT_EQ(read(replaced(plain, "Held, ENCASTRE", "ASSEMBLY.held, ENCASTRE")).vertex_sets.at("boundary"), held);
  EXPECT_EQ(read(replaced(plain, "Held, ENCASTRE", "Assembly.Tet-2.base, 1, 3")).vertex_sets.at("boundary"),
            (Indices{4, 5, 6}));
  EXPECT_EQ(read(replaced(plain, "Box-1.18, held", "Box-1.18, assembly.HELD")).vertex_sets.at("Mixed"),
            (Indices{0, 2, 4, 5, 6, 8, 9, 10, 11, 15}));
  // An instance goes before the assembly where both have one name, and what neither has is named.
  EXPECT_EQ(read(replaced(replaced(plain, "name=Assembly", "name=Tet-2"), "Held, ENC", "Tet-2.Base, ENC"))
                .vertex_sets.at("boundary"),
            (Indices{4, 5, 6}));
  EXPECT_EQ(read(replaced(replaced(plain, "name=Assembly", "name=Tet-2"), "Held, ENC", "Tet-2.Held, ENC"))
                .vertex_sets.at("boundary"),
            held);
  expect_error(replaced(plain, "Held, ENCASTRE", "Assembly.Hold, ENCASTRE"), {"m.txt:74", "'Assembly.Hold'"});
  expect_error(replaced(plain, "Held, ENCASTRE", "Other.Held, ENCASTRE"), {"'Other.Held'"});
  expect_error(replaced(plain, "Held, ENCASTRE", "Assembly.Assembly.Held, ENCASTRE"), {"'Assembly.Assembly.Held'"});
  std::string many;
  for (int i = 0; i < 100000; ++i) many += "Assembly.";
  expect_error(replaced(plain, "Held, ENCASTRE", many + "Held, ENCASTRE"), {"doesn't define"});
}

TEST_F(AbaqusLeftOut, NamesAreFoundInAnyCase) {
  const VolumeMesh mesh = read(cube_deck);
  EXPECT_TRUE(mesh.names_ignore_case);
  EXPECT_EQ(find_vertex_set(mesh, "floor"), (Indices{0, 1, 2, 3}));
  EXPECT_EQ(find_vertex_set(mesh, "FLOOR"), (Indices{0, 1, 2, 3}));
  EXPECT_EQ(find_regions(mesh, "All"), Indices{0});
  // The right case goes before another.
  const VolumeMesh two = read(cube_deck + "*NSET, NSET=Boundary\n8\n*BOUNDARY\nFLOOR, 1, 3\n");
  EXPECT_EQ(find_vertex_set(two, "Boundary"), Indices{7});
  EXPECT_EQ(find_vertex_set(two, "boundary"), (Indices{0, 1, 2, 3}));
  EXPECT_THROW((void)find_vertex_set(mesh, "flor"), InputError);
}

// ---- reference data -------------------------------------------------------------------------------------------------

TEST(AbaqusLeftOutData, PublishedSymptoms) {
  QUARTIC_NEED_DATA(folder, "turn2");
  const auto warned = [&](const char* name, const std::vector<std::string>& parts) {
    const VolumeMesh mesh = read_mesh(folder / name);
    EXPECT_TRUE(has_warning(mesh, parts)) << joined(mesh.warnings);
  };
  warned("t17_strut_preload.inp", {"*FREQUENCY of the body loaded in a step before (*CLOAD)"});
  const VolumeMesh hot = read_mesh(folder / "t19_dof_0_0_300.inp");
  EXPECT_EQ(hot.vertex_count(), 20);
  EXPECT_EQ(hot.element_count(), 4);
  EXPECT_EQ(hot.vertex_sets.at("boundary").size(), 4U);
  EXPECT_TRUE(hot.warnings.empty()) << joined(hot.warnings);
  const VolumeMesh assembly = read_mesh(folder / "t37_assembly_set.inp");
  EXPECT_EQ(assembly.vertex_sets.at("boundary"), assembly.vertex_sets.at("FLOOR"));
  EXPECT_EQ(assembly.vertex_sets.at("FLOOR").size(), 4U);
  EXPECT_NEAR(check_mesh(assembly).mass.value(), 1000, 1e-10);  // a sum of a few terms
}

}  // namespace
}  // namespace quartic
