// A store that holds any number of records of one stream, spread evenly over the same two years, so that stores of different
// sizes differ in nothing else; and the callers who read it.
//
// The connection "log" has three streams, one of which, "events", holds the records. The connection "wide" has 496, with some
// records in each; with the "notes" of every scene the owner has 500.
#pragma once

#include "scene.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ladder::bench {

inline constexpr Instant kFirstEvent = 1'704'067'200 * kSecond;  // 2024-01-01
inline constexpr std::int64_t kEventDays = 731;                  // two years, one of them a leap year
inline constexpr std::int64_t kEventKinds = 8;
inline constexpr std::int64_t kEventSizes = 1'000;
inline constexpr std::int64_t kLongEvery = 250;  // one event in so many has a long text
inline constexpr std::int64_t kLongChars = 10'000;
inline constexpr int kWideStreams = 496;

// The n-th of so many events.
Instant event_time(std::int64_t n, std::int64_t events);
std::int64_t event_kind(std::int64_t n);
std::int64_t event_size(std::int64_t n);
std::string event_key(std::int64_t n);

class GrowthStore {
 public:
  GrowthStore(const std::string& engine, std::int64_t events);  // fills it

  server::ResourceServer& server() { return scene_->server(); }
  const Place& place() const { return place_; }
  std::int64_t events() const { return events_; }
  const std::string& name() const { return name_; }  // of its engine

  const server::Access& owner() const { return *owner_; }
  const server::Access& days() const { return *days_; }    // a client of the year in the middle, from midnight to midnight
  const server::Access& hours() const { return *hours_; }  // from noon to noon, so that days are cut
  const std::string& second_page() const { return second_page_; }  // the owner's cursor

 private:
  void fill();
  server::Access client(Instant since, Instant until);

  Place place_;
  std::string name_;
  std::int64_t events_;
  std::unique_ptr<Scene> scene_;
  std::unique_ptr<server::Access> owner_, days_, hours_;
  std::string second_page_;
};

}  // namespace ladder::bench
