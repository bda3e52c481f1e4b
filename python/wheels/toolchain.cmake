# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
# Compiles and links against the sysroot of sysroot.py. SKERRY_SYSROOT names it, SKERRY_GLIBC_COMPAT the object of
# glibc_compat.c; both are environment variables, as CMake reads this file again for its own checks.
set(sysroot "$ENV{SKERRY_SYSROOT}")
set(CMAKE_SYSROOT "${sysroot}")
set(triplet "${CMAKE_HOST_SYSTEM_PROCESSOR}-linux-gnu")
# Debian's g++ looks into the machine's own folders first, so --sysroot alone does not change what is linked.
set(folders "-B${sysroot}/usr/lib/${triplet} -L${sysroot}/usr/lib/${triplet} -L${sysroot}/lib/${triplet}")
foreach(kind EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "${folders} -static-libstdc++")
endforeach()
# After libstdc++.a, which needs them: a name that is found nowhere would have no version.
set(libraries "$ENV{SKERRY_GLIBC_COMPAT} -Wl,--push-state,--no-as-needed -lpthread -ldl -Wl,--pop-state")
set(CMAKE_CXX_STANDARD_LIBRARIES "${libraries}" CACHE STRING "Linked last")
set(CMAKE_CUDA_STANDARD_LIBRARIES "${libraries}" CACHE STRING "Linked last")
