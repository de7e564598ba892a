#include "cli/flags/mcp_flags.h"

#include "base/text/format.h"
#include "base/text/number.h"
#include "base/text/utf8.h"

#include <array>

namespace ladder::cli {
namespace {

constexpr std::size_t kMaxResultBytes = 16 * 1024 * 1024;  // more than any host accepts
constexpr std::size_t kMaxNameBytes = 64;

template <class Choice>
struct Word {
  std::string_view word;
  Choice means;
};
constexpr std::array<Word<mcp::InputSchemas>, 2> kSchemas = {
    {{"flat", mcp::InputSchemas::kFlat}, {"full", mcp::InputSchemas::kFull}}};
constexpr std::array<Word<mcp::ResourceLinks>, 3> kLinks = {
    {{"off", mcp::ResourceLinks::kOff}, {"large", mcp::ResourceLinks::kLarge}, {"all", mcp::ResourceLinks::kAll}}};

template <class Choice, std::size_t kCount>
Result<Choice> choose(std::string_view flag, const std::optional<std::string>& given,
                      const std::array<Word<Choice>, kCount>& words) {
  if (!given) return words[0].means;
  std::string known;
  for (const auto& [word, means] : words) {
    if (*given == word) return means;
    known.append(known.empty() ? "" : word == words.back().word ? " or " : ", ").append(word);
  }
  return fail(Code::kInvalidRequest, format("{} takes {}", flag, known), std::string(flag));
}

Result<std::size_t> result_bytes(const std::string& text) {
  const auto bytes = parse_number<std::size_t>(text);
  if (bytes && *bytes >= mcp::kLeastResultBytes && *bytes <= kMaxResultBytes) return *bytes;
  return fail(Code::kInvalidRequest,
              format("LADDER_RESULT_BYTES is the maximum size of a tool result: a number from {} to {} (default: {})",
                     mcp::kLeastResultBytes, kMaxResultBytes, mcp::kDefaultResultBytes),
              "LADDER_RESULT_BYTES");
}

Result<std::string> public_url(std::string url) {
  if (url.ends_with('/')) url.pop_back();
  const std::size_t scheme = url.starts_with("https://") ? 8 : url.starts_with("http://") ? 7 : 0;
  const bool plain = url.find_first_of(" \t\"<>?#@\\") == std::string::npos && utf8::is_valid(url);
  if (scheme != 0 && url.size() > scheme && plain) return url;
  return fail(Code::kInvalidRequest,
              "LADDER_PUBLIC_URL must be an http:// or https:// address without a query, where people open this store's records",
              "LADDER_PUBLIC_URL");
}

bool is_server_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameBytes &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") == std::string_view::npos;
}

}  // namespace

void McpFlags::declare(Arguments& arguments) {
  arguments.value("--server-name", "NAME", server_name_, "the name of the MCP server (default: ladder)");
  arguments.value("--input-schemas", "flat|full", input_schemas_,
                  "full: read_record_field's input schema uses oneOf, which many hosts reject (default: flat)");
  arguments.value("--resource-links", "off|large|all", resource_links_,
                  "links to records in results; large: if a fetch is truncated or has binary data, all: in every truncated "
                  "result (default: off)");
}

Result<mcp::Options> McpFlags::options(const Context& context) const {
  mcp::Options options;
  options.version = context.version;
  if (server_name_) options.server_name = *server_name_;
  else if (const auto name = context.environment("PDPP_MCP_SERVER_NAME")) options.server_name = *name;
  if (!is_server_name(options.server_name)) {
    return fail(Code::kInvalidRequest, format("--server-name must be 1 to {} of the characters A-Z a-z 0-9 _ . -", kMaxNameBytes),
                "--server-name");
  }
  LADDER_TRY(options.input_schemas, choose("--input-schemas", input_schemas_, kSchemas));
  LADDER_TRY(options.resource_links, choose("--resource-links", resource_links_, kLinks));
  if (const auto bytes = context.environment("LADDER_RESULT_BYTES")) {
    LADDER_TRY(options.result_bytes, result_bytes(*bytes));
  }
  if (const auto url = context.environment("LADDER_PUBLIC_URL")) {
    LADDER_TRY(options.provider_url, public_url(*url));
  }
  return options;
}

}  // namespace ladder::cli
