// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/rehearsal/ipc.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <utility>

#include "device/page_size.hpp"
#include "device/rehearsal/processes.hpp"
#include "device/rehearsal/work.hpp"

namespace skerry::rehearsal {

namespace {

enum class HandleKind : std::uint32_t { memory = 0x4d435049, event = 0x45435049 };

/// The contents of a handle.
struct HandleFields {
  HandleKind kind;
  std::int32_t process;
  std::int32_t file;
  std::int32_t ordinal;
  std::uint64_t token;
  std::uint64_t nbytes;   ///< of the block
  std::uint64_t padding;  ///< bytes from the first page to the block
};
static_assert(sizeof(HandleFields) <= sizeof(cuda::IpcHandle));

cuda::IpcHandle to_handle(const HandleFields& fields) noexcept {
  cuda::IpcHandle handle{};
  std::memcpy(&handle, &fields, sizeof fields);
  return handle;
}

HandleFields to_fields(const cuda::IpcHandle& handle) noexcept {
  HandleFields fields{};
  std::memcpy(&fields, &handle, sizeof fields);
  return fields;
}

/// Returns a number that no earlier file had.
std::uint64_t new_token() noexcept {
  std::uint64_t token = 0;
  if (getrandom(&token, sizeof token, 0) != sizeof token) token = 0;
  return token;
}

/// Creates a file of whole pages; -1 if there is no memory.
int create_file(std::size_t nbytes) noexcept {
  const int file = memfd_create("skerry-ipc", MFD_CLOEXEC);
  if (file < 0) return -1;
  if (ftruncate(file, static_cast<off_t>(nbytes)) == 0) return file;
  close(file);
  return -1;
}

/// Opens the file of a handle; -1 if it does not exist any more or belongs to another user. The
/// token is at `token_offset`: the process may have given the number to another file.
int open_file(const HandleFields& fields, std::size_t nbytes, std::size_t token_offset) noexcept {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", fields.process, fields.file);
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return -1;
  struct stat status{};
  std::uint64_t token = 0;
  const bool is_same =
      fstat(file, &status) == 0 && static_cast<std::size_t>(status.st_size) == nbytes &&
      pread(file, &token, sizeof token, static_cast<off_t>(token_offset)) == sizeof token &&
      token == fields.token;
  if (is_same) return file;
  close(file);
  return -1;
}

std::uintptr_t address(const void* data) noexcept { return reinterpret_cast<std::uintptr_t>(data); }

void* first_page(void* data) noexcept {
  return reinterpret_cast<void*>(address(data) / page_size() * page_size());
}

/// A block of this process that others may open: the file has its pages, and then the token.
struct ExportedBlock {
  HandleFields fields;
  std::size_t page_bytes;
};
struct OpenedBlock {
  void* data;
  int count;
};

struct SharedBlocks {
  std::mutex mutex;
  std::map<void*, ExportedBlock> exported;
  std::map<std::uint64_t, OpenedBlock> opened;  ///< by token
};

/// Never freed: threads of streams may outlive main().
SharedBlocks& shared_blocks() {
  static auto* const all = new SharedBlocks;
  return *all;
}

/// Requires the lock.
auto find_opened(SharedBlocks& blocks, void* data) noexcept {
  return std::ranges::find_if(blocks.opened,
                              [&](const auto& one) { return one.second.data == data; });
}

/// Moves the pages of a block to a new file, which replaces them at their addresses.
int export_block(System& all, int ordinal, const MemoryBlock& block, ExportedBlock& exported) {
  void* const pages = first_page(block.data);
  const std::size_t padding = address(block.data) - address(pages);
  const std::size_t page_bytes = whole_pages(padding + block.nbytes);
  const std::uint64_t token = new_token();
  const int file = create_file(page_bytes + sizeof token);
  if (file < 0) return cuda::memory_allocation;
  const bool is_copied =
      pwrite(file, pages, page_bytes, 0) == static_cast<ssize_t>(page_bytes) &&
      pwrite(file, &token, sizeof token, static_cast<off_t>(page_bytes)) == sizeof token;
  if (!is_copied || !all.device(ordinal).memory.share(block.data, file, page_bytes)) {
    close(file);
    return is_copied ? cuda::invalid_value : cuda::memory_allocation;
  }
  exported = {{HandleKind::memory, getpid(), file, ordinal, token, block.nbytes, padding},
              page_bytes};
  return cuda::success;
}

}  // namespace

void discard_shared(void* data) noexcept {
  SharedBlocks& blocks = shared_blocks();
  const std::lock_guard lock(blocks.mutex);
  if (const auto entry = blocks.exported.find(data); entry != blocks.exported.end()) {
    close(entry->second.fields.file);
    blocks.exported.erase(entry);
  }
}

bool is_opened(void* data) noexcept {
  SharedBlocks& blocks = shared_blocks();
  const std::lock_guard lock(blocks.mutex);
  return find_opened(blocks, data) != blocks.opened.end();
}

int ipc_export_memory(cuda::IpcHandle* handle, void* data) {
  return enter(&cuda::Api::ipc_export_memory, [&](System& all) -> int {
    const int owner = all.owner(data);
    if (owner < 0) return cuda::invalid_value;
    const MemoryBlock block = all.device(owner).memory.find(data);
    if (!block || all.is_pooled(block.data)) return cuda::invalid_value;
    // Other devices may write it, too. Before the lock, which frees of exported blocks take.
    all.drain_all();
    SharedBlocks& blocks = shared_blocks();
    const std::lock_guard lock(blocks.mutex);
    auto entry = blocks.exported.find(block.data);
    if (entry == blocks.exported.end()) {
      ExportedBlock exported{};
      if (const int code = export_block(all, owner, block, exported); code != cuda::success)
        return code;
      entry = blocks.exported.emplace(block.data, exported).first;
    }
    *handle = to_handle(entry->second.fields);
    return cuda::success;
  });
}

int ipc_open_memory(void** data, const cuda::IpcHandle* handle) {
  return enter(&cuda::Api::ipc_open_memory, [&](System& all) -> int {
    const HandleFields fields = to_fields(*handle);
    if (fields.kind != HandleKind::memory || fields.ordinal != current_ordinal())
      return cuda::invalid_value;
    if (fields.process == getpid()) return cuda::invalid_resource_handle;
    SharedBlocks& blocks = shared_blocks();
    const std::lock_guard lock(blocks.mutex);
    if (const auto entry = blocks.opened.find(fields.token); entry != blocks.opened.end()) {
      ++entry->second.count;
      *data = entry->second.data;
      return cuda::success;
    }
    const std::size_t page_bytes = whole_pages(fields.padding + fields.nbytes);
    const int file = open_file(fields, page_bytes + sizeof fields.token, page_bytes);
    if (file < 0) return cuda::invalid_value;
    const int code = all.device(fields.ordinal)
                         .memory.open_shared(data, fields.nbytes, fields.padding, file,
                                             current_settings().memory_bytes.load());
    close(file);
    if (code == cuda::success) blocks.opened.emplace(fields.token, OpenedBlock{*data, 1});
    return code;
  });
}

int ipc_close_memory(void* data) {
  return enter(&cuda::Api::ipc_close_memory, [&](System& all) -> int {
    SharedBlocks& blocks = shared_blocks();
    const int owner = all.owner(data);
    {
      const std::lock_guard lock(blocks.mutex);
      const auto entry = find_opened(blocks, data);
      if (entry == blocks.opened.end() || owner < 0) return cuda::invalid_value;
      if (--entry->second.count > 0) return cuda::success;
      blocks.opened.erase(entry);
    }
    static_cast<void>(all.device(owner).memory.retire(data));
    all.drain(owner);
    static_cast<void>(all.device(owner).memory.reclaim(data));
    return cuda::success;
  });
}

std::shared_ptr<InterprocessEvent> InterprocessEvent::map(int file) {
  if (file < 0) return nullptr;
  void* const mapping =
      mmap(nullptr, sizeof(InterprocessState), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapping == MAP_FAILED) {
    close(file);
    return nullptr;
  }
  return std::shared_ptr<InterprocessEvent>(
      new InterprocessEvent(file, static_cast<InterprocessState*>(mapping)));
}

std::shared_ptr<InterprocessEvent> InterprocessEvent::create() {
  auto event = map(create_file(sizeof(InterprocessState)));
  if (event != nullptr) (new (event->state_) InterprocessState)->token = new_token();
  return event;
}

std::shared_ptr<InterprocessEvent> InterprocessEvent::open(const cuda::IpcHandle& handle) {
  const HandleFields fields = to_fields(handle);
  if (fields.kind != HandleKind::event) return nullptr;
  return map(open_file(fields, sizeof(InterprocessState), offsetof(InterprocessState, token)));
}

InterprocessEvent::~InterprocessEvent() {
  munmap(state_, sizeof *state_);
  close(file_);
}

cuda::IpcHandle InterprocessEvent::handle() const noexcept {
  return to_handle({HandleKind::event, getpid(), file_, 0, state_->token, 0, 0});
}

std::uint64_t InterprocessEvent::begin_record() noexcept {
  state_->recorder.store(getpid());
  return state_->recorded.fetch_add(1) + 1;
}

void InterprocessEvent::end_record(std::uint64_t number) noexcept {
  std::uint64_t last = state_->done.load();
  while (last < number && !state_->done.compare_exchange_weak(last, number)) {
  }
}

bool InterprocessEvent::is_done(std::uint64_t number) const noexcept {
  if (state_->done.load() >= number) return true;
  return has_ended(state_->recorder.load());
}

void InterprocessEvent::wait(std::uint64_t number) const noexcept {
  while (!is_done(number)) usleep(50);
}

int event_create_shared(void** event) {
  return enter(&cuda::Api::event_create_shared, [&](System& all) -> int {
    auto shared = InterprocessEvent::create();
    if (shared == nullptr) return cuda::memory_allocation;
    *event = all.add_event(current_ordinal(), std::move(shared));
    return cuda::success;
  });
}

int ipc_export_event(cuda::IpcHandle* handle, void* event) {
  return enter(&cuda::Api::ipc_export_event, [&](System& all) -> int {
    SimulatedEvent simulated;
    if (!all.read_event(event, simulated)) return cuda::invalid_resource_handle;
    if (simulated.shared == nullptr) return cuda::invalid_value;
    *handle = simulated.shared->handle();
    return cuda::success;
  });
}

int ipc_open_event(void** event, const cuda::IpcHandle* handle) {
  return enter(&cuda::Api::ipc_open_event, [&](System& all) -> int {
    auto shared = InterprocessEvent::open(*handle);
    if (shared == nullptr) return cuda::invalid_value;
    *event = all.add_event(current_ordinal(), std::move(shared));
    return cuda::success;
  });
}

}  // namespace skerry::rehearsal
