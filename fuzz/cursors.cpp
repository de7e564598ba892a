// Sealed cursors. The input is used as a cursor from outside, which opens only if it is exactly what this key seals,
// and as the parts of a cursor, which round-trip and open for no other record, grant, key or purpose. Lines: direction,
// anchor, limit, before, after; the rest is q.
#include "base/limits.h"
#include "frame.h"
#include "server/window/window_cursor.h"

#include <charconv>

namespace ladder::fuzz {
namespace {

using crypto::Sealer;
using server::CursorBinding;
using server::WindowCursor;

const Sealer& sealer() {
  static const Sealer kSealer({{1, std::string(crypto::kSealKeyBytes, 'k')}, {2, std::string(crypto::kSealKeyBytes, 'l')}});
  return kSealer;
}

const Sealer& other_sealer() {
  static const Sealer kSealer({{2, std::string(crypto::kSealKeyBytes, 'm')}});
  return kSealer;
}

CursorBinding binding(std::string_view grant, std::string_view key) {
  return CursorBinding::of(grant, "conn_1", "notes", key, {"body", "body", {}});
}

std::int64_t number(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

bool is_cursor_error(const Error& error) {
  return error.code == Code::kInvalidCursor || error.code == Code::kCursorExpired || error.code == Code::kCursorMismatch;
}

// Checks a text of unknown origin.
void check_open(std::string_view text) {
  constexpr std::string_view kPurpose = "window-cursor/2";
  const auto plain = sealer().open(kPurpose, text);
  // Only this key seals it, and only in this form.
  if (plain) FUZZ_CHECK(text.size() <= limits::kMaxCursorBytes && sealer().seal_same(kPurpose, *plain) == text);
  const auto opened = server::open_cursor(sealer(), binding("g1", "n1"), text);
  if (!plain) FUZZ_CHECK(!opened && is_cursor_error(opened.error()));
  if (!opened) FUZZ_CHECK(is_cursor_error(opened.error()) && opened.error().param == "cursor");
  FUZZ_CHECK(!other_sealer().open(kPurpose, text));
}

void check_altered(std::string_view sealed, Chance& chance) {
  const CursorBinding bound = binding("g1", "n1");
  std::string altered(sealed);
  altered[chance.below(altered.size())] ^= static_cast<char>(1 << chance.below(8));
  FUZZ_CHECK(!server::open_cursor(sealer(), bound, altered));
  FUZZ_CHECK(!server::open_cursor(sealer(), bound, sealed.substr(0, chance.below(sealed.size()))));
  FUZZ_CHECK(!server::open_cursor(sealer(), bound, std::string(sealed) + "A"));
}

void check_round_trip(const WindowCursor& cursor, Chance& chance) {
  const CursorBinding bound = binding("g1", "n1");
  const crypto::Digest digest = crypto::sha256(cursor.q);
  const std::string sealed = server::seal(sealer(), bound, digest, cursor);
  FUZZ_CHECK(sealed.size() <= limits::kMaxCursorBytes && server::seal(sealer(), bound, digest, cursor) == sealed);
  const auto opened = server::open_cursor(sealer(), bound, sealed);
  FUZZ_CHECK(opened.has_value());
  const WindowCursor& back = opened->cursor;
  FUZZ_CHECK(back.direction == cursor.direction && back.anchor_chars == cursor.anchor_chars &&
             back.limit_chars == cursor.limit_chars);
  FUZZ_CHECK(back.q == cursor.q && back.before_chars == cursor.before_chars && back.after_chars == cursor.after_chars);
  FUZZ_CHECK(opened->same_content(digest) && !opened->same_content(crypto::sha256(cursor.q + "x")));
  for (const CursorBinding& other : {binding("g2", "n1"), binding("g1", "n2"), binding("", "n1")}) {
    const auto refused = server::open_cursor(sealer(), other, sealed);
    FUZZ_CHECK(!refused && refused.error().code == Code::kCursorMismatch);
  }
  FUZZ_CHECK(!server::open_cursor(other_sealer(), bound, sealed));
  FUZZ_CHECK(!sealer().open("another-purpose", sealed));
  check_altered(sealed, chance);
}

}  // namespace

void run(std::string_view input) {
  check_open(input);
  Chance chance(input);
  WindowCursor cursor;
  const std::string_view direction = take_line(input);
  cursor.direction = direction == "p"   ? server::Direction::kBackward
                     : direction == "m" ? server::Direction::kMatch
                                        : server::Direction::kForward;
  cursor.anchor_chars = number(take_line(input));
  cursor.limit_chars = number(take_line(input));
  if (cursor.direction == server::Direction::kMatch) {  // the other directions do not search
    cursor.before_chars = number(take_line(input));
    cursor.after_chars = number(take_line(input));
    cursor.q = input.substr(0, 4 * limits::kQueryMaxChars);
  }
  check_round_trip(cursor, chance);
}

}  // namespace ladder::fuzz
