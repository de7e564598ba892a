#include "import/tree/text_file.h"

#include "base/text/format.h"
#include "base/text/utf8.h"
#include "import/charset/encoding.h"
#include "import/charset/read_text.h"
#include "import/io/limits.h"

#include <algorithm>

namespace ladder::imports {
namespace {

constexpr std::size_t kLookedAt = 16 * limits::kMiB;  // how far to search for non-ASCII bytes
constexpr std::size_t kPiece = 256 * limits::kKiB;

class OwnedBytes final : public Bytes {
 public:
  explicit OwnedBytes(std::string text) : text_(std::move(text)) {}
  Result<std::size_t> read(char* buffer, std::size_t capacity) override {
    const std::size_t count = std::min(capacity, text_.size() - at_);
    std::copy_n(text_.data() + at_, count, buffer);
    at_ += count;
    return count;
  }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

// Returns the length of the incomplete character at the end of a piece.
std::size_t open_end(std::string_view piece) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, piece.size()); ++back) {
    const auto byte = static_cast<unsigned char>(piece[piece.size() - back]);
    if ((byte & 0xC0) == 0x80) continue;
    const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

// Returns the first piece of the file that is not UTF-8, or that contains escapes of ISO-2022; "" if there is none in the first
// megabytes.
Result<std::string> foreign_piece(Tree& tree, EntryNo entry) {
  LADDER_TRY(const auto bytes, tree.open(entry));
  std::string piece;
  for (std::size_t seen = 0; seen < kLookedAt; seen += kPiece) {
    const std::size_t kept = piece.size();
    piece.resize(kept + kPiece);
    std::size_t filled = kept;
    for (;;) {
      LADDER_TRY(const std::size_t count, bytes->read(piece.data() + filled, piece.size() - filled));
      filled += count;
      if (count == 0 || filled == piece.size()) break;
    }
    const bool is_last = filled < piece.size();
    piece.resize(filled);
    const std::size_t open = is_last ? 0 : open_end(piece);
    const std::string_view whole = std::string_view(piece).substr(0, piece.size() - open);
    if (!utf8::is_valid(whole) || charset::has_escapes(whole)) return piece;
    if (is_last) break;
    piece.erase(0, piece.size() - open);
  }
  return std::string();
}

struct Found {
  const charset::Encoding* encoding = nullptr;  // null for UTF-8
  bool is_guess = false;
  bool is_wide = false;  // it has a byte order mark of UTF-16 or UTF-32
};

Result<Found> encoding_of(Tree& tree, EntryNo entry) {
  Found found;
  found.is_wide = is_wide(tree.head(entry));
  if (found.is_wide) return found;
  if (!tree.encoding.empty()) {
    found.encoding = charset::find_encoding(tree.encoding);
    return found;
  }
  if (const charset::Encoding* wide = charset::guess_wide(tree.head(entry))) return Found{wide, true, false};
  LADDER_TRY(const std::string piece, foreign_piece(tree, entry));
  if (piece.empty()) return found;
  found.encoding = charset::guess_encoding(piece);
  found.is_guess = found.encoding != nullptr;
  return found;
}

bool is_split_by_ascii(const Found& found) {
  using charset::Family;
  if (found.is_wide) return false;
  return found.encoding == nullptr || (found.encoding->family != Family::kStateful && found.encoding->family != Family::kWide);
}

Result<std::unique_ptr<Bytes>> whole_as_utf8(Tree& tree, EntryNo entry, const Found& found) {
  LADDER_TRY(const std::string bytes, tree.read(entry, limits::kMaxTextBytes));
  return std::make_unique<OwnedBytes>(to_utf8_raw(bytes, found.encoding == nullptr ? "" : found.encoding->name));
}

}  // namespace

Result<TextFile> open_text(Tree& tree, EntryNo entry) {
  TextFile file;
  LADDER_TRY(const Found found, encoding_of(tree, entry));
  if (found.is_guess) file.guessed = found.encoding->name;
  if (!is_split_by_ascii(found)) {
    LADDER_TRY(file.bytes, whole_as_utf8(tree, entry, found));
    return file;
  }
  if (found.encoding != nullptr) file.charset = found.encoding->name;
  LADDER_TRY(file.bytes, tree.open(entry));
  return file;
}

Result<std::unique_ptr<Bytes>> open_utf8(Tree& tree, EntryNo entry) {
  LADDER_TRY(const Found found, encoding_of(tree, entry));
  const bool is_utf8 = !found.is_wide && (found.encoding == nullptr || found.encoding->family == charset::Family::kUtf8);
  return is_utf8 ? tree.open(entry) : whole_as_utf8(tree, entry, found);
}

std::string text_head(Tree& tree, EntryNo entry) {
  const std::string_view head = tree.head(entry);
  if (is_wide(head)) return from_wide(head);
  if (!tree.encoding.empty()) return to_utf8_raw(head, tree.encoding);
  const charset::Encoding* wide = charset::guess_wide(head);
  return wide == nullptr ? std::string(head) : charset::decode(head, *wide).text;
}

Status report_guess(std::string_view guessed, std::string_view stream, Sink& sink) {
  if (guessed.empty()) return {};
  return sink.skipped(stream,
                      format("a file without a character encoding; it was read as {} (override with --encoding)", guessed));
}

}  // namespace ladder::imports
