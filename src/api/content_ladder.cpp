#include "api/content_ladder.h"

#include "json/scan/scan.h"
#include "model/field_path.h"

namespace ladder::api {
namespace {

using json::Kind;
using json::Value;

class BlobFinder {
 public:
  explicit BlobFinder(std::size_t most) : most_(most) {}

  void look_at_field(std::string field, const Value& value) {
    field_ = std::move(field);
    look_at(value);
  }
  std::vector<LadderField> take() { return std::move(found_); }

 private:
  void look_at(const Value& value) {
    if (found_.size() >= most_) return;
    if (value.kind == Kind::kArray) {
      std::size_t index = 0;
      for (json::Elements elements(value.text); elements.next(); ++index) step(std::to_string(index), elements.value());
    } else if (value.kind == Kind::kObject) {
      if (auto facts = blob_reference(value.text)) return add(*std::move(facts));
      for (json::Members members(value.text); members.next();) step(json::decode_string(members.raw_name()), members.value());
    }
  }

  void step(std::string token, const Value& value) {
    if (value.kind != Kind::kArray && value.kind != Kind::kObject) return;
    nested_.push_back(std::move(token));
    look_at(value);
    nested_.pop_back();
  }

  void add(BlobReference facts) {
    LadderField field;
    field.path = model::format_field_path(field_, nested_);
    field.type = "object";
    field.mime_type = facts.mime_type;
    field.digest = facts.digest;
    field.text_like = false;
    field.status = PreviewStatus::kBinaryOnly;
    field.size_bytes = facts.size_bytes;
    field.blob = std::move(facts);
    found_.push_back(std::move(field));
  }

  std::size_t most_;
  std::string field_;
  std::vector<std::string> nested_;
  std::vector<LadderField> found_;
};

}  // namespace

LadderField ladder_field(const CutField& cut) {
  LadderField field;
  field.path = cut.path;
  field.type = cut.type;
  field.mime_type = cut.mime_type;
  field.digest = cut.digest;
  field.text_like = cut.text_like;
  field.size_chars = cut.size_chars;
  field.size_bytes = cut.size_bytes;
  field.resume.offset_chars = cut.shown_chars;
  field.status = !cut.text_like ? PreviewStatus::kBinaryOnly : PreviewStatus::kTruncated;
  if (cut.text_like) field.preview = CharRange{0, cut.shown_chars};
  return field;
}

std::vector<LadderField> blobs_in(std::string_view data, std::size_t most) {
  BlobFinder finder(most);
  const Value object = json::value_of(data);
  if (object.kind != Kind::kObject) return {};
  for (json::Members members(object.text); members.next();) {
    finder.look_at_field(json::decode_string(members.raw_name()), members.value());
  }
  return finder.take();
}

}  // namespace ladder::api
