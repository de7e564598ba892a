// Presentations of PowerPoint (pptx): the slides in their order, each with its notes and diagrams.
#include "import/office/office_document.h"
#include "import/text/text.h"
#include "import/xml/xml_reader.h"

namespace ladder::imports::office {
namespace {

using Step = XmlReader::Step;

constexpr std::size_t kMaxSlides = 20'000;

struct Slide {
  std::string title, text;
};

void read_part(std::string_view bytes, OfficeDocument& document, Slide& slide) {
  BytesInMemory in_memory(bytes);
  XmlReader xml(in_memory);
  bool in_text = false, is_title = false, in_cell = false;
  for (;;) {
    const auto step = xml.next();
    if (!step || *step == Step::kDone) return;
    if (*step == Step::kDamaged) {
      document.problems.push_back("a slide is damaged: " + xml.why());
      return;
    }
    const std::string_view name = *step == Step::kText ? std::string_view() : xml.name();
    if (*step == Step::kText) {
      if (!in_text) continue;
      document.append(slide.text, xml.text());
      if (is_title) slide.title += beginning(xml.text(), 200);
    } else if (*step == Step::kStart) {
      const bool is_number = name == "fld" && xml.attribute("type") == "slidenum";
      if (name == "Fallback" || is_number) static_cast<void>(xml.skip_element());
      else if (name == "t") in_text = true;
      else if (name == "br") document.append(slide.text, "\n");
      else if (name == "tc") in_cell = true;
      else if (name == "ph") is_title = xml.attribute("type") == "title" || xml.attribute("type") == "ctrTitle";
    } else if (name == "t") {
      in_text = false;
    } else if (name == "p" || name == "pt") {
      document.append(slide.text, in_cell ? " " : "\n");
    } else if (name == "tc") {
      in_cell = false;
      document.append(slide.text, "\t");
    } else if (name == "tr") {
      document.append(slide.text, "\n");
    } else if (name == "sp") {
      is_title = false;
    }
  }
}

// The relationship ids of the slides in their order.
std::vector<std::string> slide_ids(std::string_view presentation) {
  BytesInMemory in_memory(presentation);
  XmlReader xml(in_memory);
  std::vector<std::string> ids;
  for (;;) {
    const auto step = xml.next();
    if (!step || *step == Step::kDone || *step == Step::kDamaged || ids.size() >= kMaxSlides) return ids;
    if (*step == Step::kStart && xml.name() == "sldId") ids.emplace_back(xml.prefixed_attribute("id"));
  }
}

}  // namespace

void read_slides(Package& package, const std::string& main_part, OfficeDocument& document) {
  document.page_kind = "slide";
  const auto presentation = package.read(main_part);
  if (!presentation) {
    document.refused = presentation.error().message;
    return;
  }
  const auto related = package.relationships_of(main_part);
  for (const std::string& id : slide_ids(*presentation)) {
    const auto found = related.find(id);
    Slide slide;
    if (found != related.end()) {
      const auto bytes = package.read(found->second.target);
      if (bytes) read_part(*bytes, document, slide);
      else document.problems.push_back(bytes.error().message);
      Slide more;
      for (const auto& [_, each] : package.relationships_of(found->second.target)) {
        if (each.kind != "notesSlide" && each.kind != "diagramData") continue;
        if (const auto part = package.read(each.target)) read_part(*part, document, more);
      }
      if (!trim(more.text).empty()) slide.text += "\n" + more.text;
    }
    document.pages.push_back({std::string(trim(slide.title)), std::move(slide.text)});
  }
  if (document.pages.empty()) document.refused = "it has no slides";
}

}  // namespace ladder::imports::office
