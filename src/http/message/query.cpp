// Parses a query string into a flat list of parameters, which the routes interpret.
#include "http/message/query.h"

#include "base/text/format.h"
#include "base/text/percent.h"
#include "base/text/utf8.h"
#include "http/message/message.h"

#include <algorithm>

namespace ladder::http {
namespace {

constexpr std::int64_t kShownChars = 80;  // of a name quoted in an error

std::string shown(std::string_view name) {
  const auto part = utf8::slice(name, 0, kShownChars);
  return part.size() == name.size() ? std::string(name) : std::string(part) + "…";
}

std::unexpected<Error> bad(std::string_view name, std::string_view why) {
  return fail(Code::kInvalidRequest, format("parameter \"{}\" {}", shown(name), why), shown(name));
}

// Splits "filter[field][gte]" into name and path.
Status take_key(std::string_view key, Parameter& parameter) {
  const auto bracket = key.find('[');
  parameter.name = key.substr(0, bracket);
  if (parameter.name.empty()) return fail(Code::kInvalidRequest, "the query has a parameter without a name; write name=value");
  if (parameter.name.find(']') != std::string::npos) return bad(key, "has a \"]\" without its \"[\"");
  if (bracket == std::string_view::npos) return {};
  for (auto rest = key.substr(bracket); !rest.empty();) {
    const auto end = rest.find(']');
    if (rest.front() != '[' || end == std::string_view::npos)
      return bad(key, "has brackets that do not pair; write name[part][part]=value");
    const auto segment = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    if (segment.find('[') != std::string_view::npos)
      return bad(key, "has brackets inside brackets; write name[part][part]=value");
    if (segment.empty()) {
      if (!rest.empty()) return bad(key, "has \"[]\" before its end");
      parameter.list = true;
    } else if (parameter.path.size() == kMaxQueryDepth) {
      return bad(key, format("is nested deeper than {}", kMaxQueryDepth));
    } else {
      parameter.path.emplace_back(segment);
    }
  }
  return {};
}

}  // namespace

std::string Parameter::spelled() const {
  std::string out = name;
  for (const std::string& segment : path) out += "[" + segment + "]";
  if (list) out += "[]";
  return out;
}

Result<Query> Query::parse(std::string_view raw) {
  Query query;
  while (!raw.empty()) {
    const auto end = std::min(raw.find('&'), raw.size());
    const auto pair = raw.substr(0, end);
    raw.remove_prefix(std::min(end + 1, raw.size()));
    if (pair.empty()) continue;
    if (query.parameters_.size() == kMaxQueryParameters) {
      return fail(Code::kInvalidRequest, format("the query has more than {} parameters; send fewer", kMaxQueryParameters));
    }
    const auto equals = std::min(pair.find('='), pair.size());
    const auto key = percent_decoded(pair.substr(0, equals), Plus::kSpace);
    if (!key) {
      return fail(Code::kInvalidRequest, "a parameter's name is not percent-encoded UTF-8; write % as %25");
    }
    Parameter& parameter = query.parameters_.emplace_back();
    LADDER_CHECK(take_key(*key, parameter));
    auto value = percent_decoded(pair.substr(std::min(equals + 1, pair.size())), Plus::kSpace);
    if (!value) return bad(*key, "is not percent-encoded UTF-8; write % as %25");
    parameter.value = *std::move(value);
  }
  return query;
}

Result<std::optional<std::string>> Query::one(std::string_view name) const {
  const Parameter* found = nullptr;
  for (const Parameter& parameter : parameters_) {
    if (parameter.name != name) continue;
    if (found != nullptr) return bad(name, "is given more than once; give it once");
    if (parameter.list || !parameter.path.empty())
      return bad(parameter.spelled(), format("takes no brackets; write {}=value", name));
    found = &parameter;
  }
  if (found == nullptr || found->value.empty()) return std::nullopt;
  return found->value;
}

Result<std::vector<std::string>> Query::many(std::string_view name, bool split_commas) const {
  std::vector<std::string> values;
  for (const Parameter& parameter : parameters_) {
    if (parameter.name != name) continue;
    if (!parameter.path.empty()) return bad(parameter.spelled(), format("is a list; write {0}=a&{0}=b or {0}[]=a&{0}[]=b", name));
    std::string_view rest = parameter.value;
    while (!rest.empty()) {
      const auto end = split_commas ? std::min(rest.find(','), rest.size()) : rest.size();
      const auto value = split_commas ? trimmed(rest.substr(0, end)) : rest;
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (!value.empty()) values.emplace_back(value);
    }
  }
  return values;
}

std::vector<const Parameter*> Query::nested(std::string_view name) const {
  std::vector<const Parameter*> found;
  for (const Parameter& parameter : parameters_) {
    if (parameter.name == name && !parameter.path.empty()) found.push_back(&parameter);
  }
  return found;
}

bool Query::has(std::string_view name) const {
  return std::ranges::any_of(parameters_, [name](const Parameter& parameter) { return parameter.name == name; });
}

Status Query::only(std::span<const std::string_view> known) const {
  for (const Parameter& parameter : parameters_) {
    if (std::ranges::find(known, parameter.name) != known.end()) continue;
    std::string list;
    for (const std::string_view name : known) list += (list.empty() ? "" : ", ") + std::string(name);
    return bad(parameter.name,
               known.empty() ? "is unknown; this route takes none" : format("is unknown; this route takes {}", list));
  }
  return {};
}

std::optional<std::string> percent_decoded(std::string_view text, Plus plus) {
  std::string spaced(text);
  if (plus == Plus::kSpace) std::ranges::replace(spaced, '+', ' ');
  std::optional<std::string> decoded = percent_decode_bytes(spaced);
  if (!decoded || decoded->find('\0') != std::string::npos || !utf8::is_valid(*decoded)) return std::nullopt;
  return decoded;
}

}  // namespace ladder::http
