// Text documents of Word (docx): word/document.xml with its notes, headers and comments.
#include "import/office/office_document.h"
#include "import/xml/xml_reader.h"

#include <array>
#include <set>

namespace ladder::imports::office {
namespace {

using Step = XmlReader::Step;

// Formatting, deleted text and the instructions of fields; the second of two forms of one drawing.
constexpr std::array kSkipped = {"pPr", "rPr",      "sectPr",    "tblPr",   "trPr",         "tcPr",    "tblGrid",
                                 "del", "moveFrom", "instrText", "delText", "delInstrText", "Fallback"};

class Reader {
 public:
  Reader(OfficeDocument& document, std::string& text) : document_(document), text_(text) {}

  void read(std::string_view bytes, std::string_view part) {
    BytesInMemory in_memory(bytes);
    XmlReader xml(in_memory);
    for (;;) {
      const auto step = xml.next();
      if (!step || *step == Step::kDone) return;
      if (*step == Step::kDamaged) {
        document_.problems.push_back(std::string(part) + " is damaged: " + xml.why());
        return;
      }
      if (*step == Step::kStart) start(xml);
      else if (*step == Step::kEnd) end(xml.name());
      else if (in_text_) document_.append(text_, xml.text());
    }
  }

 private:
  void start(XmlReader& xml) {
    const std::string_view name = xml.name();
    if (std::ranges::find(kSkipped, name) != kSkipped.end()) static_cast<void>(xml.skip_element());
    else if (name == "t") in_text_ = true;
    else if (name == "tab" || name == "ptab") document_.append(text_, "\t");
    else if (name == "br") document_.append(text_, xml.attribute("type") == "page" ? std::string_view(&kSetBreak, 1) : "\n");
    else if (name == "cr") document_.append(text_, "\n");
    else if (name == "noBreakHyphen") document_.append(text_, "-");
    else if (name == "lastRenderedPageBreak") document_.append(text_, std::string_view(&kLaidOutBreak, 1));
    else if (name == "tc") ++cells_;
  }

  void end(std::string_view name) {
    if (name == "t") in_text_ = false;
    else if (name == "p") document_.append(text_, cells_ > 0 ? " " : "\n");
    else if (name == "tr") document_.append(text_, "\n");
    else if (name == "tc" && cells_ > 0) {
      --cells_;
      document_.append(text_, "\t");
    }
  }

  OfficeDocument& document_;
  std::string& text_;
  bool in_text_ = false;
  int cells_ = 0;
};

}  // namespace

void read_word(Package& package, const std::string& main_part, OfficeDocument& document) {
  const auto bytes = package.read(main_part);
  if (!bytes) {
    document.refused = bytes.error().message;
    return;
  }
  std::string text;
  Reader(document, text).read(*bytes, "the text");
  static constexpr std::array kMore = {"footnotes", "endnotes", "comments", "header", "footer"};
  std::set<std::string> seen;  // headers repeat for every section
  for (const std::string_view kind : kMore) {
    for (const auto& [id, related] : package.relationships_of(main_part)) {
      if (related.kind != kind) continue;
      const auto part = package.read(related.target);
      std::string more;
      if (part) Reader(document, more).read(*part, related.target);
      else document.problems.push_back(part.error().message);
      std::erase_if(more, [](char c) { return c == kLaidOutBreak || c == kSetBreak; });
      if (more.find_first_not_of(" \t\n") != std::string::npos && seen.insert(more).second) text += "\n" + more;
    }
  }
  split_pages(document, std::move(text));
}

}  // namespace ladder::imports::office
