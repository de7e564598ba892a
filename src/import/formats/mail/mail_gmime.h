// Bounds on one message, each with its reason. Parts over a bound are left out, and the record and the account say so.
#pragma once

#include "import/formats/mail/encoded_words.h"
#include "import/limits.h"
#include "import/text/loose_base64.h"
#include "import/tree/bytes.h"

#include <gmime/gmime.h>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports::mail {

// A message is held whole, with the decoded text and its record beside it: eight times this fits the child's address space.
inline constexpr std::size_t kMaxMessageBytes = 160 * limits::kMiB;
inline constexpr std::size_t kMaxAttachments = 1000;                       // of one message
inline constexpr std::size_t kMaxAttachmentTextBytes = 16 * limits::kMiB;  // text taken out of one attachment
inline constexpr std::size_t kMaxInnerBytes = 160 * limits::kMiB;  // of all messages inside one message, each opened as a copy
inline constexpr int kMaxPartDepth = 32;                           // parts in parts; real mail stays under ten
inline constexpr std::size_t kMaxHeaderBytes = 64 * limits::kKiB;  // of one header's value
inline constexpr std::size_t kMaxAddresses = 10'000;               // in one header
inline constexpr std::size_t kMaxReferences = 1000;

// GMime's objects with owners, and the few reads of them that mail needs. Everything that comes out is valid UTF-8.
struct Unref {
  void operator()(void* object) const { g_object_unref(object); }
};
template <class T>
using Ref = std::unique_ptr<T, Unref>;

// A message over bytes that outlive it; they are not copied. It is read as a part, headers and all, and messages inside it stay
// closed: GMime takes the addresses of whole messages apart as it reads, and its stack does not survive those of an attacker.
class GMimeText {
 public:
  explicit GMimeText(std::string_view bytes);
  ~GMimeText();
  GMimeText(const GMimeText&) = delete;
  GMimeText& operator=(const GMimeText&) = delete;
  GMimeObject* root() const { return root_.get(); }  // null when GMime sees none

 private:
  GByteArray* array_ = nullptr;  // borrows the bytes
  Ref<GMimeStream> stream_;
  Ref<GMimeObject> root_;
};

// The content of a part with its transfer encoding undone, piece by piece.
class DecodedBytes final : public Bytes {
 public:
  explicit DecodedBytes(GMimePart* part);
  // Room for 9 bytes at least: a piece of base64 ends where a group does.
  Result<std::size_t> read(char* buffer, std::size_t capacity) override;
  std::int64_t count() const { return count_; }  // of what was read
  std::size_t most() const { return most_; }     // no encoding is shorter than what is in it
  // The text that follows the end of base64, such as the footer of a mailing list. It is not decoded.
  std::string_view after_base64() const { return after_base64_; }

 private:
  Result<std::size_t> read_base64(char* buffer, std::size_t capacity);

  Ref<GMimeStream> stream_;
  std::optional<LooseBase64> base64_;  // undone here: GMime's filter takes twice as long
  std::string text_;                   // of it
  std::string_view after_base64_;
  std::size_t most_ = 0;
  std::int64_t count_ = 0;
};

GMimeParserOptions* parser_options();

// The header's value as it stands, unfolded; "" when there is none. The first, when there are several.
std::string raw_header(GMimeObject* object, const char* name);
// The same as UTF-8, encoded words too (encoded_words.h).
std::string recoded_header(GMimeObject* object, const char* name, HeaderCharset& charset);
// The same with encoded words (RFC 2047) decoded.
std::string header_text(GMimeObject* object, const char* name, HeaderCharset& charset);
// The charset that the first text in it names; "" when none does.
std::string charset_of_text(GMimeObject* object);

struct Address {
  std::string name, address;
  std::string display() const;  // "Ann Lee <ann@example.org>"
};
// Groups are taken apart.
std::vector<Address> addresses(GMimeObject* object, const char* name, HeaderCharset& charset);

std::vector<std::string> message_ids(GMimeObject* object, const char* name);

}  // namespace ladder::imports::mail
