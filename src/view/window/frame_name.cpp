#include "view/window/frame_name.hpp"

#include <optional>

#include "quartic/error.hpp"

namespace quartic::view {
namespace {

struct Place {
  std::size_t begin, end, width;
};

std::optional<Place> number_place(const std::string& name) {
  const std::size_t begin = name.find('%');
  if (begin == std::string::npos) return std::nullopt;
  Place place{begin, begin + 1, 0};
  if (place.end + 1 < name.size() && name[place.end] == '0' && name[place.end + 1] >= '1' &&
      name[place.end + 1] <= '9') {
    place.width = static_cast<std::size_t>(name[place.end + 1] - '0');
    place.end += 2;
  }
  if (place.end >= name.size() || name[place.end] != 'd' || name.find('%', place.end) != std::string::npos)
    throw InputError(name + ": a frame's number replaces one %d or %04d; no other % is allowed");
  ++place.end;
  return place;
}

}  // namespace

bool has_frame_number(const std::string& name) {
  return number_place(name).has_value();
}

std::string frame_name(const std::string& name, std::int64_t frame) {
  const auto place = number_place(name);
  if (!place) return name;
  std::string number = std::to_string(frame);
  if (number.size() < place->width) number.insert(0, place->width - number.size(), '0');
  return name.substr(0, place->begin) + number + name.substr(place->end);
}

}  // namespace quartic::view
