// What the checkpoints of all batches have in common.
#pragma once

#include <string>

#include "io/tensors/schema.hpp"
#include "quartic/error.hpp"

namespace quartic::io {

inline constexpr FileKind checkpoint_kind = {.noun = "checkpoint",
                                             .schema_key = "quartic_checkpoint",
                                             .foreign = "this is a safetensors file, but no checkpoint of a batch"};
inline constexpr const char* checksum_key = "checksum";

/// @param tensor one that is of the batch's precision @param name of the file
/// @throws InputError if it is of another one than T
template <class T>
void require_same_precision(const SafetensorsFile& file, const char* tensor, const std::string& name) {
  const SafetensorsFile::Tensor* q = file.find(tensor);
  if (q != nullptr && q->dtype != dtype_of<T> && (q->dtype == "F32" || q->dtype == "F64"))
    throw InputError(name + ": the checkpoint is of a batch of precision " + (q->dtype == "F32" ? "float" : "double") +
                     ", this batch isn't");
}

}  // namespace quartic::io
