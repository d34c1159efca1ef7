# What the viewer needs, as QUARTIC_VIEWER asks for: the target quartic_view_libraries, or none where something is missing.
find_package(glfw3 3.3 QUIET)
find_path(QUARTIC_IMGUI_INCLUDE_DIR imgui.h PATH_SUFFIXES imgui)
find_library(QUARTIC_IMGUI_LIBRARY imgui)
find_path(QUARTIC_EPOXY_INCLUDE_DIR epoxy/egl.h)
find_library(QUARTIC_EPOXY_LIBRARY epoxy)
find_path(QUARTIC_STB_INCLUDE_DIR stb_image_write.h PATH_SUFFIXES stb)
find_library(QUARTIC_STB_LIBRARY stb)  # where Dear ImGui doesn't bring its own, as in Debian
find_path(QUARTIC_EGL_INCLUDE_DIR EGL/egl.h)
set(imgui_libraries ${QUARTIC_IMGUI_LIBRARY})
if(QUARTIC_STB_LIBRARY)
  list(APPEND imgui_libraries ${QUARTIC_STB_LIBRARY})
endif()

set(viewer_missing)
if(NOT TARGET glfw)
  list(APPEND viewer_missing "GLFW (Debian: libglfw3-dev)")
endif()
foreach(part IMGUI_INCLUDE_DIR=libimgui-dev IMGUI_LIBRARY=libimgui-dev EPOXY_INCLUDE_DIR=libepoxy-dev EPOXY_LIBRARY=libepoxy-dev
    STB_INCLUDE_DIR=libstb-dev EGL_INCLUDE_DIR=libegl-dev)
  string(REPLACE "=" ";" part ${part})
  list(GET part 0 variable)
  list(GET part 1 package)
  if(NOT QUARTIC_${variable} AND NOT viewer_missing MATCHES ${package})
    list(APPEND viewer_missing ${package})
  endif()
endforeach()

# Dear ImGui is often built without its backends.
if(NOT viewer_missing)
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_INCLUDES ${QUARTIC_IMGUI_INCLUDE_DIR})
  set(CMAKE_REQUIRED_LIBRARIES ${imgui_libraries} glfw ${CMAKE_DL_LIBS})
  check_cxx_source_compiles(
    "#include <imgui.h>
     #include <backends/imgui_impl_glfw.h>
     #include <backends/imgui_impl_opengl3.h>
     int main() { ImGui::CreateContext(); return ImGui_ImplGlfw_InitForOpenGL(nullptr, true) && ImGui_ImplOpenGL3_Init(\"\"); }"
    QUARTIC_IMGUI_LINKS)
  unset(CMAKE_REQUIRED_INCLUDES)
  unset(CMAKE_REQUIRED_LIBRARIES)
  if(NOT QUARTIC_IMGUI_LINKS)
    list(APPEND viewer_missing "Dear ImGui with its backends for GLFW and OpenGL 3")
  endif()
endif()

if(viewer_missing)
  list(JOIN viewer_missing ", " viewer_missing)
  if(NOT QUARTIC_VIEWER STREQUAL "AUTO")
    message(FATAL_ERROR "QUARTIC_VIEWER=${QUARTIC_VIEWER}, but there is no ${viewer_missing}. Install it, or configure with QUARTIC_VIEWER=OFF.")
  endif()
  message(STATUS "quartic: no viewer, for want of ${viewer_missing}")
else()
  message(STATUS "quartic: with the viewer (GLFW, Dear ImGui, libepoxy)")
  add_library(quartic_view_libraries INTERFACE)
  target_include_directories(quartic_view_libraries SYSTEM INTERFACE
    ${QUARTIC_IMGUI_INCLUDE_DIR} ${QUARTIC_EPOXY_INCLUDE_DIR} ${QUARTIC_STB_INCLUDE_DIR} ${QUARTIC_EGL_INCLUDE_DIR})
  target_compile_definitions(quartic_view_libraries INTERFACE GLFW_INCLUDE_NONE)  # OpenGL comes from epoxy
  target_link_libraries(quartic_view_libraries INTERFACE
    ${imgui_libraries} glfw ${QUARTIC_EPOXY_LIBRARY} ${CMAKE_DL_LIBS})
endif()
