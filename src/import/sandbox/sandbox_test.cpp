// Tests the sandbox from inside, in separate processes, like an attacker who has taken over a parsing library.
#include "import/sandbox/sandbox.h"

#include "base/time/time_zone.h"
#include "import/sandbox/forked_task.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <iconv.h>
#include <linux/openat2.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>

namespace ladder::imports {
namespace {

namespace fs = std::filesystem;

constexpr int kNotGranted = 77;  // this machine does not support the required layer
constexpr unsigned kNobody = 65534;

struct Case {
  std::string name;
  bool file_view, landlock, as_nobody;
};

// An export that may be read, a secret next to it that may not, and an attempt in the sandbox.
class Sandbox : public ::testing::TestWithParam<Case> {
 protected:
  Sandbox() : home_(make_home()), inside_(home_ / "export"), secret_(home_ / "secret.txt") {
    fs::create_directory(inside_);
    std::ofstream(inside_ / "note.md") << "hello";
    std::ofstream(secret_) << "secret";
    fs::permissions(inside_ / "note.md", fs::perms(0666));
    fs::permissions(secret_, fs::perms(0666));
    fs::permissions(inside_, fs::perms(0777));
  }
  ~Sandbox() override { fs::remove_all(home_); }

  // Returns the exit code of `attempt`, 128 plus the signal that ended it, 99 if the sandbox cannot be entered, or kNotGranted
  // if a layer of the case is unavailable.
  int in_sandbox(const std::function<int()>& attempt) const {
    const pid_t process = fork();
    if (process == 0) {
      alarm(20);
      if (GetParam().as_nobody && (setresgid(kNobody, kNobody, kNobody) != 0 || setresuid(kNobody, kNobody, kNobody) != 0))
        _exit(98);
      prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);  // as in a process that this user started
      const auto held = enter_sandbox({{readable_path(inside_)}, GetParam().file_view, GetParam().landlock});
      if (!held) _exit(99);
      for (const wire::Protection& each : *held) {
        const bool asked = (each.name == "file view" && GetParam().file_view) || (each.name == "landlock" && GetParam().landlock);
        if (asked && !each.held) _exit(kNotGranted);
      }
      _exit(attempt());
    }
    int status = 0;
    waitpid(process, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  bool hides_files() const { return GetParam().file_view || GetParam().landlock; }

  const fs::path home_, inside_, secret_;

 private:
  static fs::path make_home() {
    std::string name = fs::temp_directory_path() / "ladder-sandbox-XXXXXX";
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    chmod(name.c_str(), 0777);
    return name;
  }
};

std::vector<Case> cases() {
  std::vector<Case> all = {{"AllLayers", true, true, false},
                           {"WithoutFileView", false, true, false},
                           {"WithoutLandlock", true, false, false},
                           {"SystemCallsAlone", false, false, false}};
  if (geteuid() == 0) {
    for (Case one : std::vector<Case>(all)) {
      one.name += "AsNobody";
      one.as_nobody = true;
      all.push_back(one);
    }
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(, Sandbox, ::testing::ValuesIn(cases()), [](const auto& one) { return one.param.name; });

#define EXPECT_REFUSED(...)                                                       \
  do {                                                                            \
    const int outcome = in_sandbox(__VA_ARGS__);                                  \
    if (outcome == kNotGranted) GTEST_SKIP() << "a layer that this kernel lacks"; \
    EXPECT_EQ(outcome, 0);                                                        \
  } while (false)

bool is_refused(long result) { return result < 0 && (errno == EPERM || errno == ENOSYS); }

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_P(Sandbox, ReadsImportedFiles) {
  EXPECT_REFUSED([&] {
    if (text_of(inside_ / "note.md") != "hello") return 1;
    int files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(inside_)) files += entry.is_regular_file() ? 1 : 0;
    return files == 1 ? 0 : 2;
  });
}

TEST_P(Sandbox, ReadsLibraryData) {
  EXPECT_REFUSED([] {
    if (!TimeZone::load("Europe/Berlin")) return 1;
    const iconv_t charset = iconv_open("UTF-8", "SHIFT_JIS");
    if (charset == iconv_t(-1)) return 2;
    iconv_close(charset);
    const auto answer = run_forked_task({5, 10, 100}, [](const AnswerWriter& write_answer) { write_answer("heard"); });
    return answer && answer->output == "heard" && answer->abort_reason.empty() ? 0 : 3;
  });
}

TEST_P(Sandbox, ReadsNoOtherFileOfTheUser) {
  if (!hides_files()) GTEST_SKIP() << "of the layers tried here none hides files";
  EXPECT_REFUSED([&] {
    for (const std::string& path : {secret_.string(), (inside_ / "../secret.txt").string(), std::string("/etc/passwd"),
                                    std::string("/proc/self/environ"), "/proc/self/root" + secret_.string()}) {
      if (open(path.c_str(), O_RDONLY) >= 0) return 1;
    }
    // A folder descriptor must not bypass the check.
    const int folder = open(inside_.c_str(), O_RDONLY | O_DIRECTORY);
    if (folder < 0) return 2;
    return openat(folder, "../secret.txt", O_RDONLY) < 0 ? 0 : 3;
  });
}

TEST_P(Sandbox, RunsNoCodeThatItWrote) {
  EXPECT_REFUSED([&] {
    constexpr std::size_t kPage = 4096;
    const auto refused = [](int protection, int flags, int file) {
      void* const memory = mmap(nullptr, kPage, protection, flags, file, 0);
      return memory == MAP_FAILED && errno == EPERM;
    };
    constexpr int kAnonymous = MAP_PRIVATE | MAP_ANONYMOUS;
    if (!refused(PROT_READ | PROT_WRITE | PROT_EXEC, kAnonymous, -1)) return 1;
    if (!refused(PROT_READ | PROT_EXEC, kAnonymous, -1)) return 2;
    const int file = open((inside_ / "note.md").c_str(), O_RDONLY);
    if (file < 0 || !refused(PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE, file)) return 3;
    void* const memory = mmap(nullptr, kPage, PROT_READ | PROT_WRITE, kAnonymous, -1, 0);
    if (memory == MAP_FAILED) return 4;
    if (!is_refused(mprotect(memory, kPage, PROT_READ | PROT_WRITE | PROT_EXEC))) return 5;
    if (!is_refused(mprotect(memory, kPage, PROT_READ | PROT_EXEC))) return 6;
    if (mprotect(memory, kPage, PROT_READ) != 0) return 7;
    void* const of_file = mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    if (of_file == MAP_FAILED) return 8;
    return is_refused(mprotect(of_file, kPage, PROT_READ | PROT_EXEC)) ? 0 : 9;
  });
}

TEST_P(Sandbox, ReadsNoMemoryOfOthers) {
  EXPECT_REFUSED([&] {
    const pid_t other = getppid();
    std::array<char, 8> bytes{};
    const iovec here{bytes.data(), bytes.size()}, there{bytes.data(), bytes.size()};
    if (!is_refused(syscall(SYS_process_vm_readv, other, &here, 1, &there, 1, 0))) return 1;
    if (!is_refused(syscall(SYS_process_vm_writev, other, &here, 1, &there, 1, 0))) return 2;
    if (!is_refused(syscall(SYS_ptrace, PTRACE_ATTACH, other, 0, 0))) return 3;
    if (!is_refused(syscall(SYS_pidfd_open, other, 0))) return 4;
    const std::string memory = "/proc/" + std::to_string(other) + "/mem";
    if (hides_files() && open(memory.c_str(), O_RDONLY) >= 0) return 5;
    return open(memory.c_str(), O_RDWR) < 0 ? 0 : 6;
  });
}

TEST_P(Sandbox, WritesCreatesAndTruncatesNothing) {
  EXPECT_REFUSED([&] {
    const fs::path note = inside_ / "note.md", fresh = inside_ / "fresh";
    for (const fs::path& path : {note, fresh, secret_}) {
      open_how how{};
      how.flags = O_WRONLY | O_CREAT | O_TRUNC;
      how.mode = 0600;
      if (!is_refused(syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how))) return 1;
      for (const int flags : {O_WRONLY, O_RDWR, O_RDONLY | O_TRUNC, O_RDONLY | O_CREAT, O_WRONLY | O_APPEND}) {
        if (!is_refused(open(path.c_str(), flags, 0600))) return 2;
        if (!is_refused(syscall(SYS_openat, AT_FDCWD, path.c_str(), flags, 0600))) return 3;
      }
      if (!is_refused(truncate(path.c_str(), 0))) return 4;
      if (!is_refused(unlink(path.c_str()))) return 5;
      if (!is_refused(chmod(path.c_str(), 0777))) return 6;
      if (!is_refused(syscall(452, AT_FDCWD, path.c_str(), 0777, 0))) return 7;  // fchmodat2
    }
    if (!is_refused(open(inside_.c_str(), O_TMPFILE | O_RDWR, 0600))) return 8;
    const int file = open(note.c_str(), O_RDONLY);
    if (file < 0) return 9;
    if (!is_refused(fchmod(file, 0777)) || !is_refused(fchown(file, 1, 1)) || !is_refused(ftruncate(file, 0))) return 10;
    if (!is_refused(futimens(file, nullptr)) || !is_refused(syscall(SYS_fsetxattr, file, "user.a", "b", 1, 0))) return 11;
    return is_refused(mkdir((inside_ / "folder").c_str(), 0700)) ? 0 : 12;
  });
  EXPECT_EQ(text_of(inside_ / "note.md"), "hello");
  EXPECT_EQ(text_of(secret_), "secret");
  EXPECT_EQ(fs::status(secret_).permissions(), fs::perms(0666));
  EXPECT_FALSE(fs::exists(inside_ / "fresh"));
}

TEST_P(Sandbox, SignalsNoOtherProcess) {
  EXPECT_REFUSED([] {
    const pid_t other = getppid();
    siginfo_t info{};
    info.si_code = SI_QUEUE;
    if (!is_refused(kill(other, 0)) || !is_refused(kill(-1, 0))) return 1;
    if (!is_refused(syscall(SYS_tgkill, other, other, 0)) || !is_refused(syscall(SYS_tkill, other, 0))) return 2;
    if (!is_refused(syscall(SYS_rt_sigqueueinfo, other, 0, &info))) return 3;
    if (!is_refused(syscall(SYS_rt_tgsigqueueinfo, other, other, 0, &info))) return 4;
    if (!is_refused(syscall(SYS_pidfd_send_signal, 0, 0, nullptr, 0))) return 5;
    // A process that it forks has no additional rights over it.
    const pid_t parent = getpid();
    const pid_t forked = fork();
    if (forked == 0) _exit(kill(parent, 0) < 0 ? 0 : 1);
    int status = 1;
    waitpid(forked, &status, 0);
    return status == 0 ? 0 : 6;
  });
  EXPECT_EQ(in_sandbox([]() -> int { std::abort(); }) % kNotGranted, (128 + SIGABRT) % kNotGranted);
}

TEST_P(Sandbox, CannotInjectTerminalInput) {
  int master = -1, slave = -1;
  ASSERT_EQ(openpty(&master, &slave, nullptr, nullptr, nullptr), 0);
  EXPECT_REFUSED([&] {
    char letter = 'x';
    if (!is_refused(ioctl(slave, TIOCSTI, &letter)) || !is_refused(ioctl(slave, TIOCSCTTY, 1))) return 1;
    termios settings{};
    if (!is_refused(ioctl(slave, TCGETS, &settings))) return 2;
    if (getsid(0) != -1 || errno != EPERM) return 3;
    return open("/dev/tty", O_RDONLY) < 0 ? 0 : 4;
  });
  pollfd typed{slave, POLLIN, 0};
  EXPECT_EQ(poll(&typed, 1, 0), 0);
  close(master);
  close(slave);
}

TEST_P(Sandbox, LeavesTheSessionOfTheTerminal) {
  const pid_t process = fork();
  if (process == 0) {
    const bool entered = enter_sandbox({{readable_path(inside_)}, GetParam().file_view, GetParam().landlock}).has_value();
    for (;;) poll(nullptr, 0, entered ? 20'000 : 0);
  }
  for (int tries = 0; tries < 1000 && getsid(process) != process; ++tries) usleep(5'000);
  EXPECT_EQ(getsid(process), process);
  EXPECT_EQ(getpgid(process), process);
  kill(process, SIGKILL);
  waitpid(process, nullptr, 0);
}

TEST_P(Sandbox, HasNoNetworkAndStartsNoPrograms) {
  EXPECT_REFUSED([] {
    for (const int family : {AF_INET, AF_INET6, AF_UNIX, AF_NETLINK}) {
      if (!is_refused(socket(family, SOCK_STREAM, 0))) return 1;
    }
    std::array<int, 2> pair{};
    if (!is_refused(socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()))) return 2;
    execl("/bin/true", "true", nullptr);
    if (errno != EPERM) return 3;
    if (!is_refused(syscall(SYS_execveat, AT_FDCWD, "/bin/true", nullptr, nullptr, 0))) return 4;
    if (!is_refused(syscall(SYS_memfd_create, "code", 0))) return 5;
    return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) < 0 && errno == EPERM ? 0 : 6;
  });
}

TEST_P(Sandbox, CreatesNoThreadsAndNoNamespaces) {
  EXPECT_REFUSED([] {
    for (const unsigned long flags :
         {CLONE_NEWUSER | SIGCHLD, CLONE_NEWNS | SIGCHLD, CLONE_NEWPID | SIGCHLD, CLONE_VM | SIGCHLD}) {
      if (!is_refused(syscall(SYS_clone, flags, nullptr, nullptr, nullptr, 0))) return 1;
    }
    if (!is_refused(syscall(SYS_clone3, nullptr, 0))) return 2;
    return is_refused(unshare(CLONE_NEWUSER)) ? 0 : 3;
  });
}

// Calls that are tested elsewhere because their arguments matter, and calls that are allowed.
const std::set<long> kAllowedCalls = {
    SYS_read,
    SYS_readv,
    SYS_pread64,
    SYS_write,
    SYS_writev,
    SYS_lseek,
    SYS_close,
    SYS_fadvise64,
    SYS_dup,
    SYS_pipe2,
    SYS_ppoll,
    SYS_getdents64,
    SYS_fstat,
    SYS_newfstatat,
    SYS_statx,
    SYS_fstatfs,
    SYS_readlinkat,
    SYS_faccessat,
    SYS_getcwd,
    SYS_brk,
    SYS_mmap,
    SYS_munmap,
    SYS_mremap,
    SYS_mprotect,
    SYS_madvise,
    SYS_exit,
    SYS_exit_group,
    SYS_wait4,
    SYS_getpid,
    SYS_getppid,
    SYS_gettid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_getrusage,
    SYS_getrlimit,
    SYS_setrlimit,
    SYS_set_tid_address,
    SYS_set_robust_list,
    SYS_rseq,
    SYS_futex,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_sysinfo,
    SYS_uname,
    SYS_getrandom,
    SYS_restart_syscall,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sigaltstack,
    SYS_setitimer,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_gettimeofday,
    SYS_nanosleep,
    SYS_clock_nanosleep,
    SYS_times,
    // tested elsewhere: the arguments matter
    SYS_openat,
    SYS_fcntl,
    SYS_prctl,
    SYS_clone,
    SYS_prlimit64,
    SYS_tgkill,
    // allowed for sanitizers only
    SYS_sched_getparam,
    SYS_sched_getscheduler,
    SYS_mincore,
    SYS_personality,
#if defined(__x86_64__)
    SYS_stat,
    SYS_lstat,
    SYS_open,
    SYS_access,
    SYS_readlink,
    SYS_poll,
    SYS_alarm,
    SYS_time,
    335,  // uretprobe and uprobe: the kernel raises SIGILL before any filter
    336,
#endif
};

TEST_P(Sandbox, RefusesEveryOtherSystemCall) {
  constexpr long kEnd = 470;  // beyond the newest call of this kernel's headers
  EXPECT_REFUSED([] {
    int tried = 0;
    for (long call = 0; call < kEnd; ++call) {
      if (kAllowedCalls.contains(call)) continue;
      ++tried;
      if (!is_refused(syscall(call, -1L, -1L, -1L, -1L, -1L, -1L))) {
        dprintf(STDERR_FILENO, "system call %ld is not refused\n", call);
        return 1;
      }
    }
    return tried > 300 ? 0 : 2;
  });
}

#if defined(__x86_64__)
TEST_P(Sandbox, RefusesCallsOfOtherConventions) {
  const int outcome = in_sandbox([] {
    syscall(0x40000000L + SYS_getpid);  // x32
    return 0;
  });
  if (outcome == kNotGranted) GTEST_SKIP() << "a layer that this kernel lacks";
  EXPECT_EQ(outcome, 128 + SIGSYS);
}
#endif

TEST(ReadablePath, IsAbsoluteAndKeepsAFilesOwnName) {
  std::string name = fs::temp_directory_path() / "ladder-paths-XXXXXX";
  ASSERT_NE(mkdtemp(name.data()), nullptr);
  const fs::path home = fs::canonical(name);
  fs::create_directory(home / "folder");
  std::ofstream(home / "folder" / "file") << "x";
  fs::create_directory_symlink(home / "folder", home / "link");
  fs::create_symlink(home / "folder" / "file", home / "file-link");
  EXPECT_EQ(readable_path(home / "link"), home / "folder");
  EXPECT_EQ(readable_path((home / "link").string() + "/"), home / "folder");
  EXPECT_EQ(readable_path(home / "link" / "file"), home / "folder" / "file");
  EXPECT_EQ(readable_path(home / "file-link"), home / "file-link");
  EXPECT_EQ(readable_path("absent"), "absent");
  fs::remove_all(home);
}

}  // namespace
}  // namespace ladder::imports
