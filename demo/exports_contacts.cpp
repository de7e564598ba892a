// Address books as phones and programs write them: the three versions of vCard, one file each.
#include "base/text/base64.h"
#include "base/text/format.h"
#include "dice.h"
#include "exports.h"
#include "words.h"

#include <array>
#include <fstream>
#include <string>
#include <string_view>

namespace demo {
namespace {

using ladder::format;

constexpr int kDamagedEvery = 100;

std::string quoted_printable(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (out.size() % 60 > 55) out += "=\r\n";
    out += (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')
               ? std::string(1, c)
               : format("={:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  return out;
}

std::string picture(Dice& dice) {
  std::string bytes = "\xFF\xD8\xFF\xE0 made up ";
  for (std::size_t n = 100 + dice.below(400); n > 0; --n) bytes += static_cast<char>(dice.below(256));
  return ladder::base64::encode(bytes);
}

std::string folded(std::string_view text, std::size_t width) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); at += width) out.append(at > 0 ? "\r\n " : "").append(text.substr(at, width));
  return out;
}

std::string version_2(Dice& dice, std::int64_t number) {
  const std::string name(dice.pick(kPeople));
  return format(
      "VERSION:2.1\r\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:{0};\r\nFN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:{0}\r\n"
      "TEL;CELL;VOICE:+49 30 {1}\r\nPHOTO;JPEG;ENCODING=BASE64:\r\n {2}\r\n\r\n",
      quoted_printable(name), 100'000 + number, folded(picture(dice), 70));
}

std::string version_3(Dice& dice, std::int64_t number) {
  return format(
      "VERSION:3.0\r\nFN:{} {}\r\nN:;;;;\r\nitem1.TEL:+1 555 {}\r\nitem1.X-ABLabel:_$!<Mobile>!$_\r\nORG:Harbour\\, "
      "Ltd.;Tides\r\n"
      "EMAIL;TYPE=INTERNET;TYPE=HOME:contact{}@example.org\r\nNOTE:first\\nsecond\\, third\r\nUID:three-{}\r\n"
      "REV:2025-01-01T00:00:00Z\r\n",
      dice.pick(kPeople), dice.pick(kEmoji), 1000 + number, number, number);
}

std::string version_4(Dice& dice, std::int64_t number) {
  return format(
      "VERSION:4.0\r\nFN:{}\r\nTEL;VALUE=uri;TYPE=\"work,voice\";PREF=1:tel:+1-555-{}\r\nBDAY:--0412\r\n{}\r\nUID:urn:uuid:four-{"
      "}\r\n",
      dice.pick(kPeople), number, folded("PHOTO:data:image/jpeg;base64," + picture(dice), 70), number);
}

}  // namespace

Expected write_contacts_export(const ExportRequest& request) {
  struct Book {
    const char* file;
    std::string (*card)(Dice&, std::int64_t);
  };
  constexpr std::array kBooks = {Book{"phone.vcf", version_2}, Book{"contacts.vcf", version_3}, Book{"card book.vcf", version_4}};
  Dice dice(request.seed);
  const std::filesystem::path folder = request.folder / "Contacts";
  std::filesystem::create_directories(folder);
  Expected expected{{"contacts", 0}, {"lost", 0}, {"blobs", 0}, {"older", 0}};
  for (const Book& book : kBooks) {
    std::ofstream out(folder / book.file, std::ios::binary);
    for (std::int64_t number = 0; number < request.count / 3 + 1; ++number) {
      out << "BEGIN:VCARD\r\n" << book.card(dice, number);
      if (request.damaged && number % kDamagedEvery == kDamagedEvery / 2) {
        ++expected["lost"];  // no END
        continue;
      }
      out << "END:VCARD\r\n";
      ++expected["contacts"];
      if (book.card != version_3) ++expected["blobs"];
    }
  }
  std::ofstream(folder / "old.vcf", std::ios::binary)
      << "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Older\r\nUID:three-0\r\nREV:2020-01-01T00:00:00Z\r\nEND:VCARD\r\n";
  ++expected["older"];
  std::ofstream(folder / "empty.vcf", std::ios::binary).flush();
  return expected;
}

}  // namespace demo
