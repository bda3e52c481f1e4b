# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
# Part of skerry's build: links the objects of its CUDA module with the emulated GPU instead of CUDA's runtime. The
# emulator is built separately, before.
set(SKERRY_EMULATOR_DIR "${PROJECT_SOURCE_DIR}/build/emulator/lib" CACHE PATH
    "Folder of the libraries that `make emulator` builds")
add_library(skerry_emulated MODULE EXCLUDE_FROM_ALL $<TARGET_OBJECTS:skerry_cuda>
            ${CMAKE_CURRENT_LIST_DIR}/abi_check.cpp ${CMAKE_CURRENT_LIST_DIR}/driver_abi_check.cpp)
set_target_properties(skerry_emulated PROPERTIES PREFIX "" OUTPUT_NAME skerry_cuda SUFFIX .so LINKER_LANGUAGE CXX
                      LIBRARY_OUTPUT_DIRECTORY ${SKERRY_EMULATOR_DIR} BUILD_RPATH "$ORIGIN"
                      CUDA_RUNTIME_LIBRARY None)  # otherwise NVIDIA's would define what the emulator lacks
target_include_directories(skerry_emulated PRIVATE ${PROJECT_SOURCE_DIR})
target_include_directories(skerry_emulated SYSTEM PRIVATE ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
target_link_libraries(skerry_emulated PRIVATE ${SKERRY_EMULATOR_DIR}/libskerry_emulator.so skerry_options Threads::Threads
                                              ${CMAKE_DL_LIBS})
# Undefined symbols are errors: every entry point that the module calls must exist.
target_link_options(skerry_emulated PRIVATE LINKER:--no-undefined)
