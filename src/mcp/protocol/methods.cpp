#include "mcp/protocol/methods.h"

#include "base/text/format.h"
#include "json/parse.h"
#include "json/writer.h"
#include "mcp/protocol/message.h"
#include "mcp/protocol/prompts.h"
#include "model/quote.h"

#include <algorithm>
#include <array>

namespace ladder::mcp {
namespace {

// Static lists change only with the program. Data may change, or be revoked, at any time.
constexpr Caching kStaticList = {3'600'000, CacheScope::kPublic};
constexpr Caching kRecordData = {0, CacheScope::kPrivate};

Answer ok(Success success) { return {std::move(success), {}, "ok"}; }

Answer fault(int code, std::string message, std::string data = {}) {
  return {Fault{code, std::move(message), std::move(data), 200, {}}, {}, std::string(outcome_word(code))};
}

Answer initialize(const Call& call) {
  const auto picked = pick<1>(call.request.params, {"protocolVersion"});
  const auto asked = picked.twice ? std::nullopt : string_of(picked.values[0]);
  if (!asked) return fault(kInvalidParams, "initialize needs params.protocolVersion, a string");
  json::Writer version;
  version.string(negotiate(*asked));
  return ok({{{"protocolVersion", version.take()},
              {"capabilities", call.envelope.own ? call.lists.subscribing : call.lists.capabilities},
              {"serverInfo", call.lists.server_info},
              {"instructions", call.lists.instructions}},
             {},
             {},
             {}});
}

Answer ping(const Call&) { return ok({}); }

Answer discover(const Call& call) {
  json::Writer versions;
  versions.begin_array().string(kModernVersion).end_array();
  return ok({{{"supportedVersions", versions.take()},
              {"capabilities", call.envelope.subscriptions ? call.lists.listening : call.lists.capabilities},
              {"instructions", call.lists.instructions}},
             kStaticList,
             {},
             {}});
}

// Every list is one page, so no valid cursor exists.
Answer one_page(const Call& call, std::string_view name, std::string list, Caching caching) {
  const auto picked = pick<1>(call.request.params, {"cursor"});
  if (picked.twice || !is_null(picked.values[0])) {
    return fault(kInvalidParams, format("{} has only one page: omit cursor", call.request.method));
  }
  return ok({{{name, std::move(list)}}, caching, {}, {}});
}

Answer list_tools(const Call& call) { return one_page(call, "tools", call.lists.tools, kStaticList); }
Answer list_templates(const Call& call) { return one_page(call, "resourceTemplates", call.lists.templates, kStaticList); }

std::string content_of(const ToolResult& result) {
  std::size_t bytes = result.text.size() + result.text.size() / 8 + 64;  // allows for escapes: one character in eight
  for (const std::string& link : result.links) bytes += link.size() + 1;
  std::string content;
  content.reserve(bytes);
  content.append(R"([{"type":"text","text":)");
  json::append_string(content, result.text);
  content.append("}");
  for (const std::string& link : result.links) content.append(",").append(link);
  return content.append("]");
}

// The text comes first and structuredContent last, so that its last member, a window's text, ends the response (design D9).
Answer of_tool(ToolResult result, const std::string& name) {
  Success success;
  success.members.push_back({"content", content_of(result)});
  if (result.is_error) success.members.push_back({"isError", "true"});
  success.meta = std::move(result.meta);
  if (!result.structured.empty()) success.last.push_back({"structuredContent", std::move(result.structured)});
  return {std::move(success), name, std::move(result.outcome)};
}

Answer call_tool(const Call& call) {
  const auto picked = pick<2>(call.request.params, {"name", "arguments"});
  const auto& [name_value, arguments] = picked.values;
  const auto name = string_of(name_value);
  if (!name || picked.twice) return fault(kInvalidParams, "tools/call needs params.name, a string, and arguments at most once");
  const Tool* const tool = call.registry.find(*name);
  if (tool == nullptr) {
    return fault(kInvalidParams, format("unknown tool {}; tools/list lists the tools", model::in_quotes(*name)));
  }
  boost::json::object given;
  if (!is_null(arguments)) {
    auto tree = json::parse(arguments->text, arguments->text.size(), kMaxMessageDepth);
    if (!tree || !tree->is_object()) {
      Answer malformed =
          fault(kInvalidParams, tree ? "params.arguments is no object" : "params.arguments is invalid: " + tree.error().message);
      malformed.tool = tool->name;
      return malformed;
    }
    given = std::move(tree->get_object());
  }
  return of_tool(tool->call(call.context, given), tool->name);
}

int code_of(ResourceFailure::Kind kind, Era era) {
  switch (kind) {
    case ResourceFailure::Kind::kNotFound:
      return era == Era::kLegacy ? kResourceNotFound : kInvalidParams;
    case ResourceFailure::Kind::kMalformed:
    case ResourceFailure::Kind::kRefused:
      return kInvalidParams;
    case ResourceFailure::Kind::kInternal:
      break;
  }
  return kInternalError;
}

Answer of_resource(ResourceRead read) {
  json::Writer contents;
  contents.begin_array();
  for (const ResourceItem& item : read.items) {
    contents.begin_object().member("uri", item.uri).optional_member("mimeType", item.mime_type);
    if (item.blob) contents.member("blob", *item.blob);
    else contents.member("text", item.text);
    contents.end_object();
  }
  contents.end_array();
  return ok({{{"contents", contents.take()}}, kRecordData, std::move(read.meta), {}});
}

Answer of_failure(ResourceFailure failure, Era era) {
  Answer answer = fault(code_of(failure.kind, era), std::move(failure.message), std::move(failure.data));
  if (!failure.outcome.empty()) answer.outcome = std::move(failure.outcome);
  return answer;
}

// The list depends on the grant, so it must not be cached beyond the grant's lifetime.
Answer resources_list(const Call& call) {
  auto list = call.registry.list(call.context);
  if (!list) return of_failure(resource_failure(list.error(), ""), call.era);
  return one_page(call, "resources", *std::move(list), kRecordData);
}

Answer resources_read(const Call& call) {
  const auto picked = pick<1>(call.request.params, {"uri"});
  const auto uri = picked.twice ? std::nullopt : string_of(picked.values[0]);
  if (!uri) return fault(kInvalidParams, "resources/read needs params.uri, a string");
  auto read = call.registry.read(call.context, *uri);
  if (auto* const found = std::get_if<ResourceRead>(&read)) return of_resource(std::move(*found));
  return of_failure(std::move(std::get<ResourceFailure>(read)), call.era);
}

// --- subscriptions ---

Answer subscribe(const Call& call) {
  const auto picked = pick<1>(call.request.params, {"uri"});
  const auto uri = picked.twice ? std::nullopt : string_of(picked.values[0]);
  if (!uri) return fault(kInvalidParams, "resources/subscribe needs params.uri, a string");
  Status watched = call.envelope.own->add(*uri);
  if (watched) watched = call.envelope.subscriptions->open(call.envelope.client, call.envelope.own);
  return watched ? ok({}) : of_failure(resource_failure(watched.error(), *uri), call.era);
}

Answer unsubscribe(const Call& call) {
  const auto picked = pick<1>(call.request.params, {"uri"});
  const auto uri = picked.twice ? std::nullopt : string_of(picked.values[0]);
  if (!uri) return fault(kInvalidParams, "resources/unsubscribe needs params.uri, a string");
  call.envelope.own->remove(*uri);
  return ok({});
}

struct Wanted {
  bool list_changes = false;
  std::vector<std::string> uris;
};

std::optional<Wanted> wanted_of(const Call& call) {
  const auto given = pick<1>(call.request.params, {"notifications"});
  const auto& notifications = given.values[0];
  if (given.twice || !notifications || notifications->kind != json::Kind::kObject) return std::nullopt;
  const auto picked = pick<2>(notifications->text, {"resourcesListChanged", "resourceSubscriptions"});
  const auto& [list_changes, uris] = picked.values;
  if (picked.twice) return std::nullopt;
  Wanted wanted;
  wanted.list_changes = list_changes && list_changes->text == "true";
  if (is_null(uris)) return wanted;
  if (uris->kind != json::Kind::kArray) return std::nullopt;
  for (json::Elements elements(uris->text); elements.next();) {
    auto uri = string_of(elements.value());
    if (!uri) return std::nullopt;
    if (std::ranges::find(wanted.uris, *uri) == wanted.uris.end()) wanted.uris.push_back(*std::move(uri));
  }
  return wanted;
}

std::string meta_of_subscription(std::string_view id) {
  json::Writer out;
  out.begin_object().key(kSubscriptionIdKey).raw(id).end_object();
  return out.take();
}

std::string acknowledgement(std::string_view id, const Wanted& honoured) {
  json::Writer out;
  out.begin_object().member("jsonrpc", "2.0").member("method", "notifications/subscriptions/acknowledged");
  out.key("params").begin_object().key("notifications").begin_object();
  if (honoured.list_changes) out.member("resourcesListChanged", true);
  if (!honoured.uris.empty()) {
    out.member("resourceSubscriptions", honoured.uris);
  }
  out.end_object().key("_meta").raw(meta_of_subscription(id)).end_object().end_object();
  return out.take();
}

// A resource that the caller may not read is not accepted, so that this method reveals no more than a read.
Answer listen(const Call& call) {
  const auto wanted = wanted_of(call);
  if (!wanted) {
    return fault(kInvalidParams,
                 "subscriptions/listen needs params.notifications, an object; its resourceSubscriptions are URIs in an array");
  }
  auto watch = call.context.port.watch();
  if (!watch) return fault(kInternalError, "changes cannot be watched now; try again later");
  // The first check is the baseline for later ones.
  if (const auto first = watch->look(); !first) return of_failure(resource_failure(first.error(), ""), call.era);
  Success last;
  last.meta = meta_of_subscription(call.request.id);
  const auto subscription = std::make_shared<Subscription>(
      std::move(watch), Subscription::Shape{std::string(call.request.id), wanted->list_changes,
                                            result_body(call.request.id, last, call.lists.server_info)});
  Wanted honoured{wanted->list_changes, {}};
  for (const std::string& uri : wanted->uris) {
    const Status watched = subscription->add(uri);
    if (watched) honoured.uris.push_back(uri);
    else if (watched.error().http_status() >= 500) return of_failure(resource_failure(watched.error(), uri), call.era);
  }
  if (const Status opened = call.envelope.subscriptions->open(call.envelope.client, subscription); !opened) {
    return of_failure(resource_failure(opened.error(), ""), call.era);
  }
  Answer answer = ok({});
  answer.acknowledgement = acknowledgement(call.request.id, honoured);
  answer.subscription = subscription;
  return answer;
}

Answer list_prompts(const Call& call) { return one_page(call, "prompts", call.lists.prompts, kStaticList); }

// Returns texts by name; nullopt if the value is present but not an object of strings.
std::optional<PromptArguments> texts_of(const std::optional<json::Value>& object) {
  PromptArguments texts;
  if (is_null(object)) return texts;
  if (object->kind != json::Kind::kObject) return std::nullopt;
  for (json::Members members(object->text); members.next();) {
    const auto text = string_of(members.value());
    if (!text) return std::nullopt;
    texts[json::decode_string(members.raw_name())] = *text;
  }
  return texts;
}

Answer get_prompt(const Call& call) {
  const auto picked = pick<2>(call.request.params, {"name", "arguments"});
  const auto name = picked.twice ? std::nullopt : string_of(picked.values[0]);
  const auto arguments = texts_of(picked.values[1]);
  if (!name || !arguments) return fault(kInvalidParams, "prompts/get needs params.name, a string; arguments are strings by name");
  const auto prompt = prompt_text(*name, *arguments);
  if (!prompt) return fault(kInvalidParams, prompt.error().message);
  json::Writer description, messages;
  description.string(prompt->description);
  messages.begin_array().begin_object().member("role", "user").key("content").begin_object();
  messages.member("type", "text").member("text", prompt->text).end_object().end_object().end_array();
  return ok({{{"description", description.take()}, {"messages", messages.take()}}, {}, {}, {}});
}

Answer complete_argument(const Call& call) {
  const auto picked = pick<3>(call.request.params, {"ref", "argument", "context"});
  const auto& [ref, argument, context] = picked.values;
  const auto is_object = [](const std::optional<json::Value>& value) { return value && value->kind == json::Kind::kObject; };
  if (picked.twice || !is_object(ref) || !is_object(argument)) {
    return fault(kInvalidParams, "completion/complete needs params.ref and params.argument, both objects");
  }
  const auto asked = pick<2>(argument->text, {"name", "value"});
  const auto name = string_of(asked.values[0]), begun = string_of(asked.values[1]);
  const auto type = string_of(pick<1>(ref->text, {"type"}).values[0]);
  if (!name || !begun || (type != "ref/prompt" && type != "ref/resource")) {
    return fault(kInvalidParams,
                 "params.ref.type is ref/prompt or ref/resource; params.argument has name and value, both strings");
  }
  const auto known = texts_of(is_object(context) ? pick<1>(context->text, {"arguments"}).values[0] : std::nullopt);
  if (!known) return fault(kInvalidParams, "params.context.arguments has strings by name");
  const Completion completion = complete(call.context, *name, *begun, *known);
  json::Writer out;
  out.begin_object()
      .member("values", completion.values)
      .member("total", completion.total)
      .member("hasMore", completion.total > completion.values.size())
      .end_object();
  return ok({{{"completion", out.take()}}, {}, {}, {}});
}

constexpr std::array<Method, 14> kMethods = {{
    {"initialize", true, false, initialize},
    {"ping", true, false, ping},
    {"server/discover", false, true, discover},
    {"tools/list", true, true, list_tools},
    {"tools/call", true, true, call_tool},
    {"resources/list", true, true, resources_list},
    {"resources/templates/list", true, true, list_templates},
    {"resources/read", true, true, resources_read},
    {"prompts/list", true, true, list_prompts},
    {"prompts/get", true, true, get_prompt},
    {"completion/complete", true, true, complete_argument},
    {"resources/subscribe", true, false, subscribe, Needs::kOwnSubscription},
    {"resources/unsubscribe", true, false, unsubscribe, Needs::kOwnSubscription},
    {"subscriptions/listen", false, true, listen, Needs::kSubscriptions},
}};

// Other methods of the protocol that clients may send.
constexpr std::array<std::string_view, 11> kOthers = {"logging/setLevel",
                                                      "tasks/get",
                                                      "tasks/update",
                                                      "tasks/cancel",
                                                      "tasks/list",
                                                      "tasks/result",
                                                      "notifications/initialized",
                                                      "notifications/cancelled",
                                                      "notifications/progress",
                                                      "notifications/roots/list_changed",
                                                      "notifications/message"};

}  // namespace

const Method* find_method(std::string_view name, Era era, const Envelope& envelope) {
  const auto* const found = std::ranges::find(kMethods, name, &Method::name);
  if (found == kMethods.end() || !(era == Era::kLegacy ? found->legacy : found->modern)) return nullptr;
  if (found->needs == Needs::kSubscriptions && !envelope.subscriptions) return nullptr;
  if (found->needs == Needs::kOwnSubscription && !envelope.own) return nullptr;
  return found;
}

bool is_known_method(std::string_view name) {
  return std::ranges::find(kMethods, name, &Method::name) != kMethods.end() || std::ranges::find(kOthers, name) != kOthers.end();
}

}  // namespace ladder::mcp
