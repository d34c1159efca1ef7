// A block per body with candidates: Newton's method of src/cpu/contact/body_stepper.cpp, in double, to convergence.
// Blocks of other bodies end at once. Per iteration 2 h_rows (r+1)(r+2)/2 flops for H, 2/3 n^3 for the elimination, 12
// r per candidate and 6 n^2 per contact that touches; bytes: the coefficients of H and 24 r per candidate, from L2.
#include <limits>

#include "cuda/contact/near_step.hpp"
#include "cuda/contact/near_system.cuh"
#include "cuda/energy/step_progress.hpp"

namespace quartic::cuda {
namespace {

constexpr int threads = 128;  // of kernels with a thread per body

template <class T>
class NearStepper {
 public:
  __device__ NearStepper(const WorldView<T>& world, std::int64_t body, RigidMotion& motion) : b_(world, body, motion) {}

  __device__ void run() {
    b_.begin();
    const bool converged = iterate();
    finish(converged);
  }

 private:
  using Left = typename NearBody<T>::Left;

  // The work of the residual on the correction.
  [[nodiscard]] __device__ double along_correction() const {
    return dot_product(b_.residual(), b_.correction(), b_.r) +
           b_.share() * dot_product(b_.residual() + b_.r, b_.correction() + b_.r, b_.n - b_.r);
  }

  // A share of the correction: all of it, or less where other points touch at its end.
  __device__ Left correct() {
    constexpr int tries = 10;
    const double slope = along_correction();
    for_each_index(b_.r, [&](int i) { b_.last_increment()[i] = b_.increment()[i]; });
    const Vector3 spin = b_.rigid.end.spin, velocity = b_.rigid.end.velocity;
    double part = 1;
    Left left{};
    for (int n = 0; n < tries; ++n) {
      __syncthreads();
      for_each_index(b_.r, [&](int i) { b_.increment()[i] = b_.last_increment()[i] - part * b_.correction()[i]; });
      if (near_thread() == 0 && b_.flies()) {
        b_.rigid.end.spin = spin - part * vector_at(b_.correction() + b_.r);
        b_.rigid.end.velocity = velocity - part * vector_at(b_.correction() + b_.r + 3);
      }
      __syncthreads();
      left = b_.evaluate();
      const double there = along_correction();
      if (there >= -0.5 * slope || !(slope > 0)) break;
      part *= fmin(fmax(slope / (slope - there), 0.1), 0.7);
    }
    return left;
  }

  // Secants of friction first, then tangents; where these have led away, secants again, twice as many each time.
  __device__ bool iterate() {
    int secants = 2, left_secants = secants;
    bool by_tangent = false;
    const double nearly = fmin(1e3 * b_.s.tolerance, 1e-6);
    double last = std::numeric_limits<double>::infinity();
    Left left = b_.evaluate();
    for (int iteration = 0;; ++iteration) {
      is_finite_ = left.residual - left.residual == 0;
      if (!is_finite_) return false;
      if (left.residual <= b_.s.tolerance * left.size ||
          (left.residual <= nearly * left.size && left.residual > 0.5 * last))
        return true;
      if (iteration == b_.s.iterations) return false;
      if (by_tangent && left.residual > last) left_secants = secants *= 2;
      by_tangent = left_secants-- <= 0;
      NearSystem<T>(b_).form(by_tangent ? FrictionSlope::tangent : FrictionSlope::secant);
      for_each_index(b_.n, [&](int i) { b_.correction()[i] = b_.residual()[i]; });
      solve_in_place(b_.n, b_.pitch(), b_.matrix(), b_.correction());
      last = left.residual;
      left = correct();
    }
  }

  // The velocities that the forces found give exactly, by one thread; then the state of all rows.
  __device__ void finish(bool converged) {
    __syncthreads();
    if (near_thread() == 0 && b_.flies()) finish_rigid();
    __syncthreads();
    double defects = is_finite_ ? 0 : 1;
    for_each_index(b_.r, [&](int i) {
      defects += defect(b_.next_q()[i]) + defect(b_.next_velocity()[i]) + defect(b_.next_acceleration()[i]);
    });
    if (near_thread() == 0 && b_.flies()) defects += rigid_defects();
    const bool good = __syncthreads_or(defects != 0 ? 1 : 0) == 0;
    const WorldView<T>& world = b_.world;
    if (near_thread() == 0) {
      world.next.status[b_.number] = world.batch.status[b_.number];
      world.next.flags[b_.number] = world.batch.flags[b_.number];
      world.next.outcomes[b_.number] = !good ? Outcome::diverged : converged ? Outcome::solved : Outcome::not_converged;
      if (good) read_out();
    }
    if (good)
      store();
    else
      keep();
  }

  __device__ void finish_rigid() {
    RigidMotion& m = b_.rigid;
    const Vector3 rate = m.spin_rate_before;
    acceleration_ = (1 / b_.frame->mass) * b_.outer_force();
    m.end.velocity = m.start.velocity + b_.s.step.dt * acceleration_;
    m.end.spin = solve_spin(b_.s.spin, m.j, m.axial, m.start.spin, m.free_momentum, m.end.spin);
    contact_place_ = m.end.position;
    b_.move_rigid();
    m.spin_rate = spin_rate(b_.s.spin, m.start.spin, m.end.spin, rate);
  }
  [[nodiscard]] __device__ double rigid_defects() const {
    const Place& end = b_.rigid.end;
    const auto sum = [](const Vector3& v) { return v.x + v.y + v.z; };
    return defect(sum(end.position) + sum(end.velocity) + sum(end.spin)) +
           defect(end.rotation.w + dot(end.rotation.vector, end.rotation.vector));
  }

