#include "import/sandbox/sandbox.h"

#include "base/text/format.h"
#include "import/io/limits.h"
#include "import/sandbox/layers.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace ladder::imports {
namespace {

Status limit(__rlimit_resource what, rlim_t most) {
  rlimit now{};
  getrlimit(what, &now);
  const rlim_t hard = std::min(now.rlim_max, most);
  const rlimit wanted{hard, hard};
  if (setrlimit(what, &wanted) == 0) return {};
  return fail(Code::kInternal, format("cannot set a resource limit: {}", std::generic_category().message(errno)));
}

Status set_limits() {
#if !defined(LADDER_SANITIZED)  // a sanitizer's shadow memory alone is larger
  LADDER_CHECK(limit(RLIMIT_AS, limits::kChildAddressBytes));
#endif
  LADDER_CHECK(limit(RLIMIT_NOFILE, limits::kChildFiles));
  // The child writes nothing to disk unless the user redirects its output to a file. ladder always reads from a pipe.
  struct stat output{};
  const bool writes_file = fstat(STDOUT_FILENO, &output) == 0 && S_ISREG(output.st_mode);
  if (!writes_file) LADDER_CHECK(limit(RLIMIT_FSIZE, 0));
  LADDER_CHECK(limit(RLIMIT_CORE, 0));
  renew_cpu_limit();
  return {};
}

Layer enter_session() {
  if (getsid(0) == getpid() || setsid() > 0) return "a separate session without a terminal";
  return std::unexpected("it was started as the leader of a process group; ladder starts it in a separate session");
}

Layer skipped() { return std::unexpected("switched off"); }

void add_layer(std::vector<wire::Protection>& held, std::string_view name, const Layer& layer) {
  wire::Protection& each = held.emplace_back();
  each.name = name;
  each.held = layer.has_value();
  each.detail = layer ? *layer : layer.error();
}

}  // namespace

Result<std::vector<wire::Protection>> enter_sandbox(const SandboxRequest& request) {
  LADDER_CHECK(set_limits());
  Paths readable = system_data();
  readable.insert(readable.end(), request.readable.begin(), request.readable.end());
  std::vector<wire::Protection> held;
  add_layer(held, "session", enter_session());
  add_layer(held, "file view", request.file_view ? enter_file_view(readable) : skipped());
  add_layer(held, "capabilities", drop_capabilities());
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return fail(Code::kInternal, format("the extractor cannot drop its privileges: {}", std::generic_category().message(errno)));
  }
  add_layer(held, "landlock", request.landlock ? restrict_files(readable) : skipped());
  LADDER_CHECK(allow_system_calls());
  add_layer(held, "system calls", "an allow-list; no new privileges");
  return held;
}

Status enter_program_sandbox(const ProgramSandbox& request) {
  // The programs and libraries of the system, and the settings that they need. Nothing of a user is among them.
  constexpr std::array kSystem = {"/usr",
                                  "/bin",
                                  "/sbin",
                                  "/lib",
                                  "/lib32",
                                  "/lib64",
                                  "/nix/store",
                                  "/gnu/store",
                                  "/etc/alternatives",
                                  "/etc/ld.so.cache",
                                  "/etc/ld.so.conf",
                                  "/etc/ld.so.conf.d",
                                  "/etc/localtime",
                                  "/etc/mime.types",
                                  "/etc/passwd",
                                  "/etc/group",
                                  "/etc/python3",
                                  "/etc/nsswitch.conf",
                                  "/dev/null",
                                  "/dev/zero",
                                  "/dev/random",
                                  "/dev/urandom"};
  // Folders with private keys are not among them.
  constexpr std::array kNetwork = {"/etc/resolv.conf",   "/etc/hosts",        "/etc/host.conf",
                                   "/etc/services",      "/etc/ssl/certs",    "/etc/ssl/openssl.cnf",
                                   "/etc/pki/tls/certs", "/etc/pki/ca-trust", "/etc/ca-certificates"};
  Paths readable = request.readable;
  readable.push_back(request.program);
  readable.insert(readable.end(), kSystem.begin(), kSystem.end());
  if (request.network) readable.insert(readable.end(), kNetwork.begin(), kNetwork.end());
  LADDER_CHECK(limit(RLIMIT_CORE, 0));
  const Layer view = enter_file_view(readable);
  if (!request.network) static_cast<void>(unshare(CLONE_NEWNET));  // sockets are refused as well
  const bool own_processes = separate_processes();
  static_cast<void>(drop_capabilities());
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return fail(Code::kInternal, "privileges cannot be dropped");
  const Layer files = restrict_files(readable, true, request.network);
  if (!view && !files)
    return fail(Code::kInternal, format("your files cannot be hidden from it: {}; {}", view.error(), files.error()));
  LADDER_CHECK(deny_system_calls(request.network, own_processes));
  return own_processes ? enter_process_view() : Status{};
}

std::filesystem::path readable_path(const std::string& given) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path normal = fs::absolute(given, error).lexically_normal();
  const fs::path path = normal.has_filename() ? normal : normal.parent_path();
  fs::path target = error ? fs::path() : fs::canonical(path, error);
  if (error) return given;
  if (fs::is_directory(target, error)) return target;
  const fs::path folder = fs::canonical(path.parent_path(), error);
  return error ? fs::path(given) : folder / path.filename();
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
