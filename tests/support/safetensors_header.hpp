// Headers of safetensors files, to look into and to change.
#pragma once

#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>

namespace quartic::test {

/// The bytes of the header, or nothing of a file that is too short.
inline std::string header_text(const std::string& content) {
  std::uint64_t length = 0;
  if (content.size() < sizeof length) return {};
  std::memcpy(&length, content.data(), sizeof length);
  return content.substr(sizeof length, length);
}

/// The values of all tensors.
inline std::string tensor_bytes(const std::string& content) {
  return content.substr(sizeof(std::uint64_t) + header_text(content).size());
}

inline nlohmann::json header_of(const std::string& content) {
  return nlohmann::json::parse(header_text(content));
}

/// The same file with another header.
inline std::string with_header(const std::string& content, const std::string& header) {
  const std::uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + header + tensor_bytes(content);
}

inline std::string with_header(const std::string& content, const nlohmann::json& header) {
  return with_header(content, header.dump());
}

/// The same file with this entry of its metadata set; null takes it out.
inline std::string with_metadata(const std::string& content, const std::string& key, const nlohmann::json& value) {
  nlohmann::json header = header_of(content);
  if (value.is_null())
    header["__metadata__"].erase(key);
  else
    header["__metadata__"][key] = value;
  return with_header(content, header);
}

}  // namespace quartic::test
