// Memory that others describe by DLPack's structures.
#pragma once

#include <optional>
#include <string>

#include "python/arrays/array.hpp"
#include "python/arrays/dlpack.hpp"

namespace quartic::python {

[[nodiscard]] std::optional<DType> dtype_of(const dlpack::DataType& type);

/// @throws InputError that tells both places, unless work at the place can use the device's memory
void require_in(const Place& place, const dlpack::Device& device, const std::string& name);

/// Takes over the memory that `managed` describes, which is freed with the array, or before this throws.
/// @throws InputError for memory elsewhere, or of another type than quartic's
[[nodiscard]] Array take(dlpack::VersionedTensor* managed, const std::string& name, const Place& place);

/// The same of what a capsule holds, which is marked as used.
/// @throws InputError also for what is no such capsule, and for another major version; that stays in its capsule
[[nodiscard]] Array from_capsule(nb::handle capsule, const std::string& name, const Place& place);

/// The functions that the object's type has for its objects, DLPack's C exchange API in version 1; null without them.
[[nodiscard]] const dlpack::ExchangeApi* exchange_api_of(nb::handle object);

/// The object's memory by these functions. Work that goes into the place's stream from now on comes behind what is in
/// the producer's current stream. @throws InputError as `take`, and for a tensor that wants gradients
[[nodiscard]] Array from_exchange_api(const dlpack::ExchangeApi& api, nb::handle object, const std::string& name,
                                      const Place& place);

}  // namespace quartic::python
