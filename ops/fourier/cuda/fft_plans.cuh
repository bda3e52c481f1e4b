// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>

#include "ops/kernel/cuda/library.cuh"

// cuFFT's plans, and the functions of cuFFT that they need, declared as in cufft.h of CUDA 12 and
// 13: the build does not require cuFFT.

namespace skerry::native {

namespace cufft {
using handle = int;
using status = int;
inline constexpr status success = 0;
inline constexpr status alloc_failed = 2;
/// Values of cufftType for single precision; double precision adds 0x40.
enum type : int { real_to_complex = 0x2a, complex_to_real = 0x2c, complex_to_complex = 0x29 };
inline constexpr int double_precision = 0x40;
}  // namespace cufft

struct CufftLibrary {
  SharedLibrary library{CUDART_VERSION >= 13000 ? "libcufft.so.12" : "libcufft.so.11",
                        "libcufft.so"};

  cufft::status (*create)(cufft::handle*) = nullptr;
  cufft::status (*destroy)(cufft::handle) = nullptr;
  cufft::status (*set_auto_allocation)(cufft::handle, int) = nullptr;
  cufft::status (*make_plan)(cufft::handle, int rank, long long* n, long long* inembed,
                             long long istride, long long idist, long long* onembed,
                             long long ostride, long long odist, int type, long long batch,
                             std::size_t* work_size) = nullptr;
  cufft::status (*set_stream)(cufft::handle, cudaStream_t) = nullptr;
  cufft::status (*set_work_area)(cufft::handle, void*) = nullptr;
  // By precision: single, double.
  cufft::status (*complex_to_complex[2])(cufft::handle, void*, void*, int direction) = {};
  cufft::status (*real_to_complex[2])(cufft::handle, void*, void*) = {};
  cufft::status (*complex_to_real[2])(cufft::handle, void*, void*) = {};

  CufftLibrary() {
    library.find("cufftCreate", create);
    library.find("cufftDestroy", destroy);
    library.find("cufftSetAutoAllocation", set_auto_allocation);
    library.find("cufftMakePlanMany64", make_plan);
    library.find("cufftSetStream", set_stream);
    library.find("cufftSetWorkArea", set_work_area);
    library.find("cufftExecC2C", complex_to_complex[0]);
    library.find("cufftExecZ2Z", complex_to_complex[1]);
    library.find("cufftExecR2C", real_to_complex[0]);
    library.find("cufftExecD2Z", real_to_complex[1]);
    library.find("cufftExecC2R", complex_to_real[0]);
    library.find("cufftExecZ2D", complex_to_real[1]);
  }
};

inline const CufftLibrary& get_cufft() {
  static const CufftLibrary* opened = new CufftLibrary;  // never closed: plans may outlive main()
  return *opened;
}

/// All parameters of a plan; strides and distances are in elements. The stream and the work area
/// are set for each execution.
struct FftPlanKey {
  int device;
  int type;
  int rank;
  long long length[3];
  long long input_embed[3];
  long long output_embed[3];
  long long input_stride;
  long long output_stride;
  long long input_distance;
  long long output_distance;
  long long batch;

  friend bool operator==(const FftPlanKey& a, const FftPlanKey& b) {
    bool same = a.device == b.device && a.type == b.type && a.rank == b.rank &&
                a.input_stride == b.input_stride && a.output_stride == b.output_stride &&
                a.input_distance == b.input_distance && a.output_distance == b.output_distance &&
                a.batch == b.batch;
    for (int i = 0; i < 3; ++i) {
      same = same && a.length[i] == b.length[i] && a.input_embed[i] == b.input_embed[i] &&
             a.output_embed[i] == b.output_embed[i];
    }
    return same;
  }
};

/// A plan for the current device, without a work area of its own. Only one thread at a time may set
/// its stream and execute it.
class FftPlanHandle {
 public:
  explicit FftPlanHandle(const FftPlanKey& key) : key_(key) {
    const CufftLibrary& library = get_cufft();
    status_ = library.create(&handle_);
    if (status_ != cufft::success) return;
    is_created_ = true;
    status_ = library.set_auto_allocation(handle_, 0);
    if (status_ != cufft::success) return;
    status_ = library.make_plan(handle_, key.rank, key_.length, key_.input_embed, key.input_stride,
                                key.input_distance, key_.output_embed, key.output_stride,
                                key.output_distance, key.type, key.batch, &work_size_);
  }
  ~FftPlanHandle() {
    if (is_created_) get_cufft().destroy(handle_);
  }
  FftPlanHandle(const FftPlanHandle&) = delete;
  FftPlanHandle& operator=(const FftPlanHandle&) = delete;

  [[nodiscard]] cufft::status status() const { return status_; }
  [[nodiscard]] const FftPlanKey& key() const { return key_; }
  [[nodiscard]] cufft::handle handle() const { return handle_; }
  [[nodiscard]] std::size_t work_size() const { return work_size_; }
  [[nodiscard]] std::mutex& mutex() { return mutex_; }

 private:
  FftPlanKey key_;
  cufft::handle handle_ = 0;
  cufft::status status_ = cufft::success;
  bool is_created_ = false;
  std::size_t work_size_ = 0;
  std::mutex mutex_;
};

/// The most recently used plans of all devices.
class FftPlanCache {
 public:
  /// Returns the plan for `key`; its status says whether planning succeeded.
  std::shared_ptr<FftPlanHandle> get(const FftPlanKey& key) {
    if (std::shared_ptr<FftPlanHandle> cached_plan = find(key)) return cached_plan;
    // Plan outside the lock, since planning takes milliseconds. Two threads may thus create the
    // same plan.
    auto new_plan = std::make_shared<FftPlanHandle>(key);
    if (new_plan->status() != cufft::success) return new_plan;
    std::shared_ptr<FftPlanHandle> dropped;  // destroyed after the lock is released
    const std::lock_guard<std::mutex> lock(mutex_);
    plans_.push_front(new_plan);
    if (plans_.size() > max_plans) {
      dropped = std::move(plans_.back());
      plans_.pop_back();
    }
    return new_plan;
  }

 private:
  static constexpr std::size_t max_plans = 32;

  std::shared_ptr<FftPlanHandle> find(const FftPlanKey& key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto entry = plans_.begin(); entry != plans_.end(); ++entry) {
      if (!((*entry)->key() == key)) continue;
      plans_.splice(plans_.begin(), plans_, entry);
      return plans_.front();
    }
    return nullptr;
  }

  std::mutex mutex_;
  std::list<std::shared_ptr<FftPlanHandle>> plans_;
};

inline FftPlanCache& fft_plans() {
  static auto* plans = new FftPlanCache;  // never destroyed: the driver may be unloaded by then
  return *plans;
}

}  // namespace skerry::native
