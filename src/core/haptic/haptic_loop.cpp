#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <functional>
#include <thread>
#include <utility>

#include "core/haptic/latest_value.hpp"
#include "quartic/error.hpp"
#include "quartic/haptic.hpp"

namespace quartic {

double HapticTiming::quantile(double share) const {
  if (!(share >= 0 && share <= 1)) throw InputError("a share of steps is between 0 and 1");
  const auto wanted = static_cast<std::int64_t>(std::ceil(share * static_cast<double>(steps)));
  std::int64_t sum = 0;
  for (std::size_t n = 0; n + 1 < counts.size(); ++n) {
    sum += counts[n];
    if (sum >= wanted) return std::min(longest, bin_seconds * static_cast<double>(n + 1));
  }
  return longest;
}

class HapticLoop::Impl {
 public:
  using Step = std::function<HapticSample(const std::array<double, 3>&)>;

  Impl(Step step, const HapticSample& first, double period)
      : step_(std::move(step)), period_(period), device_(first.device), sample_(first), timing_(HapticTiming{}) {
    thread_ = std::thread([this] { work(); });
  }
  ~Impl() { end(); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void end() {
    stopping_.store(true, std::memory_order_relaxed);
    if (thread_.joinable()) thread_.join();
  }

  Step step_;
  const double period_;
  LatestValue<std::array<double, 3>> device_;
  LatestValue<HapticSample> sample_;
  LatestValue<HapticTiming> timing_;
  std::exception_ptr error_;

 private:
  using Clock = std::chrono::steady_clock;

  void work() {
    const auto period = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(period_));
    HapticTiming timing;
    try {
      for (Clock::time_point due = Clock::now(); !stopping_.load(std::memory_order_relaxed);) {
        std::this_thread::sleep_until(due);
        const Clock::time_point begin = Clock::now();
        sample_.put(step_(device_.get()));
        const Clock::time_point end = Clock::now();
        count(std::chrono::duration<double>(end - begin).count(), timing);
        due += period;
        if (end > due) {  // whoever is late doesn't hurry afterwards
          ++timing.missed;
          due = end;
        }
        timing_.put(timing);
      }
    } catch (...) {
      error_ = std::current_exception();
    }
  }

  static void count(double seconds, HapticTiming& timing) {
    const auto bin = static_cast<std::int64_t>(seconds / HapticTiming::bin_seconds);
    ++timing.counts[static_cast<std::size_t>(std::clamp<std::int64_t>(bin, 0, HapticTiming::bins - 1))];
    ++timing.steps;
    timing.longest = std::max(timing.longest, seconds);
  }

  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

template <class T>
HapticLoop::HapticLoop(std::shared_ptr<HapticBall<T>> ball) {
  if (ball == nullptr) throw InputError("a haptic loop needs a ball");
  const HapticSample first = ball->sample();
  const double period = ball->options().period;
  impl_ = std::make_unique<Impl>([own = std::move(ball)](const std::array<double, 3>& x) { return own->step(x); },
                                 first, period);
}
HapticLoop::~HapticLoop() = default;

void HapticLoop::set_device(const std::array<double, 3>& position) {
  impl_->device_.put(position);
}
HapticSample HapticLoop::sample() const {
  return impl_->sample_.get();
}
HapticTiming HapticLoop::timing() const {
  return impl_->timing_.get();
}
void HapticLoop::stop() {
  impl_->end();
  if (const std::exception_ptr error = std::exchange(impl_->error_, nullptr)) std::rethrow_exception(error);
}

template QUARTIC_EXPORT HapticLoop::HapticLoop(std::shared_ptr<HapticBall<float>>);
template QUARTIC_EXPORT HapticLoop::HapticLoop(std::shared_ptr<HapticBall<double>>);

}  // namespace quartic
