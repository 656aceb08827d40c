// SPDX-License-Identifier: MIT
// fence.c - bubblewrap's command line, Landlock's rules, and one system-call filter for both.
//
// Not modelled: what the kernel itself lets through.
// Not here: which rung works (probe.c).
#define _GNU_SOURCE
#include "fence.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FILTER_DESCRIPTOR = 99, MAX_ARGUMENTS = 192 };
#define INSIDE "/submission"

static grade_fence current = GRADE_FENCE_LIMITS;
static const char *const names[] = {"limits", "landlock", "bubblewrap"};
static const char *const system_paths[] = {
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/alternatives", "/etc/ld.so.cache"};
enum { N_SYSTEM_PATHS = sizeof system_paths / sizeof *system_paths };

const char *grade_fence_name(grade_fence fence) { return names[fence]; }
grade_fence grade_fence_current(void) { return current; }
void grade_fence_set(grade_fence fence) { current = fence; }

const char *grade_fence_about(void) {
  static const char *const about[] = {
      "limits of time, memory and file size only; the compiler can read what you can read",
      ("Landlock and seccomp: no file but the system's and the submission's own, no network; that "
       "a file exists can be learned"),
      ("a name space of its own: no file but the system's and the submission's own, no network, no "
       "other process")};
  return about[current];
}

const char *grade_fence_inside(const char *work) {
  return current == GRADE_FENCE_BUBBLEWRAP ? INSIDE : work;
}

// --- the system-call filter ----------------------------------------------------------------------

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

// What neither a compiler nor a suite needs, and what ways out of sandboxes are made of.
static const int refused_calls[] = {
    SYS_socket,
    SYS_socketpair,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_unshare,
    SYS_setns,
    SYS_process_vm_writev,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_userfaultfd,
    SYS_kexec_load,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_open_by_handle_at,
    SYS_personality,
    SYS_swapon,
    SYS_reboot,
    SYS_chroot,
    SYS_acct,
    SYS_quotactl,
#ifdef SYS_io_uring_setup
    SYS_io_uring_setup,
#endif
#ifdef SYS_pidfd_getfd
    SYS_pidfd_getfd,
#endif
#ifdef SYS_move_mount
    SYS_move_mount,
    SYS_open_tree,
    SYS_fsopen,
#endif
};
enum { N_REFUSED = sizeof refused_calls / sizeof *refused_calls, MAX_FILTER = N_REFUSED + 16 };

// Returns the number of instructions; 0: this architecture has no filter.
static unsigned make_filter(struct sock_filter filter[MAX_FILTER]) {
  unsigned n = 0;
#ifdef ARCHITECTURE
  const unsigned error = SECCOMP_RET_ERRNO | (EPERM & SECCOMP_RET_DATA);
#define STATEMENT(code, k) filter[n++] = (struct sock_filter)BPF_STMT(code, k)
#define JUMP(code, k, yes, no) filter[n++] = (struct sock_filter)BPF_JUMP(code, k, yes, no)
  STATEMENT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
  JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
  STATEMENT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  STATEMENT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1); // x86's second table
  STATEMENT(BPF_RET | BPF_K, error);
  for (unsigned i = 0; i < N_REFUSED; i++) {
    JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)refused_calls[i], 0, 1);
    STATEMENT(BPF_RET | BPF_K, error);
    if (n + 4 >= MAX_FILTER) break;
  }
  STATEMENT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
#undef STATEMENT
#undef JUMP
#else
  (void)filter;
#endif
  return n;
}

// For bubblewrap, which reads the filter from a descriptor.
static bool open_filter(void) {
  struct sock_filter filter[MAX_FILTER];
  size_t n_bytes = make_filter(filter) * sizeof *filter;
  int fd = memfd_create("filter", 0);
  bool made = fd >= 0 && write(fd, filter, n_bytes) == (ssize_t)n_bytes &&
              lseek(fd, 0, SEEK_SET) == 0 && dup2(fd, FILTER_DESCRIPTOR) >= 0;
  if (fd >= 0) close(fd);
  return made;
}

