// The operations of spin_operations.hpp for the instruction sets that a machine may have.
#include "cpu/batch/spin_kernels.hpp"

#include "core/base/instruction_set.hpp"
#include "cpu/batch/spin_operations.hpp"

namespace quartic::cpu {
namespace {

// Functions for an instruction set that inline the text of an operation.

struct Portable {
  template <auto operation, class... Arguments>
  static void run(Arguments... arguments) {
    operation(arguments...);
  }
};
#if defined(__x86_64__)
struct Avx2 {
  template <auto operation, class... Arguments>
  [[gnu::target(QUARTIC_TARGET_AVX2)]] static void run(Arguments... arguments) {
    operation(arguments...);
  }
};
struct Avx512 {
  template <auto operation, class... Arguments>
  [[gnu::target(QUARTIC_TARGET_AVX512)]] static void run(Arguments... arguments) {
    operation(arguments...);
  }
};
#endif

template <class System, class Set, class Operations = SpinOperations<System>>
constexpr SpinKernels<System> kernels_of = {
    .axial_times = Set::template run<Operations::axial_times>,
    .find_momentum = Set::template run<Operations::find_momentum>,
    .add_torque = Set::template run<Operations::add_torque>,
    .add_inertia_force = Set::template run<Operations::add_inertia_force>,
    .eliminate_spin = Set::template run<Operations::eliminate_spin>,
    .correct_spin = Set::template run<Operations::correct_spin>,
    .solve_spins = Set::template run<Operations::solve_spins>,
    .advance = Set::template run<Operations::advance>,
    .add_mean_inertia_force = Set::template run<Operations::add_mean_inertia_force>};

}  // namespace

template <class System>
const SpinKernels<System>& SpinKernels<System>::get() {
#if defined(__x86_64__)
  if (instruction_set() == InstructionSet::avx512) return kernels_of<System, Avx512>;
  if (instruction_set() == InstructionSet::avx2) return kernels_of<System, Avx2>;
#endif
  return kernels_of<System, Portable>;
}

template struct SpinKernels<LaneSystem<float>>;
template struct SpinKernels<LaneSystem<double>>;
template struct SpinKernels<BodySystem<float>>;
template struct SpinKernels<BodySystem<double>>;

}  // namespace quartic::cpu
