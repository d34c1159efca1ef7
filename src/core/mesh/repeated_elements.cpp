#include "core/mesh/repeated_elements.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace quartic {

std::int64_t repeated_element_count(const VolumeMesh& mesh) {
  std::int64_t repeated = 0;
  for (const ElementBlock& block : mesh.blocks) {
    // The four lowest vertices tell nearly all elements apart; the others are compared where these agree.
    struct Key {
      std::array<std::int32_t, 4> lowest;
      std::int64_t element;
    };
    std::vector<Key> keys;
    keys.reserve(static_cast<std::size_t>(block.count()));
    const auto sorted = [&](std::int64_t e) {
      const auto element = block.element(e);
      std::vector<std::int32_t> vertices(element.begin(), element.end());
      std::sort(vertices.begin(), vertices.end());
      return vertices;
    };
    for (std::int64_t e = 0; e < block.count(); ++e) {
      const auto element = block.element(e);
      Key& key = keys.emplace_back(Key{{}, e});
      std::partial_sort_copy(element.begin(), element.end(), key.lowest.begin(), key.lowest.end());
    }
    std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
      return a.lowest != b.lowest ? a.lowest < b.lowest : a.element < b.element;
    });
    for (std::size_t begin = 0, end = 0; begin < keys.size(); begin = end) {
      for (end = begin + 1; end < keys.size() && keys[end].lowest == keys[begin].lowest;) ++end;
      if (end - begin == 1) continue;
      std::vector<std::vector<std::int32_t>> elements;
      for (std::size_t i = begin; i < end; ++i) elements.push_back(sorted(keys[i].element));
      std::sort(elements.begin(), elements.end());
      repeated += elements.end() - std::unique(elements.begin(), elements.end());
    }
  }
  return repeated;
}

}  // namespace quartic
