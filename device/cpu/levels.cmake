# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0

# The levels of each processor, the lowest first, and the compiler options of each level.
set(skerry_levels_x86-64 v2 v3 v4)
set(skerry_levels_aarch64 generic v8)
set(skerry_levels_other generic)
foreach(level v2 v3 v4)
  set(skerry_level_options_x86-64-${level} -march=x86-64-${level})
endforeach()
set(skerry_level_options_aarch64-generic -march=armv8-a)
set(skerry_level_options_aarch64-v8 -march=armv8.2-a+fp16)

# Sets `result` to the predefined macros of the C++ compiler with the given options.
function(skerry_read_macros result)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} ${ARGN} -dM -E -x c++ /dev/null OUTPUT_VARIABLE macros
                  COMMAND_ERROR_IS_FATAL ANY)
  set(${result} "${macros}" PARENT_SCOPE)
endfunction()

# Sets `result` to the highest level that this machine supports, by the macros of -march=native.
function(skerry_find_native_level result)
  if(CMAKE_CROSSCOMPILING)
    message(FATAL_ERROR "SKERRY_CPU_TARGETS=native: ${CMAKE_CXX_COMPILER} compiles for another machine; name some of the "
                        "levels ${skerry_levels_${skerry_processor}}")
  endif()
  set(level generic)
  if(skerry_processor STREQUAL "x86-64")
    skerry_read_macros(macros -march=native)
    set(level v2)
    if(macros MATCHES "__AVX2__" AND macros MATCHES "__FMA__" AND macros MATCHES "__F16C__")
      set(level v3)
    endif()
    if(level STREQUAL "v3" AND macros MATCHES "__AVX512DQ__" AND macros MATCHES "__AVX512VL__")
      set(level v4)
    endif()
  elseif(skerry_processor STREQUAL "aarch64")
    skerry_read_macros(macros -march=native)
    if(macros MATCHES "__ARM_FEATURE_ATOMICS" AND macros MATCHES "__ARM_FEATURE_FP16_VECTOR_ARITHMETIC")
      set(level v8)
    endif()
  endif()
  set(${result} ${level} PARENT_SCOPE)
endfunction()

# Sets skerry_processor to the processor that the compiler compiles for, x86-64, aarch64 or other, and skerry_cpu_levels to
# those of its levels that SKERRY_CPU_TARGETS requests. The compiler is asked, as CMAKE_SYSTEM_PROCESSOR names the machine
# unless a toolchain file sets it.
function(skerry_choose_cpu_levels)
  skerry_read_macros(macros)
  set(skerry_processor other)
  if(macros MATCHES "__x86_64__")
    set(skerry_processor x86-64)
  elseif(macros MATCHES "__aarch64__")
    set(skerry_processor aarch64)
  else()
    message(STATUS "skerry: ${CMAKE_SYSTEM_PROCESSOR} has no vector code of its own; kernels of the level generic use the "
                   "compiler's vectors")
  endif()
  set(known ${skerry_levels_${skerry_processor}})
  set(levels ${SKERRY_CPU_TARGETS})
  if(levels STREQUAL "all")
    # Processors without v8 are older than 2018; they take a build with SKERRY_CPU_TARGETS=generic.
    set(levels ${known})
    if(skerry_processor STREQUAL "aarch64")
      set(levels v8)
    endif()
  elseif(levels STREQUAL "native")
    skerry_find_native_level(levels)
  endif()
  foreach(level IN LISTS levels)
    if(NOT level IN_LIST known)
      message(FATAL_ERROR "SKERRY_CPU_TARGETS: ${skerry_processor} has no level '${level}'; give all, native or some of "
                          "${known}")
    endif()
  endforeach()
  set(skerry_processor ${skerry_processor} PARENT_SCOPE)
  set(skerry_cpu_levels ${levels} PARENT_SCOPE)
endfunction()
