// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

#include <atomic>

#include "tests/emulator/driver/client.hpp"

namespace skerry::emulation::driver {
namespace {

using values = std::vector<std::uint32_t>;

class DriverGraphs : public DriverTest {
 protected:
  void SetUp() override {
    DriverTest::SetUp();
    library_ = load(whole_ptx());
    data_ = allocate(16);
    ASSERT_EQ(CALL(cuStreamCreate, stream_create)(&stream_, 1), 0);
    fill(stream_, 0);
    wait();
  }
  void TearDown() override {
    EXPECT_EQ(CALL(cuStreamDestroy, stream_destroy)(stream_), 0);
    release(data_);
    EXPECT_EQ(CALL(cuLibraryUnload, library_unload)(library_), 0);
    DriverTest::TearDown();
  }

  void fill(void* stream, std::uint32_t value) const {
    EXPECT_EQ(CALL(cuMemsetD32Async, fill_words_async)(data_, value, 4, stream), 0);
  }
  void store(void* stream, std::uint32_t value, unsigned threads = 1) const {
    EXPECT_EQ(launch(kernel(library_, "store"), 1, threads, data_, value, stream), 0);
  }
  void wait() const { EXPECT_EQ(CALL(cuStreamSynchronize, stream_synchronize)(stream_), 0); }
  void begin() const { EXPECT_EQ(CALL(cuStreamBeginCapture, stream_begin_capture)(stream_, 2), 0); }
  [[nodiscard]] void* end() const {
    void* graph = nullptr;
    EXPECT_EQ(CALL(cuStreamEndCapture, stream_end_capture)(stream_, &graph), 0);
    return graph;
  }
  static void* instantiate(void* graph) {
    void* executable = nullptr;
    EXPECT_EQ(CALL(cuGraphInstantiate, graph_instantiate)(&executable, graph, 0), 0);
    return executable;
  }
  void run(void* executable) const {
    EXPECT_EQ(CALL(cuGraphLaunch, graph_launch)(executable, stream_), 0);
    wait();
  }
  static std::size_t nodes(void* graph) {
    std::size_t count = 0;
    EXPECT_EQ(CALL(cuGraphGetNodes, graph_get_nodes)(graph, nullptr, &count), 0);
    return count;
  }
  static void destroy(void* executable, void* graph) {
    EXPECT_EQ(CALL(cuGraphExecDestroy, executable_destroy)(executable), 0);
    EXPECT_EQ(CALL(cuGraphDestroy, graph_destroy)(graph), 0);
    EXPECT_EQ(CALL(cuGraphDestroy, graph_destroy)(graph), 1);
  }

