// The bytes of a row on a damaged disk, or crafted to exhaust memory: the output has the claimed size and fits the
// limit; and what Ladder compresses round-trips. First three bytes: the claimed raw size. The rest: the stored bytes.
#include "base/limits.h"
#include "frame.h"
#include "store/compression/compression.h"

namespace ladder::fuzz {
namespace {

void check_stored(const store::StoredBytes& stored, std::size_t most) {
  std::string buffer;
  const auto bytes = store::raw_bytes(stored, most, buffer);
  FUZZ_CHECK(buffer.size() <= most);
  if (bytes && stored.raw_size) FUZZ_CHECK(static_cast<std::int64_t>(bytes->size()) == *stored.raw_size && bytes->size() <= most);
  std::string body;
  FUZZ_CHECK(store::read_raw(stored, most, body) == bytes.has_value());
  FUZZ_CHECK(!bytes || body == *bytes);
  std::string blanks;
  const std::string_view text = store::raw_text(stored, most, blanks);
  FUZZ_CHECK(blanks.size() <= most && (!bytes || text == *bytes));
}

void check_round_trip(std::string_view raw) {
  const std::string small = store::compressed(raw);
  FUZZ_CHECK(small.empty() || small.size() < raw.size());
  std::string buffer;
  FUZZ_CHECK(store::raw_bytes(store::stored(raw, small), raw.size(), buffer) == raw);
}

}  // namespace

void run(std::string_view input) {
  const std::string_view head = input.substr(0, 3), bytes = input.substr(head.size());
  std::int64_t claimed = 0;
  for (const char c : head) claimed = claimed << 8 | static_cast<unsigned char>(c);
  const Exact copy(bytes);
  for (const std::size_t most : {limits::kChunkBytes, limits::kRecordRowBytes}) {
    check_stored({copy.view(), claimed}, most);
    check_stored({copy.view(), -claimed}, most);
    check_stored({copy.view(), std::nullopt}, most);
  }
  check_round_trip(bytes.substr(0, limits::kRecordRowBytes));
}

}  // namespace ladder::fuzz
