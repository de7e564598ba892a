// Starts the child with posix_spawn, two pipes, a minimal environment and its own session, so that it has no terminal and does
// not receive Ctrl-C.
#include "app/import/extractor.h"

#include "base/text/format.h"
#include "import/wire/messages.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

namespace ladder::app {
namespace {

// The child reports progress twice a second while it reads; this long a silence is a hang.
constexpr int kSilenceMs = 180'000;
constexpr std::size_t kReadBytes = 256 * 1024;
constexpr int kPipeBytes = 1024 * 1024;  // lets the child read ahead while the store waits for the disk

std::string end_reason(int status) {
  if (WIFEXITED(status)) return format("ended with code {}", WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  switch (signal) {
    case SIGXCPU:
      return "exceeded its CPU time limit";
    case SIGKILL:
      return "was killed, possibly because it was out of memory";
    case SIGABRT:
      return "aborted (SIGABRT), possibly at its memory limit";
    case SIGSEGV:
      return "crashed (SIGSEGV)";
    case SIGBUS:
      return "crashed (SIGBUS)";
    case SIGSYS:
      return "made a system call that is not allowed";
    default:
      return format("ended by signal {}", signal);
  }
}

class SpawnActions {
 public:
  SpawnActions() {
    posix_spawn_file_actions_init(&files_);
    posix_spawnattr_init(&attributes_);
    sigset_t defaults;
    sigemptyset(&defaults);
    for (const int signal : {SIGPIPE, SIGXFSZ, SIGINT, SIGTERM}) sigaddset(&defaults, signal);
    posix_spawnattr_setsigdefault(&attributes_, &defaults);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  }
  ~SpawnActions() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;

  int start(pid_t& process, const std::string& program, const std::vector<std::string>& words, int input, int output,
            int errors) {
    posix_spawn_file_actions_adddup2(&files_, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files_, output, STDOUT_FILENO);
    if (errors >= 0) posix_spawn_file_actions_adddup2(&files_, errors, STDERR_FILENO);
    else posix_spawn_file_actions_addopen(&files_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    std::vector<std::string> arguments = {program};
    arguments.insert(arguments.end(), words.begin(), words.end());
    std::vector<char*> pointers;
    pointers.reserve(arguments.size() + 1);
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    // Times in archives have no zone, and the user's settings must not change the result.
    std::string language = "LANG=C.UTF-8", zone = "TZ=UTC";
    const std::array<char*, 3> environment = {language.data(), zone.data(), nullptr};
    return posix_spawn(&process, program.c_str(), &files_, &attributes_, pointers.data(), environment.data());
  }

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

void close_if_open(int file) {
  if (file >= 0) close(file);
}

}  // namespace

std::string extractor_program(const std::optional<std::string>& configured) {
  if (configured) return *configured;
  std::error_code error;
  std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return self.replace_filename("ladder-extract").string();
}

Result<std::unique_ptr<Extractor>> Extractor::start(const std::string& program, const std::vector<std::string>& words,
                                                    std::string_view version, const Stop& stop, bool shows_errors) {
  std::array<int, 2> orders = {-1, -1}, frames = {-1, -1}, errors = {-1, -1};
  if (pipe2(orders.data(), O_CLOEXEC) != 0 || pipe2(frames.data(), O_CLOEXEC) != 0 ||
      (shows_errors && pipe2(errors.data(), O_CLOEXEC) != 0)) {
    for (const int end : {orders[0], orders[1], frames[0], frames[1]}) close_if_open(end);
    return fail(Code::kStoreUnavailable, "too many open files");
  }
  pid_t process = -1;
  const int failed = SpawnActions().start(process, program, words, orders[0], frames[1], errors[1]);
  close(orders[0]);
  close(frames[1]);
  close_if_open(errors[1]);
  if (shows_errors) fcntl(errors[0], F_SETFL, O_NONBLOCK);
  fcntl(frames[0], F_SETPIPE_SZ, kPipeBytes);  // if this is not allowed, the default size is used
  if (failed != 0) {
    close(orders[1]);
    close(frames[0]);
    close_if_open(errors[0]);
    return fail(Code::kNotSetUp,
                format("cannot start '{}', which reads exports: {}; install it next to ladder, or set LADDER_EXTRACT", program,
                       std::generic_category().message(failed)));
  }
  return std::unique_ptr<Extractor>(new Extractor(program, version, process, orders[1], frames[0], errors[0], stop));
}

Extractor::Extractor(std::string program, std::string_view version, pid_t process, int input, int output, int errors,
                     const Stop& stop)
    : program_(std::move(program)),
      version_(version),
      process_(process),
      input_(input),
      output_(output),
      errors_(errors),
      messages_([](const std::string& line) { static_cast<void>(std::fputs(line.c_str(), stderr)); }),
      stop_(stop) {}

Extractor::~Extractor() { end(); }

std::string Extractor::end() {
  if (process_ < 0) return "has ended";
  if (input_ >= 0) close(std::exchange(input_, -1));
  close(std::exchange(output_, -1));
  int status = 0;
  // A child that waits for orders exits when its input closes; give it a moment.
  for (int tries = 0; tries < 20; ++tries) {
    siginfo_t ended{};
    if (waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == process_) break;
    usleep(tries < 10 ? 1'000 : 10'000);
  }
  // Kills the whole process group, including forked processes. The child has not been waited for yet, so its id cannot have
  // been reused.
  kill(-process_, SIGKILL);
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  show_messages();
  messages_.finish();
  close_if_open(std::exchange(errors_, -1));
  return end_reason(status);
}

Status Extractor::write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(input_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(Code::kRsUnreachable, format("the extractor {}", end()));
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Status Extractor::order(std::string_view line) { return write_all(std::string(line) + '\n'); }

Status Extractor::write_input(std::string_view bytes) {
  LADDER_CHECK(write_all(bytes));
  close(std::exchange(input_, -1));
  return {};
}

void Extractor::show_messages() {
  std::array<char, 64 * 1024> bytes;
  const ssize_t count = errors_ < 0 ? -1 : read(errors_, bytes.data(), bytes.size());
  if (count > 0) messages_.take(std::string_view(bytes.data(), static_cast<std::size_t>(count)));
  if (count == 0) close(std::exchange(errors_, -1));
}

// Messages are no sign of life.
Status Extractor::wait_for_bytes() {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point until = Clock::now() + std::chrono::milliseconds(kSilenceMs);
  for (;;) {
    std::array<pollfd, 3> sources = {pollfd{output_, POLLIN, 0}, pollfd{stop_.descriptor(), POLLIN, 0},
                                     pollfd{errors_, POLLIN, 0}};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    const int ready = poll(sources.data(), sources.size(), static_cast<int>(std::max<std::int64_t>(left, 0)));
    if (ready < 0 && errno == EINTR) continue;
    if (stop_.requested()) return fail(Code::kCancelled, "stopped");
    if (sources[2].revents != 0) show_messages();
    if (ready > 0 && left > 0 && sources[0].revents == 0 && sources[1].revents == 0) continue;
    if (ready == 0 || (left <= 0 && sources[0].revents == 0))
      return fail(Code::kRsTimeout, format("the extractor did not respond for {} s and was stopped", kSilenceMs / 1000));
    return {};
  }
}

Status Extractor::check_hello(const imports::wire::Frame& first) const {
  std::string other = "an older version";
  if (first.kind == imports::wire::Kind::kHello) {
    LADDER_TRY(const imports::wire::Hello hello, imports::wire::read_hello(first.payload));
    if (hello.protocol == imports::wire::kProtocol && hello.version == version_) return {};
    other = format("version {} (protocol {})", hello.version, hello.protocol);
  }
  return fail(Code::kNotSetUp,
              format("'{}', which reads exports, is {}, and ladder is version {} (protocol {}): install both from the same build",
                     program_, other, version_, imports::wire::kProtocol));
}

Result<imports::wire::Frame> Extractor::next() {
  if (!greeted_) {
    LADDER_TRY(const imports::wire::Frame first, next_of_any_kind());
    if (Status checked = check_hello(first); !checked) {
      end();
      return std::unexpected(checked.error());
    }
    greeted_ = true;
  }
  return next_of_any_kind();
}

Result<imports::wire::Frame> Extractor::next_of_any_kind() {
  if (process_ < 0) return fail(Code::kRsUnreachable, "the extractor has ended");
  imports::wire::Frame frame;
  for (;;) {
    const auto complete = frames_.next(frame);
    if (!complete) {
      end();
      return std::unexpected(complete.error());
    }
    if (*complete) return frame;
    if (Status waited = wait_for_bytes(); !waited) {
      if (process_ > 0) kill(-process_, SIGKILL);
      end();
      return std::unexpected(waited.error());
    }
    const std::span<char> buffer = frames_.prepare(kReadBytes);
    const ssize_t count = read(output_, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return fail(Code::kRsUnreachable, format("the extractor {}", end()));
    frames_.commit(static_cast<std::size_t>(count));
  }
}

}  // namespace ladder::app