  void* library_ = nullptr;
  void* stream_ = nullptr;
  address data_ = 0;
};

TEST_F(DriverGraphs, a_captured_stream_does_nothing_until_its_graph_is_launched) {
  begin();
  int status = -1;
  ASSERT_EQ(CALL(cuStreamIsCapturing, stream_is_capturing)(stream_, &status), 0);
  EXPECT_EQ(status, 1);
  fill(stream_, 7);
  store(stream_, 9, 2);
  void* const graph = end();
  EXPECT_EQ(read(data_, 4), (values{0, 0, 0, 0}));
  EXPECT_EQ(nodes(graph), 2);
  void* const executable = instantiate(graph);
  run(executable);
  EXPECT_EQ(read(data_, 4), (values{9, 9, 7, 7}));
  fill(stream_, 0);
  run(executable);
  EXPECT_EQ(read(data_, 4), (values{9, 9, 7, 7}));
  destroy(executable, graph);
}

TEST_F(DriverGraphs, streams_that_wait_for_a_captured_event_join_the_capture) {
  void* other = nullptr;
  void* forked = nullptr;
  void* joined = nullptr;
  ASSERT_EQ(CALL(cuStreamCreate, stream_create)(&other, 1), 0);
  ASSERT_EQ(CALL(cuEventCreate, event_create)(&forked, 0), 0);
  ASSERT_EQ(CALL(cuEventCreate, event_create)(&joined, 0), 0);
  begin();
  fill(stream_, 3);
  ASSERT_EQ(CALL(cuEventRecord, event_record)(forked, stream_), 0);
  ASSERT_EQ(CALL(cuStreamWaitEvent, stream_wait_event)(other, forked, 0), 0);
  store(other, 4);
  void* graph = nullptr;
  ASSERT_EQ(CALL(cuEventRecord, event_record)(joined, other), 0);
  ASSERT_EQ(CALL(cuStreamWaitEvent, stream_wait_event)(stream_, joined, 0), 0);
  graph = end();
  std::size_t edges = 0;
  ASSERT_EQ(CALL(cuGraphGetEdges, graph_get_edges)(graph, nullptr, nullptr, nullptr, &edges), 0);
  EXPECT_EQ(edges, 1);
  void* const executable = instantiate(graph);
  run(executable);
  EXPECT_EQ(read(data_, 2), (values{4, 3}));
  destroy(executable, graph);
  begin();
  ASSERT_EQ(CALL(cuEventRecord, event_record)(forked, stream_), 0);
  ASSERT_EQ(CALL(cuStreamWaitEvent, stream_wait_event)(other, forked, 0), 0);
  store(other, 4);
  EXPECT_EQ(CALL(cuStreamEndCapture, stream_end_capture)(stream_, &graph), 904);
  EXPECT_EQ(graph, nullptr);
  begin();
  ASSERT_EQ(CALL(cuEventRecord, event_record)(forked, stream_), 0);
  ASSERT_EQ(CALL(cuStreamWaitEvent, stream_wait_event)(other, forked, 0), 0);
  EXPECT_EQ(CALL(cuStreamEndCapture, stream_end_capture)(other, &graph), 903);
  EXPECT_EQ(CALL(cuStreamEndCapture, stream_end_capture)(stream_, &graph), 901);
  for (void* const event : {forked, joined}) {
    EXPECT_EQ(CALL(cuEventDestroy, event_destroy)(event), 0);
  }
  EXPECT_EQ(CALL(cuStreamDestroy, stream_destroy)(other), 0);
}

TEST_F(DriverGraphs, calls_that_a_graph_cannot_contain_invalidate_the_capture) {
  begin();
  EXPECT_EQ(CALL(cuStreamSynchronize, stream_synchronize)(stream_), 900);
  int status = 0;
  EXPECT_EQ(CALL(cuStreamIsCapturing, stream_is_capturing)(stream_, &status), 0);
  EXPECT_EQ(status, 2);
  void* graph = nullptr;
  EXPECT_EQ(CALL(cuStreamEndCapture, stream_end_capture)(stream_, &graph), 901);
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(CALL(cuStreamIsCapturing, stream_is_capturing)(stream_, &status), 0);
  EXPECT_EQ(status, 0);
}

TEST_F(DriverGraphs, the_legacy_stream_is_implicitly_captured_by_blocking_streams) {
  void* blocking = nullptr;
  ASSERT_EQ(CALL(cuStreamCreate, stream_create)(&blocking, 0), 0);
  int status = 0;
  EXPECT_EQ(CALL(cuStreamIsCapturing, stream_is_capturing)(nullptr, &status), 0);
  ASSERT_EQ(CALL(cuStreamBeginCapture, stream_begin_capture)(blocking, 2), 0);
  EXPECT_EQ(CALL(cuStreamIsCapturing, stream_is_capturing)(nullptr, &status), 906);
  void* graph = nullptr;
  EXPECT_EQ(CALL(cuStreamEndCapture, stream_end_capture)(blocking, &graph), 0);
  EXPECT_EQ(CALL(cuGraphDestroy, graph_destroy)(graph), 0);
  EXPECT_EQ(CALL(cuStreamDestroy, stream_destroy)(blocking), 0);
}

TEST_F(DriverGraphs, a_graph_keeps_captured_parameters_until_it_is_updated) {
  void* graphs[2] = {};
  for (std::uint32_t value : {5U, 6U}) {
    begin();
    store(stream_, value);
    graphs[value - 5] = end();
  }
  void* const executable = instantiate(graphs[0]);
  run(executable);
  EXPECT_EQ(read(data_, 1), values{5});
  abi::GraphUpdate result{};
  ASSERT_EQ(CALL(cuGraphExecUpdate, executable_update)(executable, graphs[1], &result), 0);
  run(executable);
  EXPECT_EQ(read(data_, 1), values{6});
  begin();
  store(stream_, 7);
  fill(stream_, 8);
  void* const longer = end();
  EXPECT_EQ(CALL(cuGraphExecUpdate, executable_update)(executable, longer, &result), 910);
  EXPECT_EQ(result.result, 2);
  for (void* const graph : {graphs[1], longer}) {
    EXPECT_EQ(CALL(cuGraphDestroy, graph_destroy)(graph), 0);
  }
  destroy(executable, graphs[0]);
}

TEST_F(DriverGraphs, nodes_run_in_the_order_of_their_dependencies) {
  void* graph = nullptr;
  ASSERT_EQ(CALL(cuGraphCreate, graph_create)(&graph, 0), 0);
  std::uint32_t value = 2;
  void* arguments[] = {&data_, &value};
  abi::KernelNode kernel_of{};
  kernel_of.function = kernel(library_, "store");
  kernel_of.grid = {1, 1, 1};
  kernel_of.block = {1, 1, 1};
  kernel_of.arguments = arguments;
  void* second = nullptr;
  ASSERT_EQ(CALL(cuGraphAddKernelNode, graph_add_kernel)(&second, graph, nullptr, 0, &kernel_of),
            0);
  value = 99;  // copied when the node was added
  const abi::FillNode fill_of{data_, 0, 1, 4, 4, 1};
  void* first = nullptr;
  ASSERT_EQ(
      CALL(cuGraphAddMemsetNode, graph_add_fill)(&first, graph, nullptr, 0, &fill_of, nullptr), 0);
  ASSERT_EQ(
      CALL(cuGraphAddDependencies, graph_add_dependencies)(graph, &first, &second, nullptr, 1), 0);
  values host(4);
  abi::Copy3d copy_of{};
  copy_of.source.kind = abi::MemoryKind::device;
  copy_of.source.device = data_;
  copy_of.target.kind = abi::MemoryKind::host;
  copy_of.target.host = host.data();
  copy_of.width_bytes = 16;
  copy_of.height = copy_of.depth = 1;
  void* third = nullptr;
  ASSERT_EQ(
      CALL(cuGraphAddMemcpyNode, graph_add_copy)(&third, graph, &second, 1, &copy_of, nullptr), 0);
  static std::atomic<int> calls{0};
  const abi::HostNode host_of{[](void* user_data) { calls += *static_cast<int*>(user_data); },
                              nullptr};
  int increment = 10;
  abi::NodeParameters any{};
  any.kind = 3;  // a host function
  any.host = {host_of.function, &increment};
  void* fourth = nullptr;
  ASSERT_EQ(CALL(cuGraphAddNode, graph_add_node)(&fourth, graph, &third, nullptr, 1, &any), 0);
  std::size_t roots = 0;
  ASSERT_EQ(CALL(cuGraphGetRootNodes, graph_get_root_nodes)(graph, nullptr, &roots), 0);
  EXPECT_EQ(roots, 1);
  void* clone = nullptr;
  ASSERT_EQ(CALL(cuGraphClone, graph_clone)(&clone, graph), 0);
  for (void* const launched_graph : {graph, clone}) {
    void* const executable = instantiate(launched_graph);
    fill(stream_, 0);
    run(executable);
    EXPECT_EQ(host, (values{2, 1, 1, 1}));
    destroy(executable, launched_graph);
  }
  EXPECT_EQ(calls.load(), 20);
}

TEST_F(DriverGraphs, kernel_nodes_take_the_parameters_of_cuda_10) {
  const Client& client = Client::instance();
  const auto add = client.find<decltype(graph_add_kernel_v1)>("cuGraphAddKernelNode", 10020);
  const auto set = client.find<decltype(graph_set_kernel_v1)>("cuGraphKernelNodeSetParams", 10020);
  const auto set_step =
      client.find<decltype(executable_set_kernel_v1)>("cuGraphExecKernelNodeSetParams", 10020);
  void* graph = nullptr;
  ASSERT_EQ(CALL(cuGraphCreate, graph_create)(&graph, 0), 0);
  std::uint32_t value = 2;
  void* arguments[] = {&data_, &value};
  // A function, not a kernel, which the structure of CUDA 10 cannot name.
  void* function = nullptr;
  ASSERT_EQ(CALL(cuKernelGetFunction, kernel_get_function)(&function, kernel(library_, "store")),
            0);
  const abi::KernelNodeV1 stores{function, {1, 1, 1}, {1, 1, 1}, 0, arguments, nullptr};
  void* node = nullptr;
  ASSERT_EQ(add(&node, graph, nullptr, 0, &stores), 0);
  value = 3;
  ASSERT_EQ(set(node, &stores), 0);
  void* const executable = instantiate(graph);
  run(executable);
  EXPECT_EQ(read(data_, 1), (values{3}));
  value = 4;
  ASSERT_EQ(set_step(executable, node, &stores), 0);
  run(executable);
  EXPECT_EQ(read(data_, 1), (values{4}));
  EXPECT_EQ(set(node, nullptr), 1);
  EXPECT_EQ(set_step(executable, node, nullptr), 1);
  destroy(executable, graph);
}

TEST_F(DriverGraphs, cycles_are_rejected) {
  void* graph = nullptr;
  void* nodes[2] = {};
  void* executable = nullptr;
  ASSERT_EQ(CALL(cuGraphCreate, graph_create)(&graph, 0), 0);
  for (void*& node : nodes) {
    ASSERT_EQ(CALL(cuGraphAddEmptyNode, graph_add_empty)(&node, graph, nullptr, 0), 0);
  }
  void* const dependent_nodes[] = {nodes[1], nodes[0]};
  ASSERT_EQ(CALL(cuGraphAddDependencies, graph_add_dependencies)(graph, nodes, dependent_nodes,
                                                                 nullptr, 2),
            0);
  EXPECT_EQ(CALL(cuGraphInstantiate, graph_instantiate)(&executable, graph, 0), 1);
  EXPECT_EQ(CALL(cuGraphDestroy, graph_destroy)(graph), 0);
}

TEST_F(DriverGraphs, captured_allocations_live_as_long_as_their_graph) {
  begin();
  address scratch = 0;
  ASSERT_EQ(CALL(cuMemAllocAsync, pool_allocate)(&scratch, 16, stream_), 0);
  ASSERT_EQ(CALL(cuMemcpyDtoDAsync, copy_on_device_async)(scratch, data_, 16, stream_), 0);
  ASSERT_EQ(launch(kernel(library_, "store"), 1, 1, scratch, 8, stream_), 0);
  ASSERT_EQ(CALL(cuMemcpyDtoDAsync, copy_on_device_async)(data_, scratch, 16, stream_), 0);
  ASSERT_EQ(CALL(cuMemFreeAsync, pool_free)(scratch, stream_), 0);
  void* const graph = end();
  EXPECT_EQ(nodes(graph), 5);
  void* const executable = instantiate(graph);
  fill(stream_, 1);
  run(executable);
  EXPECT_EQ(read(data_, 2), (values{8, 1}));
  std::uint64_t used = 0;
  const auto find_used = [&] {
    return CALL(cuDeviceGetGraphMemAttribute, graph_memory_get_attribute)(0, 0, &used);
  };
  ASSERT_EQ(find_used(), 0);
  EXPECT_EQ(used, 16);
  destroy(executable, graph);
  ASSERT_EQ(find_used(), 0);
  EXPECT_EQ(used, 0);
}

}  // namespace
}  // namespace skerry::emulation::driver
