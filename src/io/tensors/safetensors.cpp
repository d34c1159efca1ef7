#include "io/tensors/safetensors.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/fnv1a.hpp"
#include "io/files/atomic_file.hpp"
#include "io/text/text.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

constexpr std::size_t length_bytes = 8;
constexpr std::uint64_t header_limit = 100'000'000;  // as in other implementations of the format
constexpr const char* metadata_key = "__metadata__";

struct Dtype {
  std::string_view name;
  std::size_t bytes;
};
constexpr Dtype dtypes[] = {{"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"F8_E5M2", 1}, {"F8_E4M3", 1},
                            {"I16", 2},  {"U16", 2}, {"F16", 2}, {"BF16", 2},    {"I32", 4},
                            {"U32", 4},  {"F32", 4}, {"F64", 8}, {"I64", 8},     {"U64", 8}};

// What the JSON parser builds is bounded before it is built: no depth beyond the format's, no name twice.
nlohmann::json parse_header(std::string_view text) {
  std::set<std::string> names;
  const auto check = [&](int depth, nlohmann::json::parse_event_t event, const nlohmann::json& parsed) {
    using Event = nlohmann::json::parse_event_t;
    if (depth > 3) throw InputError("the header's JSON is nested too deeply");
    if (event == Event::key && depth == 1 && !names.insert(parsed.get<std::string>()).second)
      throw InputError("the header has the name '" + parsed.get<std::string>() + "' twice");
    return true;
  };
  try {
    return nlohmann::json::parse(text, check);
  } catch (const nlohmann::json::exception& error) {
    throw InputError(std::string("the header isn't JSON (") + error.what() + ")");
  }
}

// Each a number from 0 to the largest int64, or nothing.
std::vector<std::int64_t> natural_numbers(const nlohmann::json& list, const std::string& what) {
  std::vector<std::int64_t> numbers;
  if (!list.is_array()) throw InputError(what + " isn't a list");
  for (const auto& entry : list) {
    if (!entry.is_number_unsigned() || entry.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
      throw InputError(what + " has an entry that isn't a number from 0 on");
    numbers.push_back(entry.get<std::int64_t>());
  }
  return numbers;
}

// Bytes of a tensor of this shape, or -1 if that is beyond any file.
std::int64_t byte_count(const std::vector<std::int64_t>& shape, std::size_t element) {
  auto bytes = static_cast<std::int64_t>(element);
  for (const auto size : shape)
    if (__builtin_mul_overflow(bytes, size, &bytes)) return -1;
  return bytes;
}

// The order in which data lie in a file.
std::vector<std::size_t> layout_of(const std::vector<TensorView>& tensors) {
  std::vector<std::size_t> layout(tensors.size());
  for (std::size_t i = 0; i < layout.size(); ++i) layout[i] = i;
  std::stable_sort(layout.begin(), layout.end(), [&](std::size_t a, std::size_t b) {
    return dtype_bytes(tensors[a].dtype) > dtype_bytes(tensors[b].dtype);
  });
  return layout;
}

}  // namespace

std::size_t dtype_bytes(std::string_view dtype) {
  for (const Dtype& known : dtypes)
    if (known.name == dtype) return known.bytes;
  return 0;
}

void write_safetensors(const std::filesystem::path& path, const std::vector<TensorView>& tensors,
                       const std::map<std::string, std::string>& metadata) {
  const std::vector<std::size_t> layout = layout_of(tensors);
  std::vector<std::size_t> begin(tensors.size());
  std::size_t end = 0;
  for (const std::size_t i : layout) {
    begin[i] = end;
    end += tensors[i].data.size();
  }
  nlohmann::ordered_json header;
  header[metadata_key] = metadata;
  for (std::size_t i = 0; i < tensors.size(); ++i)
    header[tensors[i].name] = {{"dtype", tensors[i].dtype},
                               {"shape", tensors[i].shape},
                               {"data_offsets", {begin[i], begin[i] + tensors[i].data.size()}}};
  // A path in a note may be of another encoding than the format's UTF-8: what isn't is replaced.
  std::string text = header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const std::uint64_t length = text.size();
  AtomicFile file(path);
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(text);
  for (const std::size_t i : layout) file.write(tensors[i].data);
  file.commit();
}

std::uint64_t data_hash(const std::vector<TensorView>& tensors) {
  std::uint64_t hash = fnv1a_start;
  for (const std::size_t i : layout_of(tensors)) hash = fnv1a(tensors[i].data, hash);
  return hash;
}

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path) : name_(path.string()), content_(read_file(path)) {
  if (content_.size() < length_bytes) fail("the file is too short to be a safetensors file");
  std::uint64_t length = 0;
  std::memcpy(&length, content_.data(), length_bytes);
  if (length > content_.size() - length_bytes || length > header_limit)
    fail("this is no safetensors file, or it is cut short: its header should have " + std::to_string(length) +
         " bytes, but the file has " + std::to_string(content_.size()));
  try {
    read_header(std::string_view(content_).substr(length_bytes, length));
    check_layout();
  } catch (const ParseError&) {
    throw;
  } catch (const InputError& error) {
    fail(error.what());
  }
}

