// Limits by setrlimit, system calls by a seccomp filter: those that open sockets, start programs, look into other processes or
// change files are answered with EPERM, so that a library that tries one goes on without.
#include "import/sandbox.h"

#include "base/format.h"
#include "import/limits.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <system_error>
#include <vector>

namespace ladder::imports {
namespace {

#if defined(__x86_64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "the sandbox knows x86-64 and arm64 only: add the architecture's name from linux/audit.h"
#endif

constexpr std::array kForbidden = {
    // the network, and what can stand in for it
    SYS_socket,
    SYS_socketpair,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_accept,
    SYS_accept4,
    SYS_io_uring_setup,
    // other programs and processes
    SYS_execve,
    SYS_execveat,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_kill,
    SYS_tkill,
    SYS_pidfd_open,
    SYS_unshare,
    SYS_setns,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_keyctl,
    SYS_add_key,
    SYS_userfaultfd,
    // changes on disk
    SYS_unlinkat,
    SYS_renameat2,
    SYS_linkat,
    SYS_symlinkat,
    SYS_mkdirat,
    SYS_mknodat,
    SYS_fchmodat,
    SYS_fchownat,
    SYS_truncate,
    SYS_ftruncate,
    SYS_mount,
    SYS_umount2,
    SYS_chroot,
    SYS_pivot_root,
    SYS_setxattr,
#if defined(__x86_64__)
    SYS_unlink,
    SYS_rename,
    SYS_renameat,
    SYS_link,
    SYS_symlink,
    SYS_mkdir,
    SYS_rmdir,
    SYS_mknod,
    SYS_chmod,
    SYS_chown,
    SYS_creat,
    SYS_fork,
    SYS_vfork,
#endif
};

// Opening for writing is told by the flags; O_RDONLY is 0.
constexpr unsigned kWritingFlags = 03 | 0100 | 01000;  // access mode, O_CREAT, O_TRUNC

void add_refusal(std::vector<sock_filter>& program) { program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)); }

void load(std::vector<sock_filter>& program, std::size_t offset) {
  program.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offset)));
}

// An open call whose flags are argument number `argument`.
void add_open_rule(std::vector<sock_filter>& program, long call, std::size_t argument) {
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 4));
  load(program, offsetof(seccomp_data, args) + argument * sizeof(std::uint64_t));
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, kWritingFlags, 0, 1));
  add_refusal(program);
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
}

Status filter_calls() {
  std::vector<sock_filter> program;
  load(program, offsetof(seccomp_data, arch));
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0));
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
  load(program, offsetof(seccomp_data, nr));
#if defined(__x86_64__)
  // Calls of the x32 convention have numbers of their own.
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1));
  add_refusal(program);
  add_open_rule(program, SYS_open, 1);
#endif
  add_open_rule(program, SYS_openat, 2);
  for (const long call : kForbidden) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1));
    add_refusal(program);
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    return fail(Code::kInternal,
                format("the system does not let the extractor give up its rights: {}", std::generic_category().message(errno)));
  }
  return {};
}

Status limit(__rlimit_resource what, rlim_t most) {
  rlimit now{};
  getrlimit(what, &now);
  const rlim_t hard = std::min(now.rlim_max, most);
  const rlimit wanted{hard, hard};
  if (setrlimit(what, &wanted) == 0) return {};
  return fail(Code::kInternal, format("the system refuses a limit: {}", std::generic_category().message(errno)));
}

}  // namespace

Status enter_sandbox() {
#if !defined(__SANITIZE_ADDRESS__)  // its shadow memory alone is larger
  LADDER_CHECK(limit(RLIMIT_AS, limits::kChildAddressBytes));
#endif
  LADDER_CHECK(limit(RLIMIT_NOFILE, limits::kChildFiles));
  LADDER_CHECK(limit(RLIMIT_FSIZE, 0));
  LADDER_CHECK(limit(RLIMIT_CORE, 0));
  renew_cpu_limit();
  return filter_calls();
}

void renew_cpu_limit() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  rlimit now{};
  getrlimit(RLIMIT_CPU, &now);
  const auto seconds = static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec + limits::kChildCpuSeconds + 1);
  now.rlim_cur = std::min(now.rlim_max, seconds);
  setrlimit(RLIMIT_CPU, &now);
}

}  // namespace ladder::imports
