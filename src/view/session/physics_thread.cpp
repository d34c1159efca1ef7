#include "view/session/physics_thread.hpp"

#include <algorithm>
#include <utility>

namespace quartic::view {

PhysicsThread::PhysicsThread(Session& session, double speed, bool paused)
    : session_(session),
      shown_(session.frame()),
      paused_(paused),
      speed_(speed),
      pacer_(session.step_length() / speed),
      thread_([this] { work(); }) {}

PhysicsThread::~PhysicsThread() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void PhysicsThread::post(Command command) {
  {
    const std::lock_guard lock(mutex_);
    commands_.push_back(std::move(command));
    ++posted_;
  }
  wake_.notify_one();
}

void PhysicsThread::run(Command command) {
  post(std::move(command));
  std::unique_lock lock(mutex_);
  const std::int64_t mine = posted_;
  done_.wait(lock, [&] { return finished_ >= mine; });
}

void PhysicsThread::set_paused(bool paused) {
  {
    const std::lock_guard lock(mutex_);
    paused_ = paused;
    single_steps_ = 0;
    pacer_.restart();
    meter_.restart();
  }
  wake_.notify_one();
}

bool PhysicsThread::paused() const {
  const std::lock_guard lock(mutex_);
  return paused_;
}

void PhysicsThread::step_once() {
  {
    const std::lock_guard lock(mutex_);
    if (paused_) ++single_steps_;
  }
  wake_.notify_one();
}

void PhysicsThread::set_speed(double speed) {
  const std::lock_guard lock(mutex_);
  if (speed == speed_) return;  // asked for with each picture
  speed_ = speed;
  meter_.restart();
}

const Frame& PhysicsThread::latest() {
  {
    const std::lock_guard lock(mutex_);
    if (fresh_) std::swap(shown_, handed_over_);
    fresh_ = false;
    wanted_ = true;
  }
  wake_.notify_one();
  return shown_;
}

PhysicsReadout PhysicsThread::readout() const {
  const std::lock_guard lock(mutex_);
  PhysicsReadout result = readout_;
  result.speed = paused_ ? 0 : meter_.rate();
  result.dropped = pacer_.dropped();
  return result;
}

// The mutex is held except while the session works.
void PhysicsThread::work() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    run_commands(lock);
    pacer_.set_interval(session_.step_length() / speed_);
    if (paused_ ? single_steps_ > 0 : pacer_.due(now())) {
      if (paused_) --single_steps_;
      step(lock);
    }
    if (wanted_) hand_over(lock);
    wait(lock);
  }
}

void PhysicsThread::wait(std::unique_lock<std::mutex>& lock) {
  const auto woken = [this] { return stopping_ || wanted_ || !commands_.empty() || (paused_ && single_steps_ > 0); };
  if (paused_) return wake_.wait(lock, [&] { return woken() || !paused_; });
  constexpr double longest_wait = 1;  // [s]; long intervals are waited for in parts
  const double until = std::min(pacer_.next(), now() + longest_wait);
  if (until > now())
    wake_.wait_until(lock, begun_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(until)),
                     [&] { return woken() || paused_; });
}

void PhysicsThread::run_commands(std::unique_lock<std::mutex>& lock) {
  const std::vector<Command> commands = std::exchange(commands_, {});
  if (commands.empty()) return;
  lock.unlock();
  std::string error;
  for (const Command& command : commands) {
    try {
      command(session_);
    } catch (const std::exception& thrown) {
      error = thrown.what();
    }
  }
  lock.lock();
  readout_.error = error;
  finished_ += std::ssize(commands);
  done_.notify_all();
}

void PhysicsThread::step(std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  const auto begun = Clock::now();
  std::string error;
  try {
    session_.step();
  } catch (const std::exception& thrown) {
    error = thrown.what();
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  lock.lock();
  if (!error.empty()) {
    readout_.error = error;
    paused_ = true;
  }
  readout_.step_seconds = readout_.step_seconds == 0 ? seconds : 0.98 * readout_.step_seconds + 0.02 * seconds;
  simulated_ += session_.step_length();
  meter_.add(now(), simulated_);
}

void PhysicsThread::hand_over(std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  Frame frame;
  std::string error;
  try {
    frame = session_.frame();
  } catch (const std::exception& thrown) {
    error = thrown.what();
  }
  lock.lock();
  wanted_ = false;
  if (error.empty()) {
    handed_over_ = std::move(frame);
    fresh_ = true;
  } else {
    readout_.error = error;
  }
}

}  // namespace quartic::view
