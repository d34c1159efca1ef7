// Motion as a stream of accelerations.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "python/batch.hpp"
#include "python/choices.hpp"
#include "python/shared.hpp"
#include "python/sound/modal_object.hpp"
#include "python/sound_bindings.hpp"
#include "quartic/error.hpp"
#include "quartic/participation.hpp"
#include "quartic/streaming.hpp"

namespace quartic::python {
namespace {

constexpr Choice<AccelerationType, 3> types{
    {{"fp16", AccelerationType::fp16}, {"fp32", AccelerationType::fp32}, {"fp64", AccelerationType::fp64}}};
constexpr Choice<Recovery, recovery_count> recoveries{{{"zero", Recovery::zero},
                                                       {"hold", Recovery::hold},
                                                       {"interpolate", Recovery::interpolate},
                                                       {"model", Recovery::model},
                                                       {"late", Recovery::late}}};

/// Python's `quartic.AccelerationSender`, which keeps its batch. Its calls have the batch's lock.
struct SenderObject {
  nb::object batch;
  std::unique_ptr<AccelerationSender> sender;
};

/// f of the Batch or the ModalBatch, alone.
template <class F>
auto with_batch(nb::handle object, F f) {
  if (nb::isinstance<ModalObject>(object)) return nb::cast<const ModalObject&>(object).alone(f);
  if (!nb::isinstance<BatchObject>(object)) throw InputError("batch must be a Batch or a ModalBatch");
  return on_host(nb::cast<const BatchObject&>(object), f);
}

template <class T>
AccelerationRule rule_of(const Batch<T>& batch) {
  return acceleration_rule(batch.options());
}
template <class T>
AccelerationRule rule_of(const ModalBatch<T>&) {
  return difference_rule;
}

nb::list as_bytes(const std::vector<Packet>& packets) {
  nb::list result;
  for (const Packet& packet : packets) result.append(nb::bytes(packet.data(), packet.size()));
  return result;
}

void construct_sender(SenderObject* self, nb::object batch, double step, std::uint64_t fingerprint,
                      const std::string& type, bool closed_loop, double position_gain, double velocity_gain,
                      std::int64_t keyframe_interval, std::int64_t history, std::int64_t most_bytes) {
  SenderOptions options{.step = step,
                        .fingerprint = fingerprint,
                        .type = chosen(types, "type", type),
                        .closed_loop = closed_loop,
                        .position_gain = position_gain,
                        .velocity_gain = velocity_gain,
                        .keyframe_interval = keyframe_interval,
                        .history = history,
                        .most_bytes = most_bytes};
  auto sender = with_batch(batch, [&](const auto& own) {
    options.rule = rule_of(own);
    return std::make_unique<AccelerationSender>(own.rank(), own.bodies(), options);
  });
  new (self) SenderObject{std::move(batch), std::move(sender)};
}

void bind_sender(nb::module_& module) {
  const SenderOptions defaults;
  nb::class_<SenderObject>(module, "AccelerationSender", "Makes packets of a batch's states, step after step.")
      .def(
          "__init__", &construct_sender, nb::arg("batch"), nb::kw_only(), nb::arg("step"), nb::arg("fingerprint") = 0,
          nb::arg("type") = "fp32", nb::arg("closed_loop") = false, nb::arg("position_gain") = defaults.position_gain,
          nb::arg("velocity_gain") = defaults.velocity_gain, nb::arg("keyframe_interval") = 0,
          nb::arg("history") = defaults.history, nb::arg("most_bytes") = defaults.most_bytes,
          nb::sig("def __init__(self, batch: Batch | ModalBatch, *, step: float, fingerprint: int = 0, type: str = "
                  "'fp32', closed_loop: bool = False, position_gain: float = 0.1, velocity_gain: float = 0.5, "
                  "keyframe_interval: int = 0, history: int = 64, most_bytes: int = 65507) -> None"),
          "step: h [s] of the batch's steps; type: fp16, fp32 or fp64; closed_loop: rounding doesn't add up, and exact "
          "steps can be sent; keyframe_interval: steps from one whole state to the next.")
      .def(
          "send",
          [](SenderObject& s) {
            return as_bytes(with_batch(s.batch, [&](const auto& own) {
              const auto packets = s.sender->send(own);
              return std::vector<Packet>(packets.begin(), packets.end());
            }));
          },
          nb::sig("def send(self) -> list[bytes]"), "Packets of the batch's present state, as the next step.")
      .def(
          "send_again",
          [](SenderObject& s, std::int64_t step) {
            return as_bytes(with_batch(s.batch, [&](const auto&) { return s.sender->send_again(step); }));
          },
          nb::arg("step"), nb::sig("def send_again(self, step: int) -> list[bytes]"),
          "Those of an earlier step; none if it isn't among the last `history` ones.")
      .def_prop_ro(
          "steps", [](const SenderObject& s) { return s.sender->steps(); }, "That have been sent.");
}

/// Python's `quartic.AccelerationReceiver`. Calls from several threads take turns.
struct ReceiverObject {
  struct Locked {
    AccelerationReceiver receiver;
    std::mutex mutex = {};
  };
  std::shared_ptr<Locked> locked;

