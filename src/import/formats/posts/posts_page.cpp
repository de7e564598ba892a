// A page is a sequence of boxes, each with a title, a content and a date in the owner's language and time zone.
#include "import/formats/posts/posts_page.h"

#include "import/formats/flat/flat_value.h"
#include "import/html/html_text.h"
#include "import/io/limits.h"
#include "import/text/text.h"

#include <algorithm>

namespace ladder::imports::posts {
namespace {

// Meta's names of classes: a box, and in it the title, the content and the date.
constexpr std::string_view kBox = "_a6-g", kTitle = "_a6-h", kContent = "_a6-p", kDate = "_a72d";
constexpr std::size_t kSearchedBytes = 256 * limits::kKiB;  // a page begins with a stylesheet
constexpr std::size_t kMaxPageBytes = 64 * limits::kMiB;    // Meta splits pages long before

// Returns the text of the first element of the class up to the next one of the other class, or to the end.
HtmlText text_of(std::string_view box, std::string_view of_class, std::string_view end_class) {
  std::size_t at = box.find(of_class);
  if (at == std::string_view::npos) return {};
  at = std::min(box.find('>', at), box.size() - 1) + 1;
  const std::size_t end = box.find(end_class, at);
  std::string_view inside = box.substr(at, end == std::string_view::npos ? end : end - at);
  if (end != std::string_view::npos) inside = inside.substr(0, inside.rfind('<'));
  return html_to_text(inside, "utf-8");
}

// The sources of the pictures and videos of a box.
std::vector<std::string> sources_in(std::string_view box) {
  std::vector<std::string> found;
  constexpr std::string_view kSource = " src=\"";
  for (std::size_t at = box.find(kSource); at != std::string_view::npos; at = box.find(kSource, at)) {
    at += kSource.size();
    std::string path(box.substr(at, box.find('"', at) - at));
    if (path.find("://") == std::string::npos && std::ranges::find(found, path) == found.end()) found.push_back(std::move(path));
  }
  return found;
}

}  // namespace

bool is_page(Tree& tree, EntryNo entry) {
  const auto bytes = tree.open(entry);
  if (!bytes) return false;
  Pieces pieces(**bytes, kSearchedBytes / 4);
  std::string start;
  while (start.size() < kSearchedBytes) {
    const auto count = pieces.append_to(start);
    if (!count || *count == 0) break;
  }
  return start.find(kBox) != std::string::npos && start.find(kDate) != std::string::npos;
}

Status read_page(Tree& tree, EntryNo entry, const std::string& kind, PostSender& sender, Sink& sink) {
  const Entry& file = tree.entries()[entry];
  const auto bytes = tree.read(entry, kMaxPageBytes);
  if (!bytes) return sink.lost({file.path, -1}, bytes.error().message);
  const std::string valid = replace_invalid(*bytes);
  for (std::size_t begin = valid.find(kBox); begin != std::string::npos;) {
    const std::size_t end = valid.find(kBox, begin + kBox.size());
    const std::string_view box = std::string_view(valid).substr(begin, end == std::string::npos ? end : end - begin);
    Post post;
    post.kind = kind;
    post.title = trim(text_of(box, kTitle, kContent).text);
    HtmlText content = text_of(box, kContent, kDate);
    post.text = trim(content.text);
    post.links = std::move(content.links);
    post.files = sources_in(box);
    post.date_text = trim(text_of(box, kDate, "</").text);
    // The zone is that of the owner, which the page does not say.
    post.at = flat::read_date(post.date_text, "MDY");
    if (!post.at && !post.date_text.empty()) {
      LADDER_CHECK(sink.skipped("posts", "a date in a language that is not read (the post is imported)"));
    }
    LADDER_CHECK(sender.send(std::move(post), entry, {file.path, static_cast<std::int64_t>(begin)}));
    begin = end;
  }
  return {};
}

}  // namespace ladder::imports::posts
