// A warp per body descends its bound tree against each shape. Spheres follow from q alone (quartic/bound_tree.hpp) and
// are computed where the descent comes by, four lanes per child of a node: a body far from all shapes costs its root,
// 13 r multiply-adds. The points of a leaf are a lane each, 3 r multiply-adds. Fields lie such that lanes read whole
// sectors. Leaves come in the order of their points, so that candidates needn't be sorted. Runs twice: to count, and,
// where each body's begin is known, to fill.
//
// Shared memory per warp: q in double, and a stack of nodes. Bytes per body: q, and of the tree 104 r per node and 24 r
// per point that it comes by, from L2.
#include "core/contact/moved_pose.hpp"
#include "core/frame/stretch_bound.hpp"
#include "cuda/base/shared_memory.cuh"
#include "cuda/contact/detect.hpp"
#include "cuda/energy/step_progress.hpp"

namespace quartic::cuda {
namespace {

constexpr int warps = 4, threads = warps * warp_size;
// Of each level but the last there are at most the other children: 7 for each of 32 levels.
constexpr int stack_size = 256;
constexpr int child_lanes = warp_size / BoundTree::fan_out;
constexpr int field_rows = 13;
constexpr unsigned all_lanes = 0xffffffffU;

struct Sphere {
  Vector3 centre;
  double radius;
};

[[nodiscard]] __device__ double sum_over(double value, int lanes) {
  for (int distance = lanes / 2; distance > 0; distance /= 2) value += __shfl_xor_sync(all_lanes, value, distance);
  return value;
}

// A body's tree in the hands of a warp.
template <class T>
class BodyTree {
 public:
  __device__ BodyTree(const WorldView<T>& world, std::int64_t body)
      : world_(world), body_(body), tree_(world.trees[world.groups[body]]) {
    const int warp = static_cast<int>(threadIdx.x) / warp_size;
    q_ = reinterpret_cast<double*>(shared_memory()) + warp * world.rank;
    stack_ =
        reinterpret_cast<int*>(reinterpret_cast<double*>(shared_memory()) + warps * world.rank) + warp * stack_size;
    double slack = 0;
    for (int j = lane(); j < tree_.rank; j += warp_size) {
      q_[j] = double{world.batch.q[j * world.batch.pitch + body]};
      slack += tree_.sizes[j + 1] * std::abs(q_[j]);
    }
    slack_ = tree_.sizes[0] + sum_over(slack, warp_size);
    if (world.flies(body)) place();
    __syncwarp();
  }

  [[nodiscard]] __device__ static int lane() { return static_cast<int>(threadIdx.x) % warp_size; }

  /// How far points may come in the step: twice the bound of core/contact/world.cpp.
  [[nodiscard]] __device__ double margin() const {
    const BatchView<T>& batch = world_.batch;
    const double h = world_.settings.step.dt;
    const LoadScales scales = load_scales(world_, body_);
    const double load = fmax(std::abs(scales.start), std::abs(scales.end));
    double way = 0;
    for (int j = lane(); j < tree_.rank; j += warp_size) {
      const std::int64_t at = j * batch.pitch + body_;
      way += (h * std::abs(double{batch.velocity[at]}) + h * h * std::abs(double{batch.acceleration[at]}) +
              h * h * load * std::abs(double{batch.force[at]})) *
             tree_.largest[j];
    }
    way = sum_over(way, warp_size);
    const Sphere root = sphere(0);
    Vector3 centre = root.centre;
    if (world_.flies(body_)) {
      const FrameArrays<T>& frame = batch.frame;
      const auto rows = [&](const T* array, int row) { return rows_of(array, batch.pitch, row, body_); };
      const double extent = norm(centre - tree_.origin) + root.radius;
      way += h * (norm(rows(frame.twist, 0)) + extent * norm(rows(frame.twist, 3)));
      way += h * h * (norm(rows(frame.twist_rate, 0)) + extent * norm(rows(frame.twist_rate, 3)));
      way += h * h * load * norm(rows(frame.wrench, 0)) / world_.frames[world_.groups[body_]].mass;
      centre = rows(frame.pose, 0);
    }
    double of_shapes = 0, slope = 1;
    for (int s = 0; s < world_.shapes.count; ++s) {
      const Motion& shape = world_.shapes.start[s];
      slope = fmax(slope, world_.shapes.solids[s].slope);
      const double spin = norm(shape.spin);
      const double arm = spin > 0 ? norm(centre - shape.pose.position) + 2 * root.radius : 0;
      of_shapes = fmax(of_shapes, norm(shape.velocity) + spin * arm);
    }
    const double margin = 2 * slope * (way + h * of_shapes);
    return margin - margin == 0 ? margin : 0;
  }

