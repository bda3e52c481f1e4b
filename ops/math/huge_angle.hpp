// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/pair.hpp"

// Reduction of angles above 2^40, for which pi / 2 as a sum of three float64 is not accurate
// enough.

namespace skerry::inline SKERRY_TARGET::ops::math::portable {

/// An angle minus the nearest multiple of pi / 2.
struct ReducedAngle {
  Pair<float64> rest;
  uint64 quadrant;  ///< the multiple, in the two lowest bits
};

SKERRY_TABLE float64 half_pi[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54,
                                  -0x1.f1976b7ed8fbcp-110};
template <real_floating T>
inline constexpr Pair<T> right_angle = {T(0x1.921fb54442d18p+0), T(0x1.1a62633145c07p-54)};
template <>
inline constexpr Pair<float32> right_angle<float32> = {0x1.921fb6p+0f, -0x1.777a5cp-25f};

/// 2^(16 row) * 2 / pi modulo 2^14, as an unevaluated sum of four numbers. The last two rows are
/// unused: with them, any six bits are a valid index.
// clang-format off
SKERRY_TABLE float64 two_over_pi[4][64] = {
    {0x1.45f306dc9c883p-1, 0x1.17cc1b727220bp+13, 0x1.b727220a94fe1p+9, 0x1.c882a53f84eb0p+11, 0x1.529fc2757d1f5p+12, 0x1.e13abe8fa9a6fp+13, 0x1.7d1f534ddc0dbp+12, 0x1.a9a6ee06db14bp+13, 0x1.dc0db6295993cp+12, 0x1.b6295993c4390p+12, 0x1.5993c439041fep+12, 0x1.e21c820ff28b2p+13, 0x1.041fe5163abdfp+12, 0x1.f28b1d5ef5de3p+13, 0x1.1d5ef5de2b0dcp+13, 0x1.ebbc561b7246ep+12, 0x1.586dc91b8e909p+10, 0x1.b92371d2126e9p+13, 0x1.71d2126e97003p+13, 0x1.26e9700324977p+9, 0x1.2e006492eea0ap+12, 0x1.924bba8274648p+10, 0x1.77504e8c90e7fp+13, 0x1.3a32439fc3bd6p+11, 0x1.21cfe1deb1cb1p+12, 0x1.f0ef58e5894d4p+13, 0x1.58e5894d39f74p+13, 0x1.894d39f74411bp+13, 0x1.39f74411afa97p+13, 0x1.4411afa975da2p+13, 0x1.afa975da24275p+13, 0x1.75da24274ce38p+13, 0x1.213a671c09ad1p+10, 0x1.4ce38135a2fbfp+13, 0x1.8135a2fbf209dp+13, 0x1.a2fbf209cc8ebp+13, 0x1.f209cc8eb1cc2p+13, 0x1.cc8eb1cc1a99dp+13, 0x1.639835339f49dp+12, 0x1.a99cfa4e422fcp+9, 0x1.cfa4e422fc5dfp+13, 0x1.c845f8bbdf928p+12, 0x1.f8bbdf9283b20p+12, 0x1.efc941d8ffc4cp+13, 0x1.41d8ffc4bffefp+13, 0x1.ff897ffde0598p+12, 0x1.7ffde05980fefp+12, 0x1.e05980fef2f12p+12, 0x1.80fef2f118b5ap+12, 0x1.79788c5ad0537p+13, 0x1.18b5a0a6d1f6dp+12, 0x1.a0a6d1f6d367fp+12, 0x1.68fb69b3f6794p+13, 0x1.69b3f6793e585p+13, 0x1.f6793e584dba8p+13, 0x1.3e584dba7a320p+13, 0x1.36e9e8c7ecd3dp+11, 0x1.e8c7ecd3cbfd4p+11, 0x1.fb34f2ff516bbp+13, 0x1.e5fea2d7527bbp+12, 0x1.516ba93dd63f6p+13, 0x1.a93dd63f5f2f9p+13, 0x1.d63f5f2f8bd9fp+13, 0x1.5f2f8bd9e839dp+13},
    {-0x1.6b01ec5417056p-55, -0x1.ac07b1505c159p-41, 0x1.d5f47d4d37703p-46, -0x1.70565911f924fp-43, 0x1.a6ee06db14acdp-43, -0x1.f924eb53361dep-43, 0x1.8a5664f10e410p-42, -0x1.9b0ef1bef806cp-42, 0x1.0e4107f9458ebp-42, 0x1.07f9458eaf7afp-42, 0x1.458eaf7aef158p-42, -0x1.508510ea79237p-42, -0x1.10ea79236e471p-42, -0x1.3c91b7238b7b6p-41, -0x1.b7238b7b645a4p-41, 0x1.d2126e9700325p-43, 0x1.ba5c00c925dd4p-45, 0x1.c00c925dd413ap-41, 0x1.24bba82746487p-42, 0x1.413a32439fc3cp-45, -0x1.736f180f10a72p-43, 0x1.cfe1deb1cb12ap-44, 0x1.deb1cb129a73fp-44, 0x1.cb129a73ee882p-44, 0x1.4d39f74411afbp-43, -0x1.822efb9415a29p-41, 0x1.046bea5d76891p-41, -0x1.5a28976f62cc7p-45, 0x1.768909d338e05p-41, 0x1.09d338e04d68cp-41, -0x1.8e3f652e82070p-42, 0x1.35a2fbf209cc9p-43, 0x1.f7e413991d63ap-44, 0x1.04e64758e60d5p-42, -0x1.b8a719f2b3183p-42, 0x1.cc1a99cfa4e42p-43, -0x1.598c16c6f740fp-41, -0x1.6c6f740e8840ep-45, -0x1.ee81d1081b5f1p-42, 0x1.77bf250763ff1p-45, -0x1.b5f13801da001p-46, 0x1.d8ffc4bffef03p-43, -0x1.da00087e99fc0p-46, -0x1.0fd33f8086877p-51, 0x1.6603fbcbc462dp-46, 0x1.fde5e2316b415p-45, 0x1.788c5ad053690p-43, -0x1.d297d64b824b2p-42, 0x1.4da3eda6cfd9ep-45, -0x1.c125930261b07p-41, 0x1.b3f6793e584dcp-43, -0x1.86c1a7b24585dp-43, -0x1.a7b24585ce04dp-43, -0x1.22c2e70265868p-42, -0x1.738132c3402bap-41, -0x1.32c3402ba515bp-41, -0x1.00ae9456c229cp-43, 0x1.6ba93dd63f5f3p-43, -0x1.b08a7028341d1p-41, -0x1.c0a0d0742617cp-43, -0x1.a0e84c2f8c608p-44, -0x1.0985f18c10eb6p-41, -0x1.f18c10eb5ada3p-41, -0x1.0eb5ada2b2809p-45},
    {-0x1.6447e493ad4cep-109, -0x1.911f924eb5336p-95, 0x1.b6295993c4390p-100, 0x1.2b32788720840p-97, -0x1.8778df7c035d4p-97, -0x1.bef806ba71508p-98, 0x1.fe5163abdebbcp-96, 0x1.63abdebbc561bp-96, -0x1.0a21d4f246dc9p-99, -0x1.d4f246dc8e2dfp-99, 0x1.b7246e3a424ddp-96, 0x1.b8e909374b802p-98, -0x1.bdb22d1ff9b6dp-96, -0x1.168ffcdb688b0p-95, 0x1.924bba8274648p-102, -0x1.a22bec5cdbc60p-97, 0x1.3a32439fc3bd6p-101, 0x1.921cfe1deb1cbp-96, 0x1.fc3bd63962535p-97, -0x1.4e34ed658c117p-100, 0x1.62534e7dd1047p-97, -0x1.63045df7282b4p-98, -0x1.77dca0ad144bbp-100, 0x1.afa975da24275p-99, -0x1.a28976f62cc72p-97, 0x1.a24274ce38136p-95, -0x1.8b31c7eca5d04p-95, -0x1.fb29741037d8dp-101, -0x1.4ba081bec66e3p-96, -0x1.037d8cdc538d0p-97, 0x1.3991d63983534p-96, -0x1.4e33e566305b2p-99, -0x1.f2b3182d8dee8p-98, -0x1.8c16c6f740e88p-97, 0x1.3908bf177bf25p-97, 0x1.7e2ef7e4a0ec8p-98, 0x1.defc941d8ffc5p-95, 0x1.41d8ffc4bffefp-99, -0x1.c00ed00043f4dp-97, 0x1.7ffde05980fefp-100, 0x1.e05980fef2f12p-100, -0x1.9fc04343b9d29p-98, -0x1.0d0ee74a5f593p-100, -0x1.d297d64b824b2p-106, 0x1.a0a6d1f6d367fp-100, -0x1.2e092c98130d8p-100, -0x1.25930261b069fp-97, -0x1.8130d834f648bp-96, 0x1.3e584dba7a320p-99, 0x1.84dba7a31fb35p-95, -0x1.61738132c3403p-97, 0x1.fb34f2ff516bbp-99, 0x1.3cbfd45aea4f7p-97, -0x1.5d28ad8453814p-100, -0x1.456c229c0a0d0p-95, -0x1.14e050683a131p-98, -0x1.41a0e84c2f8c6p-100, -0x1.d0985f18c10ebp-101, 0x1.9e839cfbc5295p-95, -0x1.8c10eb5ada2b3p-97, -0x1.d6b5b45650128p-98, 0x1.497535fdafd89p-95, 0x1.35fdafd88fc6bp-95, -0x1.0277039517bd5p-99},
    {0x1.e21c820ff28b2p-163, -0x1.de37df00d74e3p-151, 0x1.07f9458eaf7afp-154, -0x1.ae9c5421443aap-152, 0x1.d5ef5de2b0db9p-151, -0x1.443a9e48db91cp-152, 0x1.586dc91b8e909p-150, 0x1.c91b8e909374cp-150, 0x1.d2126e9700325p-155, 0x1.374b801924bbbp-154, 0x1.700324977504fp-151, -0x1.b6d115f62e6dep-152, -0x1.15f62e6de301ep-152, 0x1.3a32439fc3bd6p-149, 0x1.cfe1deb1cb12ap-156, -0x1.e214e34ed658cp-152, 0x1.cb129a73ee882p-156, 0x1.29a73ee88235fp-152, -0x1.822efb9415a29p-153, -0x1.f7282b4512edfp-154, -0x1.0568a25dbd8b3p-151, -0x1.44bb7b16638fep-152, -0x1.ec598e3f652e8p-154, -0x1.8e3f652e82070p-154, 0x1.35a2fbf209cc9p-155, -0x1.741037d8cdc54p-149, -0x1.bec66e29c67cbp-152, 0x1.1d639835339f5p-156, 0x1.8e60d4ce7d272p-150, 0x1.a99cfa4e422fcp-151, -0x1.82d8dee81d108p-150, 0x1.08bf177bf2507p-153, -0x1.d1081b5f13802p-154, -0x1.036be27003b40p-151, 0x1.d8ffc4bffef03p-155, -0x1.da00087e99fc0p-158, -0x1.00043f4cfe022p-149, 0x1.6603fbcbc462dp-158, 0x1.fde5e2316b415p-157, 0x1.788c5ad053690p-155, -0x1.d297d64b824b2p-154, -0x1.f592e092c9813p-152, 0x1.f6d367ecf27cbp-156, -0x1.8130d834f648bp-160, -0x1.86c1a7b24585dp-155, -0x1.a7b24585ce04dp-155, 0x1.b74f463f669e6p-152, -0x1.738132c3402bap-153, -0x1.32c3402ba515bp-153, -0x1.a015d28ad8454p-152, 0x1.16ba93dd63f5fp-151, -0x1.b08a7028341d1p-153, 0x1.63f5f2f8bd9e8p-151, -0x1.a0e84c2f8c608p-156, -0x1.d0985f18c10ebp-149, 0x1.0739f78a5292fp-152, -0x1.0eb5ada2b2809p-157, -0x1.6b68aca025027p-155, -0x1.a2b2809409dc1p-149, 0x1.fdafd88fc6ae8p-151, -0x1.3b81ca8bdea7fp-154, -0x1.ca8bdea7f33eep-154, -0x1.7bd4fe67dc81cp-151, 0x1.98237e3db5d60p-159}};
// clang-format on

SKERRY_HD SKERRY_INLINE float64 modulo_4(float64 x) { return x - 4.0 * math::rint(x * 0.25); }

/// Follows Payne and Hanek, who omit multiples of 4 from the product of x and 2 / pi. x is 2^(16
/// row) times a number in [2^40, 2^56), a multiple of 2^-12, so bits of 2 / pi from 2^14 on
/// contribute multiples of 4. Bits below 2^-202 contribute less than 2^-146, and no float64 is
/// nearer to a multiple of pi / 2 than 2^-62.
SKERRY_HD SKERRY_INLINE ReducedAngle reduce_huge_angle(float64 x) {
  const uint64 bits = to_bits(x);
  const uint64 biased = (bits >> 52) & 2047;
  const uint64 row = ((biased - (1023 + 40)) >> 4) & 63;
  const float64 u = from_bits<float64>(bits - (row << 56));
  const Pair<float64> p0 = two_product(u, two_over_pi[0][row]);
  const Pair<float64> p1 = two_product(u, two_over_pi[1][row]);
  const Pair<float64> p2 = two_product(u, two_over_pi[2][row]);
  const float64 p3 = u * two_over_pi[3][row];
  const Pair<float64> a = two_sum(modulo_4(p0.high), modulo_4(p0.low));
  const Pair<float64> b = two_sum(a.high, modulo_4(p1.high));
  const float64 multiple = math::rint(b.high);
  const Pair<float64> c = two_sum(a.low, b.low);
  const Pair<float64> d = two_sum(p1.low, p2.high);
  const Pair<float64> e = two_sum(b.high - multiple, d.high);
  const Pair<float64> f = two_sum(e.high, c.high);
  const float64 low = e.low + f.low + (c.low + (d.low + (p2.low + p3)));
  const Pair<float64> fraction = two_sum(f.high, low);
  const Pair<float64> product = two_product(fraction.high, half_pi[0]);
  const float64 rest =
      product.low + math::fma(fraction.high, half_pi[1], fraction.low * half_pi[0]);
  return {fast_two_sum(product.high, rest), to_bits(multiple + magic<float64>)};
}

}  // namespace skerry::inline SKERRY_TARGET::ops::math::portable
