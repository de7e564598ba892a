// Tests that the same error has the same working retry hint in every tool.
#include "mcp/testing/tool_bench.h"

#include <boost/json/serialize.hpp>

namespace ladder::mcp {
namespace {

using testing::Answer;
using testing::ToolBench;

struct Asked {
  std::string tool, args, schema_args;
};

const std::vector<Asked> kAsked = {
    {"query_records", R"({"stream":"zorp","connection_id":"cin_a"})", R"({"stream":"zorp","connection_id":"cin_a"})"},
    {"aggregate", R"({"stream":"zorp","metric":"count"})", R"({"stream":"zorp"})"},
    {"search", R"({"query":"x","streams":["zorp"]})", R"({"stream":"zorp"})"},
    {"fetch", R"({"id":"cin_a/zorp:k"})", R"({"stream":"zorp","connection_id":"cin_a"})"},
    {"read_record_field", R"({"id":"cin_a/zorp:k","field_path":"blip"})", R"({"stream":"zorp","connection_id":"cin_a"})"},
};

class RetryHint : public ::testing::Test {
 protected:
  // Returns the call that an error suggests, as "tool args"; checks that its sentence suggests the same.
  std::string offered(const Asked& asked, const Error& refusal) {
    bench.port.failure = refusal;
    const Answer answer = bench.call(asked.tool, asked.args);
    bench.port.failure.reset();
    const auto* const retry = answer.error.as_object().if_contains("retry");
    if (retry == nullptr) return "";
    const ToolCall call{std::string(retry->at("tool").as_string()), boost::json::serialize(retry->at("args"))};
    EXPECT_TRUE(answer.has("go on with " + call.tool + " args=" + call.args)) << answer.text();
    EXPECT_FALSE(bench.call(call).result.is_error) << call.args;
    return call.tool + " " + call.args;
  }

  ToolBench bench;
};

TEST_F(RetryHint, EveryToolOffersTheSchema) {
  for (const Asked& asked : kAsked) {
    EXPECT_EQ(offered(asked, {Code::kStreamNotAllowed, "not covered", "stream"}), "schema {}") << asked.tool;
    EXPECT_EQ(offered(asked, {Code::kConnectionNotFound, "there is none", "connection_id"}), "schema {}") << asked.tool;
    EXPECT_EQ(offered(asked, {Code::kUnknownField, "no such field", "fields"}), "schema " + asked.schema_args) << asked.tool;
    EXPECT_EQ(offered(asked, {Code::kFieldNotGranted, "outside", "fields"}), "schema " + asked.schema_args) << asked.tool;
    EXPECT_EQ(offered(asked, {Code::kInvalidRequest, "no such filter", "filter[x]"}), "schema " + asked.schema_args)
        << asked.tool;
  }
}

TEST_F(RetryHint, AMissingRecordLeadsToExistingOnes) {
  for (const Asked& asked : {kAsked[3], kAsked[4]}) {
    EXPECT_EQ(offered(asked, {Code::kNotFound, "gone", "record_id"}), "query_records " + asked.schema_args) << asked.tool;
  }
}

// A call that repeats its arguments fits only if they are short; the bench checks the size.
TEST_F(RetryHint, LongArgumentsDoNotCauseLongResponses) {
  const std::string name = testing::repeated("x", 20'000), many = "\"a\"" + testing::repeated(",\"a\"", 10'000);
  for (const auto& [tool, args] :
       std::vector<std::pair<std::string, std::string>>{{"schema", R"("connection_id":"LONG")"},
                                                        {"query_records", R"("stream":"zorp","filter":{"LONG":1})"},
                                                        {"query_records", R"("stream":"zorp","filter":{"a":"LONG"})"},
                                                        {"query_records", R"("stream":"zorp","view":"LONG")"},
                                                        {"query_records", R"("stream":"zorp","fields":[MANY])"},
                                                        {"search", R"("query":"x","connection_id":"LONG")"},
                                                        {"search", R"("query":"x","streams":[MANY])"},
                                                        {"aggregate", R"("stream":"zorp","metric":"count","group_by":"LONG")"},
                                                        {"fetch", R"("id":"cin_a/zorp:k","fields":["LONG"])"}}) {
    std::string filled = "{" + args + "}";
    if (const auto at = filled.find("LONG"); at != std::string::npos) filled.replace(at, 4, name);
    if (const auto at = filled.find("MANY"); at != std::string::npos) filled.replace(at, 4, many);
    const Answer answer = bench.call(tool, filled);
    EXPECT_EQ(answer.code(), "invalid_arguments") << tool << args;
    EXPECT_TRUE(answer.has("send fewer or shorter ones")) << answer.text();
  }
}

TEST_F(RetryHint, NeverSuggestsOmittingRequiredArguments) {
  for (const std::string tool : {"fetch", "search", "query_records", "aggregate", "read_record_field"}) {
    const std::string needed = tool == "fetch"               ? "id"
                               : tool == "search"            ? "query"
                               : tool == "read_record_field" ? "field_path"
                                                             : "stream";
    for (const std::string given : {R"("")", "5", "null"}) {
      const Answer answer = bench.call(tool, format(R"({{"{}":{}}})", needed, given));
      EXPECT_EQ(answer.code(), "invalid_arguments") << tool << given;
      EXPECT_FALSE(answer.has("omit it")) << answer.text();
    }
  }
}

}  // namespace
}  // namespace ladder::mcp
