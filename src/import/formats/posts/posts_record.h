// The records of posts and of their pictures and videos.
#pragma once

#include "base/time/time.h"
#include "import/formats/record_members.h"
#include "import/io/sink.h"
#include "import/tree/tree.h"

#include <optional>
#include <string>
#include <vector>

namespace ladder::imports::posts {

struct Post {
  std::string kind;  // post, comment, story, reel, photo or video
  std::optional<Instant> at, edited_at;
  std::string title, text, place, context, date_text;
  std::vector<std::string> links, people;
  std::vector<std::string> files;  // paths as written
};

class PostSender {
 public:
  PostSender(Tree& tree, Sink& sink) : tree_(tree), sink_(sink) {}
  // `home` is the file that contains the post. Sends nothing for an empty post.
  Status send(Post post, EntryNo home, const wire::FileLocation& place);

 private:
  std::optional<EntryNo> find(const std::string& path, const Entry& home) const;

  Tree& tree_;
  Sink& sink_;
  DerivedIds ids_;
};

}  // namespace ladder::imports::posts
