#include "import/formats/digest_id.h"

#include "base/bytes.h"
#include "crypto/hash.h"

namespace ladder::imports {

std::string digest_id(std::initializer_list<std::string_view> texts) {
  constexpr std::size_t kDigits = 32;
  crypto::Sha256 hash;
  for (const std::string_view text : texts) {
    std::string length;
    put_varint(length, text.size());
    hash.update(length);
    hash.update(text);
  }
  const crypto::Digest digest = hash.finish();
  return to_hex(crypto::view(digest)).substr(0, kDigits);
}

}  // namespace ladder::imports
