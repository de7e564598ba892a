#include "import/formats/feed/feed_entry.h"

#include "base/text/format.h"
#include "import/formats/mail/mail_date.h"
#include "import/html/html_text.h"
#include "import/io/limits.h"
#include "import/text/text.h"

#include <algorithm>

namespace ladder::imports {
namespace {

using Step = XmlReader::Step;

constexpr std::size_t kMaxValueBytes = 4 * limits::kKiB;  // of a title, an author or an address
constexpr std::size_t kMaxValues = 1000;                  // tags or enclosures of an entry

// "Tue, 03 Jun 2003 09:39:21 GMT" in RSS, "2003-06-03T09:39:21Z" in Atom; many feeds mix them.
std::optional<Instant> time_of(std::string_view text) {
  text = trim(text);
  if (const auto time = parse_field_time(text)) return time;
  const auto date = mail::parse_mail_date(text);
  return date ? std::optional(date->time) : std::nullopt;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') out += "&lt;";
    else if (c == '&') out += "&amp;";
    else if (c == '"') out += "&quot;";
    else out += c;
  }
  return out;
}

class EntryReader {
 public:
  EntryReader(XmlReader& xml, bool is_atom, FeedEntry& entry) : xml_(xml), is_atom_(is_atom), entry_(entry) {}

  Result<bool> read() {
    for (const std::size_t begin = xml_.depth();;) {
      LADDER_TRY(const Step step, xml_.next());
      if (step == Step::kDone || step == Step::kDamaged) return false;
      if (step == Step::kEnd && xml_.depth() <= begin) break;
      if (step == Step::kStart) LADDER_CHECK(element());
    }
    const Value& body = content_.text.empty() ? summary_ : content_;
    if (body.is_html) {
      HtmlText page = html_to_text(body.text, "utf-8");
      entry_.text = std::move(page.text);
      entry_.links = std::move(page.links);
    } else {
      entry_.text = std::string(trim(body.text));
    }
    if (!entry_.published) entry_.published = entry_.updated;
    return true;
  }

 private:
  struct Value {
    std::string text;
    bool is_html = false;
  };

  Status element() {
    const std::string name(xml_.name());
    if (name == "link") return link();
    if (name == "enclosure") return enclosure();
    if (name == "category") return category();
    if (name == "title") return title();
    if (name == "group") return {};  // of Media RSS: its elements are those of the entry
    if (name == "encoded" || (name == "content" && xml_.attribute("url").empty())) return value(content_, name == "content");
    if (name == "description" || name == "summary") return value(summary_, true);
    if (name == "author" || name == "creator") {
      LADDER_TRY(const std::string author, read_feed_author(xml_));
      if (entry_.author.find(author) == std::string::npos && entry_.author.size() < kMaxValueBytes)
        entry_.author += (entry_.author.empty() ? "" : ", ") + author;
      return {};
    }
    if (name == "guid" || name == "id") return text(entry_.guid);
    if (name == "pubDate" || name == "published" || name == "issued" || name == "date") return time(entry_.published);
    if (name == "updated" || name == "modified") return time(entry_.updated);
    if (name == "subject") return tag();
    return xml_.skip_element();
  }

  // The first element of a name counts: extensions repeat some.
  Status text(std::string& into) {
    LADDER_TRY(const std::string taken, xml_.take_text(kMaxValueBytes));
    if (into.empty()) into = one_line(taken);
    return {};
  }

  Status time(std::optional<Instant>& into) {
    LADDER_TRY(const std::string taken, xml_.take_text(kMaxValueBytes));
    if (!into) into = time_of(taken);
    return {};
  }

  Status link() {
    const std::string rel = lower_ascii(xml_.attribute("rel"));
    std::string url(xml_.attribute("href"));
    LADDER_TRY(const std::string taken, xml_.take_text(kMaxValueBytes));
    if (url.empty()) url = taken;
    url = one_line(beginning(url, kMaxValueBytes));
    if (rel == "enclosure") add(entry_.files, url);
    else if ((rel.empty() || rel == "alternate") && entry_.url.empty()) entry_.url = url;
    return {};
  }