void SafetensorsFile::read_header(std::string_view header) {
  const nlohmann::json json = parse_header(header);
  if (!json.is_object()) fail("the header isn't a JSON object");
  data_begin_ = length_bytes + header.size();
  const auto data_size = static_cast<std::int64_t>(content_.size() - data_begin_);
  for (const auto& [name, entry] : json.items()) {
    if (!entry.is_object()) fail("the header's entry '" + name + "' isn't a JSON object");
    if (name == metadata_key) {
      for (const auto& [key, value] : entry.items()) {
        if (!value.is_string()) fail("the metadata entry '" + key + "' isn't text");
        metadata_[key] = value.get<std::string>();
      }
      continue;
    }
    if (!entry.contains("dtype") || !entry["dtype"].is_string() || !entry.contains("shape") ||
        !entry.contains("data_offsets"))
      fail("tensor '" + name + "' lacks dtype, shape or data_offsets");
    Tensor tensor;
    tensor.dtype = entry["dtype"].get<std::string>();
    tensor.shape = natural_numbers(entry["shape"], "the shape of tensor '" + name + "'");
    const auto offsets = natural_numbers(entry["data_offsets"], "data_offsets of tensor '" + name + "'");
    if (offsets.size() != 2 || offsets[0] > offsets[1]) fail("tensor '" + name + "' has impossible data_offsets");
    if (offsets[1] > data_size)
      fail("tensor '" + name + "' ends at byte " + std::to_string(offsets[1]) + " of the data, but there are only " +
           std::to_string(data_size) + " (is the file cut short?)");
    const std::size_t entry_bytes = dtype_bytes(tensor.dtype);  // 0: of a kind that only newer programs know
    if (entry_bytes > 0 && byte_count(tensor.shape, entry_bytes) != offsets[1] - offsets[0])
      fail("tensor '" + name + "' has data_offsets that don't fit its shape");
    tensor.begin = data_begin_ + static_cast<std::size_t>(offsets[0]);
    tensor.end = data_begin_ + static_cast<std::size_t>(offsets[1]);
    tensors_.emplace(name, std::move(tensor));
  }
}

// The format has neither overlaps nor holes, and no bytes behind the last tensor.
void SafetensorsFile::check_layout() const {
  std::vector<std::pair<std::size_t, std::size_t>> pieces;
  for (const auto& [name, tensor] : tensors_) pieces.emplace_back(tensor.begin, tensor.end);
  std::sort(pieces.begin(), pieces.end());
  std::size_t position = data_begin_;
  for (const auto& [begin, end] : pieces) {
    if (begin != position) fail(begin < position ? "tensors overlap" : "there is a gap between tensors");
    position = end;
  }
  if (position != content_.size()) fail("there are " + std::to_string(content_.size() - position) + " stray bytes");
}

const std::string& SafetensorsFile::metadata_entry(const std::string& key) const {
  const auto found = metadata_.find(key);
  if (found == metadata_.end()) fail("the metadata lack '" + key + "'");
  return found->second;
}

const SafetensorsFile::Tensor* SafetensorsFile::find(const std::string& name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second;
}

std::span<const std::byte> SafetensorsFile::data(const Tensor& tensor) const {
  return std::as_bytes(std::span(content_)).subspan(tensor.begin, tensor.end - tensor.begin);
}

std::uint64_t SafetensorsFile::data_hash() const {
  return fnv1a(std::as_bytes(std::span(content_)).subspan(data_begin_));
}

std::int64_t SafetensorsFile::size(const std::string& name, std::size_t dimension) const {
  return tensors_.at(name).shape.at(dimension);
}

void SafetensorsFile::require_size(const std::string& name, std::size_t dimension, std::int64_t wanted) const {
  if (const std::int64_t found = size(name, dimension); found != wanted)
    fail("tensor '" + name + "' has size " + std::to_string(found) + " in dimension " + std::to_string(dimension) +
         ", but should have " + std::to_string(wanted));
}

const SafetensorsFile::Tensor& SafetensorsFile::require(const std::string& name, std::string_view dtype,
                                                        std::size_t rank) const {
  const Tensor* tensor = find(name);
  if (tensor == nullptr) fail("the tensor '" + name + "' is missing");
  if (tensor->dtype != dtype)
    fail("tensor '" + name + "' is of dtype " + tensor->dtype + ", but should be " + std::string(dtype));
  if (tensor->shape.size() != rank)
    fail("tensor '" + name + "' has " + std::to_string(tensor->shape.size()) + " dimensions instead of " +
         std::to_string(rank));
  return *tensor;
}

void SafetensorsFile::fail_not_finite(const std::string& name, std::int64_t place) const {
  fail("tensor '" + name + "' has a value that isn't a finite number, at " + std::to_string(place));
}

void SafetensorsFile::fail(const std::string& what) const {
  throw ParseError(name_, 0, what);
}

}  // namespace quartic::io
