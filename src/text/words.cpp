#include "text/words.h"

#include "base/text/block.h"
#include "base/text/utf8.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace ladder::text {
namespace {

#include "text/word_table.inc"

// The entries below kFirstFold, in the numbering of tools/generate_words.cpp.
enum : std::uint16_t { kSeparator, kIgnored, kLetter, kSingle, kEmoji };

std::uint16_t entry_of(char32_t c) {
  return c < kWordEnd ? kWordEntry[kWordBlock[c / 128] * 128u + c % 128] : std::uint16_t{kSeparator};
}

std::string_view fold_text(std::size_t fold) {
  return {reinterpret_cast<const char*>(kFoldText) + kFoldAt[fold], static_cast<std::size_t>(kFoldAt[fold + 1] - kFoldAt[fold])};
}

// ASCII letters and digits, folded; 0 separates words.
constexpr auto kAscii = [] {
  std::array<char, 128> table{};
  for (unsigned char c = '0'; c <= '9'; ++c) table[c] = static_cast<char>(c);
  for (unsigned char c = 'a'; c <= 'z'; ++c) table[c] = static_cast<char>(c);
  for (unsigned char c = 'A'; c <= 'Z'; ++c) table[c] = static_cast<char>(c - 'A' + 'a');
  return table;
}();

bool is_separator(unsigned char c) { return c < 0x80 && kAscii[c] == 0; }
bool is_of_word(unsigned char c) { return c < 0x80 && kAscii[c] != 0; }

constexpr unsigned char kToLower = 0x20;  // the bit set in lower case letters and digits
constexpr std::size_t kLongRunBlocks = kMaxWordBytes / kBlockBytes - 2;

// Marks the bytes for which is_of_word is true.
auto of_word(Block block) { return ((block | kToLower) - 'a' < 26) | (block - '0' < 10); }

}  // namespace

void WordBeginnings::add(std::string_view folded_word) {
  const auto first = static_cast<unsigned char>(folded_word.front());
  const auto known = std::span(letters_).first(std::min(count_, kMax));
  if (first >= kAscii.size() || std::ranges::find(known, first) != known.end()) return;
  if (count_ < kMax) letters_[count_] = first;
  ++count_;
}

void Words::feed(std::string_view valid_utf8) {
  piece_ = valid_utf8;
  at_ = 0;
}

bool Words::next(Word& word) {
  if (single_waits_) {
    emit_single(word);
    return true;
  }
  // Fast path: ASCII separators, an ASCII word and an ASCII separator right after it. All other cases use the steps
  // below, starting at the beginning of the word.
  if (open_ == Open::kNone && at_ < piece_.size()) {
    const auto* const begin_of_piece = reinterpret_cast<const unsigned char*>(piece_.data());
    const unsigned char* const end = begin_of_piece + piece_.size();
    const unsigned char* at = begin_of_piece + at_;
    while (at < end && is_separator(*at)) ++at;
    if (const auto passed = at - (begin_of_piece + at_); passed > 0) {
      adjacent_ = false;
      at_ += static_cast<std::size_t>(passed);
      char_ += passed;
    }
    const unsigned char* const begin_of_word = at;
    const unsigned char* const stop = at + std::min(static_cast<std::size_t>(end - at), kMaxWordBytes);
    char* out = text_.data();
    while (at < stop && is_of_word(*at)) *out++ = kAscii[*at++];
    if (at > begin_of_word && at < end && is_separator(*at)) {
      begin(Open::kWord);
      size_ = static_cast<std::size_t>(at - begin_of_word);
      at_ += size_;
      char_ += at - begin_of_word;
      close(word);
      return true;
    }
  }
  while (at_ < piece_.size()) {
    const bool ascii = static_cast<unsigned char>(piece_[at_]) < 0x80;
    if (ascii ? step_ascii() : step_code_point()) continue;
    close(word);
    return true;
  }
  if (!finished_ || open_ == Open::kNone) return false;
  close(word);
  return true;
}

