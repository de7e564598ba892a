// A sink that keeps everything, for tests and fuzz targets of formats. It checks for everything that the parent process would
// reject.
#pragma once

#include "base/limits.h"
#include "base/text/format.h"
#include "crypto/hash.h"
#include "import/formats/format.h"
#include "import/formats/record_members.h"
#include "import/io/limits.h"
#include "import/text/mime_type.h"
#include "json/scan/scan.h"
#include "model/declaration/declaration.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ladder::imports::testing {

struct Collected {
  std::string stream, data;
  wire::FileLocation at;
  std::optional<Instant> time;
  std::string key = {}, emitted_at = {};
};

class CollectingSink final : public Sink {
 public:
  // With a declaration, every record must match it; `faults` lists the records that do not.
  explicit CollectingSink(std::string_view declaration = {}) {
    if (declaration.empty()) return;
    auto parsed = model::parse_declaration(declaration);
    if (parsed) declared = std::make_shared<const model::SourceDeclaration>(*std::move(parsed));
    else faults.push_back("the declaration: " + parsed.error().message);
  }

  Status record(const Record& record) override {
    records.push_back({std::string(record.stream), std::string(record.data), record.at, record.time, std::string(record.key),
                       std::string(record.emitted_at)});
    if (!record.key.empty() && !json::check(record.key, 1)) faults.push_back("not a key: " + std::string(record.key));
    if (!json::check(record.data, ladder::limits::kMaxJsonDepth)) faults.push_back("not JSON: " + std::string(record.data));
    else check_declared(record);
    return {};
  }
  Result<std::string> blob(std::string_view mime_type, Bytes& bytes) override {
    LADDER_TRY(std::string whole, read_to_end(bytes, limits::kMaxBlobBytes));
    std::string reference = blob_ref(crypto::sha256(whole), fit_mime_type(mime_type), static_cast<std::int64_t>(whole.size()));
    blobs.emplace_back(fit_mime_type(mime_type), std::move(whole));
    return reference;
  }
  Status lost(const wire::FileLocation& at, std::string_view reason) override {
    losses.push_back({at, std::string(reason)});
    return {};
  }
  Status skipped(std::string_view stream, std::string_view reason) override {
    ++skips[format("{}: {}", stream, reason)];
    return {};
  }
  Status checkpoint(std::string_view position) override {
    if (position.size() > kMaxPositionBytes) faults.push_back("a position is too long");
    checkpoints.emplace_back(position, records.size());
    lost_before.push_back(losses.size());
    return {};
  }

  std::vector<Collected> of(std::string_view stream) const {
    std::vector<Collected> found;
    for (const Collected& one : records) {
      if (one.stream == stream) found.push_back(one);
    }
    return found;
  }

  std::vector<Collected> records;
  std::vector<std::pair<std::string, std::string>> blobs;  // MIME type, bytes
  std::vector<Refusal> losses;
  std::map<std::string, int> skips;                              // "stream: reason" → count
  std::vector<std::pair<std::string, std::size_t>> checkpoints;  // position, number of records before it
  std::vector<std::size_t> lost_before;                          // number of losses before each checkpoint
  std::vector<std::string> faults;
  std::shared_ptr<const model::SourceDeclaration> declared;  // shared, because fuzz targets create many sinks

 private:
  void check_declared(const Record& record) {
    if (!declared) return;
    const model::Stream* stream = declared->stream(record.stream);
    if (!stream) return faults.push_back("no such stream: " + std::string(record.stream));
    const json::Value data = json::value_of(record.data);
    if (data.kind != json::Kind::kObject) return faults.push_back("no object: " + std::string(record.data));
    for (const std::string& key : stream->primary_key) {
      if (!json::member(data.text, key)) faults.push_back("no " + key + " in " + std::string(record.data));
    }
    if (const auto broken = stream->schema.validate(data)) {
      faults.push_back(broken->pointer + ": " + broken->message + " in " + std::string(record.data));
    }
  }
};

// Reads everything that `format` finds in the tree.
inline CollectingSink read_all(const Format& format, Tree& tree, const Request& request = {}) {
  const auto declaration = format.declaration(request);
  CollectingSink sink(declaration ? std::string_view(*declaration) : std::string_view());
  for (const Unit& unit : format.detect(tree, request)) {
    if (const Status done = format.read(tree, unit, request, "", sink); !done) sink.faults.push_back(done.error().message);
  }
  return sink;
}

}  // namespace ladder::imports::testing
