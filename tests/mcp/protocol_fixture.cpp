#include "protocol_fixture.h"

#include "base/text/format.h"
#include "json/writer.h"

#include <array>
#include <stdexcept>

namespace ladder::mcp_tests {
namespace {

using mcp::Context;
using mcp::ToolResult;

ToolResult failed(const Error& error) {
  ToolResult result;
  json::Writer text;
  text.begin_object().key("error").begin_object().member("code", error.wire());
  if (error.more) json::write_details(text, *error.more);
  text.end_object().end_object();
  result.text = text.take();
  result.is_error = true;
  result.outcome = error.wire();
  return result;
}

ToolResult read_title(const Context& context, const boost::json::object& arguments) {
  const auto* const id = arguments.if_contains("id");
  if (id == nullptr || !id->is_string()) return failed({Code::kInvalidRequest, "id is missing"});
  const auto window = context.port.field_window({{"shelf", "books", std::string(id->as_string())}, "title", {}}, context.stop);
  if (!window) return failed(window.error());
  json::Writer structured;
  structured.begin_object().member("provider_url", context.options.provider_url).member("request_id", context.request_id);
  structured.member("text", window->text).end_object();
  ToolResult result;
  result.text = window->text;
  result.structured = structured.take();
  result.meta = R"({"dev.pdpp/resource":{"uri":"book://b1"}})";
  result.links = {R"({"type":"resource_link","uri":"book://b1","name":"b1"})"};
  return result;
}

ToolResult search(const Context& context, const boost::json::object&) {
  api::SearchRequest request;
  request.q = "clock";
  const auto page = context.port.search(request, context.stop);
  if (!page) return failed(page.error());
  ToolResult result;
  result.text = format("{} hits", page->hits.size());
  result.structured = format(R"({{"hits":{}}})", page->hits.size());
  return result;
}

ToolResult echo(const Context&, const boost::json::object& arguments) {
  ToolResult result;
  result.text = boost::json::serialize(arguments);
  result.structured = result.text;
  return result;
}

ToolResult broken(const Context&, const boost::json::object&) { throw std::runtime_error("a secret of the program"); }

const std::string kObject = R"({"type":"object","properties":{},"additionalProperties":true})";

const std::array<mcp::Tool, 4> kTools = {{
    {"read_title", "Read a title", "Reads one title.", kObject, R"({"type":"object","oneOf":[]})", kObject, read_title},
    {"search", "Search", "Finds the clock.", kObject, kObject, kObject, search},
    {"echo", "Echo", "Says what it is told.", kObject, kObject, kObject, echo},
    {"broken", "Broken", "Breaks.", kObject, kObject, kObject, broken},
}};

const std::array<mcp::ResourceTemplate, 1> kTemplates = {
    {{"book://{id}", "book", "A book", "One book by its id.", "text/plain"}}};

std::variant<mcp::ResourceRead, mcp::ResourceFailure> read_book(const Context& context, std::string_view uri) {
  using Kind = mcp::ResourceFailure::Kind;
  json::Writer data;
  data.begin_object().member("uri", uri).end_object();
  if (!uri.starts_with("book://")) return mcp::ResourceFailure{Kind::kMalformed, "no book", data.take(), "invalid_handle"};
  const std::string id(uri.substr(7));
  if (id == "hidden") return mcp::ResourceFailure{Kind::kRefused, "not yours", data.take(), "field_not_granted"};
  if (id == "burnt") return mcp::ResourceFailure{Kind::kInternal, "gone", {}, "store_unavailable"};
  if (id == "blank") return mcp::ResourceRead{{{std::string(uri), "image/png", "", ""}}, ""};
  api::RecordRequest request;
  request.record = {"shelf", "books", id};
  const auto found = context.port.record(request, context.stop);
  if (!found) return mcp::ResourceFailure{Kind::kNotFound, found.error().message, data.take(), "not_found"};
  if (id == "b2") return mcp::ResourceRead{{{std::string(uri), "image/png", "", "AAEC"}}, ""};
  return mcp::ResourceRead{{{std::string(uri), "application/json", found->data, {}}}, R"({"dev.pdpp/next":"book://b2"})"};
}

}  // namespace

mcp::ToolRegistry book_tools() {
  return {kTools, kTemplates, read_book, [](const mcp::Context&) -> Result<std::string> { return "[]"; }};
}

mcp::Options book_options() {
  mcp::Options options;
  options.server_name = "shelf";
  options.version = "1.2.3";
  options.provider_url = "https://shelf.example";
  return options;
}

std::string message(std::string_view id, std::string_view method, std::string_view params) {
  std::string text = R"({"jsonrpc":"2.0",)";
  if (!id.empty()) text += format(R"("id":{},)", id);
  return text + format(R"("method":"{}","params":{{{}}}}})", method, params);
}

std::string modern(std::string_view id, std::string_view method, std::string_view params) {
  return message(id, method, format("{}{}{}", params, params.empty() ? "" : ",", kModernMeta));
}

const boost::json::value& HeardReply::at(std::string_view pointer) const {
  static const boost::json::value kNone;
  boost::system::error_code error;
  const auto* const found = body.find_pointer(pointer, error);
  if (found != nullptr) return *found;
  ADD_FAILURE() << "no " << pointer << " in " << reply.body;
  return kNone;
}

bool HeardReply::has(std::string_view pointer) const {
  boost::system::error_code error;
  return body.find_pointer(pointer, error) != nullptr;
}

std::string HeardReply::string(std::string_view pointer) const {
  const auto& value = at(pointer);
  return value.is_string() ? std::string(value.as_string()) : boost::json::serialize(value);
}

int HeardReply::error() const { return has("/error/code") ? static_cast<int>(at("/error/code").as_int64()) : 0; }

HeardReply Protocol::hear(std::string_view text, const mcp::Envelope& envelope) {
  HeardReply heard{server_.handle(text, envelope, books_, {}), nullptr};
  if (!heard.reply.body.empty()) heard.body = boost::json::parse(heard.reply.body);
  return heard;
}

HeardReply Protocol::stdio(std::string_view text, std::optional<mcp::Era> era, std::string negotiated) {
  mcp::Envelope envelope;
  envelope.era = era;
  envelope.negotiated = std::move(negotiated);
  return hear(text, envelope);
}

HeardReply Protocol::http(std::string_view text, const Headers& headers) {
  mcp::Envelope envelope;
  envelope.http = true;
  envelope.protocol_version = headers.version;
  envelope.method = headers.method;
  envelope.name = headers.name;
  envelope.request_id = "req_7";
  return hear(text, envelope);
}

HeardReply Protocol::modern_http(std::string_view method, std::string_view params, std::optional<std::string> name,
                                 std::string_view id) {
  return http(modern(id, method, params), {"2026-07-28", std::string(method), std::move(name)});
}

}  // namespace ladder::mcp_tests
