#include "mcp/tools/arguments.h"

#include "base/text/format.h"
#include "base/text/number.h"
#include "base/text/utf8.h"
#include "json/writer.h"
#include "model/closed_object.h"
#include "model/quote.h"
#include "model/record_id.h"

#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>
#include <cmath>

namespace ladder::mcp {
namespace {

using boost::json::value;
using model::in_quotes;

constexpr std::int64_t kMaxNameChars = 80;  // of an unknown key in an error
constexpr std::array<std::string_view, 4> kOperators = {"gte", "gt", "lte", "lt"};

std::string joined(std::span<const std::string_view> words) {
  std::string all;
  for (const std::string_view word : words) all += (all.empty() ? "" : ", ") + std::string(word);
  return all;
}

std::string_view view(const boost::json::string& text) { return {text.data(), text.size()}; }
std::string_view view(boost::json::string_view text) { return {text.data(), text.size()}; }

// Returns an integer in any notation: 3, 3.0 and 3e0 are equal; "3" is also accepted.
std::optional<std::int64_t> whole(const value& number) {
  if (number.is_string()) return parse_number(view(number.get_string()));
  if (const auto* const exact = number.if_int64()) return *exact;
  const auto* const real = number.if_double();
  if (real == nullptr || std::trunc(*real) != *real || std::abs(*real) > 9e15) return std::nullopt;
  return static_cast<std::int64_t>(*real);
}

// Returns a filter value in the form that the declaration expects.
std::optional<std::string> scalar(const value& given) {
  if (given.is_string()) return std::string(view(given.get_string()));
  if (given.is_bool()) return given.get_bool() ? "true" : "false";
  json::Writer number;
  if (given.is_int64()) number.number(static_cast<std::int64_t>(given.get_int64()));
  else if (given.is_uint64()) number.number(static_cast<std::uint64_t>(given.get_uint64()));
  else if (given.is_double()) number.number(given.get_double());
  else return std::nullopt;
  return number.take();
}

bool is_empty_object(const value& given) { return given.is_object() && given.get_object().empty(); }

bool has_bracket(std::string_view text) { return text.find_first_of("[]") != std::string_view::npos; }

// Identities and cursors have their own limits, and errors do not repeat them in full.
constexpr std::array<std::string_view, 5> kSeparatelyBounded = {"id", "record_id", "field_path", "cursor", "changes_since"};

Error invalid_filter(std::string message) { return {Code::kInvalidFilter, std::move(message), "filter"}; }

}  // namespace

Arguments::Arguments(const boost::json::object& given, std::initializer_list<std::string_view> known) : given_(given) {
  for (const auto& member : given) {
    const std::string_view name = view(member.key());
    if (std::ranges::find(known, name) != known.end()) continue;
    refuse({Code::kInvalidArguments,
            format("invalid argument {}: there is none of that name; those there are: {}", in_quotes(name),
                   joined(std::span(known.begin(), known.size()))),
            std::string(utf8::slice(name, 0, kMaxNameChars))});
  }
  check_size();
}

void Arguments::check_size() {
  std::size_t bytes = 0, most = 0;
  std::string_view longest;
  for (const auto& member : given_) {
    if (std::ranges::find(kSeparatelyBounded, view(member.key())) != kSeparatelyBounded.end()) continue;
    const std::size_t size = boost::json::serialize(member.value()).size();
    bytes += size;
    if (size > most) longest = view(member.key());
    most = std::max(most, size);
  }
  if (bytes <= kMaxArgumentBytes) return;
  wrong(longest, format("the arguments have {} bytes, more than {}; send fewer or shorter ones", bytes, kMaxArgumentBytes));
}

bool Arguments::has(std::string_view name) const { return find(name) != nullptr; }

// Hosts and models send null for absent values.
const value* Arguments::find(std::string_view name) const {
  const value* const given = given_.if_contains(boost::json::string_view(name.data(), name.size()));
  return given == nullptr || given->is_null() ? nullptr : given;
}

void Arguments::refuse(Error error) {
  if (!first_) first_ = std::move(error);
}

Status Arguments::status() const {
  if (first_) return std::unexpected(*first_);
  return {};
}

void Arguments::wrong(std::string_view name, std::string_view what) {
  refuse({Code::kInvalidArguments, format("invalid argument {}: {}", name, what), std::string(name)});
}

std::optional<std::string> Arguments::text(std::string_view name) {
  const value* const given = find(name);
  if (given == nullptr) return std::nullopt;
  if (!given->is_string()) {
    wrong(name, format("it is {}, not a string; omit it if you have none", model::kind_name(*given)));
    return std::nullopt;
  }
  return std::string(view(given->get_string()));
}

std::string Arguments::name(std::string_view name) {
  const auto given = text(name);
  if (given && given->empty()) wrong(name, "it is empty; omit it if you have none");
  return given.value_or("");
}

std::string Arguments::required(std::string_view name) {
  const value* const given = find(name);
  if (given == nullptr) wrong(name, "it is missing, and this tool needs it");
  else if (!given->is_string()) wrong(name, format("it is {}, not a string", model::kind_name(*given)));
  else if (given->get_string().empty()) wrong(name, "it is empty, and this tool needs it");
  return this->name(name);
}

std::string Arguments::stream(std::string_view name) {
  std::string given = this->name(name);
  if (!given.empty() && !model::is_safe_name(given)) {
    refuse({Code::kInvalidId, format("the stream {} contains \"/\", \"\\\" or \"..\"; use a name from schema", in_quotes(given)),
            std::string(name)});
  }
  return given;
}

std::optional<std::int64_t> Arguments::integer(std::string_view name, std::int64_t least, std::int64_t most) {
  const value* const given = find(name);
  if (given == nullptr) return std::nullopt;
  const auto number = whole(*given);
  if (number && *number >= least && *number <= most) return number;
  wrong(name, most == INT64_MAX ? format("it must be a whole number of at least {}", least)
                                : format("it must be a whole number between {} and {}", least, most));
  return std::nullopt;
}

std::vector<std::string> Arguments::names(std::string_view name) {
  const value* const given = find(name);
  if (given == nullptr) return {};
  if (given->is_string() && !given->get_string().empty()) return {std::string(view(given->get_string()))};  // a list of one
  std::vector<std::string> texts;
  const bool is_list = given->is_array() && std::ranges::all_of(given->get_array(), [](const value& element) {
                         return element.is_string() && !element.get_string().empty();
                       });
  if (!is_list) {
    wrong(name, "it must be an array of strings, none of them empty");
    return {};
  }
  for (const value& element : given->get_array()) texts.emplace_back(view(element.get_string()));
  if (texts.empty()) wrong(name, "it names nothing; omit it to get everything");
  return texts;
}

std::string Arguments::choice(std::string_view name, std::span<const std::string_view> choices) {
  const auto given = text(name);
  if (!given) return "";
  if (std::ranges::find(choices, *given) != choices.end()) return *given;
  wrong(name, format("{} is none of {}", in_quotes(*given), joined(choices)));
  return "";
}

void Arguments::read_filter(std::string_view field, const value& given, std::vector<api::Filter>& into) {
  if (field.empty() || has_bracket(field)) return refuse(invalid_filter(format("{} is no field to filter by", in_quotes(field))));
  if (auto exact = scalar(given)) {
    into.push_back({std::string(field), "", *std::move(exact)});
    return;
  }
  if (!given.is_object() || given.get_object().empty()) {
    return refuse(invalid_filter(
        format("the filter on {} must be a value, or an object with gte, gt, lte or lt; lists and null cannot be filtered by",
               in_quotes(field))));
  }
  for (const auto& member : given.get_object()) {
    const std::string_view op = view(member.key());
    if (std::ranges::find(kOperators, op) == kOperators.end()) {
      return refuse(invalid_filter(format("{} is not an operator; use gte, gt, lte or lt", in_quotes(op))));
    }
    auto bound = scalar(member.value());
    if (!bound) return refuse(invalid_filter(format("{} of {} must be a string, number or boolean", op, in_quotes(field))));
    into.push_back({std::string(field), std::string(op), *std::move(bound)});
  }
}

std::vector<api::Filter> Arguments::filters() {
  const value* const given = find("filter");
  if (given == nullptr || is_empty_object(*given)) return {};
  std::vector<api::Filter> filters;
  if (!given->is_object()) {
    refuse(invalid_filter("filter must be an object such as {\"field\":\"value\"} or {\"field\":{\"gte\":1}}"));
    return filters;
  }
  for (const auto& member : given->get_object()) read_filter(view(member.key()), member.value(), filters);
  return filters;
}

std::vector<std::pair<std::string, std::int64_t>> Arguments::expand_limits() {
  const value* const given = find("expand_limit");
  if (given == nullptr || is_empty_object(*given)) return {};
  std::vector<std::pair<std::string, std::int64_t>> limits;
  const auto refused = [&] {
    refuse({Code::kInvalidExpand, "expand_limit must be an object such as {\"relation\":3}, every limit at least 1",
            "expand_limit"});
    return decltype(limits){};
  };
  if (!given->is_object()) return refused();
  for (const auto& member : given->get_object()) {
    const auto limit = whole(member.value());
    if (member.key().empty() || has_bracket(view(member.key())) || !limit || *limit < 1) return refused();
    limits.emplace_back(view(member.key()), *limit);
  }
  return limits;
}

namespace {

bool offers(const api::StreamView& stream, const std::string& relation) {
  return std::ranges::any_of(stream.expansions,
                             [&](const api::ExpandView& view) { return view.name == relation && view.usable; });
}

std::string names_of(const api::StreamView& stream) {
  std::string names;
  for (const api::ExpandView& view : stream.expansions) {
    if (view.usable) names += (names.empty() ? "" : ", ") + model::in_quotes(view.name);
  }
  return names;
}

}  // namespace

Status check_expand(const Context& context, const std::string& stream, const std::string& connection_id,
                    const std::vector<std::string>& relations) {
  if (relations.empty()) return {};
  const auto schema = context.port.schema({stream, connection_id, false, false}, context.stop);
  if (!schema) return {};
  std::vector<const api::StreamView*> views;
  for (const api::SourceView& source : schema->sources) {
    for (const api::StreamView& view : source.streams) {
      if (view.name == stream) views.push_back(&view);
    }
  }
  if (views.empty()) return {};
  for (const std::string& relation : relations) {
    if (std::ranges::any_of(views, [&](const api::StreamView* view) { return offers(*view, relation); })) continue;
    const std::string names = names_of(*views.front());
    return fail(Code::kInvalidExpand,
                format("stream {} has no relation {} to expand; {}", model::in_quotes(stream), model::in_quotes(relation),
                       names.empty() ? "it has none: omit expand" : "those it has: " + names),
                "expand");
  }
  return {};
}

}  // namespace ladder::mcp
