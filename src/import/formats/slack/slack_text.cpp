#include "import/formats/slack/slack_text.h"

#include "base/text/format.h"
#include "import/json/json_members.h"
#include "import/text/text.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace ladder::imports::slack {
namespace {

using json::Kind;
using json::Value;

void add_line(std::string& text, std::string_view more) {
  if (more.empty()) return;
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  text += more;
}

std::string without_entities(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, char>, 3> kEscapes = {{{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}}};
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto found = std::ranges::find_if(kEscapes, [&](const auto& each) { return text.substr(at).starts_with(each.first); });
    if (text[at] != '&' || found == kEscapes.end()) {
      out += text[at++];
      continue;
    }
    out += found->second;
    at += found->first.size();
  }
  return out;
}

std::string link_text(std::string_view url, std::string_view label) {
  constexpr std::string_view kMail = "mailto:";
  const std::string_view shown = url.starts_with(kMail) ? url.substr(kMail.size()) : url;
  if (label.empty() || label == shown || shown.ends_with(format("://{}", label))) return std::string(shown);
  return format("{} ({})", label, shown);
}

std::string mention(char mark, const std::string& name, std::string_view label, std::string_view id) {
  if (!name.empty()) return mark + name;
  return mark + std::string(label.empty() ? id : label);
}

// Converts the text between < and >.
std::string angle_text(std::string_view inside, const Names& names) {
  const std::size_t bar = inside.find('|');
  const std::string_view target = inside.substr(0, bar);
  std::string label = bar == std::string_view::npos ? std::string() : without_entities(inside.substr(bar + 1));
  if (target.starts_with('@')) return mention('@', names.user(target.substr(1)), label, target.substr(1));
  if (target.starts_with('#')) return mention('#', names.channel(target.substr(1)), label, target.substr(1));
  if (!target.starts_with('!')) return link_text(without_entities(target), label);
  if (!label.empty()) return label;  // a group, a date
  const std::string_view name =
      target.substr(1, target.find('^') == std::string_view::npos ? target.size() : target.find('^') - 1);
  return format("@{}", name);
}

// Distinguishes markup from text that a user wrote in <…>: ids and URLs have no spaces before the bar and no line breaks.
bool is_mark_up(std::string_view inside) {
  if (inside.empty() || inside.find('\n') != std::string_view::npos) return false;
  const std::string_view target = inside.substr(0, inside.find('|'));
  return target.find(' ') == std::string_view::npos || target.starts_with('!');
}

std::string text_object(const Value& value, const Names& names) {
  if (value.kind == Kind::kString) return plain_text(text_of(value), names);
  const auto [type, text] = members_of<2>(value, {"type", "text"});
  return text_of(type) == "mrkdwn" ? plain_text(text_of(text), names) : text_of(text);
}

// Converts one element of a line of rich text.
std::string inline_text(const Value& piece, const Names& names) {
  const auto [kind, text, url, user, channel, name, range, group, fallback] =
      members_of<9>(piece, {"type", "text", "url", "user_id", "channel_id", "name", "range", "usergroup_id", "fallback"});
  const std::string type = text_of(kind);
  if (type == "link") return link_text(text_of(url), text_of(text));
  if (type == "user") return mention('@', names.user(text_of(user)), "", text_of(user));
  if (type == "channel") return mention('#', names.channel(text_of(channel)), "", text_of(channel));
  if (type == "emoji") return format(":{}:", text_of(name));
  if (type == "broadcast") return format("@{}", text_of(range));
  if (type == "usergroup") return format("@{}", text_of(group));
  if (type == "date") return text_of(fallback);
  return text_of(text);
}

// Converts lines, lists, quotes and code of rich text. Lists may be nested; json::check has limited the depth.
void add_rich(std::string& out, const Value& element, const Names& names) {
  const auto [kind, style, elements] = members_of<3>(element, {"type", "style", "elements"});
  if (elements.kind != Kind::kArray) return add_line(out, inline_text(element, names));
  const bool is_list = text_of(kind) == "rich_text_list";
  const bool numbered = text_of(style) == "ordered";
  std::string line;
  int number = 0;
  for (json::Elements each(elements.text); each.next();) {
    if (is_list) {
      std::string item;
      add_rich(item, each.value(), names);
      add_line(out, format("{}{}", numbered ? format("{}. ", ++number) : "• ", item));
    } else if (member_of(each.value(), "elements").kind == Kind::kArray) {
      add_line(out, std::exchange(line, {}));
      add_rich(out, each.value(), names);
    } else {
      line += inline_text(each.value(), names);
    }
  }
  add_line(out, line);
}

