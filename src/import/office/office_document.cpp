#include "import/office/office_document.h"

#include "import/text/text.h"
#include "import/xml/xml_reader.h"

#include <algorithm>

namespace ladder::imports::office {

void OfficeDocument::append(std::string& to, std::string_view text) {
  // A little more than is kept, so that the cut is noticed.
  constexpr std::size_t kMaxBytes = limits::kMaxPdfTextBytes + limits::kMiB;
  const std::string_view part = text.substr(0, kMaxBytes - std::min(kMaxBytes, bytes_));
  to += part.size() == text.size() ? text : beginning(text, part.size());
  bytes_ += part.size();
}

void split_pages(OfficeDocument& document, std::string text) {
  const bool is_laid_out = text.find(kLaidOutBreak) != std::string::npos;
  const char end = is_laid_out ? kLaidOutBreak : kSetBreak;
  if (is_laid_out) std::erase(text, kSetBreak);
  const bool has_pages = text.find(end) != std::string::npos;
  document.page_kind = has_pages ? "page" : "";
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t next = std::min(text.find(end, at), text.size());
    document.pages.push_back({{}, text.substr(at, next - at)});
    at = next + 1;
  }
}

void read_properties(Package& package, std::string_view part, OfficeDocument& document) {
  if (part.empty()) return;
  const auto bytes = package.read(part);
  if (!bytes) return;
  constexpr std::size_t kMaxValueBytes = 1024;
  BytesInMemory in_memory(*bytes);
  XmlReader xml(in_memory);
  for (;;) {
    const auto step = xml.next();
    if (!step || *step == XmlReader::Step::kDone || *step == XmlReader::Step::kDamaged) return;
    if (*step != XmlReader::Step::kStart) continue;
    const std::string name(xml.name());
    const auto take = [&](std::string& to, bool joins = false) {
      auto value = xml.take_text(kMaxValueBytes);
      if (!value || trim(*value).empty()) return;
      if (to.empty()) to = trim(*value);
      else if (joins && to.size() < kMaxValueBytes) to += ", " + std::string(trim(*value));
    };
    if (name == "title") take(document.title);
    else if (name == "creator") take(document.author, true);
    else if (name == "initial-creator" && document.author.empty()) take(document.author);
    else if (name == "subject" || name == "description") take(document.subject);
    else if (name == "keywords" || name == "keyword") take(document.keywords, true);
    else if (name == "created" || name == "creation-date") take(document.created);
    else if (name == "modified" || name == "date") take(document.modified);
  }
}

}  // namespace ladder::imports::office
