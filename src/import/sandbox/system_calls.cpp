// The allow-list of system calls. Some calls are allowed only with the arguments listed here. Calls whose arguments are in
// memory, where a filter cannot check them (openat2, clone3), fail with ENOSYS, so that the C library falls back to the older
// call.
#include "base/text/format.h"
#include "import/sandbox/layers.h"

#include <fcntl.h>
#include <linux/prctl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <memory>
#include <system_error>

namespace ladder::imports {
namespace {

// Calls that affect only this process and its open files.
constexpr std::array kAllowed = {
    // open files
    SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(pread64), SCMP_SYS(write), SCMP_SYS(writev), SCMP_SYS(lseek), SCMP_SYS(close),
    SCMP_SYS(fadvise64), SCMP_SYS(dup), SCMP_SYS(pipe2), SCMP_SYS(poll), SCMP_SYS(ppoll), SCMP_SYS(getdents64),
    // file metadata, limited by the file view
    SCMP_SYS(fstat), SCMP_SYS(stat), SCMP_SYS(lstat), SCMP_SYS(newfstatat), SCMP_SYS(statx), SCMP_SYS(fstatfs),
    SCMP_SYS(readlink), SCMP_SYS(readlinkat), SCMP_SYS(access), SCMP_SYS(faccessat), SCMP_SYS(getcwd),
    // memory
    SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise),
    // this process
    SCMP_SYS(exit), SCMP_SYS(exit_group), SCMP_SYS(wait4), SCMP_SYS(getpid), SCMP_SYS(getppid), SCMP_SYS(gettid),
    SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getgid), SCMP_SYS(getegid), SCMP_SYS(getrusage), SCMP_SYS(getrlimit),
    SCMP_SYS(setrlimit), SCMP_SYS(set_tid_address), SCMP_SYS(set_robust_list), SCMP_SYS(rseq), SCMP_SYS(futex),
    SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity), SCMP_SYS(sysinfo), SCMP_SYS(uname), SCMP_SYS(getrandom),
    SCMP_SYS(restart_syscall),
    // signals to itself, and time
    SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack), SCMP_SYS(alarm),
    SCMP_SYS(setitimer), SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(gettimeofday), SCMP_SYS(time),
    SCMP_SYS(nanosleep), SCMP_SYS(clock_nanosleep), SCMP_SYS(times)};

constexpr std::array kAbsent = {SCMP_SYS(openat2), SCMP_SYS(clone3), SCMP_SYS(faccessat2), SCMP_SYS(close_range)};

// O_RDONLY is 0, so a call reads only if none of these flags is set.
constexpr unsigned kWritingFlags = O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY);

constexpr std::array kFcntl = {F_GETFD, F_SETFD, F_GETFL, F_DUPFD, F_DUPFD_CLOEXEC};
constexpr std::array kPrctl = {PR_SET_PDEATHSIG, PR_SET_NAME, PR_SET_VMA};

// The flags of glibc's fork(): a process without threads or namespaces.
constexpr unsigned long kForkFlags = CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD;

class Filter {
 public:
  explicit Filter(std::uint32_t otherwise = SCMP_ACT_ERRNO(EPERM)) : context_(seccomp_init(otherwise), seccomp_release) {
    if (!context_) problem_ = ENOMEM;
    note(seccomp_attr_set(context_.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS));
    note(seccomp_attr_set(context_.get(), SCMP_FLTATR_CTL_TSYNC, 1));
  }
  void allow(int call) { note(seccomp_rule_add_array(context_.get(), SCMP_ACT_ALLOW, call, 0, nullptr)); }
  void allow(int call, const scmp_arg_cmp& when) { note(seccomp_rule_add_array(context_.get(), SCMP_ACT_ALLOW, call, 1, &when)); }
  void allow(int call, const scmp_arg_cmp& when, const scmp_arg_cmp& and_when) {
    const std::array both = {when, and_when};
    note(seccomp_rule_add_array(context_.get(), SCMP_ACT_ALLOW, call, both.size(), both.data()));
  }
  void deny(int call, int problem) {
    note(seccomp_rule_add_array(context_.get(), SCMP_ACT_ERRNO(static_cast<std::uint32_t>(problem)), call, 0, nullptr));
  }
  void deny(int call, const scmp_arg_cmp& when) {
    note(seccomp_rule_add_array(context_.get(), SCMP_ACT_ERRNO(EPERM), call, 1, &when));
  }
  Status load() {
    if (problem_ == 0) note(seccomp_load(context_.get()));
    if (problem_ == 0) return {};
    return fail(Code::kInternal,
                format("the extractor cannot drop its privileges: {}", std::generic_category().message(problem_)));
  }

