// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Functions of cuSOLVER 13.0 that CuPy's modules link to and that are not emulated: they fail with
// a message that names them.

#include "device/emulator/libraries/cusolver.hpp"

namespace skerry::emulation::cusolver {

#define SKERRY_REJECTED_ROUTINE(name) SKERRY_REJECTED(cusolver##name, not_supported)
#define SKERRY_REJECTED_WITH_SIZE(name) \
  SKERRY_REJECTED_ROUTINE(name) SKERRY_REJECTED_ROUTINE(name##_bufferSize)

// Iterative refinement: the types of the system and of the factors.
#define SKERRY_REFINED(types) \
  SKERRY_REJECTED_WITH_SIZE(Dn##types##gesv) SKERRY_REJECTED_WITH_SIZE(Dn##types##gels)
SKERRY_REFINED(CC)
SKERRY_REFINED(CK)
SKERRY_REFINED(CY)
SKERRY_REFINED(DD)
SKERRY_REFINED(DH)
SKERRY_REFINED(DS)
SKERRY_REFINED(DX)
SKERRY_REFINED(SH)
SKERRY_REFINED(SS)
SKERRY_REFINED(SX)
SKERRY_REFINED(ZC)
SKERRY_REFINED(ZK)
SKERRY_REFINED(ZY)
SKERRY_REFINED(ZZ)

#define SKERRY_OF_TYPE(type)                                \
  SKERRY_REJECTED_WITH_SIZE(Dn##type##gebrd)                \
  SKERRY_REJECTED_WITH_SIZE(Dn##type##sytrf)                \
  SKERRY_REJECTED_WITH_SIZE(Dn##type##gesvdaStridedBatched) \
  SKERRY_REJECTED_ROUTINE(Sp##type##csrlsvqr)               \
  SKERRY_REJECTED_ROUTINE(Sp##type##csrlsvchol)             \
  SKERRY_REJECTED_ROUTINE(Sp##type##csreigvsi)
SKERRY_OF_TYPE(S)
SKERRY_OF_TYPE(D)
SKERRY_OF_TYPE(C)
SKERRY_OF_TYPE(Z)

SKERRY_REJECTED_ROUTINE(DnXgesvdjGetResidual)
SKERRY_REJECTED_ROUTINE(DnXgesvdjGetSweeps)
SKERRY_REJECTED_ROUTINE(DnXsyevjGetResidual)
SKERRY_REJECTED_ROUTINE(DnXsyevjGetSweeps)
SKERRY_REJECTED_ROUTINE(SpCreate)
SKERRY_REJECTED_ROUTINE(SpDestroy)
SKERRY_REJECTED_ROUTINE(SpGetStream)
SKERRY_REJECTED_ROUTINE(SpSetStream)

}  // namespace skerry::emulation::cusolver
