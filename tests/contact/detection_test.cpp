// Contacts by tree and leaves against all points one by one.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "contact/contact_models.hpp"
#include "quartic/contact.hpp"
#include "quartic/error.hpp"
#include "quartic/frame_moments.hpp"
#include "support/error_message.hpp"

namespace quartic {
namespace {

using namespace test;
using Eigen::Matrix3Xd;
using Eigen::Quaterniond;
using Eigen::Vector3d;

// A cube with a corner cut off.
MeshShape cut_cube() {
  const ReducedModel& model = flying_block();
  const SurfaceEmbedding surface = boundary_surface(model.mesh);
  MeshShape mesh;
  std::vector<std::int32_t> number(surface.vertices.size() / 3, -1);
  for (const std::int32_t v : surface.triangles) {
    auto& own = number[static_cast<std::size_t>(v)];
    if (own < 0) {
      own = static_cast<std::int32_t>(mesh.vertices.size() / 3);
      for (int k = 0; k < 3; ++k)
        mesh.vertices.push_back(surface.vertices[static_cast<std::size_t>(3 * v + k)] - (k == 0 ? 0.5 : 0.2));
    }
    mesh.triangles.push_back(own);
  }
  return mesh;
}

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      Shape{PlaneShape{}},
      Shape{SphereShape{0.5}},
      Shape{CapsuleShape{0.2, 0.6}},
      Shape{BoxShape{{0.5, 0.3, 0.4}}},
      Shape{distance_grid(Shape{CapsuleShape{0.3, 0.3}}, {-0.4, -0.4, -0.7}, {0.4, 0.4, 0.7}, 0.08)},
      Shape{cut_cube()}};
  return all;
}

template <class T>
struct RandomScene {
  std::vector<T> q, pose;
  std::vector<Collider> colliders;
  std::vector<double> margins;
  BodyPlaces<T> places;
};

Quaterniond random_rotation(const std::vector<double>& numbers, std::size_t at) {
  return Quaterniond(1e-3 + numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3]).normalized();
}

template <class T>
RandomScene<T> random_scene(unsigned seed, std::int64_t bodies) {
  const BoundTree& tree = block_tree();
  RandomScene<T> scene;
  const std::vector<double> numbers = random_numbers(400, seed);
  std::size_t next = 0;
  for (std::int64_t b = 0; b < bodies; ++b) {
    const Eigen::VectorXd q = displaced_state(flying_block(), tree.points, 0.3 * std::abs(numbers[next++]),
                                              10 * seed + static_cast<unsigned>(b));
    for (Eigen::Index i = 0; i < q.size(); ++i) scene.q.push_back(static_cast<T>(q[i]));
    const Quaterniond turn = random_rotation(numbers, next);
    next += 4;
    for (int k = 0; k < 3; ++k) scene.pose.push_back(static_cast<T>(0.7 * numbers[next++]));
    for (int k = 0; k < 4; ++k) scene.pose.push_back(static_cast<T>(turn.coeffs()[k]));
    scene.margins.push_back(seed % 3 == 0 ? 0 : 0.05 * std::abs(numbers[next++]));
  }
  for (std::size_t s = 0; s < 2; ++s) {
    Collider collider{shapes()[(seed + 5 * s) % shapes().size()]};
    const Quaterniond turn = random_rotation(numbers, next);
    next += 4;
    for (std::size_t k = 0; k < 3; ++k) collider.pose[k] = 0.6 * numbers[next++];
    for (std::size_t k = 0; k < 4; ++k) collider.pose[3 + k] = turn.coeffs()[static_cast<Eigen::Index>(k)];
    scene.colliders.push_back(collider);
  }
  scene.places = {.q = {scene.q.data(), tree.rank, bodies, 1, tree.rank},
                  .pose = {scene.pose.data(), 7, bodies, 1, 7},
                  .origin = {0.5, 0.3, 0.15}};
  return scene;
}

Vector3d vector_of(const std::array<double, 3>& x) {
  return Vector3d(x.data());
}

