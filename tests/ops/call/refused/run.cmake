# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
# Compiles CASE of launches.cpp with COMPILER: case 0 must compile, others must be rejected with a message that matches
# EXPECTED. Uses the C locale, in which a quotation mark is one character.
execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C ${COMPILER} -std=c++20 -fsyntax-only -fmessage-length=0 -I ${SOURCE_DIR}
                        -DCASE=${CASE} ${CMAKE_CURRENT_LIST_DIR}/launches.cpp
                RESULT_VARIABLE status ERROR_VARIABLE message)
if(CASE EQUAL 0)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "case 0 does not compile:\n${message}")
  endif()
elseif(status EQUAL 0)
  message(FATAL_ERROR "case ${CASE} compiles")
elseif(NOT message MATCHES "${EXPECTED}")
  message(FATAL_ERROR "case ${CASE} does not compile, but its error does not match ${EXPECTED}:\n${message}")
endif()
