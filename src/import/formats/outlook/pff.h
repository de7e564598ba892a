// Access to Outlook's data files (.pst, .ost) through libpff, if it is installed. The library is loaded when the process starts,
// before the sandbox, so that Ladder does not depend on it.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"
#include "import/tree/tree.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ladder::imports::outlook {

// Loads libpff. Does nothing if it is not installed.
void load_pff();
bool has_pff();

// Numbers of MAPI properties. Those from 0x8000 on are the numbers of Outlook's named properties.
enum Property : std::uint32_t {
  kMessageFlags = 0x0E07,
  kSubject = 0x0037,
  kTransportHeaders = 0x007D,
  kSubmitTime = 0x0039,
  kDeliveryTime = 0x0E06,
  kSenderName = 0x0C1A,
  kSenderAddress = 0x0C1F,
  kSenderSmtpAddress = 0x5D01,
  kMessageId = 0x1035,
  kReferences = 0x1039,
  kInReplyTo = 0x1042,
  kDisplayName = 0x3001,
  kAddress = 0x3003,
  kSmtpAddress = 0x39FE,
  kRecipientType = 0x0C15,
  kLongFileName = 0x3707,
  kFileName = 0x3704,
  kMimeType = 0x370E,
  kStart = 0x820D,
  kEnd = 0x820E,
  kLocation = 0x8208,
  kAllDay = 0x8215,
  kIsRepeated = 0x8223,
  kDue = 0x8105,
  kIsComplete = 0x811C,
};

enum class ItemKind : std::uint8_t { kMessage, kEvent, kContact, kTask, kOther };

struct Recipient {
  std::string name, address;
  std::uint32_t type = 1;  // 1 to, 2 cc, 3 bcc
};

struct Handle;  // libpff's item

// A folder, message or attachment. Everything that cannot be read is returned as empty.
class Item {
 public:
  Item() = default;
  explicit Item(Handle* handle);
  explicit operator bool() const { return handle_ != nullptr; }

  ItemKind kind() const;
  std::string text(std::uint32_t property) const;  // valid UTF-8
  std::optional<Instant> time(std::uint32_t property) const;
  std::optional<std::uint32_t> number(std::uint32_t property) const;
  bool is_set(std::uint32_t property) const;

  std::optional<std::vector<Item>> folders() const;  // nullopt: they cannot be read
  std::optional<int> message_count() const;
  Item message(int index) const;
  std::string folder_name() const;

  std::string plain_body() const, html_body() const, rtf_body() const;
  std::vector<Recipient> recipients() const;
  std::vector<Item> attachments() const;
  std::string data() const;    // of an attachment
  Item attached_item() const;  // a message that is attached

 private:
  std::shared_ptr<Handle> handle_;
};

// An open file.
class PffFile {
 public:
  static Result<std::unique_ptr<PffFile>> open(Tree& tree, EntryNo entry);
  ~PffFile();
  PffFile(const PffFile&) = delete;
  PffFile& operator=(const PffFile&) = delete;
  Item root() const;

 private:
  PffFile() = default;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ladder::imports::outlook
