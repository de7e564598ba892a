// Statements of banks: OFX and QFX, QIF, MT940 and camt.
#include "base/text/format.h"
#include "import/charset/read_text.h"
#include "import/formats/format.h"
#include "import/formats/resuming_sink.h"
#include "import/formats/statements/statement_records.h"
#include "import/io/limits.h"
#include "import/text/text.h"

#include <array>

namespace ladder::imports {
namespace {

enum class FileKind { kNone, kOfx, kQif, kMt940, kCamt };

FileKind kind_of(Tree& tree, EntryNo number) {
  const Entry& entry = tree.entries()[number];
  constexpr std::array kExtensions = {".ofx", ".qfx", ".qif", ".sta", ".940", ".mt940", ".swi", ".xml", ".txt", ".c53", ".fin"};
  if (std::ranges::find(kExtensions, lower_ascii(entry.extension())) == kExtensions.end()) return FileKind::kNone;
  const std::string_view head = trim(without_mark(tree.head(number)));
  if (head.find("<OFX>") != std::string_view::npos || head.starts_with("OFXHEADER") ||
      head.find("<?OFX") != std::string_view::npos)
    return FileKind::kOfx;
  if (starts_with_ignoring_case(head, "!type:") || starts_with_ignoring_case(head, "!account") ||
      starts_with_ignoring_case(head, "!option:"))
    return FileKind::kQif;
  const bool has_account = head.find("\n:25:") != std::string_view::npos,
             has_statement = head.find(":20:") != std::string_view::npos;
  if (has_account && has_statement) return FileKind::kMt940;
  const bool is_camt = head.find("camt.05") != std::string_view::npos || head.find("<BkToCstmr") != std::string_view::npos;
  return is_camt ? FileKind::kCamt : FileKind::kNone;
}

// OFX 1.x names its charset, often a wrong one: valid UTF-8 is read as such.
std::string charset_of(std::string_view ofx) {
  const std::string_view head = ofx.substr(0, 1024);
  return head.find("CHARSET:1252") != std::string_view::npos || head.find("CHARSET:ISO") != std::string_view::npos
             ? "windows-1252"
             : "";
}

class Statements final : public Format {
 public:
  std::string_view name() const override { return "statements"; }
  std::string_view summary() const override { return "bank statements: OFX, QFX, QIF, MT940 and camt.053"; }

  std::vector<Unit> detect(Tree& tree, const Request&) const override {
    Unit unit;
    for (EntryNo i = 0; i < tree.entries().size(); ++i) {
      if (kind_of(tree, i) != FileKind::kNone) unit.entries.push_back(i);
    }
    if (unit.entries.empty()) return {};
    unit.confidence = Confidence::kCertain;
    unit.what = format("{} bank {}", unit.entries.size(), unit.entries.size() == 1 ? "statement" : "statements");
    unit.part = "statements";
    return {unit};
  }

  Status read(Tree& tree, const Unit& unit, const Request&, std::string_view position, Sink& to) const override {
    ResumingSink sink(to, position);
    for (const EntryNo entry : unit.entries) LADDER_CHECK(read_file(tree, entry, sink));
    return sink.finish();
  }

 private:
  static Status read_file(Tree& tree, EntryNo number, Sink& sink) {
    const Entry& entry = tree.entries()[number];
    const FileKind kind = kind_of(tree, number);
    if (kind == FileKind::kCamt) {
      auto bytes = tree.open(number);
      if (!bytes) return sink.lost({entry.path, -1}, bytes.error().message);
      return statements::read_camt(**bytes, entry.path, sink);
    }
    auto bytes = tree.read(number, limits::kMaxTextBytes);
    if (!bytes) return sink.lost({entry.path, -1}, bytes.error().message);
    const std::string charset = !tree.encoding.empty()   ? tree.encoding
                                : kind == FileKind::kOfx ? charset_of(*bytes)
                                                         : std::string();
    const std::string text = to_utf8(*bytes, charset);
    if (kind == FileKind::kOfx) return statements::read_ofx(text, entry.path, sink);
    if (kind == FileKind::kQif) return statements::read_qif(text, entry.path, without_extension(entry.name()), sink);
    return statements::read_mt940(text, entry.path, sink);
  }
};

}  // namespace

const Format& statements_format() {
  static const Statements format;
  return format;
}

}  // namespace ladder::imports
