#include "io/tensors/name_list.hpp"

#include <nlohmann/json.hpp>

namespace quartic::io {

namespace {

bool is_utf8(const std::string& text) {
  try {
    static_cast<void>(nlohmann::json(text).dump());
    return true;
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

// Latin-1 has the first 256 code points, of which those from 128 on take two bytes.
std::string from_latin1(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      result += c;
    } else {
      result += static_cast<char>(0xC0 | (byte >> 6));
      result += static_cast<char>(0x80 | (byte & 0x3F));
    }
  }
  return result;
}

}  // namespace

std::string name_list_text(const std::vector<std::string>& names) {
  nlohmann::json list = nlohmann::json::array();
  for (const std::string& name : names) list.push_back(is_utf8(name) ? name : from_latin1(name));
  return list.dump();
}

std::optional<std::vector<std::string>> parse_name_list(const std::string& text) {
  const auto list = nlohmann::json::parse(text, nullptr, false);
  if (!list.is_array()) return std::nullopt;
  std::vector<std::string> names;
  for (const auto& name : list) {
    if (!name.is_string()) return std::nullopt;
    names.push_back(name.get<std::string>());
  }
  return names;
}

}  // namespace quartic::io
