#include "console/ledger/ledger_text.h"

#include "auth/text_formatting.h"
#include "base/text/casefold.h"
#include "base/text/format.h"
#include "console/parts.h"

#include <algorithm>
#include <array>
#include <span>

namespace ladder::console {
namespace {

using server::LedgerEntry;
using server::ShownField;
using server::ShownRange;
using server::ShownRanges;
using server::ShownRecord;
using server::Unit;

constexpr std::size_t kShownRecords = 3;  // per entry; the page of the entry has the rest
constexpr std::size_t kShownRanges = 3;   // per field
constexpr std::size_t kReadNames = 300;   // titles read per page; further records show their ids

struct KindWords {
  std::string_view kind, shown;
};
constexpr std::array<KindWords, 8> kKinds = {{{"window", "Part of a text"},
                                              {"record", "Record"},
                                              {"records", "List of records"},
                                              {"changes", "Changes"},
                                              {"search", "Search"},
                                              {"aggregate", "Count"},
                                              {"schema", "Overview"},
                                              {"blob", "File"}}};

bool is_whole(const ShownField& field) { return field.ranges.size() == 1 && field.ranges.front() == ShownRange{0, field.size}; }

Result<Writer> record_link(const model::RecordRef& record, RecordNames& names) {
  Writer out;
  const std::string id = model::format_record_id(record);
  RecordNames::Name name{id, false, false};
  if (names.reads() < kReadNames) {
    LADDER_TRY(name, names.at(record));
  }
  out << Markup("<a") << Attribute("href", seen_page(record)) << Markup("><bdi>") << Text(name.text) << Markup("</bdi></a>");
  if (name.is_gone) out << Markup(" <span class=\"badge\">gone</span>");
  return out;
}

// The first records, and a link to the rest.
Result<Writer> first_records(const LedgerEntry& entry, RecordNames& names) {
  const std::span<const ShownRecord> all(entry.shown.records);
  LADDER_TRY(const Writer items, record_items(all.first(std::min(kShownRecords, all.size())), names));
  Writer out;
  out << Markup("<ul class=\"shown\">") << items << Markup("</ul>");
  if (all.size() > kShownRecords) {
    out << Markup("<a") << Attribute("href", entry_page(entry)) << Markup(">")
        << Text(static_cast<std::int64_t>(all.size() - kShownRecords)) << Markup(" more</a>");
  }
  return out;
}

// The labels of the counted streams.
std::string stream_names(const LedgerEntry& entry, const RecordNames& names) {
  std::vector<std::string> labels;
  for (const ShownRecord& shown : entry.shown.records) {
    std::string label = auth::inside(names.stream(shown.record).label);
    if (std::ranges::find(labels, label) == labels.end()) labels.push_back(std::move(label));
  }
  constexpr std::size_t kMaxNames = 4;
  if (labels.size() > kMaxNames) {
    const std::size_t more = labels.size() - kMaxNames + 1;
    labels.resize(kMaxNames - 1);
    labels.push_back(format("{} more", more));
  }
  return auth::listed(labels);
}

std::string counted_fields(const LedgerEntry& entry) {
  std::vector<std::string> fields;
  for (const ShownRecord& shown : entry.shown.records) {
    for (const ShownField& field : shown.fields) {
      if (!field.path.empty() && std::ranges::find(fields, field.path) == fields.end()) fields.push_back(field.path);
    }
  }
  return auth::listed(fields);
}

std::int64_t counted_records(const LedgerEntry& entry) {
  std::int64_t most = 0;
  for (const ShownRecord& shown : entry.shown.records) {
    for (const ShownField& field : shown.fields) most = std::max(most, field.size);
  }
  return most;
}

Writer searched_for(const LedgerEntry& entry) {
  Writer out;
  if (!entry.shown.query.empty()) out << Markup(" for “<bdi>") << Text(entry.shown.query) << Markup("</bdi>”");
  return out;
}

}  // namespace

Url seen_page(const model::RecordRef& record) { return Url::path("/ledger/record?id=", model::format_record_id(record)); }

std::string_view kind_text(std::string_view kind) {
  const auto found = std::ranges::find(kKinds, kind, &KindWords::kind);
  return found == kKinds.end() ? "Response" : found->shown;
}

std::string tool_text(const LedgerEntry& entry) {
  if (entry.transport == "rest") return "over REST";
  return entry.name.empty() ? entry.transport : entry.name;
}

std::string ranges_text(const ShownRanges& ranges) {
  std::string text;
  const std::size_t shown = ranges.size() > kShownRanges + 1 ? kShownRanges : ranges.size();
  for (const ShownRange& range : std::span(ranges).first(shown)) {
    text += format("{}{} to {}", text.empty() ? "" : ", ", grouped(range.start), grouped(range.end));
  }
  if (shown < ranges.size()) text += format(" and {} more ranges", grouped(static_cast<std::int64_t>(ranges.size() - shown)));
  return text;
}

std::string fields_text(const ShownRecord& shown) {
  std::string whole, parts;
  for (const ShownField& field : shown.fields) {
    if (field.ranges.empty()) continue;
    if (field.unit == Unit::kBytes) {
      parts += format("{}bytes {} of the file", parts.empty() ? "" : "; ", ranges_text(field.ranges));
    } else if (is_whole(field)) {
      whole += (whole.empty() ? "" : ", ") + field.path;
    } else {
      parts += format("{}{}, {}", parts.empty() ? "" : "; ", field.path, ranges_text(field.ranges));
    }
  }
  if (whole.empty() && parts.empty()) return "only that it exists";
  return whole.empty() ? parts : parts.empty() ? whole : whole + "; " + parts;
}

Url entry_page(const LedgerEntry& entry) { return Url::path("/ledger/entry?at=", entry.cursor); }

Result<Writer> record_items(std::span<const ShownRecord> records, RecordNames& names) {
  Writer out;
  for (const ShownRecord& shown : records) {
    if (shown.record.record_id.empty()) continue;
    LADDER_TRY(const Writer link, record_link(shown.record, names));
    out << Markup("<li>") << link << Markup(" <span class=\"quiet\">") << Text(fields_text(shown)) << Markup("</span></li>");
  }
  return out;
}

Result<Writer> disclosure_text(const LedgerEntry& entry, RecordNames& names) {
  LADDER_TRY(Writer out, entry_summary(entry, names));
  const std::string& kind = entry.shown.kind;
  if (entry.shown.records.size() < 2 || kind == "aggregate" || kind == "schema") return out;
  LADDER_TRY(const Writer list, first_records(entry, names));
  out << list;
  return out;
}

Result<Writer> entry_summary(const LedgerEntry& entry, RecordNames& names) {
  Writer out;
  const std::string& kind = entry.shown.kind;
  const auto count = static_cast<std::int64_t>(entry.shown.records.size());
  const bool single = count == 1 && !entry.shown.records.front().record.record_id.empty();
  if (kind == "aggregate") {
    out << Markup("A count of ") << pages::plural(counted_records(entry), "record", "records") << Markup(" of ")
        << Text(stream_names(entry, names));
    if (const std::string fields = counted_fields(entry); !fields.empty()) out << Markup(", by ") << Text(fields);
  } else if (kind == "schema") {
    out << Markup("Number of records in ") << Text(stream_names(entry, names));
  } else if (single) {
    const ShownRecord& shown = entry.shown.records.front();
    LADDER_TRY(const Writer link, record_link(shown.record, names));
    if (kind == "window" || kind == "blob") {
      out << (kind == "window" ? Markup("Part of ") : Markup("The ")) << Text(fields_text(shown)) << searched_for(entry)
          << Markup(" of ") << link;
    } else {
      if (kind == "search") out << Markup("A search hit") << searched_for(entry) << Markup(": ");
      out << link << Markup(" <span class=\"quiet\">") << Text(fields_text(shown)) << Markup("</span>");
    }
  } else if (kind == "search") {
    out << pages::plural(count, "search hit", "search hits") << searched_for(entry);
  } else if (count > 0) {
    out << (kind == "changes" ? Markup("Changes to ") : Markup("")) << pages::plural(count, "record", "records") << Markup(" of ")
        << Text(stream_names(entry, names));
  } else if (entry.erased == 0) {
    out << (kind == "search" ? Markup("A search") : Markup("A response")) << searched_for(entry)
        << Markup(" without any records");
  }
  if (entry.erased > 0) {
    out << (count > 0 ? Markup(" <span class=\"quiet\">and parts of ") : Markup("<span class=\"quiet\">Parts of "))
        << pages::plural(entry.erased, "record", "records") << Markup(" that you have erased or merged since</span>");
  }
  return out;
}

Result<bool> mentions(const LedgerEntry& entry, const std::string& words, std::string_view client, RecordNames& names) {
  const auto has = [&words](std::string_view text) { return fold(text).find(words) != std::string::npos; };
  if (has(client) || has(entry.client_id) || has(entry.name) || has(entry.shown.query)) return true;
  for (const ShownRecord& shown : entry.shown.records) {
    if (shown.record.record_id.empty()) continue;
    if (has(model::format_record_id(shown.record))) return true;
    LADDER_TRY(const RecordNames::Name name, names.at(shown.record));
    if (has(name.text)) return true;
  }
  return false;
}

}  // namespace ladder::console
