// Vertex sets and regions by their names.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "quartic/error.hpp"
#include "quartic/mesh.hpp"
#include "support/mesh_reading.hpp"

namespace quartic {
namespace {

using Indices = std::vector<std::int32_t>;

VolumeMesh mesh_with_names() {
  VolumeMesh mesh;
  for (const char* name : {"steel", "rubber", "steel", "Steel", "steel#2"}) mesh.regions.push_back({name, {}});
  mesh.vertex_sets = {{"Floor", {0, 1}}, {"floor", {2}}, {"Top", {3}}};
  return mesh;
}

TEST(MeshNames, RegionsOfOneNameAreCounted) {
  EXPECT_EQ(distinct_region_names(mesh_with_names()),
            (std::vector<std::string>{"steel#1", "rubber", "steel#2", "Steel", "steel#2"}));
  EXPECT_TRUE(distinct_region_names({}).empty());
}

TEST(MeshNames, ANameMeansAllRegionsThatHaveIt) {
  VolumeMesh mesh = mesh_with_names();
  EXPECT_EQ(find_regions(mesh, "steel"), (Indices{0, 2}));
  EXPECT_EQ(find_regions(mesh, "steel#1"), Indices{0});
  EXPECT_EQ(find_regions(mesh, "steel#2"), Indices{4});  // a region's own name goes before
  EXPECT_EQ(find_regions(mesh, "rubber"), Indices{1});
  for (const char* name : {"steel#3", "rubber#1", "RUBBER", ""})
    test::expect_error_of<InputError>([&] { (void)find_regions(mesh, name); },
                                      {std::string("no region '") + name + "'", "'steel#1' 'rubber'"});
  mesh.names_ignore_case = true;
  EXPECT_EQ(find_regions(mesh, "steel"), (Indices{0, 2}));
  EXPECT_EQ(find_regions(mesh, "STEEL"), (Indices{0, 2, 3}));
  EXPECT_EQ(find_regions(mesh, "Rubber"), Indices{1});
  EXPECT_EQ(find_regions(mesh, "STEEL#1"), Indices{0});
}

TEST(MeshNames, SetsAreFoundInAnyCaseWhereTheFileIgnoresIt) {
  VolumeMesh mesh = mesh_with_names();
  EXPECT_EQ(find_vertex_set(mesh, "floor"), Indices{2});
  test::expect_error_of<InputError>([&] { (void)find_vertex_set(mesh, "TOP"); },
                                    {"no vertex set 'TOP'", "'Floor' 'Top' 'floor'"});
  mesh.names_ignore_case = true;
  EXPECT_EQ(find_vertex_set(mesh, "TOP"), Indices{3});
  EXPECT_EQ(find_vertex_set(mesh, "Floor"), (Indices{0, 1}));
  EXPECT_EQ(find_vertex_set(mesh, "floor"), Indices{2});
  test::expect_error_of<InputError>([&] { (void)find_vertex_set({}, "x"); }, {"it has: none"});
}

}  // namespace
}  // namespace quartic
