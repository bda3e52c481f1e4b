# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0

# The CPU's FFT is ducc's, compiled from source. Only src/ducc0/{fft,infra,math/cmplx.h,math/unity_roots.h} are used,
# which are BSD-3-Clause (each file says so); the package as a whole is GPL-2.0-or-later. None of it is in this
# repository: the pinned source distribution comes from PyPI, or from the directory SKERRY_DUCC_DIR. skerry's own source
# distribution contains the required files in third_party.

option(SKERRY_FFT "Build the CPU's FFT, which needs the sources of ducc0" ON)
set(fft_reals)
foreach(pair "float32;complex64" "float64;complex128")
  if(NOT SKERRY_FFT)
    break()
  endif()
  list(GET pair 0 real)
  foreach(dtype IN LISTS pair)
    if(dtype IN_LIST dtypes)
      list(APPEND fft_reals ${real})
      break()
    endif()
  endforeach()
endforeach()

set(SKERRY_DUCC_DIR "" CACHE PATH "Unpacked source distribution of ducc0; fetched from PyPI if empty")

# Sets `directory` to the unpacked distribution that pyproject.toml pins.
function(skerry_fetch_ducc directory)
  file(STRINGS ${PROJECT_SOURCE_DIR}/pyproject.toml pin REGEX "^ducc0 = " LIMIT_COUNT 1)
  string(REGEX MATCH "version = \"([0-9.]+)\", sha256 = \"([0-9a-f]+)\"" pin "${pin}")
  set(version ${CMAKE_MATCH_1})
  set(sha256 ${CMAKE_MATCH_2})
  set(download ${PROJECT_BINARY_DIR}/ducc)
  set(archive ${download}/ducc0-${version}.tar.gz)
  if(NOT EXISTS ${archive})
    find_package(Python 3.11 REQUIRED COMPONENTS Interpreter)
    # pip gets the metadata from ducc0's build back end, which skerry uses too, and builds nothing. So the CMake of this
    # build suffices, whatever minimum version ducc0 declares.
    execute_process(
      COMMAND ${CMAKE_COMMAND} -E env SKBUILD_CMAKE_VERSION=>=${CMAKE_MINIMUM_REQUIRED_VERSION}
              ${Python_EXECUTABLE} -m pip download --quiet --disable-pip-version-check --no-deps --no-build-isolation
              --no-binary ducc0 --dest ${download} ducc0==${version}
      RESULT_VARIABLE failed)
    if(failed)
      message(FATAL_ERROR "skerry: pip could not download ducc0 ${version}, whose FFT the CPU kernels use; unpack its "
                          "source distribution by hand and give its directory with -DSKERRY_DUCC_DIR=")
    endif()
  endif()
  file(SHA256 ${archive} found)
  if(NOT found STREQUAL sha256)
    file(REMOVE ${archive})
    message(FATAL_ERROR "skerry: ${archive} has SHA-256 ${found}; pyproject.toml pins ${sha256}")
  endif()
  if(NOT EXISTS ${download}/ducc0-${version}/src)
    file(ARCHIVE_EXTRACT INPUT ${archive} DESTINATION ${download})
  endif()
  set(${directory} ${download}/ducc0-${version} PARENT_SCOPE)
endfunction()

if(fft_reals)
  if(SKERRY_DUCC_DIR)
    set(ducc_dir ${SKERRY_DUCC_DIR})
  elseif(EXISTS ${PROJECT_SOURCE_DIR}/third_party/ducc0/src)
    set(ducc_dir ${PROJECT_SOURCE_DIR}/third_party/ducc0)
  else()
    skerry_fetch_ducc(ducc_dir)
  endif()
  # Install ducc's license notice with the library. The Python package has it in its metadata.
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSES/BSD-3-Clause-ducc0.txt DESTINATION ${CMAKE_INSTALL_DATADIR}/skerry
          COMPONENT development)
endif()

# Compiles the library for one level and makes all symbols local but the entry points: it instantiates
# templates of the standard library, and those compiled for a newer level must not be merged into other units.
function(skerry_add_fft_library level)
  set(units fourier/cpu/ducc/threads.cpp)
  foreach(real IN LISTS fft_reals)
    set(unit ${generated}/fft_${level}_${real}.cpp)
    file(CONFIGURE OUTPUT ${unit} CONTENT
         "#define SKERRY_FFT_REALS(X) X(${real})\n#include \"ops/fourier/cpu/ducc/transforms.cpp\"\n" @ONLY)
    # Without this option, static variables of templates would be shared by all instruction sets in the process.
    set(options -fno-gnu-unique)
    if(real STREQUAL "float64")
      # With these, transforms of 4096 complex128 take two thirds of the time; batches of 256 complex64 take a seventh longer.
      list(APPEND options -fno-tree-vectorize -fno-ipa-cp)
    endif()
    set_source_files_properties(${unit} PROPERTIES COMPILE_OPTIONS "$<$<CXX_COMPILER_ID:GNU>:${options}>")
    list(APPEND units ${unit})
  endforeach()
  set(library skerry_fft_${level})
  add_library(${library} OBJECT ${units})
  # Unlike the other kernels, the FFT may contract multiplications and additions: it promises an error bound, not bits.
  # -O2: as fast as -O3 here, and compiled in half the time.
  target_compile_options(${library} PRIVATE -O2 -fno-math-errno -fno-trapping-math -ffp-contract=fast
                                            ${skerry_level_options_${skerry_processor}-${level}})
  if(SKERRY_SANITIZE)
    # Third-party code; instrumented, a unit takes a quarter of an hour to compile.
    target_compile_options(${library} PRIVATE -fno-sanitize=all)
  endif()
  if(level STREQUAL "v2")
    # Vectors of two float64 gain little, and are more than half of the code to compile.
    target_compile_definitions(${library} PRIVATE DUCC0_NO_SIMD)
  endif()
  target_compile_definitions(${library} PRIVATE SKERRY_TARGET=${level} SKERRY_FFT_TARGET=${level}
                                                DUCC0_CUSTOM_LOWLEVEL_THREADING)
  target_include_directories(${library} PRIVATE ${PROJECT_SOURCE_DIR} fourier/cpu/ducc)
  target_include_directories(${library} SYSTEM PRIVATE ${ducc_dir}/src)
  set(merged ${CMAKE_CURRENT_BINARY_DIR}/${library}.o)
  add_custom_command(
    OUTPUT ${merged}
    COMMAND ${CMAKE_CXX_COMPILER} -r -nostdlib -Wl,--force-group-allocation -o ${merged}.all
            $<TARGET_OBJECTS:${library}>
    COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=${library}_* ${merged}.all ${merged}
    DEPENDS $<TARGET_OBJECTS:${library}>
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(${library}_merged DEPENDS ${merged})
  add_dependencies(skerry ${library}_merged)
  set_source_files_properties(${merged} TARGET_DIRECTORY skerry PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  target_sources(skerry PRIVATE ${merged})
endfunction()

# Selects the FFT that the kernels for one level call. v4 calls that of v3, which saves half a minute of compiling.
function(skerry_use_fft_library kernels level)
  if(level STREQUAL "v4" AND "v3" IN_LIST skerry_cpu_levels)
    set(level v3)
  elseif(fft_reals)
    skerry_add_fft_library(${level})
  endif()
  list(TRANSFORM fft_reals PREPEND SKERRY_FFT_ OUTPUT_VARIABLE definitions)
  target_compile_definitions(${kernels} PRIVATE SKERRY_FFT_TARGET=${level} ${definitions})
endfunction()
