#include "io/abaqus/abaqus_keywords.hpp"

#include <algorithm>
#include <iterator>

namespace quartic::io {
namespace {

// Output, names of surfaces, and what belongs to elements that are left out with a warning of their own.
constexpr std::string_view harmless[] = {"AMPLITUDE",
                                         "BEAMGENERALSECTION",
                                         "BEAMSECTION",
                                         "COHESIVESECTION",
                                         "CONDUCTIVITY",
                                         "CONNECTORBEHAVIOR",
                                         "CONNECTORELASTICITY",
                                         "CONNECTORSECTION",
                                         "CONTACTFILE",
                                         "CONTACTOUTPUT",
                                         "CONTACTPRINT",
                                         "DASHPOT",
                                         "DEPVAR",
                                         "DISTRIBUTION",
                                         "DISTRIBUTIONTABLE",
                                         "ELECTRICALCONDUCTIVITY",
                                         "ELEMENTOUTPUT",
                                         "ELFILE",
                                         "ELPRINT",
                                         "END",
                                         "EXPANSION",
                                         "FILEFORMAT",
                                         "FILEOUTPUT",
                                         "FRICTION",
                                         "HEADING",
                                         "HOURGLASSSTIFFNESS",
                                         "LATENTHEAT",
                                         "MASS",
                                         "MEMBRANESECTION",
                                         "NODALTHICKNESS",
                                         "NODEFILE",
                                         "NODEOUTPUT",
                                         "NODEPRINT",
                                         "NORMAL",
                                         "ORIENTATION",
                                         "OUTPUT",
                                         "PHYSICALCONSTANTS",
                                         "PREPRINT",
                                         "RESTART",
                                         "ROTARYINERTIA",
                                         "SECTIONCONTROLS",
                                         "SHELLGENERALSECTION",
                                         "SHELLSECTION",
                                         "SPECIFICHEAT",
                                         "SPRING",
                                         "SURFACE",
                                         "SURFACEBEHAVIOR",
                                         "SURFACEINTERACTION",
                                         "SURFACESECTION",
                                         "TIMEPOINTS",
                                         "TRANSVERSESHEARSTIFFNESS"};

constexpr std::string_view mesh_makers[] = {
    "ELCOPY", "ELGEN", "IMPORT", "NCOPY", "NFILL", "NGEN", "NMAP", "SYMMETRICMODELGENERATION", "SYSTEM"};

template <class Names>
bool contains(const Names& names, std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace

KeywordRole abaqus_keyword_role(std::string_view name) {
  if (contains(harmless, name)) return KeywordRole::harmless;
  return contains(mesh_makers, name) ? KeywordRole::makes_mesh : KeywordRole::unknown;
}

}  // namespace quartic::io
