// A message as a bubble among its neighbors, grouped by day and author. Other messages are shortened and lead to their own page.
#include "auth/text_formatting.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "console/explore/conversation.h"
#include "console/parts.h"
#include "console/reading/markdown.h"
#include "console/reading/names.h"
#include "json/scan/scan.h"

#include <algorithm>

namespace ladder::console {
namespace {

constexpr std::int64_t kBefore = 12, kAfter = 12;
constexpr std::int64_t kBubbleChars = 1'200;  // of a neighbor
constexpr std::int64_t kFieldChars = 16'384;

// The text of a message without an author, such as "Nora joined".
std::string notice_of(const ShownStream& stream, const api::Record& record) {
  for (const api::FieldView* field : fields_with_role(*stream.stream, kDetailRole)) {
    if (std::string text = text_of(record.data, field->name); !text.empty()) return text;
  }
  return "No text";
}

// The names of attached files.
std::string attachments_of(const ShownStream& stream, const api::Record& record) {
  std::string names;
  for (const api::FieldView* field : fields_with_role(*stream.stream, "attachments")) {
    const auto value = json::member(record.data, field->name);
    if (value && value->kind == json::Kind::kString) names += json::decode_string(json::raw_content(*value));
    if (!value || value->kind != json::Kind::kArray) continue;
    for (json::Elements element(value->text); element.next();) {
      if (element.value().kind != json::Kind::kString) continue;
      names += (names.empty() ? "" : ", ") + json::decode_string(json::raw_content(element.value()));
    }
  }
  return names;
}

class Bubbles {
 public:
  Bubbles(const RecordView& view, Reading& reading, Matches& matches) : view_(view), reading_(reading), matches_(matches) {}

  Status add(const api::Record& record) {
    LADDER_TRY(const auto seen, as_seen(view_, record, kFieldChars));
    if (!seen) {
      out_ << Markup("<li>") << withheld("1 message: not shared") << Markup("</li>");
      author_.clear();
      return {};
    }
    return write(*seen);
  }

  Status write(const api::Record& record) {
    const RecordLine line = line_of(record, view_.stream);
    start_day(line);
    const bool is_current = record.ref == view_.ref();
    if (!is_current && line.author.empty() && line.text.empty()) {
      out_ << Markup("<li class=\"gap\">") << Text(notice_of(view_.stream, record)) << Markup("</li>");
      author_.clear();
      return {};
    }
    const bool same = !line.author.empty() && line.author == author_;
    author_ = line.author;
    LADDER_TRY(const Writer inside, content(record, line, is_current));
    out_ << (same ? Markup("<li class=\"said same\"") : Markup("<li class=\"said\""))
         << (is_current ? Markup(" id=\"here\" aria-current=\"true\">") : Markup(">"));
    if (same) out_ << Markup("<span></span>");
    else out_ << avatar(mailbox_of(line.author).name, "avatar-s");
    out_ << (is_current ? Markup("<div class=\"bubble hit\">") : Markup("<div class=\"bubble\">")) << by(line, same) << inside
         << clock(record, line, is_current) << Markup("</div></li>\n");
    return {};
  }

  Writer take() { return std::move(out_); }
  RecordText take_text() { return std::move(text_); }

 private:
  void start_day(const RecordLine& line) {
    const Instant day = line.time ? local_midnight(*line.time) : 0;
    if (!line.time || day == day_) return;
    day_ = day;
    author_.clear();
    out_ << Markup("<li class=\"day\">") << Text(auth::day_text(as_local(*line.time))) << Markup("</li>");
  }

  Writer by(const RecordLine& line, bool same) const {
    Writer out;
    if (same || line.author.empty()) return out;
    const std::string name = mailbox_of(line.author).name;
    Writer label;
    label << Text(name);
    out << Markup("<b class=\"by\"") << Attribute("data-field", view_.stream.roles.author) << Markup("><bdi>")
        << person_link(view_, name, label) << Markup("</bdi></b>");
    return out;
  }

