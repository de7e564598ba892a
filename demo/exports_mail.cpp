// A mailbox as Gmail's Takeout writes it, and a small Maildir: every kind of message in turn, with the defects of real
// mailboxes.
#include "base/text/base64.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "base/time/time.h"
#include "dice.h"
#include "everyday_mail.h"
#include "exports.h"
#include "pdf_file.h"
#include "words.h"

#include <array>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace demo {
namespace {

using ladder::format;

constexpr ladder::Instant kBegin = 1'735'689'600 * ladder::kSecond;  // 2025-01-01
constexpr std::size_t kParagraphs = 512;
constexpr int kDamagedEvery = 100;
constexpr std::int64_t kPdfsUntil = 200;  // PDFs occur only among the first messages: a large mailbox measures mail, not PDFs
constexpr std::array kDays = {"Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"};  // 1970-01-01 was a Thursday
constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

struct Moment {
  std::string day, month, date, clock, year;
};

Moment moment(std::int64_t number) {
  const ladder::Instant instant = kBegin + number * 1800 * ladder::kSecond;
  const std::string text = ladder::format_time(instant);  // 2025-01-01T00:00:00.000Z
  const auto month = static_cast<std::size_t>(std::stoi(text.substr(5, 2))) - 1;
  return {kDays[static_cast<std::size_t>(instant / ladder::kDay % 7)], kMonths[month], text.substr(8, 2), text.substr(11, 8),
          text.substr(0, 4)};
}

std::string quoted_printable(std::string_view text) {
  std::string out;
  std::size_t column = 0;
  for (const char c : text) {
    const bool plain = c == '\n' || (c >= 33 && c < 127 && c != '=') || c == ' ';
    std::string piece = plain ? std::string(1, c) : format("={:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    if (c != '\n' && column + piece.size() > 73) {
      out += "=\n";
      column = 0;
    }
    out += piece;
    column = c == '\n' ? 0 : column + piece.size();
  }
  return out;
}

std::string base64_lines(std::string_view bytes) {
  const std::string text = ladder::base64::encode(bytes);
  std::string out;
  for (std::size_t at = 0; at < text.size(); at += 76) out += text.substr(at, 76) + "\n";
  return out;
}

std::string encoded_word(std::string_view text) { return format("=?UTF-8?B?{}?=", ladder::base64::encode(text)); }

// Returns UTF-8 that was misread as Latin-1 and encoded as UTF-8 again.
std::string mojibake(std::string_view text) {
  std::string out;
  for (const char c : text) ladder::utf8::append(out, static_cast<unsigned char>(c));
  return out;
}

std::string latin1(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t code_point = ladder::utf8::next(text, at);
    if (code_point < 256) out += static_cast<char>(code_point);
  }
  return out;
}

std::string with_crlf(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') out += '\r';
    out += c;
  }
  return out;
}

class MailWriter {
 public:
  explicit MailWriter(const ExportRequest& request) : request_(request), dice_(request.seed) {
    for (std::size_t i = 0; i < kParagraphs; ++i) paragraphs_.push_back(paragraph());
  }

  Expected write() {
    const std::filesystem::path folder = request_.folder / "Takeout" / "Mail";
    std::filesystem::create_directories(folder);
    std::ofstream out(folder / "All mail Including Spam and Trash.mbox", std::ios::binary);
    for (std::int64_t number = 0; number < request_.count || written_ < request_.bytes; ++number) write_one(out, number);
    if (request_.large_bytes > 0) write_large(out);
    write_maildir();
    std::ofstream(folder / "Empty.mbox", std::ios::binary).flush();
    return {{"messages", static_cast<std::int64_t>(distinct_)},
            {"lost", lost_},
            {"unread", unread_},
            {"attachments", attachments_},
            {"pdf_texts", pdf_texts_},
            {"undated", undated_}};
  }

