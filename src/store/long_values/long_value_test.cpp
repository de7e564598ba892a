#include "store/long_values/long_value.h"

#include "base/limits.h"
#include "base/text/utf8.h"

#include <gtest/gtest.h>

#include <limits>

namespace ladder::store {
namespace {

LongRef sample() {
  LongRef ref;
  ref.id = 42;
  ref.kind = json::Kind::kArray;
  ref.value_class = ValueClass::kJson;
  ref.size_chars = 123'456;
  ref.size_bytes = 234'567;
  ref.chunk_chars = 1'800;
  ref.text_id = 40;
  ref.text_start = 77;
  ref.digest = crypto::sha256("x");
  ref.mime_type = "application/json";
  return ref;
}

TEST(Reference, HasTheDocumentedForm) {
  EXPECT_EQ(format_reference(sample()),
            "@42.aj.123456.234567.1800.40.77.2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881."
            "6170706c69636174696f6e2f6a736f6e");
}

TEST(Reference, RoundTrips) {
  LongRef ref = sample();
  for (const json::Kind kind : {json::Kind::kString, json::Kind::kObject, json::Kind::kArray}) {
    for (const ValueClass value_class : {ValueClass::kText, ValueClass::kJson, ValueClass::kBase64}) {
      for (const char* mime_type : {"", "image/png", "a,b}c]d e"}) {
        ref.kind = kind;
        ref.value_class = value_class;
        ref.mime_type = mime_type;
        ref.id = std::numeric_limits<ValueId>::max();
        EXPECT_EQ(parse_reference(format_reference(ref)), ref);
      }
    }
  }
}

TEST(Reference, IsASingleValueForTheJsonParser) {
  const std::string reference = format_reference(sample());
  for (const std::string& body : {"{\"a\":" + reference + ",\"b\":1}", "{\"b\":1,\"a\":" + reference + "}"}) {
    const auto value = json::member(body, "a");
    ASSERT_TRUE(value);
    EXPECT_EQ(value->kind, json::Kind::kReference);
    EXPECT_EQ(value->text, reference);
    EXPECT_EQ(json::member(body, "b")->text, "1");
  }
}

TEST(Reference, RejectsInvalidReferences) {
  const std::string good = format_reference(sample());
  for (const std::string& bad : {std::string(), std::string("@"), std::string("@42"), good.substr(1), good + ".", good + "g",
                                 good.substr(0, good.size() - 1), "@-1" + good.substr(3), "@42x" + good.substr(3)}) {
    const auto parsed = parse_reference(bad);
    ASSERT_FALSE(parsed) << bad;
    EXPECT_EQ(parsed.error().code, Code::kInternal);
  }
  std::string other_kind = good;
  other_kind[4] = 'n';
  EXPECT_FALSE(parse_reference(other_kind));
  std::string other_class = good;
  other_class[5] = 'x';
  EXPECT_FALSE(parse_reference(other_class));
}

TEST(Reference, SameContentMeansEqualKindAndDigest) {
  LongRef other = sample();
  other.id = 7;
  other.text_id = 8;
  other.text_start = 0;
  EXPECT_TRUE(same_content(format_reference(sample()), format_reference(other)));
  other.kind = json::Kind::kString;
  EXPECT_FALSE(same_content(format_reference(sample()), format_reference(other)));
  other = sample();
  other.digest = crypto::sha256("y");
  EXPECT_FALSE(same_content(format_reference(sample()), format_reference(other)));
  EXPECT_FALSE(same_content("@", "@"));
}

TEST(Chunks, SpanIncludesTheOffsetInTheOuterText) {
  LongRef ref = sample();
  ref.chunk_chars = 100;
  ref.text_start = 0;
  EXPECT_EQ(chunk_span(ref, 0, 1).first, 0);
  EXPECT_EQ(chunk_span(ref, 0, 100).last, 0);
  EXPECT_EQ(chunk_span(ref, 0, 101).last, 1);
  EXPECT_EQ(chunk_span(ref, 99, 100).first, 0);
  EXPECT_EQ(chunk_span(ref, 100, 200).first, 1);
  EXPECT_EQ(chunk_span(ref, 100, 200).last, 1);
  ref.text_start = 50;
  EXPECT_EQ(chunk_span(ref, 49, 51).first, 0);
  EXPECT_EQ(chunk_span(ref, 49, 51).last, 1);
}

TEST(Chunks, CutEveryWindowOfAText) {
  std::string text;
  for (int i = 0; i < 25; ++i) utf8::append(text, i % 3 == 0 ? U'a' : i % 3 == 1 ? U'é' : U'😀');
  LongRef ref;
  ref.chunk_chars = 4;
  for (const std::int64_t text_start : {0, 3, 5}) {
    ref.text_start = text_start;
    ref.size_chars = 25 - text_start;
    for (std::int64_t start = 0; start < ref.size_chars; ++start) {
      for (std::int64_t end = start + 1; end <= ref.size_chars; ++end) {
        const ChunkSpan span = chunk_span(ref, start, end);
        std::vector<std::string> chunks;
        for (std::int64_t no = span.first; no <= span.last; ++no) chunks.emplace_back(utf8::slice(text, no * 4, 4));
        ASSERT_EQ(cut_chars(ref, chunks, start, end), utf8::slice(text, text_start + start, end - start));
      }
    }
  }
}

Measure measured(std::string_view text, std::size_t piece_chars = 1'000) {
  Measure measure;
  while (!text.empty()) {
    const std::size_t length = utf8::offset_of(text, static_cast<std::int64_t>(piece_chars));
    measure.feed(text.substr(0, length));
    text.remove_prefix(length);
  }
  return measure;
}

std::string repeated(std::string_view unit, std::int64_t times) {
  std::string text;
  for (std::int64_t i = 0; i < times; ++i) text += unit;
  return text;
}

TEST(Measure, CountsAndChoosesTheChunkSize) {
  EXPECT_EQ(measured("").chars(), 0);
  EXPECT_EQ(measured(repeated("a", 10'000)).chunk_chars(), 3'600);
  EXPECT_EQ(measured(repeated("é", 10'000)).chunk_chars(), 1'800);
  EXPECT_EQ(measured(repeated("中", 10'000)).chunk_chars(), 1'200);
  EXPECT_EQ(measured(repeated("😀", 10'000)).chunk_chars(), 900);
  EXPECT_EQ(measured(repeated("😀", 10'000)).chars(), 10'000);
  EXPECT_EQ(measured(repeated("😀", 10'000)).bytes(), 40'000);
  // 300 characters of two bytes fit in a chunk of 3,600; one more byte does not.
  EXPECT_EQ(measured(repeated("é", 300) + repeated("a", 20'000)).chunk_chars(), 3'600);
  EXPECT_EQ(measured(repeated("é", 301) + repeated("a", 20'000)).chunk_chars(), 1'800);
  // Only the chunk that is too wide decides, wherever it is, including the last and shorter one.
  EXPECT_EQ(measured(repeated("a", 36'000) + repeated("中", 1'301)).chunk_chars(), 1'200);
  EXPECT_EQ(measured(repeated("a", 36'000) + repeated("中", 1'300)).chunk_chars(), 3'600);
}

TEST(Measure, DoesNotDependOnPieceSizes) {
  const std::string text = repeated("aé中😀b", 4'000);
  const Measure whole = measured(text, 1'000'000);
  for (const std::size_t piece : {1u, 7u, 299u, 300u, 301u, 3'600u}) {
    const Measure pieces = measured(text, piece);
    EXPECT_EQ(pieces.chars(), whole.chars());
    EXPECT_EQ(pieces.bytes(), whole.bytes());
    EXPECT_EQ(pieces.chunk_chars(), whole.chunk_chars());
  }
}

TEST(Measure, EveryChunkOfTheChosenSizeFits) {
  for (const char* unit : {"a", "é", "中", "😀", "aé", "a😀a", "中中a"}) {
    for (const std::int64_t times : {1, 299, 1'000, 3'601, 7'919}) {
      const std::string text = repeated(unit, times) + repeated("b", times) + repeated("中", times / 2);
      const std::int64_t chunk_chars = measured(text).chunk_chars();
      for (std::string_view rest = text; !rest.empty();) {
        const std::size_t length = utf8::offset_of(rest, chunk_chars);
        ASSERT_LE(length, limits::kChunkBytes);
        rest.remove_prefix(length);
      }
    }
  }
}

TEST(Measure, DetectsBase64) {
  const std::string body = repeated("QUJD", 100);
  EXPECT_TRUE(measured(body).looks_base64());
  EXPECT_TRUE(measured(body, 1).looks_base64());
  EXPECT_TRUE(measured(body + "QQ==").looks_base64());
  EXPECT_TRUE(measured(body + "QUI=").looks_base64());
  EXPECT_TRUE(measured(repeated("QUJD", 64)).looks_base64());
  EXPECT_FALSE(measured(repeated("QUJD", 63)).looks_base64()) << "shorter than 256";
  EXPECT_FALSE(measured(body + "Q").looks_base64()) << "not a multiple of four";
  EXPECT_FALSE(measured(body + "Q===").looks_base64()) << "too much padding";
  EXPECT_FALSE(measured("QQ==" + body).looks_base64()) << "padding inside";
  EXPECT_FALSE(measured(repeated("ABAC", 100)).looks_base64()) << "three distinct chars";
  EXPECT_FALSE(measured(body + "QU-_").looks_base64()) << "another alphabet";
  EXPECT_FALSE(measured(body + "QUé").looks_base64());
}

TEST(Measure, SniffsTheTypeOfBase64Content) {
  const std::string rest = repeated("QUJD", 100);
  EXPECT_EQ(measured("iVBORw0KGgoA" + rest).sniffed_mime_type(), "image/png");
  EXPECT_EQ(measured("iVBORw0KGgoA" + rest, 3).sniffed_mime_type(), "image/png");
  EXPECT_EQ(measured("/9j/4AAQ" + rest).sniffed_mime_type(), "image/jpeg");
  EXPECT_EQ(measured("R0lGODlh" + rest).sniffed_mime_type(), "image/gif");
  EXPECT_EQ(measured("JVBERi0xLjQK" + rest).sniffed_mime_type(), "application/pdf");
  EXPECT_EQ(measured("UEsDBBQA" + rest).sniffed_mime_type(), "application/zip");
  EXPECT_EQ(measured("UklGRgAAAABXRUJQVlA4" + rest).sniffed_mime_type(), "image/webp");
  EXPECT_EQ(measured("AAAAGGZ0eXBpc29t" + rest).sniffed_mime_type(), "video/mp4");
  EXPECT_EQ(measured("AAAAGGZ0eXBoZWlj" + rest).sniffed_mime_type(), "image/heic");
  EXPECT_EQ(measured(rest).sniffed_mime_type(), "");
  EXPECT_EQ(measured("").sniffed_mime_type(), "");
}

}  // namespace
}  // namespace ladder::store
