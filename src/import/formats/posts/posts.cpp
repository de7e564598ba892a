// Posts, comments, stories, reels and photos of Facebook and Instagram, as JSON or HTML. The members of
// the JSON differ by year and kind of file, so all known ones are looked for in each.
#include "base/text/format.h"
#include "import/formats/format.h"
#include "import/formats/meta/meta_text.h"
#include "import/formats/posts/posts_page.h"
#include "import/formats/posts/posts_record.h"
#include "import/formats/resuming_sink.h"
#include "import/json/json_members.h"
#include "import/json/json_stream.h"
#include "import/text/text.h"
#include "import/tree/path_pattern.h"

#include <algorithm>
#include <array>
#include <set>

namespace ladder::imports {
namespace {

using json::Kind;
using json::Value;
using meta::text_in;
using posts::Post;

struct FileKind {
  std::string_view name;  // in lower case, without its extension
  std::string_view kind;
};
constexpr std::array kFiles = {
    FileKind{"your_posts*", "post"},
    FileKind{"posts_*", "post"},
    FileKind{"your_posts_in_groups*", "post"},
    FileKind{"group_posts*", "post"},
    FileKind{"*check-ins*", "post"},
    FileKind{"archived_posts*", "post"},
    FileKind{"profile_photos*", "photo"},
    FileKind{"your_uncategorized_photos*", "photo"},
    FileKind{"your_photos*", "photo"},
    FileKind{"your_videos*", "video"},
    FileKind{"stories*", "story"},
    FileKind{"reels", "reel"},
    FileKind{"igtv_videos*", "video"},
    FileKind{"comments*", "comment"},
    FileKind{"post_comments*", "comment"},
    FileKind{"reels_comments*", "comment"},
    FileKind{"your_comments_in_groups*", "comment"},
};

std::string_view kind_of(const Entry& entry) {
  if (!entry.has_extension(".json") && !entry.has_extension(".html")) return {};
  const std::string name = lower_ascii(without_extension(entry.name()));
  const auto found = std::ranges::find_if(kFiles, [&](const FileKind& each) { return matches(name, each.name); });
  return found == kFiles.end() ? std::string_view() : found->kind;
}

bool is_posts_file(Tree& tree, EntryNo entry) {
  if (kind_of(tree.entries()[entry]).empty()) return false;
  if (tree.entries()[entry].has_extension(".html")) return posts::is_page(tree, entry);
  const std::string_view head = tree.head(entry);
  const auto has = [&](std::string_view text) { return head.find(text) != std::string_view::npos; };
  if (has("\"creation_timestamp\"") || has("\"label_values\"") || has("\"string_map_data\"")) return true;
  return has("\"timestamp\"") && (has("\"data\"") || has("\"attachments\"") || has("_v2\""));
}

void add(std::vector<std::string>& list, std::string text) {
  if (!text.empty() && std::ranges::find(list, text) == list.end()) list.push_back(std::move(text));
}

// Calls `use` for each element of an array; for the value itself if it is an object.
template <class Use>
void each_object(const Value& value, const Use& use) {
  if (value.kind == Kind::kObject) use(value);
  if (value.kind != Kind::kArray) return;
  for (json::Elements one(value.text); one.next();) {
    if (one.value().kind == Kind::kObject) use(one.value());
  }
}

class PostReader {
 public:
  explicit PostReader(Post& post) : post_(post) {}

  void read(const Value& value) {
    const auto [timestamp, created, title, data, attachments, media, uri, tags, labels, map] =
        members_of<10>(value, {"timestamp", "creation_timestamp", "title", "data", "attachments", "media", "uri", "tags",
                               "label_values", "string_map_data"});
    take_time(timestamp);
    take_time(created);
    // Instagram writes the caption as the title, next to the pictures; Facebook writes a sentence about the post.
    const bool is_caption = media.kind == Kind::kArray || uri.kind == Kind::kString;
    if (is_caption) add(texts_, text_in(title));
    else post_.title = text_in(title);
    if (uri.kind == Kind::kString) add(post_.files, text_in(uri));
    each_object(data, [this](const Value& one) { read_data(one); });
    each_object(attachments, [this](const Value& one) {
      each_object(member_of(one, "data"), [this](const Value& part) { read_data(part); });
    });
    each_object(media, [this](const Value& one) { read_media(one); });
    each_object(tags, [this](const Value& one) { add(post_.people, text_in(one, "name")); });
    each_object(labels, [this](const Value& one) { read_label(text_in(one, "label"), one, 0); });
    if (map.kind == Kind::kObject) {
      for (json::Members one(map.text); one.next();)
        read_label(meta::repaired(json::decode_string(one.raw_name())), one.value(), 0);
    }
    for (const std::string& each : texts_) post_.text.append(post_.text.empty() ? "" : "\n").append(each);
  }

