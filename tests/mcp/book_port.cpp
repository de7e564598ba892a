#include "book_port.h"

#include "base/text/format.h"
#include "base/text/utf8.h"
#include "json/writer.h"
#include "model/quote.h"

#include <chrono>

namespace ladder::mcp_tests {
namespace {

api::Record record_of(const std::string& id, const std::string& title) {
  json::Writer data;
  data.begin_object().member("id", id).member("title", title).end_object();
  api::Record record;
  record.ref = {"shelf", "books", id};
  record.connector_key = "library";
  record.data = data.take();
  return record;
}

}  // namespace

Result<api::SchemaView> BookPort::schema(const api::SchemaRequest&, std::stop_token) {
  api::StreamView books;
  books.name = "books";
  books.primary_key = {"id"};
  books.connections = {{"shelf", "The shelf", static_cast<std::int64_t>(titles_.size()), ""}};
  api::SchemaView view;
  view.token_kind = "client";
  view.sources.push_back({"connector", "https://sources.example/library", "library", "Library", {books}});
  return view;
}

Result<api::RecordsPage> BookPort::records(const api::RecordsRequest& request, std::stop_token) {
  if (request.stream != "books") return fail(Code::kStreamNotAllowed, "the grant covers books only", "stream");
  api::RecordsPage page;
  for (const auto& [id, title] : titles_) page.records.push_back(record_of(id, title));
  return page;
}

Result<api::Record> BookPort::record(const api::RecordRequest& request, std::stop_token) {
  const auto found = titles_.find(request.record.record_id);
  if (found == titles_.end())
    return fail(Code::kNotFound, format("no book {}", model::in_quotes(request.record.record_id)), "id");
  return record_of(found->first, found->second);
}

Result<api::AggregateResult> BookPort::aggregate(const api::AggregateRequest&, std::stop_token) {
  api::AggregateResult result;
  result.filtered_record_count = static_cast<std::int64_t>(titles_.size());
  result.value_json = std::to_string(titles_.size());
  return result;
}

Result<api::SearchPage> BookPort::search(const api::SearchRequest& request, std::stop_token stop) {
  std::unique_lock lock(mutex_);
  if (hold_) {
    ++held_;
    changed_.notify_all();
    changed_.wait(lock, stop, [&] { return !hold_; });
    --held_;
    if (stop.stop_requested()) {
      ++stopped_;
      return fail(Code::kCancelled, "the caller went away");
    }
  }
  api::SearchPage page;
  for (const auto& [id, title] : titles_) {
    if (title.find(request.q) == std::string::npos) continue;
    api::SearchHit hit;
    hit.ref = {"shelf", "books", id};
    page.hits.push_back(std::move(hit));
  }
  return page;
}

Result<api::FieldWindow> BookPort::field_window(const api::FieldWindowRequest& request, std::stop_token) {
  const auto found = titles_.find(request.record.record_id);
  if (found == titles_.end())
    return fail(Code::kNotFound, format("no book {}", model::in_quotes(request.record.record_id)), "id");
  api::FieldWindow window;
  window.record = {"shelf", "books", found->first};
  window.path = request.field_path;
  window.type = "string";
  window.size_chars = utf8::count(found->second);
  window.start_chars = request.window.offset_chars.value_or(0);
  window.limit_chars = request.window.limit_chars.value_or(4096);
  window.text = utf8::slice(found->second, window.start_chars, window.limit_chars);
  window.end_chars = window.start_chars + utf8::count(window.text);
  return window;
}

Result<api::Blob> BookPort::blob(const api::BlobRequest&, std::stop_token) {
  return fail(Code::kBlobNotFound, "the shelf has no pictures", "blob_id");
}

void BookPort::hold_searches() {
  const std::lock_guard lock(mutex_);
  hold_ = true;
}

void BookPort::release_searches() {
  const std::lock_guard lock(mutex_);
  hold_ = false;
  changed_.notify_all();
}

bool BookPort::wait_for_held(int searches) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::seconds(60), [&] { return held_ >= searches; });
}

int BookPort::stopped() {
  const std::lock_guard lock(mutex_);
  return stopped_;
}

}  // namespace ladder::mcp_tests
