#include "measure/machine_rates.hpp"

#include <cblas.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <thread>
#include <vector>

#include "core/base/instruction_set.hpp"

namespace quartic::measure {
namespace {

using cpu::instruction_set;
using cpu::InstructionSet;

template <class T, int bytes>
struct VectorOf {
  typedef T Type __attribute__((vector_size(bytes)));  // NOLINT: no `using` with attributes in GCC 12
};

constexpr std::int64_t loop_length = 100'000;
constexpr int chains = 12;  // independent sums: more than the latency of an addition, fewer than registers

// Twelve chains of x <- a x + b per turn. That they start differently and that the result is used keeps the compiler
// from leaving any of them out.
template <class T, int bytes>
[[gnu::always_inline]] inline void multiply_add(T a, T b, T* result) {
  typename VectorOf<T, bytes>::Type sum[chains];
  for (int i = 0; i < chains; ++i) sum[i] = typename VectorOf<T, bytes>::Type{} + static_cast<T>(i) * b;
  for (std::int64_t n = 0; n < loop_length; ++n)
#pragma GCC unroll 16  // so that sums stay in registers whatever the optimisation
    for (int i = 0; i < chains; ++i) sum[i] = sum[i] * a + b;
  for (int i = 1; i < chains; ++i) sum[0] += sum[i];
  *result = sum[0][0];
}

template <class T>
struct Loop {
  void (*run)(T a, T b, T* result);
  int lanes;
};

template <class T>
Loop<T> best_loop() {
  constexpr int size = static_cast<int>(sizeof(T));
#if defined(__x86_64__)
  struct Avx2 {
    [[gnu::target(QUARTIC_TARGET_AVX2)]] static void run(T a, T b, T* result) { multiply_add<T, 32>(a, b, result); }
  };
  struct Avx512 {
    [[gnu::target(QUARTIC_TARGET_AVX512)]] static void run(T a, T b, T* result) { multiply_add<T, 64>(a, b, result); }
  };
  if (instruction_set() == InstructionSet::avx512) return {Avx512::run, 64 / size};
  if (instruction_set() == InstructionSet::avx2) return {Avx2::run, 32 / size};
#endif
  return {multiply_add<T, 16>, 16 / size};
}

// Work on `threads` threads at once, the caller's among them; done when the last of them is.
template <class Work>
void on_threads(int threads, const Work& work) {
  std::vector<std::jthread> others;
  others.reserve(static_cast<std::size_t>(threads - 1));
  for (int t = 1; t < threads; ++t) others.emplace_back([&work, t] { work(t); });
  work(0);
}

}  // namespace

template <class T>
double multiply_add_rate(int threads, const Effort& effort) {
  const Loop<T> loop = best_loop<T>();
  volatile T a = T{0.5};
  std::atomic<T> sink = 0;
  constexpr int repetitions = 20;  // long against the start of a thread
  const double seconds = seconds_per_call(effort, [&] {
    on_threads(threads, [&](int) {
      T result = 0;
      for (int n = 0; n < repetitions; ++n) loop.run(a, a, &result);
      sink.store(result, std::memory_order_relaxed);
    });
  });
  return 2.0 * chains * loop.lanes * loop_length * repetitions * threads / seconds;
}
template double multiply_add_rate<float>(int, const Effort&);
template double multiply_add_rate<double>(int, const Effort&);

double copy_rate(int threads, const Effort& effort) {
  constexpr std::size_t bytes = std::size_t{128} << 20;
  const std::vector<char> from(bytes, 1);
  std::vector<char> to(bytes);
  const double seconds = seconds_per_call(effort, [&] {
    on_threads(threads, [&](int t) {
      const auto share = [&](int n) { return bytes / static_cast<std::size_t>(threads) * static_cast<std::size_t>(n); };
      const std::size_t begin = share(t), end = t + 1 == threads ? bytes : share(t + 1);
      std::memcpy(to.data() + begin, from.data() + begin, end - begin);
    });
  });
  return 2.0 * static_cast<double>(bytes) / seconds;
}

template <class T>
double gemm_rate(int threads, int size, const Effort& effort) {
  const BlasThreads blas(threads);
  const std::size_t count = static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
  const std::vector<T> a(count, T{1}), b(a);
  std::vector<T> c(count);
  const double seconds = seconds_per_call(effort, [&] {
    if constexpr (sizeof(T) == 4)
      cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, size, size, size, 1, a.data(), size, b.data(), size, 0,
                  c.data(), size);
    else
      cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, size, size, size, 1, a.data(), size, b.data(), size, 0,
                  c.data(), size);
  });
  return 2.0 * size * size * size / seconds;
}
template double gemm_rate<float>(int, int, const Effort&);
template double gemm_rate<double>(int, int, const Effort&);

double syrk_rate(int threads, int size, const Effort& effort) {
  const BlasThreads blas(threads);
  const std::vector<double> a(static_cast<std::size_t>(size) * static_cast<std::size_t>(size), 0.5);
  std::vector<double> c(a.size());
  const double seconds = seconds_per_call(effort, [&] {
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, size, size, 1.0, a.data(), size, 0.0, c.data(), size);
  });
  return 1.0 * size * size * (size + 1) / seconds;
}

BlasThreads::BlasThreads(int threads) : before_(openblas_get_num_threads()) {
  openblas_set_num_threads(threads);
}
BlasThreads::~BlasThreads() {
  openblas_set_num_threads(before_);
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (const auto colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return "unknown";
}

const char* instruction_set_name() {
  switch (instruction_set()) {
    case InstructionSet::avx512:
      return "AVX-512";
    case InstructionSet::avx2:
      return "AVX2";
    case InstructionSet::portable:
      break;
  }
  return "portable";
}

}  // namespace quartic::measure