// Works on blocks, not on single words: a word begins where a letter follows a separator.
void Words::skip_others(const WordBeginnings& wanted) {
  if (!finished_ || single_waits_ || open_ != Open::kNone || wanted.count_ > WordBeginnings::kMax) return;
  const auto* const from = reinterpret_cast<const unsigned char*>(piece_.data()) + at_;
  const unsigned char* const end = from + (piece_.size() - at_);
  if (end - from <= kBlockBytes || !is_separator(*from)) return;
  const auto begins_wanted = [&](Block block, Block before) {
    auto letter = (block | kToLower) == wanted.letters_[0];
    for (std::size_t i = 1; i < wanted.count_; ++i) letter |= (block | kToLower) == wanted.letters_[i];
    return letter & ~of_word(before);
  };
  const unsigned char* at = from + 1;
  std::size_t run = 0;  // blocks without a separator: after kMaxWordBytes a word begins without one
  for (;;) {
    const Block block = load_block(at);
    const std::ptrdiff_t found = first_found(begins_wanted(block, load_block(at - 1)) | (block >= 0x80));
    run = any_found(~of_word(block)) ? 0 : run + 1;
    if (found < kBlockBytes || run > kLongRunBlocks || end - at == kBlockBytes) {
      at += found;
      break;
    }
    at = std::min(at + kBlockBytes, end - kBlockBytes);
  }
  while (at != end && is_of_word(at[-1])) --at;  // back to the start of the first word to keep
  adjacent_ = false;
  at_ += static_cast<std::size_t>(at - from);
  char_ += at - from;
}

// Consumes a run of ASCII word characters or of ASCII separators.
bool Words::step_ascii() {
  const char* const begin_of_run = piece_.data() + at_;
  const char* const end = piece_.data() + piece_.size();
  const char* at = begin_of_run;
  if (kAscii[static_cast<unsigned char>(*at)] == 0) {
    if (open_ != Open::kNone) return false;
    adjacent_ = false;
    do ++at;
    while (at < end && static_cast<unsigned char>(*at) < 0x80 && kAscii[static_cast<unsigned char>(*at)] == 0);
  } else {
    if (open_ == Open::kNone) begin(Open::kWord);
    if (open_ != Open::kWord || size_ == kMaxWordBytes || is_long()) return false;
    const auto chars_left = static_cast<std::size_t>(start_ + kMaxWordChars - char_);
    const char* const stop = at + std::min({static_cast<std::size_t>(end - at), kMaxWordBytes - size_, chars_left});
    char* out = text_.data() + size_;
    while (at < stop && static_cast<unsigned char>(*at) < 0x80) {
      const char folded = kAscii[static_cast<unsigned char>(*at)];
      if (folded == 0) break;
      *out++ = folded;
      ++at;
    }
    size_ += static_cast<std::size_t>(at - begin_of_run);
  }
  at_ += static_cast<std::size_t>(at - begin_of_run);
  char_ += at - begin_of_run;
  return true;
}

bool Words::step_code_point() {
  std::size_t after = at_;
  const std::uint16_t entry = entry_of(utf8::next(piece_, after));
  const std::string_view itself = piece_.substr(at_, after - at_);
  switch (entry) {
    case kSeparator:
      if (open_ != Open::kNone) return false;
      adjacent_ = false;
      break;
    case kIgnored:
      if (open_ == Open::kNone) {
        adjacent_ = false;
      } else if (is_long()) {
        return false;
      }
      break;
    case kLetter:
      if (!add(itself, Open::kWord)) return false;
      break;
    case kSingle:
      if (!add(itself, Open::kSingle)) return false;
      break;
    case kEmoji:
      if (!add(itself, Open::kEmoji)) return false;
      break;
    default: {
      const std::size_t fold = entry - kFirstFold;
      if (!add(fold_text(fold), fold < kLetterFolds ? Open::kWord : Open::kSingle)) return false;
    }
  }
  at_ = after;
  ++char_;
  return true;
}

// Adds a character that is a word or part of one.
bool Words::add(std::string_view folded, Open kind) {
  if (open_ == Open::kNone) {
    begin(kind);
  } else if (kind != Open::kWord || open_ != Open::kWord || size_ + folded.size() > kMaxWordBytes || is_long()) {
    return false;
  }
  std::memcpy(text_.data() + size_, folded.data(), folded.size());
  size_ += folded.size();
  return true;
}

void Words::begin(Open kind) {
  open_ = kind;
  start_ = char_;
  size_ = 0;
  if (kind != Open::kSingle) adjacent_ = false;
}

void Words::close(Word& word) {
  end_ = char_;
  if (open_ != Open::kSingle) {
    open_ = Open::kNone;
    word = {{text_.data(), size_}, start_, end_, position_++, false};
    return;
  }
  open_ = Open::kNone;
  if (!adjacent_) return emit_single(word);
  std::memcpy(pair_.data(), last_.data(), last_size_);
  std::memcpy(pair_.data() + last_size_, text_.data(), size_);
  word = {{pair_.data(), last_size_ + size_}, last_start_, end_, position_ - 1, true};
  single_waits_ = true;
}

void Words::emit_single(Word& word) {
  single_waits_ = false;
  word = {{text_.data(), size_}, start_, end_, position_++, false};
  std::memcpy(last_.data(), text_.data(), size_);
  last_size_ = size_;
  last_start_ = start_;
  adjacent_ = true;
}

}  // namespace ladder::text
