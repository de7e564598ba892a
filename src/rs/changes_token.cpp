#include "rs/changes_token.h"

#include "base/bytes.h"

namespace ladder::rs {
namespace {

constexpr std::string_view kTokenPurpose = "changes-token";
constexpr std::string_view kCursorPurpose = "changes-cursor";
constexpr std::size_t kPadding = 512;

// Writes numbers and texts one after the other, and reads them back as far as they go.
class Packer {
 public:
  explicit Packer(std::string_view binding) { put(binding); }
  void put(std::int64_t number) { put_varint(bytes_, static_cast<std::uint64_t>(number)); }
  void put(std::string_view text) {
    put_varint(bytes_, text.size());
    bytes_ += text;
  }
  void put(const ChangesToken& token) {
    put(token.made_at);
    put(static_cast<std::int64_t>(token.known.size()));
    for (const auto& [stream, version] : token.known) {
      put(stream);
      put(version);
    }
  }
  Result<std::string> seal(const crypto::Sealer& sealer, std::string_view purpose) {
    bytes_.resize((bytes_.size() + kPadding - 1) / kPadding * kPadding, '\0');
    if (bytes_.size() <= crypto::kMaxPlaintextBytes) return sealer.seal_fresh(purpose, bytes_);
    return fail(Code::kInvalidArgument, "too many connections for one changes feed; ask for one at a time with connection_id",
                "connection_id");
  }

 private:
  std::string bytes_;
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}
  bool good() const { return good_; }
  std::int64_t number() {
    const auto value = get_varint(bytes_, at_);
    good_ = good_ && value;
    return good_ ? static_cast<std::int64_t>(*value) : 0;
  }
  std::string text() {
    const auto size = static_cast<std::uint64_t>(number());
    good_ = good_ && size <= bytes_.size() - at_;
    if (!good_) return {};
    std::string value(bytes_.substr(at_, size));
    at_ += size;
    return value;
  }
  ChangesToken token() {
    ChangesToken value;
    value.made_at = number();
    for (std::int64_t left = number(); good_ && left > 0; --left) {
      const store::StreamNo stream = number();
      value.known.emplace(stream, number());
    }
    return value;
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  bool good_ = true;
};

std::unexpected<Error> not_ours(std::string_view param) {
  return fail(Code::kInvalidCursor, "not one that this server made; start again with changes_since=beginning",
              std::string(param));
}

// The part behind the binding, once that is the right one.
template <class T, class Read>
Result<T> open(const crypto::Sealer& sealer, std::string_view purpose, std::string_view binding, std::string_view sealed,
               std::string_view param, Read read) {
  auto plain = sealer.open(purpose, sealed);
  if (!plain) {
    plain.error().param = param;
    return std::unexpected(std::move(plain).error());
  }
  Unpacker in(*plain);
  if (in.text() != binding) {
    if (!in.good()) return not_ours(param);
    return fail(Code::kCursorMismatch,
                "it belongs to another list, choice of fields or grant; start again with changes_since=beginning",
                std::string(param));
  }
  T value = read(in);
  if (!in.good()) return not_ours(param);
  return value;
}

}  // namespace

Result<std::string> seal_token(const crypto::Sealer& sealer, std::string_view binding, const ChangesToken& token) {
  Packer out(binding);
  out.put(token);
  return out.seal(sealer, kTokenPurpose);
}

Result<std::string> seal_cursor(const crypto::Sealer& sealer, std::string_view binding, const ChangesCursor& cursor) {
  Packer out(binding);
  out.put(cursor.since);
  out.put(cursor.horizon);
  out.put(cursor.stream);
  out.put(cursor.after);
  return out.seal(sealer, kCursorPurpose);
}

Result<ChangesToken> open_token(const crypto::Sealer& sealer, std::string_view binding, std::string_view sealed) {
  return open<ChangesToken>(sealer, kTokenPurpose, binding, sealed, "changes_since", [](Unpacker& in) { return in.token(); });
}

Result<ChangesCursor> open_cursor(const crypto::Sealer& sealer, std::string_view binding, std::string_view sealed) {
  return open<ChangesCursor>(sealer, kCursorPurpose, binding, sealed, "cursor", [](Unpacker& in) {
    ChangesCursor cursor;
    cursor.since = in.token();
    cursor.horizon = in.token();
    cursor.stream = in.number();
    cursor.after = in.number();
    return cursor;
  });
}

bool is_changes_cursor(const crypto::Sealer& sealer, std::string_view sealed) {
  return sealer.open(kCursorPurpose, sealed).has_value();
}

}  // namespace ladder::rs
