// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
// A plugin of QEMU (its interface of version 1): writes the number of instructions executed so far
// to standard error whenever the program makes the system call whose number is the plugin's
// argument, `call=173`.
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t plugin_id;
struct translated_block;
struct machine_information;

// Of QEMU, whose header is in no package.
enum { add_to_counter = 0 };
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id,
                                           void (*)(plugin_id, struct translated_block*));
size_t qemu_plugin_tb_n_insns(const struct translated_block*);
void qemu_plugin_register_vcpu_tb_exec_inline(struct translated_block*, int, void*, uint64_t);
typedef void (*syscall_callback)(plugin_id, unsigned, int64_t, uint64_t, uint64_t, uint64_t,
                                 uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
void qemu_plugin_register_vcpu_syscall_cb(plugin_id, syscall_callback);

static uint64_t executed;
static int64_t marking_call;

static void count_block(plugin_id id, struct translated_block* block) {
  (void)id;
  qemu_plugin_register_vcpu_tb_exec_inline(block, add_to_counter, &executed,
                                           qemu_plugin_tb_n_insns(block));
}

static void write_count(plugin_id id, unsigned cpu, int64_t number, uint64_t a, uint64_t b,
                        uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g, uint64_t h) {
  (void)id, (void)cpu, (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g, (void)h;
  if (number == marking_call) fprintf(stderr, "%" PRIu64 "\n", executed);
}

int qemu_plugin_version = 1;

int qemu_plugin_install(plugin_id id, const struct machine_information* machine, int count,
                        char** arguments) {
  (void)machine;
  const char* const value = count == 1 ? strchr(arguments[0], '=') : NULL;
  if (value == NULL) return 1;
  marking_call = atoll(value + 1);
  qemu_plugin_register_vcpu_tb_trans_cb(id, count_block);
  qemu_plugin_register_vcpu_syscall_cb(id, write_count);
  return 0;
}
