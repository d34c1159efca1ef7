// Reference nodes of Abaqus decks: couplings, rigid bodies, multi-point constraints, and what hangs on them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "io/abaqus_decks.hpp"
#include "quartic/attachments.hpp"
#include "quartic/error.hpp"
#include "quartic/fem.hpp"
#include "quartic/loads.hpp"
#include "quartic/mesh.hpp"
#include "support/mesh_reading.hpp"
#include "support/support.hpp"
#include "supports/supported_boxes.hpp"

namespace {

using Eigen::VectorXd;
using namespace quartic;
using test::cube_deck;
using test::joined;

const std::vector<std::int32_t> floor_nodes = {0, 1, 2, 3}, top_nodes = {4, 5, 6, 7};

// A node beside the cube, and the cube's upper face.
const std::string reference = R"(*NODE
9, 0.7, 0.4, 1.5
*SURFACE, NAME=LID
1, S2
)";
const std::string kinematic = reference + "*COUPLING, CONSTRAINT NAME=C, REF NODE=9, SURFACE=LID\n*KINEMATIC\n";
const std::string distributing = reference + "*COUPLING, CONSTRAINT NAME=C, REF NODE=9, SURFACE=LID\n*DISTRIBUTING\n";
const std::string motor = R"(*ELEMENT, TYPE=MASS, ELSET=MOTOR
21, 9
*ELEMENT, TYPE=ROTARYI, ELSET=ROTOR
22, 9
*MASS, ELSET=MOTOR
300.
*ROTARY INERTIA, ELSET=ROTOR
20., 30., 40., 5., -3., 4.
)";
const RigidMass motor_mass{.mass = 300, .centre = {0.7, 0.4, 1.5}, .inertia = {20, 30, 40, 5, -3, 4}};

class DeckLinks : public test::AbaqusReading {
 protected:
  [[nodiscard]] VolumeMesh cube() const { return read(cube_deck); }
  [[nodiscard]] VolumeMesh cube_with(const std::string& lines) const {
    VolumeMesh mesh = read(cube_deck + lines);
    EXPECT_TRUE(mesh.warnings.empty()) << joined(mesh.warnings);
    return mesh;
  }
  [[nodiscard]] static Supports boundary(const VolumeMesh& mesh) {
    Supports supports;
    if (const auto set = mesh.vertex_sets.find("boundary"); set != mesh.vertex_sets.end())
      supports.fixed_vertices = set->second;
    if (const auto set = mesh.support_sets.find("boundary"); set != mesh.support_sets.end())
      supports.constraints = set->second;
    return supports;
  }
};

void expect_equal_modes(const VectorXd& found, const VectorXd& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (Eigen::Index i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-9 * expected.tail(1)[0]) << i;
  EXPECT_NEAR(found[0] / expected[0], 1, 1e-9);
}

VectorXd modes_with_motor(VolumeMesh mesh, Link link) {
  attach_rigid_mass(mesh, top_nodes, motor_mass, link);
  return test::dense_eigenvalues(mesh, floor_nodes);
}

TEST_F(DeckLinks, CarryAMotorRigidly) {
  const VectorXd expected = modes_with_motor(cube(), Link::rigid);
  const std::string beams = reference + "*MPC\nBEAM, 5, 9\nBEAM, 6, 9\nBEAM, 7, 9\nBEAM, 8, 9\n";
  const std::string sets = reference + "*MPC\nBEAM, TOP, 9\n";
  const std::string body = reference + "*RIGID BODY, REF NODE=9, NSET=TOP\n";
  const std::string old = reference + "*KINEMATIC COUPLING, REF NODE=9\nTOP, 1, 6\n";
  const std::string lines = reference + "*COUPLING, CONSTRAINT NAME=C, REF NODE=9, SURFACE=LID\n*KINEMATIC\n1, 3\n";
  const std::string chain = reference + "*NODE\n10, 2., 2., 2.\n*MPC\nBEAM, TOP, 10\nBEAM, 10, 9\n";
  for (const std::string& link : {kinematic, beams, sets, body, old, lines, chain}) {
    const VolumeMesh mesh = cube_with(link + motor);
    EXPECT_EQ(mesh.masses.size(), 4U) << link;
    expect_equal_modes(test::dense_eigenvalues(mesh, floor_nodes), expected);
  }
}

