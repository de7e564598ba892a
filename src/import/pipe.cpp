#include "import/pipe.h"

#include <unistd.h>

#include <cerrno>

namespace ladder::imports {
namespace {

constexpr std::size_t kGatherBytes = 64 * 1024;

}  // namespace

Status Pipe::send(extract::Kind kind, std::string_view payload) {
  extract::append_frame(out_, kind, payload);
  return out_.size() >= kGatherBytes ? flush() : Status{};
}

Status Pipe::flush() {
  for (std::string_view rest = out_; !rest.empty();) {
    const ssize_t count = write(descriptor_, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(Code::kCancelled, "nobody reads what is extracted any more");
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  out_.clear();
  return {};
}

}  // namespace ladder::imports