// Every point of every body against every shape, by matrices.
template <class T>
std::vector<Contact> by_brute_force(const RandomScene<T>& scene, double& closest_call) {
  const BoundTree& tree = block_tree();
  std::vector<Contact> contacts;
  for (std::int64_t b = 0; b < scene.places.q.bodies; ++b) {
    Eigen::VectorXd q(tree.rank);
    for (Eigen::Index i = 0; i < q.size(); ++i) q[i] = double{scene.places.q(i, b)};
    const T* pose = scene.pose.data() + 7 * b;
    const Quaterniond turn = Quaterniond(pose[6], pose[3], pose[4], pose[5]).normalized();
    const Matrix3Xd world =
        (turn.toRotationMatrix() * (moved_points(tree.points, q).colwise() - vector_of(scene.places.origin)))
            .colwise() +
        Vector3d(pose[0], pose[1], pose[2]);
    for (std::size_t s = 0; s < scene.colliders.size(); ++s) {
      const std::array<double, 7>& at = scene.colliders[s].pose;
      const Eigen::Matrix3d frame = Quaterniond(at[6], at[3], at[4], at[5]).toRotationMatrix();
      for (std::int32_t p = 0; p < tree.points.count(); ++p) {
        const Vector3d local = frame.transpose() * (world.col(p) - Vector3d(at.data()));
        const SurfaceDistance found = scene.colliders[s].shape.distance({local[0], local[1], local[2]});
        const double margin = scene.margins[static_cast<std::size_t>(b)];
        closest_call = std::min(closest_call, std::abs(found.gap - margin));
        if (found.gap >= margin) continue;
        const Vector3d normal = frame * vector_of(found.normal), x = world.col(p);
        contacts.push_back({.body = b,
                            .shape = static_cast<std::int32_t>(s),
                            .point = p,
                            .position = {x[0], x[1], x[2]},
                            .normal = {normal[0], normal[1], normal[2]},
                            .gap = found.gap,
                            .area = tree.points.areas[static_cast<std::size_t>(p)]});
      }
    }
  }
  return contacts;
}

template <class T>
class DetectionTest : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(DetectionTest, Precisions);

TYPED_TEST(DetectionTest, FindsWhatAllPointsFind) {
  const SphereFit<TypeParam> fit(block_tree());
  std::int64_t found = 0, scenes_in_contact = 0;
  for (unsigned n = 0; n < 500; ++n) {
    const RandomScene<TypeParam> scene = random_scene<TypeParam>(n, 2);
    double closest_call = 1;
    const std::vector<Contact> expected = by_brute_force(scene, closest_call);
    const std::vector<Contact> contacts =
        find_contacts(block_tree(), fit, scene.places, scene.colliders, scene.margins);
    ASSERT_GT(closest_call, 1e-13) << "a gap so near to the margin that round-off decides: take another seed";
    ASSERT_EQ(contacts.size(), expected.size()) << n;
    for (std::size_t c = 0; c < contacts.size(); ++c) {
      ASSERT_EQ(contacts[c].body, expected[c].body) << n;
      ASSERT_EQ(contacts[c].shape, expected[c].shape) << n;
      ASSERT_EQ(contacts[c].point, expected[c].point) << n;
      EXPECT_NEAR(contacts[c].gap, expected[c].gap, 1e-13);
      EXPECT_LT((vector_of(contacts[c].position) - vector_of(expected[c].position)).norm(), 1e-13);
      EXPECT_LT((vector_of(contacts[c].normal) - vector_of(expected[c].normal)).norm(), 1e-9);
      EXPECT_EQ(contacts[c].area, expected[c].area);
    }
    found += std::ssize(contacts);
    scenes_in_contact += contacts.empty() ? 0 : 1;
  }
  EXPECT_GT(scenes_in_contact, 200);
  EXPECT_GT(found, 10000);
}

TYPED_TEST(DetectionTest, CullsMostLeaves) {
  const BoundTree& tree = block_tree();
  const SphereFit<TypeParam> fit(tree);
  const auto leaves =
      std::count_if(tree.nodes.begin(), tree.nodes.end(), [](const BoundNode& n) { return n.children == 0; });
  std::int64_t visited = 0, total = 0;
  for (unsigned n = 0; n < 50; ++n) {
    RandomScene<TypeParam> scene = random_scene<TypeParam>(6 * n + 1, 2);  // a ball and a plane
    scene.colliders.pop_back();
    std::vector<TypeParam> spheres(static_cast<std::size_t>(2 * 4 * tree.node_count()));
    fit.refit(scene.places.q, spheres);
    visited += std::ssize(touching_leaves<TypeParam>(tree, spheres, scene.places, scene.colliders));
    total += 2 * leaves;
  }
  EXPECT_LT(visited, total / 2);
}

