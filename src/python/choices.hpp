// Keywords whose values are words: integrator="newmark", device="cpu".
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "quartic/backend.hpp"
#include "quartic/error.hpp"
#include "quartic/trajectory.hpp"

namespace quartic::python {

/// The words of a choice, each with its meaning.
template <class T, std::size_t n>
using Choice = std::array<std::pair<std::string_view, T>, n>;

/// @throws InputError that lists the words
template <class T, std::size_t n>
[[nodiscard]] T chosen(const Choice<T, n>& choice, const std::string& keyword, std::string_view word) {
  std::string words;
  for (const auto& [name, value] : choice) {
    if (name == word) return value;
    words.append(words.empty() ? "\"" : ", \"").append(name).append("\"");
  }
  throw InputError(keyword + "=\"" + std::string(word) + "\" isn't one of " + words);
}

template <class T, std::size_t n>
[[nodiscard]] std::string word_for(const Choice<T, n>& choice, T value) {
  for (const auto& [name, meaning] : choice)
    if (meaning == value) return std::string(name);
  return "unknown";
}

inline constexpr Choice<Coordinates, 2> coordinate_kinds{
    {{"basis", Coordinates::basis}, {"linear-modes", Coordinates::linear_modes}}};

inline constexpr Choice<Warp, 3> warp_kinds{
    {{"none", Warp::none}, {"modal", Warp::modal}, {"rotation-strain", Warp::rotation_strain}}};

/// Where something runs.
struct DeviceChoice {
  Backend backend = Backend::cpu;
  int device = -1;  ///< of CUDA; -1: the current one
};

/// "cpu", "cuda" or "cuda:1". @throws BackendUnavailable where there is no CUDA, InputError for other words
[[nodiscard]] DeviceChoice device_of(const std::string& keyword, std::string_view word);

}  // namespace quartic::python