static bool enter_filter(void) {
  struct sock_filter filter[MAX_FILTER];
  struct sock_fprog program = {.len = (unsigned short)make_filter(filter), .filter = filter};
  return program.len == 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// --- Landlock ------------------------------------------------------------------------------------

enum {
  READ_ACCESS =
      LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
  FILE_ACCESS =
      LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE
};

static uint64_t all_access(void) {
  long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (abi < 1) return 0;
  uint64_t all = (UINT64_C(1) << 13) - 1;
  if (abi >= 2) all |= UINT64_C(1) << 13; // moving between folders
  if (abi >= 3) all |= UINT64_C(1) << 14; // truncation
  return all;
}

// What does not exist need not be allowed.
static bool allow(int rules, const char *path, uint64_t access) {
  struct stat info;
  int fd = open(path, O_PATH | O_CLOEXEC);
  if (fd < 0) return true;
  if (fstat(fd, &info) == 0 && !S_ISDIR(info.st_mode)) access &= FILE_ACCESS | UINT64_C(1) << 14;
  struct landlock_path_beneath_attr beneath = {.allowed_access = access, .parent_fd = fd};
  bool allowed =
      syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) == 0;
  close(fd);
  return allowed;
}

static bool enter_landlock(const grade_command *command) {
  uint64_t all = all_access();
  struct landlock_ruleset_attr attributes = {.handled_access_fs = all};
  int rules =
      all ? (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0) : -1;
  if (rules < 0) return false;
  bool good =
      allow(rules, command->directory, all) &&
      allow(rules, "/dev/null", LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE);
  for (size_t i = 0; i < N_SYSTEM_PATHS; i++)
    good = good && allow(rules, system_paths[i], READ_ACCESS);
  for (const char *const *path = command->readable; path && *path; path++)
    good = good && allow(rules, *path, READ_ACCESS);
  good = good && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_landlock_restrict_self, rules, 0) == 0;
  close(rules);
  return good && enter_filter();
}

bool grade_fence_enter(const grade_command *command) {
  if (current == GRADE_FENCE_BUBBLEWRAP) return open_filter();
  if (current == GRADE_FENCE_LANDLOCK) return enter_landlock(command);
  return true;
}

// --- bubblewrap ----------------------------------------------------------------------------------

typedef struct arguments {
  const char **list;
  size_t n;
} arguments;

static void add(arguments *a, const char *one, const char *two, const char *three) {
  const char *const all[] = {one, two, three};
  for (size_t i = 0; i < 3; i++)
    if (all[i] && a->n + 1 < MAX_ARGUMENTS) a->list[a->n++] = all[i];
}

// /bin may be a folder, or a link into /usr.
static void add_system(arguments *a) {
  static char targets[N_SYSTEM_PATHS][64];
  struct stat info;
  for (size_t i = 0; i < N_SYSTEM_PATHS; i++) {
    const char *path = system_paths[i];
    if (lstat(path, &info) != 0) continue;
    ssize_t n = S_ISLNK(info.st_mode) ? readlink(path, targets[i], sizeof targets[i] - 1) : 0;
    if (n > 0) targets[i][n] = '\0';
    if (n > 0) add(a, "--symlink", targets[i], path);
    else add(a, "--ro-bind", path, path);
  }
}

static const char **bubblewrap_argv(const grade_command *command) {
  static const char *const first[] = {"/usr/bin/bwrap",
                                      "--unshare-all",
                                      "--unshare-user",
                                      "--disable-userns",
                                      "--die-with-parent",
                                      "--new-session",
                                      "--cap-drop",
                                      "ALL",
                                      "--hostname",
                                      "grade",
                                      "--seccomp",
                                      "99",
                                      "--proc",
                                      "/proc",
                                      "--dir",
                                      "/dev",
                                      "--dev-bind",
                                      "/dev/null",
                                      "/dev/null",
                                      "--symlink",
                                      "/proc/self/fd",
                                      "/dev/fd",
                                      "--size",
                                      "268435456",
                                      "--tmpfs",
                                      "/tmp"};
  arguments a = {.list = calloc(MAX_ARGUMENTS, sizeof *a.list)};
  if (!a.list) return NULL;
  for (size_t i = 0; i < sizeof first / sizeof *first; i++) a.list[a.n++] = first[i];
  add_system(&a);
  for (const char *const *path = command->readable; path && *path; path++)
    add(&a, "--ro-bind-try", *path, *path);
  add(&a, "--bind", command->directory, INSIDE);
  add(&a, "--chdir", INSIDE, "--");
  for (const char *const *one = command->argv; *one; one++) add(&a, *one, NULL, NULL);
  return a.list;
}

const char **grade_fence_argv(const grade_command *command) {
  if (command->fenced && current == GRADE_FENCE_BUBBLEWRAP) return bubblewrap_argv(command);
  size_t n = 0;
  while (command->argv[n]) n++;
  const char **list = calloc(n + 1, sizeof *list);
  for (size_t i = 0; list && i < n; i++) list[i] = command->argv[i];
  return list;
}