// A body of a batch touches what it touches by itself.
TYPED_TEST(DetectionTest, BodiesDontMatterToEachOther) {
  const SphereFit<TypeParam> fit(block_tree());
  const RandomScene<TypeParam> scene = random_scene<TypeParam>(4, 12);
  const std::vector<Contact> all = find_contacts(block_tree(), fit, scene.places, scene.colliders, scene.margins);
  std::size_t next = 0;
  for (std::int64_t b = 0; b < 12; ++b) {
    const GroupRange one{b, 1, block_tree().rank};
    const BodyPlaces<TypeParam> place{scene.places.q.part(one), scene.places.pose.all_rows(one), scene.places.origin};
    const std::vector<Contact> own = find_contacts(block_tree(), fit, place, scene.colliders,
                                                   std::span(scene.margins).subspan(static_cast<std::size_t>(b), 1));
    for (const Contact& contact : own) {
      ASSERT_LT(next, all.size());
      EXPECT_EQ(contact.point, all[next].point);
      EXPECT_EQ(contact.gap, all[next].gap);
      EXPECT_EQ(contact.position, all[next].position);
      ++next;
    }
  }
  EXPECT_EQ(next, all.size());
  EXPECT_GT(next, 0U);
}

// Where poses are missing, a body is in the mesh's coordinates; what isn't finite touches nothing.
TEST(DetectionPlacesTest, HeldBodiesAndLostOnes) {
  const BoundTree& tree = block_tree();
  const SphereFit<double> fit(tree);
  std::vector<double> q(static_cast<std::size_t>(2 * tree.rank));
  q[static_cast<std::size_t>(tree.rank)] = std::numeric_limits<double>::quiet_NaN();
  const BodyPlaces<double> places{.q = {q.data(), tree.rank, 2, 1, tree.rank}};
  Collider ground{Shape{PlaneShape{{0, 0, 1}, 0.01}}};
  const std::vector<Contact> contacts = find_contacts<double>(tree, fit, places, std::span(&ground, 1));
  double area = 0;
  for (const Contact& contact : contacts) {
    EXPECT_EQ(contact.body, 0);
    EXPECT_NEAR(contact.gap, contact.position[2] - 0.01, 1e-15);
    if (contact.position[0] > 0.01 && contact.position[0] < 0.99 && contact.position[1] > 0.01 &&
        contact.position[1] < 0.59)
      area += contact.area;
  }
  EXPECT_NEAR(area, 0.6, 0.08) << "the block's lower face but for its rim";
  ground.pose[4] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(find_contacts<double>(tree, fit, places, std::span(&ground, 1)).empty());
}

TEST(DetectionPlacesTest, RefusesWhatDoesNotFit) {
  const BoundTree& tree = block_tree();
  const SphereFit<double> fit(tree);
  const std::vector<double> q(static_cast<std::size_t>(2 * tree.rank)), pose(14);
  const Collider ground{Shape{PlaneShape{}}};
  BodyPlaces<double> places{.q = {q.data(), tree.rank, 2, 1, tree.rank}};
  const auto find = [&](std::vector<double> margins) {
    return message_of(
        [&] { static_cast<void>(find_contacts<double>(tree, fit, places, std::span(&ground, 1), margins)); });
  };
  EXPECT_EQ(find({}), "");
  EXPECT_NE(find({1}).find("one per body"), std::string::npos);
  EXPECT_NE(find({1, -1}).find(">= 0"), std::string::npos);
  places.pose = {pose.data(), 6, 2, 1, 6};
  EXPECT_NE(find({}).find("seven rows"), std::string::npos);
  places.pose = {};
  const LeafPair pair{.body = 2};
  EXPECT_THROW(static_cast<void>(leaf_contacts<double>(tree, std::span(&pair, 1), places, std::span(&ground, 1))),
               InputError);
  const std::vector<double> spheres(4);
  EXPECT_THROW(static_cast<void>(touching_leaves<double>(tree, spheres, places, std::span(&ground, 1))), InputError);
}

}  // namespace
}  // namespace quartic
