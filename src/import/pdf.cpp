// Poppler's side of it: everything in the unnamed namespace runs in the process apart.
#include "import/pdf.h"

#include "base/format.h"
#include "import/apart.h"
#include "import/limits.h"
#include "import/pdf_answer.h"

#include <poppler/cpp/poppler-document.h>
#include <poppler/cpp/poppler-global.h>
#include <poppler/cpp/poppler-page.h>
#include <poppler/cpp/poppler-version.h>

#include <algorithm>
#include <limits>
#include <memory>

namespace ladder::imports {
namespace {

std::string utf8_of(const poppler::ustring& text) {
  const poppler::byte_array bytes = text.to_utf8();
  return {bytes.begin(), bytes.end()};
}

std::string text_of(const poppler::page& page) {
  std::string text = utf8_of(page.text(poppler::rectf(), poppler::page::non_raw_non_physical_layout));
  if (!text.empty()) return text;
  // One letter that cannot be written as UTF-8 costs the whole page there; word by word it costs a word.
  for (const poppler::text_box& word : page.text_list()) {
    text += utf8_of(word.text());
    if (word.has_space_after()) text += ' ';
    else text += '\n';
  }
  return text;
}

void tell_info(const poppler::document& document, const Tell& tell) {
  tell(pdf_piece(PdfPiece::kTitle, utf8_of(document.get_title())));
  tell(pdf_piece(PdfPiece::kAuthor, utf8_of(document.get_author())));
  tell(pdf_piece(PdfPiece::kSubject, utf8_of(document.get_subject())));
  tell(pdf_piece(PdfPiece::kKeywords, utf8_of(document.get_keywords())));
  tell(pdf_piece(PdfPiece::kCreated, utf8_of(document.info_key("CreationDate"))));
  tell(pdf_piece(PdfPiece::kModified, utf8_of(document.info_key("ModDate"))));
}

void tell_pages(const poppler::document& document, const Tell& tell) {
  tell(pdf_piece(PdfPiece::kPageCount, std::to_string(document.pages())));
  for (int i = 0; i < document.pages(); ++i) {
    const std::unique_ptr<poppler::page> page(document.create_page(i));
    const bool heard = tell(page ? pdf_piece(PdfPiece::kPage, text_of(*page)) : pdf_piece(PdfPiece::kBrokenPage, ""));
    if (!heard) return;
  }
  tell(pdf_piece(PdfPiece::kEnd, ""));
}

void tell_pdf(std::string_view bytes, const Tell& tell) {
  poppler::set_debug_error_function([](const std::string&, void*) {}, nullptr);
  const std::unique_ptr<poppler::document> document(
      poppler::document::load_from_raw_data(bytes.data(), static_cast<int>(bytes.size())));
  if (!document) {
    tell(pdf_piece(PdfPiece::kRefused, "it is no PDF, or too damaged to be read"));
  } else if (document->is_locked()) {
    tell(pdf_piece(PdfPiece::kRefused, "it is encrypted and needs a password"));
  } else if (document->pages() <= 0) {
    tell(pdf_piece(PdfPiece::kRefused, "no page can be found in it"));
  } else {
    tell_info(*document, tell);
    tell_pages(*document, tell);
  }
}

}  // namespace

Pdf read_pdf(std::string_view bytes, std::size_t max_text_bytes) {
  Pdf none;
  if (bytes.size() > limits::kMaxPdfBytes) {
    none.problems.push_back(format("it is larger than the {} bytes of which text is taken", limits::kMaxPdfBytes));
    return none;
  }
  // What is dropped of a page on the way makes it shorter, never longer but for ligatures.
  const ApartLimits apart{limits::kPdfCpuSeconds, limits::kPdfWallSeconds, max_text_bytes * 2 + limits::kMiB};
  const auto answer = run_apart(apart, [bytes](const Tell& tell) { tell_pdf(bytes, tell); });
  if (!answer) {
    none.problems.push_back(answer.error().message);
    return none;
  }
  return pdf_from_answer(answer->told, answer->broken_off, max_text_bytes);
}

std::string pdf_reader() { return "poppler " + poppler::version_string(); }

}  // namespace ladder::imports
