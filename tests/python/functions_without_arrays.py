# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Public functions and classes without array parameters, by what a call does: the tests of all functions leave them out.

A new function of these kinds is added here, and nowhere else in the tests that walk all functions.
"""

#: Valid calls change what other tests and threads find: devices, allocators, limits.
CHANGE_THE_PROCESS = {
    "rehearse",
    "set_allocator",
    "set_default_device",
    "set_memory_limit",
    "set_num_threads",
}
#: Valid calls import another library.
IMPORT_LIBRARIES = {"cupy_allocator", "rmm", "torch_allocator"}
#: Take functions of the caller.
TAKE_FUNCTIONS = {"capture", "fuse"}
#: Pass memory to another process.
SHARE_MEMORY = {"ipc_handle", "open_ipc"}
#: Return addresses, or text and events of the whole process, which no other call repeats.
REPORT_ON_THE_PROCESS = {"cuda_allocator_functions", "memory_snapshot", "show_config"}
#: Harmless calls about a device or its streams.
ABOUT_DEVICES = {
    "current_stream",
    "default_device",
    "devices",
    "get_num_threads",
    "memory_statistics",
    "reset_peak",
    "synchronize",
    "trim",
}
#: Classes that are entered by ``with``.
SCOPES = {"guard", "ipc_pickling", "profile", "strict_promotion"}
#: Classes that functions above return.
RESULTS = {"Graph", "IpcHandle"}

#: Functions that are called with invalid arguments only, apart from their own tests.
NOT_CALLED = (
    CHANGE_THE_PROCESS | IMPORT_LIBRARIES | TAKE_FUNCTIONS | SHARE_MEMORY | REPORT_ON_THE_PROCESS
)
FUNCTIONS = NOT_CALLED | ABOUT_DEVICES
CLASSES = SCOPES | RESULTS
