// Newton's method for the bodies that have candidates, in double, to convergence. A few rounds of two kernels: products
// of all bodies at work (near_products.cu), then a block for each body that does the rest of an iteration, or takes
// another share of the one before (near_stepper.cuh). A body is at work until it has converged. Those that then still
// are, few and far from everyday motion, are stepped to their end by a block each, which makes the products by itself.
// Which products are made in which way depends on the body alone, and with it its bits.
//
// A block's body per round: 12 r flops per candidate, 12 n^2 per contact that touches, 2/3 n^3 for the elimination;
// bytes: the products, what is kept, and twice 24 r per candidate, from L2.
#include <algorithm>
#include <array>

#include "cuda/contact/near_alone.cuh"
#include "cuda/contact/near_products.hpp"
#include "cuda/contact/near_step.hpp"
#include "cuda/contact/near_stepper.cuh"

namespace quartic::cuda {
namespace {

constexpr int threads = 128;  // of kernels with a thread per body
// Blocks per multiprocessor that take bodies one after the other: enough for as many as fit.
constexpr int near_blocks = 8;

template <class T>
__global__ void __launch_bounds__(threads) seat_all(const WorldView<T> world) {
  const std::int64_t body = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (body >= world.bodies) return;
  const NearView& near = world.near;
  const int number = world.groups[body];
  const NearGroup& group = near.groups[number];
  const std::int64_t before = near.before[body] - near.before[group.first_body], own = near.has_candidates[body];
  if (own != 0) near.bodies[group.first_seat + before] = static_cast<std::int32_t>(body);
  if (body == group.first_body + group.bodies - 1) near.taken[number] = before + own;
}

/// visit(seat) for the seats of a block that `is_wanted(seat)` is true of.
template <class Wanted, class Visit>
__device__ void for_each_seat(const NearView& near, const Wanted& is_wanted, const Visit& visit) {
  const std::int64_t seats = std::int64_t{near.tiles} * tile_bodies;
  for (std::int64_t seat = blockIdx.x; seat < seats; seat += gridDim.x) {
    if (!is_wanted(seat)) continue;
    visit(seat);
    __syncthreads();
  }
}

template <class T>
__global__ void __launch_bounds__(near_threads) begin_all(const WorldView<T> world) {
  const NearView& near = world.near;
  for_each_seat(
      near, [&](std::int64_t seat) { return seat % tile_bodies < near.taken_in(static_cast<int>(seat / tile_bodies)); },
      [&](std::int64_t seat) {
        NearStepper<T> stepper(world, seat);
        stepper.begin();
        stepper.body().keep();
      });
}

template <class T>
__global__ void __launch_bounds__(near_threads) advance_all(const WorldView<T> world) {
  for_each_seat(
      world.near, [&](std::int64_t seat) { return world.near.is_open(seat); },
      [&](std::int64_t seat) {
        NearStepper<T> stepper(world, seat);
        stepper.body().take();
        if (stepper.advance()) stepper.body().keep();
      });
}

template <class T>
__global__ void __launch_bounds__(near_threads) finish_all(const WorldView<T> world) {
  for_each_seat(
      world.near, [&](std::int64_t seat) { return world.near.is_open(seat); },
      [&](std::int64_t seat) {
        NearStepper<T> stepper(world, seat);
        stepper.body().take();
        do multiply_alone(stepper.body());
        while (stepper.advance());
      });
}

template <class T>
__device__ void copy_rows(const T* from, T* to, int rows, std::int64_t pitch, std::int64_t body) {
  for (int i = 0; i < rows; ++i) to[i * pitch + body] = from[i * pitch + body];
}

template <class T>
__global__ void __launch_bounds__(threads) put_all(const WorldView<T> world) {
  const std::int64_t body = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (body >= world.bodies || world.next.outcomes[body] == Outcome::none) return;
  const BatchView<T>& batch = world.batch;
  const Outcome outcome = world.next.outcomes[body];
  batch.status[body] = outcome == Outcome::diverged ? status_diverged : world.next.status[body];
  batch.flags[body] = world.next.flags[body] | (outcome == Outcome::not_converged ? flag_not_converged : 0U);
  const int r = world.models[world.groups[body]].rank;
  copy_rows<T>(world.next.q, batch.q, r, batch.pitch, body);
  copy_rows<T>(world.next.velocity, batch.velocity, r, batch.pitch, body);
  copy_rows<T>(world.next.acceleration, batch.acceleration, r, batch.pitch, body);
  if (!world.flies(body)) return;
  copy_rows<T>(world.next.pose, batch.frame.pose, 7, batch.pitch, body);
  copy_rows<T>(world.next.twist, batch.frame.twist, 6, batch.pitch, body);
  copy_rows<T>(world.next.twist_rate, batch.frame.twist_rate, 6, batch.pitch, body);
}

// A warp per body.
template <class T>
__global__ void __launch_bounds__(threads) list_all(const WorldView<T> world) {
  constexpr int warps = threads / warp_size;
  const std::int64_t body = std::int64_t{blockIdx.x} * warps + static_cast<int>(threadIdx.x) / warp_size;
  if (body >= world.bodies) return;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const ReadoutView& readout = world.readout;
  if (body == world.bodies - 1 && lane == 0) *readout.count = readout.firsts[body] + readout.counts[body];
  if (readout.counts[body] == 0) return;
  const CandidatesView& from = world.candidates;
  std::int64_t next = readout.firsts[body];
  for (std::int64_t first = 0; first < from.counts[body]; first += warp_size) {
    const std::int64_t at = from.firsts[body] + first + lane;
    const auto number = [&](int row) { return from.records[row * from.capacity + at]; };
    const bool touches = first + lane < from.counts[body] && number(record_gap) < 0;
    const unsigned which = __ballot_sync(0xffffffffU, touches);
    if (touches) {
      const auto vector = [&](int row) { return std::array<double, 3>{number(row), number(row + 1), number(row + 2)}; };
      readout.contacts[next + __popc(which & ((1U << lane) - 1))] = {
          body,
          from.shapes[at],
          from.points[at],
          vector(record_place),
          vector(record_normal),
          number(record_gap),
          world.trees[world.groups[body]].areas[from.points[at]],
          vector(record_force)};
    }
    next += __popc(which);
  }
}

LaunchShape thread_per_body(std::int64_t bodies) {
  return {dim3(static_cast<unsigned>((bodies + threads - 1) / threads)), dim3(threads)};
}

// Blocks that take seats in turn.
LaunchShape block_per_body(std::int64_t bodies, const NearShape& shape) {
  const std::int64_t most = std::int64_t{near_blocks} * shape.multiprocessors;
  return {dim3(static_cast<unsigned>(std::min(bodies, most))), dim3(near_threads), shape.shared_bytes};
}

}  // namespace

std::size_t near_shared_bytes(int rank, bool flies) {
  return static_cast<std::size_t>(NearMemory(rank, flies).size) * sizeof(double);
}

template <class T>
void prepare_near_steps(std::size_t shared_bytes) {
  for (auto* kernel : {begin_all<T>, advance_all<T>, finish_all<T>})
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)),
          "reserve shared memory");
}