  Writer clock(const api::Record& record, const RecordLine& line, bool is_current) const {
    Writer out;
    if (!line.time) return out;
    out << Markup("<time") << Attribute("datetime", format_time(*line.time)) << Markup(">");
    if (!is_current) out << Markup("<a") << Attribute("href", view_.address_of(record.ref).at("here")) << Markup(">");
    out << Text(clock_text(*line.time).substr(0, 5)) << (is_current ? Markup("</time>") : Markup("</a></time>"));
    return out;
  }

  Result<Writer> content(const api::Record& record, const RecordLine& line, bool is_current) {
    Writer out;
    LADDER_TRY(const Writer file, attached(record, is_current));
    out << file;
    if (is_current) {
      LADDER_TRY(text_, record_text(view_, reading_, matches_));
      out << text_.html;
      text_.html = {};
    } else if (!line.text.empty()) {
      out << excerpt(record, line);
    }
    return out;
  }

  Writer excerpt(const api::Record& record, const RecordLine& line) {
    const std::string& field = view_.stream.roles.text;
    const std::string_view shown = utf8::slice(line.text, 0, kBubbleChars);
    Matches::In found = matches_.in(field, shown);
    Writer out;
    if (is_markdown(view_.stream, record.data, field)) out << markdown(shown, found);
    else out << Markup("<div class=\"body\" dir=\"auto\">") << found.part(shown) << Markup("</div>");
    if (shown.size() < line.text.size()) {
      out << Markup("<p><a") << Attribute("href", view_.address_of(record.ref).at("here")) << Markup(">Show all</a></p>");
    }
    return out;
  }

  // The picture of a message, or the names of its files. The files of the current message have their own section.
  Result<Writer> attached(const api::Record& record, bool is_current) const {
    Writer out;
    if (is_current) return out;
    const auto file = file_of(record, view_.stream);
    const std::string names = attachments_of(view_.stream, record);
    const auto picture = file ? is_shown(view_, *file) : Result<bool>(false);
    if (!picture && picture.error().http_status() >= 500) return std::unexpected(picture.error());
    if (picture.value_or(false)) {
      out << Markup("<img class=\"thumb-said\" loading=\"lazy\"")
          << Attribute("src", file_address(view_, record.ref).with("look", "1"))
          << Attribute("alt", names.empty() ? "Picture" : names) << Markup(">");
    } else if (!names.empty()) {
      out << Markup("<p class=\"row small\">") << icon(Icon::kFile) << Markup("<span dir=\"auto\">") << Text(names)
          << Markup("</span></p>");
    }
    return out;
  }

  const RecordView& view_;
  Reading& reading_;
  Matches& matches_;
  Writer out_;
  RecordText text_;
  Instant day_ = -1;
  std::string author_;  // of the previous message
};

Writer more_link(const RecordView& view, const api::Record& record, Markup label) {
  Writer out;
  out << Markup("<p class=\"gap\"><a") << Attribute("href", view.address_of(record.ref).at("here")) << Markup(">") << label
      << Markup("</a></p>");
  return out;
}

}  // namespace

Result<RecordChat> record_chat(const RecordView& view, Reading& reading, Matches& matches) {
  LADDER_TRY(auto found, conversation_of(view, {kBefore, kAfter, kFieldChars, {}}));
  const auto is_here = [&](const api::Record& record) { return record.ref == view.ref(); };
  // A record without a time has no place among the others.
  const bool has_place = found && std::ranges::any_of(found->records, is_here);
  Bubbles bubbles(view, reading, matches);
  if (!has_place) {
    LADDER_CHECK(bubbles.add(view.own));
  } else {
    for (const api::Record& record : found->records) LADDER_CHECK(bubbles.add(record));
  }
  RecordChat chat{{}, bubbles.take_text()};
  chat.html << Markup("<div class=\"chat\">");
  if (has_place && found->before) chat.html << more_link(view, found->records.front(), "Show earlier messages");
  chat.html << Markup("<ol class=\"bubbles\">") << bubbles.take() << Markup("</ol>");
  if (has_place && found->after) chat.html << more_link(view, found->records.back(), "Show later messages");
  chat.html << Markup("</div>");
  return chat;
}

}  // namespace ladder::console
