# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
# Fails if a kernel unit of TARGET defines a weak function outside the target's namespace: the linker keeps one copy of
# such a function for the whole library, which could be one that older machines can't run. NM is of the compiler, whose
# names another one may not decode.
string(REPLACE "," ";" OBJECTS "${OBJECTS}")
set(offenders "")
foreach(object IN LISTS OBJECTS)
  execute_process(COMMAND ${NM} -C --defined-only ${object} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE ";" "," symbols "${symbols}")
  string(REPLACE "\n" ";" symbols "${symbols}")
  foreach(symbol IN LISTS symbols)
    # Read-only data (V) is the same for every target; functions (W) are not. clang's own __clang_call_terminate is two
    # calls and no more on every target.
    if(symbol MATCHES " [Wu] " AND NOT symbol MATCHES "skerry::${TARGET}::|__clang_call_terminate$")
      list(APPEND offenders "${object}: ${symbol}")
    endif()
  endforeach()
endforeach()
if(offenders)
  list(JOIN offenders "\n  " text)
  message(FATAL_ERROR "weak functions outside namespace skerry::${TARGET}:\n  ${text}")
endif()
list(LENGTH OBJECTS count)
message(STATUS "${count} kernel units of ${TARGET}: every weak function is in its namespace")
