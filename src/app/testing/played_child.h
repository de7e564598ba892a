// A scripted child process for tests: frames from a list, and a store for the results.
#pragma once

#include "app/import/import_unit.h"
#include "app/stop_signal.h"
#include "import/wire/frame.h"
#include "server/resource_server.h"
#include "store/engines/open_store.h"
#include "store/store.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace ladder::app::testing {

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
    store_ = must(store::open_store((folder_ / "store.db").string(), store::OpenMode::kCreate));
    must(store_->add_owner("owner", Clock::system().now()));
    server_ = std::make_unique<server::ResourceServer>(*store_, Clock::system());
    owner_ = std::make_unique<server::Access>(must(server_->accesses().local_owner("owner")));
    must(server_->sources().add(*owner_, declaration(), "played"));
    must(server_->sources().add_connection(*owner_, "played", "", "played"));
  }
  ~PlayedStore() {
    server_.reset();
    store_.reset();
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
        child, server_->ingest(), *owner_, std::move(target), std::move(account), counters, stop_,
        [](const UnitAccount&) { return Status{}; }, [](std::int64_t) {});
    Status ran = unit.run();
    return {std::move(ran), unit.account(), unit.child_has_ended()};
  }
  server::ResourceServer& server() { return *server_; }
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
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<server::ResourceServer> server_;
  std::unique_ptr<server::Access> owner_;
};

}  // namespace ladder::app::testing
