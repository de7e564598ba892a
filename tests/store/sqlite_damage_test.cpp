// Flips random bytes of the file: every read returns the true value or an error.
#include "store/sqlite_scene.h"

#include "json/scan/scan.h"
#include "store/sqlite/engine/connection.h"
#include "support/noise.h"

#include <fstream>
#include <map>
#include <random>

namespace ladder::store::sqlite {
namespace {

// A record as read: its body, and the text of its long value.
struct Seen {
  std::string body, text;
  friend bool operator==(const Seen&, const Seen&) = default;
};

// nullopt: an error, or not found.
std::optional<Seen> see(Store& store, StreamNo stream, std::string_view key) {
  auto reader = store.read(kOwner);
  if (!reader) return std::nullopt;
  const auto found = (*reader)->records({}, std::span(&stream, 1), key);
  if (!found || found->records.empty()) return std::nullopt;
  Seen seen{found->records[0].body, {}};
  for (json::Members members(found->records[0].body); members.next();) {
    if (members.value().kind != json::Kind::kReference) continue;
    const auto ref = parse_reference(members.value().text);
    if (!ref) return std::nullopt;
    const ChunkSpan span = chunk_span(*ref, 0, ref->size_chars);
    const auto chunks = (*reader)->chunks(ref->text_id, span.first, span.last);
    if (!chunks || std::ssize(*chunks) != span.last - span.first + 1) return std::nullopt;
    seen.text = cut_chars(*ref, *chunks, 0, ref->size_chars);
  }
  return seen;
}

TEST(SqliteDamage, OfAnyByteIsNeverServedAsValid) {
  Scene scene;
  const StreamNo stream = scene.target().stream;
  std::map<std::string, Seen> truth;
  for (int i = 0; i < 60; ++i) {
    const std::string key = format("key{}", i);
    const std::string body =
        i % 3 == 0 ? test_support::noise(static_cast<std::size_t>(5'000 + i * 100), static_cast<std::uint64_t>(i)) : "short";
    scene.put(key, format(R"({{"title":"amount {}","body":"{}"}})", i * 17, body));
    truth[key] = *see(scene.store(), stream, key);
  }
  const std::string path = scene.path();
  scene.close();
  const std::string bytes = file_bytes(path);
  ASSERT_GT(bytes.size(), 300'000U);
  std::mt19937 random(7);
  int errors = 0, wrong = 0;
  for (int round = 0; round < 250; ++round) {
    std::string damaged = bytes;
    const std::size_t at = random() % bytes.size();
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
    std::ofstream(path, std::ios::binary | std::ios::trunc) << damaged;
    auto store = open_sqlite(path, OpenMode::kExisting);
    if (!store) {
      ++errors;
      continue;
    }
    for (const auto& [key, expected] : truth) {
      const auto seen = see(**store, stream, key);
      if (!seen) ++errors;
      else if (*seen != expected) ++wrong;
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(errors, 50) << "most flips must have hit something";
}

}  // namespace
}  // namespace ladder::store::sqlite
