// Archives: the input is a zip, a tar or a gzip. The listing stays within its limits, every path is safe, and no entry
// yields more bytes than it declared; what does not open is rejected with a reason.
#include "base/text/utf8.h"
#include "frame.h"
#include "import/io/limits.h"
#include "import/tree/tree.h"

#include <sys/mman.h>
#include <unistd.h>

namespace ladder::fuzz {
namespace {

constexpr std::size_t kMaxRead = 1 << 16;  // per input: more decompressed bytes show nothing new

void check_path(std::string_view path) {
  FUZZ_CHECK(!path.empty() && utf8::is_valid(path) && !path.starts_with('/'));
  FUZZ_CHECK(path != ".." && !path.starts_with("../") && path.find("/../") == std::string_view::npos && !path.ends_with("/.."));
}

void check_tree(imports::Tree& tree) {
  FUZZ_CHECK(tree.entries().size() <= imports::limits::kMaxEntries);
  for (const imports::Refusal& refusal : tree.refusals()) FUZZ_CHECK(!refusal.reason.empty());
  std::size_t read = 0;
  for (imports::EntryNo i = 0; i < tree.entries().size() && read < kMaxRead; ++i) {
    const imports::Entry& entry = tree.entries()[i];
    check_path(entry.path);
    FUZZ_CHECK(entry.size >= 0 && entry.size <= imports::limits::kMaxTotalBytes);
    auto bytes = tree.open(i);
    if (!bytes) continue;
    std::int64_t size = 0;
    std::string piece(16 * 1024, '\0');
    while (read < kMaxRead) {
      const auto count = (*bytes)->read(piece.data(), piece.size());
      if (!count || *count == 0) break;
      size += static_cast<std::int64_t>(*count);
      read += *count;
    }
    FUZZ_CHECK(size <= entry.size);
  }
}

}  // namespace

void run(std::string_view input) {
  const int file = memfd_create("archive", 0);
  if (file < 0) return;
  const bool written = write(file, input.data(), input.size()) == static_cast<ssize_t>(input.size());
  const std::vector<std::filesystem::path> pieces = {"/proc/self/fd/" + std::to_string(file)};
  if (written) {
    for (const bool zip : {true, false}) {
      const auto tree = zip ? imports::open_zip("a", pieces) : imports::open_tar("a", pieces);
      if (tree) check_tree(**tree);
      else FUZZ_CHECK(!tree.error().message.empty());
    }
  }
  close(file);
}

}  // namespace ladder::fuzz
