// Sums over elements for InternalForces: groups of them are evaluated side by side into a buffer, from which
// element_batches.hpp has the vertices collect.
#include "core/fem/internal_forces.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/aligned_array.hpp"
#include "core/base/thread_pool.hpp"
#include "core/elements/dof_vector_check.hpp"
#include "core/elements/quadrature.hpp"
#include "core/fem/masses_and_springs.hpp"
#include "core/fem/thermal_form.hpp"
#include "cpu/fem/cpu_fem.hpp"
#include "cpu/fem/element_batches.hpp"
#include "cpu/fem/element_kernels.hpp"
#include "quartic/error.hpp"
#include "quartic/fem.hpp"

namespace quartic {
namespace {

using cpu::element_lanes;
using cpu::ElementBatches;
using cpu::ElementResults;

constexpr std::int64_t groups_per_task = 16, vertices_per_task = 512;
constexpr std::int64_t buffer_limit = std::int64_t{1}
                                      << 19;  // numbers: 4 MB, well inside the last cache, and many tasks

// Which numbers of a stored block K_ab, a <= b, are the rows of K_ab, of K_ba, and of K_aa, whose two halves are
// rounded differently.
constexpr std::array<std::array<std::int64_t, 9>, 3> block_orders = {
    {{0, 1, 2, 3, 4, 5, 6, 7, 8}, {0, 3, 6, 1, 4, 7, 2, 5, 8}, {0, 1, 2, 1, 4, 5, 2, 5, 8}}};

// Where block (a, b), a <= b, stands among those of an element of n vertices.
constexpr std::int64_t block_number(std::int64_t a, std::int64_t b, std::int64_t n) {
  return a * (2 * n - a - 1) / 2 + b;
}

// A block of elements with what doesn't depend on the displacement.
struct Elements {
  /// @param places must outlive this object
  Elements(const ElementBlock& source, const Incidence& places, std::int64_t first, const ElementMaterials& materials)
      : block(source),
        incidence(places),
        weights(stiffness_rule(source).weights),
        kernel(cpu::element_kernel(static_cast<int>(vertices()))) {
    const TabulatedRule rule(element_table(block.type), stiffness_rule(block));
    for (const auto& point : rule.gradients)
      for (const auto& gradient : point)
        reference_gradients.insert(reference_gradients.end(), gradient.begin(), gradient.end());
    for (std::int64_t e = 0; e < block.count(); ++e) {
      const std::size_t region = materials.region(first + e);
      lambda.push_back(materials.lambda[region]);
      mu.push_back(materials.mu[region]);
      mooney_share.push_back(materials.mooney_share[region]);
      law.push_back(materials.law[region]);
    }
  }

  [[nodiscard]] std::int64_t vertices() const { return element_vertex_count(block.type); }
  [[nodiscard]] std::int64_t groups() const { return (block.count() + element_lanes - 1) / element_lanes; }
  [[nodiscard]] std::int64_t force_rows() const { return 3 * vertices(); }
  [[nodiscard]] std::int64_t stiffness_rows() const { return 9 * vertices() * (vertices() + 1) / 2; }

  /// Numbers that a group has for what is asked for.
  [[nodiscard]] std::int64_t group_size(bool force, bool stiffness) const {
    return ((force ? force_rows() : 0) + (stiffness ? stiffness_rows() : 0)) * element_lanes;
  }
  [[nodiscard]] std::int64_t groups_at_once(bool force, bool stiffness) const {
    return std::max<std::int64_t>(1, buffer_limit / group_size(force, stiffness));
  }
  const ElementBatches& batches_for(bool force, bool stiffness) {
    std::optional<ElementBatches>& made = batches[force && stiffness ? 2 : force ? 0 : 1];
    if (!made) made.emplace(block, incidence, groups_at_once(force, stiffness) * element_lanes);
    return *made;
  }