template <class T>
void seat_near_bodies(const WorldView<T>& world, cudaStream_t stream) {
  launch(seat_all<T>, thread_per_body(world.bodies), stream, world);
}

template <class T>
void step_near_bodies(const WorldView<T>& world, const NearShape& shape, cudaStream_t stream) {
  if (world.near.tiles == 0) return;
  const LaunchShape blocks = block_per_body(world.bodies, shape);
  launch(begin_all<T>, blocks, stream, world);
  for (int round = 0; round < near_rounds; ++round) {
    multiply_near_bodies(world.near, shape.flies, stream);
    launch(advance_all<T>, blocks, stream, world);
  }
  launch(finish_all<T>, blocks, stream, world);
}

template <class T>
void put_near_bodies(const WorldView<T>& world, cudaStream_t stream) {
  launch(put_all<T>, thread_per_body(world.bodies), stream, world);
}

template <class T>
void list_contacts(const WorldView<T>& world, cudaStream_t stream) {
  const std::int64_t warps = threads / warp_size;
  launch(list_all<T>, {dim3(static_cast<unsigned>((world.bodies + warps - 1) / warps)), dim3(threads)}, stream, world);
}

template void prepare_near_steps<float>(std::size_t);
template void prepare_near_steps<double>(std::size_t);
template void seat_near_bodies(const WorldView<float>&, cudaStream_t);
template void seat_near_bodies(const WorldView<double>&, cudaStream_t);
template void step_near_bodies(const WorldView<float>&, const NearShape&, cudaStream_t);
template void step_near_bodies(const WorldView<double>&, const NearShape&, cudaStream_t);
template void put_near_bodies(const WorldView<float>&, cudaStream_t);
template void put_near_bodies(const WorldView<double>&, cudaStream_t);
template void list_contacts(const WorldView<float>&, cudaStream_t);
template void list_contacts(const WorldView<double>&, cudaStream_t);

}  // namespace quartic::cuda
