#include "cli/terminal/last_list.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "json/parse.h"
#include "json/writer.h"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

namespace ladder::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxEntries = 1'000, kMaxListBytes = limits::kMiB, kMaxListDepth = 8;
constexpr std::size_t kMaxDigits = 4;

fs::path file_in(const std::string& state_folder) { return fs::path(state_folder) / "last-list.json"; }

void add_words(json::Writer& out, std::string_view name, const std::vector<std::string>& words) {
  out.key(name).begin_array();
  for (const std::string& word : words) out.string(word);
  out.end_array();
}

std::string text_in(const boost::json::object& object, std::string_view name) {
  const boost::json::value* const value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

const boost::json::array* array_in(const boost::json::object& object, std::string_view name) {
  const boost::json::value* const value = object.if_contains(name);
  return value != nullptr ? value->if_array() : nullptr;
}

std::vector<std::string> words_in(const boost::json::object& object, std::string_view name) {
  std::vector<std::string> words;
  const boost::json::array* const array = array_in(object, name);
  for (const boost::json::value& word : array != nullptr ? *array : boost::json::array()) {
    if (word.is_string()) words.emplace_back(word.get_string());
  }
  return words;
}

std::unexpected<Error> no_list() {
  return fail(Code::kNotFound, "no list was shown yet; `ladder search WORDS` and `ladder records STREAM` show one");
}

}  // namespace

std::vector<LastList::Entry> entries_before(const std::string& state_folder, const std::string& store,
                                            const std::optional<std::string>& cursor) {
  auto last = cursor ? last_list(state_folder) : Result<LastList>(no_list());
  if (!last || last->store != store || last->cursor != *cursor || last->entries.size() >= kMaxEntries) return {};
  return std::move(last->entries);
}

bool keep_last_list(const std::string& state_folder, const LastList& list) {
  if (state_folder.empty()) return false;
  json::Writer out;
  out.begin_object().member("store", list.store).member("cursor", list.cursor);
  add_words(out, "next", list.next);
  out.key("entries").begin_array();
  for (const LastList::Entry& entry : list.entries) {
    out.begin_object().member("record", entry.record);
    add_words(out, "group", entry.group);
    out.end_object();
  }
  out.end_array().end_object();
  std::error_code failed;
  fs::create_directories(state_folder, failed);
  const fs::path file = file_in(state_folder), written = file.string() + ".new";
  {
    std::ofstream stream(written, std::ios::trunc | std::ios::binary);  // the process's umask hides it from other users
    stream << out.take();
    if (!stream.flush()) return false;
  }
  fs::rename(written, file, failed);
  return !failed;
}

Result<LastList> last_list(const std::string& state_folder) {
  if (state_folder.empty()) return no_list();
  std::ifstream stream(file_in(state_folder), std::ios::binary);
  if (!stream) return no_list();
  std::ostringstream text;
  text << stream.rdbuf();
  const auto parsed = json::parse(text.str(), kMaxListBytes, kMaxListDepth);
  if (!parsed || !parsed->is_object()) return no_list();
  const boost::json::object& object = parsed->get_object();
  LastList list{
      .store = text_in(object, "store"), .entries = {}, .next = words_in(object, "next"), .cursor = text_in(object, "cursor")};
  const boost::json::array* const entries = array_in(object, "entries");
  for (const boost::json::value& entry : entries != nullptr ? *entries : boost::json::array()) {
    if (entry.is_object()) list.entries.push_back({text_in(entry.get_object(), "record"), words_in(entry.get_object(), "group")});
  }
  return list;
}

std::optional<std::size_t> list_number(const std::string& word) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  const bool is_number = error == std::errc() && end == word.data() + word.size() && word.size() <= kMaxDigits && number > 0;
  return is_number ? std::optional(number) : std::nullopt;
}

Result<LastList::Entry> numbered_entry(const std::string& state_folder, const std::string& store, std::size_t number) {
  LADDER_TRY(LastList list, last_list(state_folder));
  if (list.store != store) return fail(Code::kNotFound, "the last list came from another store; repeat its --db");
  if (number > list.entries.size()) {
    return fail(Code::kNotFound, format("the last list has {} entries, and no number {}", list.entries.size(), number));
  }
  return std::move(list.entries[number - 1]);
}

}  // namespace ladder::cli
