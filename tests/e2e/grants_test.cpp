// Grants and the owner's tokens on the command line: they are distinguished, end together, and take times as people
// write them.
#include "owner.h"

#include <boost/json/serialize.hpp>

#include <regex>

namespace ladder::e2e {
namespace {

class Granting : public EveryEngine {
 protected:
  Granting() {
    owner.set_up();
    EXPECT_EQ(owner.ingest(note("n1", "the third clock")).exit_code, 0);
  }
  std::string grant(std::vector<std::string> words) const {
    words.insert(words.begin(), {"grant", "create"});
    return text_at(owner.json(words), "/grant_ids/0");
  }
  std::string status(const std::string& id) const { return text_at(owner.json({"grant", "show", id}), "/status"); }
};
LADDER_FOR_EVERY_ENGINE(Granting);

TEST_P(Granting, TheListDistinguishesGrants) {
  const std::string some = grant({"--client", "reader", "--stream", "home/notes:title,body", "--since", "2026-01-01", "--until",
                                  "2026-04-01", "--expires", "2999-01-01", "--budget", "200000"});
  const std::string all = grant({"--client", "writer", "--stream", "log"});
  const std::string one = grant({"--client", "writer", "--stream", "notes:id", "--record", "n1"});
  const std::string list = owner.done({"grant", "list"}).out;
  const auto line_of = [&list](const std::string& id) {
    const auto at = list.find(id);
    EXPECT_NE(at, std::string::npos) << list;
    return std::regex_replace(list.substr(at, list.find('\n', at) - at), std::regex("  +"), " | ");
  };
  EXPECT_EQ(line_of(some),
            some + " | active | reader | home/notes | 3: title, body, id* | 2026-01-01..2026-04-01 | 2999-01-01 | 200000 | –");
  EXPECT_EQ(line_of(all), all + " | active | writer | home/log | all 2: id, text | any time | never | – | –");
  EXPECT_EQ(line_of(one), one + " | active | writer | home/notes | 1: id | any time, 1 record | never | – | –");
  EXPECT_NE(list.find("* added automatically"), std::string::npos) << list;
}

TEST_P(Granting, SeveralEndTogetherAndAllOfAClient) {
  const std::string a = grant({"--client", "reader", "--stream", "notes"}), b = grant({"--client", "reader", "--stream", "log"});
  const std::string c = grant({"--client", "writer", "--stream", "notes"}),
                    d = grant({"--client", "reader", "--stream", "notes"});
  const auto ended = owner.json({"grant", "revoke", a, c});
  EXPECT_EQ(ended.at("grants").as_array().size(), 2U);
  EXPECT_EQ(status(a) + status(b) + status(c) + status(d), "revokedactiverevokedactive");

  const auto rest = owner.json({"grant", "revoke", "--client", "reader"});
  EXPECT_EQ(rest.at("grants").as_array().size(), 2U);
  EXPECT_EQ(status(b) + status(d), "revokedrevoked");
  const Outcome nothing = owner.ladder({"grant", "revoke", "--client", "reader", "--json"});
  EXPECT_EQ(nothing.exit_code, 1);
  EXPECT_EQ(nothing.error_code(), "not_found") << nothing.summary();
  EXPECT_EQ(owner.ladder({"grant", "revoke"}).exit_code, 64);
}

TEST_P(Granting, AnUnknownIdDoesNotStopOtherRevocations) {
  const std::string a = grant({"--client", "reader", "--stream", "notes"}), b = grant({"--client", "reader", "--stream", "log"});
  const Outcome outcome = owner.ladder({"grant", "revoke", a, "grt_0000000000000000", b});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.summary();
  EXPECT_NE(outcome.out.find(b + " of reader is revoked"), std::string::npos) << outcome.summary();
  EXPECT_EQ(status(a) + status(b), "revokedrevoked");
}

TEST_P(Granting, DurationsAreAccepted) {
  const Instant before = Clock::system().now();
  const std::string id =
      grant({"--client", "reader", "--stream", "notes:title", "--since", "90d", "--until", "12h", "--expires", "30d"});
  const Instant after = Clock::system().now();
  const auto shown = owner.json({"grant", "show", id});
  const auto is_near = [&](std::string_view pointer, Instant away) {
    const Instant at = parse_time(text_at(shown, pointer)).value_or(0);
    return at >= before + away - kSecond && at <= after + away + kSecond;
  };
  EXPECT_TRUE(is_near("/expires_at", 30 * kDay)) << boost::json::serialize(shown);
  EXPECT_TRUE(is_near("/grant/streams/0/time_constraint/since", -90 * kDay)) << boost::json::serialize(shown);
  EXPECT_TRUE(is_near("/grant/streams/0/time_constraint/until", -kDay / 2)) << boost::json::serialize(shown);
  EXPECT_EQ(owner.ladder({"grant", "create", "--client", "c", "--stream", "notes", "--expires", "30"}).exit_code, 64);

  owner.done({"source", "add", owner.write_file("again.json", searchable_notes_declaration())});
  EXPECT_EQ(owner.json({"records", "notes", "--filter", "updated_at.gte=100y"}).at("data").as_array().size(), 1U);
  EXPECT_EQ(owner.json({"records", "notes", "--filter", "updated_at.gte=1h"}).at("data").as_array().size(), 0U)
      << "the note is of April 2026";
}

TEST_P(Granting, AConnectionMeansAllItsStreams) {
  const auto shown = owner.json({"grant", "show", grant({"--client", "reader", "--connection", "home"})});
  const auto& streams = shown.at("streams").as_array();
  ASSERT_EQ(streams.size(), 2U);
  EXPECT_EQ(text_at(streams[0], "/stream") + text_at(streams[1], "/stream"), "noteslog");
  EXPECT_TRUE(streams[0].at("all_fields").as_bool());
  EXPECT_EQ(owner.ladder({"grant", "create", "--client", "c", "--connection", "none", "--json"}).error_code(),
            "connection_not_found");
  EXPECT_EQ(owner.ladder({"grant", "create", "--client", "c", "--connection", "home", "--record", "n1"}).exit_code, 64);
  EXPECT_NE(owner.ladder({"grant", "create", "--client", "c", "--connection", "home", "--since", "90d"}).exit_code, 0)
      << "the log has no time, so it cannot be granted by one";
}

TEST_P(Granting, ShowsTheLastUseAfterARead) {
  const auto issued = owner.json({"grant", "create", "--client", "reader", "--stream", "notes:title"});
  const std::string id = text_at(issued, "/grant_ids/0");
  owner.surroundings().environment["LADDER_TOKEN"] = text_at(issued, "/token");
  const std::string list = R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})"
                           "\n";
  owner.done({"mcp"}, list);
  EXPECT_FALSE(owner.json({"grant", "show", id}).as_object().contains("last_used_at")) << "a host only tried it";
  const Instant before = Clock::system().now();
  owner.done({"mcp"}, R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"schema","arguments":{}}})"
                      "\n");
  const auto used = parse_time(text_at(owner.json({"grant", "show", id}), "/last_used_at"));
  ASSERT_TRUE(used);
  EXPECT_GE(*used, before - kSecond);
  owner.done({"mcp"}, R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"schema","arguments":{}}})"
                      "\n");
  EXPECT_EQ(parse_time(text_at(owner.json({"grant", "show", id}), "/last_used_at")), used) << "written once an hour";
}

