#include "auth/details.h"

#include "auth/body.h"
#include "base/limits.h"
#include "base/text/format.h"
#include "json/parse.h"

namespace ladder::auth {
namespace {

constexpr std::size_t kMaxDetailsBytes = 64 * limits::kKiB;
constexpr std::size_t kMaxDepth = 12;
constexpr std::size_t kMaxSources = 16;
constexpr std::size_t kMaxStreams = 64;
constexpr std::size_t kMaxListed = 1000;

std::unexpected<OAuthError> unfit(std::string why) { return refuse("invalid_authorization_details", std::move(why)); }

bool is_absolute_uri(std::string_view text) {
  const auto colon = text.find(':');
  return colon != std::string_view::npos && colon > 1 && text.size() > colon + 1 && text.size() <= 4096;
}

OAuthResult<std::optional<Instant>> read_time(const Body& range, std::string_view name) {
  const std::string text = range.text(name);
  if (text.empty()) return std::optional<Instant>();
  const auto at = parse_time(text);
  if (!at) return unfit(format("time_range.{} is not a time", name));
  return at;
}

OAuthResult<RequestedStream> read_stream(const Body& body) {
  RequestedStream stream;
  stream.name = body.text("name");
  if (stream.name.empty() || stream.name.size() > limits::kMaxNameBytes) return unfit("a stream without a name");
  const std::string necessity = body.text("necessity");
  if (!necessity.empty() && necessity != "required" && necessity != "optional") {
    return unfit("necessity is required or optional");
  }
  stream.required = necessity != "optional";
  stream.fields = body.texts("fields");
  stream.view = body.text("view");
  if (!stream.fields.empty() && !stream.view.empty()) return unfit("a stream has fields or a view, not both");
  stream.connection_ids = body.texts("instance_ids");
  stream.records = body.texts("resources");
  if (stream.fields.size() > kMaxListed || stream.connection_ids.size() > kMaxListed || stream.records.size() > kMaxListed) {
    return unfit("a stream lists more than 1,000 things");
  }
  const Body range = body.object("time_range");
  auto since = read_time(range, "since");
  if (!since) return std::unexpected(since.error());
  auto until = read_time(range, "until");
  if (!until) return std::unexpected(until.error());
  stream.since = *since;
  stream.until = *until;
  if (stream.since && stream.until && *stream.since >= *stream.until) return unfit("time_range ends before it begins");
  return stream;
}

OAuthResult<RequestedSource> read_source(const Body& body) {
  if (body.text("type") != kDetailsType) return unfit(format("type must be {}", kDetailsType));
  RequestedSource asked;
  asked.source = body.object("source").text("id");
  if (asked.source.empty()) asked.source = body.text("source");
  if (asked.source.empty()) return unfit("source.id is missing");
  asked.purpose_code = body.text("purpose_code");
  if (!is_absolute_uri(asked.purpose_code)) return unfit("purpose_code must be an absolute URI");
  asked.purpose_description = body.text("purpose_description");
  if (asked.purpose_description.size() > 4096) return unfit("purpose_description is longer than 4,096 bytes");
  const std::string mode = body.text("access_mode");
  if (mode != "single_use" && mode != "continuous") return unfit("access_mode is single_use or continuous");
  asked.single_use = mode == "single_use";
  const Body retention = body.object("retention");
  if (const std::string span = retention.text("max_duration"); !span.empty()) {
    asked.retention = format("{}, then {}", span, retention.text("on_expiry"));
  }
  if (body.has("selection_preset")) return unfit("selection_preset is not supported; name the streams");
  for (const Body& one : body.objects("streams")) {
    auto stream = read_stream(one);
    if (!stream) return std::unexpected(stream.error());
    asked.streams.push_back(*std::move(stream));
  }
  if (asked.streams.empty() || asked.streams.size() > kMaxStreams) return unfit("streams names 1 to 64 streams");
  for (const RequestedStream& stream : asked.streams) {
    if (stream.name == "*" && asked.streams.size() > 1) return unfit("the stream * can't be combined with others");
  }
  asked.commitments = body.object("client_claims").texts("commitments");
  return asked;
}

}  // namespace

bool same_terms(const RequestedSource& a, const RequestedSource& b) {
  return a.single_use == b.single_use && a.purpose_code == b.purpose_code && a.purpose_description == b.purpose_description;
}

OAuthResult<std::vector<RequestedSource>> read_details(std::string_view text) {
  std::vector<RequestedSource> all;
  if (text.empty()) return all;
  const auto tree = json::parse(text, kMaxDetailsBytes, kMaxDepth);
  if (!tree) return unfit("it is not JSON within 64 KiB");
  const auto* array = tree->if_array();
  if (!array || array->empty() || array->size() > kMaxSources) return unfit("it is an array of 1 to 16 entries");
  for (const auto& element : *array) {
    auto source = read_source(Body(element));
    if (!source) return std::unexpected(source.error());
    for (const RequestedSource& known : all) {
      if (known.source != source->source || same_terms(known, *source)) continue;
      return unfit(format("source {} is named twice with another access_mode or purpose; name each source once", known.source));
    }
    all.push_back(*std::move(source));
  }
  return all;
}

}  // namespace ladder::auth