  template <class F>
  auto alone(F f) const {
    const nb::gil_scoped_release released;
    const std::lock_guard lock(locked->mutex);
    return f(locked->receiver);
  }
};

void construct_receiver(ReceiverObject* self, std::int64_t rank, std::int64_t bodies, const std::string& recovery,
                        std::uint64_t fingerprint, std::int64_t window, nb::handle stiffness,
                        const std::optional<RayleighDamping>& damping, nb::handle force) {
  const RayleighDamping rayleigh = damping.value_or(RayleighDamping{});
  ReceiverOptions options{.recovery = chosen(recoveries, "recovery", recovery),
                          .fingerprint = fingerprint,
                          .window = window,
                          .rayleigh_mass = rayleigh.mass,
                          .rayleigh_stiffness = rayleigh.stiffness};
  if (!stiffness.is_none()) {
    options.stiffness = Matrix(rank, rank);
    options.stiffness.values = doubles(stiffness, "stiffness", {rank, rank});  // symmetric: either order
  }
  if (!force.is_none()) options.force = doubles(force, "force", {rank});
  auto locked = without_gil(
      [&] { return std::make_shared<ReceiverObject::Locked>(AccelerationReceiver(rank, bodies, options)); });
  new (self) ReceiverObject{std::move(locked)};
}

std::span<const std::byte> bytes_of(const nb::bytes& bytes) {
  return {static_cast<const std::byte*>(bytes.data()), bytes.size()};
}

nb::dict counts_of(const ReceiverObject& r) {
  const StreamCounts counts = r.alone([](const auto& own) { return own.counts(); });
  nb::dict result;
  for (std::size_t n = 0; n < packet_fate_count; ++n)
    result[std::string(packet_fate_name(static_cast<PacketFate>(n))).c_str()] = counts.packets[n];
  result["guessed"] = counts.guessed;
  return result;
}

void bind_receiver_state(nb::class_<ReceiverObject>& type) {
  type.def_prop_ro(
          "q", [](const ReceiverObject& r) { return array_of(r.locked->receiver.q(), r.locked); },
          "(B, r) float64: the receiver's own memory, read-only, as the next two.")
      .def_prop_ro("velocity",
                   [](const ReceiverObject& r) { return array_of(r.locked->receiver.velocity(), r.locked); })
      .def_prop_ro("acceleration",
                   [](const ReceiverObject& r) { return array_of(r.locked->receiver.acceleration(), r.locked); })
      .def_prop_ro(
          "stopped",
          [](const ReceiverObject& r) {
            std::vector<std::uint8_t> marks = r.alone(
                [](const auto& own) { return std::vector<std::uint8_t>(own.stopped().begin(), own.stopped().end()); });
            const std::int64_t count = std::ssize(marks);
            return to_numpy(owning_array(std::move(marks), {count}));
          },
          nb::sig("def stopped(self) -> numpy.typing.NDArray[numpy.uint8]"), "1 for bodies that stay where they are.")
      .def_prop_ro("counts", &counts_of, nb::sig("def counts(self) -> dict[str, int]"),
                   "Packets by what became of them, and accelerations that were guessed.");
}

void bind_receiver(nb::module_& module) {
  nb::class_<ReceiverObject> type(module, "AccelerationReceiver", "Integrates accelerations that arrive in packets.");
  type.def("__init__", &construct_receiver, nb::arg("rank"), nb::arg("bodies") = 1, nb::kw_only(),
           nb::arg("recovery") = "hold", nb::arg("fingerprint") = 0, nb::arg("window") = 64,
           nb::arg("stiffness") = nb::none(), nb::arg("damping") = nb::none(), nb::arg("force") = nb::none(),
           nb::sig("def __init__(self, rank: int, bodies: int = 1, *, recovery: str = 'hold', fingerprint: int = 0, "
                   "window: int = 64, stiffness: quartic._typing.ArrayLike | None = None, damping: RayleighDamping | "
                   "None = None, force: quartic._typing.ArrayLike | None = None) -> None"),
           "recovery: zero, hold, interpolate, model (with the stiffness at rest, (r, r) float64) or late.")
      .def(
          "receive",
          [](const ReceiverObject& r, const nb::bytes& packet) {
            const std::span<const std::byte> bytes = bytes_of(packet);
            return std::string(packet_fate_name(r.alone([&](auto& own) { return own.receive(bytes); })));
          },
          nb::arg("packet"), "Returns what became of it: taken, state, repaired, late, duplicate, damaged, ...")
      .def(
          "advance", [](const ReceiverObject& r) { r.alone([](auto& own) { own.advance(); }); },
          "Moves by one step, with what is there.")
      .def(
          "reset", [](const ReceiverObject& r) { r.alone([](auto& own) { own.reset(); }); },
          "Forgets the motion: the next whole state is a first one, as of a sender that begins anew.")
      .def(
          "has",
          [](const ReceiverObject& r, std::int64_t step) {
            return r.alone([&](const auto& own) { return own.has(step); });
          },
          nb::arg("step"))
      .def(
          "missing", [](const ReceiverObject& r) { return r.alone([](const auto& own) { return own.missing(); }); },
          "Steps whose accelerations are still missing.")
      .def_prop_ro("started",
                   [](const ReceiverObject& r) { return r.alone([](const auto& o) { return o.started(); }); })
      .def_prop_ro("step", [](const ReceiverObject& r) { return r.alone([](const auto& own) { return own.step(); }); })
      .def_prop_ro("latest",
                   [](const ReceiverObject& r) { return r.alone([](const auto& own) { return own.latest(); }); })
      .def_prop_ro(
          "step_length",
          [](const ReceiverObject& r) { return r.alone([](const auto& own) { return own.step_length(); }); }, "[s]");
  bind_receiver_state(type);
}

}  // namespace

void bind_streaming(nb::module_& module) {
  nb::class_<AccelerationRule>(module, "AccelerationRule",
                               "q += h v + h^2 (before a + after a'), v += h ((1 - gamma) a + gamma a').")
      .def_ro("before", &AccelerationRule::before)
      .def_ro("after", &AccelerationRule::after)
      .def_ro("gamma", &AccelerationRule::gamma)
      .def_ro("of_differences", &AccelerationRule::of_differences);
  module.def(
      "acceleration_rule",
      [](nb::handle batch) { return with_batch(batch, [](const auto& own) { return rule_of(own); }); },
      nb::arg("batch"), nb::sig("def acceleration_rule(batch: Batch | ModalBatch) -> AccelerationRule"),
      "That of the batch's integrator.");
  module.def(
      "loss_distortion",
      [](const AccelerationRule& rule, double h, std::int64_t steps) {
        const LossDistortion found = loss_distortion(rule, h, steps);
        return std::pair(found.q, found.velocity);
      },
      nb::arg("rule"), nb::arg("h"), nb::arg("steps"),
      "What of q [s^2] and of the velocity [s] is missing so many steps after an acceleration of 1 was lost.");
  module.def(
      "stream_fingerprint",
      [](const Model& model, const std::string& coordinates) {
        const Coordinates kind = chosen(coordinate_kinds, "coordinates", coordinates);
        return without_gil([&] { return stream_fingerprint(*model, kind); });
      },
      nb::arg("model"), nb::arg("coordinates") = "basis", "Of the basis, or of the linear-modes.");
  bind_sender(module);
  bind_receiver(module);
  nb::class_<PacketReader>(module, "PacketReader", "Finds packets in a stream of bytes.")
      .def(nb::init<>())
      .def(
          "feed", [](PacketReader& r, const nb::bytes& bytes) { r.feed(bytes_of(bytes)); }, nb::arg("bytes"))
      .def(
          "next",
          [](PacketReader& r) -> nb::object {
            const std::optional<Packet> packet = r.next();
            return packet ? nb::object(nb::bytes(packet->data(), packet->size())) : nb::none();
          },
          nb::sig("def next(self) -> bytes | None"), "None until there are more bytes.")
      .def_prop_ro("skipped_bytes", &PacketReader::skipped_bytes);
}

}  // namespace quartic::python