TEST_P(Granting, OwnerTokensAreListedAndEnd) {
  const auto lasting = owner.json({"token", "create", "--expires", "90d"});
  const auto endless = owner.json({"token", "create", "--expires", "never"});
  const auto usual = owner.json({"token", "create"});
  const auto tokens = owner.json({"token", "list"}).at("tokens").as_array();
  ASSERT_EQ(tokens.size(), 3U);
  EXPECT_EQ(text_at(tokens[0], "/token_id"), text_at(lasting, "/token_id"));
  const auto days = [&](std::size_t i) {
    return (parse_time(text_at(tokens[i], "/expires_at")).value_or(0) -
            parse_time(text_at(tokens[i], "/created_at")).value_or(0) + kSecond) /
           kDay;
  };
  EXPECT_EQ(days(0), 90);
  EXPECT_FALSE(tokens[1].as_object().contains("expires_at"));
  EXPECT_EQ(days(2), 365);
  EXPECT_EQ(boost::json::serialize(tokens).find("ldr_o_"), std::string::npos) << "the tokens themselves are nowhere";

  const auto reads = [&](const boost::json::value& token) {
    return owner.ladder({"records", "notes", "--token", text_at(token, "/token")}).exit_code;
  };
  EXPECT_EQ(reads(lasting), 0);
  EXPECT_EQ(reads(endless), 0);
  owner.done({"token", "revoke", text_at(lasting, "/token_id")});
  EXPECT_EQ(reads(lasting), 77);
  EXPECT_EQ(reads(endless), 0);
  EXPECT_EQ(text_at(owner.json({"token", "list"}), "/tokens/0/status"), "revoked");
  const Outcome unknown = owner.ladder({"token", "revoke", "tok_0000000000000000", text_at(usual, "/token_id")});
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_EQ(reads(usual), 77) << "the other one ended all the same";
  EXPECT_EQ(owner.ladder({"token", "create", "--expires", "2020-01-01"}).exit_code, 64);
}

}  // namespace
}  // namespace ladder::e2e
