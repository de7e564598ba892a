#include "evidence/trim.h"

#include "base/utf8.h"
#include "json/scan.h"
#include "json/writer.h"
#include "model/base64_shape.h"
#include "model/field_path.h"

#include <algorithm>

namespace ladder::evidence {
namespace {

using json::Kind;
using json::Value;

constexpr std::size_t kLeastBase64Bytes = 256;  // shorter texts are not looked at

std::string_view type_name(Kind kind) { return kind == Kind::kObject ? "object" : kind == Kind::kArray ? "array" : "string"; }

std::string text_of(const Value& value) {
  return value.kind == Kind::kString ? json::decode_string(json::raw_content(value)) : std::string(value.text);
}

// Walks the data once and replaces values as it goes.
class Trimmer {
 public:
  Trimmer(std::string_view data, std::vector<CutField> cut, std::int64_t max_chars, Digester digest)
      : data_(data), max_chars_(max_chars), digest_(digest) {
    out_.cut = std::move(cut);
    out_.data.reserve(data.size());
  }

  Trimmed run() {
    const Value object = json::value_of(data_);
    if (object.kind == Kind::kObject) {
      for (json::Members members(object.text); members.next();) {
        field_ = json::decode_string(members.raw_name());
        look_at_field(members.value());
      }
    }
    out_.data += data_.substr(copied_);
    return std::move(out_);
  }

 private:
  CutField* known(std::string_view path) {
    const auto found = std::ranges::find(out_.cut, path, &CutField::path);
    return found == out_.cut.end() ? nullptr : &*found;
  }

  void look_at_field(const Value& value) {
    const std::string path = model::format_field_path(field_);
    if (CutField* const cut = known(path)) return cut_further(*cut, value);
    if (!is_long(value)) return hide_base64(value);
    const std::string text = text_of(value);
    if (value.kind == Kind::kString && model::looks_base64(text)) return hide_base64(value);
    CutField cut = described(path, value, text);
    if (value.kind == Kind::kString) {
      cut.shown_chars = max_chars_;
      replace(value, in_quotes(utf8::slice(text, 0, max_chars_)));
    } else {
      cut.mime_type = "application/json";
      replace(value, "null");
    }
    out_.cut.push_back(std::move(cut));
  }

  // Bytes bound chars, so most values are passed without being counted.
  bool is_long(const Value& value) const {
    if (value.kind != Kind::kString && value.kind != Kind::kObject && value.kind != Kind::kArray) return false;
    return std::ssize(value.text) > max_chars_ && utf8::count(text_of(value)) > max_chars_;
  }

  void cut_further(CutField& cut, const Value& value) {
    if (value.kind != Kind::kString || !is_long(value)) return;
    cut.shown_chars = max_chars_;
    replace(value, in_quotes(utf8::slice(text_of(value), 0, max_chars_)));
  }

  void hide_base64(const Value& value) {
    if (value.text.size() < kLeastBase64Bytes) return;
    if (value.kind == Kind::kObject) {
      for (json::Members members(value.text); members.next();) {
        nested_.push_back(json::decode_string(members.raw_name()));
        hide_base64(members.value());
        nested_.pop_back();
      }
    } else if (value.kind == Kind::kArray) {
      std::size_t index = 0;
      for (json::Elements elements(value.text); elements.next(); ++index) {
        nested_.push_back(std::to_string(index));
        hide_base64(elements.value());
        nested_.pop_back();
      }
    } else if (value.kind == Kind::kString) {
      const std::string text = text_of(value);
      model::Base64Shape shape;
      shape.feed(text);
      if (!shape.fits()) return;
      CutField cut = described(model::format_field_path(field_, nested_), value, text);
      cut.text_like = false;
      cut.mime_type = shape.sniffed_mime_type();
      replace(value, "\"\"");
      out_.cut.push_back(std::move(cut));
    }
  }

  CutField described(std::string path, const Value& value, std::string_view text) const {
    CutField cut;
    cut.path = std::move(path);
    cut.type = type_name(value.kind);
    cut.size_chars = utf8::count(text);
    cut.digest = digest_(text);
    return cut;
  }

  static std::string in_quotes(std::string_view text) {
    std::string json;
    json::append_string(json, text);
    return json;
  }

  void replace(const Value& value, std::string_view with) {
    const auto at = static_cast<std::size_t>(value.text.data() - data_.data());
    out_.data += data_.substr(copied_, at - copied_);
    out_.data += with;
    copied_ = at + value.text.size();
  }

  std::string_view data_;
  std::int64_t max_chars_;
  Digester digest_;
  Trimmed out_;
  std::size_t copied_ = 0;
  std::string field_;
  std::vector<std::string> nested_;
};

}  // namespace

Trimmed trim(std::string_view data, std::vector<CutField> cut, std::int64_t max_chars, Digester digest) {
  return Trimmer(data, std::move(cut), max_chars, digest).run();
}

}  // namespace ladder::evidence
