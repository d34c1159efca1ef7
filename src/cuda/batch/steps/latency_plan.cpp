#include "cuda/batch/steps/latency_plan.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/energy/quartic_polynomial.hpp"
#include "cuda/batch/steps/step_memory.hpp"
#include "cuda/energy/model_image.hpp"
#include "quartic/error.hpp"

namespace quartic::cuda {
namespace {

static_assert(latency_threads >= rank_limit);

template <class T>
LatencyMemory lay_out(int rank, bool two_points, bool has_frame, int kept_values) {
  int next = 0;
  const auto take = [&](int count) { return std::exchange(next, next + (count + 3) / 4 * 4); };  // to 16 bytes
  LatencyMemory memory = {};
  memory.coefficients = take(kept_values);
  memory.monomials = take(monomial_count<T>(rank));
  constexpr int in_value = sizeof(T) / sizeof(MonomialPair);
  memory.pairs = take((monomial_count<T>(rank) + in_value - 1) / in_value);
  memory.point = take(rank + 1);
  memory.h = take(h_row_count(rank));
  memory.second_h = two_points ? take(h_row_count(rank)) : memory.h;
  memory.vectors = take(latency_vectors * rank);
  memory.system = take(body_system_size(rank));
  memory.frame = take(has_frame ? single_frame_rows(rank) : 0);
  memory.size = next;
  return memory;
}

}  // namespace

template <class T>
LatencyPlan plan_latency(int rank, bool two_points, bool has_frame, std::size_t shared_bytes, bool clusters) {
  const auto bytes = [](const LatencyMemory& memory) {
    return static_cast<std::size_t>(memory.size) * sizeof(T) + latency_messages_bytes;
  };
  const LatencyMemory least = lay_out<T>(rank, two_points, has_frame, 0);
  if (bytes(least) > shared_bytes)
    throw InputError("Evaluation::latency of bodies of rank " + std::to_string(rank) + " needs " +
                     std::to_string(bytes(least)) + " bytes of shared memory, but this device has " +
                     std::to_string(shared_bytes) + " per block; use Evaluation::strict, or the backend 'cpu'");
  const int all_rows = row_block_count<T>(rank), block_values = monomial_count<T>(rank) * block_rows<T>;
  LatencyPlan best;
  double least_cycles = 0;
  for (int blocks = 1; blocks <= (clusters ? most_cluster_blocks : 1) && blocks <= all_rows; blocks *= 2) {
    LatencyPlan plan{blocks, (all_rows + blocks - 1) / blocks, true, {}, 0};
    plan.memory = lay_out<T>(rank, two_points, has_frame, plan.row_blocks * block_values);
    plan.keeps_rows = bytes(plan.memory) <= shared_bytes;
    if (!plan.keeps_rows) plan.memory = least;
    plan.shared_bytes = bytes(plan.memory);
    const double read = static_cast<double>(plan.row_blocks) * block_values * sizeof(T);
    const double cycles =
        read / (plan.keeps_rows ? latency_shared_rate : latency_l2_rate) + (blocks > 1 ? latency_meeting_cycles : 0);
    if (blocks == 1 || cycles < least_cycles) best = plan, least_cycles = cycles;
  }
  return best;
}

template LatencyPlan plan_latency<float>(int, bool, bool, std::size_t, bool);
template LatencyPlan plan_latency<double>(int, bool, bool, std::size_t, bool);

}  // namespace quartic::cuda
