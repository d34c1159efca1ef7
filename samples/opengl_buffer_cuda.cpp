// Vertices straight into an OpenGL vertex buffer: a position of three floats per vertex, body after body.
//
// build: g++ -std=c++20 opengl_buffer_cuda.cpp -lquartic -lquartic_cuda -lcudart -lOpenGL -lEGL
// run:   ./opengl_buffer_cuda     (needs no window: the context is EGL's)
//
// prints:
//   the tip is at -0.0622 m in the vertex buffer
#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <cuda_gl_interop.h>

#include <cstdio>
#include <quartic/cuda.hpp>
#include <quartic/quartic.hpp>
#include <stdexcept>
#include <string>

namespace {

void require(bool condition, const char* what) {
  if (!condition) throw std::runtime_error(std::string("no ") + what);
}

// An OpenGL context on the first device that is CUDA's device 0.
void make_context() {
  const auto query_devices = reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(eglGetProcAddress("eglQueryDevicesEXT"));
  const auto query_attribute =
      reinterpret_cast<PFNEGLQUERYDEVICEATTRIBEXTPROC>(eglGetProcAddress("eglQueryDeviceAttribEXT"));
  require(query_devices != nullptr && query_attribute != nullptr, "EGL device extensions");
  EGLDeviceEXT devices[16];
  EGLint count = 0;
  require(query_devices(16, devices, &count) == EGL_TRUE, "EGL devices");
  for (int n = 0; n < count; ++n) {
    EGLAttrib cuda_device = -1;
    if (query_attribute(devices[n], EGL_CUDA_DEVICE_NV, &cuda_device) != EGL_TRUE || cuda_device != 0) continue;
    const EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_DEVICE_EXT, devices[n], nullptr);
    require(eglInitialize(display, nullptr, nullptr) == EGL_TRUE && eglBindAPI(EGL_OPENGL_API) == EGL_TRUE, "OpenGL");
    const EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, nullptr);
    require(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context) == EGL_TRUE, "OpenGL context");
    return;
  }
  require(false, "EGL device that CUDA knows");
}

void run() {
  const auto [mesh, fixed_vertices] = quartic::make_beam();
  const quartic::ReducedModel model = quartic::reduce(mesh, fixed_vertices, {.modes = 6, .rank = 12});
  quartic::Batch<float> batch(model.energy, {.rayleigh_mass = 2, .backend = quartic::Backend::cuda});
  for (int mode = 0; mode < model.rank(); ++mode)
    batch.force()(mode, 0) = static_cast<float>(-9.81 * model.unit_acceleration(mode, 2));
  const quartic::cuda::Embedding embedding(model.basis.map(), std::vector<double>(mesh.vertices.size()));
  const std::int64_t vertices = embedding.vertices();

  make_context();
  GLuint buffer = 0;
  glGenBuffers(1, &buffer);
  glBindBuffer(GL_ARRAY_BUFFER, buffer);
  glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(12 * vertices), nullptr, GL_DYNAMIC_DRAW);
  cudaGraphicsResource* resource = nullptr;
  require(cudaGraphicsGLRegisterBuffer(&resource, buffer, cudaGraphicsRegisterFlagsWriteDiscard) == cudaSuccess,
          "buffer for CUDA");

  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  quartic::cuda::send(batch, stream);
  quartic::cuda::step(batch, 0.1, 20, stream);
  // Mapped, the buffer is CUDA's; OpenGL waits for it where it is unmapped.
  void* data = nullptr;
  std::size_t bytes = 0;
  cudaGraphicsMapResources(1, &resource, stream);
  cudaGraphicsResourceGetMappedPointer(&data, &bytes, resource);
  embedding.displacements(quartic::cuda::device_state(batch).q,
                          {static_cast<float*>(data), 1, vertices, 3 * vertices, 3}, stream);
  cudaGraphicsUnmapResources(1, &resource, stream);

  const auto* seen = static_cast<const float*>(glMapBuffer(GL_ARRAY_BUFFER, GL_READ_ONLY));
  require(seen != nullptr, "view of the buffer");
  std::printf("the tip is at %.4f m in the vertex buffer\n", double(seen[3 * vertices - 1]));
  glUnmapBuffer(GL_ARRAY_BUFFER);
  cudaGraphicsUnregisterResource(resource);
  cudaStreamDestroy(stream);
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
    std::fprintf(stderr, "opengl_buffer_cuda: %s\n", error.what());
    return 1;
  }
}
