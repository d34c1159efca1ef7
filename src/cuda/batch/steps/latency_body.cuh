// One body in the hands of a cluster: H by all of its blocks, everything else by block 0.
//
// Block 0 sends a point to all blocks; each makes all monomials and sums its rows of H, a warp 16 (float) or 8 (double)
// rows at once with lanes over rows and monomials, and sends them to block 0. Neither is a meeting of the cluster: each
// block waits for what it needs (mailbox.cuh). The coefficients come from the block's own shared memory where they fit,
// else from L2.
//
// A row is summed by one warp in an order that the number of monomials gives: bits don't depend on the number of
// blocks.
#pragma once

#include "cuda/base/shared_memory.cuh"
#include "cuda/batch/steps/body_system.cuh"
#include "cuda/batch/steps/cluster.cuh"
#include "cuda/batch/steps/latency_steps.hpp"
#include "cuda/batch/steps/mailbox.cuh"
#include "cuda/energy/chamber_image.hpp"
#include "cuda/energy/product_tile.cuh"

namespace quartic::cuda {

/// What block 0 tells the others.
inline constexpr int latency_stop = 0, latency_evaluate = 1, latency_evaluate_second = 2;

template <class T, bool clustered>
class LatencyBody {
 public:
  using Blocks = Cluster<clustered>;

  __device__ LatencyBody(const LatencySteps<T>& steps, const ModelView<T>& model)
      : model_(model),
        plan_(steps.plan),
        values_(reinterpret_cast<T*>(shared_memory())),
        command_(reinterpret_cast<int*>(barriers() + 2)),
        first_block_(Blocks::rank() * plan_.row_blocks),
        point_(barriers(), static_cast<unsigned>(model.rank * sizeof(T) + sizeof(int)), 1),
        rows_(barriers() + 1, static_cast<unsigned>(model.h_rows * sizeof(T)), Blocks::size() - 1) {}

  [[nodiscard]] __device__ int rank() const { return model_.rank; }
  /// The row of vectors that is this thread's, and whether there is one.
  [[nodiscard]] __device__ static int row() { return static_cast<int>(threadIdx.x); }
  [[nodiscard]] __device__ bool has_row() const { return row() < rank(); }

  /// H at the last point, in block 0; behind K's rows come the entries H_i0.
  [[nodiscard]] __device__ const T* h(bool second = false) const {
    return values_ + (second ? plan_.memory.second_h : plan_.memory.h);
  }
  [[nodiscard]] __device__ T* changeable_h(bool second) {
    return values_ + (second ? plan_.memory.second_h : plan_.memory.h);
  }
  /// (1, q) of the last evaluation.
  [[nodiscard]] __device__ const T* point() const { return values_ + plan_.memory.point; }
  [[nodiscard]] __device__ T h_zero(const T* h) const { return h[stiffness_rows(rank()) + row()]; }
  [[nodiscard]] __device__ T* vector(int which) const { return values_ + plan_.memory.vectors + which * rank(); }
  /// single_frame_rows of a free body.
  [[nodiscard]] __device__ T* frame() const { return values_ + plan_.memory.frame; }
  [[nodiscard]] __device__ BodySystem<T> system() const { return {rank(), values_ + plan_.memory.system}; }

  /// Fetches what stays, and meets the others. All blocks.
  __device__ void begin() {
    for (int n = row(); n < model_.monomials; n += threads()) pairs()[n] = model_.pairs[n];
    if (row() == 0) {
      values_[plan_.memory.point] = 1;
      point_.open(), rows_.open();
    }
    if (plan_.keeps_rows) {
      const int packs = row_block_count() * model_.monomials * block_rows<T> / pack_size<T>;
      T* to = values_ + plan_.memory.coefficients;
      for (int n = row(); n < packs; n += threads())
        __pipeline_memcpy_async(to + n * pack_size<T>, own_coefficients() + n * pack_size<T>, 16);
      __pipeline_commit();
      __pipeline_wait_prior(0);
    }
    Blocks::synchronize();  // also: all have started
  }

