// Access to messages through GMime, and the limits for one message. Parts over a limit are left out and reported.
#pragma once

#include "import/formats/mail/encoded_words.h"
#include "import/io/bytes.h"
#include "import/io/limits.h"
#include "import/text/loose_base64.h"

#include <gmime/gmime.h>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports::mail {

// A message is in memory with its decoded text and its record: eight times this size fits into the child's address space.
inline constexpr std::size_t kMaxMessageBytes = 160 * limits::kMiB;
inline constexpr std::size_t kMaxAttachments = 1000;                       // of one message
inline constexpr std::size_t kMaxAttachmentTextBytes = 16 * limits::kMiB;  // text extracted from one attachment
inline constexpr std::size_t kMaxInnerBytes =
    160 * limits::kMiB;                   // of all messages nested in one message, each of which is copied
inline constexpr int kMaxPartDepth = 32;  // nested parts; real mail stays below ten
inline constexpr std::size_t kMaxHeaderBytes = 64 * limits::kKiB;  // of one header's value
inline constexpr std::size_t kMaxAddresses = 10'000;               // in one header
inline constexpr std::size_t kMaxReferences = 1000;

// Ownership of GMime objects, and the accessors that the mail format needs. All returned text is valid UTF-8.
struct Unref {
  void operator()(void* object) const { g_object_unref(object); }
};
template <class T>
using Ref = std::unique_ptr<T, Unref>;

// Parses a message without copying its bytes, which must outlive it. Nested messages are not parsed: while parsing a whole
// message GMime also parses its addresses recursively, and hostile addresses would overflow the stack.
class GMimeText {
 public:
  explicit GMimeText(std::string_view bytes);
  ~GMimeText();
  GMimeText(const GMimeText&) = delete;
  GMimeText& operator=(const GMimeText&) = delete;
  GMimeObject* root() const { return root_.get(); }  // null if GMime finds none

 private:
  GByteArray* array_ = nullptr;  // borrows the bytes
  Ref<GMimeStream> stream_;
  Ref<GMimeObject> root_;
};

// The content of a part with its transfer encoding decoded, in pieces.
class DecodedBytes final : public Bytes {
 public:
  explicit DecodedBytes(GMimePart* part);
  // The capacity must be at least 9 bytes: a piece of base64 ends with a group.
  Result<std::size_t> read(char* buffer, std::size_t capacity) override;
  std::int64_t count() const { return count_; }  // bytes read so far
  std::size_t most() const { return most_; }     // upper limit: encoded text is never shorter than its content
  // The text after the end of base64, such as the footer of a mailing list. It is not decoded.
  std::string_view after_base64() const { return after_base64_; }

 private:
  Result<std::size_t> read_base64(char* buffer, std::size_t capacity);

  Ref<GMimeStream> stream_;
  std::optional<LooseBase64> base64_;  // decoded here: GMime's filter takes twice as long
  std::string text_;                   // the encoded text
  std::string_view after_base64_;
  std::size_t most_ = 0;
  std::int64_t count_ = 0;
};

GMimeParserOptions* parser_options();

// Returns the first value of the header, unfolded; "" if there is none.
std::string raw_header(GMimeObject* object, const char* name);
// Returns the value as UTF-8, with encoded words in UTF-8 (encoded_words.h).
std::string recoded_header(GMimeObject* object, const char* name, HeaderCharset& charset);
// Returns the value as UTF-8 with encoded words (RFC 2047) decoded.
std::string header_text(GMimeObject* object, const char* name, HeaderCharset& charset);
// Returns the charset that the first text in it names; "" if none does.
std::string charset_of_text(GMimeObject* object);

struct Address {
  std::string name, address;
  std::string display() const;  // "Ann Lee <ann@example.org>"
};
// Groups are flattened.
std::vector<Address> addresses(GMimeObject* object, const char* name, HeaderCharset& charset);

std::vector<std::string> message_ids(GMimeObject* object, const char* name);

}  // namespace ladder::imports::mail
