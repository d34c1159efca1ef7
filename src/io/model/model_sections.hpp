// The sections of model files, and what they share. model_file.cpp lists them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "io/tensors/file_section.hpp"
#include "quartic/model.hpp"

namespace quartic::io {

using ModelSection = FileSection<ReducedModel>;
using ModelSections = FileSections<ReducedModel>;

extern const ModelSection mesh_section;          ///< vertices, elements, their regions
extern const ModelSection material_section;      ///< materials and names of the regions
extern const ModelSection mode_section;          ///< linear modes, and what holds the body
extern const ModelSection supports_section;      ///< supports in directions, joints, masses, springs
extern const ModelSection sets_section;          ///< named vertex sets
extern const ModelSection basis_section;         ///< U, and what gravity is in it
extern const ModelSection energy_section;        ///< the quartic energy
extern const ModelSection cubature_section;      ///< points and weights in place of the energy
extern const ModelSection relaxation_section;    ///< what relaxed the energy
extern const ModelSection region_parts_section;  ///< energy and mass per region, for edits
extern const ModelSection moments_section;       ///< moments of mass, of the body and per region
extern const ModelSection chamber_section;       ///< closed chambers and their volumes
extern const ModelSection surface_section;       ///< the embedded surface, and its basis
extern const ModelSection bound_tree_section;    ///< contact points in a tree of bounding spheres

/// The list that `save_model` and `load_model` go by.
[[nodiscard]] ModelSections model_sections();

/// `save_model` and `load_model` with sections of the caller's choice.
void write_model(const ReducedModel& model, const std::filesystem::path& path, ModelSections sections);
[[nodiscard]] ReducedModel read_model(const std::filesystem::path& path, ModelSections sections);

/// @throws InputError that the model's parts don't fit together, unless `fits`
void require_fit(bool fits, const std::string& what);

/// Displacement fields: the tensor [k, n, 3] as the matrix (3n, k), byte for byte. The mesh must have been read.
[[nodiscard]] Matrix read_fields(const SafetensorsFile& file, const std::string& tensor, const ReducedModel& model);

/// For sections whose numbers mean something for this basis and these rest positions alone: `write` notes which, in a
/// metadata entry of the section's own; `read` refuses what belongs to others, as a program leaves behind that changed
/// the basis and kept a section that it didn't know.
void set_basis_fingerprint(FileDraft& draft, const std::string& key, const ReducedModel& model);
[[nodiscard]] bool is_basis_fingerprint(const std::string& text, const ReducedModel& model);
/// @throws ParseError if the entry is missing, or of another basis
void require_basis_fingerprint(const SafetensorsFile& file, const std::string& key, const ReducedModel& model);

}  // namespace quartic::io
