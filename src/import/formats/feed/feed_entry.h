// One entry of a feed, from RSS or Atom.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"
#include "import/xml/xml_reader.h"

#include <optional>
#include <string>
#include <vector>

namespace ladder::imports {

struct FeedEntry {
  std::string guid, url, title, author;
  std::string text;  // of the content, else of the summary
  std::optional<Instant> published, updated;
  std::vector<std::string> tags, links;
  std::vector<std::string> files;  // URLs of enclosures, such as the sound of a podcast
};

// Reads the element that just started. Returns false if the file is damaged before its end.
Result<bool> read_feed_entry(XmlReader& xml, bool is_atom, FeedEntry& entry);

// Reads the element of an author that just started: the name of a person, with Atom in an element of its own.
Result<std::string> read_feed_author(XmlReader& xml);

// Returns the text with single spaces.
std::string one_line(std::string_view text);

}  // namespace ladder::imports
