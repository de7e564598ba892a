#include "sync/imap/response.h"

#include "sync/imap/client.h"
#include "sync/imap/uid_set.h"

#include <gtest/gtest.h>

namespace ladder::sync::imap {
namespace {

// Returns every complete response of the bytes, fed in pieces of a size.
std::vector<std::string> split(std::string_view bytes, std::size_t piece) {
  ResponseSplitter splitter;
  std::vector<std::string> all;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    splitter.buffer() += bytes.substr(at, piece);
    for (std::string_view one; splitter.next(one).value();) all.emplace_back(one);
  }
  return all;
}

TEST(ResponseSplitter, CutsLinesAndLiteralsInAnyPieces) {
  const std::string bytes =
      "* OK ready {5}\r\n* 1 FETCH (UID 7 BODY[] {11}\r\nab\r\n* OK\r\nX FLAGS (\\Seen))\r\n* LIST () \"/\" {3}\r\na\"b\r\nL1 OK "
      "done\r\n";
  const std::vector<std::string> expected = {"* OK ready {5}", "* 1 FETCH (UID 7 BODY[] {11}\r\nab\r\n* OK\r\nX FLAGS (\\Seen))",
                                             "* LIST () \"/\" {3}\r\na\"b", "L1 OK done"};
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) EXPECT_EQ(split(bytes, piece), expected) << piece;
}

TEST(ResponseSplitter, RefusesLiteralsAndLinesOverTheLimit) {
  std::string_view response;
  ResponseSplitter splitter;
  splitter.buffer() = "* 1 FETCH (BODY[] {99999999999}\r\n";
  EXPECT_EQ(splitter.next(response).error().code, Code::kRsProtocol);
  ResponseSplitter two;
  two.buffer() = "* 1 FETCH (A {100000000}\r\n" + std::string(100'000'000, 'x') + " B {100000000}\r\n";
  EXPECT_EQ(two.next(response).error().code, Code::kRsProtocol) << "the literals of a response count together";
  ResponseSplitter line;
  line.buffer() = "* SEARCH " + std::string(kMaxLineBytes + 1, '1');
  EXPECT_EQ(line.next(response).error().code, Code::kRsProtocol);
  ResponseSplitter many;
  many.buffer() = "* LIST ";
  for (std::size_t i = 0; i <= kMaxLiterals; ++i) many.buffer() += "{0}\r\n ";
  EXPECT_EQ(many.next(response).error().code, Code::kRsProtocol);
}

TEST(Response, ReadsStatusesWithTheirCodes) {
  const auto tagged = parse_response("L7 NO [AUTHENTICATIONFAILED] Wrong password");
  ASSERT_TRUE(tagged);
  EXPECT_EQ(tagged->kind, Response::Kind::kTagged);
  EXPECT_EQ(tagged->tag, "L7");
  EXPECT_EQ(tagged->condition, Response::Condition::kNo);
  EXPECT_EQ(tagged->code, "AUTHENTICATIONFAILED");
  EXPECT_EQ(tagged->text, "Wrong password");
  const auto status = parse_response("* ok [uidvalidity 3857529045] UIDs valid");
  ASSERT_TRUE(status);
  EXPECT_EQ(status->kind, Response::Kind::kStatus);
  EXPECT_EQ(status->code, "UIDVALIDITY");
  EXPECT_EQ(status->code_argument, "3857529045");
  EXPECT_EQ(parse_response("+ ")->kind, Response::Kind::kContinuation);
  EXPECT_FALSE(parse_response("L7 whatever"));
  EXPECT_FALSE(parse_response(""));
}

TEST(Response, ReadsFetchedMessages) {
  const std::string bytes =
      "* 12 FETCH (UID 7 FLAGS (\\Seen $Forwarded) MODSEQ (624140003) RFC822.SIZE 44827 BODY[] {5}\r\n)\"(\r\n X-GM-LABELS "
      "(\"\\\\Inbox\" "
      "\"a \\\"b\\\"\"))";
  const auto response = parse_response(bytes);
  ASSERT_TRUE(response);
  EXPECT_EQ(response->number, 12U);
  const auto fetched = read_fetch(*response);
  ASSERT_TRUE(fetched);
  EXPECT_EQ(fetched->uid, 7U);
  EXPECT_EQ(fetched->flags, (std::set<std::string>{"\\seen", "$forwarded"}));
  EXPECT_EQ(fetched->modseq, 624140003U);
  EXPECT_EQ(fetched->size, 44827U);
  EXPECT_EQ(fetched->body, ")\"(\r\n");
  EXPECT_EQ(fetched->labels, (std::vector<std::string>{"\\Inbox", "a \"b\""}));
  EXPECT_FALSE(read_fetch(*parse_response("* 12 FETCH (FLAGS ())"))) << "a message without its number is of no use";
}

TEST(Response, RefusesWhatDoesNotEnd) {
  EXPECT_FALSE(parse_response("* LIST (\\Noselect \"/\" a"));
  EXPECT_FALSE(parse_response("* LIST \"abc"));
  EXPECT_FALSE(parse_response("* LIST ) a"));
  EXPECT_FALSE(parse_response("* X {10}\r\nabc"));
  EXPECT_FALSE(parse_response("* X " + std::string(1000, '(')));
  EXPECT_TRUE(parse_response("* X BODY[HEADER.FIELDS (DATE FROM)]<0> NIL"));
}

TEST(UidSet, ParsesRangesInAnyOrder) {
  const auto set = UidSet::parse("7:9,1,5:3,9:12");
  ASSERT_TRUE(set);
  EXPECT_EQ(set->text(), "1,3:5,7:12");
  EXPECT_EQ(set->count(), 10U);
  EXPECT_TRUE(set->contains(4));
  EXPECT_TRUE(set->contains(12));
  EXPECT_FALSE(set->contains(2));
  EXPECT_FALSE(set->contains(13));
  EXPECT_TRUE(UidSet::parse("1:4294967295")->contains(4294967295U));
  EXPECT_EQ(UidSet::parse("1:4294967295")->count(), 4294967295U);
  for (const char* bad : {"*", "0", "1:*", "1,,2", "4294967296", "a", ":", "-1"}) EXPECT_FALSE(UidSet::parse(bad)) << bad;
}

TEST(UidSet, CommandsHaveShortSets) {
  const std::vector<Uid> uids = {1, 2, 3, 7, 9, 10};
  EXPECT_EQ(uid_set(uids).text(), "1:3,7,9:10");
}

}  // namespace
}  // namespace ladder::sync::imap