  /// Block 0: H at the point whose coordinates the threads with a row tell.
  __device__ void evaluate(T x, bool second = false) {
    send(second ? latency_evaluate_second : latency_evaluate, x);
    point_.receive();
    sum_rows(second);
    rows_.receive();
  }
  [[nodiscard]] __device__ int chambers() const { return model_.chambers; }
  /// Block 0: adds to H what chambers do at the last point (chambers.cuh). Ends with a barrier.
  /// @param pressure in the first chamber; those of others lie `stride` apart
  /// @param scale that K and R of both are multiplied with behind this
  __device__ void add_chambers(const T* pressure, std::int64_t stride, T scale, bool second) {
    T *added = values_ + plan_.memory.system, *h = changeable_h(second);
    const T* point = this->point();
    const auto sum = [&](std::int64_t offset, int step) {
      T result = 0;
      for (int chamber = 0; chamber < model_.chambers; ++chamber) {
        const T p = pressure[chamber * stride] / scale;
        const T* from = model_.volumes + chamber * chamber_image_size(rank()) + offset;
#pragma unroll 4
        for (int k = 0; k <= rank(); ++k) result = fma(from[k * step], p * point[k], result);
      }
      return result;
    };
    for (int n = row(); n < rank() * rank(); n += threads()) {
      const int a = n / rank(), b = n % rank();
      if (b > a) continue;
      const int block = stiffness_row(a / block_size, b / block_size);
      added[stiffness_row(a, b)] =
          sum(std::int64_t{block} * (rank() + 1) * block_entries + a % block_size * block_size + b % block_size,
              block_entries);
    }
    __syncthreads();
    if (has_row()) {
      const int i = row();
      T product = 0;
      for (int j = 0; j < rank(); ++j)
        product = fma(added[i >= j ? stiffness_row(i, j) : stiffness_row(j, i)], point[j + 1], product);
      const T linear =
          sum(chamber_blocks_size(rank()) + std::int64_t{i / block_size} * (rank() + 1) * block_size + i % block_size,
              block_size);
      h[stiffness_rows(rank()) + i] += T{1.5} * linear + T{0.5} * product;
    }
    for (int n = row(); n < stiffness_rows(rank()); n += threads()) h[n] += added[n];
    __syncthreads();
  }
  /// Block 0: D / tau of damping by strain rates at the coordinates x of the threads with a row, by itself. Begins and
  /// ends with a barrier.
  /// @param model with D's coefficients @param point shared, shape (r), is overwritten
  /// @param d in the rows of K
  __device__ void evaluate_strain_damping(const ModelView<T>& model, T x, T* point, T* d) const {
    __syncthreads();
    if (has_row()) point[row()] = x;
    __syncthreads();
    make_monomials([&](int k) { return k == 0 ? T{1} : point[k - 1]; });
    __syncthreads();
    for (int block = row() / warp_size; block < model.row_blocks; block += threads() / warp_size)
      sum_block(model.coefficients + static_cast<std::int64_t>(block) * model.monomials * block_rows<T>,
                block * block_rows<T>, model.h_rows, [&](int n, T sum) { d[n] = sum; });
    __syncthreads();
  }
  /// Block 0: lets the others go. Nothing may come behind it.
  __device__ void stop() {
    if constexpr (clustered) send(latency_stop, 0, 1);
  }
  /// The other blocks: evaluate until block 0 stops.
  __device__ void serve() {
    for (;;) {
      point_.receive();
      const int command = *command_;
      if (command == latency_stop) return;
      sum_rows(command == latency_evaluate_second);
      __syncthreads();  // nobody reads monomials any more
    }
  }

  /// y <- y + K x, both in shared memory, by 8 threads per row. Begins and ends with a barrier.
  __device__ void multiply_add(const T* h, const T* x, T* y) const {
    constexpr int lanes = 8;
    __syncthreads();
    for (int first = 0; first < rank(); first += threads() / lanes) {
      const int i = first + row() / lanes;
      T sum = 0;
      if (i < rank())
        for (int j = row() % lanes; j < rank(); j += lanes)
          sum = fma(h[i >= j ? stiffness_row(i, j) : stiffness_row(j, i)], x[j], sum);
#pragma unroll
      for (int distance = lanes / 2; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, distance);
      if (i < rank() && row() % lanes == 0) y[i] += sum;
    }
    __syncthreads();
  }
  /// The sum of squares, by every thread.
  [[nodiscard]] __device__ T square_sum(const T* values) const {
    T sum = 0;
    for (int i = 0; i < rank(); ++i) sum = fma(values[i], values[i], sum);
    return sum;
  }