 private:
  void note(int result) {
    if (result < 0 && problem_ == 0) problem_ = -result;
  }

  std::unique_ptr<void, void (*)(scmp_filter_ctx)> context_;
  int problem_ = 0;
};

scmp_arg_cmp equals(unsigned argument, std::uint64_t value) { return {argument, SCMP_CMP_EQ, value, 0}; }
// The kernel reads an int: a program could set the upper half to anything.
scmp_arg_cmp equals_int(unsigned argument, int value) {
  return {argument, SCMP_CMP_MASKED_EQ, 0xFFFFFFFF, static_cast<unsigned>(value)};
}
scmp_arg_cmp differs(unsigned argument, std::uint64_t value) { return {argument, SCMP_CMP_NE, value, 0}; }
scmp_arg_cmp has(unsigned argument, std::uint64_t bits) { return {argument, SCMP_CMP_MASKED_EQ, bits, bits}; }
scmp_arg_cmp lacks(unsigned argument, std::uint64_t bits) { return {argument, SCMP_CMP_MASKED_EQ, bits, 0}; }

// Calls that reach other processes, memory shared with them, namespaces or the kernel.
constexpr std::array kDenied = {SCMP_SYS(ptrace),
                                SCMP_SYS(process_vm_readv),
                                SCMP_SYS(process_vm_writev),
                                SCMP_SYS(process_madvise),
                                SCMP_SYS(pidfd_open),
                                SCMP_SYS(pidfd_getfd),
                                SCMP_SYS(pidfd_send_signal),
                                SCMP_SYS(kcmp),
                                SCMP_SYS(kill),
                                SCMP_SYS(tkill),
                                SCMP_SYS(rt_sigqueueinfo),
                                SCMP_SYS(rt_tgsigqueueinfo),
                                SCMP_SYS(unshare),
                                SCMP_SYS(setns),
                                SCMP_SYS(mount),
                                SCMP_SYS(umount2),
                                SCMP_SYS(pivot_root),
                                SCMP_SYS(chroot),
                                SCMP_SYS(move_mount),
                                SCMP_SYS(open_tree),
                                SCMP_SYS(fsopen),
                                SCMP_SYS(fsmount),
                                SCMP_SYS(mount_setattr),
                                SCMP_SYS(open_by_handle_at),
                                SCMP_SYS(name_to_handle_at),
                                SCMP_SYS(bpf),
                                SCMP_SYS(perf_event_open),
                                SCMP_SYS(userfaultfd),
                                SCMP_SYS(add_key),
                                SCMP_SYS(request_key),
                                SCMP_SYS(keyctl),
                                SCMP_SYS(init_module),
                                SCMP_SYS(finit_module),
                                SCMP_SYS(delete_module),
                                SCMP_SYS(kexec_load),
                                SCMP_SYS(kexec_file_load),
                                SCMP_SYS(reboot),
                                SCMP_SYS(swapon),
                                SCMP_SYS(swapoff),
                                SCMP_SYS(acct),
                                SCMP_SYS(quotactl),
                                SCMP_SYS(syslog),
                                SCMP_SYS(setsid),
                                SCMP_SYS(setpgid),
                                SCMP_SYS(setpriority),
                                SCMP_SYS(ioprio_set),
                                SCMP_SYS(shmget),
                                SCMP_SYS(shmat),
                                SCMP_SYS(shmctl),
                                SCMP_SYS(semget),
                                SCMP_SYS(semop),
                                SCMP_SYS(semtimedop),
                                SCMP_SYS(semctl),
                                SCMP_SYS(msgget),
                                SCMP_SYS(msgsnd),
                                SCMP_SYS(msgrcv),
                                SCMP_SYS(msgctl),
                                SCMP_SYS(mq_open),
                                SCMP_SYS(mq_unlink)};
// Calls for a process; 0 is the calling one.
constexpr std::array kOnlyItself = {SCMP_SYS(prlimit64),      SCMP_SYS(sched_setaffinity), SCMP_SYS(sched_setscheduler),
                                    SCMP_SYS(sched_setparam), SCMP_SYS(sched_setattr),     SCMP_SYS(migrate_pages),
                                    SCMP_SYS(move_pages)};
