// What a world asks those that let its bodies meet each other for (core/collision). A world without knows no such
// contacts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/thread_pool.hpp"
#include "core/contact/body_exchange.hpp"
#include "core/contact/candidate_search.hpp"
#include "quartic/batch.hpp"
#include "quartic/collision.hpp"
#include "quartic/contact.hpp"
#include "quartic/export.hpp"

namespace quartic {

/// A body that may come to touch another one in the step.
struct IslandBody {
  std::int64_t body = 0;  ///< of the batch
  int group = 0;
  BodyOnItsOwn* own = nullptr;    ///< taken from the batch; gets its end and outcome
  std::span<Contact> contacts{};  ///< points that may touch shapes; get their place, gap and force at the step's end
};

/// Where a contact's force of the last step is kept, to begin with it in the next one. Its order is that of sums.
struct ContactKey {
  std::int32_t first = 0, second = 0;  ///< ids, the lower one first; the same one twice for a shape
  std::int32_t side = 0;               ///< 0: a point of the first body, 1: of the second, 2 + n: in the shape n
  std::int32_t point = 0;

  [[nodiscard]] auto operator<=>(const ContactKey&) const = default;
};
struct WarmStart {
  ContactKey key;
  std::array<double, 3> force = {};  ///< on the body whose point it is [N], world axes

  [[nodiscard]] bool operator==(const WarmStart&) const = default;
};

/// @throws InputError for forces that aren't finite, or keys in another order
QUARTIC_EXPORT void require_warm_starts(std::span<const WarmStart> starts);

/// @throws InputError for a batch whose bodies can't meet each other, by its backend or integrator, with what to take
template <class T>
void require_collisions_go_with(const Batch<T>& batch);

template <class T>
class BodyCollisions {
 public:
  virtual ~BodyCollisions() = default;
  BodyCollisions() = default;
  BodyCollisions(const BodyCollisions&) = delete;
  BodyCollisions& operator=(const BodyCollisions&) = delete;

  /// Bodies that may come to touch others in a step from the batch's state, ascending. @param search that has run
  virtual std::span<const std::int64_t> find(const Batch<T>& batch, const CandidateSearch<T>& search,
                                             ThreadPool& pool) = 0;
  /// Steps them. @param bodies those that `find` returned, in their order
  virtual void step(const Batch<T>& batch, std::span<const IslandBody> bodies, ThreadPool& pool) = 0;

  /// Contacts between bodies at the end of the last step, those whose points are in the other body or have a force.
  [[nodiscard]] virtual std::span<const BodyContact> contacts() const = 0;
  /// What the next step begins with, in the order of keys.
  [[nodiscard]] virtual const std::vector<WarmStart>& warm_starts() const = 0;
  /// @throws InputError as `require_warm_starts`
  virtual void set_warm_starts(std::vector<WarmStart> starts) = 0;
};

}  // namespace quartic
