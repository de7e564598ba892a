#include "app/import/import_account.h"

#include "base/text/base64.h"
#include "base/text/format.h"
#include "base/text/grouped.h"
#include "base/text/utf8.h"
#include "base/text/visible_text.h"
#include "json/parse.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include <algorithm>

namespace ladder::app {
namespace {

constexpr std::size_t kMaxAccountBytes = 16 * 1024 * 1024;

std::string text_in(const boost::json::object& object, const char* name) {
  const boost::json::value* value = object.if_contains(name);
  return value && value->is_string() ? std::string(value->get_string().data(), value->get_string().size()) : std::string();
}

std::int64_t number_in(const boost::json::object& object, const char* name) {
  const boost::json::value* value = object.if_contains(name);
  return value && value->is_int64() ? value->get_int64() : 0;
}

const boost::json::array* array_in(const boost::json::object& object, const char* name) {
  const boost::json::value* value = object.if_contains(name);
  return value ? value->if_array() : nullptr;
}

std::map<std::string, std::int64_t> counts_in(const boost::json::object& object, const char* name, const char* word) {
  std::map<std::string, std::int64_t> counts;
  if (const boost::json::array* list = array_in(object, name)) {
    for (const boost::json::value& each : *list) {
      if (const auto* one = each.if_object()) counts[text_in(*one, word)] = number_in(*one, "count");
    }
  }
  return counts;
}

void write_counts(json::Writer& out, std::string_view name, std::string_view word,
                  const std::map<std::string, std::int64_t>& counts) {
  out.key(name).begin_array();
  for (const auto& [text, count] : counts) out.begin_object().member(word, text).member("count", count).end_object();
  out.end_array();
}

void write_stream(json::Writer& out, const std::string& name, const StreamAccount& stream) {
  out.begin_object().member("stream", name).member("read", stream.read).member("added", stream.added);
  out.member("changed", stream.changed).member("unchanged", stream.unchanged).member("rejected", stream.rejected);
  if (stream.erased > 0) out.member("erased", stream.erased);
  write_counts(out, "skipped", "reason", stream.skipped);
  if (stream.first) out.member("from", format_time(*stream.first)).member("to", format_time(*stream.last));
  out.end_object();
}

StreamAccount read_stream(const boost::json::object& object) {
  StreamAccount stream{number_in(object, "read"),
                       number_in(object, "added"),
                       number_in(object, "changed"),
                       number_in(object, "unchanged"),
                       number_in(object, "rejected"),
                       number_in(object, "erased"),
                       counts_in(object, "skipped", "reason"),
                       parse_time(text_in(object, "from")),
                       parse_time(text_in(object, "to"))};
  return stream;
}

std::string counted(std::int64_t number, std::string_view what) {
  return number == 0 ? "" : format(", {} {}", grouped(number), what);
}

std::string place_text(const imports::wire::FileLocation& place) {
  return place.byte < 0 ? visible_label(place.file) : format("{}, byte {}", visible_label(place.file), grouped(place.byte));
}

}  // namespace

bool is_counted(std::string_view stream) { return stream != "filings"; }

StreamAccount UnitAccount::total() const {
  StreamAccount sum;
  for (const auto& [name, stream] : streams) {
    if (is_counted(name)) sum.add(stream);
  }
  sum.skipped.clear();
  return sum;
}

bool UnitAccount::is_empty_handed() const {
  const auto skips = [](const auto& stream) { return !stream.second.skipped.empty(); };
  return complete() && !was_unchanged && total().read == 0 && std::ranges::any_of(streams, skips);
}

void StreamAccount::count_time(Instant time) {
  first = std::min(first.value_or(time), time);
  last = std::max(last.value_or(time), time);
}

void StreamAccount::add(const StreamAccount& other) {
  read += other.read;
  added += other.added;
  changed += other.changed;
  unchanged += other.unchanged;
  rejected += other.rejected;
  erased += other.erased;
  for (const auto& [reason, count] : other.skipped) skipped[reason] += count;
  if (other.first) count_time(*other.first);
  if (other.last) count_time(*other.last);
}

void UnitAccount::add(UnitAccount run) {
  for (const auto& [name, stream] : run.streams) streams[name].add(stream);
  const std::int64_t unlisted = run.lost - std::ssize(run.losses);
  for (imports::wire::Loss& loss : run.losses) lose(std::move(loss));
  lost += unlisted;
}

void UnitAccount::lose(imports::wire::Loss loss) {
  ++lost;
  const std::size_t listed = loss.place.file.size() + loss.reason.size();
  if (losses.size() >= kListedLosses || loss_bytes + listed > kListedLossBytes) return;
  loss_bytes += listed;
  losses.push_back(std::move(loss));
}

void UnitAccount::skip(const std::string& stream, std::string_view reason) {
  StreamAccount& of = streams[stream];
  std::string name(reason.substr(0, kReasonBytes));
  while (!utf8::is_valid(name)) name.pop_back();
  if (const auto found = of.skipped.find(name); found != of.skipped.end()) {
    ++found->second;
    return;
  }
  std::size_t listed = 0;
  for (const auto& [each, account] : streams) listed += account.skipped.size();
  ++of.skipped[listed < kListedReasons ? std::move(name) : kOtherReasons];
}

void write(json::Writer& out, const UnitAccount& account) {
  out.begin_object().member("what", account.what).member("file", account.file).member("at", format_time(account.at));
  out.optional_member("folder", account.folder).optional_member("synced_by", account.synced_by);
  out.member("complete", account.complete()).optional_member("broken_off", account.broken_off).key("streams").begin_array();
  for (const auto& [name, stream] : account.streams) write_stream(out, name, stream);
  out.end_array().member("lost", account.lost).key("losses").begin_array();
  for (const imports::wire::Loss& loss : account.losses) {
    out.begin_object().member("file", loss.place.file);
    if (loss.place.byte >= 0) out.member("byte", loss.place.byte);
    out.member("reason", loss.reason).end_object();
  }
  out.end_array();
  if (account.complete()) out.optional_member("inputs", account.inputs);
  if (account.was_unchanged) out.member("was_unchanged", true);
  if (!account.position.empty()) {
    out.member("position", base64url::encode(account.position)).member("fingerprint", account.fingerprint);
    out.member("bytes", account.bytes);
    write_counts(out, "ahead", "stream", account.ahead);
  }
  out.end_object();
}

std::string to_json(const UnitAccount& account) {
  json::Writer out;
  write(out, account);
  return out.take();
}

Result<UnitAccount> read_account(std::string_view json) {
  LADDER_TRY(const boost::json::value tree, json::parse(json, kMaxAccountBytes, 8));
  const boost::json::object* object = tree.if_object();
  if (!object) return fail(Code::kInternal, "an import report cannot be read");
  UnitAccount account;
  account.what = text_in(*object, "what");
  account.file = text_in(*object, "file");
  account.folder = text_in(*object, "folder");
  account.at = parse_time(text_in(*object, "at")).value_or(0);
  account.broken_off = text_in(*object, "broken_off");
  account.fingerprint = text_in(*object, "fingerprint");
  account.inputs = text_in(*object, "inputs");
  account.synced_by = text_in(*object, "synced_by");
  account.position = base64url::decode(text_in(*object, "position")).value_or("");
  account.bytes = number_in(*object, "bytes");
  account.ahead = counts_in(*object, "ahead", "stream");
  account.lost = number_in(*object, "lost");
  if (const boost::json::array* streams = array_in(*object, "streams")) {
    for (const boost::json::value& each : *streams) {
      if (const auto* stream = each.if_object()) account.streams[text_in(*stream, "stream")] = read_stream(*stream);
    }
  }
  if (const boost::json::array* losses = array_in(*object, "losses")) {
    for (const boost::json::value& each : *losses) {
      const auto* loss = each.if_object();
      if (!loss) continue;
      account.losses.push_back(
          {{text_in(*loss, "file"), loss->contains("byte") ? number_in(*loss, "byte") : -1}, text_in(*loss, "reason")});
    }
  }
  return account;
}

std::string account_text(const UnitAccount& account, std::size_t shown_losses) {
  std::string text;
  if (account.was_unchanged) {
    const StreamAccount total = account.total();
    return format("  unchanged since {}, {} records; --again reads it again\n", format_time(account.at).substr(0, 16),
                  grouped(total.read - total.rejected));
  }
  for (const auto& [name, stream] : account.streams) {
    const bool is_untold = is_counted(name) || stream.rejected > 0 || !stream.skipped.empty();
    if (name.empty() || !is_untold) continue;
    // After an interrupted import: records beyond the position were stored and are read again.
    const auto ahead = account.ahead.find(name);
    const std::int64_t read = stream.read + (ahead == account.ahead.end() ? 0 : ahead->second);
    text += format("  {}: {} read{}{}{}{}{}", visible_label(name), grouped(read), counted(stream.added, "added"),
                   counted(stream.changed, "changed"), counted(stream.unchanged, "unchanged"),
                   counted(stream.rejected, "rejected"), counted(stream.erased, "left out, because you deleted them"));
    if (stream.first)
      text += format("; {} to {}", format_time(*stream.first).substr(0, 10), format_time(*stream.last).substr(0, 10));
    text += '\n';
    for (const auto& [reason, count] : stream.skipped)
      text += format("    {} skipped: {}\n", grouped(count), visible_label(reason));
  }
  if (account.is_empty_handed()) text += "  no records: everything in it was skipped\n";
  if (account.lost > 0) text += format("  {} not imported:\n", grouped(account.lost));
  for (std::size_t i = 0; i < std::min(account.losses.size(), shown_losses); ++i) {
    const imports::wire::Loss& loss = account.losses[i];
    text += format("    {}: {}\n", place_text(loss.place), visible_label(loss.reason));
  }
  const auto hidden = account.lost - static_cast<std::int64_t>(std::min(account.losses.size(), shown_losses));
  if (hidden > 0) {
    const bool all = account.lost <= static_cast<std::int64_t>(UnitAccount::kListedLosses);
    text += format("    and {} more; --json lists {}\n", grouped(hidden),
                   all ? "them" : format("the first {}", grouped(UnitAccount::kListedLosses)));
  }
  if (!account.broken_off.empty()) text += format("  broken off: {}\n", visible_label(account.broken_off));
  return text;
}

}  // namespace ladder::app