  /// Calls visit(shape, point, keeps) of all lanes for the points of leaves near a shape, a lane each.
  template <class Visit>
  __device__ void for_each_point(double margin, const Visit& visit) {
    for (int s = 0; s < world_.shapes.count; ++s) {
      const SolidView& solid = world_.shapes.solids[s];
      const Pose& shape = world_.shapes.start[s].pose;
      const Pose between = inverse(shape) * pose_;
      descend(solid, shape, between, margin, [&](const BoundNode& leaf) {
        for (int first = 0; first < leaf.points; first += warp_size) {
          const int point = leaf.first_point + first + lane();
          const bool exists = first + lane() < leaf.points;
          const bool keeps = exists && solid.at(apply(between, moved_point(point))).gap < margin;
          visit(s, point, keeps);
        }
      });
    }
  }

 private:
  // From the mesh's coordinates to the world.
  __device__ void place() {
    const auto rows = [&](int row) { return rows_of(world_.batch.frame.pose, world_.batch.pitch, row, body_); };
    const double w = double{world_.batch.frame.pose[6 * world_.batch.pitch + body_]};
    const frame::Quaternion<double> rotation = frame::normalised(frame::Quaternion<double>{rows(3), w});
    pose_ = {rows(0) - rotate(rotation, tree_.origin), rotation};
  }

  [[nodiscard]] __device__ Vector3 moved_point(int point) const {
    const double* x = tree_.positions + std::int64_t{3} * point;
    const double* field =
        tree_.leaf_basis + std::int64_t{3} * (point / warp_size) * tree_.rank * warp_size + point % warp_size;
    Vector3 y = {x[0], x[1], x[2]};
    for (int j = 0; j < tree_.rank; ++j, field += 3 * warp_size)
      y = y + q_[j] * Vector3{field[0], field[warp_size], field[2 * warp_size]};
    return y;
  }

  // Of a node, by four lanes. All lanes of the warp come here, with nodes of their own.
  [[nodiscard]] __device__ Sphere sphere(int node) const {
    double sums[field_rows] = {};
    const double* field = tree_.fields + std::int64_t{node} * tree_.rank * field_rows;
    for (int j = lane() % child_lanes; j < tree_.rank; j += child_lanes) {
      const double x = q_[j];
#pragma unroll
      for (int row = 0; row < field_rows - 1; ++row) sums[row] = fma(field[row * tree_.rank + j], x, sums[row]);
      sums[field_rows - 1] = fma(field[(field_rows - 1) * tree_.rank + j], std::abs(x), sums[field_rows - 1]);
    }
    for (double& sum : sums) sum = sum_over(sum, child_lanes);
    const double* rest = tree_.rest_spheres + std::int64_t{4} * node;
    for (int k = 0; k < 3; ++k) sums[3 + 4 * k] += 1;
    return {{rest[0] + sums[0], rest[1] + sums[1], rest[2] + sums[2]},
            stretch_bound(sums + 3) * rest[3] + sums[field_rows - 1] + slack_};
  }

  // As `Descent` of core/contact/detection.cpp.
  [[nodiscard]] __device__ bool is_near(const Sphere& s, const SolidView& solid, const Pose& shape, const Pose& between,
                                        double margin) const {
    const double size = norm(pose_.position) + norm(shape.position) + norm(s.centre) + solid.reach;
    const double slack = 64 * std::numeric_limits<double>::epsilon() * size;
    return solid.at(apply(between, s.centre)).gap <= solid.slope * (s.radius + slack) + margin;
  }

  template <class Visit>
  __device__ void descend(const SolidView& solid, const Pose& shape, const Pose& between, double margin,
                          const Visit& visit) {
    if (!is_near(sphere(0), solid, shape, between, margin)) return;  // the same in all lanes
    int depth = 1;
    if (lane() == 0) stack_[0] = 0;
    __syncwarp();
    while (depth > 0) {
      const BoundNode node = tree_.nodes[stack_[--depth]];
      __syncwarp();
      if (node.children == 0) {
        visit(node);
        continue;
      }
      const int number = lane() / child_lanes, child = node.first_child + min(number, node.children - 1);
      const bool goes_on =
          is_near(sphere(child), solid, shape, between, margin) && number < node.children && lane() % child_lanes == 0;
      const unsigned which = __ballot_sync(all_lanes, goes_on);
      if (goes_on) stack_[depth + __popc(which >> lane() >> 1)] = child;  // the first on top
      depth += __popc(which);
      __syncwarp();
    }
  }