TEST_F(DeckLinks, CarryAMotorInTheMean) {
  const VolumeMesh mesh = cube_with(distributing + motor);
  expect_equal_modes(test::dense_eigenvalues(mesh, floor_nodes), modes_with_motor(cube(), Link::mean));
  // A mass alone is one at the reference node.
  const VolumeMesh ball = cube_with(distributing + "*ELEMENT, TYPE=MASS, ELSET=M\n21, 9\n*MASS, ELSET=M\n3.\n");
  ASSERT_EQ(ball.masses.size(), 1U);
  EXPECT_EQ(ball.masses[0].vertex, 8);
  EXPECT_EQ(ball.vertex_count(), 9);
}

TEST_F(DeckLinks, AreHeldByTheirReferenceNode) {
  const VolumeMesh bare = cube();
  std::vector<std::int32_t> both = floor_nodes;
  both.insert(both.end(), top_nodes.begin(), top_nodes.end());
  const VolumeMesh clamped = cube_with(kinematic + "*BOUNDARY\n9, ENCASTRE\n1, 1, 3\n");
  const SparseMatrix t = freedom_map(clamped, boundary(clamped));
  EXPECT_EQ(t.cols, 9);  // three nodes of the floor
  std::vector<std::int32_t> held = top_nodes;
  held.push_back(0);
  expect_equal_modes(test::dense_eigenvalues(clamped, boundary(clamped)), test::dense_eigenvalues(bare, held));
  // Pinned, it turns about its node: three rigid motions are left.
  const VolumeMesh pinned = cube_with(kinematic + "*BOUNDARY\n9, PINNED\n");
  EXPECT_EQ(rigid_modes(pinned, mass_matrix(pinned), boundary(pinned)).cols, 3);
  const VolumeMesh turned = cube_with(distributing + "*BOUNDARY\n9, 4, 6\n");
  EXPECT_EQ(rigid_modes(turned, mass_matrix(turned), boundary(turned)).cols, 3);
  EXPECT_TRUE(cube_with(kinematic + "*BOUNDARY\n1, 4, 6\n2, 1, 3\n").support_sets.empty());  // rotations of a solid's
}

// CalculiX gives rotations to a node of their own.
TEST_F(DeckLinks, TurnByTheRotationNode) {
  const std::string body = reference + "*NODE\n10, 5., 5., 5.\n*RIGID BODY, REF NODE=9, ROT NODE=10, NSET=TOP\n";
  VolumeMesh by_node = cube_with(body + "*BOUNDARY\n10, 3\n9, 1\n");
  EXPECT_EQ(drop_unreferenced_vertices(by_node).size(), 9U);  // without that node
  const VolumeMesh by_direction = cube_with(kinematic + "*BOUNDARY\n9, 6\n9, 1\n");
  expect_equal_modes(test::dense_eigenvalues(by_node, boundary(by_node)),
                     test::dense_eigenvalues(by_direction, boundary(by_direction)));
}

