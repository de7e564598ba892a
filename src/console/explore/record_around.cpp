// The sidebar of a record: its conversation, related records, and readers.
#include "auth/text_formatting.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "console/explore/conversation.h"
#include "console/explore/explore.h"
#include "console/explore/record_view.h"
#include "console/parts.h"
#include "console/reading/mail_body.h"
#include "console/reading/names.h"
#include "json/scan/scan.h"
#include "model/record_id.h"

#include <algorithm>

namespace ladder::console {
namespace {

constexpr std::int64_t kBefore = 4, kAfter = 4;  // neighbors
constexpr std::int64_t kLineChars = 110;
constexpr std::size_t kRelatedLines = 6;
constexpr std::size_t kNamedFields = 3;
constexpr std::size_t kSmallText = 60;  // bytes

// The text before the first quote, if there is any.
std::string own_words(const RecordLine& line) {
  const std::string text = line.preview();
  std::string own;
  for (const BodyPart& part : body_parts(text)) {
    if (part.kind == BodyKind::kText) own += part.text;
  }
  return own.find_first_not_of(" \r\n\t") == std::string::npos ? text : own;
}

std::string excerpt(const RecordLine& line) {
  const std::string preview = own_words(line);
  const std::string& text = !preview.empty() ? preview : line.title;
  if (text.empty()) return "No text";
  const bool is_long = utf8::count(text) >= kLineChars;
  return std::string(utf8::slice(text, 0, kLineChars)) + (is_long ? " …" : "");
}

Writer thread_entry(const RecordView& view, const RecordLine& line) {
  const bool current = line.ref == view.ref();
  Writer out;
  out << (current ? Markup("<li aria-current=\"true\">") : Markup("<li>"));
  if (!line.author.empty()) out << Markup("<b><bdi>") << Text(mailbox_of(line.author).name) << Markup("</bdi></b> ");
  if (line.time) {
    out << Markup("<time class=\"quiet\"") << Attribute("datetime", format_time(*line.time)) << Markup(">")
        << Text(moment_text(*line.time, view.now)) << Markup("</time>");
  }
  out << Markup("<br>");
  if (current) {
    out << Markup("<span class=\"soft\">This message</span>");
  } else {
    out << Markup("<a dir=\"auto\"") << Attribute("href", view.address_of(line.ref)) << Markup(">") << html::Prose(excerpt(line))
        << Markup("</a>");
  }
  out << Markup("</li>");
  return out;
}

// Returns the parent record, from a has-many relation and its foreign key.
std::optional<model::RecordRef> parent_of(const RecordView& view) {
  for (const api::StreamView& other : view.stream.source->streams) {
    for (const model::Relationship& relation : other.relationships) {
      const bool here = relation.has_many && relation.stream == view.ref().stream && other.name != view.ref().stream;
      const std::string key = here ? text_of(view.own.data, relation.foreign_key) : std::string();
      if (!key.empty()) return model::RecordRef{view.ref().connection_id, other.name, key};
    }
  }
  return std::nullopt;
}

// For a record without text: its short strings that do not occur in the main record.
std::string short_strings(const RecordView& view, const api::Record& record) {
  std::string texts;
  for (json::Members member(record.data); member.next();) {
    if (member.value().kind != json::Kind::kString) continue;
    const std::string text = json::decode_string(json::raw_content(member.value()));
    const bool is_short = !text.empty() && text.size() <= kSmallText;
    if (!is_short || text == record.ref.record_id || parse_field_time(text) || view.own.data.find(text) != std::string::npos)
      continue;
    texts += (texts.empty() ? "" : ", ") + text;
  }
  return texts.empty() ? "Details" : texts;
}

Result<Writer> related_entry(const RecordView& view, const api::Record& record, const ShownStream& stream) {
  LADDER_TRY(const auto seen, as_seen(view, record, kLineChars));
  Writer out;
  out << Markup("<li class=\"small\">");
  if (!seen) {
    out << withheld(heading_of(record.ref.stream) + ": not shared");
  } else {
    const RecordLine line = line_of(*seen, stream);
    const bool tells = !line.title.empty() && line.title != text_of(view.own.data, view.stream.roles.title);
    const std::string name = tells ? line.title : line.text.empty() ? short_strings(view, *seen) : excerpt(line);
    out << Markup("<a dir=\"auto\"") << Attribute("href", view.address_of(record.ref)) << Markup(">") << html::Prose(name)
        << Markup("</a> <span class=\"quiet\">") << Text(record.ref.stream) << Markup("</span>");
  }
  out << Markup("</li>");
  return out;
}

// Shows the share of the text that was read, or the field names if it was not text.
std::string share_text(const RecordView& view, const server::ShownRecord& shown) {
  std::vector<std::string> names;
  for (const server::ShownField& field : shown.fields) {
    if (field.path == view.stream.roles.text && field.unit == server::Unit::kChars && !field.ranges.empty()) {
      return format("{} of {}", grouped(length_of(field.ranges)), grouped(field.size));
    }
    if (std::ranges::find(names, field.path) == names.end()) names.push_back(field.path);
  }
  if (names.size() > kNamedFields) {
    const std::size_t more = names.size() - kNamedFields;
    names.resize(kNamedFields);
    names.push_back(format("{} more", more));
  }
  return auth::listed(names);
}

}  // namespace

Result<Writer> record_conversation(const RecordView& view) {
  Writer out;
  LADDER_TRY(const auto found, conversation_of(view, {kBefore, kAfter, kLineChars, line_fields(view.stream)}));
  if (!found || found->records.size() < 2) return out;
  out << Markup("<section class=\"card\" aria-labelledby=\"thread\"><div class=\"block-head\"><h2 id=\"thread\">")
      << Text(heading_of(found->word)) << Markup("</h2><span class=\"quiet\">");
  if (found->before || found->after) out << Markup("nearby");
  else out << pages::plural(std::ssize(found->records), "record", "records");
  out << Markup("</span></div><ol class=\"thread\">");
  std::int64_t closed = 0;
  const auto bar = [&] {
    if (closed > 0) {
      out << Markup("<li><span class=\"withheld withheld-l\">") << pages::plural(closed, "record", "records")
          << Markup(": not shared</span></li>");
    }
    closed = 0;
  };
  if (found->before) out << Markup("<li class=\"quiet\">Earlier records not shown</li>");
  for (const api::Record& record : found->records) {
    LADDER_TRY(const auto seen, as_seen(view, record, kLineChars));
    if (!seen) {
      ++closed;
      continue;
    }
    bar();
    out << thread_entry(view, line_of(*seen, view.stream));
  }
  bar();
  if (found->after) out << Markup("<li class=\"quiet\">Later records not shown</li>");
  out << Markup("</ol></section>");
  return out;
}

Result<Writer> record_related(const RecordView& view) {
  Writer entries;
  if (const auto whole = parent_of(view)) {
    const ShownStream* const stream = view.streams.find(*whole);
    api::RecordRequest request;
    request.record = *whole;
    request.max_field_chars = kLineChars;
    const auto record = view.server.reads().record(view.owner, request);
    if (record && stream) {
      LADDER_TRY(const Writer entry, related_entry(view, *record, *stream));
      entries << entry;
    }
  }
  std::size_t lines = 0;
  for (const api::Expansion& expansion : view.own.expanded) {
    for (const api::Record& record : expansion.records) {
      const ShownStream* const stream = view.streams.find(record.ref);
      // Files have their own section, and records that only link others, such as folders of mail, say nothing.
      if (!stream || file_of(record, *stream) || !is_listed({}, *stream) || ++lines > kRelatedLines) continue;
      LADDER_TRY(const Writer entry, related_entry(view, record, *stream));
      entries << entry;
    }
  }
  Writer out;
  if (entries.empty()) return out;
  out << Markup(
             "<section class=\"card stack-2\" aria-labelledby=\"related\"><h2 id=\"related\">Related</h2><ul "
             "class=\"stack-2\">")
      << entries << Markup("</ul></section>");
  return out;
}

Result<Writer> record_seen(const RecordView& view) {
  Writer out;
  if (!view.viewer.is_owner()) return out;
  server::LedgerQuery query;
  query.record = view.ref();
  LADDER_TRY(const auto seen, view.server.ledger().seen(view.owner, query));
  out << Markup(
      "<section class=\"card stack-2\" aria-labelledby=\"seen\"><div class=\"block-head\"><h2 id=\"seen\">Who has seen it</h2>");
  if (!seen.empty()) {
    out << Markup("<a") << Attribute("href", Url::path("/ledger/record").with("id", model::format_record_id(view.ref())))
        << Markup(">In the text</a>");
  }
  out << Markup("</div>");
  if (seen.empty()) out << Markup("<p class=\"small soft\">No app has seen this.</p>");
  for (const server::SeenRecord& one : seen) {
    out << Markup("<p class=\"small row\">") << client_link(view.faces.at(one.client_id))
        << Markup("<span class=\"num row-end quiet\">") << Text(share_text(view, one.shown)) << Markup("</span></p>");
  }
  out << Markup("</section>");
  return out;
}

}  // namespace ladder::console