 private:
  static constexpr int kMaxLabelDepth = 8;

  void take_time(const Value& value) {
    if (!post_.at) post_.at = seconds_of(value);
  }

  void read_data(const Value& value) {
    const auto [post, comment, text, media, context, place, updated] =
        members_of<7>(value, {"post", "comment", "text", "media", "external_context", "place", "update_timestamp"});
    add(texts_, text_in(post));
    add(texts_, text_in(text));
    if (comment.kind == Kind::kObject) {
      add(texts_, text_in(comment, "comment"));
      post_.context = text_in(comment, "group");
      take_time(member_of(comment, "timestamp"));
    }
    if (media.kind == Kind::kObject) read_media(media);
    add(texts_, text_in(context, "name"));
    add(post_.links, text_of(context, "url"));
    if (place.kind == Kind::kObject) {
      const std::string name = text_in(place, "name"), address = text_in(place, "address");
      post_.place = name.empty() || address.empty() ? name + address : name + ", " + address;
    }
    if (const auto edited = seconds_of(updated)) post_.edited_at = edited;
  }

  void read_media(const Value& value) {
    add(post_.files, text_in(value, "uri"));
    add(texts_, text_in(value, "description"));
    if (post_.title.empty()) add(texts_, text_in(value, "title"));
    take_time(member_of(value, "creation_timestamp"));
  }

  // The newest files are lists of labels in the owner's language.
  void read_label(const std::string& label, const Value& value, int depth) {
    if (value.kind != Kind::kObject || depth > kMaxLabelDepth) return;
    const auto [text, href, timestamp, timestamp_value, dict, media, vec] =
        members_of<7>(value, {"value", "href", "timestamp", "timestamp_value", "dict", "media", "vec"});
    if (has_text(text)) add(texts_, label.empty() ? text_in(text) : format("{}: {}", label, text_in(text)));
    add(post_.links, text_of(href));
    take_time(timestamp);
    take_time(timestamp_value);
    each_object(media, [this](const Value& one) { read_media(one); });
    each_object(dict, [&](const Value& one) { read_label(text_in(one, "label"), one, depth + 1); });
    each_object(vec, [&](const Value& one) { read_label(label, one, depth + 1); });
  }

  Post& post_;
  std::vector<std::string> texts_;
};

class Posts final : public Format {
 public:
  std::string_view name() const override { return "posts"; }
  std::string_view summary() const override {
    return "posts, comments, stories and photos of Facebook and Instagram (JSON or HTML)";
  }

  std::vector<Unit> detect(Tree& tree, const Request&) const override {
    Unit unit;
    for (EntryNo i = 0; i < tree.entries().size(); ++i) {
      if (is_posts_file(tree, i)) unit.entries.push_back(i);
    }
    if (unit.entries.empty()) return {};
    unit.confidence = Confidence::kLikely;
    unit.what = "posts and comments of Facebook or Instagram";
    unit.part = "posts";
    return {unit};
  }

  Status read(Tree& tree, const Unit& unit, const Request&, std::string_view position, Sink& to) const override {
    ResumingSink sink(to, position);
    posts::PostSender sender(tree, sink);
    for (const EntryNo entry : unit.entries) {
      const Entry& file = tree.entries()[entry];
      const std::string kind(kind_of(file));
      if (file.has_extension(".html")) {
        LADDER_CHECK(posts::read_page(tree, entry, kind, sender, sink));
        continue;
      }
      JsonHandler handler;
      // An array of posts, or an object with such arrays: {"comments_v2": […]}.
      handler.decide = [](const JsonPath& path) {
        return !path.empty() && path.back().empty() ? JsonWalk::kTake : path.size() < 2 ? JsonWalk::kEnter : JsonWalk::kSkip;
      };
      handler.take = [&](const JsonPath&, const Value& value, std::int64_t offset) -> Status {
        if (value.kind != Kind::kObject) return {};
        Post post;
        post.kind = kind;
        PostReader(post).read(value);
        return sender.send(std::move(post), entry, {file.path, offset});
      };
      LADDER_CHECK(stream_json(tree, entry, "post", handler, sink));
    }
    return sink.finish();
  }
};

}  // namespace

const Format& posts_format() {
  static const Posts format;
  return format;
}

}  // namespace ladder::imports
