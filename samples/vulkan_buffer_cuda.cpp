// Vertices straight into a Vulkan buffer, and a semaphore that Vulkan waits for.
//
// build: g++ -std=c++20 vulkan_buffer_cuda.cpp -lquartic -lquartic_cuda -lcudart -lvulkan
// run:   ./vulkan_buffer_cuda
//
// prints:
//   the tip is at -0.0622 m in Vulkan's memory
#include <vulkan/vulkan.h>

#include <cstdio>
#include <cstring>
#include <quartic/cuda.hpp>
#include <quartic/quartic.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

void check(VkResult result, const char* what) {
  if (result != VK_SUCCESS) throw std::runtime_error(std::string("Vulkan couldn't ") + what);
}
void check(cudaError_t result, const char* what) {
  if (result != cudaSuccess) throw std::runtime_error(std::string("CUDA couldn't ") + what);
}

// What is passed on to CUDA: a buffer that the host can look at, for this sample's sake, and a timeline semaphore.
struct Shared {
  VkDevice device = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkSemaphore semaphore = VK_NULL_HANDLE;
  VkDeviceSize bytes = 0;
  int memory_file = -1, semaphore_file = -1;
};

VkPhysicalDevice device_of_cuda(VkInstance instance) {
  cudaDeviceProp cuda = {};
  check(cudaGetDeviceProperties(&cuda, 0), "describe the device");
  std::uint32_t count = 0;
  check(vkEnumeratePhysicalDevices(instance, &count, nullptr), "count devices");
  std::vector<VkPhysicalDevice> devices(count);
  check(vkEnumeratePhysicalDevices(instance, &count, devices.data()), "list devices");
  for (const VkPhysicalDevice device : devices) {
    VkPhysicalDeviceIDProperties id = {};
    id.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
    VkPhysicalDeviceProperties2 properties = {};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = &id;
    vkGetPhysicalDeviceProperties2(device, &properties);
    if (std::memcmp(id.deviceUUID, cuda.uuid.bytes, VK_UUID_SIZE) == 0) return device;
  }
  throw std::runtime_error("Vulkan doesn't know CUDA's device");
}

VkDevice make_device(VkPhysicalDevice physical) {
  const float priority = 1;
  VkDeviceQueueCreateInfo queue = {};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {};
  timeline.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES;
  timeline.timelineSemaphore = VK_TRUE;
  const char* extensions[] = {VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME};
  VkDeviceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &timeline;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = 2;
  info.ppEnabledExtensionNames = extensions;
  VkDevice device = VK_NULL_HANDLE;
  check(vkCreateDevice(physical, &info, nullptr, &device), "make a device");
  return device;
}

std::uint32_t memory_type(VkPhysicalDevice physical, std::uint32_t allowed) {
  constexpr VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkPhysicalDeviceMemoryProperties memory = {};
  vkGetPhysicalDeviceMemoryProperties(physical, &memory);
  for (std::uint32_t n = 0; n < memory.memoryTypeCount; ++n)
    if ((allowed >> n & 1U) != 0 && (memory.memoryTypes[n].propertyFlags & wanted) == wanted) return n;
  throw std::runtime_error("no memory that both sides see");
}

void make_buffer(VkPhysicalDevice physical, VkDeviceSize bytes, Shared& shared) {
  VkExternalMemoryBufferCreateInfo external = {};
  external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkBufferCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.pNext = &external;
  info.size = bytes;
  info.usage = VK_BUFFER_USAGE_VERTEX_BUFFER_BIT;
  VkBuffer buffer = VK_NULL_HANDLE;
  check(vkCreateBuffer(shared.device, &info, nullptr, &buffer), "make a buffer");
  VkMemoryRequirements needs = {};
  vkGetBufferMemoryRequirements(shared.device, buffer, &needs);
  VkExportMemoryAllocateInfo exported = {};
  exported.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO;
  exported.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkMemoryAllocateInfo allocation = {};
  allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocation.pNext = &exported;
  allocation.allocationSize = shared.bytes = needs.size;
  allocation.memoryTypeIndex = memory_type(physical, needs.memoryTypeBits);
  check(vkAllocateMemory(shared.device, &allocation, nullptr, &shared.memory), "allocate memory");
  check(vkBindBufferMemory(shared.device, buffer, shared.memory, 0), "bind memory");
  VkMemoryGetFdInfoKHR file = {};
  file.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR;
  file.memory = shared.memory;
  file.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  const auto get = reinterpret_cast<PFN_vkGetMemoryFdKHR>(vkGetDeviceProcAddr(shared.device, "vkGetMemoryFdKHR"));
  check(get(shared.device, &file, &shared.memory_file), "export memory");
}

