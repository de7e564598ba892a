// One record, and which parts of it each client read. The ledger stores ranges and digests; the text comes from the current
// record. Ranges are marked only if the digest matches the current text.
#include "auth/text_formatting.h"
#include "base/limits.h"
#include "base/text/format.h"
#include "base/text/number.h"
#include "base/text/utf8.h"
#include "console/console.h"
#include "console/ledger/ledger_text.h"
#include "console/ledger/seen_text.h"
#include "console/parts.h"
#include "json/scan/scan.h"
#include "model/field_path.h"

#include <algorithm>

namespace ladder::console {
namespace {

using server::ShownField;
using server::ShownRange;
using server::ShownRanges;
using server::Unit;

constexpr std::int64_t kWholeChars = 2'000;  // longer fields are read in windows
constexpr std::int64_t kFactChars = 160;     // longest value in the facts list
constexpr std::int64_t kReads = 20;          // entries in the list of reads
constexpr std::int64_t kMaxShown = 24'000;   // characters per page
constexpr std::int64_t kLeastShown = 600;    // minimum per field
constexpr std::size_t kMaxFields = 200;
constexpr std::int64_t kOpened = 6'000;  // characters that "Show" opens

// A client that read part of the record.
struct Reader {
  ClientFace face;
  server::SeenRecord seen;
};

// A field with its current value, and the ranges that each reader saw of it.
struct Field {
  std::string path;
  std::string text;                       // empty if the field is long
  std::int64_t size = 0;                  // chars
  std::string digest;                     // of the complete value
  bool is_long = false;                   // read in windows
  bool is_text = true;                    // false: base64 bytes
  bool is_gone = false;                   // the field no longer exists
  std::vector<ShownRanges> ranges = {};   // by reader
  std::vector<std::size_t> earlier = {};  // readers that saw an earlier value

  bool never_shared() const {
    return std::ranges::all_of(ranges, [](const ShownRanges& one) { return one.empty(); }) && earlier.empty();
  }
};

// All fields of the record, then the fields that only the ledger has.
std::vector<Field> fields_of(const api::Record* record, const std::vector<Reader>& readers) {
  std::vector<Field> fields;
  const json::Value data = record ? json::value_of(record->data) : json::Value{};
  if (data.kind == json::Kind::kObject) {
    for (json::Members members(data.text); members.next() && fields.size() < kMaxFields;) {
      Field field;
      field.path = model::format_field_path(json::decode_string(members.raw_name()));
      const auto cut = std::ranges::find(record->cut, field.path, &api::CutField::path);
      if (cut != record->cut.end()) {
        field.is_long = true;
        field.is_text = cut->text_like;
        field.size = cut->size_chars;
        field.digest = cut->digest;
      } else {
        const json::Value& value = members.value();
        field.text = value.kind == json::Kind::kString ? json::decode_string(json::raw_content(value)) : std::string(value.text);
        field.size = utf8::count(field.text);
        field.digest = crypto::digest_text(crypto::sha256(field.text));
      }
      fields.push_back(std::move(field));
    }
  }
  for (const Reader& reader : readers) {
    for (const ShownField& shown : reader.seen.shown.fields) {
      if (shown.unit != Unit::kChars || std::ranges::find(fields, shown.path, &Field::path) != fields.end()) continue;
      Field field;
      field.path = shown.path;
      field.is_gone = true;
      fields.push_back(std::move(field));
    }
  }
  return fields;
}

void mark(Field& field, const std::vector<Reader>& readers) {
  field.ranges.assign(readers.size(), {});
  for (std::size_t who = 0; who < readers.size(); ++who) {
    for (const ShownField& shown : readers[who].seen.shown.fields) {
      if (shown.unit != Unit::kChars || shown.path != field.path || shown.ranges.empty()) continue;
      const bool is_this = !field.is_gone && shown.digest && crypto::digest_text(*shown.digest) == field.digest;
      if (is_this) field.ranges[who] = shown.ranges;
      else field.earlier.push_back(who);
    }
  }
}

class RecordPage {
 public:
  RecordPage(server::ResourceServer& server, const server::Access& owner, model::RecordRef ref, const pages::Form& form)
      : server_(server), owner_(owner), ref_(std::move(ref)), opened_field_(form.one("field")) {
    const auto number = [&](std::string_view name) {
      const auto value = parse_number(form.one(name));
      return value && *value >= 0 ? value : std::nullopt;
    };
    const auto from = number("from"), to = number("to");
    if (from && to && *from < *to) opened_ = ShownRange{*from, *to};
  }

