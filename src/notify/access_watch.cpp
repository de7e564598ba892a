#include "notify/access_watch.h"

#include "auth/text_formatting.h"
#include "base/text/format.h"
#include "base/text/grouped.h"
#include "base/text/percent.h"

#include <algorithm>
#include <map>

namespace ladder::notify {
namespace {

constexpr Instant kHour = 3600 * kSecond;
constexpr Instant kUnansweredAfter = 10 * kSecond;  // an owner who is at the page answers at once
constexpr std::size_t kMaxUnopenedPerHour = 4;      // anyone can make a request, and must not be able to flood the owner
constexpr Instant kEndsSoon = 3 * kDay;
constexpr std::int64_t kUsualDays = 30, kTimesUsual = 5;
constexpr std::int64_t kLargeRead = 200'000;  // characters; less than that is never unusual
constexpr std::int64_t kBytesPerChar = 4;     // of files that are not text, as in budgets

Notice notice(Event event, std::string key, std::string title, std::string text, std::string path, Instant now) {
  return {"", event, format("{}\n{}", info(event).word, key), std::move(title), std::move(text), std::move(path), now};
}

std::string client_path(const std::string& client_id) { return "/client?id=" + percent_encode(client_id); }

}  // namespace

Result<std::string> AccessWatch::name_of(const std::string& client_id) {
  LADDER_TRY(const auto client, authorization_.clients().recall(client_id));
  const std::string chosen = client ? plain_name(client->name) : "";
  const std::string name = chosen.empty() ? plain_name(client_id) : chosen;
  return name.empty() ? std::string("An app") : format("“{}”", name);
}

Result<std::vector<Notice>> AccessWatch::look(const server::Access& owner, Instant since) {
  std::vector<Notice> notices;
  LADDER_CHECK(add_requests(owner, notices));
  LADDER_CHECK(add_reads(owner, since, notices));
  LADDER_CHECK(add_ends(owner, notices));
  return notices;
}

Status AccessWatch::add_requests(const server::Access& owner, std::vector<Notice>& notices) {
  const Instant now = authorization_.now();
  const auto waits = [&](const auth::AuthorizationRequest& one) {
    return one.status == "waiting" && now - one.created_at >= kUnansweredAfter;
  };
  LADDER_TRY(const auto opened, authorization_.requests().opened(owner));
  for (const auth::AuthorizationRequest& one : opened) {
    if (!waits(one)) continue;
    const std::string name = plain_name(one.client_name);
    notices.push_back(notice(Event::kRequest, one.id, "an app asks for access",
                             format("{} asks for access to your data. It waits up to 30 minutes.",
                                    name.empty() ? "An app" : format("An app that calls itself “{}”", name)),
                             "/requests", now));
  }
  LADDER_TRY(const auto unopened, authorization_.requests().unopened(owner));
  while (!unopened_told_at_.empty() && now - unopened_told_at_.front() >= kHour) unopened_told_at_.pop_front();
  for (const auth::AuthorizationRequest& one : unopened) {
    // A browser is on its way to the consent page with this kind of request.
    if (!waits(one) || one.kind == auth::RequestKind::kCode || unopened_told_.contains(one.id)) continue;
    if (unopened_told_at_.size() >= kMaxUnopenedPerHour) break;
    unopened_told_at_.push_back(now);
    unopened_told_.insert(one.id);
    notices.push_back(
        notice(Event::kRequest, one.id, "an app asks for access",
               "An app or a device asks for access to your data. If you started it, enter the code that it shows on "
               "the Requests page. If not, ignore this: without the code nothing happens.",
               "/requests", now));
  }
  std::erase_if(unopened_told_, [&](const std::string& id) {
    return std::ranges::find(unopened, id, &auth::AuthorizationRequest::id) == unopened.end();
  });
  return {};
}

Status AccessWatch::add_reads(const server::Access& owner, Instant since, std::vector<Notice>& notices) {
  struct Reading {
    std::int64_t today = 0, before = 0, days = 0, first_day = 0;
  };
  const Instant now = authorization_.now();
  const std::int64_t today = floor_div(now, kDay);
  LADDER_TRY(const auto uses, authorization_.server().ledger().uses(owner, 0, today));
  std::map<std::string, Reading> by_client;
  std::map<std::string, std::set<std::int64_t>> days;
  for (const server::LedgerUse& use : uses) {
    const auto [place, is_new] = by_client.try_emplace(use.client_id);
    Reading& reading = place->second;
    if (is_new || use.day < reading.first_day) reading.first_day = use.day;
    const std::int64_t amount = use.chars + use.bytes / kBytesPerChar;
    if (use.day == today) reading.today += amount;
    else if (use.day >= today - kUsualDays) {
      reading.before += amount;
      days[use.client_id].insert(use.day);
    }
  }
  for (auto& [client, reading] : by_client) {
    if (client.empty()) continue;
    LADDER_TRY(const std::string name, name_of(client));
    if (reading.first_day >= floor_div(since, kDay)) {
      notices.push_back(notice(Event::kFirstRead, client, "an app read your data for the first time",
                               format("{} has read from your data for the first time. Activity shows what.", name),
                               client_path(client), now));
    }
    const auto active = std::ssize(days[client]);
    const std::int64_t usual = active > 0 ? reading.before / active : 0;
    if (reading.today < kLargeRead || reading.today <= kTimesUsual * usual) continue;
    notices.push_back(notice(Event::kLargeRead, format("{}\n{}", client, today), "an app reads unusually much",
                             usual > 0 ? format("{} has read {} characters today. On its usual day it reads {}.", name,
                                                grouped(reading.today), grouped(usual))
                                       : format("{} has read {} characters today.", name, grouped(reading.today)),
                             client_path(client), now));
  }
  return {};
}

Status AccessWatch::add_ends(const server::Access& owner, std::vector<Notice>& notices) {
  const Instant now = authorization_.now();
  LADDER_TRY(const auto grants, authorization_.server().grants().list(owner));
  std::map<std::string, std::optional<Instant>> ends;  // the latest end of each client; nullopt: one grant has no end
  for (const server::GrantSummary& one : grants) {
    if (one.status != "active") continue;
    const auto [place, is_new] = ends.try_emplace(one.grant.client_id, one.grant.expires_at);
    if (is_new || !place->second) continue;
    if (!one.grant.expires_at) place->second.reset();
    else place->second = std::max(*place->second, *one.grant.expires_at);
  }
  for (const auto& [client, end] : ends) {
    if (!end || *end <= now || *end - now > kEndsSoon) continue;
    LADDER_TRY(const std::string name, name_of(client));
    notices.push_back(notice(Event::kAccessEnds, format("{}\n{}", client, *end), "access is about to end",
                             format("{} loses its access on {}. You can extend it or let it end.", name, auth::day_text(*end)),
                             client_path(client), now));
  }
  return {};
}

}  // namespace ladder::notify
