// RSS (0.9x to 2.0, and 1.0 with RDF) and Atom feeds: one record per entry. A feed lists only its newest entries.
#include "base/text/format.h"
#include "import/formats/feed/feed_entry.h"
#include "import/formats/format.h"
#include "import/formats/record_members.h"
#include "import/formats/resuming_sink.h"
#include "import/text/text.h"
#include "json/writer.h"

namespace ladder::imports {
namespace {

using Step = XmlReader::Step;

constexpr std::size_t kMaxTitleBytes = 1000;

bool is_feed(std::string_view head) {
  return head.find("<rss") != std::string_view::npos || head.find("http://www.w3.org/2005/Atom") != std::string_view::npos ||
         head.find("http://purl.org/rss/1.0/") != std::string_view::npos ||
         head.find("http://purl.org/atom/ns#") != std::string_view::npos;
}

class Reader {
 public:
  Reader(Tree& tree, EntryNo entry, Sink& sink) : tree_(tree), number_(entry), file_(tree.entries()[entry]), sink_(sink) {}

  Status run() {
    auto bytes = tree_.open(number_);
    if (!bytes) return sink_.lost({file_.path, -1}, bytes.error().message);
    XmlReader xml(**bytes);
    for (;;) {
      const auto step = xml.next();
      if (!step) {
        if (step.error().code == Code::kCancelled) return std::unexpected(step.error());
        return sink_.lost({file_.path, -1}, step.error().message);
      }
      if (*step == Step::kDone) return {};
      if (*step == Step::kDamaged) return sink_.lost({file_.path, xml.offset()}, format("the rest of the feed: {}", xml.why()));
      if (*step == Step::kStart) LADDER_CHECK(element(xml));
    }
  }

 private:
  Status element(XmlReader& xml) {
    const std::string name(xml.name());
    if (name == "item" || name == "entry") {
      const std::int64_t offset = xml.offset();
      FeedEntry entry;
      LADDER_TRY(const bool is_whole, read_feed_entry(xml, name == "entry", entry));
      if (!is_whole) return {};  // the next step says why
      if (entry.author.empty()) entry.author = author_;
      return send(entry, {file_.path, offset});
    }
    if (name == "title" && title_.empty()) {
      LADDER_TRY(const std::string text, xml.take_text(kMaxTitleBytes));
      title_ = one_line(text);
      return {};
    }
    if (name == "author" && xml.depth() == 2) {  // of an Atom feed: entries without one inherit it
      LADDER_TRY(author_, read_feed_author(xml));
      return {};
    }
    const bool has_entries = name == "rss" || name == "feed" || name == "RDF" || name == "channel";
    return has_entries ? Status{} : xml.skip_element();
  }

  Status send(const FeedEntry& entry, const wire::FileLocation& place) {
    const std::string time_text = entry.published ? format_time(*entry.published) : "";
    const std::string identity = !entry.guid.empty()  ? entry.guid
                                 : !entry.url.empty() ? entry.url
                                                      : entry.title + "\n" + time_text;
    if (entry.title.empty() && entry.text.empty() && entry.url.empty())
      return sink_.skipped("entries", "an entry without a title, a text and a link");
    json::Writer out;
    out.begin_object().member("id", digest_id({identity})).optional_member("title", entry.title);
    out.optional_member("feed", title_).optional_member("author", entry.author);
    optional_time_member(out, "published_at", entry.published);
    optional_time_member(out, "updated_at", entry.updated);
    out.optional_member("text", entry.text).optional_member("url", entry.url).optional_member("tags", entry.tags);
    out.optional_member("links", entry.links).optional_member("files", entry.files);
    out.optional_member("guid", entry.guid).end_object();
    return sink_.record({"entries", out.take(), place, entry.published});
  }

  Tree& tree_;
  EntryNo number_;
  const Entry& file_;
  Sink& sink_;
  std::string title_, author_;  // of the feed
};

class Feed final : public Format {
 public:
  std::string_view name() const override { return "feed"; }
  std::string_view summary() const override { return "RSS and Atom feeds (.rss, .atom, .xml)"; }

  std::vector<Unit> detect(Tree& tree, const Request& request) const override {
    std::vector<Unit> units;
    for (EntryNo i = 0; i < tree.entries().size(); ++i) {
      const Entry& entry = tree.entries()[i];
      const bool may_be = request.forced || entry.has_extension(".rss") || entry.has_extension(".atom") ||
                          entry.has_extension(".rdf") || entry.has_extension(".xml");
      if (!may_be || !is_feed(tree.head(i))) continue;
      Unit& unit = units.emplace_back();
      unit.confidence = Confidence::kCertain;
      unit.what = "a feed";
      unit.account = std::string(without_extension(entry.name()));
      unit.entries = {i};
    }
    return units;
  }

  Status read(Tree& tree, const Unit& unit, const Request&, std::string_view position, Sink& to) const override {
    ResumingSink sink(to, position);
    for (const EntryNo entry : unit.entries) LADDER_CHECK(Reader(tree, entry, sink).run());
    return sink.finish();
  }
};

}  // namespace

const Format& feed_format() {
  static const Feed format;
  return format;
}

}  // namespace ladder::imports
