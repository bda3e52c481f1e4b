# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
# Installs skerry from BUILD_DIR, builds the project in SOURCE_DIR with it and runs it; then builds the project of its
# headers.
file(REMOVE_RECURSE ${WORK_DIR})
set(options "-G;${GENERATOR};-DCMAKE_MAKE_PROGRAM=${MAKE_PROGRAM};-DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix;-DCMAKE_BUILD_TYPE=Release")
foreach(step
    "${CMAKE_COMMAND};--install;${BUILD_DIR};--prefix;${WORK_DIR}/prefix;--component;development"
    "${CMAKE_COMMAND};-S;${SOURCE_DIR};-B;${WORK_DIR}/build;${options}"
    "${CMAKE_COMMAND};--build;${WORK_DIR}/build"
    "${WORK_DIR}/build/consumer"
    "${CMAKE_COMMAND};-S;${SOURCE_DIR}/headers;-B;${WORK_DIR}/headers;${options}"
    "${CMAKE_COMMAND};--build;${WORK_DIR}/headers")
  execute_process(COMMAND ${step} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