TEST_F(DeckLinks, CarrySprings) {
  const std::string springs = R"(*ELEMENT, TYPE=SPRING1, ELSET=TWIST
31, 9
*SPRING, ELSET=TWIST
6
700.
*ELEMENT, TYPE=SPRINGA, ELSET=STRUT
32, 9, 1
*SPRING, ELSET=STRUT

500.
)";
  const VolumeMesh mesh = cube_with(distributing + springs);
  VolumeMesh expected = cube();
  expected.springs = {{mean_rotation(expected, top_nodes, {0, 0, 1}), 700}};
  VolumeMesh with_point = expected;
  attach_rigid_mass(with_point, top_nodes, {.mass = 0, .centre = {0.7, 0.4, 1.5}}, Link::mean);
  const Eigen::Vector3d away = Eigen::Vector3d(-0.7, -0.4, -1.5).normalized();
  with_point.springs.push_back({{{0, test::array_of(away)}, {8, test::array_of(-away)}}, 500});
  const std::vector<std::int32_t> held = {1, 2, 3};
  expect_equal_modes(test::dense_eigenvalues(mesh, held), test::dense_eigenvalues(with_point, held));
}

TEST_F(DeckLinks, TakePartInEquations) {
  // The lid turns about z as much as its first corner moves along y.
  const VolumeMesh mesh = cube_with(kinematic + "*EQUATION\n2\n9, 6, 1., 5, 2, -1.\n");
  const Eigen::MatrixXd t = freedom_map(mesh, {}).map().toDense();
  const auto numbers = test::random_numbers(static_cast<std::size_t>(t.cols()), 3);
  const VectorXd u = t * VectorXd::Map(numbers.data(), t.cols());
  double rotation = 0;
  for (const DisplacementTerm& term : mean_rotation(cube(), top_nodes, {0, 0, 1}))
    rotation += Eigen::Vector3d::Map(term.factors.data()).dot(u.segment<3>(3 * Eigen::Index{term.vertex}));
  EXPECT_NEAR(rotation, u[3 * 4 + 1], 1e-12);
}

TEST_F(DeckLinks, JoinByMultiPointConstraints) {
  const VolumeMesh mesh = cube_with("*MPC\nTIE, 5, 1\nPIN, 6, 2\nLINEAR, 7, 8, 3\nLINK, 8, 2\n");
  const Eigen::MatrixXd t = freedom_map(mesh, {}).map().toDense();
  const auto numbers = test::random_numbers(static_cast<std::size_t>(t.cols()), 6);
  const VectorXd u = t * VectorXd::Map(numbers.data(), t.cols());
  const auto at = [&](Eigen::Index node) { return Eigen::Vector3d(u.segment<3>(3 * (node - 1))); };
  EXPECT_EQ(t.cols(), 24 - 3 * 3 - 1);
  EXPECT_LE((at(5) - at(1)).norm(), 1e-14);
  EXPECT_LE((at(6) - at(2)).norm(), 1e-14);
  EXPECT_LE((at(7) - (at(8) + at(3)) / 2).norm(), 1e-14);  // half way between them, as near as it comes
  EXPECT_NEAR((at(8) - at(2)).dot(Eigen::Vector3d(-1, 1, 1)), 0, 1e-14);
  EXPECT_THROW(static_cast<void>(read(cube_deck + "*MPC\nLINEAR, 5, 1\n")), ParseError);
  EXPECT_THROW(static_cast<void>(read(cube_deck + "*NSET, NSET=TWO\n1, 2\n*MPC\nTIE, TOP, TWO\n")), ParseError);
}

