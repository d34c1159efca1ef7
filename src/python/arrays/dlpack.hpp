// The structures of DLPack, by which array libraries hand each other memory: as its standard lays them out, version 1.
// Source: DMLC, DLPack, dlpack.h (https://dmlc.github.io/dlpack/latest/c_api.html).
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
  std::uint32_t minor = 1;
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

}  // namespace quartic::python::dlpack
