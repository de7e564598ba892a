// A scripted child process for tests: frames from a list, and a store for the results.
#pragma once

#include "cli/app/session.h"
#include "cli/import/import_unit.h"
#include "import/wire/frame.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace ladder::cli::testing {

// Returns frames one after another, then reports that the child has ended.
class PlayedChild final : public imports::wire::FrameSource {
 public:
  using Next = std::function<bool(imports::wire::Frame& frame)>;
  explicit PlayedChild(Next next) : next_(std::move(next)) {}
  Result<imports::wire::Frame> next() override {
    imports::wire::Frame frame;
    if (!next_(frame)) return fail(Code::kRsUnreachable, "the extractor has ended");
    return frame;
  }

 private:
  Next next_;
};

// A store with one connection, "played", whose source has the streams s0 to s99.
class PlayedStore {
 public:
  static constexpr int kStreams = 100;

  PlayedStore() : folder_(make_folder()) {
    Settings settings;
    settings.location = folder_ / "store.db";
    settings.owner = "owner";
    session_ = must(Session::create(settings));
    owner_ = std::make_unique<server::Access>(must(session_->owner()));
    must(session_->server().add_source(*owner_, declaration(), "played"));
    must(session_->server().add_connection(*owner_, "played", "", "played"));
  }
  ~PlayedStore() {
    session_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  PlayedStore(const PlayedStore&) = delete;
  PlayedStore& operator=(const PlayedStore&) = delete;

  struct Outcome {
    Status ran;
    UnitAccount account;
    bool child_has_ended = false;
  };
  // Passes the frames of one unit to the parent.
  Outcome take(imports::wire::FrameSource& child) {
    ImportUnit::Target target{"played", {}};
    for (int i = 0; i < kStreams; ++i) target.streams.insert("s" + std::to_string(i));
    UnitAccount account;
    account.what = "something played";
    account.file = "played.zip";
    ImportCounters counters;
    ImportUnit unit(
        child, session_->server(), *owner_, std::move(target), std::move(account), counters, stop_,
        [](const UnitAccount&) { return Status{}; }, [](std::int64_t) {});
    Status ran = unit.run();
    return {std::move(ran), unit.account(), unit.child_has_ended()};
  }
  server::ResourceServer& server() { return session_->server(); }
  const server::Access& owner() const { return *owner_; }
  const StopSignal& stop() const { return stop_; }

 private:
  template <typename T>
  static T must(Result<T> result) {
    if (!result) throw std::runtime_error(result.error().message);
    return *std::move(result);
  }
  static std::filesystem::path make_folder() {
    std::string name = std::filesystem::temp_directory_path() / "ladder-played-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder can be made");
    return name;
  }
  static std::string declaration() {
    std::string text = R"({"protocol_version":"0.1.0","source":{"kind":"connector","id":"urn:ladder:import:played"},
      "declaration_version":"1","publisher":{"id":"https://sources.example/"},"display":{"name":"Played"},"streams":[)";
    for (int i = 0; i < kStreams; ++i) {
      text += (i == 0 ? "" : ",") + std::string(R"({"name":"s)") + std::to_string(i) +
              R"(","semantics":"mutable_state","primary_key":["id"],"selection":{"fields":true,"resources":true},)" +
              R"("schema":{"type":"object","required":["id"],"properties":{"id":{"type":"string"},"text":{"type":"string"}}}})";
    }
    return text + "]}";
  }

  std::filesystem::path folder_;
  StopSignal stop_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<server::Access> owner_;
};

}  // namespace ladder::cli::testing
