// Fills large mailboxes with what real ones mostly contain: short replies with quotes, newsletters whose HTML is mostly
// markup, mailing list posts, photos and documents. Sizes are distributed as in real mailboxes: most messages are
// small, most bytes are attachments.
#pragma once

#include "base/text/base64.h"
#include "base/text/format.h"
#include "dice.h"

#include <string>
#include <string_view>
#include <vector>

namespace demo {

class EverydayMail {
 public:
  struct Written {
    std::string headers, body;
    int attachments = 0;
  };
  using Encode = std::string (*)(std::string_view);

  EverydayMail(Dice& dice, const std::vector<std::string>& paragraphs, Encode quoted_printable, Encode base64_lines)
      : dice_(dice), paragraphs_(paragraphs), quoted_printable_(quoted_printable), base64_lines_(base64_lines) {}

  static constexpr int kKinds = 20;
  Written write(int kind) {
    if (kind < 8) return {"Content-Type: text/plain; charset=utf-8\n", answer(), 0};
    if (kind < 14) return newsletter();
    if (kind < 16) {
      return {"Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: base64\n",
              base64_lines_(page(5 + dice_.below(20))), 0};
    }
    if (kind < 18) return with_file("image/jpeg", "IMG.jpg", 100'000 + dice_.below(1'400'000));
    if (kind < 19) return with_file("application/zip", "documents.zip", 20'000 + dice_.below(400'000));
    return {"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n",
            quoted_printable_(text(60 + dice_.below(200))), 0};
  }

 private:
  std::string text(std::size_t paragraphs) {
    std::string out;
    for (; paragraphs > 0; --paragraphs) out += dice_.pick(paragraphs_);
    return out;
  }

  std::string answer() {
    std::string out = text(1 + dice_.below(4)) + "On Monday somebody wrote:\n";
    for (const char c : text(1 + dice_.below(6))) {
      if (out.back() == '\n') out += "> ";
      out += c;
    }
    return out;
  }

  std::string page(std::size_t sections) {
    std::string out =
        "<html><head><style>table{border-collapse:collapse}td{font:14px sans-serif;padding:0}</style></head><body>\n";
    for (std::size_t i = 0; i < sections; ++i) {
      const std::uint64_t number = dice_.next();
      out += ladder::format(
          "<table width=\"100%\" cellpadding=\"0\" cellspacing=\"0\" border=\"0\" "
          "style=\"border-collapse:collapse;max-width:600px\">"
          "<tr><td align=\"center\" style=\"padding:12px "
          "24px;font-family:Helvetica,Arial,sans-serif;font-size:14px;color:#333333\">"
          "<img src=\"https://news.example.org/i/{0:016x}.png\" width=\"600\" height=\"200\" alt=\"\" "
          "style=\"display:block\"></td></tr>"
          "<tr><td style=\"padding:12px 24px;line-height:20px\"><p>{1}</p><a href=\"https://news.example.org/c/{0:032x}?"
          "utm_source=letter&amp;utm_medium=mail\" style=\"color:#0066cc;text-decoration:none\">more</a></td></tr></table>\n",
          number, dice_.pick(paragraphs_));
    }
    return out + "</body></html>\n";
  }

  Written newsletter() {
    const std::string plain = text(2 + dice_.below(10));
    return {"Content-Type: multipart/alternative; boundary=letter\n",
            ladder::format(
                "--letter\nContent-Type: text/plain; charset=utf-8\n\n{}\n--letter\nContent-Type: text/html; charset=utf-8\n"
                "Content-Transfer-Encoding: quoted-printable\n\n{}\n--letter--\n",
                plain, quoted_printable_(page(10 + dice_.below(40)))),
            0};
  }

  Written with_file(std::string_view type, std::string_view name, std::size_t size) {
    std::string bytes;
    bytes.reserve(size + sizeof(std::uint64_t));
    while (bytes.size() < size) {
      for (std::uint64_t word = dice_.next(), i = 0; i < sizeof word; ++i, word >>= 8) bytes += static_cast<char>(word & 0xFF);
    }
    return {"Content-Type: multipart/mixed; boundary=files\n",
            ladder::format("--files\nContent-Type: text/plain; charset=utf-8\n\n{}\n--files\nContent-Type: {}; name=\"{}\"\n"
                           "Content-Disposition: attachment; filename=\"{}\"\nContent-Transfer-Encoding: base64\n\n{}--files--\n",
                           text(1 + dice_.below(3)), type, name, name, base64_lines_(bytes)),
            1};
  }

  Dice& dice_;
  const std::vector<std::string>& paragraphs_;
  Encode quoted_printable_, base64_lines_;
};

}  // namespace demo
