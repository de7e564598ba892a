#include "sync/dav_sync.h"

#include "base/text/format.h"
#include "base/text/visible_text.h"
#include "sync/item_sync.h"

#include <algorithm>
#include <map>

namespace ladder::sync {
namespace {

constexpr std::size_t kBatchItems = 100;

// Adds the name of the calendar, which the server keeps apart from its events, as exports do.
std::string with_calendar_name(std::string_view content, std::string_view name) {
  constexpr std::string_view kBegin = "BEGIN:VCALENDAR";
  if (!content.starts_with(kBegin)) return std::string(content);
  std::string line = "\r\nX-WR-CALNAME:";
  for (const char c : name) {
    if (c == '\\' || c == ';' || c == ',') line += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) line += c;
  }
  return std::string(kBegin) + line + std::string(content.substr(kBegin.size()));
}

Status sync_collection(RunParts& run, FolderState& folder, const dav::Collection& collection, dav::Client& client,
                       dav::Service service) {
  ++run.report.folders;
  if (folder.version != 0 && !collection.token.empty() && folder.token == collection.token) {
    ++run.report.unchanged;
    run.report.messages += static_cast<std::int64_t>(folder.messages);
    return {};
  }
  LADDER_TRY(dav::Changes changes, client.changes(collection, folder.token));
  Listing listing;
  listing.is_complete = changes.is_complete && !changes.is_cut;
  if (changes.is_cut) run.report.is_incomplete = true;
  listing.gone = std::move(changes.gone);
  for (dav::Item& item : changes.items) listing.items.push_back({std::move(item.path), std::move(item.etag)});
  bool has_all = !changes.is_cut;
  const bool calendars = service == dav::Service::kCalendars;
  const auto fetch = [&](std::span<const ListedItem> batch, const AddItem& add) -> Status {
    std::vector<std::string> paths;
    std::map<std::string_view, std::size_t> places;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      paths.push_back(batch[i].name);
      places.emplace(batch[i].name, i);
    }
    const auto take = [&](std::string_view path, std::string_view, std::string_view content) -> Status {
      const auto place = places.find(path);
      if (place == places.end()) return {};
      if (content.size() <= imap::kMaxMessageBytes)
        return add(place->second, calendars ? with_calendar_name(content, folder.name) : std::string(content));
      run.sink.lose(folder.name, folder.uid_next + static_cast<imap::Uid>(place->second),
                    format("it has {} bytes", content.size()));
      return add(place->second, std::nullopt);
    };
    LADDER_TRY(const bool answered_all, client.fetch(collection, paths, take));
    has_all = has_all && answered_all;
    return {};
  };
  LADDER_CHECK(sync_items(run, folder, listing, fetch, {.ending = calendars ? ".ics" : ".vcf", .batch_items = kBatchItems}));
  folder.uid_validity = 1;
  folder.messages = folder.live();
  // With the old token the next run hears again of what was left out.
  if (has_all) folder.token = changes.token;
  run.report.messages += static_cast<std::int64_t>(folder.messages);
  return run.store.save(run.owner, run.source.name, folder);
}

}  // namespace

Result<std::vector<dav::Collection>> choose_collections(const std::vector<dav::Collection>& all,
                                                        const std::vector<std::string>& asked) {
  if (asked.empty()) return all;
  std::vector<dav::Collection> chosen;
  for (const std::string& name : asked) {
    const auto found = std::ranges::find_if(all, [&](const dav::Collection& one) { return one.name == name || one.url == name; });
    if (found == all.end()) return fail(Code::kNotFound, format("the account has no {}", visible_label(name)), "--folder");
    chosen.push_back(*found);
  }
  return chosen;
}

ReadFolders dav_folders(std::shared_ptr<dav::Client> client, dav::Service service) {
  return [client = std::move(client), service](RunParts& run,
                                               std::vector<FolderState>& folders) -> Result<std::vector<std::string>> {
    LADDER_TRY(const auto all, client->discover());
    if (all.is_cut) run.report.is_incomplete = true;
    LADDER_TRY(const auto chosen, choose_collections(all.found, run.source.folders));
    std::vector<std::string> names;
    for (const dav::Collection& collection : chosen) {
      names.push_back(collection.url);
      LADDER_CHECK(sync_collection(run, state_of(folders, collection.url, collection.name), collection, *client, service));
    }
    return names;
  };
}

}  // namespace ladder::sync
