// PostgreSQL's binary formats of the values Ladder sends: 64-bit integers, byte strings (bytea and text have the same
// wire format) and one-dimensional arrays of them. Everything is big-endian.
#pragma once

#include "store/sql/database.h"

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ladder::store::postgres {

inline constexpr std::uint32_t kInt8Oid = 20;
inline constexpr std::uint32_t kByteaOid = 17;
inline constexpr std::uint32_t kTextOid = 25;
inline constexpr std::uint32_t kNoOid = 0;  // the statement gives the type

template <std::integral T>
T big_endian(T value) {
  if constexpr (std::endian::native == std::endian::little) return std::byteswap(value);
  return value;
}

template <std::integral T>
void put_big_endian(std::string& out, T value) {
  const T swapped = big_endian(value);
  out.append(reinterpret_cast<const char*>(&swapped), sizeof swapped);
}

template <std::integral T>
T get_big_endian(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return big_endian(value);
}

// An array builder that appends each element in wire format.
template <std::uint32_t kElementOid>
class Array {
 public:
  Array() {
    put_big_endian<std::int32_t>(bytes_, 1);  // dimensions
    put_big_endian<std::int32_t>(bytes_, 0);  // has nulls
    put_big_endian<std::uint32_t>(bytes_, kElementOid);
    put_big_endian<std::int32_t>(bytes_, 0);  // elements, patched by add
    put_big_endian<std::int32_t>(bytes_, 1);  // the first index
  }

  void add(std::int64_t value)
    requires(kElementOid == kInt8Oid)
  {
    put_big_endian<std::int32_t>(bytes_, sizeof value);
    put_big_endian(bytes_, value);
    count();
  }
  void add(std::optional<std::int64_t> value)
    requires(kElementOid == kInt8Oid)
  {
    if (value) return add(*value);
    put_big_endian<std::int32_t>(bytes_, -1);
    bytes_[7] = 1;
    count();
  }
  void add(std::string_view value)
    requires(kElementOid != kInt8Oid)
  {
    put_big_endian(bytes_, static_cast<std::int32_t>(value.size()));
    bytes_.append(value);
    count();
  }

  std::int32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::string_view bytes() const { return bytes_; }

 private:
  void count() {
    const std::int32_t swapped = big_endian(++size_);
    std::memcpy(bytes_.data() + 12, &swapped, sizeof swapped);
  }

  std::string bytes_;
  std::int32_t size_ = 0;
};

using Int8Array = Array<kInt8Oid>;
using ByteaArray = Array<kByteaOid>;

// The parameters of one statement. Byte strings and arrays are not copied: they must live until the statement is queued.
class Parameters {
 public:
  static constexpr int kMax = 20;

  template <class... P>
  explicit Parameters(const P&... parameters) {
    static_assert(sizeof...(P) < kMax);  // one is left for append()
    (put(parameters), ...);
  }
  explicit Parameters(std::span<const sql::Parameter> parameters) {
    for (const sql::Parameter& parameter : parameters) put(parameter);
  }
  Parameters(const Parameters&) = delete;
  Parameters& operator=(const Parameters&) = delete;

  void append(std::int64_t value) { put(value); }

  int count() const { return count_; }
  const char* const* values() const { return values_; }
  const int* lengths() const { return lengths_; }
  const int* formats() const { return formats_; }
  const std::uint32_t* types() const { return types_; }

 private:
  void put(std::int64_t value) {
    numbers_[count_] = big_endian(value);
    put_bytes(reinterpret_cast<const char*>(&numbers_[count_]), sizeof value);
  }
  void put(const std::optional<std::int64_t>& value) { value ? put(*value) : put_bytes(nullptr, 0); }
  void put(std::string_view bytes) { put_bytes(bytes.data() == nullptr ? "" : bytes.data(), bytes.size()); }
  void put(const std::string& bytes) { put(std::string_view(bytes)); }
  template <std::uint32_t kOid>
  void put(const Array<kOid>& array) {
    put(array.bytes());
  }
  void put(const sql::Parameter& parameter) {
    const bool is_integer = parameter.type == sql::Parameter::Type::kInteger;
    types_[count_] = is_integer ? kInt8Oid : parameter.type == sql::Parameter::Type::kText ? kTextOid : kByteaOid;
    if (!is_integer) return put(parameter.bytes);
    put(parameter.is_null ? std::nullopt : std::optional(parameter.number));
  }
  void put_bytes(const char* data, std::size_t size) {
    values_[count_] = data;
    lengths_[count_] = static_cast<int>(size);
    formats_[count_] = 1;  // binary
    ++count_;
  }

  int count_ = 0;
  std::int64_t numbers_[kMax];
  const char* values_[kMax];
  int lengths_[kMax];
  int formats_[kMax];
  std::uint32_t types_[kMax] = {};  // kNoOid unless the parameter has one
};

}  // namespace ladder::store::postgres
