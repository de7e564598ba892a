#include "server/search/search_reading.h"

#include "base/text/utf8.h"
#include "json/scan/scan.h"
#include "store/search/top_hits.h"

#include <utility>

namespace ladder::server {

text::RankedText reading_of(const SearchStream& place, const store::RecordRow& record) {
  text::RankedText reading;
  auto texts = store::searched_texts(record.body, place.columns);
  reading.groups = groups_of(place.group, place.stream().connection->row.connection_id, record);
  reading.wording = wording_of(texts, place.scope, !reading.groups.empty());
  if (!place.bulk_field.empty()) {
    const auto bulk = json::member(record.body, place.bulk_field);
    reading.bulk = bulk && bulk->text == "true";
  }
  for (store::SearchedText& text : texts) {
    reading.chars += text.ref ? text.ref->size_chars : utf8::count(text.text);
    reading.whole = reading.whole && !text.ref;
    const bool context = (place.scope.context >> text.column & 1) != 0;
    if (!text.ref && !context) reading.texts.push_back(std::move(text.text));
  }
  return reading;
}

text::NearSketch sketch_of(const SearchStream& place, const text::RankedText& reading) {
  if (place.scope.copies == 0) return {};
  return text::near_sketch(reading, text::beginning_words(reading));
}

}  // namespace ladder::server
