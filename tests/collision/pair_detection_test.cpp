// Contacts between bodies by trees against all points and all triangles, with signs by winding numbers.
#include <gtest/gtest.h>

#include "collision/pair_scene.hpp"
#include "quartic/error.hpp"
#include "support/error_message.hpp"

namespace quartic {
namespace {

using namespace test;
using Eigen::Matrix3Xd;
using Eigen::Vector3d;

template <class T>
void expect_same(const PairScene<T>& scene, const std::vector<BodyContact>& contacts,
                 const std::vector<FoundByForce>& expected) {
  ASSERT_EQ(contacts.size(), expected.size());
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const BodyContact& contact = contacts[c];
    ASSERT_EQ(contact.body, expected[c].body);
    ASSERT_EQ(contact.other, expected[c].other);
    ASSERT_EQ(contact.point, expected[c].point);
    EXPECT_NEAR(contact.gap, expected[c].gap, 1e-12);
    const Vector3d x = world_points(scene, contact.body).col(contact.point);
    EXPECT_LT((Vector3d(contact.position.data()) - x).norm(), 1e-12);
    const Matrix3Xd other = world_points(scene, contact.other);
    Vector3d place = Vector3d::Zero();
    for (std::size_t k = 0; k < 3; ++k) place += contact.weights[k] * other.col(contact.corners[k]);
    EXPECT_LT((x - contact.gap * Vector3d(contact.normal.data()) - place).norm(), 1e-12);
    const auto& areas = scene.groups[static_cast<std::size_t>(contact.body / 2)].surface->tree()->points.areas;
    EXPECT_EQ(contact.area, 0.5 * areas[static_cast<std::size_t>(contact.point)]);
  }
}

template <class T>
class PairDetectionTest : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(PairDetectionTest, Precisions);

// 500 scenes in each precision.
TYPED_TEST(PairDetectionTest, FindsWhatBruteForceFinds) {
  std::int64_t found = 0, scenes_in_contact = 0;
  for (unsigned n = 0; n < 500; ++n) {
    SCOPED_TRACE(n);
    const PairScene<TypeParam> scene = pair_scene<TypeParam>(n);
    double closest_call = 1;
    const std::vector<FoundByForce> expected = contacts_by_force(scene, closest_call);
    ASSERT_GT(closest_call, 1e-13) << "a gap so near to the margin that round-off decides: take another seed";
    const auto contacts = find_body_contacts<TypeParam>(scene.groups, scene.labels(), scene.margins);
    expect_same(scene, contacts, expected);
    found += std::ssize(contacts);
    scenes_in_contact += contacts.empty() ? 0 : 1;
  }
  EXPECT_GT(scenes_in_contact, 250);
  EXPECT_GT(found, 5000);
}

// The broad phase leaves out nothing that touches, and some of what doesn't.
TYPED_TEST(PairDetectionTest, BroadPhaseLosesNothing) {
  std::int64_t pairs_found = 0, pairs = 0;
  for (unsigned n = 0; n < 100; ++n) {
    const PairScene<TypeParam> scene = pair_scene<TypeParam>(n);
    std::vector<BodyPair> all;
    const auto id = [&](std::int64_t b) { return scene.ids[static_cast<std::size_t>(b)]; };
    for (std::int64_t a = 0; a < 4; ++a)
      for (std::int64_t b = 0; b < 4; ++b)
        if (id(a) < id(b) &&
            scene.environments[static_cast<std::size_t>(a)] == scene.environments[static_cast<std::size_t>(b)])
          all.push_back({a, b});
    std::ranges::sort(all, {}, [&](const BodyPair& pair) { return std::pair(id(pair.first), id(pair.second)); });
    const auto near = touching_bodies<TypeParam>(scene.groups, scene.labels(), scene.margins);
    EXPECT_TRUE(std::ranges::includes(
        all, near, {}, [&](const BodyPair& p) { return std::pair(id(p.first), id(p.second)); },
        [&](const BodyPair& p) { return std::pair(id(p.first), id(p.second)); }));
    pairs_found += std::ssize(near);
    pairs += std::ssize(all);
    const auto few = pair_contacts<TypeParam>(near, scene.groups, scene.labels(), scene.margins);
    const auto many = pair_contacts<TypeParam>(all, scene.groups, scene.labels(), scene.margins);
    ASSERT_EQ(few.size(), many.size());
    for (std::size_t c = 0; c < few.size(); ++c) {
      EXPECT_EQ(few[c].body, many[c].body);
      EXPECT_EQ(few[c].point, many[c].point);
      EXPECT_EQ(few[c].gap, many[c].gap);
      EXPECT_EQ(few[c].position, many[c].position);
    }
  }
  EXPECT_LT(pairs_found, pairs);
}

TEST(PairDetectionPlacesTest, LostBodiesAndThoseWithoutASurfaceMeetNothing) {
  PairScene<double> scene = pair_scene<double>(1);
  for (auto& pose : scene.pose)
    for (std::size_t k = 0; k < 14; ++k) pose[k] = k % 7 == 6 ? 1 : 0;  // all at one place
  EXPECT_EQ(touching_bodies<double>(scene.groups).size(), 6U);
  scene.pose[1][3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(touching_bodies<double>(scene.groups).size(), 3U);
  scene.groups[0].surface = nullptr;
  EXPECT_TRUE(touching_bodies<double>(scene.groups).empty());
}

// Whatever the axis that they are swept along.
TEST(PairDetectionPlacesTest, FindsNeighboursOfTowersAlongEachAxis) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    PairScene<double> scene = pair_scene<double>(1);
    for (std::size_t b = 0; b < 4; ++b)
      for (std::size_t k = 0; k < 7; ++k)
        scene.pose[b / 2][7 * (b % 2) + k] = k == axis ? 100 * static_cast<double>(b / 2) : k == 6 ? 1 : 0;
    EXPECT_EQ(touching_bodies<double>(scene.groups), (std::vector<BodyPair>{{0, 1}, {2, 3}})) << axis;
  }
}

