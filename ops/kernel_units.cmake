# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0

# Default groups of dtypes that share a unit, since parsing headers takes much of a unit's compile time. A dtype that is
# in no group is added to the first group with a dtype of its kind.
set(skerry_groups "int8 uint8 int16 uint16" "int32 uint32 int64 uint64" "float32 float64 bool_" "complex64 complex128")

# Adds the kernel units of a family, a member of KernelTable. Paths are relative to the family's folder:
#   CPU          compiled for each level of the processor; fill_<file name> fills the table
#   CPU_BY_DTYPE the same for each dtype of the build, with fill_<file name>_<dtype>: ops/kernel/unit.hpp
#   CPU_SHARED   compiled for each level; fills no table
#   CPU_GROUPS   strings of dtypes that share one unit of CPU_BY_DTYPE
#   CPU_REAL_OPTIONS compiler options for units of real floating-point dtypes
#   CUDA, CUDA_BY_DTYPE, CUDA_GROUPS     the same for the CUDA module
#   CUDA_SHARED  sources of the module that fill no table
#   HOST         sources that are compiled once, for all levels
#   V3_SERVES_V4 v4 machines run the kernels of v3, since AVX-512 does not make them noticeably faster
function(skerry_kernels family)
  set(lists CPU CPU_BY_DTYPE CPU_SHARED CPU_GROUPS CPU_REAL_OPTIONS CUDA CUDA_BY_DTYPE CUDA_GROUPS CUDA_SHARED HOST)
  cmake_parse_arguments(PARSE_ARGV 1 of "V3_SERVES_V4" "" "${lists}")
  if(of_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "skerry_kernels(${family}): unknown argument ${of_UNPARSED_ARGUMENTS}")
  endif()
  foreach(groups of_CPU_GROUPS of_CUDA_GROUPS)
    skerry_complete_groups(${family} ${groups})
  endforeach()
  list(TRANSFORM of_HOST PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  list(TRANSFORM of_CPU_SHARED PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  target_sources(skerry PRIVATE ${of_HOST})
  foreach(level IN LISTS skerry_cpu_levels)
    target_sources(skerry_cpu_${level} PRIVATE ${of_CPU_SHARED})
    if(level STREQUAL "v4" AND of_V3_SERVES_V4 AND "v3" IN_LIST skerry_cpu_levels)
      get_property(fills TARGET skerry_cpu_v3 PROPERTY skerry_fills_${family})
      set_property(TARGET skerry_cpu_v4 APPEND PROPERTY skerry_shared_fills ${fills})
    else()
      skerry_add_units(${family} skerry_cpu_${level} cpu_${level} "${of_CPU}" "${of_CPU_BY_DTYPE}" "${of_CPU_GROUPS}"
                       ${of_CPU_REAL_OPTIONS})
    endif()
  endforeach()
  if(skerry_with_cuda)
    skerry_add_units(${family} skerry_cuda cuda "${of_CUDA}" "${of_CUDA_BY_DTYPE}" "${of_CUDA_GROUPS}")
    list(TRANSFORM of_CUDA_SHARED PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    target_sources(skerry_cuda PRIVATE ${of_CUDA_SHARED})
  endif()
endfunction()

# Completes the groups in a variable (skerry_groups if it is empty), so that they contain all dtypes.
function(skerry_complete_groups family variable)
  set(groups ${${variable}})
  if(NOT groups)
    set(groups ${skerry_groups})
  endif()
  string(REPLACE " " ";" named "${groups}")
  set(wrong ${named})
  list(REMOVE_ITEM wrong ${all_dtypes})
  set(once ${named})
  list(REMOVE_DUPLICATES once)
  if(wrong OR NOT once STREQUAL named)
    message(FATAL_ERROR "skerry_kernels(${family}): the groups name ${named}; name each of ${all_dtypes} at most once")
  endif()
  set(left ${all_dtypes})
  list(REMOVE_ITEM left ${named})
  foreach(dtype IN LISTS left)
    set(completed)
    set(is_placed OFF)
    foreach(group IN LISTS groups)
      string(REPLACE " " ";" members ${group})
      foreach(member IN LISTS members)
        if(NOT is_placed AND "${kind_of_${member}}" STREQUAL "${kind_of_${dtype}}")
          string(PREPEND group "${dtype} ")
          set(is_placed ON)
        endif()
      endforeach()
      list(APPEND completed ${group})
    endforeach()
    if(NOT is_placed)
      list(APPEND completed ${dtype})
    endif()
    set(groups ${completed})
  endforeach()
  set(${variable} ${groups} PARENT_SCOPE)
endfunction()

# Adds the units of one target: `plain` sources as they are, and for each `by_dtype` source a generated one per group of
# dtypes. Further arguments are compiler options for units of real floating-point dtypes; these units don't use the
# precompiled header, which is compiled without the options.
function(skerry_add_units family target prefix plain by_dtype groups)
  set(fills)
  foreach(unit IN LISTS plain)
    cmake_path(GET unit STEM name)
    target_sources(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/${unit})
    list(APPEND fills "X(${family}, ${name})")
  endforeach()
  foreach(unit IN LISTS by_dtype)
    cmake_path(GET unit STEM name)
    cmake_path(GET unit EXTENSION ending)
    set(source ${CMAKE_CURRENT_SOURCE_DIR}/${unit})
    if(TARGET ${target}_sources)
      target_sources(${target}_sources PRIVATE ${source})
    endif()
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    foreach(group IN LISTS groups)
      separate_arguments(group)
      set(entries)
      set(suffix)
      set(options)
      foreach(dtype IN LISTS group)
        if(dtype IN_LIST dtypes)
          string(APPEND entries " X(${dtype}, __VA_ARGS__)")
          string(APPEND suffix _${dtype})
          if("${kind_of_${dtype}}" STREQUAL "real_floating")
            set(options ${ARGN})
          endif()
          list(APPEND fills "X(${family}, ${name}_${dtype})")
        endif()
      endforeach()
      if(entries)
        set(stub ${generated}/${prefix}_${name}${suffix}${ending})
        file(CONFIGURE OUTPUT ${stub} @ONLY
             CONTENT "#define SKERRY_UNIT_DTYPES(X, ...)@entries@\n#include \"@source@\"\n")
        target_sources(${target} PRIVATE ${stub})
        if(options)
          set_source_files_properties(${stub} TARGET_DIRECTORY ${target}
                                      PROPERTIES COMPILE_OPTIONS "${options}" SKIP_PRECOMPILE_HEADERS ON)
        endif()
      endif()
    endforeach()
  endforeach()
  set_property(TARGET ${target} APPEND PROPERTY skerry_fills ${fills})
  set_property(TARGET ${target} PROPERTY skerry_fills_${family} ${fills})
endfunction()

# Writes, for each target, a list of the functions that fill its table. Call it after all families have added units.
function(skerry_write_kernel_units)
  foreach(prefix ${skerry_cpu_levels} cuda)
    set(target skerry_cpu_${prefix})
    if(prefix STREQUAL "cuda")
      set(target skerry_cuda)
    endif()
    if(TARGET ${target})
      foreach(kind fills shared_fills)
        get_property(${kind} TARGET ${target} PROPERTY skerry_${kind})
        list(JOIN ${kind} " " ${kind})
      endforeach()
      file(CONFIGURE OUTPUT ${generated}/${prefix}/kernel_units.hpp @ONLY CONTENT [[
// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Generated: X(family, unit) for the units of kernels of one target, and for those of v3 that v4 shares; fill_unit() fills
// the table of its family.
#define SKERRY_FOR_EACH_UNIT(X) @fills@
#define SKERRY_FOR_EACH_SHARED_UNIT(X) @shared_fills@
]])
    endif()
  endforeach()
endfunction()
