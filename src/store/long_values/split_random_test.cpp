// Splits random records and reads them back through the Reader interface: every value of every path must come back
// exactly, whatever left the row.
#include "base/limits.h"
#include "base/text/utf8.h"
#include "json/scan/pointer.h"
#include "store/locate.h"
#include "store/long_values/split.h"
#include "store/testing/memory_reader.h"
#include "store/testing/random_json.h"

#include <gtest/gtest.h>

#include <set>

namespace ladder::store {
namespace {

using testing::MemoryReader;
using testing::RandomJson;

constexpr ValueId kFirstId = 1'000;

struct SplitRecord {
  std::string text;
  std::string body;
  SplitPlan plan;
  BufferedValues values;
};

SplitRecord split_record(std::string text) {
  SplitRecord result;
  result.text = std::move(text);
  const json::Value data = json::value_of(result.text);
  auto plan = plan_split(data);
  EXPECT_TRUE(plan) << plan.error().message;
  if (!plan) return result;
  result.plan = *std::move(plan);
  auto body = split_long_values(data, result.plan, kFirstId, result.values);
  EXPECT_TRUE(body) << body.error().message;
  if (body) result.body = *std::move(body);
  return result;
}

model::FieldPath path_of(const std::vector<std::string>& tokens) {
  return {json::format_pointer(tokens), tokens.front(), {tokens.begin() + 1, tokens.end()}};
}

std::string plain(const json::Value& value) {
  return value.kind == json::Kind::kString ? json::decode_string(json::raw_content(value)) : std::string(value.text);
}

// Reads a complete long value by windows of random sizes.
std::string read_all(Reader& reader, const LongRef& ref, RandomJson& random) {
  std::string text;
  for (std::int64_t at = 0; at < ref.size_chars;) {
    const std::int64_t end = std::min(ref.size_chars, at + 1 + random.below(9'000));
    const ChunkSpan span = chunk_span(ref, at, end);
    const auto chunks = reader.chunks(ref.text_id, span.first, span.last);
    text += cut_chars(ref, *chunks, at, end);
    at = end;
  }
  return text;
}

class Comparison {
 public:
  Comparison(const SplitRecord& record, RandomJson& random) : reader_(record.values), random_(random) { row_.body = record.body; }

  void compare_all(const json::Value& data) {
    for (json::Members walk(data.text); walk.next();) compare(walk.value(), {json::decode_string(walk.raw_name())});
  }

 private:
  void compare(const json::Value& value, std::vector<std::string> tokens) {
    reader_.take_bytes_read();
    const auto located = locate(reader_, row_, path_of(tokens));
    ASSERT_TRUE(located) << json::format_pointer(tokens) << ": " << located.error().message;
    // A path costs its depth: a directory page and 16 KiB of text plus the rest of its chunks.
    EXPECT_LE(reader_.take_bytes_read(), static_cast<std::int64_t>(tokens.size() * 48 * limits::kKiB))
        << json::format_pointer(tokens);
    ASSERT_EQ(located->kind, value.kind) << json::format_pointer(tokens);
    const std::string expected = plain(value);
    if (located->ref) {
      compare_long(*located->ref, expected);
    } else {
      ASSERT_EQ(located->text, expected) << json::format_pointer(tokens);
    }
    compare_inside(value, tokens);
  }

  void compare_long(const LongRef& ref, const std::string& expected) {
    ASSERT_EQ(ref.size_chars, utf8::count(expected));
    ASSERT_EQ(ref.size_bytes, static_cast<std::int64_t>(expected.size()));
    ASSERT_EQ(ref.digest, crypto::sha256(expected));
    ASSERT_EQ(read_all(reader_, ref, random_), expected);
  }

  // Compares the first member of each name, and elements: all of the first few, then a sample.
  void compare_inside(const json::Value& value, const std::vector<std::string>& tokens) {
    std::set<std::string> names;
    std::int64_t index = 0;
    const auto descend = [&](const json::Value& inside, std::string token) {
      if (++index > 5 && !random_.one_in(25) && inside.text.size() < limits::kInlineContainerBytes) return;
      std::vector<std::string> below = tokens;
      below.push_back(std::move(token));
      compare(inside, std::move(below));
    };
    if (value.kind == json::Kind::kObject) {
      for (json::Members walk(value.text); walk.next();) {
        std::string name = json::decode_string(walk.raw_name());
        if (names.insert(name).second) descend(walk.value(), std::move(name));
      }
    } else if (value.kind == json::Kind::kArray) {
      std::int64_t place = 0;
      for (json::Elements walk(value.text); walk.next(); ++place) descend(walk.value(), std::to_string(place));
    }
  }

  MemoryReader reader_;
  RandomJson& random_;
  RecordRow row_;
};

void check_chunks(const SplitRecord& record) {
  std::set<ValueId> ids;
  for (const ChunkRow& chunk : record.values.chunks) {
    ASSERT_LE(chunk.bytes.size(), limits::kChunkBytes);
    ASSERT_GT(chunk.bytes.size(), 0u);
    ASSERT_TRUE(utf8::is_valid(chunk.bytes));
    ids.insert(chunk.value);
  }
  for (const DirectoryRow& page : record.values.directory) {
    ASSERT_LE(page.page.size(), limits::kChunkBytes);
    ids.insert(page.value);
  }
  for (const ValueId id : ids) {
    ASSERT_GE(id, kFirstId);
    ASSERT_LT(id, kFirstId + record.plan.value_count);
  }
  ASSERT_EQ(static_cast<std::int64_t>(ids.size()), record.plan.value_count);
}

void check_row(const SplitRecord& record) {
  ASSERT_LE(record.body.size(), limits::kRecordRowBytes);
  json::Members originals(json::value_of(record.text).text);
  for (json::Members walk(record.body); walk.next();) {
    ASSERT_TRUE(originals.next());
    ASSERT_EQ(walk.raw_name(), originals.raw_name());
    if (walk.value().kind != json::Kind::kReference) {
      ASSERT_EQ(walk.value().text, originals.value().text);
      continue;
    }
    const auto ref = parse_reference(walk.value().text);
    ASSERT_TRUE(ref);
    ASSERT_EQ(format_reference(*ref), walk.value().text);
    ASSERT_EQ(ref->kind, originals.value().kind);
  }
  ASSERT_FALSE(originals.next());
}

TEST(SplitRandom, EveryValueRoundTrips) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    RandomJson random(seed);
    const SplitRecord record = split_record(random.record());
    ASSERT_TRUE(json::check(record.text, limits::kMaxJsonDepth));
    check_row(record);
    check_chunks(record);
    Comparison(record, random).compare_all(json::value_of(record.text));
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace ladder::store