TEST(PairDetectionPlacesTest, RefusesWhatDoesNotFit) {
  const PairScene<double> scene = pair_scene<double>(1);
  const std::array<std::int32_t, 4> twice = {1, 2, 1, 3}, places = {1, 2, 3, 4};
  const auto find = [&](const CollisionLabels& labels, const std::vector<double>& margins = {}) {
    return message_of([&] { static_cast<void>(find_body_contacts<double>(scene.groups, labels, margins)); });
  };
  EXPECT_EQ(find({}), "");
  EXPECT_NE(find({.ids = twice}).find("the id 1"), std::string::npos);
  EXPECT_NE(find({.environments = std::span(places).first(3)}).find("one per body"), std::string::npos);
  EXPECT_NE(find({}, {1.0}).find("one per body"), std::string::npos);
  EXPECT_NE(find({}, {1.0, 1.0, -1.0, 1.0}).find(">= 0"), std::string::npos);
  const BodyPair pair = {0, 4};
  EXPECT_THROW(static_cast<void>(pair_contacts<double>(std::span(&pair, 1), scene.groups)), InputError);
}

TEST(CollisionSurfaceTest, RefusesSurfacesThatArentClosed) {
  ReducedModel model = flying_block();
  const auto tree = std::make_shared<BoundTree>(bound_tree(model));
  model.surface = boundary_surface(model.mesh);
  model.surface->triangles.resize(model.surface->triangles.size() - 3);
  EXPECT_NE(message_of([&] { static_cast<void>(CollisionSurface(model, tree)); }).find("must be closed"),
            std::string::npos);
  EXPECT_NE(message_of([&] { static_cast<void>(CollisionSurface(model, nullptr)); }).find("needs a bound tree"),
            std::string::npos);
}

TEST(CollisionSurfaceTest, RefusesTreesOfOtherSurfaces) {
  const ReducedModel& model = flying_block();
  const auto refused = [&](const BoundTree& tree) {
    return message_of([&] { static_cast<void>(CollisionSurface(model, std::make_shared<BoundTree>(tree))); });
  };
  const BoundTree own = bound_tree(model);
  EXPECT_EQ(refused(own), "");
  ContactPoints twice = own.points;
  for (double& x : twice.positions) x *= 2;
  EXPECT_NE(refused(bound_tree(twice)).find("isn't at vertex"), std::string::npos);
  BoundTree other = own;
  other.moments_fingerprint += 2;
  EXPECT_NE(refused(other).find("moments of mass"), std::string::npos);
  EXPECT_NE(refused(bound_tree(soft_block())).find("make it of this model"), std::string::npos);
  other = own;
  --other.rank;
  EXPECT_NE(refused(other).find("rank"), std::string::npos);
}

// A seam of a texture, where vertices lie at one place, is closed.
TEST(CollisionSurfaceTest, JoinsVerticesAtOnePlace) {
  ReducedModel model = flying_block();
  const SurfaceEmbedding whole = boundary_surface(model.mesh);
  const auto width = static_cast<std::size_t>(whole.width);
  SurfaceEmbedding loose = whole;  // each corner for itself
  loose.vertices.clear(), loose.volume_vertices.clear(), loose.weights.clear();
  for (std::size_t c = 0; c < whole.triangles.size(); ++c) {
    const auto v = static_cast<std::size_t>(whole.triangles[c]);
    for (std::size_t k = 0; k < 3; ++k) loose.vertices.push_back(whole.vertices[3 * v + k]);
    for (std::size_t k = 0; k < width; ++k) {
      loose.volume_vertices.push_back(whole.volume_vertices[width * v + k]);
      loose.weights.push_back(whole.weights[width * v + k]);
    }
    loose.triangles[c] = static_cast<std::int32_t>(c);
  }
  model.surface = loose;
  const CollisionSurface joined(model, std::make_shared<BoundTree>(bound_tree(model)));
  EXPECT_EQ(joined.triangles().size(), whole.triangles.size());
}

}  // namespace
}  // namespace quartic