  Status enclosure() {
    add(entry_.files, one_line(beginning(xml_.attribute("url"), kMaxValueBytes)));
    return xml_.skip_element();
  }

  Status category() {
    const std::string label(xml_.attribute(xml_.attribute("label").empty() ? "term" : "label"));
    if (label.empty()) return tag();
    add(entry_.tags, one_line(beginning(label, kMaxValueBytes)));
    return xml_.skip_element();
  }

  Status tag() {
    LADDER_TRY(const std::string taken, xml_.take_text(kMaxValueBytes));
    add(entry_.tags, one_line(taken));
    return {};
  }

  static void add(std::vector<std::string>& values, std::string value) {
    const bool is_new = !value.empty() && std::ranges::find(values, value) == values.end();
    if (is_new && values.size() < kMaxValues) values.push_back(std::move(value));
  }

  // Titles are plain text, but many feeds write HTML.
  Status title() {
    Value found;
    LADDER_CHECK(value(found, true));
    if (!entry_.title.empty()) return {};
    const bool has_markup = found.is_html && found.text.find_first_of("<&") != std::string::npos;
    const std::string whole = has_markup ? html_to_text(found.text, "utf-8").text : found.text;
    entry_.title = one_line(beginning(replace_invalid(whole), kMaxValueBytes));
    return {};
  }

  // `has_type`: an Atom element names its type, and is plain text without one.
  Status value(Value& into, bool has_type) {
    const std::string type = has_type ? lower_ascii(xml_.attribute("type")) : "";
    Value found;
    if (type == "xhtml") {
      LADDER_TRY(found.text, markup());
      found.is_html = true;
    } else {
      LADDER_TRY(found.text, xml_.take_text(limits::kMaxTextBytes));
      found.is_html = !is_atom_ || type == "html" || type == "text/html";
    }
    if (into.text.empty()) into = std::move(found);
    return {};
  }

  // The elements inside the one that just started, as HTML.
  Result<std::string> markup() {
    std::string html;
    for (const std::size_t begin = xml_.depth();;) {
      LADDER_TRY(const Step step, xml_.next());
      if (step == Step::kDone || step == Step::kDamaged || (step == Step::kEnd && xml_.depth() <= begin)) return html;
      if (html.size() > limits::kMaxTextBytes) continue;
      const std::string name(xml_.name());
      const bool is_void = name == "br" || name == "img" || name == "hr";
      if (step == Step::kText) html += escaped(xml_.text());
      else if (step == Step::kEnd && !is_void) html += format("</{}>", name);
      else if (step == Step::kStart && name == "a") html += format("<a href=\"{}\">", escaped(xml_.attribute("href")));
      else if (step == Step::kStart) html += format("<{}>", name);
    }
  }

  XmlReader& xml_;
  const bool is_atom_;
  FeedEntry& entry_;
  Value content_, summary_;
};

}  // namespace

std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : trim(text)) {
    const bool is_space = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    if (!is_space) out += c;
    else if (!out.ends_with(' ')) out += ' ';
  }
  return out;
}

Result<bool> read_feed_entry(XmlReader& xml, bool is_atom, FeedEntry& entry) { return EntryReader(xml, is_atom, entry).read(); }

Result<std::string> read_feed_author(XmlReader& xml) {
  std::string name, text;
  for (const std::size_t begin = xml.depth();;) {
    LADDER_TRY(const Step step, xml.next());
    if (step == Step::kDone || step == Step::kDamaged || (step == Step::kEnd && xml.depth() <= begin)) break;
    if (step == Step::kText && text.size() < kMaxValueBytes) text += beginning(xml.text(), kMaxValueBytes);
    if (step != Step::kStart) continue;
    const bool is_name = xml.name() == "name";
    LADDER_TRY(const std::string taken, xml.take_text(kMaxValueBytes));
    if (is_name && name.empty()) name = taken;
  }
  return one_line(name.empty() ? text : name);
}

}  // namespace ladder::imports
