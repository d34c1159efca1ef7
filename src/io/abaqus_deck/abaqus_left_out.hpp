// What a deck asks for and isn't done here: told in one warning, whatever its amount.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/abaqus_deck/abaqus_deck.hpp"
#include "io/text/including_lines.hpp"

namespace quartic::io {

class LeftOut {
 public:
  /// The same again is counted, and isn't listed a second time.
  /// @param what as the deck has it: "*TIE"
  /// @param consequence for the body: "what it joins moves on its own"
  void add(Place place, const std::string& what, std::string_view consequence);
  [[nodiscard]] bool empty() const { return items_.empty(); }
  /// "beam.inp: not all ... is done here ...: line 12, *TIE (2 times): what it joins moves on its own; ...", by line.
  [[nodiscard]] std::string warning(const Deck& deck) const;

 private:
  struct Item {
    Place place;  // of the first time
    std::string what, consequence;
    std::int64_t count = 0;
  };

  std::vector<Item> items_;
  std::map<std::pair<std::string, std::string>, std::size_t> known_;  // by what and consequence
};

}  // namespace quartic::io