void add_block(std::string& out, const Value& block, const Names& names) {
  const auto [kind, text, fields, elements, title, alternative] =
      members_of<6>(block, {"type", "text", "fields", "elements", "title", "alt_text"});
  const std::string type = text_of(kind);
  if (type == "rich_text") return add_rich(out, block, names);
  add_line(out, text_object(title, names));
  add_line(out, text_object(text, names));
  if (type == "image") add_line(out, text_of(alternative));
  for (const Value& list : {fields, elements}) {
    if (list.kind != Kind::kArray) continue;
    for (json::Elements each(list.text); each.next();) {
      // Buttons and menus contribute only their labels.
      const Value inner = member_of(each.value(), "text");
      add_line(out, inner.kind == Kind::kObject ? text_object(inner, names) : text_object(each.value(), names));
    }
  }
}

// Returns only letters and digits, to compare texts.
std::string letters(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool kept =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (static_cast<unsigned char>(c) >= 0x80);
    if (kept) out += c;
  }
  return out;
}

// Rich text is what users type, and `text` then has the same content.
bool has_other_than_rich_text(const Value& blocks) {
  for (json::Elements block(blocks.text); block.next();) {
    if (text_of(block.value(), "type") != "rich_text") return true;
  }
  return false;
}

}  // namespace

std::string plain_text(std::string_view text, const Names& names) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t open = std::min(text.find('<'), text.size());
    out += without_entities(text.substr(0, open));
    text.remove_prefix(open);
    if (text.empty()) break;
    const std::size_t close = text.find_first_of("<>", 1);
    const bool closed = close != std::string_view::npos && text[close] == '>';
    if (closed && is_mark_up(text.substr(1, close - 1))) {
      out += angle_text(text.substr(1, close - 1), names);
      text.remove_prefix(close + 1);
    } else {
      out += '<';
      text.remove_prefix(1);
    }
  }
  return out;
}

std::string blocks_text(const Value& blocks, const Names& names) {
  std::string out;
  if (blocks.kind != Kind::kArray) return out;
  for (json::Elements block(blocks.text); block.next();) add_block(out, block.value(), names);
  return out;
}

std::string message_text(const Value& text, const Value& blocks, const Names& names) {
  std::string own = plain_text(text_of(text), names);
  if (blocks.kind != Kind::kArray || (!own.empty() && !has_other_than_rich_text(blocks))) return own;
  std::string more = blocks_text(blocks, names);
  const std::string said = letters(own), added = letters(more);
  if (said.find(added) != std::string::npos) return own.empty() ? more : own;
  if (added.find(said) != std::string::npos) return more;
  add_line(own, more);
  return own;
}

std::string attachments_text(const Value& attachments, const Names& names) {
  std::string out;
  if (attachments.kind != Kind::kArray) return out;
  for (json::Elements each(attachments.text); each.next();) {
    const auto [pretext, author, title, link, text, fields, fallback, from, blocks] = members_of<9>(
        each.value(), {"pretext", "author_name", "title", "title_link", "text", "fields", "fallback", "from_url", "blocks"});
    const std::size_t before = out.size();
    const std::string address = text_of(link).empty() ? text_of(from) : text_of(link),
                      heading = plain_text(text_of(title), names);
    add_line(out, plain_text(text_of(pretext), names));
    add_line(out, text_of(author));
    add_line(out, address.empty() ? heading : link_text(without_token(address), heading));
    add_line(out, message_text(text, blocks, names));
    if (fields.kind == Kind::kArray) {
      for (json::Elements field(fields.text); field.next();) {
        const auto [name, value] = members_of<2>(field.value(), {"title", "value"});
        add_line(out, format("{}: {}", text_of(name), plain_text(text_of(value), names)));
      }
    }
    if (out.size() == before) add_line(out, plain_text(text_of(fallback), names));
  }
  return out;
}

std::string without_token(std::string_view url) {
  const std::size_t query = url.find('?');
  if (query == std::string_view::npos) return std::string(url);
  const std::size_t fragment = std::min(url.find('#', query), url.size());
  std::string kept;
  std::string_view rest = url.substr(query + 1, fragment - query - 1);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view one = rest.substr(0, end);
    const std::size_t equals = std::min(rest.find('='), end);
    const std::string name = lower_ascii(one.substr(0, equals)), value = lower_ascii(one.substr(equals));
    const bool secret = name == "t" || name == "token" || name == "pub_secret" || value.starts_with("=xox");
    if (!secret) kept.append(kept.empty() ? "?" : "&").append(one);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return format("{}{}{}", url.substr(0, query), kept, url.substr(fragment));
}

}  // namespace ladder::imports::slack
