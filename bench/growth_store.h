// A store with any number of records in one stream, spread evenly over the same two years, so that stores of different
// sizes differ in nothing else; and the callers that read it.
//
// The connection "log" has three streams; "events" holds the records. The connection "wide" has 496 streams with some
// records each. With the "notes" stream of every scene the owner has 500.
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
inline constexpr std::int64_t kLongEvery = 250;  // one event in this many has a long text
inline constexpr std::int64_t kLongChars = 10'000;
inline constexpr int kWideStreams = 496;

// Returns the time of the n-th event of `events`.
Instant event_time(std::int64_t n, std::int64_t events);
std::int64_t event_kind(std::int64_t n);
std::int64_t event_size(std::int64_t n);
std::string event_key(std::int64_t n);

class GrowthStore {
 public:
  GrowthStore(const std::string& engine, std::int64_t events);  // fills the store

  server::ResourceServer& server() { return scene_->server(); }
  const ScratchLocation& place() const { return place_; }
  std::int64_t events() const { return events_; }
  const std::string& name() const { return name_; }  // the engine's name

  const server::Access& owner() const { return *owner_; }
  const server::Access& days() const { return *days_; }            // a client granted the middle year, from midnight to midnight
  const server::Access& hours() const { return *hours_; }          // from noon to noon, so that days are cut
  const std::string& second_page() const { return second_page_; }  // a cursor of the owner

 private:
  void fill();
  server::Access client(Instant since, Instant until);

  ScratchLocation place_;
  std::string name_;
  std::int64_t events_;
  std::unique_ptr<Scene> scene_;
  std::unique_ptr<server::Access> owner_, days_, hours_;
  std::string second_page_;
};

}  // namespace ladder::bench
