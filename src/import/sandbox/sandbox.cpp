#include "import/sandbox/sandbox.h"

#include "base/text/format.h"
#include "import/io/limits.h"
#include "import/sandbox/layers.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
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