  ElementBlock block;
  const Incidence& incidence;
  std::vector<double> lambda, mu, mooney_share;  // by element
  std::vector<MaterialLaw> law;                  // likewise
  std::vector<double> weights, reference_gradients;
  cpu::EvaluateElements kernel;
  std::vector<std::int32_t> columns;  // of each vertex' rows, shape (incidences, vertices): block columns of K
  std::array<std::optional<ElementBatches>, 3> batches;  // for forces, stiffness, both
};

// What a thread needs to evaluate a group.
struct alignas(64) GroupInput {
  std::array<double, std::size_t{3} * 20 * element_lanes> x, u;
  std::array<double, element_lanes> lambda, mu, mooney_share;
};

// The results of the lanes of one law among those of a group that has several.
void copy_lanes(const std::array<bool, element_lanes>& lanes, const double* from, std::int64_t rows, double* to) {
  if (to == nullptr) return;
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::size_t l = 0; l < lanes.size(); ++l)
      if (lanes[l])
        to[static_cast<std::size_t>(row * element_lanes) + l] = from[static_cast<std::size_t>(row * element_lanes) + l];
}

void require_pattern(const SparseMatrix& k, const SparseMatrix& pattern) {
  if (k.rows != pattern.rows || k.cols != pattern.cols || k.row_offsets != pattern.row_offsets ||
      k.columns != pattern.columns || k.values.size() != pattern.columns.size())
    throw InputError(
        "the matrix for the stiffness must come from zero_stiffness() of the same mesh; its pattern is another");
}

void require_apart(std::span<const double> u, std::span<const double> out) {
  const std::less<const double*> before;
  if (!u.empty() && !out.empty() && before(u.data(), out.data() + out.size()) &&
      before(out.data(), u.data() + u.size()))
    throw InputError("the result can't be written over the displacement; give it memory of its own");
}

}  // namespace