 private:
  [[nodiscard]] __device__ static int threads() {
    return static_cast<int>(blockDim.x);
  }
  /// Of this block.
  [[nodiscard]] __device__ int row_block_count() const {
    const int left = model_.row_blocks - first_block_;
    return left < 0 ? 0 : left < plan_.row_blocks ? left : plan_.row_blocks;
  }
  [[nodiscard]] __device__ const T* own_coefficients() const {
    return model_.coefficients + static_cast<std::int64_t>(first_block_) * model_.monomials * block_rows<T>;
  }

  [[nodiscard]] __device__ MonomialPair* pairs() const {
    return reinterpret_cast<MonomialPair*>(values_ + plan_.memory.pairs);
  }
  [[nodiscard]] __device__ std::uint64_t* barriers() const {
    return reinterpret_cast<std::uint64_t*>(values_ + plan_.memory.size);
  }

  // Sends point and command to the blocks from `first` on, which have read the point before, as they announced. All
  // threads have read H before: a barrier was behind that.
  __device__ void send(int command, T x, int first = 0) const {
    for (int block = first; block < Blocks::size(); ++block) {
      if (has_row()) point_.send(values_ + plan_.memory.point + row() + 1, x, block);
      if (row() == 0) point_.send(command_, command, block), point_.announce(block);
    }
  }

  __device__ void sum_rows(bool second) {
    const T* point = values_ + plan_.memory.point;
    make_monomials([&](int k) { return point[k]; });
    __syncthreads();
    if (row() == 0 && Blocks::rank() > 0) rows_.announce(0);                  // the point is read
    T* result = values_ + (second ? plan_.memory.second_h : plan_.memory.h);  // in block 0
    const T* coefficients = plan_.keeps_rows ? values_ + plan_.memory.coefficients : own_coefficients();
    for (int block = row() / warp_size; block < row_block_count(); block += threads() / warp_size)
      sum_block(coefficients + static_cast<std::int64_t>(block) * model_.monomials * block_rows<T>,
                (first_block_ + block) * block_rows<T>, model_.h_rows,
                [&](int n, T sum) { rows_.send(result + n, sum, 0); });
  }

  // @param point `point(k)` is q^_k
  template <class Point>
  __device__ void make_monomials(const Point& point) const {
    T* monomials = values_ + plan_.memory.monomials;
    for (int n = row(); n < model_.monomials; n += threads()) {
      const MonomialPair pair = pairs()[n];
      monomials[n] = point(pair.first) * point(pair.second);
    }
  }

  // `block_rows` rows from `first_row` on, by a warp: lane l takes the pack l % packs of the rows of every
  // (32 / packs)-th monomial. `store(row, sum)` takes those below `rows`.
  template <class Store>
  __device__ void sum_block(const T* coefficients, int first_row, int rows, const Store& store) const {
    const T* monomials = values_ + plan_.memory.monomials;
    constexpr int packs = block_rows<T> / pack_size<T>, stride = warp_size / packs;
    static_assert(slab_monomials<T> % stride == 0, "monomials are padded to whole slabs");
    const int lane = row() % warp_size, pack = lane % packs;
    T sum[pack_size<T>] = {};
#pragma unroll 4
    for (int n = lane / packs; n < model_.monomials; n += stride) {
      T c[pack_size<T>];
      load_vector<pack_size<T>>(coefficients + (n * packs + pack) * pack_size<T>, c);
      const T m = monomials[n];
#pragma unroll
      for (int e = 0; e < pack_size<T>; ++e) sum[e] = fma(c[e], m, sum[e]);
    }
#pragma unroll
    for (int distance = packs; distance < warp_size; distance *= 2)
#pragma unroll
      for (int e = 0; e < pack_size<T>; ++e) sum[e] += __shfl_xor_sync(0xffffffffU, sum[e], distance);
    if (lane >= packs) return;
#pragma unroll
    for (int e = 0; e < pack_size<T>; ++e)
      if (const int row = first_row + pack * pack_size<T> + e; row < rows) store(row, sum[e]);
  }

  ModelView<T> model_;
  const LatencyPlan& plan_;
  T* values_;
  int* command_;
  int first_block_;  // of rows
  Mailbox<clustered> point_, rows_;
};

}  // namespace quartic::cuda
