# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0

# Sets skerry_cpu_levels, the x86-64 levels requested by SKERRY_CPU_TARGETS: native is the highest that this machine
# supports.
function(skerry_choose_cpu_levels)
  set(levels ${SKERRY_CPU_TARGETS})
  if(levels STREQUAL "all")
    set(levels v2 v3 v4)
  elseif(levels STREQUAL "native")
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -march=native -dM -E -x c++ /dev/null OUTPUT_VARIABLE macros
                    COMMAND_ERROR_IS_FATAL ANY)
    set(levels v2)
    if(macros MATCHES "__AVX2__" AND macros MATCHES "__FMA__" AND macros MATCHES "__F16C__")
      set(levels v3)
    endif()
    if(levels STREQUAL "v3" AND macros MATCHES "__AVX512DQ__" AND macros MATCHES "__AVX512VL__")
      set(levels v4)
    endif()
  endif()
  set(skerry_cpu_levels ${levels} PARENT_SCOPE)
endfunction()
