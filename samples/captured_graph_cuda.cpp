// A frame of your own as one CUDA graph: steps of a batch between your kernels and copies, captured once.
//
// build: g++ -std=c++20 captured_graph_cuda.cpp -lquartic -lquartic_cuda -lcudart
// run:   ./captured_graph_cuda
//
// prints:
//   0.05 s: -0.0111 m
//   0.10 s: -0.0622 m
//   0.15 s: -0.1313 m
#include <cstdio>
#include <quartic/cuda.hpp>
#include <quartic/quartic.hpp>

int main() {
  if (!quartic::backend_available(quartic::Backend::cuda)) {
    std::puts("no CUDA device here");
    return 0;
  }
  const auto [mesh, fixed_vertices] = quartic::make_beam();
  const quartic::ReducedModel model = quartic::reduce(mesh, fixed_vertices, {.modes = 6, .rank = 12});
  quartic::Batch<double> batch(model.energy, {.rayleigh_mass = 2, .backend = quartic::Backend::cuda});
  for (int mode = 0; mode < model.rank(); ++mode) batch.force()(mode, 0) = -9.81 * model.unit_acceleration(mode, 2);
  const std::vector<std::int32_t> tip = {static_cast<std::int32_t>(mesh.vertex_count() - 1)};
  const quartic::cuda::Embedding embedding(model.basis.map(), std::vector<double>(mesh.vertices.size()),
                                           {.vertices = tip});

  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  float *device = nullptr, *host = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&device), 3 * sizeof(float));
  cudaMallocHost(reinterpret_cast<void**>(&host), 3 * sizeof(float));
  quartic::cuda::send(batch, stream);
  cudaStreamSynchronize(stream);

  // Nothing in here waits or allocates, so that all of it can be recorded.
  cudaGraph_t graph = nullptr;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  quartic::cuda::step(batch, 0.05, 10, stream);
  embedding.displacements(quartic::cuda::device_state(batch).q, {device, 1, 1, 3, 3}, stream);
  cudaMemcpyAsync(host, device, 3 * sizeof(float), cudaMemcpyDeviceToHost, stream);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphExec_t frame = nullptr;
  cudaGraphInstantiate(&frame, graph, 0);

  for (int n = 1; n <= 3; ++n) {
    cudaGraphLaunch(frame, stream);
    cudaStreamSynchronize(stream);
    std::printf("%.2f s: %.4f m\n", 0.05 * n, double(host[2]));
  }
  cudaGraphExecDestroy(frame);
  cudaGraphDestroy(graph);
  cudaFreeHost(host);
  cudaFree(device);
  cudaStreamDestroy(stream);
}
