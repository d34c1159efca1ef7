# Parsing Eigen and the standard library takes most of the time of most sources: they are parsed once per target. Sources name
# what they include all the same (`header_self_containment`), and those with options of their own do without
# (SKIP_PRECOMPILE_HEADERS). Headers of ours aren't among them: each change would compile everything.
function(quartic_precompile_headers target)
  target_precompile_headers(${target} PRIVATE
    <Eigen/Core> <Eigen/Geometry> <Eigen/SparseCore>
    <algorithm> <array> <cmath> <cstddef> <cstdint> <functional> <limits> <map> <memory> <numeric> <optional> <span> <string>
    <string_view> <utility> <vector>)
  # False alarms on std::string, as with -Wrestrict (cmake/warnings.cmake): a precompiled header no longer counts as a system's.
  target_compile_options(${target} PRIVATE
    "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-array-bounds;-Wno-stringop-overflow>")
endfunction()
