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
// A socket on 127.0.0.1 that sends to itself; below 0 where there is none.
int open_port() {
  const int port = socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in address{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
  socklen_t size = sizeof(address);
  auto* any = reinterpret_cast<sockaddr*>(&address);
  const bool works = bind(port, any, size) == 0 && getsockname(port, any, &size) == 0 && connect(port, any, size) == 0;
  return works ? port : -1;
}
void deliver(int port, quartic::AccelerationReceiver& receiver) {
  std::array<std::byte, 65536> buffer{};
  for (ssize_t size = 0; (size = recv(port, buffer.data(), buffer.size(), MSG_DONTWAIT)) >= 0;)
    receiver.receive(std::span(buffer).first(static_cast<std::size_t>(size)));
}

// How far the receiver is off at the end, in parts of the motion.
double transmitted(const quartic::ReducedModel& model, quartic::Recovery recovery, int& lost) {
  quartic::Batch<double> beam(model.energy, {.rayleigh_mass = 0.5});
  for (int i = 0; i < beam.rank(); ++i) beam.force()(i, 0) = -9.81 * model.unit_acceleration(i, 2);  // gravity
  const std::uint64_t fingerprint = quartic::stream_fingerprint(model);
  quartic::SenderOptions options{.rule = quartic::acceleration_rule(beam.options()), .step = 0.01};
  options.fingerprint = fingerprint;
  options.type = quartic::AccelerationType::fp64;
  quartic::AccelerationSender sender(beam.rank(), 1, options);
  quartic::AccelerationReceiver receiver(beam.rank(), 1, {.recovery = recovery, .fingerprint = fingerprint});
  const int port = open_port();
  if (port < 0) return -1;
  const auto send_all = [&](const auto& packets) {
    for (const quartic::Packet& packet : packets) send(port, packet.data(), packet.size(), 0);
  };
  lost = 0;
  for (int step = 0; step <= 400; ++step) {
    if (step > 0) beam.step(0.01);
    const auto packets = sender.send(beam);
    step % 33 == 17 ? void(++lost) : send_all(packets);
    if (recovery == quartic::Recovery::late)  // the receiver tells what it lacks; here at once, in the same process
      for (const std::int64_t missing : receiver.missing()) send_all(sender.send_again(missing));
    deliver(port, receiver);
    while (receiver.step() < step) receiver.advance();
  }
  close(port);
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
