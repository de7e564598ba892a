#include "import/formats/mail/mail_emlx.h"

#include "base/text/number.h"
#include "import/text/text.h"

#include <array>

namespace ladder::imports::mail {
namespace {

struct Flag {
  int bit;
  char letter;
};
constexpr std::array kFlags = {Flag{0, 'S'}, Flag{1, 'T'}, Flag{2, 'R'}, Flag{4, 'F'}, Flag{6, 'D'}};

}  // namespace

Emlx read_emlx(std::string_view file) {
  const std::size_t end = file.find('\n');
  const auto length = parse_number<std::size_t>(trim(file.substr(0, std::min<std::size_t>(end, 32))));
  if (end == std::string_view::npos || !length) return {file, {}};
  Emlx read{file.substr(end + 1, *length), {}};
  constexpr std::string_view kKey = "<key>flags</key>", kNumber = "<integer>";
  const std::string_view list = file.substr(std::min(file.size(), end + 1 + read.message.size()));
  const std::size_t key = list.find(kKey);
  const std::size_t begin = key == std::string_view::npos ? key : list.find(kNumber, key);
  if (begin == std::string_view::npos) return read;
  const std::string_view rest = list.substr(begin + kNumber.size());
  const std::uint64_t flags = parse_number<std::uint64_t>(rest.substr(0, rest.find('<'))).value_or(0);
  for (const Flag& each : kFlags) {
    if ((flags >> each.bit & 1) != 0) read.flags += each.letter;
  }
  return read;
}

std::string emlx_folder(std::string_view path) {
  for (std::size_t at = path.size(); at != std::string_view::npos && at > 0;) {
    const std::size_t slash = path.rfind('/', at - 1);
    const std::string_view name =
        path.substr(slash == std::string_view::npos ? 0 : slash + 1, at - (slash == std::string_view::npos ? 0 : slash + 1));
    for (const std::string_view ending : {".imapmbox", ".mbox"}) {
      if (name.ends_with(ending)) return std::string(name.substr(0, name.size() - ending.size()));
    }
    at = slash;
  }
  return {};
}

}  // namespace ladder::imports::mail
