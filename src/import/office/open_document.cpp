// OpenDocument files: text (odt), spreadsheets (ods) and presentations (odp), all in content.xml.
#include "import/office/office_document.h"

#include "base/text/number.h"
#include "import/text/text.h"
#include "import/xml/xml_reader.h"

#include <array>

namespace ladder::imports::office {
namespace {

using Step = XmlReader::Step;

constexpr std::array kSkipped = {"annotation",       "tracked-changes", "sequence-decls",  "note-citation",
                                 "automatic-styles", "scripts",         "font-face-decls", "forms"};
constexpr std::int64_t kMaxSpaces = 80;

class Reader {
 public:
  explicit Reader(OfficeDocument& document) : document_(document) {}

  void read(std::string_view bytes) {
    BytesInMemory in_memory(bytes);
    XmlReader xml(in_memory);
    for (;;) {
      const auto step = xml.next();
      if (!step || *step == Step::kDone) break;
      if (*step == Step::kDamaged) {
        document_.problems.push_back("the text is damaged: " + xml.why());
        break;
      }
      if (*step == Step::kStart) start(xml);
      else if (*step == Step::kEnd) end(xml.name());
      else if (in_paragraph_ > 0) append_spaced(xml.text());
    }
    if (is_text_) split_pages(document_, std::move(text_));
    else if (document_.pages.empty() && document_.problems.empty()) document_.refused = "it has no pages";
  }

 private:
  // White space in the file is one blank.
  void append_spaced(std::string_view text) {
    std::string clean;
    for (const char c : text) {
      const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
      if (!blank) clean += c;
      else if (!clean.ends_with(' ')) clean += ' ';
    }
    add(clean);
  }
  void add(std::string_view text) { document_.append(text_, text); }

  void start(XmlReader& xml) {
    const std::string_view name = xml.name();
    if (std::ranges::find(kSkipped, name) != kSkipped.end()) {
      static_cast<void>(xml.skip_element());
    } else if (name == "p" || name == "h") {
      ++in_paragraph_;
    } else if (name == "s") {
      add(std::string(
          static_cast<std::size_t>(std::clamp<std::int64_t>(parse_number(xml.attribute("c")).value_or(1), 1, kMaxSpaces)), ' '));
    } else if (name == "tab") {
      add("\t");
    } else if (name == "line-break") {
      add("\n");
    } else if (name == "soft-page-break") {
      add(std::string_view(&kLaidOutBreak, 1));
    } else if (name == "table-cell" || name == "covered-table-cell") {
      ++cells_;
    } else if (name == "spreadsheet") {
      document_.page_kind = "sheet";
      is_text_ = false;
    } else if (name == "presentation" || name == "drawing") {
      document_.page_kind = "slide";
      is_text_ = false;
    } else if ((name == "table" && document_.page_kind == "sheet") || (name == "page" && document_.page_kind == "slide")) {
      page_name_ = xml.attribute("name");
    }
  }

  void end(std::string_view name) {
    if (name == "p" || name == "h") {
      if (in_paragraph_ > 0) --in_paragraph_;
      add(cells_ > 0 ? " " : "\n");
    } else if (name == "table-cell" || name == "covered-table-cell") {
      if (cells_ > 0) --cells_;
      while (text_.ends_with(' ')) text_.pop_back();
      add("\t");
    } else if (name == "table-row") {
      while (text_.ends_with('\t')) text_.pop_back();  // empty cells up to the end of the sheet
      add("\n");
    } else if ((name == "table" && document_.page_kind == "sheet") || (name == "page" && document_.page_kind == "slide")) {
      document_.pages.push_back({std::move(page_name_), std::exchange(text_, {})});
      page_name_.clear();
    }
  }

  OfficeDocument& document_;
  std::string text_, page_name_;
  bool is_text_ = true;
  int in_paragraph_ = 0, cells_ = 0;
};

}  // namespace

void read_open_document(Package& package, OfficeDocument& document) {
  const auto manifest = package.read("META-INF/manifest.xml");
  if (manifest && manifest->find("encryption-data") != std::string::npos) {
    document.refused = "it is encrypted and needs a password";
    return;
  }
  const auto bytes = package.read("content.xml");
  if (!bytes) {
    document.refused = bytes.error().message;
    return;
  }
  read_properties(package, "meta.xml", document);
  Reader(document).read(*bytes);
}

}  // namespace ladder::imports::office
