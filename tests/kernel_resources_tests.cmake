# Of the label `compiler`, which the nightly runs: the compiler takes minutes.
# kernel_resources.X for each source with hot kernels. Registers depend on the compiler: the table is that of one version.
find_program(QUARTIC_CXXFILT c++filt)
if(QUARTIC_CXXFILT AND CMAKE_CUDA_COMPILER_VERSION MATCHES "^13\\.0")
  find_program(QUARTIC_PYTHON3 python3)
  find_program(QUARTIC_NVDISASM nvdisasm HINTS ${PROJECT_SOURCE_DIR}/build/nvdisasm/nvidia/cu13/bin ${CUDAToolkit_BIN_DIR})
  mark_as_advanced(QUARTIC_PYTHON3 QUARTIC_NVDISASM)
  set(resources ${CMAKE_COMMAND} -DPYTHON=$<$<BOOL:${QUARTIC_PYTHON3}>:${QUARTIC_PYTHON3}>
    -DNVDISASM=$<$<BOOL:${QUARTIC_NVDISASM}>:${QUARTIC_NVDISASM}> -DNVCC=${CMAKE_CUDA_COMPILER} -DCXXFILT=${QUARTIC_CXXFILT}
    -DSOURCE_DIR=${PROJECT_SOURCE_DIR} -DBINARY_DIR=${PROJECT_BINARY_DIR})
  set(script ${CMAKE_CURRENT_SOURCE_DIR}/kernel_resources.cmake)
  set(files
    algebra/block_algebra algebra/sparse_product base/strided_copy batch/steps/central_differences_step
    batch/steps/energy_conserving_step batch/steps/free_energy_conserving_step batch/steps/free_implicit_step
    batch/steps/fused_chamber_step batch/steps/fused_step batch/steps/implicit_step batch/steps/latency_steps
    contact/detect contact/near_products contact/near_step contact/prefix_sums embedding/embedding energy/evaluate
    energy/strain_forces energy/tensor_evaluate fem/block_sums fem/quadrature_points fem/second_derivatives
    modal/modal_step strains/strains)
  foreach(file IN LISTS files)
    cmake_path(GET file FILENAME name)
    add_test(NAME kernel_resources.${name} COMMAND ${resources} -DFILES=${file} -P ${script})
    set_tests_properties(kernel_resources.${name} PROPERTIES TIMEOUT 600 LABELS compiler)
  endforeach()
  add_custom_target(update_kernel_resources
    COMMAND ${resources} "-DFILES=${files}" -DUPDATE=TABLE -P ${script} VERBATIM)
  # After kernels changed and the table still holds: so that the next build needn't ask the compiler.
  add_custom_target(update_kernel_sources
    COMMAND ${resources} "-DFILES=${files}" -DUPDATE=SOURCES -P ${script} VERBATIM)
endif()
