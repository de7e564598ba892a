#include "import/office/read_document.h"

#include "base/text/format.h"
#include "import/io/limits.h"
#include "import/office/office_document.h"
#include "import/pdf/pdf.h"
#include "import/picture/picture.h"
#include "import/sandbox/forked_task.h"
#include "import/text/text.h"

#include <algorithm>
#include <array>

namespace ladder::imports {
namespace {

using office::OfficeDocument;

struct KnownKind {
  std::string_view kind;
  std::array<std::string_view, 4> endings;
  std::array<std::string_view, 2> types;
};
constexpr std::array kKinds = {
    KnownKind{"pdf", {".pdf"}, {"application/pdf", "application/x-pdf"}},
    KnownKind{"docx",
              {".docx", ".docm", ".dotx", ".dotm"},
              {"application/vnd.openxmlformats-officedocument.wordprocessingml.document",
               "application/vnd.ms-word.document.macroenabled.12"}},
    KnownKind{
        "xlsx",
        {".xlsx", ".xlsm", ".xltx", ".xltm"},
        {"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "application/vnd.ms-excel.sheet.macroenabled.12"}},
    KnownKind{"pptx",
              {".pptx", ".pptm", ".potx", ".ppsx"},
              {"application/vnd.openxmlformats-officedocument.presentationml.presentation",
               "application/vnd.openxmlformats-officedocument.presentationml.slideshow"}},
    KnownKind{"odt", {".odt", ".ott"}, {"application/vnd.oasis.opendocument.text"}},
    KnownKind{"ods", {".ods", ".ots"}, {"application/vnd.oasis.opendocument.spreadsheet"}},
    KnownKind{"odp", {".odp", ".otp"}, {"application/vnd.oasis.opendocument.presentation"}},
    KnownKind{"rtf", {".rtf"}, {"application/rtf", "text/rtf"}},
    KnownKind{"epub", {".epub"}, {"application/epub+zip"}},
};

constexpr std::string_view kOle2 = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";

void read_package(std::string_view bytes, OfficeDocument& document) {
  auto package = office::Package::open(bytes);
  if (!package) {
    document.refused = package.error().message;
    return;
  }
  const auto type = package->read("mimetype");
  if (type && trim(*type) == "application/epub+zip") return office::read_book(*package, document);
  if (type && trim(*type).starts_with("application/vnd.oasis.opendocument"))
    return office::read_open_document(*package, document);
  if (package->has("META-INF/container.xml")) return office::read_book(*package, document);
  const std::string main = package->related("", "officeDocument");
  if (main.empty() || !package->has(main)) {
    document.refused = "it is a zip, but not a document that can be read";
    return;
  }
  office::read_properties(*package, package->related("", "core-properties"), document);
  if (main.starts_with("xl/")) return office::read_sheets(*package, main, document);
  if (main.starts_with("ppt/")) return office::read_slides(*package, main, document);
  office::read_word(*package, main, document);
}

OfficeDocument read_office(std::string_view bytes) {
  OfficeDocument document;
  if (bytes.starts_with("PK")) read_package(bytes, document);
  else if (bytes.starts_with("{\\rtf")) office::read_rtf(bytes, document);
  else if (bytes.starts_with(kOle2)) document.refused = "it is encrypted, or a file of an old program (before 2007)";
  else document.refused = "it is not a document that can be read, or too damaged";
  return document;
}

}  // namespace

std::string_view document_kind(std::string_view file_name, std::string_view mime_type) {
  for (const KnownKind& each : kKinds) {
    if (!mime_type.empty() && std::ranges::find(each.types, mime_type) != each.types.end()) return each.kind;
  }
  if (!mime_type.empty() && mime_type != "application/octet-stream" && mime_type != "application/zip" &&
      mime_type != "application/x-zip-compressed") {
    return {};
  }
  const std::string name = lower_ascii(file_name);
  for (const KnownKind& each : kKinds) {
    if (std::ranges::any_of(each.endings, [&](std::string_view ending) { return !ending.empty() && name.ends_with(ending); }))
      return each.kind;
  }
  return {};
}

void write_office_document(std::string_view bytes, const std::function<bool(std::string_view)>& write) {
  const OfficeDocument document = read_office(bytes);
  if (!document.refused.empty()) {
    write(document_piece(DocumentPiece::kRefused, document.refused));
    return;
  }
  write(document_piece(DocumentPiece::kTitle, document.title));
  write(document_piece(DocumentPiece::kAuthor, document.author));
  write(document_piece(DocumentPiece::kSubject, document.subject));
  write(document_piece(DocumentPiece::kKeywords, document.keywords));
  write(document_piece(DocumentPiece::kCreated, document.created));
  write(document_piece(DocumentPiece::kModified, document.modified));
  write(document_piece(DocumentPiece::kPageKind, document.page_kind));
  write(document_piece(DocumentPiece::kPageCount, std::to_string(document.pages.size())));
  for (const std::string& problem : document.problems) write(document_piece(DocumentPiece::kProblem, problem));
  for (const OfficeDocument::Page& page : document.pages) {
    write(document_piece(DocumentPiece::kPageName, page.name));
    if (!write(document_piece(DocumentPiece::kPage, page.text))) return;
  }
  write(document_piece(DocumentPiece::kEnd, ""));
}

DocumentText read_document(std::string_view bytes, std::size_t max_text_bytes) {
  constexpr std::size_t kMagicBytes = 1024;  // a PDF may begin with other bytes
  if (bytes.substr(0, kMagicBytes).find("%PDF-") != std::string_view::npos) return read_pdf(bytes, max_text_bytes);
  if (begins_as_picture(bytes)) return read_picture(bytes, max_text_bytes);
  DocumentText none;
  none.page_kind.clear();
  const ForkedTaskLimits apart{limits::kPdfCpuSeconds, limits::kPdfWallSeconds, max_text_bytes * 2 + limits::kMiB};
  const auto answer = run_forked_task(apart, [bytes](const AnswerWriter& write) { write_office_document(bytes, write); });
  if (!answer) {
    none.problems.push_back(answer.error().message);
    return none;
  }
  return document_from_answer(answer->output, answer->abort_reason, max_text_bytes);
}

}  // namespace ladder::imports