  // By one thread.
  __device__ void read_out() const {
    const RigidMotion& m = b_.rigid;
    const ReadoutView& readout = b_.world.readout;
    const Vector3 torque = b_.flies() ? m.torque + cross(m.arm_origin - contact_place_, m.force) : m.torque;
    put_vector(m.force, readout.wrench + 6 * b_.number);
    put_vector(torque, readout.wrench + 6 * b_.number + 3);
    std::int64_t touching = 0;
    for (int c = 0; c < b_.count; ++c) touching += b_.record(record_gap, c) < 0 ? 1 : 0;
    readout.counts[b_.number] = touching;
    if (!b_.flies()) return;
    const double h = b_.s.step.dt;
    const Vector3 force = b_.s.takes_mean ? 0.5 * (m.start_force + m.force) : m.force;
    const Vector3 turn = b_.s.takes_mean ? 0.5 * (m.start_torque + m.torque) : m.torque;
    double* impulse = readout.impulse + 6 * b_.number;
    put_vector(vector_at(impulse) + h * force, impulse);
    put_vector(vector_at(impulse + 3) + h * (turn + cross(m.arm_origin, force)), impulse + 3);
  }

  __device__ void store() const {
    const NextStates<T>& next = b_.world.next;
    const std::int64_t pitch = b_.world.batch.pitch;
    for_each_index(b_.r, [&](int i) {
      const std::int64_t at = i * pitch + b_.number;
      next.q[at] = static_cast<T>(b_.next_q()[i]);
      next.velocity[at] = static_cast<T>(b_.next_velocity()[i]);
      next.acceleration[at] = static_cast<T>(b_.next_acceleration()[i]);
    });
    if (near_thread() != 0 || !b_.flies()) return;
    const auto put = [&](T* rows, int row, const Vector3& v) {
      T* to = rows + row * pitch + b_.number;
      to[0] = static_cast<T>(v.x), to[pitch] = static_cast<T>(v.y), to[2 * pitch] = static_cast<T>(v.z);
    };
    const RigidMotion& m = b_.rigid;
    put(next.pose, 0, m.end.position);
    put(next.pose, 3, m.end.rotation.vector);
    next.pose[6 * pitch + b_.number] = static_cast<T>(m.end.rotation.w);
    put(next.twist, 0, m.end.velocity);
    put(next.twist, 3, m.end.spin);
    put(next.twist_rate, 0, acceleration_);
    put(next.twist_rate, 3, m.spin_rate);
  }

  // A body that diverged has the state that it had.
  __device__ void keep() const {
    const NextStates<T>& next = b_.world.next;
    const BatchView<T>& batch = b_.world.batch;
    const auto copy = [&](const T* from, T* to, int rows) {
      for_each_index(rows, [&](int i) { to[i * batch.pitch + b_.number] = from[i * batch.pitch + b_.number]; });
    };
    copy(batch.q, next.q, b_.r);
    copy(batch.velocity, next.velocity, b_.r);
    copy(batch.acceleration, next.acceleration, b_.r);
    if (!b_.flies()) return;
    copy(batch.frame.pose, next.pose, 7);
    copy(batch.frame.twist, next.twist, 6);
    copy(batch.frame.twist_rate, next.twist_rate, 6);
  }

  NearBody<T> b_;
  bool is_finite_ = true;
  Vector3 acceleration_, contact_place_;  // of thread 0
};

template <class T>
__global__ void __launch_bounds__(near_threads) step_all(const WorldView<T> world) {
  __shared__ alignas(16) unsigned char motion[sizeof(RigidMotion)];  // without a constructor
  const std::int64_t body = blockIdx.x;
  if (world.candidates.counts[body] == 0) return;
  NearStepper<T>(world, body, *reinterpret_cast<RigidMotion*>(motion)).run();
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

}  // namespace

std::size_t near_shared_bytes(int rank, bool flies) {
  return static_cast<std::size_t>(NearMemory(rank, flies).size) * sizeof(double);
}

template <class T>
void prepare_near_steps(std::size_t shared_bytes) {
  check(cudaFuncSetAttribute(step_all<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)),
        "reserve shared memory");
}

template <class T>
void step_near_bodies(const WorldView<T>& world, std::size_t shared_bytes, cudaStream_t stream) {
  launch(step_all<T>, {dim3(static_cast<unsigned>(world.bodies)), dim3(near_threads), shared_bytes}, stream, world);
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
template void step_near_bodies(const WorldView<float>&, std::size_t, cudaStream_t);
template void step_near_bodies(const WorldView<double>&, std::size_t, cudaStream_t);
template void put_near_bodies(const WorldView<float>&, cudaStream_t);
template void put_near_bodies(const WorldView<double>&, cudaStream_t);
template void list_contacts(const WorldView<float>&, cudaStream_t);
template void list_contacts(const WorldView<double>&, cudaStream_t);

}  // namespace quartic::cuda
