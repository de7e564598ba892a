// Reads PDFs with poppler. Everything in the first unnamed namespace runs in the forked process.
#include "import/pdf/pdf.h"

#include "base/text/format.h"
#include "import/io/limits.h"
#include "import/sandbox/forked_task.h"

#include <poppler/cpp/poppler-document.h>
#include <poppler/cpp/poppler-global.h>
#include <poppler/cpp/poppler-page.h>
#include <poppler/cpp/poppler-version.h>
#include <limits>
#include <memory>

namespace ladder::imports {
namespace {

std::string utf8_of(const poppler::ustring& text) {
  const poppler::byte_array bytes = text.to_utf8();
  return {bytes.begin(), bytes.end()};
}

std::string text_on_page(const poppler::page& page) {
  std::string text = utf8_of(page.text(poppler::rectf(), poppler::page::non_raw_non_physical_layout));
  if (!text.empty()) return text;
  // poppler drops the whole page if one character has no UTF-8 form. Reading word by word loses only the word.
  for (const poppler::text_box& word : page.text_list()) {
    text += utf8_of(word.text());
    if (word.has_space_after()) text += ' ';
    else text += '\n';
  }
  return text;
}

void write_info(const poppler::document& document, const AnswerWriter& write) {
  write(document_piece(DocumentPiece::kTitle, utf8_of(document.get_title())));
  write(document_piece(DocumentPiece::kAuthor, utf8_of(document.get_author())));
  write(document_piece(DocumentPiece::kSubject, utf8_of(document.get_subject())));
  write(document_piece(DocumentPiece::kKeywords, utf8_of(document.get_keywords())));
  write(document_piece(DocumentPiece::kCreated, utf8_of(document.info_key("CreationDate"))));
  write(document_piece(DocumentPiece::kModified, utf8_of(document.info_key("ModDate"))));
}

void write_pages(const poppler::document& document, const AnswerWriter& write) {
  write(document_piece(DocumentPiece::kPageCount, std::to_string(document.pages())));
  for (int i = 0; i < document.pages(); ++i) {
    const std::unique_ptr<poppler::page> page(document.create_page(i));
    const bool heard =
        write(page ? document_piece(DocumentPiece::kPage, text_on_page(*page)) : document_piece(DocumentPiece::kBrokenPage, ""));
    if (!heard) return;
  }
  write(document_piece(DocumentPiece::kEnd, ""));
}

void write_pdf(std::string_view bytes, const AnswerWriter& write) {
  poppler::set_debug_error_function([](const std::string&, void*) {}, nullptr);
  const std::unique_ptr<poppler::document> document(
      poppler::document::load_from_raw_data(bytes.data(), static_cast<int>(bytes.size())));
  if (!document) {
    write(document_piece(DocumentPiece::kRefused, "it is not a PDF, or too damaged to read"));
  } else if (document->is_locked()) {
    write(document_piece(DocumentPiece::kRefused, "it is encrypted and needs a password"));
  } else if (document->pages() <= 0) {
    write(document_piece(DocumentPiece::kRefused, "it has no pages"));
  } else {
    write_info(*document, write);
    write_pages(*document, write);
  }
}

}  // namespace

DocumentText read_pdf(std::string_view bytes, std::size_t max_text_bytes) {
  DocumentText none;
  none.text_by = pdf_reader();
  if (bytes.size() > limits::kMaxPdfBytes) {
    none.problems.push_back(format("it is larger than the {} bytes up to which text is extracted", limits::kMaxPdfBytes));
    return none;
  }
  // Removed characters only shorten a page; only ligatures lengthen it.
  const ForkedTaskLimits apart{limits::kPdfCpuSeconds, limits::kPdfWallSeconds, max_text_bytes * 2 + limits::kMiB};
  const auto answer = run_forked_task(apart, [bytes](const AnswerWriter& write) { write_pdf(bytes, write); });
  if (!answer) {
    none.problems.push_back(answer.error().message);
    return none;
  }
  DocumentText read = document_from_answer(answer->output, answer->abort_reason, max_text_bytes);
  read.text_by = pdf_reader();
  return read;
}

std::string pdf_reader() { return "poppler " + poppler::version_string(); }

}  // namespace ladder::imports