 private:
  std::string paragraph() {
    const Language& language = dice_.pick(kLanguages);
    std::string text;
    for (std::size_t n = 2 + dice_.below(8); n > 0; --n) {
      text.append(dice_.pick(language.who)).append(language.space).append(dice_.pick(language.does)).append(language.space);
      text.append(dice_.pick(language.what)).append(language.full_stop);
      if (dice_.below(7) == 0) text.append(dice_.pick(kEmoji)).append(" ");
    }
    return text + "\n\n";
  }

  std::string body() {
    std::string text;
    for (std::size_t n = 1 + dice_.below(12); n > 0; --n) text += dice_.pick(paragraphs_);
    return text;
  }

  std::string sender() {
    const std::string_view name = dice_.pick(kPeople);
    const bool emoji = dice_.below(5) == 0;
    return format("{} <person{}@example.org>",
                  encoded_word(emoji ? format("{} {}", name, dice_.pick(kEmoji)) : std::string(name)), dice_.below(50));
  }

  // Writes the common headers: labels, thread ids above 53 bits, and some folded lines.
  std::string headers(std::int64_t number, std::string_view date, std::string_view more) {
    std::string text = format("X-GM-THRID: {}\nX-Gmail-Labels: {}\n", 1'700'000'000'000'000'001 + number / 4,
                              number % 3 == 0 ? "=?UTF-8?Q?Inbox,Wichtig,B=C3=BCro?=\n =?UTF-8?Q?,\"a,_b\"?=" : "Inbox,Unread");
    text += format("Message-ID: <{}.{}@mail.example.org>\n", number, request_.seed);
    if (number % 4 != 0) text += format("References: <{}.{}@mail.example.org>\n", number / 4 * 4, request_.seed);
    text += format("From: {}\nTo: {},\n {}\n", sender(), sender(), sender());
    text += format("Subject: {} {}\n {}\n", encoded_word(dice_.pick(dice_.pick(kLanguages).what)), number,
                   encoded_word(dice_.pick(kEmoji)));
    text.append(date).append("MIME-Version: 1.0\n").append(more);
    return text + "\n";
  }

  static std::string date_header(std::int64_t number) {
    const Moment at = moment(number);
    return format("Date: {}, {} {} {} {} +0000\n", at.day, at.date, at.month, at.year, at.clock);
  }

  // Half of a mailbox of a requested size is everyday mail.
  std::string message(std::int64_t number) {
    const std::string date = date_header(number);
    if (request_.bytes > 0 && number % 40 >= 20) {
      const auto [more, text, attachments] = everyday_.write(static_cast<int>(number % EverydayMail::kKinds));
      attachments_ += attachments;
      return headers(number, date, more) + text;
    }
    const auto plain = [&](std::string_view more, std::string_view text) {
      return headers(number, date, more) + std::string(text);
    };
    switch (number % 20) {
      case 0:
        return plain("Content-Type: text/plain; charset=utf-8\n", body());
      case 1:
        return plain("Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n",
                     quoted_printable(body()));
      case 2:
        return plain("Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n", base64_lines(body()));
      case 3:
        return plain("Content-Type: multipart/alternative; boundary=alt\n", alternative("alt"));
      case 4:
        return plain("Content-Type: text/html; charset=utf-8\n", html());
      case 5:
        return plain("Content-Type: multipart/mixed; boundary=mix\n",
                     number < kPdfsUntil && number % 40 < 20 ? with_pdfs(number) : mixed());
      case 6:
        // Wrong charset label.
        return plain("Content-Type: text/plain; charset=utf-8\n", latin1("Grüße aus Köln: 5 £, naïve café\n"));
      case 7:
        return plain("Content-Type: text/plain; charset=us-ascii\n", body());  // wrong charset label
      case 8:
        return plain("Content-Type: text/plain; charset=utf-8; format=flowed\n",
                     "A line that \ngoes on \nhere.\n> and a \n> quote\n");
      case 9:
        return plain("Content-Type: multipart/mixed; boundary=outer\n", nested());
      case 10:
        return plain("Content-Type: multipart/mixed; boundary=gone\n",
                     "--gone\nContent-Type: text/plain; charset=utf-8\n\n" + body());
      case 11:
        ++undated_;
        return headers(number, "", "") + body();
      case 12:
        ++undated_;
        return headers(number, number % 40 < 20 ? "Date: Thu, 01 Jan 1970 00:00:00 +0000\n" : "Date: Mon, 99 Foo 20025\n", "") +
               body();
      case 13:
        return headers(number - 1, date, "") + "Another text under the same Message-ID.\n" + body();
      case 14:
        return "";  // the previous message again
      case 15:
        return plain("X-Long: " + std::string(200, 'a') + "\n\tand\n on\n", body());
      case 16:
        return headers(number, date,
                       "Comments: Gr\xC3\xBC\xC3\x9F"
                       "e, and Latin-1 \xE9\xE8\n") +
               body();
      case 17:
        return plain("Content-Type: text/plain; charset=utf-8\n", mojibake("Grüße – naïve café\n"));
      case 18:
        return plain("", "Dear all,\n\nFrom now on we meet on Mondays.\n>From here on, too.\n>>From there\n\n" + body());
      default:
        return with_crlf(plain("Content-Type: text/plain; charset=utf-8\n", body()));
    }
  }

