// The disclosure ledger of the real program: what REST and MCP clients were given, as the owner reads it.
#include "base/text/utf8.h"
#include "rest_fixture.h"

namespace ladder::wire {
namespace {

class LedgerOverHttp : public Rest {
 protected:
  LedgerOverHttp() {
    put("n1", text_member("title", "a title") + "," + text_member("body", "the third clock strikes") + "," +
                  text_member("secret", "hidden"));
  }

  std::string client_token() { return token_for({"work", "notes", {"id", "title", "body"}, {}, {}, {}}); }
  Answer tool(std::string_view name, std::string_view arguments, const std::string& token) {
    return send(
        "POST", "/mcp", token,
        format(R"({{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"{}","arguments":{}}}}})", name, arguments),
        headers({{"Content-Type", "application/json"}, {"Accept", "application/json, text/event-stream"}}));
  }
  Answer ledger(const std::string& query = {}) { return get("/v1/ledger" + query, owner_token()); }
};

TEST_P(LedgerOverHttp, RecordsEveryRestResponseWithItsRanges) {
  const std::string client = client_token();
  const Answer window = get("/v1/streams/notes/records/n1/field-window?field=body&offset_chars=4&limit_chars=5", client);
  ASSERT_EQ(window.status, 200) << window.text;
  const Answer all = ledger();
  ASSERT_EQ(all.status, 200) << all.text;
  ASSERT_EQ(all.at("/data").as_array().size(), 1U) << all.text;
  EXPECT_EQ(all.string("/data/0/client_id"), "agent");
  EXPECT_EQ(all.string("/data/0/transport"), "rest");
  EXPECT_EQ(all.string("/data/0/name"), "/v1/streams/{stream}/records/{id}/field-window");
  EXPECT_EQ(all.string("/data/0/kind"), "window");
  EXPECT_EQ(all.string("/data/0/request_id"), window.header("Request-Id"));
  EXPECT_EQ(all.string("/data/0/records/0/id"), "work/notes:n1");
  EXPECT_EQ(all.string("/data/0/records/0/fields/0/field_path"), "body");
  EXPECT_EQ(boost::json::serialize(all.at("/data/0/records/0/fields/0/ranges")), "[[4,9]]");
  EXPECT_EQ(all.string("/data/0/records/0/fields/0/digest"), window.string("/field/digest"));
  EXPECT_EQ(all.text.find("third"), std::string::npos) << "no text";

  const Answer seen = get("/v1/ledger/seen?record=work%2Fnotes%3An1", owner_token());
  ASSERT_EQ(seen.at("/data").as_array().size(), 1U) << seen.text;
  EXPECT_EQ(seen.number("/data/0/chars"), 5);
  EXPECT_EQ(get("/v1/ledger/use", owner_token()).number("/data/0/chars"), 5);
  EXPECT_EQ(get("/v1/ledger/state", owner_token()).number("/settings/detail_days"), 90);
}

TEST_P(LedgerOverHttp, ToolsAreNamedAndShowOnlyWhatIsRecorded) {
  const std::string client = client_token();
  const Answer read =
      tool("read_record_field", R"({"id":"work/notes:n1","field_path":"body","offset_chars":4,"limit_chars":5})", client);
  ASSERT_NE(read.text.find("third"), std::string::npos) << read.text;
  const Answer fetched = tool("fetch", R"({"id":"work/notes:n1"})", client);
  ASSERT_NE(fetched.text.find("strikes"), std::string::npos) << fetched.text;
  const Answer all = ledger();
  ASSERT_EQ(all.at("/data").as_array().size(), 2U) << all.text;
  EXPECT_EQ(all.string("/data/0/transport"), "mcp");
  EXPECT_EQ(all.string("/data/0/name"), "fetch");
  EXPECT_EQ(all.string("/data/1/name"), "read_record_field");
  EXPECT_EQ(boost::json::serialize(all.at("/data/1/records/0/fields/0/ranges")), "[[4,9]]");
  for (const auto& field : all.at("/data/0/records/0/fields").as_array()) {
    EXPECT_NE(field.at("field_path").as_string(), "secret");
  }
}

TEST_P(LedgerOverHttp, ExportsLinesAndATable) {
  const std::string client = client_token();
  for (int i = 0; i < 3; ++i) ASSERT_EQ(get("/v1/streams/notes/records/n1", client).status, 200);
  const Answer lines = ledger("?format=ndjson");
  EXPECT_EQ(lines.header("Content-Type"), "application/x-ndjson");
  EXPECT_EQ(std::ranges::count(lines.text, '\n'), 3);
  const Answer table = ledger("?format=csv");
  EXPECT_TRUE(table.text.starts_with("at,client_id,")) << table.text;
  EXPECT_EQ(std::ranges::count(table.text, '\n'), 1 + 3 * 3) << "a row a range";
  expect_error(ledger("?format=xml"), 400, "invalid_request", "format");
  expect_error(ledger("?limit=0"), 400, "invalid_request", "limit");
  expect_error(ledger("?cursor=x"), 400, "invalid_cursor", "cursor");
  expect_error(ledger("?since=yesterday"), 400, "invalid_request", "since");
  EXPECT_EQ(ledger("?client_id=somebody").at("/data").as_array().size(), 0U);
  const Answer first = ledger("?limit=2");
  EXPECT_EQ(first.at("/data").as_array().size(), 2U);
  EXPECT_EQ(ledger("?limit=2&cursor=" + first.string("/next_cursor")).at("/data").as_array().size(), 1U);
}

TEST_P(LedgerOverHttp, OnlyTheOwnerReadsIt) {
  const std::string client = client_token();
  for (const char* path : {"/v1/ledger", "/v1/ledger/seen", "/v1/ledger/use", "/v1/ledger/state"}) {
    expect_error(get(path, client), 403, "permission_error");
    expect_error(get(path, ""), 401, "authentication_error");
  }
}

TEST_P(LedgerOverHttp, AnExceededBudgetSaysWhenItRenews) {
  const auto issued = issue({{"work", "notes", {"id", "body"}, {}, {}, {}}});
  must(server().ledger().set_budget(owner(), issued.grant_ids.front(), 10));
  const std::string target = "/v1/streams/notes/records/n1/field-window?field=body&offset_chars=0&limit_chars=";
  EXPECT_EQ(get(target + "10", issued.token).status, 200);
  const Answer refused = get(target + "1", issued.token);
  expect_error(refused, 429, "rate_limit_exceeded");
  EXPECT_GT(std::stoi(refused.header("Retry-After")), 0);
  const Answer told = tool("read_record_field", R"({"id":"work/notes:n1","field_path":"body"})", issued.token);
  EXPECT_NE(told.text.find("rate_limit_exceeded"), std::string::npos) << told.text;
  EXPECT_NE(told.text.find("a day"), std::string::npos) << told.text;
}

TEST_P(LedgerOverHttp, ChangesSettingsOneByOne) {
  const auto patch = [&](const std::string& body, const std::string& token) {
    return send("PATCH", "/v1/ledger/settings", token, body, headers({{"Content-Type", "application/json"}}));
  };
  const Answer longer = patch(R"({"detail_days":365})", owner_token());
  ASSERT_EQ(longer.status, 200) << longer.text;
  EXPECT_EQ(longer.number("/settings/detail_days"), 365);
  EXPECT_FALSE(longer.at("/settings/keeps_queries").as_bool());
  EXPECT_EQ(patch(R"({"keeps_queries":true,"seen_days":730})", owner_token()).status, 200);
  const Answer state = get("/v1/ledger/state", owner_token());
  EXPECT_EQ(boost::json::serialize(state.at("/settings")), R"({"detail_days":365,"seen_days":730,"keeps_queries":true})");
  expect_error(patch(R"({"detail_days":0})", owner_token()), 400, "invalid_request", "detail_days");
  expect_error(patch(R"({"seen_days":7})", owner_token()), 400, "invalid_request", "seen_days");
  expect_error(patch(R"({"detail_days":"90"})", owner_token()), 400, "invalid_request", "detail_days");
  expect_error(patch(R"({"keeps_queries":1})", owner_token()), 400, "invalid_request", "keeps_queries");
  expect_error(patch(R"({"days":90})", owner_token()), 400, "invalid_request", "days");
  expect_error(patch("[]", owner_token()), 400, "invalid_request");
  expect_error(patch("{", owner_token()), 400, "invalid_request");
  expect_error(patch("{}", client_token()), 403, "permission_error");
  expect_error(patch("{}", ""), 401, "authentication_error");
  EXPECT_EQ(get("/v1/ledger/state", owner_token()).number("/settings/detail_days"), 365) << "a refused change has no effect";
}

TEST_P(LedgerOverHttp, KeepsSearchWordsIfTheOwnerWants) {
  const std::string client = client_token();
  ASSERT_EQ(get("/v1/search?q=clock", client).status, 200);
  EXPECT_EQ(ledger().text.find("clock"), std::string::npos);
  ASSERT_EQ(send("PATCH", "/v1/ledger/settings", owner_token(), R"({"keeps_queries":true})",
                 headers({{"Content-Type", "application/json"}}))
                .status,
            200);
  ASSERT_EQ(get("/v1/search?q=clock", client).status, 200);
  EXPECT_EQ(ledger("?limit=1").string("/data/0/query"), "clock");
}

TEST_P(LedgerOverHttp, TheOwnerSetsAndEndsABudget) {
  const auto issued = issue({{"work", "notes", {"id", "body"}, {}, {}, {}}});
  const auto put_budget = [&](const std::string& grant, const std::string& body, const std::string& token) {
    return send("PUT", "/v1/grants/" + grant + "/budget", token, body, headers({{"Content-Type", "application/json"}}));
  };
  const std::string& grant = issued.grant_ids.front();
  const Answer set = put_budget(grant, R"({"chars_a_day":10})", owner_token());
  ASSERT_EQ(set.status, 200) << set.text;
  EXPECT_EQ(set.number("/chars_a_day"), 10);
  EXPECT_EQ(set.number("/bytes_a_day"), 1'000) << "by default a hundred for each character";
  EXPECT_EQ(put_budget(grant, R"({"chars_a_day":10,"bytes_a_day":7})", owner_token()).number("/bytes_a_day"), 7);
  expect_error(put_budget(grant, R"({"chars_a_day":10,"bytes_a_day":-1})", owner_token()), 400, "invalid_request", "budget");
  expect_error(put_budget(grant, R"({"chars_a_day":10,"bytes_a_day":"1"})", owner_token()), 400, "invalid_request",
               "bytes_a_day");
  const std::string target = "/v1/streams/notes/records/n1/field-window?field=body&limit_chars=11";
  expect_error(get(target, issued.token), 429, "rate_limit_exceeded");
  EXPECT_EQ(put_budget(grant, R"({"chars_a_day":null})", owner_token()).text,
            format(R"({{"grant_id":"{}","chars_a_day":null,"bytes_a_day":null}})", grant));
  EXPECT_EQ(get(target, issued.token).status, 200);
  expect_error(put_budget(grant, R"({"chars_a_day":0})", owner_token()), 400, "invalid_request", "budget");
  expect_error(put_budget(grant, "{}", owner_token()), 400, "invalid_request", "chars_a_day");
  expect_error(put_budget(grant, R"({"chars_a_day":1.5})", owner_token()), 400, "invalid_request", "chars_a_day");
  expect_error(put_budget("gr_unknown", R"({"chars_a_day":10})", owner_token()), 404, "not_found");
  expect_error(put_budget(grant, R"({"chars_a_day":10})", issued.token), 403, "permission_error");
}

// Over REST and MCP: group keys count as disclosed, and a record that one of them reveals counts as seen.
TEST_P(LedgerOverHttp, GroupKeysAreDisclosedText) {
  add_library();
  std::string lines;
  for (int i = 0; i < 30; ++i) {
    const std::string shelf = i < 20 ? "large" : format("shelf {}", i);
    lines += line(format("b{}", i), format(R"({{"id":"b{}","shelf":"{}","pages":{}}})", i, shelf, 100 + i));
  }
  put_lines("books", lines);
  const auto issued = issue({{"shelf", "books", {"id", "shelf", "pages"}, {}, {}, {}}});
  const auto used = [&] {
    std::int64_t chars = 0;
    const Answer uses = get("/v1/ledger/use", owner_token());
    for (const auto& use : uses.at("/data").as_array()) chars += use.at("chars").as_int64();
    return chars;
  };
  const std::string target = "/v1/streams/books/aggregate?metric=count&group_by=shelf&limit=3";
  const auto set_budget = [&](int chars) {
    return send("PUT", "/v1/grants/" + issued.grant_ids.front() + "/budget", owner_token(),
                format(R"({{"chars_a_day":{}}})", chars), headers({{"Content-Type", "application/json"}}));
  };
  ASSERT_EQ(set_budget(10).status, 200);
  expect_error(get(target, issued.token), 429, "rate_limit_exceeded");
  EXPECT_EQ(used(), 0);
  ASSERT_EQ(set_budget(45).status, 200);
  const Answer rest = get(target, issued.token);
  ASSERT_EQ(rest.status, 200) << rest.text;
  EXPECT_EQ(used(), 5 + 8 + 8) << rest.text;
  const Answer seen = get("/v1/ledger/seen?record=shelf%2Fbooks%3Ab20", owner_token());
  ASSERT_EQ(seen.at("/data").as_array().size(), 1U) << seen.text;
  EXPECT_EQ(seen.number("/data/0/chars"), 8);
  const std::string arguments = R"({"stream":"books","metric":"count","group_by":"shelf","limit":3})";
  const Answer mcp = tool("aggregate", arguments, issued.token);
  ASSERT_NE(mcp.text.find("shelf 20"), std::string::npos) << mcp.text;
  EXPECT_EQ(used(), 2 * (5 + 8 + 8));
  EXPECT_EQ(ledger("?limit=1").number("/data/0/chars"), 5 + 8 + 8);
  const Answer over = tool("aggregate", arguments, issued.token);
  EXPECT_NE(over.text.find("3 are left"), std::string::npos) << over.text;
  EXPECT_EQ(over.text.find("shelf 20"), std::string::npos) << over.text;
}

// A schema shows a few sample values that many records have: exactly those are recorded, once.
TEST_P(LedgerOverHttp, RecordsTheSampleValuesOfASchema) {
  add_library();
  std::string lines;
  for (int i = 0; i < 40; ++i) {
    lines += line(format("b{}", i), format(R"({{"id":"b{}","shelf":"shelf {}","title":"book {}"}})", i, i % 3, i));
  }
  put_lines("books", lines);
  const auto issued = issue({{"shelf", "books", {"id", "shelf", "title"}, {}, {}, {}}});
  const Answer schema = tool("schema", R"({"stream":"books"})", issued.token);
  const auto& samples = schema.at("/result/structuredContent/data/connectors/0/streams/0/sample_values").as_object();
  std::int64_t shown = 0;
  for (const auto& [field, values] : samples) {
    for (const auto& value : values.as_array()) shown += utf8::count(std::string(value.as_string()));
  }
  ASSERT_EQ(shown, 3 * 7) << schema.text;
  EXPECT_EQ(get("/v1/ledger/use", owner_token()).number("/data/0/chars"), shown);
  const Answer all = ledger();
  std::int64_t chars = 0;
  for (const auto& entry : all.at("/data").as_array()) chars += entry.at("chars").as_int64();
  EXPECT_EQ(chars, shown) << all.text;
  EXPECT_EQ(all.text.find("title"), std::string::npos) << "fields that no value was shown of are not named: " << all.text;
}

LADDER_FOR_EVERY_ENGINE(LedgerOverHttp);

}  // namespace
}  // namespace ladder::wire
