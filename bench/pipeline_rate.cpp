#include "pipeline_rate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "library_pipeline.hpp"
#include "measure/samples.hpp"
#include "quartic/cuda.hpp"
#include "quartic/error.hpp"

namespace quartic::measure {
namespace {

using Graph = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, decltype(&cudaGraphDestroy)>;
using GraphExec = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, decltype(&cudaGraphExecDestroy)>;

using Work = std::function<void()>;

// None if a library does something that can't be captured.
GraphExec captured(const Work& work, cudaStream_t stream) {
  GraphExec result(nullptr, &cudaGraphExecDestroy);
  cuda::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "begin a capture");
  try {
    work();
  } catch (const DeviceError&) {  // the capture's end says the same
  }
  cudaGraph_t recorded = nullptr;
  cudaGraphExec_t exec = nullptr;
  const bool ended = cudaStreamEndCapture(stream, &recorded) == cudaSuccess && recorded != nullptr;
  const Graph graph(recorded, &cudaGraphDestroy);
  if (ended && cudaGraphInstantiate(&exec, recorded, 0) == cudaSuccess) result.reset(exec);
  cudaGetLastError();  // the next call shall not find a refusal again
  return result;
}

Work launching(const GraphExec& graph, cudaStream_t stream) {
  return [exec = graph.get(), stream] { cuda::check(cudaGraphLaunch(exec, stream), "launch a graph"); };
}

template <class T>
std::vector<T> host_copy(const StateView<T>& packed, cudaStream_t stream) {
  std::vector<T> values(static_cast<std::size_t>(packed.rank * packed.bodies));
  cuda::check(cudaMemcpyAsync(values.data(), packed.data, values.size() * sizeof(T), cudaMemcpyDeviceToHost, stream),
              "copy to the host");
  cuda::check(cudaStreamSynchronize(stream), "copy to the host");
  return values;
}

// Of a size and at a step where all terms of the energy matter to the result.
template <class T>
void set_lively_state(Batch<T>& batch) {
  const StateView<T> q = batch.q(), velocity = batch.velocity(), acceleration = batch.acceleration(),
                     force = batch.force();
  for (std::int64_t i = 0; i < batch.rank(); ++i)
    for (std::int64_t b = 0; b < batch.bodies(); ++b) {
      const auto n = static_cast<double>(7 * b + i);
      q(i, b) = static_cast<T>(50 * std::sin(n));
      velocity(i, b) = static_cast<T>(200 * std::sin(2 * n));
      acceleration(i, b) = static_cast<T>(1000 * std::sin(3 * n));
      force(i, b) = static_cast<T>(3000 * std::sin(5 * n));
    }
}

constexpr double check_dt = 0.1;
constexpr int check_steps = 2;
template <class T>
constexpr double allowed_difference = std::is_same_v<T, float> ? 1e-4 : 1e-11;

// Largest difference of q between the pipeline and a batch after `steps`, check_steps of them, over the largest q.
template <class T>
double difference_from_batch(LibraryPipeline<T>& pipeline, const QuarticEnergy& energy, const Work& steps,
                             cudaStream_t stream) {
  const std::int64_t bodies = pipeline.q().bodies;
  Batch<T> batch(energy, {.bodies = bodies, .backend = Backend::cuda});
  set_lively_state(batch);
  cuda::send(batch, stream);
  const cuda::DeviceState<T> state = cuda::device_state(batch);
  cuda::copy_state(state.q, pipeline.q(), stream);
  cuda::copy_state(state.velocity, pipeline.velocity(), stream);
  cuda::copy_state(state.acceleration, pipeline.acceleration(), stream);
  cuda::copy_state(state.force, pipeline.force(), stream);
  cuda::step(batch, check_steps * check_dt, check_steps, stream);
  cuda::fetch(batch, stream);
  steps();
  const std::vector<T> q = host_copy(pipeline.q(), stream);
  const StateView<const T> batch_q = std::as_const(batch).q();

  double error = 0, size = 0;
  for (std::int64_t b = 0; b < bodies; ++b)
    for (std::int64_t i = 0; i < energy.rank; ++i) {
      const double expected = double{batch_q(i, b)};
      const double found = double{q[static_cast<std::size_t>(b * energy.rank + i)]};
      if (!std::isfinite(found)) return std::numeric_limits<double>::infinity();
      error = std::max(error, std::abs(found - expected));
      size = std::max(size, std::abs(expected));
    }
  return error / size;
}

template <class T>
void require_same_state(LibraryPipeline<T>& pipeline, const QuarticEnergy& energy, const Work& steps,
                        cudaStream_t stream) {
  const double difference = difference_from_batch(pipeline, energy, steps, stream);
  if (difference <= allowed_difference<T>) return;
  std::ostringstream message;
  message << "after two steps of " << pipeline.q().bodies << " bodies of rank " << energy.rank << " in "
          << (std::is_same_v<T, float> ? "float" : "double") << ", q of the library pipeline is off Batch's by "
          << difference << " of the largest q, "
          << allowed_difference<
                 T> << " being allowed: one of both is wrong, so that no ratio to the pipeline would mean anything";
  throw std::runtime_error(message.str());
}

// Whether a graph of steps does what they do. Without one that does, they must be right themselves.
template <class T>
bool graphs_are_right(LibraryPipeline<T>& pipeline, const QuarticEnergy& energy, cudaStream_t stream) {
  const Work steps = [&] {
    for (int n = 0; n < check_steps; ++n) pipeline.step(check_dt, stream);
  };
  steps();  // the libraries prepare themselves, which a capture wouldn't let them
  const GraphExec graph = captured(steps, stream);
  if (graph != nullptr &&
      difference_from_batch(pipeline, energy, launching(graph, stream), stream) <= allowed_difference<T>)
    return true;
  require_same_state(pipeline, energy, steps, stream);
  return false;
}

template <class T>
double measured_rate(int rank, std::int64_t bodies, int substeps, cudaStream_t stream,
                     const DeviceSeconds& device_seconds) {
  constexpr double least_seconds = 0.05;
  constexpr int least_runs = 3;
  const QuarticEnergy energy = sample_energy(rank);
  LibraryPipeline<T> pipeline(energy, bodies, stream);
  const bool with_graph = graphs_are_right(pipeline, energy, stream);

  const auto rate_of = [&](const Work& work) {
    work();
    double seconds = 0;
    int runs = 0;
    for (; runs < least_runs || seconds < least_seconds; ++runs) seconds += device_seconds(work);
    return static_cast<double>(runs) * static_cast<double>(bodies * substeps) / seconds;
  };
  const Work launches = [&] {
    for (int n = 0; n < substeps; ++n) pipeline.step(sample_dt / substeps, stream);
  };
  double rate = rate_of(launches);
  if (const GraphExec graph = captured(launches, stream); with_graph && graph != nullptr)
    rate = std::max(rate, rate_of(launching(graph, stream)));
  cuda::check(cudaStreamSynchronize(stream), "finish the pipeline's steps");
  return rate;
}

}  // namespace

template <class T>
const PipelineRate& pipeline_rate(int rank, std::int64_t bodies, int substeps, cudaStream_t stream,
                                  const DeviceSeconds& device_seconds) {
  static std::map<std::tuple<int, std::int64_t, int>, PipelineRate> rates;
  const auto [found, is_new] = rates.try_emplace({rank, bodies, substeps});
  PipelineRate& rate = found->second;
  if (is_new) try {
      rate.bodies_per_second = measured_rate<T>(rank, bodies, substeps, stream, device_seconds);
    } catch (const std::exception& error) {
      rate.missing = error.what();
    }
  return rate;
}

template const PipelineRate& pipeline_rate<float>(int, std::int64_t, int, cudaStream_t, const DeviceSeconds&);
template const PipelineRate& pipeline_rate<double>(int, std::int64_t, int, cudaStream_t, const DeviceSeconds&);

}  // namespace quartic::measure
