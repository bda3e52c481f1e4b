# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
# Compiles and links against the sysroot that sysroot.py makes. SKERRY_SYSROOT is its path, SKERRY_GLIBC_COMPAT the object
# file of glibc_compat.c, SKERRY_MACHINE the processor. They are environment variables because CMake's checks of the
# compiler read this file too.
set(sysroot "$ENV{SKERRY_SYSROOT}")
set(CMAKE_SYSROOT "${sysroot}")
set(triplet "$ENV{SKERRY_MACHINE}-linux-gnu")
if(NOT CMAKE_HOST_SYSTEM_PROCESSOR STREQUAL "$ENV{SKERRY_MACHINE}")
  set(CMAKE_SYSTEM_NAME Linux)
  set(CMAKE_SYSTEM_PROCESSOR "$ENV{SKERRY_MACHINE}")
  set(CMAKE_C_COMPILER ${triplet}-gcc)
  set(CMAKE_CXX_COMPILER ${triplet}-g++)
endif()
# Debian's g++ searches the machine's own folders first, so --sysroot alone does not change which libraries are linked.
set(folders "-B${sysroot}/usr/lib/${triplet} -L${sysroot}/usr/lib/${triplet} -L${sysroot}/lib/${triplet}")
foreach(kind EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "${folders} -static-libstdc++")
endforeach()
# These follow libstdc++.a, which uses their symbols. Linked before it, they would stay undefined, without a version.
set(libraries "$ENV{SKERRY_GLIBC_COMPAT} -Wl,--push-state,--no-as-needed -lpthread -ldl -Wl,--pop-state")
set(CMAKE_CXX_STANDARD_LIBRARIES "${libraries}" CACHE STRING "Linked last")
set(CMAKE_CUDA_STANDARD_LIBRARIES "${libraries}" CACHE STRING "Linked last")
