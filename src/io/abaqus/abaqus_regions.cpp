#include "io/abaqus/abaqus_regions.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "io/text/text.hpp"

namespace quartic::io {
namespace {

class Regions {
 public:
  Regions(const PlacedDeck& deck, AbaqusSets& sets, MeshBuilder& builder)
      : deck_(deck), sets_(sets), builder_(builder) {}

  void assign() {
    const bool has_sections = std::any_of(deck_.parts.begin(), deck_.parts.end(),
                                          [](const PlacedPart& part) { return !part.part->sections.empty(); });
    if (!has_sections) return assign_sets();
    for (const PlacedPart& part : deck_.parts) assign_sections(part);
    if (overridden_ > 0)
      builder_.warn(std::to_string(overridden_) + (overridden_ == 1 ? " element is" : " elements are") +
                    " in more than one *SOLID SECTION; the last one in the deck counts (for example " + example_ + ")");
  }

 private:
  // Of several sections of one set the last one counts.
  void assign_sections(const PlacedPart& part) {
    std::map<std::string_view, std::size_t> last;
    const auto& sections = part.part->sections;
    for (std::size_t s = 0; s < sections.size(); ++s) last[sections[s].elset] = s;
    for (std::size_t s = 0; s < sections.size(); ++s) {
      if (last[sections[s].elset] == s)
        assign_section(part, sections[s]);
      else if (repeated_.insert(std::string(sections[s].elset)).second)
        builder_.warn(deck_.deck.text(sections[last[sections[s].elset]].place) + ": a second *SOLID SECTION of " +
                      quote(sections[s].elset) + "; it counts");
    }
  }

  /// An element set with those of its elements that are in the mesh.
  struct Candidate {
    std::string name;
    std::vector<std::int64_t> elements;
  };

  std::vector<std::int64_t> solids(const PlacedPart& part, const AbaqusSet& set) {
    auto elements = sets_.members(part, SetKind::elements, set, SetKind::elements);
    elements.erase(std::remove_if(elements.begin(), elements.end(),
                                  [&](auto e) { return deck_.elements[static_cast<std::size_t>(e)].row < 0; }),
                   elements.end());
    return elements;
  }

  // ---- sections -----------------------------------------------------------------------------------------------------

  void assign_section(const PlacedPart& part, const SolidSection& section) {
    const AbaqusSet* const set = part.part->element_sets.find(section.elset);
    if (set == nullptr)
      deck_.deck.fail(section.place, "*SOLID SECTION is of the element set " + quote(section.elset) +
                                         ", which the deck doesn't define");
    const auto elements = solids(part, *set);
    if (elements.empty()) return;
    const auto name = placed_name(part, set->name);
    const auto region = builder_.region(name);
    if (const auto material = section_material(section, name)) builder_.set_material(region, *material);
    for (const auto element : elements) {
      const auto place = deck_.elements[static_cast<std::size_t>(element)];
      const auto before = builder_.region_of(place);
      if (before >= 0 && before != region && ++overridden_ == 1)
        example_ = "element " + std::to_string(id(element)) + ", at last in " + name;
      builder_.set_region(place, region);
    }
  }

  // A section of the assembly's may have elements of any instance.
  [[nodiscard]] std::int64_t id(std::int64_t element) const {
    const auto after = std::upper_bound(deck_.parts.begin(), deck_.parts.end(), element,
                                        [](std::int64_t e, const PlacedPart& part) { return e < part.first_element; });
    const PlacedPart& part = *std::prev(after);
    return part.part->element_ids[static_cast<std::size_t>(element - part.first_element)];
  }

