// What libquartic_cuda offers. It is a library of its own, opened on first use, so that everything else works where
// CUDA's libraries aren't installed.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/batch/batch_impl.hpp"
#include "core/elements/elastic_constants.hpp"
#include "core/factorization/factorization_impl.hpp"
#include "core/fem/device_matrices.hpp"
#include "core/fem/incidence.hpp"
#include "core/fem/mesh_image.hpp"
#include "core/modes/device_system.hpp"
#include "quartic/energy.hpp"
#include "quartic/fem.hpp"
#include "quartic/matrix.hpp"
#include "quartic/modes.hpp"

namespace quartic {

struct CudaBackend {
  const char* version;       // of quartic: both libraries must come from the same build
  void (*require_device)();  // throws BackendUnavailable that says what is missing
  std::unique_ptr<BatchImpl<float>> (*make_float_batch)(std::vector<BodyGroup> groups, const BatchOptions& options);
  std::unique_ptr<BatchImpl<double>> (*make_double_batch)(std::vector<BodyGroup> groups, const BatchOptions& options);
  // An energy for each set of Lame constants; of a mesh and a basis that have been checked.
  std::vector<QuarticEnergy> (*reduce_energies)(const MeshImage& mesh, const MatrixRef& basis,
                                                std::span<const RegionConstants> sets, std::int64_t workspace_bytes,
                                                const Progress& progress);
  // As the function of fem.hpp, of fields and pairs that have been checked.
  Matrix (*force_hessian)(const MeshImage& mesh, std::span<const Incidence> incidences, const MatrixRef& fields,
                          std::span<const std::array<int, 2>> pairs);
  // K by blocks of nine numbers, in the order of the graph.
  std::vector<double> (*stiffness_blocks)(const MeshImage& mesh, std::span<const Incidence> incidences,
                                          const VertexGraph& graph);
  // M by blocks, each a number times the identity; lumped, a number for each vertex.
  std::vector<double> (*masses)(const MeshImage& mesh, std::span<const Incidence> incidences, const VertexGraph& graph,
                                MassMatrix kind);
  std::unique_ptr<FactorizationImpl> (*factorize)(const SparseMatrix& matrix, const FactorizationOptions& options);
  // Compares what a reduction takes of the device's memory with what is free. @throws InputError
  void (*require_reduction_memory)(const MeshImage& mesh, std::span<const Incidence> incidences,
                                   const MeshPattern& pattern, const ReductionSizes& sizes);
  std::unique_ptr<DeviceMatrices> (*assemble)(const MeshImage& mesh, std::span<const Incidence> incidences,
                                              const MeshPattern& pattern, MassMatrix kind);
  // Of K + shift M that `assemble` made.
  std::unique_ptr<FactorizationImpl> (*factorize_assembled)(const DeviceMatrices& matrices, double shift,
                                                            const FactorizationOptions& options);
  /// Of a system whose factor is one of the backend's. The system must outlive it.
  std::unique_ptr<DeviceSystem> (*make_system)(const ElasticSystem::Impl& system);
};

/// Opens the library, once, and looks for a device, each time. @throws BackendUnavailable that says what is missing
[[nodiscard]] const CudaBackend& cuda_backend();

}  // namespace quartic
