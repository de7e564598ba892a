// Tests of previews, trimmed records and ladder entries.
#include "api/preview.h"

#include "api/content_ladder.h"
#include "base/text/utf8.h"
#include "json/scan/scan.h"

#include <gtest/gtest.h>

namespace ladder::api {
namespace {

std::string repeated(std::string_view piece, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += piece;
  return text;
}

std::string fixed_digest(std::string_view text) { return "digest of " + std::to_string(text.size()); }

TEST(Preview, ReportsSizeGradesAndStatusNames) {
  EXPECT_EQ(size_grade(10), "inline");
  EXPECT_EQ(size_grade(3'000), "small");
  EXPECT_EQ(size_grade(10'000), "medium");
  EXPECT_EQ(size_grade(100'000), "large");
  EXPECT_EQ(size_grade(2'000'000), "huge");
  EXPECT_EQ(size_grade(-1), "unknown");
  EXPECT_EQ(word_of(PreviewStatus::kSnippetOnly), "snippet-only");
  EXPECT_EQ(word_of(PreviewStatus::kUnavailable), "unavailable");
}

TEST(Preview, ExcerptsContainTheFocusWithinTheLimit) {
  const std::string text = repeated("0123456789", 30);
  for (std::int64_t start = 0; start < 300; start += 7) {
    for (const std::int64_t most : {32, 96}) {
      const CharRange range = excerpt_around(text, {start, std::min<std::int64_t>(300, start + 9)}, most);
      EXPECT_LE(range.start_chars, start);
      EXPECT_GE(range.end_chars, std::min<std::int64_t>(300, start + 9));
      EXPECT_EQ(range.end_chars - range.start_chars, most);
    }
  }
  EXPECT_EQ(excerpt_around("short", {1, 2}, 96), (CharRange{0, 5}));
  EXPECT_EQ(excerpt_around(text, {0, 200}, 32).end_chars, 32) << "a focus that is too long shows its start";
}

TEST(Preview, ExcerptsStartAtAWord) {
  const std::string text = "The committee heard that the reservation number is stated on the second page of the letter.";
  const auto focus = static_cast<std::int64_t>(text.find("number"));
  const CharRange range = excerpt_around(text, {focus, focus + 6}, 32);
  EXPECT_EQ(range.end_chars - range.start_chars, 32);
  EXPECT_EQ(text.substr(static_cast<std::size_t>(range.start_chars), 32), "reservation number is stated on ");
}

TEST(Preview, ExcerptsKeepSequencesTogether) {
  const std::string family = "👩\xE2\x80\x8D👩\xE2\x80\x8D👧";  // five code points that display as one symbol
  const std::string text = repeated(family, 20) + "X" + repeated(family, 20);
  const CharRange range = excerpt_around(text, {100, 101}, 32);
  const std::u32string shown = utf8::decode(utf8::slice(text, range.start_chars, range.end_chars - range.start_chars));
  EXPECT_NE(shown.front(), U'\x200D');
  EXPECT_NE(shown.back(), U'\x200D');
  EXPECT_EQ(shown.find(U'X') % 5, 0U);
  EXPECT_EQ(shortened("e\xCC\x81"
                      "e\xCC\x81"
                      "e\xCC\x81",
                      4),
            "e\xCC\x81…")
      << "an accent stays with its letter";
}

TEST(ReadStart, IsZeroForSmallFieldsAndNearTheMatchForLargeOnes) {
  const auto start_of = [](const std::string& text, std::string_view word, std::int64_t size) {
    return read_start(text, 1'000, 1'000 + utf8::count(std::string_view(text).substr(0, text.find(word))), size);
  };
  const std::string words = "one two three. ";
  EXPECT_EQ(start_of("text needle", "needle", kWholeReadChars), 0);
  EXPECT_EQ(start_of(words + "\nA line\nwith the needle", "needle", 100'000), 1'000 + 16) << "the first line start";
  EXPECT_EQ(start_of("end. A sentence with the needle", "needle", 100'000), 1'000 + 5) << "no line starts here";
  EXPECT_EQ(start_of("rest of words and the needle", "needle", 100'000), 1'000 + 5) << "no sentence starts here";
  EXPECT_EQ(start_of("\u6c34\u6c34\u3002\u5c71needle", "needle", 100'000), 1'000 + 3) << "other scripts have other stops";
  EXPECT_EQ(read_start("needle", 1'000, 1'000, 100'000), 1'000) << "nothing before it is known";
  EXPECT_EQ(read_start("A b needle", 0, 4, -1), 0) << "the size is unknown, and the start is near";
  std::string far;
  for (int i = 0; i < 200; ++i) far += "A line.\n";
  const std::int64_t match = utf8::count(far);
  const std::int64_t start = read_start(far + "needle", 0, match, 100'000);
  EXPECT_GE(start, match - kReadLeadChars);
  EXPECT_EQ(start % 8, 0) << "a line start";
}

TEST(Trim, CutsOnlyLongStrings) {
  const std::string data =
      R"({ "a" : "short" , "n":1.50,"long":")" + repeated("é", 50) + R"(","o":{"k": [1, 2]}, "esc":"\u00e9\/"})";
  const Trimmed trimmed = trim(data, {}, 20, fixed_digest);
  EXPECT_EQ(trimmed.data,
            R"({ "a" : "short" , "n":1.50,"long":")" + repeated("é", 20) + R"(","o":{"k": [1, 2]}, "esc":"\u00e9\/"})");
  ASSERT_EQ(trimmed.cut.size(), 1U);
  EXPECT_EQ(trimmed.cut[0].path, "long");
  EXPECT_EQ(trimmed.cut[0].size_chars, 50);
  EXPECT_EQ(trimmed.cut[0].shown_chars, 20);
  EXPECT_EQ(trimmed.cut[0].digest, "digest of 100");
}

TEST(Trim, ReplacesLongContainersByNull) {
  const Trimmed trimmed = trim(R"({"o":{"k":"0123456789"},"l":[1,2,3,4,5,6,7,8,9,10]})", {}, 12, fixed_digest);
  EXPECT_EQ(trimmed.data, R"({"o":null,"l":null})");
  EXPECT_EQ(trimmed.cut[0].type, "object");
  EXPECT_EQ(trimmed.cut[1].type, "array");
  EXPECT_EQ(trimmed.cut[1].mime_type, "application/json");
}

TEST(Trim, HidesNestedBase64) {
  const std::string bytes = repeated("iVBORw0KGgo/", 24);  // 288 chars; the slash may come escaped
  std::string escaped = bytes;
  for (std::size_t at = escaped.find('/'); at != std::string::npos; at = escaped.find('/', at + 2)) escaped.insert(at, "\\");
  const Trimmed trimmed =
      trim(R"({"a":[{"b/c":")" + escaped + R"("}],"top":")" + bytes + R"(","t":"text"})", {}, 10'000, fixed_digest);
  EXPECT_EQ(trimmed.data, R"({"a":[{"b/c":null}],"top":null,"t":"text"})");
  ASSERT_EQ(trimmed.cut.size(), 2U);
  EXPECT_EQ(trimmed.cut[0].path, "/a/0/b~1c");
  EXPECT_FALSE(trimmed.cut[0].text_like);
  EXPECT_EQ(trimmed.cut[0].mime_type, "image/png");
  EXPECT_EQ(trimmed.cut[1].size_chars, 288);
}

TEST(Trim, ShortensValuesCutByTheServer) {
  CutField known;
  known.path = "a";
  known.size_chars = 1'000;
  known.shown_chars = 30;
  const std::string data = R"({"a":")" + repeated("x", 30) + R"("})";
  EXPECT_EQ(trim(data, {known}, 40, fixed_digest).cut[0].shown_chars, 30);
  const Trimmed shorter = trim(data, {known}, 10, fixed_digest);
  EXPECT_EQ(shorter.data, R"({"a":"xxxxxxxxxx"})");
  EXPECT_EQ(shorter.cut[0].shown_chars, 10);
  EXPECT_EQ(shorter.cut[0].size_chars, 1'000);
}

TEST(Trim, WritesPathsOfUnusualNames) {
  const Trimmed trimmed = trim(R"({"a/b":"0123456789"})", {}, 4, fixed_digest);
  EXPECT_EQ(trimmed.cut[0].path, "/a~1b");
}

TEST(BlobReference, AreRecognizedByShape) {
  EXPECT_TRUE(blob_reference(R"({"blob_id":"b"})"));
  EXPECT_TRUE(blob_reference(R"({"mime_type":"image/png","size_bytes":3})"));
  EXPECT_FALSE(blob_reference(R"({"id":"x","url":"https://e.org"})")) << "any object has an id or an address";
  EXPECT_FALSE(blob_reference(R"({"mime_type":"image/png"})"));
  EXPECT_FALSE(blob_reference(R"({"blob_id":7})"));
  const auto facts =
      blob_reference(R"({"blob_id":"b","contentType":"image/png","sizeBytes":12,"sha256":")" + repeated("ab", 32) + R"("})");
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->mime_type, "image/png");
  EXPECT_EQ(facts->size_bytes, 12);
  EXPECT_EQ(facts->digest, "sha256:" + repeated("ab", 32));
}

TEST(Ladder, FindsNestedBlobs) {
  const auto blobs =
      blobs_in(R"({"files":[{"x":1},{"ref":{"blob_id":"b1","mime_type":"a/b"}}],"photo":{"blob_id":"b2"},"t":"s"})", 8);
  ASSERT_EQ(blobs.size(), 2U);
  EXPECT_EQ(blobs[0].path, "/files/1/ref");
  EXPECT_EQ(blobs[1].path, "photo");
  EXPECT_TRUE(blobs[1].is_binary());
  EXPECT_EQ(blobs_in(R"({"a":{"blob_id":"1"},"b":{"blob_id":"2"}})", 1).size(), 1U);
}

}  // namespace
}  // namespace ladder::api
