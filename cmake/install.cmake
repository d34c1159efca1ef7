# What `cmake --install` leaves: library, headers, command, the CMake package `quartic`, licences.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/quartic)

install(TARGETS quartic EXPORT quarticTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT quarticTargets NAMESPACE quartic:: DESTINATION ${package_dir})

# For those who pass device pointers: find_package(quartic COMPONENTS cuda).
if(TARGET quartic_cuda)
  # Besides its own folder that of the toolkit it was built with, where the system doesn't look by itself.
  set_target_properties(quartic_cuda PROPERTIES INSTALL_RPATH "$ORIGIN" INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS quartic_cuda EXPORT quarticCudaTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT quarticCudaTargets NAMESPACE quartic:: DESTINATION ${package_dir})
endif()

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/quarticConfig.cmake.in ${PROJECT_BINARY_DIR}/quarticConfig.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/quarticConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/quarticConfig.cmake ${PROJECT_BINARY_DIR}/quarticConfigVersion.cmake
  DESTINATION ${package_dir})

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The command finds its library beside it, wherever the prefix is moved to.
if(TARGET quartic_command)
  file(RELATIVE_PATH bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(quartic_command PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
  install(TARGETS quartic_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