  std::string html() {
    return "<html><head><style>p{color:red}</style></head><body><p>" + body() +
           "</p><p><a href=\"https://example.org/\">more</a></p></body></html>\n";
  }

  std::string alternative(std::string_view boundary) {
    return format(
        "--{0}\nContent-Type: text/plain; charset=utf-8\n\n{1}\n--{0}\nContent-Type: text/html; charset=utf-8\n"
        "Content-Transfer-Encoding: quoted-printable\n\n{2}\n--{0}--\n",
        boundary, body(), quoted_printable(html()));
  }

  // Attaches two PDFs, one encrypted in a damaged mailbox; one with its own content type, one as
  // application/octet-stream.
  std::string with_pdfs(std::int64_t number) {
    attachments_ += 2;
    ++pdf_texts_;
    PdfFile first, second;
    first.info("Title", "An invoice").page({format("Invoice {} over 12 pounds", number)}).picture();
    second.page({format("Enclosed with invoice {}", number)});
    const bool locked = request_.damaged;
    locked ? ++unread_ : ++pdf_texts_;
    return format(
        "--mix\nContent-Type: text/plain; charset=utf-8\n\n{}\n--mix\nContent-Type: application/pdf; name=invoice.pdf\n"
        "Content-Disposition: attachment\nContent-Transfer-Encoding: base64\n\n{}--mix\n"
        "Content-Type: application/octet-stream\nContent-Disposition: attachment; filename=\"Enclosed.PDF\"\n"
        "Content-Transfer-Encoding: base64\n\n{}--mix--\n",
        body(), base64_lines(first.bytes()),
        base64_lines(second.bytes(locked ? PdfFile::Fault::kEncrypted : PdfFile::Fault::kNone)));
  }

  std::string mixed() {
    attachments_ += 2;
    std::string bytes;
    for (std::size_t n = 500 + dice_.below(3000); n > 0; --n) bytes += static_cast<char>(dice_.below(256));
    return format(
        "--mix\nContent-Type: text/plain; charset=utf-8\n\n{}\n--mix\nContent-Type: text/csv; charset=iso-8859-1\n"
        "Content-Disposition: attachment; filename*=UTF-8''%C3%BCbersicht.csv\n\n{}\n--mix\n"
        "Content-Type: application/octet-stream; name=\"{}\"\nContent-Disposition: attachment\nContent-Transfer-Encoding: "
        "base64\n\n{}--mix--\n",
        body(), latin1("Köln;1\nMünchen;2"), encoded_word(format("{}.bin", dice_.pick(kEmoji))), base64_lines(bytes));
  }