// As Abaqus/CAE writes them: parts, and reference points in the assembly, behind the instances' nodes.
TEST_F(DeckLinks, OfAnAssemblyMoveItsParts) {
  const std::string nodes = cube_deck.substr(0, cube_deck.find("*SOLID"));
  const std::string material =
      cube_deck.substr(cube_deck.find("*MATERIAL"), cube_deck.find("*NSET") - cube_deck.find("*MATERIAL"));
  const VolumeMesh mesh = read("*PART, NAME=P\n" + nodes + R"(*SOLID SECTION, ELSET=ALL, MATERIAL=GEL
*END PART
*ASSEMBLY, NAME=A
*INSTANCE, NAME=I, PART=P
*END INSTANCE
*NODE
1, 0.7, 0.4, 1.5
*NSET, NSET=RP
1,
*NSET, NSET=TOP, INSTANCE=I
5, 6, 7, 8
*NSET, NSET=FLOOR, INSTANCE=I
1, 2, 3, 4
*ELSET, ELSET=_LID_S2, INTERNAL, INSTANCE=I
1,
*SURFACE, NAME=LID, TYPE=ELEMENT
_LID_S2, S2
*ELEMENT, TYPE=MASS, ELSET=MOTOR
1, 1
*ELEMENT, TYPE=ROTARYI, ELSET=ROTOR
2, 1
*MASS, ELSET=MOTOR
300.
*ROTARY INERTIA, ELSET=ROTOR
20., 30., 40., 5., -3., 4.
*COUPLING, CONSTRAINT NAME=C, REF NODE=RP, SURFACE=LID
*KINEMATIC
*END ASSEMBLY
)" + material);
  EXPECT_TRUE(mesh.warnings.empty()) << joined(mesh.warnings);
  EXPECT_EQ(mesh.vertex_sets.at("RP"), std::vector<std::int32_t>{8});
  expect_equal_modes(test::dense_eigenvalues(mesh, mesh.vertex_sets.at("FLOOR")),
                     modes_with_motor(cube(), Link::rigid));
}

TEST_F(DeckLinks, AreToldWhereTheyCantBeMade) {
  const auto expect_told = [&](const std::string& lines, const std::string& why) {
    const VolumeMesh mesh = read(cube_deck + lines);
    EXPECT_TRUE(mesh.joints.empty()) << lines;
    EXPECT_TRUE(test::has_warning(mesh, {why.c_str()})) << joined(mesh.warnings) << "\nlacks: " << why;
  };
  const std::string start = reference + "*COUPLING, REF NODE=9, SURFACE=LID";
  expect_told(start + "\n", "*COUPLING: what it joins moves on its own, since neither *KINEMATIC nor *DISTRIBUTING");
  expect_told(start + ", INFLUENCE RADIUS=1.\n*KINEMATIC\n", "since INFLUENCE RADIUS isn't known here");
  expect_told(start + ", ORIENTATION=O\n*KINEMATIC\n1, 1\n", "since it is about single directions of an ORIENTATION");
  expect_told(start + "\n*DISTRIBUTING, WEIGHTING METHOD=LINEAR\n", "only the WEIGHTING METHOD of UNIFORM");
  expect_told(start + "\n*DISTRIBUTING\n1, 3\n", "leaves the rotations of a reference node free");
  expect_told(start + "\n*DISTRIBUTING\n1, 2\n", "a mean motion in single directions isn't known here");
  expect_told(reference + "*COUPLING, REF NODE=9, SURFACE=NONE\n*KINEMATIC\n", "is in a part, or of no solid");
  expect_told(reference + "*COUPLING, REF NODE=TOP, SURFACE=LID\n*KINEMATIC\n",
              "has 4 nodes of the mesh instead of one");
  expect_told(reference + "*RIGID BODY, REF NODE=9, NSET=TOP, POSITION=CENTER OF MASS\n", "give its position");
  expect_told("*MPC\nSLIDER, 5, 6, 7\n", "*MPC of type SLIDER: what it joins moves on its own, since its type");
  expect_told(reference + "*MPC\nPIN, 9, 5\n", "it names nodes outside of solids that nothing moves");
  for (const char* type : {"TIE, 5, 5", "PIN, TOP, TOP", "LINK, 6, 6", "LINEAR, 5, 5, 6"})
    expect_told(std::string("*MPC\n") + type + "\n", "it joins a node to itself, which says nothing");
  try {
    (void)read(cube_deck + reference + "*MPC\nBEAM, 9\n");
    ADD_FAILURE() << "read";
  } catch (const ParseError& error) {
    EXPECT_NE(std::string(error.what()).find("takes nodes or sets, and then the node that they follow"),
              std::string::npos)
        << error.what();
  }
  const VolumeMesh plate = read(cube_deck + kinematic + test::replaced(motor, "20., 30., 40.", "20., 30., 90."));
  EXPECT_TRUE(test::has_warning(plate, {"*ROTARY INERTIA: its inertia is missing, since", "no body has these moments"}))
      << joined(plate.warnings);
  ASSERT_EQ(plate.masses.size(), 1U);
  EXPECT_EQ(plate.masses[0].mass, 300);
  const VolumeMesh line = read(cube_deck + reference + "*KINEMATIC COUPLING, REF NODE=9\n5, 1, 3\n6, 1, 3\n");
  EXPECT_TRUE(test::has_warning(line, {"its nodes are on a line or at one place"})) << joined(line.warnings);
}

