// Books (EPUB): the chapters in the order of the spine, read as HTML.
#include "import/office/office_document.h"

#include "base/text/format.h"
#include "import/html/html_text.h"
#include "import/text/text.h"
#include "import/xml/xml_reader.h"

#include <set>

namespace ladder::imports::office {
namespace {

using Step = XmlReader::Step;

constexpr std::size_t kMaxChapters = 50'000;

void each_start(std::string_view bytes, const auto& use) {
  BytesInMemory in_memory(bytes);
  XmlReader xml(in_memory);
  for (;;) {
    const auto step = xml.next();
    if (!step || *step == Step::kDone || *step == Step::kDamaged) return;
    if (*step == Step::kStart) use(xml);
  }
}

struct Spine {
  std::map<std::string, std::string> parts;  // by id
  std::vector<std::string> order, aside;     // ids; `aside` are not in the line of reading
  std::string navigation;                    // the id of the table of contents
};

Spine read_spine(std::string_view opf_name, std::string_view opf) {
  Spine spine;
  each_start(opf, [&](XmlReader& xml) {
    if (xml.name() == "item") {
      const std::string id(xml.attribute("id"));
      if (xml.attribute("properties").find("nav") != std::string_view::npos) spine.navigation = id;
      spine.parts.try_emplace(id, part_path(opf_name, xml.attribute("href")));
    } else if (xml.name() == "itemref" && spine.order.size() + spine.aside.size() < kMaxChapters) {
      (xml.attribute("linear") == "no" ? spine.aside : spine.order).emplace_back(xml.attribute("idref"));
    }
  });
  spine.order.insert(spine.order.end(), spine.aside.begin(), spine.aside.end());
  return spine;
}

}  // namespace

void read_book(Package& package, OfficeDocument& document) {
  document.page_kind = "chapter";
  std::string opf_name;
  if (const auto container = package.read("META-INF/container.xml")) {
    each_start(*container, [&](XmlReader& xml) {
      if (xml.name() == "rootfile" && opf_name.empty()) opf_name = part_path("", xml.attribute("full-path"));
    });
  }
  const auto opf = package.read(opf_name);
  if (!opf) {
    document.refused = "it is a damaged book: its list of chapters is missing";
    return;
  }
  std::set<std::string> locked;  // fonts are often listed, which is no copy protection
  if (const auto encryption = package.read("META-INF/encryption.xml")) {
    each_start(*encryption, [&](XmlReader& xml) {
      if (xml.name() == "CipherReference") locked.insert(part_path("", xml.attribute("URI")));
    });
  }
  read_properties(package, opf_name, document);
  const Spine spine = read_spine(opf_name, *opf);
  std::size_t locked_chapters = 0;
  for (const std::string& id : spine.order) {
    const auto found = spine.parts.find(id);
    if (found == spine.parts.end() || id == spine.navigation) continue;
    OfficeDocument::Page page;
    if (locked.contains(found->second)) {
      ++locked_chapters;
    } else if (const auto bytes = package.read(found->second)) {
      HtmlText html = html_to_text(*bytes);
      if (html.title != document.title) page.name = std::move(html.title);
      document.append(page.text, html.text);
    } else {
      document.problems.push_back(format("chapter {} cannot be read: {}", document.pages.size() + 1, bytes.error().message));
    }
    document.pages.push_back(std::move(page));
  }
  if (document.pages.empty()) document.refused = "it is a damaged book: it has no chapters";
  else if (locked_chapters == document.pages.size()) document.refused = "it is copy protected (DRM)";
  else if (locked_chapters > 0) document.problems.push_back(format("{} chapters are copy protected (DRM)", locked_chapters));
}

}  // namespace ladder::imports::office
