// The acceptance rows about windows and cursors at the level of the resource server (docs/inside/acceptance.md lists the
// tests). tests/mcp and tests/wire test their wire forms.
#include "base/text/utf8.h"
#include "support/server_fixture.h"

#include <algorithm>

namespace ladder {
namespace {

using test_support::at_cursor;
using test_support::at_offset;
using test_support::for_query;
using test_support::must;
using test_support::text_member;

class WindowRules : public test_support::ServerFixture {
 protected:
  WindowRules() {
    for (int i = 0; text_.size() < 1'000'000; ++i) text_ += format("line {} of the field\n", i);
    put("n1", text_member("body", text_));
    put("n2", text_member("body", text_) + "," + text_member("title", text_));
  }
  Code code_of(const Result<api::FieldWindow>& result) { return result ? Code::kInternal : result.error().code; }

  std::string text_;
};

TEST_P(WindowRules, SelectorsExcludeEachOther) {
  const auto refused = [&](auto fill) {
    model::WindowArguments arguments;
    fill(arguments);
    const auto result = read(owner(), "n1", "body", arguments);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().wire(), "invalid_window") << result.error().message;
  };
  refused([](auto& a) {
    a.cursor = "x";
    a.offset_chars = 0;
  });
  refused([](auto& a) {
    a.cursor = "x";
    a.q = "y";
  });
  refused([](auto& a) {
    a.cursor = "x";
    a.before_chars = 1;
  });
  refused([](auto& a) {
    a.cursor = "x";
    a.after_chars = 1;
  });
  refused([](auto& a) {
    a.q = "x";
    a.offset_chars = 1;
  });
  refused([](auto& a) { a.before_chars = 1; });
  refused([](auto& a) { a.after_chars = 1; });
}

TEST_P(WindowRules, OffsetAndLimitAreDeterministic) {
  const auto once = must(read(owner(), "n1", "body", at_offset(12'345, 777)));
  const auto twice = must(read(owner(), "n1", "body", at_offset(12'345, 777)));
  EXPECT_EQ(once.text, text_.substr(12'345, 777));
  EXPECT_EQ(once.text, twice.text);
  EXPECT_EQ(once.next_cursor, twice.next_cursor);
  EXPECT_EQ(once.previous_cursor, twice.previous_cursor);
}

TEST_P(WindowRules, AQueryWindowSpansItsContext) {
  const std::size_t at = text_.find("line 20000 of");
  const auto window = must(read(owner(), "n1", "body", for_query("LINE 20000 OF")));
  EXPECT_EQ(window.match->start_chars, static_cast<std::int64_t>(at));
  EXPECT_EQ(window.start_chars, static_cast<std::int64_t>(at) - 2048);
  EXPECT_EQ(window.end_chars, window.match->end_chars + 2048);
  EXPECT_EQ(window.text, text_.substr(at - 2048, 2048 + 13 + 2048));

  model::WindowArguments narrow = for_query("line 20000 of");
  narrow.before_chars = 3;
  narrow.after_chars = 0;
  EXPECT_EQ(must(read(owner(), "n1", "body", narrow)).text, text_.substr(at - 3, 3 + 13));
  narrow.before_chars = 8192;
  narrow.limit_chars = 20;  // smaller than the context: the match stays inside
  const auto tight = must(read(owner(), "n1", "body", narrow));
  EXPECT_EQ(tight.end_chars - tight.start_chars, 20);
  EXPECT_GE(tight.match->start_chars, tight.start_chars);
  EXPECT_LE(tight.match->end_chars, tight.end_chars);
}

TEST_P(WindowRules, NoSelectorMeansTheFirst4096Chars) {
  const auto window = must(read(owner(), "n1", "body"));
  EXPECT_EQ(window.start_chars, 0);
  EXPECT_EQ(window.end_chars, 4096);
  EXPECT_EQ(window.limit_chars, 4096);
  EXPECT_EQ(window.text, text_.substr(0, 4096));
}

TEST_P(WindowRules, CursorsExistWhereTextRemains) {
  const auto first = must(read(owner(), "n1", "body"));
  EXPECT_TRUE(first.previous_cursor.empty());
  EXPECT_FALSE(first.next_cursor.empty());
  const auto middle = must(read(owner(), "n1", "body", at_cursor(first.next_cursor)));
  EXPECT_FALSE(middle.previous_cursor.empty());
  EXPECT_FALSE(middle.next_cursor.empty());
  const auto last = must(read(owner(), "n1", "body", at_offset(static_cast<std::int64_t>(text_.size()) - 10, 100)));
  EXPECT_FALSE(last.previous_cursor.empty());
  EXPECT_TRUE(last.next_cursor.empty());

  const auto hit = must(read(owner(), "n1", "body", for_query("line 20000 of")));
  const auto before = must(read(owner(), "n1", "body", at_cursor(hit.previous_cursor)));
  const auto after = must(read(owner(), "n1", "body", at_cursor(hit.next_cursor)));
  EXPECT_EQ(before.text + hit.text + after.text, text_.substr(static_cast<std::size_t>(before.start_chars),
                                                              static_cast<std::size_t>(after.end_chars - before.start_chars)));
  EXPECT_EQ(before.end_chars, hit.start_chars);
  EXPECT_EQ(after.start_chars, hit.end_chars);
}

TEST_P(WindowRules, LimitsAreBounded) {
  EXPECT_EQ(must(read(owner(), "n1", "body", at_offset(0, 16'384))).text.size(), 16'384U);
  EXPECT_EQ(code_of(read(owner(), "n1", "body", at_offset(0, 16'385))), Code::kInvalidWindow);
  EXPECT_EQ(code_of(read(owner(), "n1", "body", at_offset(0, 0))), Code::kInvalidWindow);
}

TEST_P(WindowRules, ContextsAreBounded) {
  model::WindowArguments arguments = for_query("line");
  arguments.before_chars = arguments.after_chars = 8192;
  EXPECT_TRUE(read(owner(), "n1", "body", arguments));
  arguments.after_chars = 0;
  EXPECT_TRUE(read(owner(), "n1", "body", arguments));
  arguments.after_chars = 8193;
  EXPECT_EQ(code_of(read(owner(), "n1", "body", arguments)), Code::kInvalidWindow);
  arguments.after_chars = -1;
  EXPECT_EQ(code_of(read(owner(), "n1", "body", arguments)), Code::kInvalidWindow);
}

TEST_P(WindowRules, CursorsAreOpaqueAndUrlSafe) {
  const auto window = must(read(owner(), "n1", "body", at_offset(5'000, 100)));
  for (const std::string& cursor : {window.next_cursor, window.previous_cursor}) {
    EXPECT_TRUE(std::ranges::all_of(cursor, [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_'; })) << cursor;
    EXPECT_FALSE(std::ranges::all_of(cursor, [](unsigned char c) { return std::isdigit(c); }));
    EXPECT_LT(cursor.size(), 200U);
  }
}

TEST_P(WindowRules, ACursorIsBoundToRecordAndField) {
  const auto window = must(read(owner(), "n2", "body"));
  const auto other_record = read(owner(), "n1", "body", at_cursor(window.next_cursor));
  const auto other_field = read(owner(), "n2", "title", at_cursor(window.next_cursor));
  EXPECT_EQ(code_of(other_record), Code::kCursorMismatch);
  EXPECT_EQ(code_of(other_field), Code::kCursorMismatch);
  // R101: the error names the requested record and field, not those inside the cursor.
  EXPECT_EQ(other_record.error().more->record, "work/notes:n1");
  EXPECT_EQ(other_field.error().more->field_path, "title");
}

TEST_P(WindowRules, ACursorIsStaleWhenTheFieldChanged) {
  const auto window = must(read(owner(), "n1", "body", at_offset(900'000, 4096)));
  put("n1", text_member("body", "now it is short"));
  const auto stale = read(owner(), "n1", "body", at_cursor(window.next_cursor));
  ASSERT_FALSE(stale);
  EXPECT_EQ(stale.error().code, Code::kStaleCursor);
  EXPECT_EQ(stale.error().http_status(), 409);
  EXPECT_EQ(stale.error().more->size_chars, 15);
  EXPECT_EQ(stale.error().more->digest, crypto::digest_text(crypto::sha256("now it is short")));
  EXPECT_EQ(stale.error().more->record, "work/notes:n1");
  EXPECT_EQ(stale.error().more->field_path, "body");
  EXPECT_TRUE(read(owner(), "n1", "body", at_offset(stale.error().more->resume_offset_chars, 100)));
}

TEST_P(WindowRules, ACursorSurvivesAChangeOfAnotherField) {
  const auto window = must(read(owner(), "n1", "body"));
  put("n1", text_member("body", text_) + "," + text_member("title", "new"));
  EXPECT_EQ(must(read(owner(), "n1", "body", at_cursor(window.next_cursor))).start_chars, 4096);
}

TEST_P(WindowRules, RefuseMalformedAndTamperedCursors) {
  const auto window = must(read(owner(), "n1", "body"));
  std::string tampered = window.next_cursor;
  tampered[tampered.size() / 2] = tampered[tampered.size() / 2] == 'A' ? 'B' : 'A';
  for (const std::string& cursor :
       {std::string("4096"), std::string("AAAA"), std::string("!!"), tampered, window.next_cursor + "A"}) {
    const auto refused = read(owner(), "n1", "body", at_cursor(cursor));
    ASSERT_FALSE(refused) << cursor;
    EXPECT_EQ(refused.error().code, Code::kInvalidCursor) << cursor;
    EXPECT_EQ(refused.error().more->record, "work/notes:n1");
    EXPECT_EQ(refused.error().more->field_path, "body");
  }
}

TEST_P(WindowRules, ACursorAcceptsAnotherLimit) {
  const auto first = must(read(owner(), "n1", "body", at_offset(0, 1'000)));
  model::WindowArguments more = at_cursor(first.next_cursor);
  more.limit_chars = 5'000;
  const auto next = must(read(owner(), "n1", "body", more));
  EXPECT_EQ(next.start_chars, 1'000);
  EXPECT_EQ(next.end_chars, 6'000);
  model::WindowArguments back = at_cursor(next.previous_cursor);
  back.limit_chars = 10;
  EXPECT_EQ(must(read(owner(), "n1", "body", back)).start_chars, 990);
}

TEST_P(WindowRules, OffsetsAreBounded) {
  EXPECT_EQ(code_of(read(owner(), "n1", "body", at_offset(-1, 10))), Code::kInvalidWindow);
}

TEST_P(WindowRules, CursorsSurviveTokenRotation) {
  const server::GrantSelection selection{"work", "notes", {}, {}, {}, {}};
  const server::IssuedGrants issued = issue({selection});
  const auto window = must(read(must(server().accesses().authenticate(issued.token)), "n1", "body"));
  const auto again =
      must(read(must(server().accesses().authenticate(issued.token)), "n1", "body", at_cursor(window.next_cursor)));
  EXPECT_EQ(again.start_chars, 4096);
}

TEST_P(WindowRules, AnAmbiguousRecordIsATypedError) {
  must(server().sources().add_connection(owner(), "notes", "Home notes", "home"));
  put("n1", text_member("body", "at home"), "home");
  const auto ambiguous = server().windows().read(owner(), window_request("n1", "body", {}, ""));
  ASSERT_FALSE(ambiguous);
  EXPECT_EQ(ambiguous.error().code, Code::kAmbiguousConnection);
  ASSERT_EQ(ambiguous.error().more->available_connections.size(), 2U);
  put("only", text_member("body", "just here"), "home");
  const auto one = must(server().windows().read(owner(), window_request("only", "body", {}, "")));
  EXPECT_EQ(one.record.connection_id, "home");
}

TEST_P(WindowRules, Base64IsDetectedOverTheWholeValue) {
  std::string base64;
  while (base64.size() < 8'000) base64 += "iVBORw0KGgoAAAANSUhEUgAA";
  put("n1", text_member("body", base64));
  EXPECT_FALSE(must(read(owner(), "n1", "body", at_offset(0, 10))).text_like);
  put("n1", text_member("body", base64 + " and words"));
  EXPECT_TRUE(must(read(owner(), "n1", "body", at_offset(0, 10))).text_like);
}

LADDER_FOR_EVERY_ENGINE(WindowRules);

}  // namespace
}  // namespace ladder
