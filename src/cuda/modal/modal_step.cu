// z += dz, v += dv by core/modal/modal_rule.hpp, for each mode of each body.
//
// A thread has 16 bytes of neighbouring bodies of one mode; blocks run along the bodies, and over the modes in y. It
// reads z, v, f (and f before), and writes z, v (and f before): 20 (28) bytes of floats for 8 multiply-adds, so memory
// is all that counts. A mode's eight numbers and the bodies' status come from cache. A state that isn't finite, or
// whose energy isn't, is not written, and its body gets a mark, which becomes its status after all modes are done. No
// shared memory.
#include "core/modal/modal_rule.hpp"
#include "cuda/modal/modal_step.hpp"

namespace quartic::cuda {
namespace {

constexpr int threads = 256;
constexpr unsigned most_rows = 65535;  // of a grid in y
constexpr std::int32_t diverged = static_cast<std::int32_t>(BodyStatus::diverged);

template <class T>
constexpr int pack_size = 16 / static_cast<int>(sizeof(T));

// Numbers side by side that a thread moves at once.
template <class T, int count>
struct alignas(count * sizeof(T)) Pack {
  T values[count];
};

template <class T>
__device__ Pack<T, pack_size<T>>& pack_at(T* values) {
  return *reinterpret_cast<Pack<T, pack_size<T>>*>(values);
}

struct AddProduct {
  template <class T>
  __device__ void operator()(T& sum, T a, T b) const {
    sum = fma(a, b, sum);
  }
};

template <class T>
__global__ void __launch_bounds__(threads)
    step_bodies(ModalView<T> view, const PackedPropagator<T>* steps, int substeps) {
  constexpr int count = pack_size<T>;
  const std::int64_t body = (std::int64_t{blockIdx.x} * threads + threadIdx.x) * count;
  if (body >= view.pitch) return;
  const auto status = *reinterpret_cast<const Pack<std::int32_t, count>*>(view.status + body);
  const T share = T{1} / static_cast<T>(substeps);
  for (std::int64_t mode = blockIdx.y; mode < view.rank; mode += gridDim.y) {
    const std::int64_t place = mode * view.pitch + body;
    const PackedPropagator<T> propagator = steps[mode];
    auto q = pack_at(view.q + place), velocity = pack_at(view.velocity + place);
    const auto end = *reinterpret_cast<const Pack<T, count>*>(view.force + place);
    auto before = view.force_before != nullptr ? pack_at(view.force_before + place) : end;
    for (int n = 0; n < count; ++n) {
      if (status.values[n] == diverged) continue;
      const T start = before.values[n], rise = (end.values[n] - start) * share;
      T z = q.values[n], v = velocity.values[n];
      for (int s = 0; s < substeps; ++s)
        modal_substep(propagator, AddProduct(), fma(static_cast<T>(s), rise, start), rise, z, v);
      before.values[n] = end.values[n];
      bool sound = false;
      look_at(propagator, z, v, sound);
      if (sound)
        q.values[n] = z, velocity.values[n] = v;
      else
        view.failed[body + n] = 1;
    }
    pack_at(view.q + place) = q;
    pack_at(view.velocity + place) = velocity;
    if (view.force_before != nullptr) pack_at(view.force_before + place) = before;
  }
}

template <class T>
__global__ void __launch_bounds__(threads)
    add_to_bodies(ModalView<T> view, const PackedPropagator<T>* steps, const std::int64_t* bodies, std::int64_t count,
                  const T* q, const T* velocity) {
  const std::int64_t n = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (n >= count * view.rank) return;
  const std::int64_t body = bodies[n / view.rank], mode = n % view.rank, place = mode * view.pitch + body;
  if (view.status[body] == diverged) return;
  const T z = view.q[place] + q[n], v = view.velocity[place] + velocity[n];
  bool sound = false;
  look_at(steps[mode], z, v, sound);
  if (sound)
    view.q[place] = z, view.velocity[place] = v;
  else
    view.failed[body] = 1;
}

__global__ void __launch_bounds__(threads)
    note_failures(std::int32_t* failed, std::int32_t* status, std::int64_t bodies) {
  const std::int64_t body = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (body >= bodies || failed[body] == 0) return;
  failed[body] = 0;
  status[body] = diverged;
}

unsigned blocks_of(std::int64_t items) {
  return static_cast<unsigned>((items + threads - 1) / threads);
}

template <class T>
void note_failures_of(const ModalView<T>& view, cudaStream_t stream) {
  launch(note_failures, {dim3(blocks_of(view.bodies)), dim3(threads)}, stream, view.failed, view.status, view.bodies);
}

}  // namespace

template <class T>
void step_modes(const ModalView<T>& view, const PackedPropagator<T>* steps, int substeps, cudaStream_t stream) {
  const auto rows = static_cast<unsigned>(view.rank < most_rows ? view.rank : most_rows);
  launch(step_bodies<T>, {dim3(blocks_of(view.pitch / pack_size<T>), rows), dim3(threads)}, stream, view, steps,
         substeps);
  note_failures_of(view, stream);
}

template <class T>
void add_jumps(const ModalView<T>& view, const PackedPropagator<T>* steps, const std::int64_t* bodies,
               std::int64_t count, const T* q, const T* velocity, cudaStream_t stream) {
  launch(add_to_bodies<T>, {dim3(blocks_of(count * view.rank)), dim3(threads)}, stream, view, steps, bodies, count, q,
         velocity);
  note_failures_of(view, stream);
}

template void step_modes(const ModalView<float>&, const PackedPropagator<float>*, int, cudaStream_t);
template void step_modes(const ModalView<double>&, const PackedPropagator<double>*, int, cudaStream_t);
template void add_jumps(const ModalView<float>&, const PackedPropagator<float>*, const std::int64_t*, std::int64_t,
                        const float*, const float*, cudaStream_t);
template void add_jumps(const ModalView<double>&, const PackedPropagator<double>*, const std::int64_t*, std::int64_t,
                        const double*, const double*, cudaStream_t);

}  // namespace quartic::cuda
