// Material laws that a mesh file's format can't hold.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include "io/text/text.hpp"
#include "quartic/mesh.hpp"

namespace quartic::io {

/// A sentence for each region with another law than those of the format, which is read back as stvk.
[[nodiscard]] inline std::vector<std::string> lost_laws(const VolumeMesh& mesh, const std::string& extension,
                                                        std::initializer_list<MaterialLaw> held) {
  std::vector<std::string> sentences;
  for (const Region& region : mesh.regions)
    if (region.material && std::ranges::find(held, region.material->law) == held.end())
      sentences.push_back("a " + extension + " file can't hold the law " +
                          std::string(material_law_name(region.material->law)) + " of region " + quote(region.name) +
                          ": give it again where the file is used");
  return sentences;
}

}  // namespace quartic::io
