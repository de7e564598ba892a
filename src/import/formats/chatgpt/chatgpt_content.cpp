#include "import/formats/chatgpt/chatgpt_content.h"

#include "base/text/format.h"
#include "import/json/json_members.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

namespace ladder::imports::chatgpt {
namespace {

using json::Kind;
using json::Value;

void add_line(std::string& text, std::string_view more) {
  if (more.empty()) return;
  if (!text.empty()) text += '\n';
  text += more;
}

// Adds "[image file-service://file-abc, 1024 × 768]" and the prompt that generated the image.
void add_asset(Content& content, std::string_view kind, const Value& part) {
  const auto [pointer, width, height, metadata] = members_of<4>(part, {"asset_pointer", "width", "height", "metadata"});
  const std::string address = text_of(pointer);
  std::string named = format("[{}", kind);
  if (!address.empty()) named += format(" {}", address);
  if (width.kind == Kind::kNumber && height.kind == Kind::kNumber) named += format(", {} × {}", width.text, height.text);
  add_line(content.text, named + "]");
  add_line(content.text, text_of(member_of(metadata, "dalle"), "prompt"));
  if (!address.empty()) content.attachments.push_back(address);
}

void add_part(Content& content, const Value& part) {
  if (part.kind == Kind::kString) return add_line(content.text, text_of(part));
  if (part.kind != Kind::kObject) {
    if (part.kind != Kind::kNull) add_line(content.text, compact(part.text));
    return;
  }
  const std::string type = text_of(part, "content_type");
  if (type == "image_asset_pointer") return add_asset(content, "image", part);
  if (type == "audio_asset_pointer") return add_asset(content, "audio", part);
  if (type == "video_container_asset_pointer") return add_asset(content, "video", part);
  if (type == "real_time_user_audio_video_asset_pointer") {
    return add_asset(content, "audio", member_of(part, "audio_asset_pointer"));
  }
  if (type == "audio_transcription" || type == "text") return add_line(content.text, text_of(part, "text"));
  content.known = false;
  add_line(content.text, format("[{}]", type.empty() ? "something that is not text" : type));
  add_line(content.text, text_of(part, "text"));
}

void add_parts(Content& content, const Value& parts) {
  if (parts.kind != Kind::kArray) return add_part(content, parts);
  for (json::Elements part(parts.text); part.next();) add_part(content, part.value());
}

// Adds the reasoning steps, each a heading and a text.
void add_thoughts(Content& content, const Value& thoughts) {
  if (thoughts.kind != Kind::kArray) return;
  for (json::Elements thought(thoughts.text); thought.next();) {
    add_line(content.text, text_of(thought.value(), "summary"));
    add_line(content.text, text_of(thought.value(), "content"));
  }
}

void add_members(Content& content, const Value& from, const std::vector<std::string_view>& names) {
  for (const std::string_view name : names) add_line(content.text, text_of(from, name));
}

constexpr std::string_view kMarkBegins = "\xEE\x88\x80", kMarkEnds = "\xEE\x88\x81";  // U+E200, U+E201

// Returns the text shown in place of a mark: its own, otherwise the URL of its source.
std::string shown_for(const Value& reference) {
  const auto [alt, url, items] = members_of<3>(reference, {"alt", "url", "items"});
  if (alt.kind == Kind::kString) return text_of(alt);
  std::string address = text_of(url);
  if (items.kind == Kind::kArray) {
    for (json::Elements item(items.text); address.empty() && item.next();) address = text_of(item.value(), "url");
  }
  return address.empty() ? address : format("({})", address);
}

}  // namespace

Content read_content(const Value& value) {
  Content content;
  content.type = text_of(value, "content_type");
  const std::string& type = content.type;
  if (value.kind == Kind::kString) {
    content.type = "text";
    content.text = text_of(value);
  } else if (type == "text" || type == "multimodal_text") {
    add_parts(content, member_of(value, "parts"));
  } else if (type == "code") {
    content.text = text_of(value, "text");
    content.language = text_of(value, "language");
    if (content.language == "unknown") content.language.clear();
  } else if (type == "execution_output") {
    content.text = text_of(value, "text");
  } else if (type == "system_error") {
    add_members(content, value, {"name", "text"});
  } else if (type == "tether_quote") {
    add_members(content, value, {"title", "text"});
    content.url = text_of(value, "url");
  } else if (type == "tether_browsing_display") {
    add_members(content, value, {"summary", "result"});
  } else if (type == "thoughts") {
    add_thoughts(content, member_of(value, "thoughts"));
  } else if (type == "reasoning_recap") {
    content.text = text_of(value, "content");
  } else if (type == "user_editable_context") {
    add_members(content, value, {"user_profile", "user_instructions"});
  } else if (type == "model_editable_context") {
    content.text = text_of(value, "model_set_context");
  } else if (value.kind != Kind::kNull) {
    content.known = false;
    add_members(content, value, {"title", "text", "result", "content", "summary"});
    add_parts(content, member_of(value, "parts"));
  }
  return content;
}

void write_out_references(std::string& text, const Value& references) {
  if (references.kind != Kind::kArray || text.find(kMarkBegins) == std::string::npos) return;
  std::unordered_map<std::string, std::string> shown;
  for (json::Elements one(references.text); one.next();) {
    if (std::string mark = text_of(one.value(), "matched_text"); mark.starts_with(kMarkBegins))
      shown.emplace(std::move(mark), shown_for(one.value()));
  }
  std::string out;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t begin = std::min(rest.find(kMarkBegins), rest.size());
    out += rest.substr(0, begin);
    rest.remove_prefix(begin);
    const std::size_t end = rest.find(kMarkEnds);
    const std::string_view mark = rest.substr(0, end == std::string_view::npos ? rest.size() : end + kMarkEnds.size());
    const auto found = shown.find(std::string(mark));
    out += found == shown.end() ? mark : std::string_view(found->second);
    rest.remove_prefix(mark.size());
  }
  text = std::move(out);
}

bool is_blank(const Value& value) {
  if (value.kind == Kind::kNull) return true;
  const auto [type, parts] = members_of<2>(value, {"content_type", "parts"});
  const std::string name = text_of(type);
  if (name == "code" || name == "execution_output") return !has_text(member_of(value, "text"));
  if (name == "tether_browsing_display" || name == "model_editable_context" || name == "thoughts")
    return read_content(value).text.empty();
  if (name != "text" && name != "multimodal_text") return false;
  if (parts.kind != Kind::kArray) return parts.kind == Kind::kNull;
  for (json::Elements part(parts.text); part.next();) {
    if (part.value().kind != Kind::kNull && part.value().text != "\"\"") return false;
  }
  return true;
}

}  // namespace ladder::imports::chatgpt
