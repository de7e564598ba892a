// The rows of a statement's result, the same for SQLite and PostgreSQL.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::store::sql {

// A result as the engine keeps it.
class RowSource {
 public:
  virtual ~RowSource() = default;

  virtual int size() const = 0;
  virtual std::int64_t affected() const = 0;  // rows an INSERT, UPDATE or DELETE changed
  virtual bool is_null(int row, int column) const = 0;
  virtual std::int64_t integer(int row, int column) const = 0;  // a boolean is 0 or 1
  virtual std::string_view bytes(int row, int column) const = 0;
};

class Row {
 public:
  Row(const RowSource& source, int at) : source_(source), at_(at) {}

  bool is_null(int column) const { return source_.is_null(at_, column); }
  std::int64_t integer(int column) const { return source_.integer(at_, column); }
  std::optional<std::int64_t> maybe_integer(int column) const {
    return is_null(column) ? std::nullopt : std::optional(integer(column));
  }
  std::string_view bytes(int column) const { return source_.bytes(at_, column); }  // of a text, too; valid as long as the Rows
  std::string text(int column) const { return std::string(bytes(column)); }

 private:
  const RowSource& source_;
  int at_;
};

class Rows {
 public:
  Rows() = default;  // only to be assigned to
  explicit Rows(std::unique_ptr<const RowSource> source) : source_(std::move(source)) {}

  int size() const { return source_->size(); }
  bool empty() const { return size() == 0; }
  std::int64_t affected() const { return source_->affected(); }
  Row operator[](int row) const { return {*source_, row}; }

  // Makes a value of each row, or of the first one, with `make(row)`.
  template <class Make>
  auto all(const Make& make) const {
    std::vector<decltype(make((*this)[0]))> values;
    values.reserve(static_cast<std::size_t>(size()));
    for (int row = 0; row < size(); ++row) values.push_back(make((*this)[row]));
    return values;
  }
  template <class Make>
  auto first(const Make& make) const {
    return empty() ? std::nullopt : std::optional(make((*this)[0]));
  }

 private:
  std::unique_ptr<const RowSource> source_;
};

}  // namespace ladder::store::sql
