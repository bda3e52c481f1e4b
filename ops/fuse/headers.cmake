# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0

# Appends a header of the project, after all headers that it includes, to the variable `text`, each once: NVRTC gets one
# file. Leaves out comments, which are a third of it, and the docstrings of operations, which would be in each kernel's
# image.
function(skerry_append_header header)
  if(header IN_LIST appended)
    return()
  endif()
  list(APPEND appended ${header})
  set(path ${PROJECT_SOURCE_DIR}/${header})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  file(READ ${path} own)
  string(REGEX MATCHALL "#include \"[^\"]+\"" includes "${own}")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE "#include \"(.+)\"" "\\1" include "${include}")
    skerry_append_header(${include})
  endforeach()
  string(REGEX REPLACE "#include \"[^\"]+\"|#pragma once" "" own "${own}")
  string(REGEX REPLACE "\n *//[^\n]*" "" own "\n${own}")
  string(REGEX REPLACE "[.]doc =[ \n]*\"[^\"]*\"([ \n]*\"[^\"]*\")*" ".doc = \"\"" own "${own}")
  string(APPEND text "${own}")
  return(PROPAGATE appended text)
endfunction()

# Compiles the text into the CUDA module, as skerry::native::fused_headers.
function(skerry_embed_headers)
  set(appended)
  set(text)
  file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/ops/*/cuda/functions.*)
  foreach(header IN LISTS headers)
    skerry_append_header(${header})
  endforeach()
  set(source ${generated}/cuda/fused_headers.cpp)
  # The C++ standard guarantees literals of 64 KiB only; compilers that support CUDA accept any length.
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
namespace skerry::native {
extern const char* const fused_headers;
const char* const fused_headers = R"headers(@text@)headers";
}
]])
  target_sources(skerry_cuda PRIVATE ${source})
endfunction()
