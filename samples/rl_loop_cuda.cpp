// 4096 blocks on a plane, for learning on a GPU: resets by a mask, actions, steps and observations are one graph.
//
// build: g++ -std=c++20 rl_loop_cuda.cpp -lquartic -lquartic_cuda -lcudart
// run:   ./rl_loop_cuda
//
// prints:
//   0.1 s: 4096 of 4096 blocks stand
//   0.2 s: 4096 of 4096 blocks stand
//   way of a block that was pushed: 0.16 m, that was not: 0.00 m, anew: 0.04 m
#include <cstdio>
#include <quartic/cuda.hpp>
#include <quartic/quartic.hpp>

constexpr int environments = 4096, observed = 13;

template <class T>
T* on_device(const std::vector<T>& values) {
  T* data = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&data), values.size() * sizeof(T));
  cudaMemcpy(data, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return data;
}

int main() {
  if (!quartic::backend_available(quartic::Backend::cuda)) {
    std::puts("no CUDA device here");
    return 0;
  }
  const auto box = quartic::make_box({.length = 0.5, .width = 0.5, .height = 0.3, .cells_x = 2, .cells_y = 2});
  const quartic::ReducedModel model = quartic::reduce(box.mesh, {}, {.modes = 4, .rank = 6});
  std::vector<quartic::BodyGroup> groups(1);
  groups[0].energy = model.energy;
  groups[0].bodies = environments;
  groups[0].frame = quartic::free_frame(model);
  const auto mass = static_cast<float>(groups[0].frame->mass);
  constexpr auto scheme = quartic::Integrator::backward_euler;
  quartic::Batch<float> batch(groups, {.integrator = scheme, .backend = quartic::Backend::cuda});
  const auto tree = std::make_shared<quartic::BoundTree>(quartic::bound_tree(model));
  quartic::World<float> world(std::move(batch), {tree}, {.friction = 0.2});
  world.colliders() = {quartic::Collider{quartic::Shape{quartic::PlaneShape{}}}};
  // The learner's tensors: actions (B, 6), first poses (B, 7), observations (B, 13), and whose episode is over (B).
  std::vector<float> actions(6 * environments), starts(7 * environments), seen(observed * environments);
  for (int n = 0; n < environments; ++n) {
    actions[6 * n] = n % 2 == 0 ? 10 * mass : 0;  // a push [N]
    actions[6 * n + 2] = -9.81F * mass;           // and gravity
    starts[7 * n + 2] = 0.15F, starts[7 * n + 6] = 1;
  }
  const quartic::StateView<const float> action{on_device(actions), 6, environments, 1, 6};
  const quartic::StateView<const float> start{on_device(starts), 7, environments, 1, 7};
  float* observation = on_device(seen);
  std::uint8_t* done = on_device(std::vector<std::uint8_t>(environments, 1));  // all at first
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  quartic::cuda::send_colliders(world);
  quartic::cuda::reserve_contacts(world, 64 * environments);
  const quartic::cuda::DeviceState<float> state = quartic::cuda::device_state(world.batch());
  cudaGraph_t graph = nullptr;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  quartic::cuda::reset_bodies(world.batch(), done, {.pose = start}, stream);
  quartic::cuda::copy_state(action, state.wrench, stream);
  quartic::cuda::step(world, 0.1, 20, stream);
  quartic::cuda::copy_state(state.pose, {observation, 7, environments, 1, observed}, stream);
  quartic::cuda::copy_state(state.twist, {observation + 7, 6, environments, 1, observed}, stream);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphExec_t iteration = nullptr;
  cudaGraphInstantiate(&iteration, graph, 0);
  for (int n = 1; n <= 2; ++n) {
    cudaGraphLaunch(iteration, stream);
    cudaMemsetAsync(done, 0, environments, stream);  // a learner's own kernels would say who is done
    cudaMemsetAsync(done, 1, 1, stream);
    cudaStreamSynchronize(stream);  // to print
    int standing = 0;
    const std::span<const double> wrench = world.contact_wrench();
    for (int b = 0; b < environments; ++b) standing += wrench[6 * b + 2] > 0.9 * 9.81 * mass ? 1 : 0;
    std::printf("%.1f s: %d of %d blocks stand\n", 0.1 * n, standing, environments);
  }
  cudaMemcpy(seen.data(), observation, seen.size() * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("way of a block that was pushed: %.2f m, that was not: %.2f m, anew: %.2f m\n", seen[observed * 2],
              seen[observed], seen[0]);
}