void make_semaphore(Shared& shared) {
  VkSemaphoreTypeCreateInfo type = {};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkExportSemaphoreCreateInfo exported = {};
  exported.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO;
  exported.pNext = &type;
  exported.handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkSemaphoreCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &exported;
  check(vkCreateSemaphore(shared.device, &info, nullptr, &shared.semaphore), "make a semaphore");
  VkSemaphoreGetFdInfoKHR file = {};
  file.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR;
  file.semaphore = shared.semaphore;
  file.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
  const auto get = reinterpret_cast<PFN_vkGetSemaphoreFdKHR>(vkGetDeviceProcAddr(shared.device, "vkGetSemaphoreFdKHR"));
  check(get(shared.device, &file, &shared.semaphore_file), "export a semaphore");
}

Shared make_shared_buffer(VkDeviceSize bytes) {
  VkApplicationInfo application = {};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_2;
  VkInstanceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  VkInstance instance = VK_NULL_HANDLE;
  check(vkCreateInstance(&info, nullptr, &instance), "start");
  const VkPhysicalDevice physical = device_of_cuda(instance);
  Shared shared;
  shared.device = make_device(physical);
  make_buffer(physical, bytes, shared);
  make_semaphore(shared);
  return shared;
}

float* import_memory(const Shared& shared) {
  cudaExternalMemoryHandleDesc handle = {};
  handle.type = cudaExternalMemoryHandleTypeOpaqueFd;
  handle.handle.fd = shared.memory_file;  // CUDA's from now on
  handle.size = shared.bytes;
  cudaExternalMemory_t memory = nullptr;
  check(cudaImportExternalMemory(&memory, &handle), "import memory");
  cudaExternalMemoryBufferDesc buffer = {};
  buffer.size = shared.bytes;
  void* data = nullptr;
  check(cudaExternalMemoryGetMappedBuffer(&data, memory, &buffer), "map memory");
  return static_cast<float*>(data);
}

cudaExternalSemaphore_t import_semaphore(const Shared& shared) {
  cudaExternalSemaphoreHandleDesc handle = {};
  handle.type = cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd;
  handle.handle.fd = shared.semaphore_file;
  cudaExternalSemaphore_t semaphore = nullptr;
  check(cudaImportExternalSemaphore(&semaphore, &handle), "import a semaphore");
  return semaphore;
}

void run() {
  const auto [mesh, fixed_vertices] = quartic::make_beam();
  const quartic::ReducedModel model = quartic::reduce(mesh, fixed_vertices, {.modes = 6, .rank = 12});
  quartic::Batch<float> batch(model.energy, {.rayleigh_mass = 2, .backend = quartic::Backend::cuda});
  for (int mode = 0; mode < model.rank(); ++mode)
    batch.force()(mode, 0) = static_cast<float>(-9.81 * model.unit_acceleration(mode, 2));
  const quartic::cuda::Embedding embedding(model.basis.map(), std::vector<double>(mesh.vertices.size()));
  const std::int64_t vertices = embedding.vertices();

  const Shared shared = make_shared_buffer(static_cast<VkDeviceSize>(12 * vertices));
  float* const positions = import_memory(shared);
  const cudaExternalSemaphore_t semaphore = import_semaphore(shared);

  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream), "make a stream");
  quartic::cuda::send(batch, stream);
  quartic::cuda::step(batch, 0.1, 20, stream);
  embedding.displacements(quartic::cuda::device_state(batch).q, {positions, 1, vertices, 3 * vertices, 3}, stream);
  cudaExternalSemaphoreSignalParams signal = {};
  signal.params.fence.value = 1;
  check(cudaSignalExternalSemaphoresAsync(&semaphore, &signal, 1, stream), "signal");

  // A renderer would let its queue wait; here the host does, through Vulkan.
  const std::uint64_t value = 1;
  VkSemaphoreWaitInfo wait = {};
  wait.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  wait.semaphoreCount = 1;
  wait.pSemaphores = &shared.semaphore;
  wait.pValues = &value;
  check(vkWaitSemaphores(shared.device, &wait, UINT64_MAX), "wait");
  void* seen = nullptr;
  check(vkMapMemory(shared.device, shared.memory, 0, shared.bytes, 0, &seen), "look at memory");
  std::printf("the tip is at %.4f m in Vulkan's memory\n", double(static_cast<const float*>(seen)[3 * vertices - 1]));
}

}  // namespace

int main() {
  if (!quartic::backend_available(quartic::Backend::cuda)) {
    std::puts("no CUDA device here");
    return 0;
  }
  try {
    run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "vulkan_buffer_cuda: %s\n", error.what());
    return 1;
  }
}