// Millimetres beside metres, say: as the deck has it, but not without a word.
TEST_F(DeckLinks, TellOfReferencesFarAway) {
  const auto at = [&](const std::string& place, const std::string& deck) {
    return read(cube_deck + test::replaced(deck, "0.7, 0.4, 1.5", place));
  };
  for (const std::string& deck : {kinematic, distributing, reference + "*MPC\nBEAM, TOP, 9\n"}) {
    EXPECT_TRUE(at("0.7, 0.4, 18.", deck).warnings.empty()) << deck;  // 17 m, less than 10 diagonals
    const VolumeMesh mesh = at("700., 400., 1500.", deck);
    ASSERT_EQ(mesh.warnings.size(), 1U) << joined(mesh.warnings);
    EXPECT_TRUE(test::has_warning(mesh, {"the reference node of *", ", '9', is 1.7e+03 m away from the body", "1.73 m",
                                         "other units than the mesh's, scale them"}))
        << joined(mesh.warnings);
    EXPECT_FALSE(mesh.joints.empty());
  }
}

// Along x the reference amid the lid moves as the lid does; a force on it there isn't lost. Farther away it also moves
// as it turns, which the lid's displacements along x alone don't say, and that is what is told.
TEST_F(DeckLinks, InSingleDirectionsPassForcesOnWhereTheySayHow) {
  const std::string x_alone =
      "*COUPLING, CONSTRAINT NAME=C, REF NODE=9, SURFACE=LID\n*KINEMATIC\n1, 1\n"
      "*STEP\n*STATIC\n*CLOAD\n9, 1, 4.\n*END STEP\n";
  const auto loads_of = [&](const std::string& lines, std::vector<std::string>& warnings) {
    const std::filesystem::path file = folder_ / "single.inp";
    std::ofstream(file) << cube_deck + lines;
    const VolumeMesh mesh = read_mesh(file);
    return load_totals(mesh, force_vector(read_loads(file, mesh, warnings).forces, mesh.vertex_count()));
  };
  std::vector<std::string> none, told;
  const LoadTotals amid = loads_of("*NODE\n9, 0.5, 0.5, 1.\n*SURFACE, NAME=LID\n1, S2\n" + x_alone, none);
  EXPECT_TRUE(none.empty()) << joined(none);
  EXPECT_NEAR(amid.force[0], 4, 1e-12);
  const LoadTotals away = loads_of(reference + x_alone, told);
  EXPECT_EQ(away.force[0], 0);
  EXPECT_NE(joined(told).find("its motion along this direction depends on how it turns"), std::string::npos)
      << joined(told);
}

TEST_F(DeckLinks, OfNodesWithTwoFramesAreRefused) {
  const std::string frames =
      "*TRANSFORM, NSET=TOP\n1., 1., 0., -1., 1., 0.\n*TRANSFORM, NSET=ALSO\n0., 1., 0., 1., 0., 0.\n";
  try {
    (void)read(cube_deck + "*NSET, NSET=ALSO\n5\n" + frames);
    ADD_FAILURE() << "read";
  } catch (const ParseError& error) {
    EXPECT_NE(
        std::string(error.what()).find("*TRANSFORM of 'ALSO' turns nodes that another one, of 'TOP', turns already"),
        std::string::npos)
        << error.what();
  }
}

}  // namespace
