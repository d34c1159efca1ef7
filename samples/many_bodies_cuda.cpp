// Bodies that live on a GPU: loads written, steps made and vertices computed there, nothing copied but what is printed.
//
// build: g++ -std=c++20 many_bodies_cuda.cpp -lquartic -lquartic_cuda -lcudart
// run:   ./many_bodies_cuda
//
// prints:
//   64 bodies, 5 of 1025 vertices
//   0.1 s: tips of the first and the last body at -0.0622 and -0.1251 m
//   0.2 s: tips of the first and the last body at -0.2037 and -0.3967 m
#include <cstdio>
#include <quartic/cuda.hpp>
#include <quartic/quartic.hpp>

int main() {
  if (!quartic::backend_available(quartic::Backend::cuda)) {
    std::puts("no CUDA device here");
    return 0;
  }
  constexpr std::int64_t bodies = 64;
  const auto [mesh, fixed_vertices] = quartic::make_beam();
  const quartic::ReducedModel model = quartic::reduce(mesh, fixed_vertices, {.modes = 6, .rank = 12});
  quartic::Batch<float> batch(model.energy, {.bodies = bodies, .rayleigh_mass = 2, .backend = quartic::Backend::cuda});

  // Loads may be written on the host and sent once; a kernel may as well write to device_state(batch).force.
  for (int body = 0; body < bodies; ++body)
    for (int mode = 0; mode < model.rank(); ++mode)
      batch.force()(mode, body) =
          static_cast<float>(-9.81 * (1 + body / (bodies - 1.0)) * model.unit_acceleration(mode, 2));
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  quartic::cuda::send(batch, stream);

  // The last vertices of each body go to a packed (bodies, vertices, 3) array.
  std::vector<std::int32_t> vertices;
  for (int n = 5; n > 0; --n) vertices.push_back(static_cast<std::int32_t>(mesh.vertex_count() - n));
  const std::vector<double> origin(mesh.vertices.size(), 0.0);  // displacements: no rest positions to add
  const quartic::cuda::Embedding embedding(model.basis.map(), origin, {.vertices = vertices});
  std::printf("%d bodies, %d of %d vertices\n", int(bodies), int(embedding.vertices()), int(mesh.vertex_count()));
  float* positions = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&positions), sizeof(float) * 3 * 5 * bodies);
  std::vector<float> host(3 * 5 * bodies);

  for (int frame = 1; frame <= 2; ++frame) {
    quartic::cuda::step(batch, 0.1, 20, stream);
    embedding.positions(quartic::cuda::device_state(batch).q, {positions, bodies, 5, 3 * 5, 3}, stream);
    cudaMemcpyAsync(host.data(), positions, sizeof(float) * host.size(), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    std::printf("%.1f s: tips of the first and the last body at %.4f and %.4f m\n", 0.1 * frame, double(host[14]),
                double(host.back()));
  }
  cudaFree(positions);
  cudaStreamDestroy(stream);
}