  const WorldView<T>& world_;
  std::int64_t body_;
  const TreeView& tree_;
  Pose pose_;
  double* q_;
  int* stack_;
  double slack_;
};

[[nodiscard]] __device__ std::int64_t body_of_warp() {
  return std::int64_t{blockIdx.x} * warps + static_cast<int>(threadIdx.x) / warp_size;
}

template <class T>
__global__ void __launch_bounds__(threads) count_all(const WorldView<T> world) {
  const std::int64_t body = body_of_warp();
  if (body >= world.bodies) return;
  const bool first_lane = threadIdx.x % warp_size == 0;
  for (int row = static_cast<int>(threadIdx.x) % warp_size; row < 6; row += warp_size)
    world.readout.wrench[6 * body + row] = 0;
  if (first_lane) world.readout.counts[body] = 0, world.next.outcomes[body] = Outcome::none;
  if (world.trees[world.groups[body]].nodes == nullptr || world.batch.status[body] == status_diverged) {
    if (first_lane) world.candidates.counts[body] = 0, world.candidates.margins[body] = 0;
    return;
  }
  BodyTree<T> tree(world, body);
  const double margin = tree.margin();
  std::int64_t count = 0;
  tree.for_each_point(margin, [&](int, int, bool keeps) { count += __popc(__ballot_sync(all_lanes, keeps)); });
  if (first_lane) world.candidates.counts[body] = count, world.candidates.margins[body] = margin;
}

template <class T>
__global__ void __launch_bounds__(threads) drop(const WorldView<T> world) {
  const std::int64_t body = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (body >= world.bodies) return;
  const CandidatesView& candidates = world.candidates;
  const std::int64_t end = candidates.firsts[body] + candidates.counts[body];
  if (body == world.bodies - 1 && *candidates.needed < end) *candidates.needed = end;
  const bool has = candidates.counts[body] != 0, fits = end <= candidates.capacity;
  world.near.has_candidates[body] = has && fits ? 1 : 0;
  if (fits || !has) return;
  candidates.counts[body] = 0;
  world.batch.flags[body] |= flag_contacts_lost;
}

template <class T>
__global__ void __launch_bounds__(threads) fill(const WorldView<T> world) {
  const std::int64_t body = body_of_warp();
  if (body >= world.bodies || world.candidates.counts[body] == 0) return;
  BodyTree<T> tree(world, body);
  std::int64_t next = world.candidates.firsts[body];
  tree.for_each_point(world.candidates.margins[body], [&](int shape, int point, bool keeps) {
    const unsigned which = __ballot_sync(all_lanes, keeps);
    const std::int64_t to = next + __popc(which & ((1U << BodyTree<T>::lane()) - 1));
    if (keeps) world.candidates.shapes[to] = shape, world.candidates.points[to] = point;
    next += __popc(which);
  });
}

__global__ void move_all(const ShapesView shapes, double dt) {
  for (int s = static_cast<int>(threadIdx.x); s < shapes.count; s += static_cast<int>(blockDim.x)) {
    double* x = shapes.poses + 13 * s;
    const Pose pose = {{x[0], x[1], x[2]}, frame::normalised(frame::Quaternion<double>{{x[3], x[4], x[5]}, x[6]})};
    const Vector3 velocity = {x[7], x[8], x[9]}, spin = {x[10], x[11], x[12]};
    const Pose next = moved_pose(pose, velocity, spin, dt);
    shapes.start[s] = {pose, velocity, spin};
    shapes.end[s] = {next, velocity, spin};
    x[0] = next.position.x, x[1] = next.position.y, x[2] = next.position.z;
    x[3] = next.rotation.vector.x, x[4] = next.rotation.vector.y, x[5] = next.rotation.vector.z;
    x[6] = next.rotation.w;
  }
}

template <class T>
LaunchShape warp_per_body(const WorldView<T>& world) {
  const std::size_t bytes = warps * (static_cast<std::size_t>(world.rank) * sizeof(double) + stack_size * sizeof(int));
  return {dim3(static_cast<unsigned>((world.bodies + warps - 1) / warps)), dim3(threads), bytes};
}

}  // namespace

void move_shapes(const ShapesView& shapes, double dt, cudaStream_t stream) {
  launch(move_all, {dim3(1), dim3(threads)}, stream, shapes, dt);
}

template <class T>
void count_candidates(const WorldView<T>& world, cudaStream_t stream) {
  launch(count_all<T>, warp_per_body(world), stream, world);
}

template <class T>
void drop_what_does_not_fit(const WorldView<T>& world, cudaStream_t stream) {
  launch(drop<T>, {dim3(static_cast<unsigned>((world.bodies + threads - 1) / threads)), dim3(threads)}, stream, world);
}

template <class T>
void fill_candidates(const WorldView<T>& world, cudaStream_t stream) {
  launch(fill<T>, warp_per_body(world), stream, world);
}

template void count_candidates(const WorldView<float>&, cudaStream_t);
template void count_candidates(const WorldView<double>&, cudaStream_t);
template void drop_what_does_not_fit(const WorldView<float>&, cudaStream_t);
template void drop_what_does_not_fit(const WorldView<double>&, cudaStream_t);
template void fill_candidates(const WorldView<float>&, cudaStream_t);
template void fill_candidates(const WorldView<double>&, cudaStream_t);

}  // namespace quartic::cuda
