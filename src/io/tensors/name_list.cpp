#include "io/tensors/name_list.hpp"

#include <nlohmann/json.hpp>

namespace quartic::io {

std::string name_list_text(const std::vector<std::string>& names) {
  const nlohmann::json list(names);
  return list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
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
