#include "cpu/modal/modal_kernels.hpp"

#include "core/base/kernel_variants.hpp"
#include "core/modal/modal_rule.hpp"

namespace quartic::cpu {
namespace {

template <class T, int bytes>
struct Lanes {
  typedef T Vector __attribute__((vector_size(bytes), may_alias));       // NOLINT: no `using` with attributes
  typedef Mark<T> Marks __attribute__((vector_size(bytes), may_alias));  // NOLINT: in GCC 12
  static constexpr int count = bytes / static_cast<int>(sizeof(T));

  [[gnu::always_inline]] static void step(const PackedPropagator<T>& propagator, int substeps, const ModalRow<T>& row) {
    const auto add_product = [](Vector & sum, T a, const Vector& b) __attribute__((always_inline)) {
      sum = a * b + sum;
    };
    const T share = T{1} / static_cast<T>(substeps);
    for (std::int64_t first = 0; first < row.bodies; first += count) {
      Vector& q = reinterpret_cast<Vector&>(row.q[first]);
      Vector& velocity = reinterpret_cast<Vector&>(row.velocity[first]);
      const Vector end = reinterpret_cast<const Vector&>(row.force[first]);
      const Marks frozen = reinterpret_cast<const Marks&>(row.frozen[first]);
      Vector force = end, rise = {}, z = q, v = velocity;
      if (row.force_before != nullptr) {
        Vector& before = reinterpret_cast<Vector&>(row.force_before[first]);
        force = before, rise = (end - before) * share;
        before = frozen != 0 ? before : end;
      }
      const Vector start = force;
      for (int n = 0; n < substeps; ++n) {
        force = static_cast<T>(n) * rise + start;
        modal_substep(propagator, add_product, force, rise, z, v);
      }
      Marks sound;
      look_at(propagator, z, v, sound);
      const Marks moves = sound & ~frozen;
      q = moves ? z : q;
      velocity = moves ? v : velocity;
      reinterpret_cast<Marks&>(row.failed[first]) |= ~sound;
    }
  }
};

template <class T>
struct StepRow {
  template <int bytes>
  [[gnu::always_inline]] static void run(const PackedPropagator<T>& propagator, int substeps, const ModalRow<T>& row) {
    Lanes<T, bytes>::step(propagator, substeps, row);
  }
};

}  // namespace

template <class T>
void step_row(const PackedPropagator<T>& propagator, int substeps, const ModalRow<T>& row) {
  KernelVariants<StepRow<T>, const PackedPropagator<T>&, int, const ModalRow<T>&>::chosen()(propagator, substeps, row);
}

template void step_row(const PackedPropagator<float>&, int, const ModalRow<float>&);
template void step_row(const PackedPropagator<double>&, int, const ModalRow<double>&);

}  // namespace quartic::cpu
