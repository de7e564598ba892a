#include "console/parts.h"

#include "auth/text_formatting.h"
#include "base/text/format.h"

#include <algorithm>
#include <array>
#include <ctime>

namespace ladder::console {
namespace {

constexpr int kColours = 6;

std::tm local(Instant at) {
  const auto seconds = static_cast<std::time_t>(floor_div(at, kSecond));
  std::tm parts{};
  localtime_r(&seconds, &parts);
  return parts;
}

}  // namespace

Instant as_local(Instant at) { return at + static_cast<Instant>(local(at).tm_gmtoff) * kSecond; }

Result<ClientFaces> ClientFaces::of(auth::AuthorizationServer& authorization, const server::Access& owner) {
  ClientFaces made;
  LADDER_TRY(made.grants_, authorization.server().grants().list(owner));
  LADDER_TRY(const auto approved, authorization.client_access().approved_redirects(owner));
  std::vector<const server::GrantSummary*> by_time;
  by_time.reserve(made.grants_.size());
  for (const server::GrantSummary& one : made.grants_) by_time.push_back(&one);
  std::ranges::stable_sort(by_time, {}, [](const server::GrantSummary* one) { return one->grant.issued_at; });
  for (const server::GrantSummary* one : by_time) {
    const auto known = std::ranges::find(made.faces_, one->grant.client_id, &ClientFace::client_id);
    const bool connected = one->status == "active";
    if (known != made.faces_.end()) {
      known->connected = known->connected || connected;
      continue;
    }
    LADDER_TRY(const auto client, authorization.clients().recall(one->grant.client_id));
    ClientFace face;
    face.client_id = one->grant.client_id;
    face.slot = static_cast<int>(made.faces_.size()) % kColours + 1;
    if (const auto its = approved.find(face.client_id); its != approved.end()) face.redirect = its->second.back();
    face.address = face.redirect.empty() ? face.client_id : auth::shown_origin(face.redirect);
    if (client) face.name = client->name;
    face.title = face.redirect.empty() ? face.address : auth::app_title(face.redirect, face.name);
    face.connected = connected;
    made.faces_.push_back(std::move(face));
  }
  return made;
}

const ClientFace& ClientFaces::at(std::string_view client_id) {
  const auto known = std::ranges::find(faces_, client_id, &ClientFace::client_id);
  if (known != faces_.end()) return *known;
  ClientFace face;
  face.client_id = face.address = face.title = std::string(client_id);
  face.slot = static_cast<int>(faces_.size()) % kColours + 1;
  return faces_.emplace_back(std::move(face));
}

std::string colour(const ClientFace& face) { return format("c{}", face.slot); }

Writer client_link(const ClientFace& face) {
  Writer out;
  out << Markup("<a") << Attribute("class", "client " + colour(face))
      << Attribute("href", Url::path("/client?id=", face.client_id)) << Markup("><bdi>") << Text(face.short_name())
      << Markup("</bdi></a>");
  return out;
}

std::string clock_text(Instant at) {
  const std::tm parts = local(at);
  return format("{:02}:{:02}:{:02}", parts.tm_hour, parts.tm_min, parts.tm_sec);
}

Instant local_midnight(Instant at) {
  const Instant shift = as_local(at) - at;
  return floor_div(at + shift, kDay) * kDay - shift;
}

std::string month_day_text(Instant at, Instant now) {
  const std::string day = auth::day_text(as_local(at));
  return local(at).tm_year == local(now).tm_year ? day.substr(0, day.rfind(' ')) : day;
}

std::string moment_text(Instant at, Instant now) {
  static constexpr std::array<std::string_view, 7> kDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                            "Thursday", "Friday", "Saturday"};
  const std::int64_t days = floor_div(as_local(now), kDay) - floor_div(as_local(at), kDay);
  const std::string clock = clock_text(at).substr(0, 5);
  if (days == 0) return "Today, " + clock;
  if (days > 0 && days < 7) return format("{}, {}", kDays[static_cast<std::size_t>(local(at).tm_wday)], clock);
  return month_day_text(at, now);
}

Writer meter(std::int64_t part, std::int64_t whole, std::string_view label) {
  const double share = whole <= 0 ? 0 : std::clamp(100.0 * static_cast<double>(part) / static_cast<double>(whole), 0.0, 100.0);
  // Keep a small share visible.
  const double shown = part > 0 ? std::max(share, 0.8) : 0;
  Writer out;
  out << Markup("<div class=\"meter\"><svg viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" role=\"img\"")
      << Attribute("aria-label", label) << Markup("><rect") << Attribute("width", format("{:.1f}", shown))
      << Markup(" height=\"8\"/></svg></div>");
  return out;
}

}  // namespace ladder::console