  Status load(ClientFaces& faces);
  bool exists() const { return record_.has_value(); }
  bool was_seen() const { return !readers_.empty(); }
  const std::vector<Reader>& readers() const { return readers_; }

  Writer lead(const RecordNames::Stream& stream) const;
  Writer bars(const RecordNames::Stream& stream) const;
  Result<Writer> text(const RecordNames::Stream& stream);

 private:
  Status find_inside(Field& field);
  const Field* main_field(const RecordNames::Stream& stream) const;
  Writer marked(const SeenPart& part, std::string_view text) const;
  Writer changed_notice(const Field& field) const;
  Writer fact(const Field& field) const;
  Result<Writer> block(const Field& field);
  Result<std::string> read(const Field& field, std::int64_t start, std::int64_t end);
  Writer fold(const Field& field, const SeenPart& part) const;

  server::ResourceServer& server_;
  const server::Access& owner_;
  model::RecordRef ref_;
  std::string opened_field_;
  std::optional<ShownRange> opened_;
  std::int64_t room_ = kMaxShown;  // remaining characters for long fields
  std::optional<api::Record> record_;
  std::vector<Reader> readers_;
  std::vector<Field> fields_;
};

Status RecordPage::load(ClientFaces& faces) {
  api::RecordRequest request;
  request.record = ref_;
  request.max_field_chars = kWholeChars;
  auto found = server_.reads().record(owner_, request);
  if (!found && found.error().http_status() != 404) return std::unexpected(found.error());
  if (found && !found->deleted) record_ = *std::move(found);
  server::LedgerQuery query;
  query.record = record_ ? record_->ref : ref_;
  LADDER_TRY(auto seen, server_.ledger().seen(owner_, query));
  for (server::SeenRecord& one : seen) readers_.push_back({faces.at(one.client_id), std::move(one)});
  std::ranges::stable_sort(readers_, {}, [](const Reader& one) { return one.face.slot; });
  fields_ = fields_of(record_ ? &*record_ : nullptr, readers_);
  for (Field& field : fields_) {
    if (field.is_gone && record_) LADDER_CHECK(find_inside(field));
    mark(field, readers_);
  }
  return {};
}

// A nested value that a client read by its path.
Status RecordPage::find_inside(Field& field) {
  api::FieldWindowRequest request;
  request.record = record_->ref;
  request.field_path = field.path;
  request.window.limit_chars = 1;
  const auto window = server_.windows().read(owner_, request);
  if (!window && window.error().http_status() >= 500) return std::unexpected(window.error());
  if (!window) return {};
  field.is_gone = false;
  field.is_long = true;
  field.is_text = window->text_like;
  field.size = window->size_chars;
  field.digest = window->digest;
  return {};
}

// The declared text field, or the longest field.
const Field* RecordPage::main_field(const RecordNames::Stream& stream) const {
  const auto declared = std::ranges::find(fields_, model::format_field_path(stream.text), &Field::path);
  if (!stream.text.empty() && declared != fields_.end() && declared->size > 0) return &*declared;
  const auto longest = std::ranges::max_element(fields_, {}, [](const Field& one) { return one.is_text ? one.size : 0; });
  return longest == fields_.end() || longest->size == 0 ? nullptr : &*longest;
}

std::string percent(std::int64_t part, std::int64_t whole) {
  if (part >= whole) return "all";
  const std::int64_t share = part * 100 / whole;
  return share == 0 ? "less than 1%" : format("{}%", share);
}

Writer RecordPage::lead(const RecordNames::Stream& stream) const {
  Writer out;
  if (readers_.empty()) {
    out << Markup("<b>No app</b> has seen any of it.");
    return out;
  }
  const Field* const field = main_field(stream);
  for (std::size_t who = 0; who < readers_.size(); ++who) {
    const Reader& reader = readers_[who];
    if (who > 0) out << Markup(" ");
    out << Markup("<bdi>") << Text(reader.face.short_name()) << Markup("</bdi> has seen ");
    const std::int64_t chars = field ? server::length_of(field->ranges[who]) : 0;
    std::vector<std::string> others;
    for (const ShownField& shown : reader.seen.shown.fields) {
      const std::string name = shown.unit == Unit::kBytes ? "bytes of its file" : shown.path;
      if (!shown.ranges.empty() && std::ranges::find(others, name) == others.end()) others.push_back(name);
    }
    if (chars > 0) {
      out << Markup("<b>") << Text(percent(chars, field->size)) << Markup("</b> of its ") << Text(field->path) << Markup(".");
      continue;
    }
    if (field && std::ranges::find(field->earlier, who) != field->earlier.end()) {
      out << Markup("parts of an earlier version of ") << Text(field->path) << Markup(".");
      continue;
    }
    constexpr std::size_t kNamed = 4;
    if (others.size() > kNamed) {
      const std::size_t more = others.size() - kNamed + 1;
      others.resize(kNamed - 1);
      others.push_back(format("{} more", more));
    }
    if (others.empty()) out << Markup("only that it exists.");
    else out << Markup("only ") << Text(auth::listed(others)) << Markup(".");
  }
  return out;
}

void write_bar(Writer& out, const Reader& reader, const ShownRanges& ranges, std::int64_t size, std::string_view unit) {
  // Scale to a width of 1000, because some renderers cannot handle lengths in the millions.
  constexpr double kWide = 1'000;
  const std::string said = ranges.empty() ? format("{} read none of it", reader.face.short_name())
                                          : format("{} read {}", reader.face.short_name(), ranges_text(ranges));
  out << Markup("<span") << Attribute("class", "line-key " + colour(reader.face)) << Markup("><bdi>")
      << Text(reader.face.short_name()) << Markup("</bdi></span><svg viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\"")
      << Attribute("class", "cover-bar " + colour(reader.face)) << Markup(" role=\"img\"") << Attribute("aria-label", said)
      << Markup(">");
  double drawn = -1;
  for (const ShownRange& range : ranges) {
    const double x = kWide * static_cast<double>(range.start) / static_cast<double>(std::max<std::int64_t>(size, 1));
    const double end = kWide * static_cast<double>(range.end) / static_cast<double>(std::max<std::int64_t>(size, 1));
    if (end < drawn + 0.5) continue;  // too close to the previous bar to be visible
    drawn = std::max(end, x + 2);
    out << Markup("<rect") << Attribute("x", format("{:.1f}", x)) << Attribute("width", format("{:.1f}", drawn - x))
        << Markup(" height=\"10\"/>");
  }
  out << Markup("</svg><span class=\"num quiet\">") << Text(server::length_of(ranges)) << Text(unit) << Markup("</span>");
}

Writer RecordPage::bars(const RecordNames::Stream& stream) const {
  Writer out;
  const Field* const field = main_field(stream);
  if (field != nullptr && !readers_.empty()) {
    out << Markup("<section class=\"card stack\" aria-labelledby=\"cov\"><h2 id=\"cov\">All of ") << Text(field->path)
        << Markup(", ") << pages::plural(field->size, "character", "characters") << Markup("</h2><div class=\"cover-grid\">");
    for (std::size_t who = 0; who < readers_.size(); ++who) write_bar(out, readers_[who], field->ranges[who], field->size, "");
    out << Markup("</div></section>");
  }
  std::int64_t size = 0;
  for (const Reader& reader : readers_) {
    for (const ShownField& shown : reader.seen.shown.fields) size = std::max(size, shown.unit == Unit::kBytes ? shown.size : 0);
  }
  if (size == 0) return out;
  out << Markup("<section class=\"card stack\" aria-labelledby=\"covf\"><h2 id=\"covf\">Its file, ")
      << pages::plural(size, "byte", "bytes") << Markup("</h2><div class=\"cover-grid\">");
  for (const Reader& reader : readers_) {
    for (const ShownField& shown : reader.seen.shown.fields) {
      if (shown.unit == Unit::kBytes) write_bar(out, reader, shown.ranges, shown.size, " bytes");
    }
  }
  out << Markup("</div></section>");
  return out;
}

// The text, underlined once per client that read it.
Writer RecordPage::marked(const SeenPart& part, std::string_view text) const {
  Writer out;
  if (part.by.empty()) {
    out << Markup("<span class=\"never\">") << Text(text) << Markup("</span>");
    return out;
  }
  std::string classes = part.by.size() > 1 ? "saw saw-many" : "saw";
  std::string names;
  for (const std::size_t who : part.by) {
    classes += format(" saw-{}", readers_[who].face.slot);
    names += (names.empty() ? "" : ", ") + readers_[who].face.short_name();
  }
  out << Markup("<mark") << Attribute("class", classes) << Attribute("title", names) << Markup(">") << Text(text)
      << Markup("</mark>");
  return out;
}

Writer RecordPage::changed_notice(const Field& field) const {
  Writer out;
  if (field.earlier.empty()) return out;
  std::vector<std::string> names;
  for (const std::size_t who : field.earlier) {
    const std::string name = readers_[who].face.short_name();
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  out << Markup("<p class=\"hint\"><span class=\"badge badge-warn\">changed since</span> <bdi>") << Text(auth::listed(names))
      << Markup("</bdi> read an earlier version: ");
  bool first = true;
  for (const Reader& reader : readers_) {
    for (const ShownField& shown : reader.seen.shown.fields) {
      const bool is_this = shown.digest && crypto::digest_text(*shown.digest) == field.digest;
      if (shown.unit != Unit::kChars || shown.path != field.path || shown.ranges.empty() || (is_this && !field.is_gone)) continue;
      out << Text(format("{}{} of {}", first ? "" : "; ", ranges_text(shown.ranges), grouped(shown.size)));
      first = false;
    }
  }
  out << Markup(" characters. These ranges are not marked.</p>");
  return out;
}

Writer RecordPage::fact(const Field& field) const {
  Writer out;
  out << Markup("<dt>") << Text(field.path) << Markup("</dt><dd dir=\"auto\">");
  if (field.is_gone) out << Markup("<span class=\"soft\">no longer exists</span>");
  const auto parts = split_by_reader(field.size, field.ranges);
  for (const SeenPart& part : parts) {
    out << marked(part, utf8::slice(field.text, part.start, part.length()));
  }
  if (field.size == 0 && !field.is_gone) out << Markup("<span class=\"soft\">empty</span>");
  // Every response that names the record contains its key, even if no field shows it.
  const bool names_it = !readers_.empty() && field.text == ref_.record_id;
  if (names_it) out << Markup(" <span class=\"badge\">included as the ID</span>");
  else if (field.never_shared()) out << Markup(" <span class=\"badge\">never shared</span>");
  out << changed_notice(field) << Markup("</dd>");
  return out;
}

Result<std::string> RecordPage::read(const Field& field, std::int64_t start, std::int64_t end) {
  if (!field.is_long) return std::string(utf8::slice(field.text, start, end - start));
  std::string text;
  while (start < end) {
    api::FieldWindowRequest request;
    request.record = record_->ref;
    request.field_path = field.path;
    request.window.offset_chars = start;
    request.window.limit_chars = std::min(end - start, limits::kWindowMaxChars);
    LADDER_TRY(const auto window, server_.windows().read(owner_, request));
    if (window.digest != field.digest) return fail(Code::kConflict, "the record changed while it was read; reload the page");
    if (window.end_chars <= start) break;
    text += window.text;
    start = window.end_chars;
  }
  return text;
}

Writer RecordPage::fold(const Field& field, const SeenPart& part) const {
  Writer out;
  out << Markup("<form class=\"fold\" action=\"/ledger/record\" method=\"get\">");
  for (const std::size_t who : part.by) {
    out << Markup("<span") << Attribute("class", "line-key " + colour(readers_[who].face)) << Markup("><bdi>")
        << Text(readers_[who].face.short_name()) << Markup("</bdi></span>");
  }
  out << Markup("<span>");
  if (part.mixed) out << Text(part.length()) << Markup(" more characters, some of them shared</span>");
  else if (part.by.empty())
    out << pages::plural(part.length(), "more character", "more characters") << Markup(" never shared</span>");
  else out << Markup("read the next ") << pages::plural(part.length(), "character", "characters") << Markup("</span>");
  const std::int64_t to = part.mixed ? part.end : std::min(part.end, part.start + kOpened);
  out << pages::hidden("id", model::format_record_id(ref_)) << pages::hidden("field", field.path)
      << pages::hidden("from", std::to_string(part.start)) << pages::hidden("to", std::to_string(to))
      << Markup("<button class=\"btn btn-s\">Show ") << (to < part.end ? Markup("more ") : Markup(""))
      << Markup("text</button></form>");
  return out;
}

Result<Writer> RecordPage::block(const Field& field) {
  Writer out;
  out << Markup("<hr class=\"rule\"><h3>") << Text(field.path) << Markup(" <span class=\"quiet\">")
      << pages::plural(field.size, "character", "characters") << Markup("</span>");
  if (field.never_shared()) out << Markup(" <span class=\"badge\">never shared</span>");
  out << Markup("</h3>") << changed_notice(field);
  if (!field.is_text) {
    out << Markup("<p class=\"soft\">These are bytes of a file, not text.</p>");
    return out;
  }
  FoldBounds bounds;
  bounds.max_shown = std::clamp(room_, kLeastShown, bounds.max_shown);
  const bool is_opened = opened_ && opened_field_ == field.path;
  const auto shown = fold_parts(split_by_reader(field.size, field.ranges), bounds, is_opened ? opened_ : std::nullopt);
  std::string run;        // the text of consecutive parts, read at once
  std::string_view rest;  // of it
  bool in_text = false;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const SeenPart& part = shown[i];
    if (part.folded) {
      if (in_text) out << Markup("</div>");
      in_text = false;
      out << fold(field, part);
      continue;
    }
    if (!in_text) {
      std::size_t last = i;
      while (last + 1 < shown.size() && !shown[last + 1].folded) ++last;
      LADDER_TRY(run, read(field, part.start, shown[last].end));
      rest = run;
      out << Markup("<div class=\"saw-text\" dir=\"auto\">");
    }
    in_text = true;
    room_ -= part.length();
    const std::string_view text = rest.substr(0, utf8::offset_of(rest, part.length()));
    rest.remove_prefix(text.size());
    out << marked(part, text);
    // The next part is unread.
    if (part.by.size() == 1 && i + 1 < shown.size() && !shown[i + 1].mixed && shown[i + 1].by.empty()) {
      const Reader& reader = readers_[part.by.front()];
      out << Markup(" <bdi") << Attribute("class", "cut " + colour(reader.face)) << Markup(">") << Text(part.end)
          << Markup(": <bdi>") << Text(reader.face.short_name()) << Markup("</bdi> stopped reading here</bdi> ");
    }
  }
  if (in_text) out << Markup("</div>");
  return out;
}

Result<Writer> RecordPage::text(const RecordNames::Stream& stream) {
  Writer out, facts;
  const Field* const main = main_field(stream);
  std::vector<const Field*> blocks;
  for (const Field& field : fields_) {
    const bool is_fact = !field.is_long && field.size <= kFactChars && (&field != main || field.size <= kFactChars / 2);
    if (is_fact) facts << fact(field);
    else blocks.push_back(&field);
  }
  std::ranges::stable_sort(blocks, [&](const Field* a, const Field* b) { return a == main && b != main; });
  out << Markup(
      "<section class=\"card stack\" aria-labelledby=\"txt\"><div class=\"block-head\"><h2 id=\"txt\">In the text</h2>");
  if (!readers_.empty()) out << Markup("<span class=\"quiet\">Each line under the text is an app</span>");
  out << Markup("</div>");
  if (!facts.empty()) out << Markup("<dl class=\"facts\">") << facts << Markup("</dl>");
  for (const Field* const field : blocks) {
    LADDER_TRY(const Writer made, block(*field));
    out << made;
  }
  out << Markup(
      "<p class=\"hint\">Activity stores ranges and digests, never text. The text shown here comes from your own "
      "data.</p></section>");
  return out;
}

// The list of reads: when, by which client, and how.
Result<Writer> reads_of(server::ResourceServer& server, const server::Access& owner, const model::RecordRef& ref,
                        const std::vector<Reader>& readers, ClientFaces& faces, Instant now) {
  Writer out;
  if (readers.empty()) return out;
  server::LedgerQuery query;
  query.record = ref;
  query.limit = kReads;
  query.since = readers.front().seen.first_at;
  for (const Reader& reader : readers) query.since = std::min(*query.since, reader.seen.first_at);
  LADDER_TRY(const auto page, server.ledger().page(owner, query));
  out << Markup(
      "<aside class=\"stack-5\" aria-label=\"Reads\"><section class=\"card\"><div class=\"block-head\"><h2>Reads</h2></div>");
  if (page.entries.empty()) out << Markup("<p class=\"soft\">Single reads have expired; only the ranges are kept.</p>");
  else out << Markup("<ol class=\"thread\">");
  for (const server::LedgerEntry& entry : page.entries) {
    out << Markup("<li>") << client_link(faces.at(entry.client_id)) << Markup(" <time class=\"quiet\"")
        << Attribute("datetime", format_time(entry.at)) << Markup(">") << Text(moment_text(entry.at, now))
        << Markup("</time><br>");
    for (const server::ShownRecord& shown : entry.shown.records) out << Text(fields_text(shown)) << Markup("<br>");
    out << Markup("<span class=\"quiet\">") << Text(kind_text(entry.shown.kind));
    if (!entry.shown.query.empty()) out << Markup(" for “<bdi>") << Text(entry.shown.query) << Markup("</bdi>”");
    out << Markup("</span></li>");
  }
  if (!page.entries.empty()) out << Markup("</ol>");
  if (!page.next_cursor.empty()) {
    out << Markup("<p><a class=\"btn btn-s\"") << Attribute("href", Url::path("/ledger?record=", model::format_record_id(ref)))
        << Markup(">See all</a></p>");
  }
  out << Markup("</section></aside>");
  return out;
}

}  // namespace

Result<http::Response> Console::ledger_record(Visit& visit) {
  server::ResourceServer& server = authorization_.server();
  LADDER_TRY(const model::RecordRef ref, model::parse_record_id(visit.form.one("id")));
  LADDER_TRY(auto faces, ClientFaces::of(authorization_, *visit.owner));
  LADDER_TRY(auto names, RecordNames::of(server, *visit.owner));
  RecordPage record(server, *visit.owner, ref, visit.form);
  LADDER_CHECK(record.load(faces));
  pages::Frame frame = visit.frame;
  if (!record.exists() && !record.was_seen()) {
    frame.title = "Not found";
    return pages::message_page(404, frame, "Record not found", "It may have been erased. Its activity is erased with it.");
  }
  const RecordNames::Stream stream = names.stream(ref);
  LADDER_TRY(const auto name, names.at(ref));
  LADDER_TRY(const Writer reads, reads_of(server, *visit.owner, ref, record.readers(), faces, authorization_.now()));
  frame.title = name.text;
  Writer main;
  main << Markup("<div><p class=\"crumb\"><a href=\"/ledger\">Activity</a> <span>/</span> <span dir=\"auto\">")
       << Text(stream.source) << Markup(", ") << Text(auth::inside(stream.label))
       << Markup("</span></p><div class=\"page-head\"><div><h1 dir=\"auto\">") << Text(name.text)
       << Markup("</h1><p class=\"lead\">") << record.lead(stream) << Markup("</p></div>");
  if (record.exists()) {
    main << Markup("<a class=\"btn btn-s\"") << Attribute("href", Url::path("/record?id=", model::format_record_id(ref)))
         << Markup(">Open the record</a>");
  }
  main << Markup("</div></div>");
  if (!record.exists()) {
    main
        << Markup("<div class=\"notice notice-info\">") << pages::icon(pages::Icon::kInfo)
        << Markup(
               "<p>This record was deleted from its source. What apps have seen stays listed here until you erase it.</p></div>");
  }
  LADDER_TRY(const Writer text, record.text(stream));
  main << record.bars(stream) << (reads.empty() ? Markup("<div>") : Markup("<div class=\"cols cols-main\">")) << text << reads
       << Markup("</div>");
  return pages::page(200, frame, main);
}

}  // namespace ladder::console