  // A material that can't be used leaves the region without one: another can be given from outside.
  std::optional<Material> section_material(const SolidSection& section, const std::string& region) {
    const auto none = [&](Place place, const std::string& why) -> std::optional<Material> {
      if (explained_.insert(why).second) builder_.warn(deck_.deck.text(place) + ": " + why);
      return std::nullopt;
    };
    if (section.material.empty()) return none(section.place, "the section of " + quote(region) + " names no MATERIAL");
    const std::string name = "material " + quote(section.material);
    const AbaqusMaterial* const material = deck_.model.materials.find(section.material);
    if (material == nullptr)
      return none(section.place, "region " + quote(region) + " has " + name + ", which the deck doesn't define");
    if (!material->elastic && !material->mooney_rivlin)
      return none(material->place, name + " has no isotropic *ELASTIC; its regions have no material");
    if (!material->density) return none(material->place, name + " has no *DENSITY; its regions have no material");
    if (!material->elastic) return rubber(*material, name);
    if (material->mooney_rivlin) {
      const std::string both = name + " has *ELASTIC and *HYPERELASTIC; *ELASTIC is taken";
      if (explained_.insert(both).second) builder_.warn(deck_.deck.text(material->place) + ": " + both);
    }
    return Material{.youngs_modulus = (*material->elastic)[0],
                    .poissons_ratio = (*material->elastic)[1],
                    .density = *material->density};
  }

  // The program's energy is of J^(-2/3) F, and has no value where an element has no volume.
  std::optional<Material> rubber(const AbaqusMaterial& material, const std::string& name) {
    const auto tell = [&](const std::string& what) {
      if (explained_.insert(what).second) builder_.warn(deck_.deck.text(material.place) + ": " + what);
    };
    const auto& [c10, c01, bulk_modulus] = *material.mooney_rivlin;
    try {
      const Material result = mooney_rivlin_material(c10, c01, bulk_modulus, *material.density, name);
      tell(name + " becomes quartic's law mooney-rivlin, which withstands inversion and is the same at rest");
      return result;
    } catch (const InputError& error) {
      tell(std::string(error.what()) + "; its regions have no material");
      return std::nullopt;
    }
  }

  // ---- no sections --------------------------------------------------------------------------------------------------

  // Sets with all elements say nothing, unless there is nothing else.
  void assign_sets() {
    std::vector<Candidate> of_sets, of_rows, whole;
    for (const PlacedPart& part : deck_.parts)
      for (const AbaqusSet& set : part.part->element_sets) {
        Candidate candidate{placed_name(part, set.name), solids(part, set)};
        if (candidate.elements.empty()) continue;
        const bool is_whole = std::ssize(candidate.elements) == builder_.element_count();
        if (!set.rows.empty()) of_rows.push_back(candidate);
        if (!set.pieces.empty()) (is_whole ? whole : of_sets).push_back(std::move(candidate));
      }
    if (make_regions(of_sets, true)) return;
    if (!make_regions(of_rows, false) && !whole.empty()) make_regions({whole.front()}, false);
  }

  /// False, without a change, if there are none, or if each element should be in one of them but isn't.
  bool make_regions(const std::vector<Candidate>& candidates, bool must_part_all) {
    std::vector<std::int32_t> owner(deck_.elements.size(), -1);
    std::int64_t owned = 0;
    for (std::size_t c = 0; c < candidates.size(); ++c)
      for (const auto element : candidates[c].elements) {
        auto& first = owner[static_cast<std::size_t>(element)];
        if (first >= 0 && must_part_all) return false;
        if (first < 0) ++owned;
        first = static_cast<std::int32_t>(c);
      }
    if (candidates.empty() || (must_part_all && owned != builder_.element_count())) return false;
    for (const Candidate& candidate : candidates) {
      const auto region = builder_.region(candidate.name);
      for (const auto element : candidate.elements)
        builder_.set_region(deck_.elements[static_cast<std::size_t>(element)], region);
    }
    return true;
  }

  const PlacedDeck& deck_;
  AbaqusSets& sets_;
  MeshBuilder& builder_;
  std::set<std::string> repeated_;
  std::set<std::string> explained_;
  std::int64_t overridden_ = 0;
  std::string example_;
};

}  // namespace

std::string placed_name(const PlacedPart& part, std::string_view set) {
  return part.name.empty() ? std::string(set) : part.name + "." + std::string(set);
}

void assign_abaqus_regions(const PlacedDeck& deck, AbaqusSets& sets, MeshBuilder& builder) {
  Regions(deck, sets, builder).assign();
}

}  // namespace quartic::io
