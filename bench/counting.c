/* Counts the instructions of an emulated program: a plugin of qemu (bench/instructions.py), which says at the end how
 * many there were. What qemu offers is declared here, as Debian has no package with its header.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;

extern void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, struct qemu_plugin_tb *));
extern void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *, void (*)(unsigned, void *), int, void *);
extern void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, void *), void *);
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int qemu_plugin_version = 1;

static uint64_t count;

static void ran(unsigned cpu, void *instructions)
{
    (void)cpu;
    __atomic_fetch_add(&count, (uint64_t)(uintptr_t)instructions, __ATOMIC_RELAXED);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
    (void)id;
    /* 0: a callback that reads no registers. */
    qemu_plugin_register_vcpu_tb_exec_cb(block, ran, 0, (void *)(uintptr_t)qemu_plugin_tb_n_insns(block));
}

static void ended(qemu_plugin_id_t id, void *none)
{
    (void)id;
    (void)none;
    fprintf(stderr, "instructions: %llu\n", (unsigned long long)count);
}

EXPORTED int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int words, char **told)
{
    (void)info;
    (void)words;
    (void)told;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}
