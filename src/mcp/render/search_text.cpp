// The text of a search response (PDPP "tools", design D10).
#include "base/limits.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "mcp/context.h"
#include "mcp/render/calls.h"
#include "mcp/render/fence.h"
#include "mcp/render/record_answer.h"
#include "mcp/render/search_answer.h"
#include "mcp/render/search_words.h"
#include "model/handle.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <tuple>

namespace ladder::mcp {
namespace {

constexpr std::size_t kMaxSources = 8;
constexpr std::int64_t kTitleInTextChars = 72, kAuthorChars = 40;  // on a hit's line; structuredContent has more
constexpr std::size_t kMaxWarningBytes = 400;
constexpr std::size_t kUsualLineBytes = 360;  // per hit

// Appends the connection to an id that does not contain it (PDPP "record ids").
std::string connection_beside(const HitView& hit) {
  const bool embedded = hit.names_record && !hit.id.starts_with(model::kRecordUriPrefix);
  return embedded || hit.hit->ref.connection_id.empty() ? "" : " connection_id=" + plain_or_quoted(hit.hit->ref.connection_id);
}

void append_number(std::string& out, std::int64_t value) {
  char digits[20];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

// Shortens a time to the minute: 2026-03-02T09:00Z. Other formats stay unchanged.
std::string_view append_minute(std::string& out, std::string_view time) {
  constexpr std::size_t kToMinute = 16;
  const bool utc = time.size() > kToMinute && time[kToMinute] == ':' && time.ends_with('Z');
  return utc ? out.append(time.substr(0, kToMinute)).append("Z") : out.append(plain_or_quoted(time));
}

// Appends the declared and granted title, time and author of a hit. A title or author that the snippet shows completely is not
// repeated.
void append_name(std::string& out, const api::SearchHit& hit, std::string_view snippet = {}) {
  if (!hit.title.empty() && hit.title != snippet)
    out.append(quoted_line(api::shortened(hit.title, kTitleInTextChars))).append(" ");
  if (!hit.authored_at.empty()) {
    append_minute(out, hit.authored_at);
    out.append(" ");
  }
  if (!hit.author.empty() && hit.author != snippet)
    out.append("by ").append(quoted_line(api::shortened(hit.author, kAuthorChars))).append(" ");
}

void append_list(std::string& out, std::string_view label, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    out.append(label).append(plain_or_quoted(name));
    label = "|";
  }
}

// Appends the number of hits in the same conversation or wording that this hit represents.
void append_group(std::string& out, const api::SearchHit& hit, const boost::json::object& given) {
  if (!hit.group) return;
  if (hit.group->second) {
    out.append(" second hit in this ").append(one_line(hit.group->label));
    return;
  }
  if (hit.group->more <= 0) return;
  boost::json::object args = given;
  args.erase("cursor");
  args["group"] = hit.group->id;
  append_number(out.append(hit.group->exact ? " +" : " at least +"), hit.group->more);
  out.append(" more ").append(one_line(api::words_of_group(*hit.group)));
  out.append(": ").append(line_of({"search", boost::json::serialize(args)}));
}

void append_evidence_line(std::string& out, std::size_t number, const HitView& hit, const boost::json::object& given) {
  const api::Excerpt& excerpt = *hit.excerpt;
  append_number(out, static_cast<std::int64_t>(number));
  out.append(". ");
  append_name(out, *hit.hit, excerpt.preview_text);
  out.append("snippet=").append(quoted_line(excerpt.preview_text));
  if (excerpt.status == api::PreviewStatus::kComplete) out.append(" complete");
  else if (!excerpt.range) out.append(" cut");
  if (excerpt.range) {
    append_number(out.append(" "), excerpt.range->start_chars);
    append_number(out.append(".."), excerpt.range->end_chars);
    if (excerpt.size_chars >= 0) append_number(out.append("/"), excerpt.size_chars);
  }
  if (excerpt.resume.whole_record) out.append(" only ").append(plain_or_quoted(excerpt.field_path)).append(" matched:");
  out.append(" ").append(line_of(hit.read));
  std::vector<std::string> others = hit.hit->matched_fields;
  std::erase(others, excerpt.field_path);
  append_list(out, " also_matched=", others);
  if (!hit.hit->group || !hit.hit->group->second) append_list(out, " missing=", hit.hit->missing);
  out.append(connection_beside(hit));
  append_group(out, *hit.hit, given);
  if (hit.shows_neighbours) out.append(" around it: ").append(line_of(around_call(*hit.hit)));
  out.append("\n");
}

// Counts the hits per source; returns nothing if there is only one.
std::vector<std::string> source_mix(const SearchView& view) {
  std::map<std::tuple<std::string, std::string, std::string>, int> counts;
  for (const HitView& hit : view.hits) {
    ++counts[{hit.hit->ref.connection_id, hit.hit->connector_key, hit.hit->display_name}];
  }
  std::vector<std::pair<int, std::string>> entries;
  for (const auto& [source, count] : counts) {
    const auto& [connection, connector, name] = source;
    const std::string& called = name.empty() ? connector : name;
    entries.emplace_back(
        -count, format("{}{}:{}", plain_or_quoted(connection), called.empty() ? "" : "(" + plain_or_quoted(called) + ")", count));
  }
  std::ranges::stable_sort(entries, {}, &std::pair<int, std::string>::first);
  std::vector<std::string> mix;
  if (entries.size() > 1) {
    for (auto& entry : entries) mix.push_back(std::move(entry.second));
  }
  return mix;
}

std::string mix_token(const std::vector<std::string>& mix, std::size_t shown) {
  if (mix.empty() || shown == 0) return {};
  std::string token = " source_mix=";
  for (std::size_t i = 0; i < std::min(shown, mix.size()); ++i) token += (i == 0 ? "" : "|") + mix[i];
  if (shown < mix.size()) token += format("|more:{}", mix.size() - shown);
  return token;
}

std::string summary(const SearchView& view, const std::string& mix) {
  const api::SearchPage& page = *view.page;
  std::string line = format("search: {} hit(s). has_more={}.", view.hits.size(), page.has_more);
  if (page.count) line += format(" count{}{}.", page.count_exact ? "=" : ">=", *page.count);
  if (page.count_all_words) line += format(" with_every_word={}.", *page.count_all_words);
  return line + mix + "\n";
}

std::string notes(const api::SearchPage& page) {
  std::string text;
  if (page.recall.truncated || (page.count && !page.recall.complete && page.pending_scopes == 0)) {
    text += format("Recall: {} ranked, not every match; narrow the query{}.\n",
                   page.recall.ranked_candidates ? format("{} candidates were", *page.recall.ranked_candidates) : "a part was",
                   page.next_cursor.empty() ? "" : ", or read on by next_cursor");
  }
  if (page.searched_nothing()) text += "Recall: nothing within reach can be searched; use schema and query_records.\n";
  if (page.pending_scopes > 0) {
    text += format("Recall: {} stream(s) are still being indexed; words in them alone are not found yet.\n", page.pending_scopes);
  }
  std::string warned;
  append_warnings(warned, page.warnings);
  if (warned.size() > kMaxWarningBytes) warned = format("warnings={}; see structuredContent.data.meta\n", page.warnings.size());
  return text + warned;
}

// The statement and the ids below it; the call inside the statement counts as an id.
struct Unproven {
  std::string label, ids;
  std::size_t prose_bytes = 0;
};

Unproven unproven_hits(const SearchView& view, const boost::json::object& given) {
  constexpr std::string_view kStatement =
      "evidence=metadata-only: in these hits no matched field is proven, only metadata is available";
  constexpr std::string_view kOneWay = "; open one with ", kOtherWay = " or read_record_field and a field_path";
  Unproven lines;
  std::string opening;  // of the first one that can be opened
  std::size_t number = 0;
  for (const HitView& hit : view.hits) {
    ++number;
    if (hit.is_proven()) continue;
    if (hit.names_record && opening.empty()) opening = line_of(fetch_call(hit.hit->ref));
    std::string name;
    append_name(name, *hit.hit);
    lines.ids += format("{}. {}{}{}", number, name, plain_or_quoted(hit.id), connection_beside(hit));
    append_list(lines.ids, " missing=", hit.hit->missing);
    append_group(lines.ids, *hit.hit, given);
    lines.ids += '\n';
  }
  if (lines.ids.empty()) return lines;
  lines.label = kStatement;
  if (!opening.empty()) lines.label.append(kOneWay).append(opening).append(kOtherWay);
  lines.label += ":\n";
  lines.prose_bytes = lines.label.size() - opening.size();
  return lines;
}

}  // namespace

std::string search_text(const SearchView& view, const api::SearchRequest& request, const boost::json::object& given) {
  std::string text;
  text.reserve(view.hits.size() * kUsualLineBytes);
  std::size_t number = 0;
  for (const HitView& hit : view.hits) {
    ++number;
    if (hit.is_proven()) append_evidence_line(text, number, hit, given);
  }
  const api::SearchPage& page = *view.page;
  const Unproven unproven = unproven_hits(view, given);
  const std::string explanations = notes(page) + words_text(page, request, given) + languages_text(page, given);
  const std::vector<std::string> mix = source_mix(view);
  std::string last = more_line("search", given, page.has_more, page.next_cursor);
  if (!page.next_cursor.empty()) {
    const std::string shorter = format("more: the same search with \"cursor\":{}", quoted_line(page.next_cursor));
    if (last.size() > shorter.size() + api::kSnippetChars * 2) last = shorter;
  }
  std::size_t shown = std::min(kMaxSources, mix.size());
  std::string head = summary(view, mix_token(mix, shown));
  while (shown > 0 && head.size() + unproven.prose_bytes + explanations.size() + last.size() > api::kSearchProseBytes) {
    head = summary(view, mix_token(mix, --shown));
  }
  text.append(head).append(unproven.label).append(unproven.ids).append(explanations).append(last);
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace ladder::mcp
