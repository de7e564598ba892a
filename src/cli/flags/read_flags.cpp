#include "cli/flags/read_flags.h"

#include "base/text/format.h"
#include "base/text/number.h"
#include "base/text/percent.h"
#include "base/text/visible_text.h"
#include "cli/flags/time_words.h"
#include "rest/arguments.h"

namespace ladder::cli {

void FilterWords::declare(Arguments& arguments, std::string_view help) {
  arguments.each_value(
      "--filter", "FIELD=VALUE", [this](const std::string& text) { return take(text); }, std::string(help) + "; may be repeated");
}

// Parses FIELD=VALUE or FIELD.gte=VALUE.
Status FilterWords::take(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return fail(Code::kInvalidRequest, "--filter must be FIELD=VALUE or FIELD.gte=VALUE", "--filter");
  }
  std::string field = text.substr(0, equals);
  std::string op;
  for (const std::string_view ending : {".gte", ".gt", ".lte", ".lt"}) {
    if (field.size() <= ending.size() || !field.ends_with(ending)) continue;
    op = format("[{}]", ending.substr(1));
    field.erase(field.size() - ending.size());
    break;
  }
  std::string value = text.substr(equals + 1), typed = text;
  // Replaces a span by an absolute time. The command for the next page repeats that time, because its cursor requires it.
  if (const auto span = op.empty() ? std::nullopt : parse_span(value)) {
    value = format_time((Clock::system().now() - *span) / kSecond * kSecond);
    typed = text.substr(0, equals + 1) + value;
  }
  filters_.push_back({format("filter[{}]{}", field, op), std::move(value), std::move(typed)});
  return {};
}

void FilterWords::add_to(RestTarget& target) const {
  for (const Filter& filter : filters_) target.add(filter.parameter, filter.value);
}

std::vector<std::string> FilterWords::words() const {
  std::vector<std::string> words;
  for (const Filter& filter : filters_) words.insert(words.end(), {"--filter", filter.typed});
  return words;
}

Status check_page_limit(const std::optional<std::string>& limit) {
  if (!limit) return {};
  const auto number = parse_number(*limit);
  if (number && *number > 0) return {};
  return fail(Code::kInvalidRequest, "--limit must be a number from 1 to 100", "--limit");
}

std::string RestTarget::segment(std::string_view name) { return percent_encode(name); }

void RestTarget::add(std::string_view name, std::string_view value) {
  text_ += text_.find('?') == std::string::npos ? '?' : '&';
  text_ += percent_encode(name);
  text_ += '=';
  text_ += percent_encode(value);
}

std::string_view RestTarget::query() const {
  const auto mark = text_.find('?');
  return mark == std::string::npos ? std::string_view() : std::string_view(text_).substr(mark + 1);
}

namespace {

constexpr std::string_view kFromEnvironment = "env";

}  // namespace

void Caller::declare(Arguments& arguments) {
  arguments.value("--token", "T", token_,
                  "read as the client with this token; env: the token in LADDER_TOKEN (default: read as the owner)");
}

Result<server::Access> Caller::who(const Context& context, Session& session) const {
  if (!token_) return session.owner();
  const bool from_environment = *token_ == kFromEnvironment;
  if (from_environment && context.settings.token.empty()) {
    return fail(Code::kAuthentication, "--token env: LADDER_TOKEN is not set", "token");
  }
  LADDER_TRY(server::Access who, session.server().accesses().authenticate(from_environment ? context.settings.token : *token_));
  who.set_call({"cli", "", ""});
  return who;
}

std::string Caller::hint() const {
  return token_ && *token_ != kFromEnvironment ? "(for these commands put the token into LADDER_TOKEN)\n" : "";
}

}  // namespace ladder::cli
