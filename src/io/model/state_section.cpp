// The state of a batch's bodies, array by array, and the time.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/batch/batch_checks.hpp"
#include "io/model/checkpoint_sections.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view tensors[] = {"status", "time"};  // and the layout's

template <class T>
void check(const Checkpoint<T>& checkpoint) {
  for (std::size_t n = 0; n < checkpoint.layout.size(); ++n) {
    const StateBlock& block = checkpoint.layout[n];
    const StateRows<T>& rows = checkpoint.state[n];
    if (rows.columns != block.rows(checkpoint.rank) ||
        std::ssize(rows.values) != checkpoint.bodies * block.rows(checkpoint.rank))
      throw InputError("'" + std::string(block.name) + "' must have a row per body and a column per coordinate");
  }
  check_status(checkpoint.status, checkpoint.bodies);
}

template <class T>
void write(const Checkpoint<T>& checkpoint, FileDraft& draft) {
  for (std::size_t n = 0; n < checkpoint.layout.size(); ++n) {
    const StateRows<T>& rows = checkpoint.state[n];
    draft.add(checkpoint.layout[n].name, {checkpoint.bodies, rows.columns}, rows.values);
  }
  std::vector<std::int32_t> status;
  for (const BodyStatus s : checkpoint.status) status.push_back(static_cast<std::int32_t>(s));
  draft.add_computed("status", {checkpoint.bodies}, std::move(status));
  draft.add_computed("time", {1}, std::vector<double>{checkpoint.time});
}

template <class T>
void read(const SafetensorsFile& file, Checkpoint<T>& checkpoint) {
  for (const StateBlock& block : checkpoint.layout) {
    std::vector<T> values = file.stored_values<T>(block.name, 2);  // frozen bodies may hold what isn't finite
    checkpoint.state.push_back({file.size(block.name, 1), std::move(values)});
  }
  for (const auto s : file.values<std::int32_t>("status", 1)) checkpoint.status.push_back(static_cast<BodyStatus>(s));
  const auto time = file.values<double>("time", 1);
  if (time.size() != 1) file.fail("'time' must be one number");
  checkpoint.time = time.front();
}

}  // namespace

template <class T>
const CheckpointSection<T>& state_section() {
  static constexpr CheckpointSection<T> section = {
      .name = "state", .tensors = tensors, .check = check<T>, .write = write<T>, .read = read<T>};
  return section;
}

template const CheckpointSection<float>& state_section<float>();
template const CheckpointSection<double>& state_section<double>();

}  // namespace quartic::io
