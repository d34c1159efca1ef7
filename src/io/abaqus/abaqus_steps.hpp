// The steps of a deck, as far as its modes depend on them: which loads a *FREQUENCY comes after.
#pragma once

#include <string>
#include <vector>

#include "io/abaqus_deck/abaqus_deck.hpp"
#include "io/abaqus_deck/abaqus_left_out.hpp"

namespace quartic::io {

class AbaqusSteps {
 public:
  /// Both must outlive this object.
  AbaqusSteps(Deck& deck, LeftOut& left_out) : deck_(deck), left_out_(left_out) {}

  void begin_step(const Keyword& step);
  /// A keyword of the open step but the first step's *BOUNDARY; takes the data lines that matter.
  void add(const Keyword& keyword);
  /// The open step loads the body. @param what as the deck has it: "*CLOAD"
  void add_load(const std::string& what);

  [[nodiscard]] bool is_first() const { return count_ == 1; }

 private:
  void add_boundary(const Keyword& keyword);
  void add_frequency(const Keyword& keyword);
  [[nodiscard]] bool scales_masses(const Keyword& dynamic);
  [[nodiscard]] bool has_centrifugal_load();

  Deck& deck_;
  LeftOut& left_out_;
  int count_ = 0;
  bool is_perturbation_ = false;      // the open step doesn't change the state that later ones begin with
  bool is_linear_ = false;            // the open step says NLGEOM=NO: its stresses don't stiffen the body
  bool has_large_rotations_ = false;  // a step so far says NLGEOM, and so do those after it
  std::vector<std::string> loads_;    // of the general steps that aren't linear, each once
};

}  // namespace quartic::io
