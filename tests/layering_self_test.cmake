# layering.cmake finds what it should: run on small trees, a sound one and others with one fault each. -DFOLDER is for them.
cmake_policy(VERSION 3.25)

# tree(FILE TEXT ...): a tree of these files, instead of the one before.
function(tree)
  file(REMOVE_RECURSE ${FOLDER})
  math(EXPR last "${ARGC} - 1")
  foreach(i RANGE 0 ${last} 2)
    math(EXPR j "${i} + 1")
    file(WRITE ${FOLDER}/${ARGV${i}} "${ARGV${j}}\n")
  endforeach()
endfunction()

# expect(TEXT): what the check says of the tree.
function(expect text)
  execute_process(COMMAND ${CMAKE_COMMAND} -DROOT=${FOLDER} -P ${CMAKE_CURRENT_LIST_DIR}/layering.cmake TIMEOUT 60
    OUTPUT_VARIABLE said ERROR_VARIABLE said)
  string(FIND "${said}" "${text}" position)
  if(position EQUAL -1)
    message(SEND_ERROR "expected: ${text}\nsaid: ${said}")
  endif()
endfunction()

set(sound
  include/quartic/mesh.hpp "//" include/quartic/state.hpp "//"
  src/core/base/CMakeLists.txt "quartic_folder(core/base SOURCES a.cpp)  # ground"
  src/core/base/a.hpp "//" src/core/base/a.cpp "#include \"core/base/a.hpp\""
  src/core/batch/CMakeLists.txt "quartic_folder(core/batch\n  USES\n    core/base\n  SOURCES\n    b.cpp)"
  src/core/batch/b.hpp "//" src/core/batch/b.cpp "#include \"core/base/a.hpp\"\n#include \"quartic/state.hpp\""
  src/cpu/batch/CMakeLists.txt "quartic_folder(cpu/batch USES core/base core/batch SOURCES c.cpp)"
  src/cpu/batch/c.cpp "#include \"core/batch/b.hpp\"\n#include \"core/base/a.hpp\"")
tree(${sound})
expect("2 rooms, all arrows as their CMakeLists.txt say, no cycle")

tree(${sound} src/core/base/a.hpp "\n#include \"core/batch/b.hpp\"")
expect("src/core/base/a.hpp:2: core/base -> core/batch, which src/core/base/CMakeLists.txt doesn't list")
expect("a cycle of folders:")
expect("src/core/base/a.hpp:2: base -> batch")

tree(${sound} src/cpu/batch/c.cpp "#include \"core/batch/b.hpp\"")
expect("src/cpu/batch/CMakeLists.txt:1: cpu/batch uses nothing of core/base")

tree(${sound} src/cpu/batch/d.hpp "//" src/core/batch/b.hpp "#include \"cpu/batch/d.hpp\"")
expect("src/core/batch/b.hpp:1: core/batch -> cpu/batch: core knows no backend")

tree(${sound} src/cuda/batch/CMakeLists.txt "quartic_folder(cuda/batch USES cpu/batch)" src/cpu/batch/d.hpp "//"
  src/cuda/batch/e.cu "#include \"cpu/batch/d.hpp\"")
expect("src/cuda/batch/e.cu:1: cuda/batch -> cpu/batch: backends know nothing of each other")

tree(${sound} include/quartic/state.hpp "#include \"quartic/mesh.hpp\"")
expect("src/core/batch/b.cpp:2: core/batch -> quartic/state.hpp, from which meshes are seen")

# Other ways to write it: spaces, tabs, angle brackets, folders of public headers. Others' headers are nobody's business.
tree(${sound} src/core/base/a.hpp " # include \"core/batch/b.hpp\"")
expect("src/core/base/a.hpp:1: core/base -> core/batch, which src/core/base/CMakeLists.txt doesn't list")
tree(${sound} src/core/base/a.hpp "\t#\tinclude\t<core/batch/b.hpp>")
expect("src/core/base/a.hpp:1: core/base -> core/batch, which src/core/base/CMakeLists.txt doesn't list")
tree(${sound} src/core/base/a.hpp "#include <quartic/mesh.hpp>")
expect("src/core/base/a.hpp:1: core/base -> quartic/mesh.hpp, from which meshes are seen")
tree(${sound} include/quartic/state.hpp "#  include <quartic/mesh.hpp>")
expect("src/core/batch/b.cpp:2: core/batch -> quartic/state.hpp, from which meshes are seen")
tree(${sound} src/core/base/a.hpp "#include <quartic/more/x.hpp>\n#include <vector>\n#include <sys/types.h>")
expect("2 rooms, all arrows as their CMakeLists.txt say, no cycle")

tree(${sound} src/core/frame/f.cpp "//")
expect("src/core/frame/f.cpp: no CMakeLists.txt has quartic_folder(core/frame ...)")

set(many "")
foreach(i RANGE 40)
  list(APPEND many tests/io/f${i}_test.cpp "//")
endforeach()
tree(${sound} ${many})
expect("tests/io: 41 files, at most 40 are easy to look over")
file(REMOVE_RECURSE ${FOLDER})