  std::string nested() {
    attachments_ += 2;
    return format(
        "--outer\nContent-Type: multipart/related; boundary=rel\n\n--rel\nContent-Type: multipart/alternative; boundary=alt\n\n{}"
        "--rel\nContent-Type: image/png\nContent-ID: <logo>\nContent-Transfer-Encoding: base64\n\n{}--rel--\n"
        "--outer\nContent-Type: message/rfc822\n\nFrom: inner@example.org\nSubject: passed on\n\n{}\n--outer--\n",
        alternative("alt"), base64_lines("\x89PNG made up"), body());
  }

  void write_one(std::ofstream& out, std::int64_t number) {
    if (request_.damaged && number % kDamagedEvery == kDamagedEvery / 2) {
      std::string rubbish;
      for (int n = 0; n < 300; ++n) rubbish += static_cast<char>(128 + dice_.below(128));
      ++lost_;
      return put(out, number, rubbish + "\n");
    }
    const std::string text = message(number);
    if (text.empty()) return put(out, number, last_);
    ++distinct_;
    last_ = text;
    put(out, number, text);
  }

  void put(std::ofstream& out, std::int64_t number, std::string_view text) {
    const Moment at = moment(number);
    const std::string line = format("From {}@xxx {} {} {} {} +0000 {}\n", 1'700'000'000'000'000'001 + number, at.day, at.month,
                                    at.date, at.clock, at.year);
    out << line << text << "\n\n";
    written_ += static_cast<std::int64_t>(line.size() + text.size() + 2);
  }

  void write_large(std::ofstream& out) {
    constexpr std::int64_t kNumber = 1'000'000'000;
    const Moment at = moment(0);
    out << format("From {}@xxx {} {} {} {} +0000 {}\n", 1, at.day, at.month, at.date, at.clock, at.year)
        << headers(kNumber, date_header(0), "Content-Type: text/plain; charset=utf-8\n");
    for (std::int64_t size = 0; size < request_.large_bytes;) {
      const std::string& text = dice_.pick(paragraphs_);
      out << text;
      size += static_cast<std::int64_t>(text.size());
    }
    out << "\n\n";
    ++distinct_;
  }

  // Writes two folders with flags, one message in both folders, and one unfinished delivery.
  void write_maildir() {
    const std::filesystem::path folder = request_.folder / "Maildir";
    for (const char* part : {"cur", "new", "tmp", ".Sent/cur"}) std::filesystem::create_directories(folder / part);
    const auto text = [&](int number) {
      return format("From: {0}\nTo: {0}\nSubject: in a folder {1}\n{2}Message-ID: <maildir.{1}@example.org>\n\nText {1}.\n",
                    "Ada <ada@example.org>", number, date_header(number));
    };
    const auto file = [&](const char* name, const std::string& bytes) {
      std::ofstream(folder / name, std::ios::binary) << bytes;
    };
    file("cur/1.M1.host:2,FS", text(1));
    file("cur/2.M2.host:2,", text(2));
    file("new/3.M3.host", "\xEF\xBB\xBF" + text(3));
    file("tmp/4.M4.host", "From: ada");
    file(".Sent/cur/5.M5.host:2,RS", with_crlf(text(1)));
    distinct_ += 3;
  }

  const ExportRequest& request_;
  Dice dice_;
  std::vector<std::string> paragraphs_;
  EverydayMail everyday_{dice_, paragraphs_, quoted_printable, base64_lines};
  std::string last_;
  std::int64_t written_ = 0, lost_ = 0, unread_ = 0, attachments_ = 0, undated_ = 0, pdf_texts_ = 0;
  std::size_t distinct_ = 0;
};

}  // namespace

Expected write_mail_export(const ExportRequest& request) { return MailWriter(request).write(); }

}  // namespace demo
