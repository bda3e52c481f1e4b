// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/emulator/driver/client.hpp"

namespace skerry::emulation::driver {
namespace {

class DriverKernels : public DriverTest {};

int load_status(const std::string& image, std::string* log = nullptr) {
  void* library = nullptr;
  char text[200] = {};
  const int names[] = {5, 6};
  void* values[] = {text, reinterpret_cast<void*>(sizeof text)};
  const int status = CALL(cuLibraryLoadData, library_load)(&library, image.c_str(), names, values,
                                                           2, nullptr, nullptr, 0);
  if (log != nullptr) *log = text;
  if (status == 0) {
    EXPECT_EQ(CALL(cuLibraryUnload, library_unload)(library), 0);
  }
  return status;
}

TEST_F(DriverKernels, kernels_run_from_a_library) {
  void* const library = load(whole_ptx());
  const address data = allocate(400);
  ASSERT_EQ(launch(kernel(library, "store"), 4, 25, data, 42), 0);
  EXPECT_EQ(read(data, 100), std::vector<std::uint32_t>(100, 42));
  release(data);
  EXPECT_EQ(CALL(cuLibraryUnload, library_unload)(library), 0);
  EXPECT_EQ(CALL(cuLibraryUnload, library_unload)(library), 400);
}

TEST_F(DriverKernels, kernels_run_from_the_output_of_a_linker) {
  void* const library = load("SKERRYPTX1\n" + whole_ptx());
  const address data = allocate(4);
  ASSERT_EQ(launch(kernel(library, "store"), 1, 1, data, 3), 0);
  EXPECT_EQ(read(data, 1).front(), 3);
  release(data);
  EXPECT_EQ(CALL(cuLibraryUnload, library_unload)(library), 0);
}

TEST_F(DriverKernels, kernels_run_from_a_module_with_readable_variables) {
  void* module = nullptr;
  const std::string image = whole_ptx();
  ASSERT_EQ(CALL(cuModuleLoadData, module_load)(&module, image.c_str()), 0);
  void* function = nullptr;
  ASSERT_EQ(CALL(cuModuleGetFunction, module_get_function)(&function, module, "count"), 0);
  EXPECT_EQ(CALL(cuModuleGetFunction, module_get_function)(&function, module, "none"), 500);
  const address data = allocate(4);
  ASSERT_EQ(launch(function, 1, 1, data, 3), 0);
  EXPECT_EQ(read(data, 1).front(), 10);
  address counter = 0;
  std::size_t nbytes = 0;
  ASSERT_EQ(CALL(cuModuleGetGlobal, module_get_variable)(&counter, &nbytes, module, "counter"), 0);
  EXPECT_EQ(nbytes, 4);
  EXPECT_EQ(read(counter, 1).front(), 10);
  const char* name = nullptr;
  ASSERT_EQ(CALL(cuFuncGetName, function_get_name)(&name, function), 0);
  EXPECT_STREQ(name, "count");
  void* owner_module = nullptr;
  ASSERT_EQ(CALL(cuFuncGetModule, function_get_module)(&owner_module, function), 0);
  EXPECT_EQ(owner_module, module);
  release(data);
  EXPECT_EQ(CALL(cuModuleUnload, module_unload)(module), 0);
  EXPECT_EQ(launch(function, 1, 1, data, 3), 400);
}

TEST_F(DriverKernels, invalid_images_have_distinct_errors) {
  std::string log;
  EXPECT_EQ(load_status(std::string("\177ELF\2\1\1"), &log), 209);
  EXPECT_NE(log.find("machine code"), std::string::npos) << log;
  EXPECT_EQ(load_status("nothing of the kind"), 200);
  EXPECT_EQ(load_status(".version 99.0\n.target sm_80\n.address_size 64\n"), 222);
  EXPECT_EQ(load_status(".version 8.0\n.target sm_100\n.address_size 64\n"), 209);
  void* library = nullptr;
  EXPECT_EQ(CALL(cuLibraryLoadFromFile, library_load_file)(&library, "/no/such/file", nullptr,
                                                           nullptr, 0, nullptr, nullptr, 0),
            301);
  EXPECT_EQ(CALL(cuLibraryLoadData, library_load)(&library, nullptr, nullptr, nullptr, 0, nullptr,
                                                  nullptr, 0),
            1);
}

TEST_F(DriverKernels, parameters_may_be_passed_in_one_buffer) {
  void* const library = load(whole_ptx());
  const address data = allocate(4);
  struct {
    address data;
    std::uint32_t value;
  } parameters{data, 8};
  std::size_t nbytes = sizeof parameters;
  void* extra[] = {reinterpret_cast<void*>(1), &parameters, reinterpret_cast<void*>(2), &nbytes,
                   nullptr};
  void* const store = kernel(library, "store");
  const auto launch_with = [&](void** arguments, void** more) {
    return CALL(cuLaunchKernel, launch_kernel)(store, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments,
                                               more);
  };
  ASSERT_EQ(launch_with(nullptr, extra), 0);
  EXPECT_EQ(read(data, 1).front(), 8);
  nbytes = 8;
  EXPECT_EQ(launch_with(nullptr, extra), 1);
  EXPECT_EQ(launch_with(nullptr, nullptr), 1);
  release(data);
  EXPECT_EQ(CALL(cuLibraryUnload, library_unload)(library), 0);
}

TEST_F(DriverKernels, invalid_launches_fail_at_once) {
  void* const library = load(whole_ptx());
  const address data = allocate(4096);
  void* const store = kernel(library, "store");
  EXPECT_EQ(launch(store, 0, 1, data, 1), 1);
  testing::internal::CaptureStderr();
  EXPECT_EQ(launch(store, 1, 1025, data, 1), 1);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("launch more blocks of at most 1024"),
            std::string::npos);
  EXPECT_EQ(launch(kernel(library, "count"), 1, 65, data, 1), 1);
  int nothing = 0;
  EXPECT_EQ(launch(&nothing, 1, 1, data, 1), 400);
  EXPECT_EQ(launch(store, 1, 1, data, 1, &nothing), 400);
  release(data);
  EXPECT_EQ(CALL(cuLibraryUnload, library_unload)(library), 0);
}

TEST_F(DriverKernels, launch_attributes_without_effect_are_accepted) {
  void* const library = load(whole_ptx());
  const address data = allocate(4);
  std::uint32_t value = 6;
  address data_argument = data;
  void* arguments[] = {&data_argument, &value};
  abi::LaunchAttribute attributes[2] = {};
  attributes[0].id = 8;  // priority
  attributes[1].id = 4;  // cluster
  const Extent one{1, 1, 1};
  std::memcpy(attributes[1].value, &one, sizeof one);
  const abi::DriverLaunch config{{1, 1, 1}, {1, 1, 1}, 0, nullptr, attributes, 2};
  void* const store = kernel(library, "store");
  ASSERT_EQ(CALL(cuLaunchKernelEx, launch_kernel_ex)(&config, store, arguments, nullptr), 0);
  EXPECT_EQ(read(data, 1).front(), 6);
  const Extent two{2, 1, 1};
  std::memcpy(attributes[1].value, &two, sizeof two);
  EXPECT_EQ(CALL(cuLaunchKernelEx, launch_kernel_ex)(&config, store, arguments, nullptr), 801);
  release(data);
  EXPECT_EQ(CALL(cuLibraryUnload, library_unload)(library), 0);
}

TEST_F(DriverKernels, attributes_and_occupancy_are_those_of_the_kernel) {
  void* const library = load(whole_ptx());
  void* const count = kernel(library, "count");
  int value = 0;
  ASSERT_EQ(CALL(cuKernelGetAttribute, kernel_get_attribute)(&value, 0, count, 0), 0);
  EXPECT_EQ(value, 64);
  ASSERT_EQ(CALL(cuFuncGetAttribute, function_get_attribute)(&value, 1, count), 0);
  EXPECT_EQ(value, 1024);
  ASSERT_EQ(CALL(cuFuncGetAttribute, function_get_attribute)(&value, 2, count), 0);
  EXPECT_EQ(value, constant_bytes);
  EXPECT_EQ(CALL(cuFuncGetAttribute, function_get_attribute)(&value, 99, count), 1);
  ASSERT_EQ(CALL(cuFuncSetAttribute, function_set_attribute)(count, 8, 100'000), 0);
  ASSERT_EQ(CALL(cuFuncGetAttribute, function_get_attribute)(&value, 8, count), 0);
  EXPECT_EQ(value, 100'000);
  EXPECT_EQ(CALL(cuFuncSetAttribute, function_set_attribute)(count, 8, 1 << 30), 1);
  std::size_t offset = 1;
  std::size_t nbytes = 0;
  ASSERT_EQ(CALL(cuKernelGetParamInfo, kernel_get_parameter)(count, 1, &offset, &nbytes), 0);
  EXPECT_EQ(offset, 8);
  EXPECT_EQ(nbytes, 4);
  EXPECT_EQ(CALL(cuKernelGetParamInfo, kernel_get_parameter)(count, 2, &offset, &nbytes), 1);
  int blocks = 0;
  ASSERT_EQ(
      CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor, occupancy_blocks)(&blocks, count, 64, 0),
      0);
  EXPECT_GT(blocks, 0);
  int threads = 0;
  int grid = 0;
  ASSERT_EQ(CALL(cuOccupancyMaxPotentialBlockSize, occupancy_block_size)(&grid, &threads, count,
                                                                         nullptr, 0, 0),
            0);
  EXPECT_EQ(threads, 64);
  EXPECT_EQ(CALL(cuLibraryUnload, library_unload)(library), 0);
}

TEST_F(DriverKernels, links_join_ptx) {
  void* state = nullptr;
  ASSERT_EQ(CALL(cuLinkCreate, link_create)(0, nullptr, nullptr, &state), 0);
  const std::string head = ".version 8.0\n.target sm_80\n.address_size 64\n";
  std::string first = whole_ptx();
  std::string second = head + ".visible .entry nothing() {\n  ret;\n}\n";
  constexpr int ptx = 1;
  for (std::string* source_text : {&first, &second}) {
    ASSERT_EQ(CALL(cuLinkAddData, link_add)(state, ptx, source_text->data(),
                                            source_text->size() + 1, "", 0, nullptr, nullptr),
              0);
  }
  void* image = nullptr;
  std::size_t nbytes = 0;
  ASSERT_EQ(CALL(cuLinkComplete, link_complete)(state, &image, &nbytes), 0);
  void* module = nullptr;
  ASSERT_EQ(CALL(cuModuleLoadData, module_load)(&module, image), 0);
  void* function = nullptr;
  EXPECT_EQ(CALL(cuModuleGetFunction, module_get_function)(&function, module, "nothing"), 0);
  EXPECT_EQ(CALL(cuModuleGetFunction, module_get_function)(&function, module, "store"), 0);
  EXPECT_EQ(CALL(cuLinkDestroy, link_destroy)(state), 0);
  EXPECT_EQ(CALL(cuLinkDestroy, link_destroy)(state), 400);
  EXPECT_EQ(CALL(cuModuleUnload, module_unload)(module), 0);
}

/// A link with an error log.
class LoggedLink {
 public:
  LoggedLink() {
    constexpr int buffer = 5;
    constexpr int buffer_nbytes = 6;
    int options[] = {buffer, buffer_nbytes};
    void* values[] = {log_, reinterpret_cast<void*>(sizeof log_)};
    EXPECT_EQ(CALL(cuLinkCreate, link_create)(2, options, values, &state_), 0);
  }
  ~LoggedLink() { EXPECT_EQ(CALL(cuLinkDestroy, link_destroy)(state_), 0); }
  [[nodiscard]] int add(std::string text, const char* name) {
    constexpr int ptx = 1;
    text.insert(0, ".version 8.0\n.target sm_80\n.address_size 64\n");
    return CALL(cuLinkAddData, link_add)(state_, ptx, text.data(), text.size() + 1, name, 0,
                                         nullptr, nullptr);
  }
  [[nodiscard]] int complete(void** image) {
    return CALL(cuLinkComplete, link_complete)(state_, image, nullptr);
  }
  [[nodiscard]] std::string log() const { return log_; }

 private:
  char log_[400] = {};
  void* state_ = nullptr;
};

constexpr const char* helper_ptx = R"(
.func (.reg .u32 r) own(.reg .u32 x) { add.u32 r, x, 1; ret; }
.visible .func (.param .b32 r) NAME(.param .b32 x) {
  .reg .u32 %a;
  ld.param.u32 %a, [x];
  add.u32 %a, %a, NUMBER;
  st.param.b32 [r], %a;
  ret;
}
)";

std::string helper(const std::string& name, const std::string& number) {
  std::string text = helper_ptx;
  text.replace(text.find("NAME"), 4, name);
  return text.replace(text.find("NUMBER"), 6, number);
}

constexpr const char* caller_ptx = R"(
.extern .func (.param .b32 r) first(.param .b32 x);
.visible .entry caller(.param .u64 data, .param .u32 value) {
  .reg .b32 %r<3>; .reg .b64 %d;
  ld.param.u64 %d, [data];
  ld.param.u32 %r1, [value];
  cvta.to.global.u64 %d, %d;
  { .param .b32 given; .param .b32 got;
    st.param.b32 [given], %r1;
    call.uni (got), first, (given);
    ld.param.b32 %r2, [got]; }
  st.global.u32 [%d], %r2;
  ret;
}
)";

TEST_F(DriverKernels, names_are_resolved_between_objects) {
  LoggedLink link;
  // Both have a private function `own`.
  ASSERT_EQ(link.add(caller_ptx, "caller"), 0);
  ASSERT_EQ(link.add(helper("first", "10"), "first"), 0);
  ASSERT_EQ(link.add(helper("second", "20"), "second"), 0);
  void* image = nullptr;
  ASSERT_EQ(link.complete(&image), 0) << link.log();
  void* const library = load(static_cast<const char*>(image));
  const address data = allocate(4);
  EXPECT_EQ(launch(kernel(library, "caller"), 1, 1, data, 5), 0);
  EXPECT_EQ(read(data, 1), std::vector<std::uint32_t>{15});
  release(data);
}

TEST_F(DriverKernels, a_link_names_duplicate_definitions) {
  LoggedLink link;
  ASSERT_EQ(link.add(helper("first", "10"), "one"), 0);
  ASSERT_EQ(link.add(helper("first", "20"), "two"), 0);
  void* image = nullptr;
  testing::internal::CaptureStderr();
  EXPECT_EQ(link.complete(&image), 200);
  testing::internal::GetCapturedStderr();
  EXPECT_NE(link.log().find("multiple definition of 'first' in 'two'"), std::string::npos);
}

TEST_F(DriverKernels, a_link_names_missing_definitions) {
  LoggedLink link;
  ASSERT_EQ(link.add(caller_ptx, "caller"), 0);
  void* image = nullptr;
  testing::internal::CaptureStderr();
  EXPECT_EQ(link.complete(&image), 218);
  testing::internal::GetCapturedStderr();
  EXPECT_NE(link.log().find("unresolved function first"), std::string::npos) << link.log();
}

TEST_F(DriverKernels, an_access_fault_is_a_sticky_error_of_the_device) {
  void* lost = nullptr;
  ASSERT_EQ(CALL(cuDevicePrimaryCtxRetain, primary_context_retain)(&lost, 2), 0);
  ASSERT_EQ(CALL(cuCtxPushCurrent, context_push)(lost), 0);
  void* const library = load(whole_ptx());
  void* const store = kernel(library, "store");
  const address data = allocate(40);
  testing::internal::CaptureStderr();
  EXPECT_EQ(launch(store, 1, 11, data, 1), 0);
  EXPECT_EQ(CALL(cuCtxSynchronize, context_synchronize)(), 700);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("store"), std::string::npos);
  EXPECT_EQ(CALL(cuCtxSynchronize, context_synchronize)(), 700);
  EXPECT_EQ(launch(store, 1, 1, data, 1), 700);
  address more = 0;
  EXPECT_EQ(CALL(cuMemAlloc, memory_allocate)(&more, 16), 700);
  int device = 0;
  EXPECT_EQ(CALL(cuCtxGetDevice, context_get_device)(&device), 0);
  void* popped = nullptr;
  EXPECT_EQ(CALL(cuCtxPopCurrent, context_pop)(&popped), 0);
  // Other devices still work.
  release(allocate(16));
}

}  // namespace
}  // namespace skerry::emulation::driver
