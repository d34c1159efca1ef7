// A JSON file whose values know the lines that they are on, for messages.
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace quartic::cli {

class LocatedJson {
 public:
  /// A value of the file, and how to get there: `bodies/0/model`.
  class Place {
   public:
    [[nodiscard]] const nlohmann::json& value() const { return *value_; }
    [[nodiscard]] bool has(std::string_view key) const { return value_->is_object() && value_->contains(key); }
    /// @throws InputError if the object lacks the key
    [[nodiscard]] Place at(const std::string& key) const;
    /// @throws InputError unless it is an object with no other keys than these
    void require_keys(std::initializer_list<std::string_view> keys) const;
    /// @throws InputError unless it is an array
    [[nodiscard]] std::vector<Place> elements() const;

    /// @throws InputError unless it is one
    [[nodiscard]] std::string text() const;
    /// Finite.
    [[nodiscard]] double number() const;
    [[nodiscard]] std::int64_t integer(std::int64_t least) const;
    /// So many finite numbers.
    [[nodiscard]] std::vector<double> numbers(std::size_t count) const;

    /// @throws InputError with file, line and key before `what`
    [[noreturn]] void fail(const std::string& what) const;

   private:
    friend class LocatedJson;
    Place(const LocatedJson& file, const nlohmann::json& value, std::string path)
        : file_(&file), value_(&value), path_(std::move(path)) {}

    const LocatedJson* file_;
    const nlohmann::json* value_;
    std::string path_;
  };

  /// @throws FileError, InputError with the line, for what isn't JSON, or has a key twice
  explicit LocatedJson(const std::filesystem::path& path);

  [[nodiscard]] Place root() const { return {*this, root_, ""}; }

 private:
  std::filesystem::path path_;
  nlohmann::json root_;
  std::map<std::string, int, std::less<>> lines_;  // of values, by their paths
};

}  // namespace quartic::cli
