#include "io/abaqus_deck/abaqus_left_out.hpp"

#include <algorithm>

namespace quartic::io {

void LeftOut::add(Place place, const std::string& what, std::string_view consequence) {
  const auto [entry, is_new] = known_.try_emplace({abaqus_key(what), std::string(consequence)}, items_.size());
  if (is_new) items_.push_back({place, what, std::string(consequence)});
  ++items_[entry->second].count;
}

std::string LeftOut::warning(const Deck& deck) const {
  std::vector<Item> items = items_;
  std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.place < b.place; });
  std::string text =
      deck.main_file() + ": not all that this deck asks for is done here, so its own results may differ: ";
  for (const Item& item : items) {
    if (&item != items.data()) text += "; ";
    text += item.place.file == 0 ? "line " + std::to_string(item.place.line) : deck.text(item.place);
    text += ", " + item.what + (item.count > 1 ? " (" + std::to_string(item.count) + " times)" : "");
    text += ": " + item.consequence;
  }
  return text;
}

}  // namespace quartic::io
