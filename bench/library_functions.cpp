#include "library_functions.hpp"

#include <dlfcn.h>

#include <string>
#include <type_traits>

#include "quartic/error.hpp"

namespace quartic::measure {
namespace {

void* open(const char* name) {
  void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw BackendUnavailable(std::string("the baseline needs ") + name + ", which can't be opened");
  return library;
}

template <class Function>
void find(void* library, Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) throw BackendUnavailable(std::string("the baseline needs ") + name + ", which isn't there");
}

}  // namespace

LibraryFunctions::LibraryFunctions() {
  void* cublas = open("libcublas.so.13");
  find(cublas, create_cublas, "cublasCreate_v2");
  find(cublas, destroy_cublas, "cublasDestroy_v2");
  find(cublas, set_cublas_stream, "cublasSetStream_v2");
  find(cublas, set_cublas_workspace, "cublasSetWorkspace_v2");
  find(cublas, gemm_float, "cublasSgemm_v2");
  find(cublas, gemm_double, "cublasDgemm_v2");
  void* cusolver = open("libcusolver.so.12");
  find(cusolver, create_cusolver, "cusolverDnCreate");
  find(cusolver, destroy_cusolver, "cusolverDnDestroy");
  find(cusolver, set_cusolver_stream, "cusolverDnSetStream");
  find(cusolver, factorize_float, "cusolverDnSpotrfBatched");
  find(cusolver, factorize_double, "cusolverDnDpotrfBatched");
  find(cusolver, solve_float, "cusolverDnSpotrsBatched");
  find(cusolver, solve_double, "cusolverDnDpotrsBatched");
}

const LibraryFunctions& library_functions() {
  static const LibraryFunctions functions;
  return functions;
}

}  // namespace quartic::measure
