// Abaqus Keywords Reference Guide and CalculiX CrunchiX User's Manual, *CLOAD, *DLOAD, *DSLOAD. Faces P1, P2, ... are
// those that surfaces call S1, S2, ....
#include "io/abaqus/abaqus_loads.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "core/loads/face_loads.hpp"
#include "io/abaqus/abaqus_faces.hpp"
#include "io/abaqus/abaqus_heat.hpp"
#include "io/text/text.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

using Eigen::Vector3d;

constexpr std::string_view keywords[] = {"CLOAD", "DLOAD", "DSLOAD"};
constexpr std::string_view centrifugal[] = {"CENT", "CENTRIF", "CORIO", "ROTA", "ROTDYNF"};
constexpr std::string_view missing = "it doesn't act";

// Parameters with which a load isn't the constant dead load that its line says.
struct Parameter {
  std::string_view name, consequence;
};
constexpr Parameter parameters[] = {{"AMPLITUDE", "its amplitude over time isn't used: all of it acts at all times"},
                                    {"FOLLOWER", "it keeps its direction while nodes turn"}};
constexpr std::string_view refused_load_parameters[] = {"USER", "LOADCASE", "IMAGINARY", "SUBMODEL"};

class LoadReader {
 public:
  LoadReader(const PlacedDeck& deck, AbaqusSets& sets, const AbaqusLinks& links, const VolumeMesh& mesh,
             LeftOut& left_out)
      : deck_(deck), sets_(sets), links_(links), mesh_(mesh), left_out_(left_out), faces_(deck, sets, mesh) {}

  [[nodiscard]] Loads read() {
    for (const AbaqusLoad& load : deck_.model.loads) {
      if (load.is_refused) {
        leave_out(load, missing);
        continue;
      }
      try {
        if (load.name == "CLOAD") read_force(load);
        if (load.name == "DLOAD") read_on_elements(load);
        if (load.name == "DSLOAD") read_on_surface(load);
      } catch (const InputError& error) {
        leave_out(load, std::string(missing) + ", since " + error.what());
      }
    }
    gather_gravity();
    Loads loads{.forces = {}, .gravity = gravity_};
    for (const auto& [vertex, force] : forces_) loads.forces.push_back({vertex, force});
    return loads;
  }

 private:
  void leave_out(const AbaqusLoad& load, std::string_view consequence) {
    left_out_.add(load.place, load.keyword + (load.label.empty() ? "" : " " + load.label), consequence);
  }

  void add(std::int64_t vertex, const std::array<double, 3>& force) {
    std::array<double, 3>& sum = forces_[static_cast<std::int32_t>(vertex)];
    for (std::size_t c = 0; c < 3; ++c) sum[c] += force[c];
  }

  // Along global axes or those of a *TRANSFORM. What acts on a reference node, moments included, does its work on the
  // nodes of solids that move it.
  void read_force(const AbaqusLoad& load) {
    const auto direction = parse_integer(load.label);
    if (!direction || *direction < 1 || load.numbers.empty()) return leave_out(load, "it can't be understood");
    for (const auto node : sets_.nodes(load.target, load.place, load.keyword)) {
      const auto terms = node < 0 ? std::nullopt : links_.degree(node, *direction);
      if (!terms) {
        leave_out(load, why_without(node, *direction));
        continue;
      }
      AbaqusLinks::Terms work;
      AbaqusLinks::add_scaled(*terms, load.numbers[0], work);
      for (const DisplacementTerm& term : work) add(term.vertex, term.factors);
    }
  }

  // Why a node has no such motion.
  [[nodiscard]] const char* why_without(std::int64_t node, std::int64_t direction) const {
    if (node >= 0 && links_.is_linked(node))
      return direction > 3 ? "its rotation isn't said by the nodes that it moves with, or left free: it doesn't act"
                           : "its motion along this direction depends on how it turns, which the nodes that it moves "
                             "with don't say: it doesn't act";
    return direction > 3 ? "it is a moment or of another field, which nodes of solids don't have"
                         : "it acts on nodes outside of solids";
  }

  void read_on_elements(const AbaqusLoad& load) {
    if (load.label == "GRAV") return read_gravity(load);
    const auto number =
        load.label.size() == 2 && load.label[0] == 'P' ? parse_integer(load.label.substr(1)) : std::nullopt;
    if (!number || load.numbers.empty()) return leave_out(load, missing);
    const std::vector<std::int64_t> elements = elements_of(load);
    if (elements.empty()) return leave_out(load, "there are no elements " + load.target);
    for (const auto element : elements) {
      const std::optional<BoundaryFace> face = faces_.face(element, *number);
      if (!face)
        leave_out(load, "there are no such faces, which it would act on");
      else
        press(*face, load.numbers[0]);
    }
  }

  void read_on_surface(const AbaqusLoad& load) {
    const bool is_pressure = load.label == "P" && !load.numbers.empty();
    if (!is_pressure && !(load.label == "TRVEC" && load.numbers.size() >= 4)) return leave_out(load, missing);
    const std::vector<BoundaryFace> faces = faces_.of_surface(load.target);
    if (faces.empty())
      return leave_out(load, "its surface has no faces of solids, or stands in a part: it doesn't act");
    Vector3d traction = Vector3d::Zero();
    if (!is_pressure) traction = load.numbers[0] * direction_of(load);
    for (const BoundaryFace& face : faces) is_pressure ? press(face, load.numbers[0]) : pull(face, traction);
  }

