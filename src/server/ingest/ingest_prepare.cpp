// Checks a line, cheapest checks first, and extracts what the store needs.
#include "server/ingest/ingest_prepare.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "json/scan/scan.h"
#include "model/quote.h"
#include "model/record_id.h"
#include "server/catalog/catalog.h"
#include "store/index/order_key.h"

namespace ladder::server {
namespace {

using model::in_quotes;

constexpr std::size_t kMaxSequenceBytes = 4;      // maximum bytes of a UTF-8 code point
constexpr std::size_t kKeptBytes = limits::kMiB;  // a larger copy of a line is freed

Error fault_error(const json::Fault& fault, const Line& line) {
  const bool at_the_end = fault.offset + kMaxSequenceBytes > line.text.size();
  const bool cut = line.unterminated && (!fault.invalid_utf8 || at_the_end);
  std::string message = format("{}, at byte {} of the line", fault.what, fault.offset + 1);
  if (cut) message += "; the input ends inside this line, without a line end, so it may have been cut off";
  return {fault.invalid_utf8 && !cut ? Code::kInvalidUtf8 : Code::kMalformedNdjson, std::move(message)};
}

// Replaces each lone surrogate escape by the escape of U+FFFD, which has the same length (design D2).
void replace_lone_surrogates(std::string& checked) {
  for (std::size_t at = checked.find('\\'); at != std::string::npos; at = checked.find('\\', at)) {
    const json::Escape escape = json::read_escape(checked, at);
    if (json::is_surrogate(escape.code_point)) checked.replace(at, escape.length, "\\uFFFD");
    at += escape.length;
  }
}

std::optional<Instant> time_of(const json::Value& data, const std::string& field) {
  if (field.empty()) return std::nullopt;
  const auto value = json::member(data.text, field);
  if (!value || value->kind != json::Kind::kString || value->text.size() > limits::kMaxTimeTextBytes) return std::nullopt;
  const std::string_view raw = json::raw_content(*value);
  return raw.find('\\') == std::string_view::npos ? parse_field_time(raw) : parse_field_time(json::decode_string(raw));
}

}  // namespace

Status LinePreparer::prepare(const Line& line, store::RecordWrite& write) {
  LADDER_TRY(const std::string_view text, checked_text(line));
  LADDER_TRY(model::Envelope envelope, model::read_envelope(text));
  LADDER_CHECK(check_stream(envelope));
  LADDER_TRY(write.key, key_of(envelope));
  data_ = envelope.data;
  plan_ = {};
  LADDER_CHECK(model::check_identity(stream_.primary_key, write.key, data_));
  write.is_delete = envelope.is_delete;
  write.emitted_at = envelope.emitted_at.empty() ? format_time(clock_.now()) : std::move(envelope.emitted_at);
  if (envelope.is_delete) {
    write.digest = {};
    write.order_key.clear();
    return {};
  }
  return fill_upsert(write);
}

Result<std::string_view> LinePreparer::checked_text(const Line& line) {
  if (line.too_long) {
    return fail(Code::kResourceLimit, format("the line is over the limit of {} bytes", limits::kMaxLineBytes));
  }
  if (repaired_.capacity() > kKeptBytes) std::string().swap(repaired_);
  const auto facts = json::check(line.text, limits::kMaxJsonDepth);
  if (!facts) return std::unexpected(fault_error(facts.error(), line));
  lone_surrogates_ = facts->lone_surrogates;
  if (lone_surrogates_ == 0) return line.text;
  repaired_ = line.text;
  replace_lone_surrogates(repaired_);
  return repaired_;
}

// A line may omit its stream; a line that names another stream was sent to the wrong endpoint.
Status LinePreparer::check_stream(const model::Envelope& envelope) const {
  if (!envelope.stream || *envelope.stream == stream_.name) return {};
  const SourceEntry& source = *place_.connection->source;
  if (!source.declaration.stream(*envelope.stream)) return unknown_stream(source, *envelope.stream);
  return fail(Code::kInvalidRecord, format("the line says stream {}, but it was sent to {}; send each stream's lines to its own",
                                           in_quotes(*envelope.stream), in_quotes(stream_.name)));
}

Result<std::string> LinePreparer::key_of(const model::Envelope& envelope) const {
  const std::size_t arity = stream_.primary_key.size();
  if (envelope.key) return model::canonical_key(*envelope.key, arity);
  std::vector<std::string> parts;
  for (const std::string& field : stream_.primary_key) {
    const auto value = envelope.data.kind == json::Kind::kObject ? json::member(envelope.data.text, field) : std::nullopt;
    if (!value) {
      return fail(Code::kInvalidRecordIdentity,
                  format("the line has neither a \"key\" nor the primary key field {} in data", in_quotes(field)));
    }
    if (value->kind == json::Kind::kArray) {  // otherwise it would be parsed as a compound key
      return fail(Code::kInvalidRecordIdentity,
                  format("primary key field {} must be a string, number or boolean", in_quotes(field)));
    }
    LADDER_TRY(std::string part, model::canonical_key(*value, 1));
    parts.push_back(std::move(part));
  }
  std::string key = model::join_key(parts);
  if (key.size() > limits::kMaxRecordKeyBytes) {
    return fail(Code::kInvalidRecordIdentity,
                format("the key has {} bytes, more than {}", key.size(), limits::kMaxRecordKeyBytes));
  }
  return key;
}

Status LinePreparer::fill_upsert(store::RecordWrite& write) {
  if (const auto violation = stream_.schema.validate(data_)) {
    return fail(Code::kInvalidRecord, format("data{}: {}", violation->pointer, violation->message));
  }
  LADDER_TRY(plan_, store::plan_split(data_));
  write.order_key = store::order_key(stream_, data_, write.key);
  write.consent_time = time_of(data_, stream_.consent_time_field);
  write.digest = crypto::sha256(data_.text);
  write.value_count = plan_.value_count;
  return {};
}

Status LinePreparer::write_body(store::RecordWrite& write, store::ValueSink& sink) const {
  if (write.is_delete) return {};
  LADDER_TRY(write.body, store::split_long_values(data_, plan_, write.first_value, sink));
  return {};
}

}  // namespace ladder::server