class InternalForces::Impl {
 public:
  explicit Impl(const PreparedMesh& prepared, const Heating& heating = {})
      : positions_(prepared.mesh().vertices),
        springs_(prepared.mesh().springs),
        incidences_(prepared.shared_incidences()) {
    if (!heating.empty()) heat_.emplace(prepared, heating);
    const VolumeMesh& mesh = prepared.mesh();
    std::int64_t first = 0, buffer_size = 0;
    elements_.reserve(mesh.blocks.size());
    for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
      Elements& part = elements_.emplace_back(mesh.blocks[b], (*incidences_)[b], first, prepared.materials());
      first += part.block.count();
      const std::int64_t group_size = part.group_size(true, true);
      buffer_size = std::max({buffer_size, group_size, (part.groups() + groups_per_task - 1) / groups_per_task,
                              std::min(buffer_limit, part.groups() * group_size)});
    }
    buffer_ = AlignedArray<double>(buffer_size);
  }

  // The pattern of K, and the places of all elements in it.
  void prepare_stiffness(const PreparedMesh& mesh) {
    const VertexGraph& graph = mesh.graph();
    pattern_ = block_matrix(graph, true);
    pattern_.values = {};
    for (Elements& part : elements_) {
      const std::int64_t count = part.vertices();
      part.columns.resize(part.incidence.places.size() * static_cast<std::size_t>(count));
      parallel_ranges(vertex_count(), vertices_per_task, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t v = begin; v < end; ++v)
          for (auto i = part.incidence.offsets[index(v)]; i < part.incidence.offsets[index(v) + 1]; ++i) {
            const auto element = part.block.element(part.incidence.places[index(i)] / count);
            for (std::int64_t b = 0; b < count; ++b)
              part.columns[index(i * count + b)] = static_cast<std::int32_t>(graph.find(v, element[index(b)]));
          }
      });
    }
  }

  // For evaluations that allocate nothing: without this, each kind makes its batches when it is first asked for.
  void prepare_batches() {
    for (Elements& part : elements_)
      for (const auto& [force, stiffness] : {std::pair{true, false}, std::pair{false, true}, std::pair{true, true}})
        part.batches_for(force, stiffness);
  }

  [[nodiscard]] std::size_t size() const { return positions_.size(); }
  [[nodiscard]] bool is_stvk() const {
    return std::ranges::all_of(elements_, [](const Elements& part) {
      return std::ranges::all_of(part.law, [](MaterialLaw law) { return law == MaterialLaw::stvk; });
    });
  }
  [[nodiscard]] SparseMatrix& pattern() { return pattern_; }  // without values

  double energy(std::span<const double> u) {
    require_dof_count(u.size(), size(), "the displacement");
    double sum = 0;
    for (Elements& part : elements_) {
      const std::int64_t tasks = (part.groups() + groups_per_task - 1) / groups_per_task;
      parallel_for(tasks, [&](std::int64_t task) {
        double total = 0;
        alignas(64) std::array<double, element_lanes> energies;
        for (std::int64_t g = task * groups_per_task; g < std::min(part.groups(), (task + 1) * groups_per_task); ++g) {
          evaluate_group(part, g, u, {.energy = energies.data()});
          const std::int64_t lanes = std::min(element_lanes, part.block.count() - g * element_lanes);
          for (std::int64_t l = 0; l < lanes; ++l) total += energies[index(l)];
        }
        buffer_.data()[task] = total;
      });
      for (std::int64_t task = 0; task < tasks; ++task) sum += buffer_.data()[task];
    }
    return sum + spring_energy(springs_, u) + (heat_ ? heat_->energy(u) : 0);
  }

  // Force, stiffness or both; `k` has been checked. @param is_viscous see ElementResults
  void evaluate(std::span<const double> u, double* r, SparseMatrix* k, bool is_viscous = false) {
    require_dof_count(u.size(), size(), "the displacement");
    if (r != nullptr) std::fill_n(r, size(), 0.0);
    if (k != nullptr) std::fill(k->values.begin(), k->values.end(), 0.0);
    for (Elements& part : elements_) {
      const std::int64_t force_rows = r != nullptr ? part.force_rows() : 0;
      const std::int64_t group_size = part.group_size(r != nullptr, k != nullptr);
      const std::int64_t at_once = part.groups_at_once(r != nullptr, k != nullptr);
      // Of elements with many vertices few groups fit into the buffer, but each is work enough for a thread.
      const std::int64_t per_task = std::clamp<std::int64_t>(at_once / 8, 1, groups_per_task);
      const ElementBatches& batches = part.batches_for(r != nullptr, k != nullptr);
      const auto group_memory = [&](const ElementBatches::Batch& batch, std::int64_t element) {
        return buffer_.data() + (element - batch.first) / element_lanes * group_size;
      };
      batches.run(
          per_task * element_lanes,
          [&](const ElementBatches::Batch& batch, std::int64_t begin, std::int64_t end) {
            for (std::int64_t e = begin; e < end; e += element_lanes) {
              double* out = group_memory(batch, e);
              evaluate_group(part, e / element_lanes, u,
                             {.force = r != nullptr ? out : nullptr,
                              .stiffness = k != nullptr ? out + force_rows * element_lanes : nullptr,
                              .is_viscous = is_viscous});
            }
          },
          [&](const ElementBatches::Batch& batch, std::int64_t vertex, std::int64_t i) {
            const std::int64_t element = part.incidence.places[index(i)] / part.vertices();
            collect(part, vertex, i, group_memory(batch, element), r, k);
          });
    }
    if (r != nullptr) add_spring_forces(springs_, u, {r, size()});
    if (k != nullptr) add_springs(springs_, *k);
    if (r != nullptr && heat_) heat_->add_force(u, r);
    if (k != nullptr && heat_ && !is_viscous) heat_->add_stiffness(*k);  // a stress's geometric part
  }

 private:
  template <class Integer>
  [[nodiscard]] static constexpr std::size_t index(Integer i) {
    return static_cast<std::size_t>(i);
  }
  [[nodiscard]] std::int64_t vertex_count() const { return std::ssize(positions_) / 3; }

  // Lanes behind the last element repeat it.
  void evaluate_group(const Elements& part, std::int64_t group, std::span<const double> u,
                      const ElementResults& results) const {
    GroupInput input;
    std::array<MaterialLaw, element_lanes> laws;
    const std::int64_t count = part.vertices();
    for (std::int64_t l = 0; l < element_lanes; ++l) {
      const std::int64_t e = std::min(group * element_lanes + l, part.block.count() - 1);
      const auto element = part.block.element(e);
      const double* origin = &positions_[3 * index(element[0])];  // so that a mesh far from 0 loses no digits
      for (std::int64_t a = 0; a < count; ++a) {
        const std::size_t vertex = 3 * index(element[index(a)]);
        for (std::size_t c = 0; c < 3; ++c) {
          const std::size_t to = (3 * index(a) + c) * element_lanes + index(l);
          input.x[to] = positions_[vertex + c] - origin[c];
          input.u[to] = u[vertex + c];
        }
      }
      input.lambda[index(l)] = part.lambda[index(e)];
      input.mu[index(l)] = part.mu[index(e)];
      input.mooney_share[index(l)] = part.mooney_share[index(e)];
      laws[index(l)] = part.law[index(e)];
    }
    const auto run = [&](MaterialLaw law, const ElementResults& to) {
      part.kernel({.law = law,
                   .weights = part.weights,
                   .reference_gradients = part.reference_gradients.data(),
                   .x = input.x.data(),
                   .u = input.u.data(),
                   .lambda = input.lambda.data(),
                   .mu = input.mu.data(),
                   .mooney_share = input.mooney_share.data()},
                  to);
    };
    if (std::ranges::count(laws, laws[0]) == element_lanes)
      run(laws[0], results);
    else
      evaluate_by_laws(part, laws, run, results);
  }

  // Where regions of several laws meet: the whole group by each of them, from which its lanes are taken.
  template <class Run>
  static void evaluate_by_laws(const Elements& part, const std::array<MaterialLaw, element_lanes>& laws, const Run& run,
                               const ElementResults& results) {
    AlignedArray<double> energy(element_lanes), force(part.force_rows() * element_lanes),
        stiffness(part.stiffness_rows() * element_lanes);
    std::array<bool, element_lanes> done{};
    for (std::size_t first = 0; first < laws.size(); ++first) {
      if (done[first]) continue;
      std::array<bool, element_lanes> lanes{};
      for (std::size_t l = first; l < laws.size(); ++l) {
        lanes[l] = laws[l] == laws[first];
        done[l] = done[l] || lanes[l];
      }
      run(laws[first], {.energy = results.energy != nullptr ? energy.data() : nullptr,
                        .force = results.force != nullptr ? force.data() : nullptr,
                        .stiffness = results.stiffness != nullptr ? stiffness.data() : nullptr});
      copy_lanes(lanes, energy.data(), 1, results.energy);
      copy_lanes(lanes, force.data(), part.force_rows(), results.force);
      copy_lanes(lanes, stiffness.data(), part.stiffness_rows(), results.stiffness);
    }
  }

  // Adds to a vertex' rows what the element at one of its incidences has for it. @param in of the element's group
  static void collect(const Elements& part, std::int64_t v, std::int64_t i, const double* in, double* r,
                      SparseMatrix* k) {
    const std::int64_t count = part.vertices(), place = part.incidence.places[index(i)];
    const std::int64_t a = place % count;
    in += place / count % element_lanes;
    if (r != nullptr) {
      for (std::int64_t c = 0; c < 3; ++c) r[3 * v + c] += in[(3 * a + c) * element_lanes];
      in += part.force_rows() * element_lanes;
    }
    if (k != nullptr) add_blocks(in, a, count, &part.columns[index(i * count)], v, *k);
  }

  static void add_blocks(const double* in, std::int64_t a, std::int64_t count, const std::int32_t* columns,
                         std::int64_t v, SparseMatrix& k) {
    double* rows[3];
    for (std::int64_t c = 0; c < 3; ++c) rows[c] = k.values.data() + k.row_offsets[index(3 * v + c)];
    for (std::int64_t b = 0; b < count; ++b) {
      const auto& order = block_orders[a == b ? 2 : a > b ? 1 : 0];
      const double* block = in + 9 * block_number(std::min(a, b), std::max(a, b), count) * element_lanes;
      const std::int64_t column = 3 * std::int64_t{columns[b]};
      for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t d = 0; d < 3; ++d)
          rows[c][column + static_cast<std::int64_t>(d)] += block[order[3 * c + d] * element_lanes];
    }
  }

  std::vector<double> positions_;
  std::vector<Spring> springs_;
  std::optional<ThermalForm> heat_;
  std::shared_ptr<const std::vector<Incidence>> incidences_;  // one per block
  std::vector<Elements> elements_;
  SparseMatrix pattern_;
  AlignedArray<double> buffer_;
};

