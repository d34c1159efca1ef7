# quartic_folder(NAME [USES folders...] [SOURCES files...]): one folder under src/, whose sources go into the target that
# `quartic_folder_target` names. USES lists the folders that its files may include; the test `layering` holds them to it.
# With CMAKE_UNITY_BUILD a folder's files are compiled as one, so that headers are read once.
function(quartic_folder name)
  cmake_parse_arguments(PARSE_ARGV 1 folder "" "" "USES;SOURCES")
  if(folder_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "quartic_folder(${name}): unknown ${folder_UNPARSED_ARGUMENTS}")
  endif()
  if(folder_SOURCES)
    target_sources(${quartic_folder_target} PRIVATE ${folder_SOURCES})
    set_target_properties(${quartic_folder_target} PROPERTIES UNITY_BUILD_MODE GROUP)
    set_source_files_properties(${folder_SOURCES} TARGET_DIRECTORY ${quartic_folder_target} PROPERTIES UNITY_GROUP ${name})
  endif()
endfunction()
