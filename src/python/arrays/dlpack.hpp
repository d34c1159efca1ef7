// The structures of DLPack, by which array libraries hand each other memory: as its standard lays them out,
// version 1.3. Source: DMLC, DLPack, dlpack.h (https://dmlc.github.io/dlpack/latest/c_api.html).
#pragma once

#include <cstdint>

namespace quartic::python::dlpack {

enum DeviceType : std::int32_t { cpu = 1, cuda = 2, cuda_host = 3, cuda_managed = 13 };
enum TypeCode : std::uint8_t { code_int = 0, code_uint = 1, code_float = 2, code_bool = 6 };

struct Device {
  std::int32_t type = cpu;
  std::int32_t id = 0;
};

struct DataType {
  std::uint8_t code = code_float;
  std::uint8_t bits = 0;
  std::uint16_t lanes = 1;
};

/// Strides count elements; null stands for C order.
struct Tensor {
  void* data = nullptr;
  Device device = {};
  std::int32_t dimensions = 0;
  DataType dtype = {};
  std::int64_t* shape = nullptr;
  std::int64_t* strides = nullptr;
  std::uint64_t byte_offset = 0;
};

/// What a capsule "dltensor" holds: without a version, and without a word for read-only memory.
struct LegacyTensor {
  Tensor tensor = {};
  void* context = nullptr;
  void (*deleter)(LegacyTensor*) = nullptr;
};

struct Version {
  std::uint32_t major = 1;
  std::uint32_t minor = 3;
};

inline constexpr std::uint64_t flag_read_only = 1, flag_copied = 2;

/// What a capsule "dltensor_versioned" holds.
struct VersionedTensor {
  Version version = {};
  void* context = nullptr;
  void (*deleter)(VersionedTensor*) = nullptr;
  std::uint64_t flags = 0;
  Tensor tensor = {};
};

/// What stays the same in all versions of `ExchangeApi`. A chain of older ones hangs on it.
struct ExchangeHeader {
  Version version = {};
  const ExchangeHeader* previous = nullptr;
};

inline constexpr const char* exchange_api_attribute = "__dlpack_c_exchange_api__";
inline constexpr const char* exchange_api_capsule = "dlpack_exchange_api";

/// What a capsule "dlpack_exchange_api", an attribute of a type, points to: functions for the type's objects, PyObject*
/// as void*. They return 0, or -1 with Python's error set, but for `allocate`, which tells its caller's `set_error`.
/// None of them waits, or makes a stream wait; whoever uses the memory works in the current stream of its device.
struct ExchangeApi {
  ExchangeHeader header = {};
  int (*allocate)(Tensor* prototype, VersionedTensor** out, void* error_context,
                  void (*set_error)(void* error_context, const char* kind, const char* message)) = nullptr;
  int (*from_object)(void* object, VersionedTensor** out) = nullptr;
  int (*to_object)(VersionedTensor* tensor, void** out) = nullptr;  ///< takes the tensor over
  int (*view_object)(void* object, Tensor* out) = nullptr;          ///< valid until control returns; may be null
  int (*current_work_stream)(std::int32_t device_type, std::int32_t device_id, void** out) = nullptr;
};
static_assert(sizeof(ExchangeApi) == 2 * sizeof(std::uint32_t) + 6 * sizeof(void*));

}  // namespace quartic::python::dlpack
