#include "mcp/record_view.h"

#include "crypto/hash.h"
#include "evidence/trim.h"

namespace ladder::mcp {
namespace {

std::string digest_of(std::string_view text) { return crypto::digest_text(crypto::sha256(text)); }

}  // namespace

void trim_record(port::Record& record, std::int64_t max_chars) {
  if (!record.data.empty()) {
    evidence::Trimmed trimmed = evidence::trim(record.data, std::move(record.cut), max_chars, digest_of);
    record.data = std::move(trimmed.data);
    record.cut = std::move(trimmed.cut);
  }
  for (port::Expansion& expansion : record.expanded) {
    for (port::Record& child : expansion.records) trim_record(child, max_chars);
  }
}

evidence::LadderRecord ladder_of(const port::Record& record) {
  evidence::LadderRecord ladder{record.ref};
  for (const evidence::CutField& cut : record.cut) ladder.fields.push_back(evidence::ladder_field(cut));
  if (record.data.empty()) return ladder;
  for (evidence::LadderField& blob : evidence::blobs_in(record.data, kMostBlobs)) ladder.fields.push_back(std::move(blob));
  return ladder;
}

void add_ladder(const port::Record& record, std::vector<evidence::LadderRecord>& into) {
  into.push_back(ladder_of(record));
  for (const port::Expansion& expansion : record.expanded) {
    for (const port::Record& child : expansion.records) add_ladder(child, into);
  }
}

}  // namespace ladder::mcp
