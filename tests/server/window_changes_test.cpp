// A field that changes between two windows: its old range is remembered, its text is not.
#include "base/text/utf8.h"
#include "support/server_fixture.h"

namespace ladder::server {
namespace {

using namespace test_support;

class WindowChanges : public ServerFixture {
 protected:
  static constexpr std::int64_t kLimit = 4096;

  static std::string repeated(std::string_view word, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += format("{}{} ", word, i);
    return text;
  }

  static GrantSelection reading_body() {
    GrantSelection selection;
    selection.connection_id = "work";
    selection.stream = "notes";
    selection.fields = {"body"};
    return selection;
  }

  void expect_windows(const Access& access, std::string_view text) {
    const std::int64_t size = utf8::count(text);
    for (const std::int64_t offset : {std::int64_t{0}, size / 2, std::max<std::int64_t>(0, size - kLimit), size}) {
      const auto window = must(read(access, "a", "body", at_offset(offset, kLimit)));
      EXPECT_EQ(window.text, utf8::slice(text, offset, kLimit)) << offset;
      EXPECT_EQ(window.size_chars, size);
      EXPECT_EQ(window.digest, crypto::digest_text(crypto::sha256(text)));
    }
  }
};

TEST_P(WindowChanges, AreVisibleInTheNextRead) {
  const std::string plain = repeated("word", 4000), wide = repeated("слово", 9000), shorter = repeated("x", 1500);
  put("a", text_member("body", plain));
  const Access agent = client(reading_body());
  const Access machine = owner();
  for (const std::string& text : {plain, wide, std::string("short"), shorter, plain}) {
    put("a", text_member("body", text));
    for (int again = 0; again < 2; ++again) {
      expect_windows(agent, text);
      expect_windows(machine, text);
    }
  }
}

TEST_P(WindowChanges, BetweenPagesMakeTheCursorStale) {
  put("a", text_member("body", repeated("word", 4000)));
  const Access agent = client(reading_body());
  const auto first = must(read(agent, "a", "body", at_offset(0, kLimit)));
  const auto second = must(read(agent, "a", "body", at_cursor(first.next_cursor)));
  EXPECT_EQ(second.start_chars, first.end_chars);
  put("a", text_member("body", repeated("other", 4000)));
  const auto stale = read(agent, "a", "body", at_cursor(second.next_cursor));
  ASSERT_FALSE(stale);
  EXPECT_EQ(stale.error().code, Code::kStaleCursor);
  ASSERT_TRUE(stale.error().more);
  EXPECT_EQ(stale.error().more->resume_offset_chars, second.end_chars);
}

TEST_P(WindowChanges, ARevokedGrantEndsAWalk) {
  put("a", text_member("body", repeated("word", 4000)));
  const IssuedGrants issued = issue({reading_body()});
  const Access agent = must(server().accesses().authenticate(issued.token));
  for (int i = 0; i < 3; ++i) must(read(agent, "a", "body", at_offset(i * kLimit, kLimit)));
  must(server().grants().revoke(owner(), issued.grant_ids.front()));
  const auto refused = read(agent, "a", "body", at_offset(3 * kLimit, kLimit));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kGrantRevoked);
}

LADDER_FOR_EVERY_ENGINE(WindowChanges);

}  // namespace
}  // namespace ladder::server
