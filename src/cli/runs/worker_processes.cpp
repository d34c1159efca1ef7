#include "cli/runs/worker_processes.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "quartic/backend.hpp"
#include "quartic/error.hpp"

namespace quartic::cli {

namespace {

void* shared_memory(std::size_t bytes) {
  void* memory =
      mmap(nullptr, std::max<std::size_t>(bytes, 1), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return memory;
}

enum class Failure : int { none, numerical, other };

/// What the processes tell the first one.
struct Board {
  TaskCounter done{0};
  std::atomic<int> finished{0};      // processes whose work is complete
  std::atomic<bool> failing{false};  // the first to set it writes the message, then the kind
  std::atomic<Failure> failure{Failure::none};
  std::array<char, 4096> message{};

  void fail(Failure kind, const char* what) {
    if (failing.exchange(true)) return;
    std::snprintf(message.data(), message.size(), "%s", what);
    failure = kind;
  }
};

// In the new process; doesn't return.
[[noreturn]] void work_and_leave(const std::function<void(int, TaskCounter&)>& work, int worker, int threads,
                                 pid_t parent, Board& board) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  setenv("QUARTIC_THREADS", std::to_string(threads).c_str(), 1);
  try {
    work(worker, board.done);
    ++board.finished;
    _exit(0);
  } catch (const NumericalError& error) {
    board.fail(Failure::numerical, error.what());
  } catch (const std::bad_alloc&) {
    board.fail(Failure::other, "not enough memory for so many processes; use fewer --jobs");
  } catch (const std::exception& error) {
    board.fail(Failure::other, error.what());
  }
  _exit(1);
}

/// Processes that end with this object at the latest.
class Workers {
 public:
  Workers() {
    // Who ignores the end of children, as daemons do, can't wait for them.
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &standard, &before_);
  }
  ~Workers() {
    for (const pid_t process : processes_) kill(process, SIGKILL);
    for (const pid_t process : processes_) waitpid(process, nullptr, 0);
    sigaction(SIGCHLD, &before_, nullptr);
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void add(pid_t process) { processes_.push_back(process); }
  [[nodiscard]] bool running() const { return !processes_.empty(); }
  /// Forgets those that have ended. False if one of them didn't end well.
  bool check() {
    bool well = true;
    std::erase_if(processes_, [&](pid_t process) {
      int status = 0;
      const pid_t ended = waitpid(process, &status, WNOHANG);
      if (ended == 0 || (ended < 0 && errno == EINTR)) return false;
      well = well && ended == process && WIFEXITED(status) && WEXITSTATUS(status) == 0;
      return true;
    });
    return well;
  }

 private:
  std::vector<pid_t> processes_;
  struct sigaction before_ {};
};

[[noreturn]] void rethrow(const Board& board) {
  using namespace std::chrono_literals;
  for (int wait = 0; board.failing && board.failure == Failure::none && wait < 100; ++wait)
    std::this_thread::sleep_for(10ms);
  const std::string message = board.failure != Failure::none ? board.message.data() : "";
  if (board.failure == Failure::numerical) throw NumericalError(message);
  if (board.failure != Failure::none) throw InputError(message);
  throw InputError("one of the processes was killed (out of memory?); use fewer --jobs");
}

}  // namespace

SharedNumbers::SharedNumbers(std::size_t count)
    : data_(static_cast<double*>(shared_memory(count * sizeof(double)))),
      bytes_(std::max<std::size_t>(count * sizeof(double), 1)) {}

SharedNumbers::~SharedNumbers() {
  munmap(data_, bytes_);
}

void run_in_processes(int workers, const std::function<void(int, TaskCounter&)>& work,
                      const std::function<void(std::int64_t)>& watch) {
  const int threads = std::max(1, default_thread_count() / std::max(workers, 1));
  Board* board = new (shared_memory(sizeof(Board))) Board;  // trivially destructible; unmapped with the process
  std::fflush(nullptr);                                     // or both would write what is in the buffers
  const pid_t parent = getpid();
  Workers processes;
  for (int worker = 0; worker < workers; ++worker) {
    const pid_t process = fork();
    if (process < 0) throw InputError("no more processes can be started; use fewer --jobs");
    if (process == 0) work_and_leave(work, worker, threads, parent, *board);
    processes.add(process);
  }
  while (processes.running()) {
    if (!processes.check()) rethrow(*board);
    watch(board->done);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (board->finished < workers) rethrow(*board);
}

}  // namespace quartic::cli
