// /openapi.json matches the server: every route answers under its pattern, rejects what it does not name, and returns
// only listed errors.
#include "rest_fixture.h"

#include <algorithm>
#include <set>

namespace ladder::wire {
namespace {

class OpenApi : public Rest {
 protected:
  // Fills in the parameters of a pattern.
  static std::string filled(std::string path) {
    for (const auto& [name, value] : {std::pair{"{stream}", "notes"}, {"{id}", "n1"}, {"{grant}", "grt_0"}, {"{blob}", "b"}}) {
      if (const auto at = path.find(name); at != std::string::npos) path.replace(at, std::string_view(name).size(), value);
    }
    return path;
  }
  static std::string upper(std::string_view word) {
    std::string text(word);
    std::ranges::transform(text, text.begin(), [](char c) { return static_cast<char>(c & ~0x20); });
    return text;
  }
};

TEST_P(OpenApi, EveryOperationIsServedAsItIsDescribed) {
  put("n1", text_member("body", "x"));
  const Answer document = get("/openapi.json", "");
  EXPECT_EQ(document.string("/openapi"), "3.1.0");
  EXPECT_TRUE(document.has("/components/schemas/Error/properties/error/properties/code/enum"));
  EXPECT_EQ(document.string("/components/securitySchemes/token/scheme"), "bearer");
  std::set<std::string> operations;
  for (const auto& path : document.at("/paths").as_object()) {
    for (const auto& [method, operation] : path.value().as_object()) {
      SCOPED_TRACE(std::string(method) + " " + std::string(path.key()));
      EXPECT_TRUE(operations.insert(std::string(operation.at("operationId").as_string())).second);
      const std::string target = filled(std::string(path.key()));
      const bool open = operation.at("security").as_array().empty();
      const auto& answers = operation.at("responses").as_object();
      const auto listed = [&](const Answer& answer) {
        const auto* entry = answers.if_contains(std::to_string(answer.status));
        EXPECT_NE(entry, nullptr) << answer.status << ' ' << answer.text;
        if (entry == nullptr || !answer.has("/error/code")) return;
        EXPECT_NE(std::string(entry->at("description").as_string()).find(answer.string("/error/code") + ":"), std::string::npos)
            << answer.text;
      };
      if (open) {
        EXPECT_EQ(send(upper(method), target, "").status, 200);
        continue;
      }
      const Answer stranger = send(upper(method), target, "");
      EXPECT_EQ(stranger.status, 401) << stranger.text;
      const bool of_mcp = path.key() == "/mcp";
      EXPECT_TRUE(stranger.string("/error/resource_metadata")
                      .ends_with(of_mcp ? "/.well-known/oauth-protected-resource/mcp" : "/.well-known/oauth-protected-resource"));
      EXPECT_FALSE(stranger.string("/error/next_step").empty());
      listed(stranger);
      if (method == "get") listed(send("GET", target, owner_token()));
      if (of_mcp) listed(send(upper(method), target, owner_token()));  // an owner is refused before any other check
      if (path.key() != "/v1/schema" && !of_mcp) {
        const Answer odd = send(upper(method), target + "?nonsense=1", owner_token());
        expect_error(odd, 400, "invalid_request", "nonsense");
        listed(odd);
      }
    }
  }
  EXPECT_EQ(operations.size(), 33U);
}

TEST_P(OpenApi, BodiesAndParametersAreBounded) {
  const Answer document = get("/openapi.json", "");
  const auto& paths = document.at("/paths").as_object();
  const auto& records = paths.at("/v1/streams/{stream}/records").as_object();
  EXPECT_TRUE(records.contains("delete"));
  bool found = false;
  for (const auto& parameter : records.at("get").at("parameters").as_array()) {
    if (parameter.at("name").as_string() != "limit") continue;
    found = true;
    EXPECT_EQ(parameter.at("schema").at("maximum").as_int64(), 100);
    EXPECT_EQ(parameter.at("schema").at("default").as_int64(), 25);
  }
  EXPECT_TRUE(found);
  EXPECT_TRUE(paths.at("/introspect")
                  .at("post")
                  .at("requestBody")
                  .at("content")
                  .as_object()
                  .contains("application/x-www-form-urlencoded"));
  EXPECT_TRUE(
      paths.at("/v1/ingest/{stream}").at("post").at("requestBody").at("content").as_object().contains("application/x-ndjson"));
  EXPECT_TRUE(paths.at("/v1/streams/{stream}/records/{id}").at("delete").at("responses").as_object().contains("204"));
}

LADDER_FOR_EVERY_ENGINE(OpenApi);

}  // namespace
}  // namespace ladder::wire