// They name a process that receives signals about a file.
constexpr std::array kFileOwner = {F_SETOWN, F_SETOWN_EX};
constexpr std::array kSocketOwner = {FIOSETOWN, SIOCSPGRP};
constexpr std::array kRings = {SCMP_SYS(io_uring_setup), SCMP_SYS(io_uring_enter), SCMP_SYS(io_uring_register)};
constexpr std::array kNamespaceFlags = {CLONE_NEWNS,   CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
                                        CLONE_NEWUSER, CLONE_NEWPID,    CLONE_NEWNET};
constexpr std::array kInternet = {AF_INET, AF_INET6, AF_NETLINK};  // netlink: to look up names
constexpr int kFamilies = 64;
static_assert(AF_MAX <= kFamilies && (SOCK_STREAM & SOCK_DGRAM) == 0 && (SOCK_SEQPACKET & SOCK_DGRAM) == 0);

}  // namespace

Status deny_system_calls(bool network, bool own_processes) {
  Filter filter(SCMP_ACT_ALLOW);
  for (const int call : kDenied) filter.deny(call, EPERM);
  // Sockets could otherwise be opened through a ring, and new namespaces through clone3; both fall back to older calls.
  for (const int call : kRings) filter.deny(call, ENOSYS);
  filter.deny(SCMP_SYS(clone3), ENOSYS);
  for (const int flag : kNamespaceFlags) {
    const auto bits = static_cast<std::uint64_t>(static_cast<unsigned>(flag));
    filter.deny(SCMP_SYS(clone), has(0, bits));
  }
  for (const int call : kOnlyItself) filter.deny(call, differs(0, 0));
  if (!own_processes) filter.deny(SCMP_SYS(tgkill), differs(0, static_cast<std::uint64_t>(getpid())));
  for (const int command : kFileOwner) filter.deny(SCMP_SYS(fcntl), equals_int(1, command));
  for (const int request : kSocketOwner) filter.deny(SCMP_SYS(ioctl), equals_int(1, request));
  // Only connected pairs (SOCK_STREAM, SOCK_SEQPACKET) remain: a datagram socket of a pair can send to any address.
  filter.deny(SCMP_SYS(socketpair), has(1, SOCK_DGRAM));
  if (network) {
    // Other families lead to other programs of the owner, such as the session bus. The kernel knows fewer than kFamilies.
    for (int family = 0; family < kFamilies; ++family) {
      if (std::ranges::find(kInternet, family) == kInternet.end()) filter.deny(SCMP_SYS(socket), equals_int(0, family));
    }
  } else {
    filter.deny(SCMP_SYS(socket), EPERM);
  }
  return filter.load();
}

Status allow_system_calls() {
  Filter filter;
  for (const int call : kAllowed) filter.allow(call);
  for (const int call : kAbsent) filter.deny(call, ENOSYS);
  // Memory is writable or executable, never both. Code comes from files, which this process cannot write (iconv loads charsets
  // this way). Memory that was written cannot become executable later.
  filter.allow(SCMP_SYS(mmap), lacks(2, PROT_EXEC));
  filter.allow(SCMP_SYS(mmap), scmp_arg_cmp{2, SCMP_CMP_MASKED_EQ, PROT_WRITE | PROT_EXEC, PROT_EXEC}, lacks(3, MAP_ANONYMOUS));
  filter.allow(SCMP_SYS(mprotect), lacks(2, PROT_EXEC));
  filter.allow(SCMP_SYS(open), lacks(1, kWritingFlags));
  filter.allow(SCMP_SYS(openat), lacks(2, kWritingFlags));
  for (const int command : kFcntl) filter.allow(SCMP_SYS(fcntl), equals(1, static_cast<std::uint64_t>(command)));
  for (const int option : kPrctl) filter.allow(SCMP_SYS(prctl), equals(0, static_cast<std::uint64_t>(option)));
  filter.allow(SCMP_SYS(clone), equals(0, kForkFlags));
  filter.allow(SCMP_SYS(prlimit64), equals(0, 0));  // only for itself
  // For abort() and raise() of this process. A forked process dies at the instruction after them.
  filter.allow(SCMP_SYS(tgkill), equals(0, static_cast<std::uint64_t>(getpid())));
#if defined(LADDER_SANITIZED)
  filter.allow(SCMP_SYS(sched_getparam));
  filter.allow(SCMP_SYS(sched_getscheduler));
  filter.allow(SCMP_SYS(mincore));
  filter.allow(SCMP_SYS(personality), equals(0, 0xFFFFFFFF));
#endif
  return filter.load();
}

}  // namespace ladder::imports
