#include "import/formats/posts/posts_record.h"

#include "base/text/format.h"
#include "import/text/mime_type.h"
#include "json/writer.h"

namespace ladder::imports::posts {

Status PostSender::send(Post post, EntryNo home, const wire::FileLocation& place) {
  if (post.text.empty() && post.title.empty() && post.files.empty() && post.links.empty()) {
    return sink_.skipped("posts", "an entry without a text, a file or a link");
  }
  // Titles are sentences in the owner's language, and paths change with the age of the export.
  std::string file_names;
  for (const std::string& path : post.files) {
    file_names += (file_names.empty() ? "" : "\n") + std::string(last_component(path));
  }
  const std::string time = post.at ? format_time(*post.at) : post.date_text;
  const std::string id = ids_.next({post.kind, time, post.text.empty() ? post.title : post.text, file_names});
  json::Writer out;
  out.begin_object().member("id", id);
  optional_time_member(out, "at", post.at);
  out.optional_member("date_text", post.date_text).member("kind", post.kind).optional_member("title", post.title);
  out.optional_member("text", post.text).optional_member("place", post.place).optional_member("group", post.context);
  optional_time_member(out, "edited_at", post.edited_at);
  out.optional_member("links", post.links).optional_member("people", post.people).optional_member("file_names", file_names);
  out.end_object();
  LADDER_CHECK(sink_.record({"posts", out.take(), place, post.at}));
  for (std::size_t i = 0; i < post.files.size(); ++i) {
    const auto entry = find(post.files[i], tree_.entries()[home]);
    if (!entry) continue;
    const std::string_view type = mime_type_of(post.files[i]);
    LADDER_TRY(const std::string reference, store_file(tree_, *entry, type, sink_));
    if (reference.empty()) continue;
    out.begin_object().member("id", format("{}-{}", id, i + 1)).member("post", id);
    out.optional_member("post_text", post.text).member("name", last_component(post.files[i])).member("mime_type", type);
    optional_time_member(out, "at", post.at);
    out.key("blob_ref").raw(reference).end_object();
    LADDER_CHECK(sink_.record({"files", out.take(), place, post.at}));
  }
  return {};
}

// Paths start at the root of the export, which may be in a folder.
std::optional<EntryNo> PostSender::find(const std::string& path, const Entry& home) const {
  if (path.find("://") != std::string::npos) return std::nullopt;
  if (const auto found = tree_.find(path)) return found;
  for (std::string_view folder = home.folder(); !folder.empty(); folder = parent_folder(folder)) {
    if (const auto found = tree_.find(format("{}/{}", folder, path))) return found;
  }
  return std::nullopt;
}

}  // namespace ladder::imports::posts