InternalForces::InternalForces(const VolumeMesh& mesh) : InternalForces(make_internal_forces(PreparedMesh(mesh))) {}
InternalForces::InternalForces(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
InternalForces::InternalForces(InternalForces&&) noexcept = default;
InternalForces& InternalForces::operator=(InternalForces&&) noexcept = default;
InternalForces::~InternalForces() = default;

std::int64_t InternalForces::dof_count() const {
  return static_cast<std::int64_t>(impl_->size());
}
SparseMatrix InternalForces::zero_stiffness() const {
  SparseMatrix k = impl_->pattern();
  k.values.resize(k.columns.size());
  return k;
}
double InternalForces::energy(std::span<const double> u) {
  return impl_->energy(u);
}
void InternalForces::force(std::span<const double> u, std::span<double> r) {
  require_dof_count(r.size(), impl_->size(), "the force");
  require_apart(u, r);
  impl_->evaluate(u, r.data(), nullptr);
}
void InternalForces::stiffness(std::span<const double> u, SparseMatrix& k) {
  require_pattern(k, impl_->pattern());
  require_apart(u, k.values);
  impl_->evaluate(u, nullptr, &k);
}
void InternalForces::viscous_stiffness(std::span<const double> u, SparseMatrix& d) {
  require_pattern(d, impl_->pattern());
  require_apart(u, d.values);
  if (!impl_->is_stvk())
    throw InputError("damping by strain rates is of StVK materials alone; take Rayleigh's for other laws");
  impl_->evaluate(u, nullptr, &d, true);
}
void InternalForces::evaluate(std::span<const double> u, std::span<double> r, SparseMatrix& k) {
  require_dof_count(r.size(), impl_->size(), "the force");
  require_pattern(k, impl_->pattern());
  require_apart(u, r);
  require_apart(u, k.values);
  impl_->evaluate(u, r.data(), &k);
}

InternalForces make_internal_forces(const PreparedMesh& mesh, const Heating& heating) {
  auto impl = std::make_unique<InternalForces::Impl>(mesh, heating);
  impl->prepare_stiffness(mesh);
  impl->prepare_batches();
  return InternalForces(std::move(impl));
}

double strain_energy(const VolumeMesh& mesh, std::span<const double> u) {
  return InternalForces::Impl(PreparedMesh(mesh)).energy(u);
}

std::vector<double> internal_force(const VolumeMesh& mesh, std::span<const double> u) {
  InternalForces::Impl impl{PreparedMesh(mesh)};
  std::vector<double> force(impl.size());
  impl.evaluate(u, force.data(), nullptr);
  return force;
}

namespace {

SparseMatrix tangent_stiffness(const PreparedMesh& mesh, std::span<const double> u) {
  InternalForces::Impl impl(mesh);
  impl.prepare_stiffness(mesh);
  SparseMatrix k = std::move(impl.pattern());
  k.values.resize(k.columns.size());
  impl.evaluate(u, nullptr, &k);
  return k;
}

}  // namespace

SparseMatrix tangent_stiffness(const VolumeMesh& mesh, std::span<const double> u) {
  return tangent_stiffness(PreparedMesh(mesh), u);
}

SparseMatrix cpu::stiffness(const PreparedMesh& mesh) {
  return tangent_stiffness(mesh, std::vector<double>(mesh.mesh().vertices.size()));
}

}  // namespace quartic
