# The target quartic_mumps: MUMPS' sequential static libraries and what they need; no target where they aren't found.
#
# Static, and hidden by --exclude-libs, because the shared ones would put stand-ins for MPI's functions into every
# process that uses the library.
include(CheckCXXSourceCompiles)

find_path(QUARTIC_MUMPS_INCLUDE_DIR dmumps_c.h PATH_SUFFIXES mumps_seq MUMPS)
set(mumps_archives)
foreach(name dmumps_seq mumps_common_seq pord_seq mpiseq_seq)
  find_library(QUARTIC_MUMPS_${name} lib${name}.a)
  list(APPEND mumps_archives ${QUARTIC_MUMPS_${name}})
endforeach()

# Debian's MUMPS calls SCOTCH, whose libraries carry their version in the name; others may not.
set(mumps_orderings)
foreach(name esmumps scotch scotcherr)
  find_library(QUARTIC_MUMPS_${name} NAMES ${name} ${name}-7.0 ${name}-7 ${name}-6.1)
  if(QUARTIC_MUMPS_${name})
    list(APPEND mumps_orderings ${QUARTIC_MUMPS_${name}})
  endif()
endforeach()

if(QUARTIC_MUMPS_INCLUDE_DIR AND NOT mumps_archives MATCHES NOTFOUND)
  set(CMAKE_REQUIRED_INCLUDES ${QUARTIC_MUMPS_INCLUDE_DIR})
  set(CMAKE_REQUIRED_LIBRARIES ${mumps_archives} ${mumps_orderings} BLAS::BLAS gfortran Threads::Threads m)
  check_cxx_source_compiles(
    "#include <dmumps_c.h>
     int main() { DMUMPS_STRUC_C mumps{}; dmumps_c(&mumps); }" QUARTIC_MUMPS_LINKS)
  unset(CMAKE_REQUIRED_INCLUDES)
  unset(CMAKE_REQUIRED_LIBRARIES)
endif()

# A chain of imported targets, so that the linker meets every archive before what it calls.
if(QUARTIC_MUMPS_LINKS)
  set(mumps_needs ${mumps_orderings} BLAS::BLAS gfortran Threads::Threads m)
  foreach(name mpiseq_seq pord_seq mumps_common_seq dmumps_seq)
    add_library(quartic_mumps_${name} STATIC IMPORTED GLOBAL)
    set_target_properties(quartic_mumps_${name} PROPERTIES
      IMPORTED_LOCATION ${QUARTIC_MUMPS_${name}} INTERFACE_LINK_LIBRARIES "${mumps_needs}")
    list(PREPEND mumps_needs quartic_mumps_${name})
  endforeach()
  add_library(quartic_mumps INTERFACE)
  target_include_directories(quartic_mumps SYSTEM INTERFACE ${QUARTIC_MUMPS_INCLUDE_DIR})
  target_link_libraries(quartic_mumps INTERFACE quartic_mumps_dmumps_seq)
  target_link_options(quartic_mumps INTERFACE LINKER:--exclude-libs,ALL)
endif()
