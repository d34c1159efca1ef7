// Abaqus Keywords Reference Guide; CalculiX CrunchiX User's Manual, "Input deck format".
#include "io/abaqus_deck/abaqus_keywords.hpp"

#include <algorithm>
#include <iterator>

#include "io/text/text.hpp"

namespace quartic::io {
namespace {

// Output, names of surfaces, and what belongs to elements or keywords that are left out with words of their own.
constexpr std::string_view harmless[] = {"AMPLITUDE",
                                         "BEAMGENERALSECTION",
                                         "BEAMSECTION",
                                         "COHESIVESECTION",
                                         "CONDUCTIVITY",
                                         "CONNECTORBEHAVIOR",
                                         "CONNECTORELASTICITY",
                                         "CONNECTORSECTION",
                                         "CONTACTCONTROLS",
                                         "CONTACTCONTROLSASSIGNMENT",
                                         "CONTACTFILE",
                                         "CONTACTFORMULATION",
                                         "CONTACTINCLUSIONS",
                                         "CONTACTINITIALIZATIONASSIGNMENT",
                                         "CONTACTINITIALIZATIONDATA",
                                         "CONTACTOUTPUT",
                                         "CONTACTPRINT",
                                         "CONTACTPROPERTYASSIGNMENT",
                                         "DASHPOT",
                                         "DEPVAR",
                                         "DISTRIBUTING",
                                         "DISTRIBUTION",
                                         "DISTRIBUTIONTABLE",
                                         "ELECTRICALCONDUCTIVITY",
                                         "ELEMENTOUTPUT",
                                         "ELFILE",
                                         "ELPRINT",
                                         "END",
                                         "FILEFORMAT",
                                         "FILEOUTPUT",
                                         "FRICTION",
                                         "GAP",
                                         "HEADING",
                                         "HOURGLASSSTIFFNESS",
                                         "KINEMATIC",
                                         "LATENTHEAT",
                                         "MEMBRANESECTION",
                                         "NODALTHICKNESS",
                                         "NODEFILE",
                                         "NODEOUTPUT",
                                         "NODEPRINT",
                                         "NORMAL",
                                         "OUTPUT",
                                         "PHYSICALCONSTANTS",
                                         "PREPRINT",
                                         "RESTART",
                                         "ROTARYINERTIA",
                                         "SECTIONCONTROLS",
                                         "SHELLGENERALSECTION",
                                         "SHELLSECTION",
                                         "SPECIFICHEAT",
                                         "SURFACEBEHAVIOR",
                                         "SURFACEINTERACTION",
                                         "SURFACESECTION",
                                         "TIMEPOINTS",
                                         "TRANSVERSESHEARSTIFFNESS"};

constexpr std::string_view mesh_makers[] = {
    "ELCOPY", "ELGEN", "IMPORT", "NCOPY", "NFILL", "NGEN", "NMAP", "SYMMETRICMODELGENERATION", "SYSTEM"};

struct LeftOutKeyword {
  std::string_view name, consequence;
};
constexpr std::string_view joins = "what it joins moves on its own", contact = "surfaces pass through each other",
                           elastic = "of materials, *ELASTIC and *DENSITY alone count",
                           masses = "masses are those of the materials' densities",
                           stiffness = "its stiffness and mass are missing",
                           damping = "the body has the damping that it is given here",
                           initial = "the body begins at rest and without stress";
constexpr LeftOutKeyword left_out[] = {
    {"COUPLING", joins},
    {"CYCLICSYMMETRYMODEL", "the sector stands alone"},
    {"DISTRIBUTINGCOUPLING", joins},
    {"EMBEDDEDELEMENT", joins},
    {"FASTENER", joins},
    {"KINEMATICCOUPLING", joins},
    {"MPC", joins},
    {"NETWORKMPC", joins},
    {"RIGIDBODY", "it is as soft as its material, and what it joins moves on its own"},
    {"SHELLTOSOLIDCOUPLING", joins},

    {"CONTACT", contact},
    {"CONTACTINTERFERENCE", contact},
    {"CONTACTPAIR", contact},

    {"FIXEDMASSSCALING", masses},
    {"MASSADJUST", masses},
    {"VARIABLEMASSSCALING", masses},

    {"ELEMENTPROGRESSIVEACTIVATION", "all elements take part"},
    {"FOUNDATION", "its stiffness is missing"},
    {"IMPERFECTION", "the mesh is taken as it stands"},
    {"MATRIXASSEMBLE", stiffness},
    {"MODELCHANGE", "all elements take part"},
    {"SUBMODEL", "what the larger model would move is left free"},
    {"SUPERELEMENT", stiffness},
    {"USERELEMENT", stiffness},

    {"INITIALCONDITIONS", initial},
    {"PRE-TENSIONSECTION", "the body isn't pretensioned"},
    {"ORIENTATION", "local directions aren't used; isotropic materials need none"},

    {"COMPLEXFREQUENCY", "modes are those of the undamped body at rest"},
    {"DAMPING", damping},
    {"GLOBALDAMPING", damping},

    {"CREEP", elastic},
    {"CYCLICHARDENING", elastic},
    {"DAMAGEINITIATION", elastic},
    {"DEFORMATIONPLASTICITY", elastic},
    {"HYPERELASTIC", elastic},
    {"HYPERFOAM", elastic},
    {"PLASTIC", elastic},
    {"USERMATERIAL", elastic},
    {"VISCOELASTIC", elastic}};

}  // namespace

KeywordMeaning abaqus_keyword_meaning(std::string_view name) {
  if (contains(harmless, name)) return {KeywordRole::harmless, {}};
  if (contains(mesh_makers, name)) return {KeywordRole::makes_mesh, {}};
  const auto* const found = std::find_if(std::begin(left_out), std::end(left_out),
                                         [&](const LeftOutKeyword& keyword) { return keyword.name == name; });
  if (found != std::end(left_out)) return {KeywordRole::left_out, found->consequence};
  return {KeywordRole::unknown, "it isn't known here"};
}

}  // namespace quartic::io
