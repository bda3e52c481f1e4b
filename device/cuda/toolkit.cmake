# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
# Decides whether the CUDA module is built and which nvcc builds it.

set(toolkit_of_pip "${PROJECT_BINARY_DIR}/cuda_toolkit")
string(CONCAT how_to_get_nvcc "`make build SKERRY_CUDA=ON` takes nvcc from PyPI, and so does `python -m pip install "
                              "--group cuda` (then build with --no-build-isolation)")

# Sets `result` to a folder of links to the packages of the dependency group `cuda` (pyproject.toml), or to "". nvcc and
# CMake look for lib64, which is lib in the packages.
function(skerry_link_toolkit_of_pip result)
  set(${result} "" PARENT_SCOPE)
  find_package(Python 3.11 QUIET COMPONENTS Interpreter)
  file(GLOB roots LIST_DIRECTORIES ON ${Python_SITELIB}/nvidia/cu[1-9]*)
  list(FILTER roots INCLUDE REGEX "/cu1[3-9]$")
  foreach(root IN LISTS roots)
    set(missing)
    foreach(file bin/nvcc bin/ptxas nvvm/bin/cicc include/crt/host_config.h include/cuda_runtime.h include/cublas_v2.h
                 include/cusolverDn.h lib/libcudart_static.a)
      if(NOT EXISTS ${root}/${file})
        list(APPEND missing ${file})
      endif()
    endforeach()
    if(NOT missing)
      file(MAKE_DIRECTORY ${toolkit_of_pip})
      foreach(folder bin include nvvm)
        file(CREATE_LINK ${root}/${folder} ${toolkit_of_pip}/${folder} SYMBOLIC)
      endforeach()
      file(CREATE_LINK ${root}/lib ${toolkit_of_pip}/lib64 SYMBOLIC)
      set(${result} ${toolkit_of_pip} PARENT_SCOPE)
    elseif(EXISTS ${root}/bin/nvcc)
      message(STATUS "skerry: ${root} is an incomplete toolkit: it lacks ${missing}")
    endif()
  endforeach()
endfunction()

# Sets `result` to the nvcc that CMake will use, or to "". CMake does not find the nvcc of pip's packages, so it is set
# in the cache.
function(skerry_find_nvcc result)
  cmake_path(IS_PREFIX toolkit_of_pip "${CMAKE_CUDA_COMPILER}" is_of_pip)
  if(CMAKE_CUDA_COMPILER AND (NOT is_of_pip OR EXISTS ${CMAKE_CUDA_COMPILER}))
    set(nvcc ${CMAKE_CUDA_COMPILER})
  elseif(NOT "$ENV{CUDACXX}" STREQUAL "")
    set(nvcc $ENV{CUDACXX})
  else()
    find_program(nvcc nvcc NO_CACHE NO_DEFAULT_PATH PATHS ENV PATH)
  endif()
  if(NOT nvcc)
    set(nvcc "")
    skerry_link_toolkit_of_pip(toolkit)
    if(toolkit)
      set(nvcc ${toolkit}/bin/nvcc)
      set(CMAKE_CUDA_COMPILER ${nvcc} CACHE FILEPATH "nvcc of pip's packages" FORCE)
    endif()
  endif()
  set(${result} "${nvcc}" PARENT_SCOPE)
endfunction()

# Sets `result` to a file that only NVIDIA's driver installs, or to "". Two other libraries are named libcuda.so.1: the
# toolkit's stub for linking, and the emulated GPU's.
function(skerry_find_driver result)
  if(NOT DEFINED skerry_driver_files)
    # Drivers of Jetson have no file in /proc, and their libraries in a folder of their own.
    set(skerry_driver_files /proc/driver/nvidia/version /usr/lib/x86_64-linux-gnu/libcuda.so.1
                            /usr/lib/aarch64-linux-gnu/libcuda.so.1 /usr/lib/aarch64-linux-gnu/nvidia/libcuda.so.1
                            /usr/lib/aarch64-linux-gnu/tegra/libcuda.so.1 /usr/lib64/libcuda.so.1 /usr/lib/libcuda.so.1
                            /usr/lib/wsl/lib/libcuda.so.1 /run/opengl-driver/lib/libcuda.so.1)
  endif()
  string(REPLACE ":" ";" folders "$ENV{LD_LIBRARY_PATH}")
  list(FILTER folders EXCLUDE REGEX "^$|/stubs/?$")
  list(TRANSFORM folders APPEND /libcuda.so.1)
  set(${result} "" PARENT_SCOPE)
  foreach(file IN LISTS skerry_driver_files folders)
    get_filename_component(folder ${file} DIRECTORY)
    if(EXISTS ${file} AND NOT EXISTS ${folder}/libskerry_emulator.so)
      set(${result} ${file} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# Sets skerry_with_cuda according to SKERRY_CUDA, and prints the choice, the reason and the alternative.
function(skerry_choose_cuda)
  set(skerry_with_cuda OFF PARENT_SCOPE)
  if(NOT SKERRY_CUDA)
    message(STATUS "skerry: no CUDA module, by SKERRY_CUDA=${SKERRY_CUDA}")
    return()
  endif()
  skerry_find_nvcc(nvcc)
  if(NOT SKERRY_CUDA STREQUAL "AUTO")
    if(NOT nvcc)
      message(FATAL_ERROR "SKERRY_CUDA=${SKERRY_CUDA}: there is no nvcc, neither on the PATH nor among pip's packages; "
                          "put one on the PATH or name it by CUDACXX; or ${how_to_get_nvcc}")
    endif()
    message(STATUS "skerry: a CUDA module by ${nvcc}, by SKERRY_CUDA=${SKERRY_CUDA}")
    set(skerry_with_cuda ON PARENT_SCOPE)
    return()
  endif()
  skerry_find_driver(driver)
  if(nvcc AND driver)
    include(CheckLanguage)
    check_language(CUDA)
    if(CMAKE_CUDA_COMPILER)
      message(STATUS "skerry: a CUDA module by ${nvcc}, since there is an NVIDIA driver (${driver}); "
                     "SKERRY_CUDA=OFF leaves it out")
      set(skerry_with_cuda ON PARENT_SCOPE)
    else()
      message(STATUS "skerry: no CUDA module, since ${nvcc} does not work; SKERRY_CUDA=ON shows why")
    endif()
  elseif(nvcc)
    message(STATUS "skerry: no CUDA module, since there is no NVIDIA driver, only ${nvcc}; SKERRY_CUDA=ON builds it")
  elseif(driver)
    message(STATUS "skerry: no CUDA module, since there is no nvcc, only an NVIDIA driver (${driver}); ${how_to_get_nvcc}")
  else()
    message(STATUS "skerry: no CUDA module, since there is no nvcc and no NVIDIA driver; SKERRY_CUDA=ON builds it")
  endif()
endfunction()
