// A beam's motion over UDP on this machine: a sender, a receiver, and three packets in a hundred that never arrive.
//
// build:    g++ -std=c++20 udp_stream.cpp -I/usr/include/eigen3 -lquartic -o udp_stream
// run:      ./udp_stream
// prints:
//   400 steps, 12 of them lost
//   hold: off by more than a tenth of the motion: yes
//   late: off by less than a billionth of it: yes
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <quartic/quartic.hpp>
#include <vector>

namespace {

// A socket on 127.0.0.1, and what was sent to it.
class Port {
 public:
  Port() : socket_(socket(AF_INET, SOCK_DGRAM, 0)) {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address_);
    auto* address = reinterpret_cast<sockaddr*>(&address_);
    works_ = socket_ >= 0 && bind(socket_, address, size) == 0 && getsockname(socket_, address, &size) == 0;
  }
  ~Port() { close(socket_); }
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  [[nodiscard]] bool works() const { return works_; }
  void send(const quartic::Packet& packet) {
    sendto(socket_, packet.data(), packet.size(), 0, reinterpret_cast<sockaddr*>(&address_), sizeof(address_));
  }
  void deliver_to(quartic::AccelerationReceiver& receiver) {
    for (;;) {
      const ssize_t size = recv(socket_, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
      if (size < 0) return;
      receiver.receive(std::span(buffer_).first(static_cast<std::size_t>(size)));
    }
  }

 private:
  int socket_;
  bool works_ = false;
  sockaddr_in address_{};
  std::array<std::byte, 65536> buffer_{};
};

// How far the receiver is off at the end, in parts of the motion.
double transmitted(const quartic::ReducedModel& model, quartic::Recovery recovery, int& lost) {
  quartic::Batch<double> beam(model.energy, {.rayleigh_mass = 0.5});
  for (int i = 0; i < beam.rank(); ++i) beam.force()(i, 0) = -9.81 * model.unit_acceleration(i, 2);  // gravity
  const std::uint64_t fingerprint = quartic::stream_fingerprint(model);
  quartic::AccelerationSender sender(beam.rank(), 1,
                                     {.rule = quartic::acceleration_rule(beam.options()),
                                      .step = 0.01,
                                      .fingerprint = fingerprint,
                                      .type = quartic::AccelerationType::fp64});
  quartic::AccelerationReceiver receiver(beam.rank(), 1, {.recovery = recovery, .fingerprint = fingerprint});
  Port port;
  if (!port.works()) return -1;
  lost = 0;
  for (int step = 0; step <= 400; ++step) {
    if (step > 0) beam.step(0.01);
    for (const quartic::Packet& packet : sender.send(beam)) step % 33 == 17 ? void(++lost) : port.send(packet);
    if (recovery == quartic::Recovery::late)  // the receiver tells what it lacks; here at once, in the same process
      for (const std::int64_t missing : receiver.missing())
        for (const quartic::Packet& packet : sender.send_again(missing)) port.send(packet);
    port.deliver_to(receiver);
    while (receiver.step() < step) receiver.advance();
  }
  double difference = 0, size = 0;
  for (int i = 0; i < beam.rank(); ++i) {
    difference += std::pow(beam.q()(i, 0) - receiver.q()(i, 0), 2);
    size += std::pow(beam.q()(i, 0), 2);
  }
  return std::sqrt(difference / size);
}

}  // namespace

int main() {
  const auto [mesh, fixed] = quartic::make_beam(10);
  const quartic::ReducedModel model = quartic::reduce(mesh, fixed, {.modes = 6, .rank = 10});
  int lost = 0;
  const double hold = transmitted(model, quartic::Recovery::hold, lost);
  const double late = transmitted(model, quartic::Recovery::late, lost);
  std::printf("400 steps, %d of them lost\n", lost);
  std::printf("hold: off by more than a tenth of the motion: %s\n", hold > 0.1 ? "yes" : "no");
  std::printf("late: off by less than a billionth of it: %s\n", late >= 0 && late < 1e-9 ? "yes" : "no");
}
