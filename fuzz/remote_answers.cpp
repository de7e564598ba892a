// Responses of other servers. The first line names the operation, the rest is the body. Each response is parsed or
// rejected completely: ranges lie inside their texts and fields, data is JSON that can be spliced, and every parsed
// response can be rendered.
#include "api/render/render.h"
#include "base/text/utf8.h"
#include "crypto/hash.h"
#include "frame.h"
#include "json/scan/scan.h"
#include "remote/bounds.h"
#include "remote/readers.h"
#include "remote/refusal.h"

namespace ladder::fuzz {
namespace {

using remote::Answer;

void check_text(std::string_view text) { FUZZ_CHECK(utf8::is_valid(text)); }

void check_json(std::string_view text) { FUZZ_CHECK(json::check(text, 256).has_value()); }

void check_record(const api::Record& record) {
  check_text(record.ref.record_id);
  if (!record.deleted) FUZZ_CHECK(json::value_of(record.data).kind == json::Kind::kObject);
  for (const api::CutField& cut : record.cut) FUZZ_CHECK(cut.size_chars >= 0 && cut.shown_chars >= 0);
  for (const api::Expansion& expansion : record.expanded) {
    for (const api::Record& child : expansion.records) check_record(child);
  }
}

void check_bounded(api::Record record) {
  remote::truncate_long_values(record, 20);
  check_json(record.data.empty() ? "{}" : record.data);
}

void take_records(Answer& answer) {
  const api::RecordsPage page = remote::read_records(answer, {"c", "s", ""});
  if (!answer.complaint().none()) return;
  for (const api::Record& record : page.records) {
    check_record(record);
    check_bounded(record);
  }
  check_json(api::render(page, "/", {}));
}

void take_record(Answer& answer) {
  const api::Record record = remote::read_record(answer, {"c", "s", "r"});
  if (!answer.complaint().none()) return;
  check_record(record);
  check_json(api::render(record, {}));
}

void take_search(Answer& answer) {
  const api::SearchPage page = remote::read_search(answer);
  if (!answer.complaint().none()) return;
  for (const api::SearchHit& hit : page.hits) {
    FUZZ_CHECK(hit.windows.size() <= 3);
    for (const api::MatchWindow& window : hit.windows) {
      FUZZ_CHECK(!window.field_path.empty() && !window.text.empty());
      const std::int64_t chars = utf8::count(window.text);
      const bool placed = window.end_chars > window.start_chars;
      FUZZ_CHECK(!placed || window.end_chars - window.start_chars == chars);
      for (const auto& match : window.matches) {
        FUZZ_CHECK(match.start_chars >= window.start_chars && match.start_chars < match.end_chars);
        FUZZ_CHECK(match.end_chars <= window.start_chars + chars);
      }
    }
  }
  check_json(api::render(page, false, "/", {}));
}

void take_window(Answer& answer) {
  api::FieldWindowRequest asked{{"c", "s", "r"}, "body", {}};
  asked.window.q = "word";
  const remote::WindowRead read = remote::read_window(answer, asked, 10);
  if (!answer.complaint().none()) return;
  const api::FieldWindow& window = read.window;
  FUZZ_CHECK(window.start_chars >= 0 && window.end_chars <= window.size_chars);
  FUZZ_CHECK(window.end_chars - window.start_chars == utf8::count(window.text) && utf8::count(window.text) <= 10);
  FUZZ_CHECK(read.seals_cursors || (window.next_cursor.empty() && window.previous_cursor.empty()));
  check_json(api::to_json(window));
}

void take_schema(Answer& answer) {
  const api::SchemaView view = remote::read_schema(answer);
  if (!answer.complaint().none()) return;
  for (const api::SourceView& source : view.sources) {
    for (const api::StreamView& stream : source.streams) FUZZ_CHECK(!stream.name.empty());
  }
  check_json(api::render_schema(view, api::SchemaForm::kFull, true, {}));
  check_json(api::render_schema(view, api::SchemaForm::kCompact, true, {}));
}

void take_aggregate(Answer& answer) {
  const api::AggregateResult result = remote::read_aggregate(answer);
  if (!answer.complaint().none()) return;
  api::AggregateRequest request;
  request.stream = "s";
  request.group_by = result.groups.empty() ? "" : "f";
  check_json(api::render(request, result, {}));
}

void read_refusal(std::string_view body) {
  const Error error = remote::refusal_of({403, {}, std::string(body)}, "https://data.example", "search");
  FUZZ_CHECK(!error.message.empty() && !error.wire().empty() && error.http_status() >= 400);
  check_text(error.message);
}

}  // namespace

void run(std::string_view input) {
  const std::size_t end = std::min(input.find('\n'), input.size());
  const std::string_view operation = input.substr(0, end);
  const std::string_view body = input.substr(std::min(input.size(), end + 1));
  read_refusal(body);
  auto answer = Answer::parse(body);
  if (!answer) {
    FUZZ_CHECK(!answer.error().empty());
    return;
  }
  if (operation == "records") take_records(*answer);
  else if (operation == "record") take_record(*answer);
  else if (operation == "search") take_search(*answer);
  else if (operation == "window") take_window(*answer);
  else if (operation == "schema") take_schema(*answer);
  else take_aggregate(*answer);
}

}  // namespace ladder::fuzz
