// The text of a search (contract mcp-adapter 2.4, design D10).
#include "base/format.h"
#include "evidence/bounds.h"
#include "mcp/calls.h"
#include "mcp/records_text.h"
#include "mcp/search_view.h"
#include "mcp/visible.h"
#include "model/handle.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <tuple>

namespace ladder::mcp {
namespace {

constexpr std::size_t kMostSources = 8;
constexpr std::size_t kMostWarningBytes = 400;
constexpr std::size_t kUsualLineBytes = 320;  // of a hit

// An id that could not embed its connection is followed by it (seed 001).
std::string connection_beside(const HitView& hit) {
  const bool embedded = hit.names_record && !hit.id.starts_with(model::kRecordUriPrefix);
  return embedded || hit.hit->ref.connection_id.empty() ? "" : " connection_id=" + plain_or_quoted(hit.hit->ref.connection_id);
}

void append_number(std::string& out, std::int64_t value) {
  char digits[20];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

void append_evidence_line(std::string& out, std::size_t number, const HitView& hit) {
  const evidence::Excerpt& excerpt = *hit.excerpt;
  append_number(out, static_cast<std::int64_t>(number));
  out.append(". field_path=").append(plain_or_quoted(excerpt.field_path));
  out.append(" snippet=").append(quoted_line(excerpt.preview_text));
  out.append(excerpt.status == evidence::PreviewStatus::kComplete ? " complete=true" : " complete=false");
  if (excerpt.range) {
    append_number(out.append(" chars="), excerpt.range->start_chars);
    append_number(out.append(".."), excerpt.range->end_chars);
    if (excerpt.size_chars >= 0) append_number(out.append(" of "), excerpt.size_chars);
  }
  out.append(" read=").append(line_of(hit.read));
  const char* separator = " also_matched=";
  for (const std::string& field : hit.hit->matched_fields) {
    if (field == excerpt.field_path) continue;
    out.append(separator).append(plain_or_quoted(field));
    separator = "|";
  }
  out.append(connection_beside(hit)).append("\n");
}

// Which source gave how many hits; nothing when there is only one.
std::vector<std::string> source_mix(const SearchView& view) {
  std::map<std::tuple<std::string, std::string, std::string>, int> counts;
  for (const HitView& hit : view.hits) {
    ++counts[{hit.hit->ref.connection_id, hit.hit->connector_key, hit.hit->display_name}];
  }
  std::vector<std::pair<int, std::string>> entries;
  for (const auto& [source, count] : counts) {
    const auto& [connection, connector, name] = source;
    std::string entry =
        format("{{connection_id:{},connector_key:{},count:{}", plain_or_quoted(connection), plain_or_quoted(connector), count);
    if (!name.empty()) entry += ",display_name:" + quoted_line(name);
    entries.emplace_back(-count, entry + "}");
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
  const port::SearchPage& page = *view.page;
  std::string line = format("search: {} hit(s). has_more={}.", view.hits.size(), page.has_more);
  if (page.count) line += format(" count{}{}.", page.count_exact ? "=" : ">=", *page.count);
  if (!page.next_cursor.empty()) line += format(" next_cursor={}", quoted_line(page.next_cursor));
  const auto first = std::ranges::find(view.hits, true, &HitView::names_record);
  if (first != view.hits.end()) line += " first_fetch_id=" + plain_or_quoted(first->id);
  return line + mix + "\n";
}

std::string notes(const port::SearchPage& page) {
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
  if (warned.size() > kMostWarningBytes) warned = format("warnings={}; see structuredContent.data.meta\n", page.warnings.size());
  return text + warned;
}

// The statement and the ids under it; the call inside the statement counts as an id.
struct Unproven {
  std::string label, ids;
  std::size_t prose_bytes = 0;
};

Unproven unproven_hits(const SearchView& view) {
  constexpr std::string_view kStatement =
      "evidence=metadata-only: in these hits no matched field is proven, only metadata is available";
  constexpr std::string_view kOneWay = "; open one with ", kOtherWay = " or read_record_field and a field_path";
  Unproven lines;
  std::string opening;  // of the first that can be opened
  std::size_t number = 0;
  for (const HitView& hit : view.hits) {
    ++number;
    if (hit.is_proven()) continue;
    if (hit.names_record && opening.empty()) opening = line_of(fetch_call(hit.hit->ref));
    lines.ids += format("{}. {}{}\n", number, plain_or_quoted(hit.id), connection_beside(hit));
  }
  if (lines.ids.empty()) return lines;
  lines.label = kStatement;
  if (!opening.empty()) lines.label.append(kOneWay).append(opening).append(kOtherWay);
  lines.label += ":\n";
  lines.prose_bytes = lines.label.size() - opening.size();
  return lines;
}

}  // namespace

std::string search_text(const SearchView& view, const boost::json::object& given) {
  std::string text;
  text.reserve(view.hits.size() * kUsualLineBytes);
  std::size_t number = 0;
  for (const HitView& hit : view.hits) {
    ++number;
    if (hit.is_proven()) append_evidence_line(text, number, hit);
  }
  const port::SearchPage& page = *view.page;
  const Unproven unproven = unproven_hits(view);
  const std::string told = notes(page);
  const std::vector<std::string> mix = source_mix(view);
  std::string last = more_line("search", given, page.has_more, page.next_cursor);
  if (!page.next_cursor.empty()) {
    const std::string shorter = format("more: the same search with \"cursor\":{}", quoted_line(page.next_cursor));
    if (last.size() > shorter.size() + evidence::kSnippetChars * 2) last = shorter;
  }
  std::size_t shown = std::min(kMostSources, mix.size());
  std::string head = summary(view, mix_token(mix, shown));
  while (shown > 0 && head.size() + unproven.prose_bytes + told.size() + last.size() > evidence::kSearchProseBytes) {
    head = summary(view, mix_token(mix, --shown));
  }
  text.append(head).append(unproven.label).append(unproven.ids).append(told).append(last);
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace ladder::mcp