  // Of several sets, the same on each, that are the whole body together: with nothing twice.
  void read_gravity(const AbaqusLoad& load) {
    if (load.numbers.size() < 4) return leave_out(load, "it can't be understood");
    const Vector3d acceleration = load.numbers[0] * direction_of(load);
    const std::array<double, 3> key = {acceleration[0], acceleration[1], acceleration[2]};
    if (load.target.empty()) return add_gravity(key);
    PartialGravity& part = partial_gravity_[key];
    part.loads.push_back(&load);
    for (const auto e : elements_of(load))
      if (deck_.elements[static_cast<std::size_t>(e)].row >= 0) part.elements.push_back(e);
  }

  void gather_gravity() {
    const auto solids = std::ranges::count_if(deck_.elements, [](const ElementPlace& e) { return e.row >= 0; });
    for (auto& [acceleration, part] : partial_gravity_) {
      std::ranges::sort(part.elements);
      const bool is_apart = std::ranges::adjacent_find(part.elements) == part.elements.end();
      if (is_apart && std::ssize(part.elements) == solids)
        add_gravity(acceleration);
      else
        for (const AbaqusLoad* load : part.loads)
          leave_out(*load, is_apart ? "gravity of a part of the body alone doesn't act here"
                                    : "elements have it twice, and it doesn't act; give each element once");
    }
  }

  void add_gravity(const std::array<double, 3>& acceleration) {
    for (std::size_t c = 0; c < 3; ++c) gravity_[c] += acceleration[c];
  }

  // The three numbers behind the magnitude, brought to length 1. @throws InputError if they are zero
  static Vector3d direction_of(const AbaqusLoad& load) {
    const Vector3d direction(load.numbers[1], load.numbers[2], load.numbers[3]);
    if (!(direction.norm() > 0)) throw InputError("its direction is zero");
    return direction.normalized();
  }

  [[nodiscard]] std::vector<std::int64_t> elements_of(const AbaqusLoad& load) {
    return sets_.elements(deck_.parts.front(), load.target, load.place);
  }

  void press(const BoundaryFace& face, double pressure) {
    parts_.clear();
    add_pressure(mesh_, face, pressure, parts_);
    for (const PointForce& part : parts_) add(part.vertex, part.force);
  }
  void pull(const BoundaryFace& face, const Vector3d& traction) {
    parts_.clear();
    add_traction(mesh_, face, traction, parts_);
    for (const PointForce& part : parts_) add(part.vertex, part.force);
  }

  const PlacedDeck& deck_;
  AbaqusSets& sets_;
  const AbaqusLinks& links_;
  const VolumeMesh& mesh_;
  LeftOut& left_out_;
  AbaqusFaces faces_;
  std::map<std::int32_t, std::array<double, 3>> forces_;  // by vertex
  std::array<double, 3> gravity_{};
  struct PartialGravity {
    std::vector<const AbaqusLoad*> loads;
    std::vector<std::int64_t> elements;
  };
  std::map<std::array<double, 3>, PartialGravity> partial_gravity_;  // by acceleration, of sets
  std::vector<PointForce> parts_;
};

}  // namespace

bool is_abaqus_load(std::string_view keyword) {
  return contains(keywords, keyword);
}

std::string read_abaqus_loads(Deck& deck, const Keyword& keyword, AbaqusModel& model) {
  const bool is_refused = std::ranges::any_of(
      refused_load_parameters, [&](std::string_view name) { return keyword.find(abaqus_keyword(name)) != nullptr; });
  for (const auto& [name, consequence] : parameters)
    if (keyword.find(name) != nullptr)
      model.loads_left_out.add(keyword.place, keyword.shown + " with " + std::string(name), consequence);
  bool turns = false;
  std::string_view line, field;
  while (deck.next_data(line)) {
    DataFields fields(line);
    AbaqusLoad& load = model.loads.emplace_back();
    load.name = keyword.name;
    load.keyword = keyword.shown;
    load.place = deck.place();
    load.is_refused = is_refused;
    if (fields.next(field)) load.target = unquoted(field);
    if (fields.next(field)) load.label = abaqus_key(field);
    while (fields.next(field)) {
      const auto number = field.empty() ? 0 : parse_number(field);
      if (!number) load.is_refused = true;
      load.numbers.push_back(number.value_or(0));
    }
    turns = turns || contains(centrifugal, load.label);
  }
  return turns ? "centrifugal " + keyword.shown : keyword.shown;
}

void leave_out_load(const Keyword& keyword, AbaqusModel& model) {
  if (is_abaqus_load(keyword.name) || keyword.name == "TEMPERATURE")
    model.loads_left_out.add(keyword.place, keyword.shown + " of a later step",
                             "the loads are those of the first step");
}

void attach_abaqus_loads(const PlacedDeck& deck, AbaqusSets& sets, const AbaqusLinks& links, const VolumeMesh& mesh,
                         AbaqusModel& model) {
  model.attached_loads = LoadReader(deck, sets, links, mesh, model.loads_left_out).read();
  attach_abaqus_heat(deck, sets, mesh, model);
}

}  // namespace quartic::io
