#include "json_grammar.h"

namespace ladder::fuzz {
namespace {

class Grammar {
 public:
  Grammar(std::string_view text, std::size_t max_depth) : rest_(text), depth_left_(max_depth) {}

  bool document() { return element() && rest_.empty(); }

 private:
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  bool take_one_of(std::string_view chars) {
    if (rest_.empty() || chars.find(rest_.front()) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void space() {
    while (take_one_of(" \t\n\r")) {
    }
  }

  bool element() {
    space();
    if (!value()) return false;
    space();
    return true;
  }

  bool value() {
    if (take("null") || take("true") || take("false")) return true;
    if (rest_.starts_with('"')) return string();
    if (rest_.starts_with('[') || rest_.starts_with('{')) return container();
    return number();
  }

  bool container() {
    if (depth_left_ == 0) return false;
    --depth_left_;
    const bool ok = take('[') ? list(']', &Grammar::element) : take('{') && list('}', &Grammar::member);
    ++depth_left_;
    return ok;
  }

  bool list(char closing, bool (Grammar::*one)()) {
    space();
    if (take(closing)) return true;
    do {
      if (!(this->*one)()) return false;
    } while (take(','));
    return take(closing);
  }

  bool member() {
    space();
    if (!string()) return false;
    space();
    return take(':') && element();
  }

  bool string() {
    if (!take('"')) return false;
    while (!take('"')) {
      if (rest_.empty() || static_cast<unsigned char>(rest_.front()) < 0x20) return false;
      if (take('\\')) {
        if (!escape()) return false;
      } else {
        rest_.remove_prefix(1);
      }
    }
    return true;
  }

  bool escape() {
    if (take_one_of("\"\\/bfnrt")) return true;
    if (!take('u')) return false;
    for (int i = 0; i < 4; ++i) {
      if (!take_one_of("0123456789abcdefABCDEF")) return false;
    }
    return true;
  }

  bool digits() {
    if (!take_one_of("0123456789")) return false;
    while (take_one_of("0123456789")) {
    }
    return true;
  }

  bool number() {
    take('-');
    if (!take('0') && !digits()) return false;
    if (take('.') && !digits()) return false;
    if (!take_one_of("eE")) return true;
    take_one_of("+-");
    return digits();
  }

  std::string_view rest_;
  std::size_t depth_left_;
};

}  // namespace

bool is_json(std::string_view text, std::size_t max_depth) { return Grammar(text, max_depth).document(); }

}  // namespace ladder::fuzz
