// A small PDF writer: text pages in any script, image pages, and damaged files. Each page has its own font whose codes
// number its characters in order of first use, so only its ToUnicode table tells the text.
#pragma once

#include "base/text/format.h"
#include "base/text/utf8.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace demo {

class PdfFile {
 public:
  enum class Fault { kNone, kEncrypted, kWrongTable, kCutOff };

  // Sets "Title", "Author" or "CreationDate" in Latin letters.
  PdfFile& info(std::string_view name, std::string_view value) {
    info_ += ladder::format("/{} ({})", name, value);
    return *this;
  }
  // Adds a page of UTF-8 lines: at most 250 different characters and about 50 lines.
  PdfFile& page(const std::vector<std::string>& lines) {
    std::map<char32_t, int> codes;
    std::string content = "BT /F 11 Tf 14 TL 60 780 Td\n";
    for (const std::string& line : lines) content += ladder::format("<{}> Tj T*\n", hex_codes(line, codes));
    pages_.push_back({content + "ET", std::move(codes)});
    return *this;
  }
  PdfFile& picture() {
    pages_.push_back({"q 400 0 0 600 60 60 cm BI /W 2 /H 2 /CS /G /BPC 8 /F /AHx ID 00FF8040> EI Q", {}});
    return *this;
  }

  std::string bytes(Fault fault = Fault::kNone) const {
    std::vector<std::string> objects = {"<< /Type /Catalog /Pages 2 0 R >>", page_tree(), ladder::format("<< {} >>", info_)};
    for (const Page& page : pages_) {
      const std::size_t number = objects.size() + 1;
      objects.push_back(
          ladder::format("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {} 0 R /Resources << /Font << "
                         "/F {} 0 R >> >> >>",
                         number + 1, number + 2));
      objects.push_back(stream(page.content));
      objects.push_back(font(page, number + 3));
      objects.push_back(stream(to_unicode(page)));
    }
    std::string extra;
    if (fault == Fault::kEncrypted) {
      // The digests of unknown passwords.
      const std::string digest(32, 'x');
      objects.push_back(ladder::format("<< /Filter /Standard /V 1 /R 2 /P -4 /O ({0}) /U ({0}) >>", digest));
      extra = ladder::format("/Encrypt {} 0 R /ID [<00> <00>] ", objects.size());
    }
    std::string file = assembled(objects, extra, fault == Fault::kWrongTable);
    if (fault == Fault::kCutOff) file.resize(file.size() / 20);
    return file;
  }

 private:
  struct Page {
    std::string content;
    std::map<char32_t, int> codes;
  };

  static std::string hex_codes(std::string_view line, std::map<char32_t, int>& codes) {
    std::string hex;
    for (std::size_t at = 0; at < line.size();) {
      const char32_t letter = ladder::utf8::next(line, at);
      const int code = codes.emplace(letter, static_cast<int>(codes.size()) + 1).first->second;
      hex += ladder::format("{:02X}", code);
    }
    return hex;
  }

  static std::string stream(std::string_view content) {
    return ladder::format("<< /Length {} >>\nstream\n{}\nendstream", content.size(), content);
  }

  static std::string font(const Page& page, std::size_t table) {
    std::string widths;
    for (std::size_t i = 0; i < page.codes.size(); ++i) widths += "500 ";
    return ladder::format(
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /FirstChar 1 /LastChar {} /Widths [{}] /ToUnicode {} 0 R >>",
        page.codes.size(), widths, table);
  }

  static std::string to_unicode(const Page& page) {
    std::string table =
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n1 begincodespacerange <00> <FF> "
        "endcodespacerange\n";
    for (const auto& [letter, code] : page.codes) {
      const auto value = static_cast<std::uint32_t>(letter);
      const std::string unicode = value < 0x10000 ? ladder::format("{:04X}", value)
                                                  : ladder::format("{:04X}{:04X}", 0xD800 + ((value - 0x10000) >> 10),
                                                                   0xDC00 + ((value - 0x10000) & 0x3FF));
      table += ladder::format("1 beginbfchar <{:02X}> <{}> endbfchar\n", code, unicode);
    }
    return table + "endcmap CMapName currentdict /CMap defineresource pop end end";
  }

  std::string page_tree() const {
    std::string kids;
    for (std::size_t i = 0; i < pages_.size(); ++i) kids += ladder::format("{} 0 R ", 4 + 4 * i);
    return ladder::format("<< /Type /Pages /Count {} /Kids [{}] >>", pages_.size(), kids);
  }

  static std::string assembled(const std::vector<std::string>& objects, std::string_view extra, bool wrong_table) {
    std::string file = "%PDF-1.4\n%\xE2\xE3\xCF\xD3\n";
    std::string table = ladder::format("xref\n0 {}\n0000000000 65535 f \n", objects.size() + 1);
    for (std::size_t i = 0; i < objects.size(); ++i) {
      table += ladder::format("{:010} 00000 n \n", wrong_table ? 7 * i : file.size());
      file += ladder::format("{} 0 obj\n{}\nendobj\n", i + 1, objects[i]);
    }
    const std::size_t start = wrong_table ? 3 : file.size();
    return file + table +
           ladder::format("trailer\n<< /Size {} /Root 1 0 R /Info 3 0 R {}>>\nstartxref\n{}\n%%EOF\n", objects.size() + 1, extra,
                          start);
  }

  std::string info_;
  std::vector<Page> pages_;
};

}  // namespace demo
