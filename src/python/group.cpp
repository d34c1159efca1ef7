// Groups of bodies, from which batches are made.
#include <nanobind/stl/optional.h>

#include <cmath>
#include <optional>
#include <string>

#include "python/batch.hpp"
#include "python/bindings.hpp"
#include "python/choices.hpp"
#include "python/energy.hpp"
#include "quartic/error.hpp"

namespace quartic::python {

const Cubature* cubature_of(nb::handle object) {
  if (nb::isinstance<SharedCubature>(object)) return nb::cast<const SharedCubature&>(object).value.get();
  if (!nb::isinstance<Model>(object)) return nullptr;
  const Model& model = nb::cast<const Model&>(object);
  return model->cubature ? &*model->cubature : nullptr;
}

namespace {

const QuarticEnergy& energy_of(nb::handle object) {
  if (nb::isinstance<Model>(object)) {
    const Model& model = nb::cast<const Model&>(object);
    if (model->energy.rank == 0)
      throw InputError("the model has no energy (reduce(..., energy=False)), so that its bodies can't move");
    return model->energy;
  }
  if (nb::isinstance<Energy>(object)) return *nb::cast<const Energy&>(object);
  throw InputError("a batch is made of models, energies or BodyGroups, not of a " +
                   nb::cast<std::string>(object.type().attr("__name__")));
}

// A group of these bodies with nothing else.
BodyGroup plain_group(nb::handle object, std::int64_t bodies) {
  if (const Cubature* cubature = cubature_of(object)) return {.bodies = bodies, .force_model = ForceModel(*cubature)};
  return {.energy = energy_of(object), .bodies = bodies};
}

std::vector<EnclosedVolume> chambers_of(nb::handle object) {
  if (!nb::isinstance<Model>(object)) return {};
  return chamber_volumes(*nb::cast<const Model&>(object));
}

constexpr Choice<FrameMotion, 2> motions{{{"free", FrameMotion::free}, {"prescribed", FrameMotion::prescribed}}};

// That a frame is of the model whose bodies it moves, as far as its mass tells.
void require_frame_of(const ReducedModel& model, const FrameMoments& frame) {
  if (!model.supports().empty())
    throw InputError("the model is held by supports, so that its bodies can't fly; leave out frame=");
  const double mass = frame_moments(model).mass;
  if (std::abs(frame.mass - mass) > 1e-9 * mass)
    throw InputError("the frame is of a body of " + std::to_string(frame.mass) + " kg, but the model's is of " +
                     std::to_string(mass) + " kg; give free_frame(model)");
}

// Symmetric, so that either order of rows and columns is the same.
Matrix damping_from(nb::handle object, const BodyGroup& group) {
  const std::int64_t rank = group.force_model ? group.force_model->energy.rank : group.energy.rank;
  Matrix damping(rank, rank);
  damping.values = doubles(object, "damping", {rank, rank});
  return damping;
}

void make_group(BodyGroup* self, nb::handle model, std::int64_t bodies, std::optional<SharedStrainForm> strain_form,
                std::optional<SharedStrainForm> forces_from, std::optional<Shared<ModelRange>> range,
                std::optional<Shared<FrameMoments>> frame, const std::string& motion, bool chambers, nb::handle damping,
                int driven) {
  BodyGroup group = plain_group(model, bodies);
  if (group.force_model && (strain_form || forces_from))
    throw InputError("a strain form is of a quartic energy alone, not of a cubature");
  if (chambers) (group.force_model ? group.force_model->chambers : group.chambers) = chambers_of(model);
  if (strain_form && forces_from) throw InputError("a group takes strain_form or forces_from, not both");
  if (strain_form) group.strain_form = **strain_form;
  if (forces_from) {
    group.force_model = ForceModel(std::move(group.energy), **forces_from, std::move(group.chambers));
    group.energy = {};
    group.chambers = {};
  }
  if (range) group.range = **range;
  if (frame) group.frame = **frame;
  if (!damping.is_none()) group.damping = damping_from(damping, group);
  group.driven = driven;
  group.motion = chosen(motions, "motion", motion);
  if (frame && nb::isinstance<Model>(model) && group.motion == FrameMotion::free)
    require_frame_of(*nb::cast<const Model&>(model), **frame);
  new (self) BodyGroup(std::move(group));
}

// With its chambers.
BodyGroup whole_group(nb::handle object, std::int64_t bodies) {
  BodyGroup group = plain_group(object, bodies);
  (group.force_model ? group.force_model->chambers : group.chambers) = chambers_of(object);
  return group;
}

BodyGroup group_of(nb::handle item) {
  if (nb::isinstance<BodyGroup>(item)) return nb::cast<const BodyGroup&>(item);
  if (!nb::isinstance<nb::tuple>(item)) return whole_group(item, 1);
  const auto pair = nb::borrow<nb::tuple>(item);
  std::int64_t bodies = 0;
  if (pair.size() != 2 || !nb::try_cast(nb::object(pair[1]), bodies))
    throw InputError("a group of bodies is a BodyGroup, or (model, number of bodies)");
  return whole_group(pair[0], bodies);
}

}  // namespace

std::vector<BodyGroup> groups_of(nb::handle object, std::int64_t bodies) {
  if (!nb::isinstance<nb::list>(object) && !nb::isinstance<nb::tuple>(object) && !nb::isinstance<BodyGroup>(object))
    return {whole_group(object, bodies)};
  if (bodies != 1) throw InputError("groups give their own numbers of bodies: leave out bodies=");
  if (nb::isinstance<BodyGroup>(object)) return {nb::cast<const BodyGroup&>(object)};
  std::vector<BodyGroup> groups;
  groups.reserve(nb::len(object));
  for (const nb::handle item : object) groups.push_back(group_of(item));
  return groups;
}

void bind_groups(nb::module_& module) {
  nb::class_<BodyGroup>(module, "BodyGroup", "Bodies of one model, side by side in a batch.")
      .def(
          "__init__", &make_group, nb::arg("model"), nb::arg("bodies") = 1, nb::kw_only(),
          nb::arg("strain_form") = nb::none(), nb::arg("forces_from") = nb::none(), nb::arg("range") = nb::none(),
          nb::arg("frame") = nb::none(), nb::arg("motion") = "free", nb::arg("chambers") = true,
          nb::arg("damping") = nb::none(), nb::arg("driven") = 0,
          nb::sig("def __init__(self, model: ReducedModel | QuarticEnergy | Cubature, bodies: int = 1, *, strain_form: "
                  "StrainForm | None = None, "
                  "forces_from: StrainForm | None = None, range: ModelRange | None = None, frame: FrameMoments | None "
                  "= None, motion: str = 'free', chambers: bool = True, damping: quartic._typing.ArrayLike | None = "
                  "None, driven: int = 0) -> None"),
          "strain_form: for evaluation=\"accurate\"; forces_from: what this group's forces come from with any "
          "evaluation; "
          "range: for check_range; frame: free_frame(model), of bodies that fly; or base_frame(model) with "
          "motion=\"prescribed\", on a base "
          "that the caller moves; chambers: those of the model, for set_pressure, which make steps a bit longer; "
          "damping: a constant part of it, (r, r), as modal_damping makes it; driven: how many of the last coordinates "
          "go where force() says, as those of drive_sets.")
      .def_ro("bodies", &BodyGroup::bodies);
}

}  // namespace quartic::python
