#include "import/formats/outlook/pff.h"

#include "base/text/format.h"
#include "import/io/limits.h"
#include "import/text/text.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <list>
#include <type_traits>
#include <unordered_map>

namespace ladder::imports::outlook {
namespace {

constexpr std::size_t kMaxValueBytes = 64 * limits::kMiB;  // of a text or a body
constexpr std::size_t kMaxAttachmentBytes = 100 * limits::kMiB;
constexpr int kMaxChildren = 1'000'000;
constexpr int kMaxAttachments = 1000;
constexpr int kReadOnly = 1;
constexpr std::uint8_t kAnyType = 1;  // a property of any type of value

// libpff and libbfio are C libraries with opaque pointers. Functions return 1, 0 (missing) or -1, and accept no error pointer.
using Any = void*;
struct Library {
  int (*file_initialize)(Any*, Any) = nullptr;
  int (*file_free)(Any*, Any) = nullptr;
  int (*file_open)(Any, Any, int, Any) = nullptr;
  int (*file_close)(Any, Any) = nullptr;
  int (*root_folder)(Any, Any*, Any) = nullptr;
  int (*item_free)(Any*, Any) = nullptr;
  int (*item_type)(Any, std::uint8_t*, Any) = nullptr;
  int (*record_sets)(Any, int*, Any) = nullptr;
  int (*record_set)(Any, int, Any*, Any) = nullptr;
  int (*set_free)(Any*, Any) = nullptr;
  int (*entry_by_type)(Any, std::uint32_t, std::uint32_t, Any*, std::uint8_t, Any) = nullptr;
  int (*entry_free)(Any*, Any) = nullptr;
  int (*entry_text_size)(Any, std::size_t*, Any) = nullptr;
  int (*entry_text)(Any, std::uint8_t*, std::size_t, Any) = nullptr;
  int (*entry_number)(Any, std::uint32_t*, Any) = nullptr;
  int (*entry_boolean)(Any, std::uint8_t*, Any) = nullptr;
  int (*entry_time)(Any, std::uint64_t*, Any) = nullptr;
  int (*folder_count)(Any, int*, Any) = nullptr;
  int (*folder)(Any, int, Any*, Any) = nullptr;
  int (*message_count)(Any, int*, Any) = nullptr;
  int (*message)(Any, int, Any*, Any) = nullptr;
  int (*plain_size)(Any, std::size_t*, Any) = nullptr;
  int (*plain)(Any, std::uint8_t*, std::size_t, Any) = nullptr;
  int (*html_size)(Any, std::size_t*, Any) = nullptr;
  int (*html)(Any, std::uint8_t*, std::size_t, Any) = nullptr;
  int (*rtf_size)(Any, std::size_t*, Any) = nullptr;
  int (*rtf)(Any, std::uint8_t*, std::size_t, Any) = nullptr;
  int (*recipients)(Any, Any*, Any) = nullptr;
  int (*attachment_count)(Any, int*, Any) = nullptr;
  int (*attachment)(Any, int, Any*, Any) = nullptr;
  int (*data_size)(Any, std::uint64_t*, Any) = nullptr;
  ssize_t (*data_read)(Any, std::uint8_t*, std::size_t, Any) = nullptr;
  int (*attached_item)(Any, Any*, Any) = nullptr;
  int (*handle_initialize)(Any*, Any, int (*)(Any*, Any), int (*)(Any*, Any, Any), int (*)(Any, int, Any), int (*)(Any, Any),
                           ssize_t (*)(Any, std::uint8_t*, std::size_t, Any),
                           ssize_t (*)(Any, const std::uint8_t*, std::size_t, Any), std::int64_t (*)(Any, std::int64_t, int, Any),
                           int (*)(Any, Any), int (*)(Any, Any), int (*)(Any, std::uint64_t*, Any), std::uint8_t, Any) = nullptr;
  int (*handle_free)(Any*, Any) = nullptr;
  bool is_complete = false;
};

Library& library() {
  static Library loaded;
  return loaded;
}

// Reads the file at any position. The last blocks stay in memory.
class RandomAccess {
 public:
  RandomAccess(Tree& tree, EntryNo entry) : tree_(tree), entry_(entry), size_(tree.entries()[entry].size) {}

  std::int64_t size() const { return size_; }
  std::int64_t seek(std::int64_t offset, int whence) {
    at_ = whence == SEEK_SET ? offset : whence == SEEK_CUR ? at_ + offset : size_ + offset;
    return at_ < 0 ? -1 : at_;
  }
  ssize_t read(std::uint8_t* buffer, std::size_t count) {
    std::size_t done = 0;
    while (done < count && at_ >= 0 && at_ < size_) {
      const std::string* const block = find(at_ / kBlock);
      if (block == nullptr) return -1;
      const auto from = static_cast<std::size_t>(at_ % kBlock);
      if (from >= block->size()) break;
      const std::size_t piece = block->copy(reinterpret_cast<char*>(buffer) + done, count - done, from);
      done += piece;
      at_ += static_cast<std::int64_t>(piece);
    }
    return static_cast<ssize_t>(done);
  }

 private:
  static constexpr std::int64_t kBlock = 64 * 1024;
  static constexpr std::size_t kMaxBlocks = 512;

  const std::string* find(std::int64_t number) {
    if (const auto known = blocks_.find(number); known != blocks_.end()) return &known->second;
    if (blocks_.size() >= kMaxBlocks) {
      blocks_.erase(order_.front());
      order_.pop_front();
    }
    // Blocks in order come from one open file.
    if (!bytes_ || next_ != number) {
      auto opened = tree_.open(entry_, number * kBlock);
      if (!opened) return nullptr;
      bytes_ = *std::move(opened);
    }
    std::string block(static_cast<std::size_t>(kBlock), '\0');
    std::size_t filled = 0;
    while (filled < block.size()) {
      const auto count = bytes_->read(block.data() + filled, block.size() - filled);
      if (!count) return nullptr;
      if (*count == 0) break;
      filled += *count;
    }
    block.resize(filled);
    next_ = number + 1;
    order_.push_back(number);
    return &(blocks_[number] = std::move(block));
  }

  Tree& tree_;
  EntryNo entry_;
  std::int64_t size_, at_ = 0, next_ = -1;
  std::unique_ptr<Bytes> bytes_;
  std::unordered_map<std::int64_t, std::string> blocks_;
  std::list<std::int64_t> order_;
};

RandomAccess& of(Any handle) { return *static_cast<RandomAccess*>(handle); }

// The callbacks of libbfio. The file belongs to PffFile.
int keep(Any* handle, Any /*error*/) {
  *handle = nullptr;
  return 1;
}
int copy(Any* to, Any from, Any /*error*/) {
  *to = from;
  return 1;
}
int open_nothing(Any /*handle*/, int /*flags*/, Any /*error*/) { return 1; }
int close_nothing(Any /*handle*/, Any /*error*/) { return 0; }
int is_there(Any /*handle*/, Any /*error*/) { return 1; }
ssize_t read_some(Any handle, std::uint8_t* buffer, std::size_t count, Any /*error*/) { return of(handle).read(buffer, count); }
ssize_t write_nothing(Any /*handle*/, const std::uint8_t* /*buffer*/, std::size_t /*count*/, Any /*error*/) { return -1; }
std::int64_t seek_to(Any handle, std::int64_t offset, int whence, Any /*error*/) { return of(handle).seek(offset, whence); }
int tell_size(Any handle, std::uint64_t* size, Any /*error*/) {
  *size = static_cast<std::uint64_t>(of(handle).size());
  return 1;
}

// A property of the record set with that number. libpff frees nothing by itself.
template <class Use>
void with_property(Any item, int set_number, std::uint32_t property, const Use& use) {
  const Library& lib = library();
  Any set = nullptr, entry = nullptr;
  if (lib.record_set(item, set_number, &set, nullptr) != 1) return;
  if (lib.entry_by_type(set, property, 0, &entry, kAnyType, nullptr) == 1) {
    use(entry);
    lib.entry_free(&entry, nullptr);
  }
  lib.set_free(&set, nullptr);
}

template <class Size, class Read>
std::string sized_text(Any from, const Size& size_of, const Read& read) {
  std::size_t size = 0;
  if (size_of(from, &size, nullptr) != 1 || size == 0 || size > kMaxValueBytes) return {};
  std::string text(size, '\0');
  if (read(from, reinterpret_cast<std::uint8_t*>(text.data()), size, nullptr) != 1) return {};
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

std::string text_in(Any item, int set_number, std::uint32_t property) {
  std::string text;
  with_property(item, set_number, property,
                [&](Any entry) { text = sized_text(entry, library().entry_text_size, library().entry_text); });
  return replace_invalid(text);
}

std::optional<std::uint32_t> number_in(Any item, int set_number, std::uint32_t property) {
  std::optional<std::uint32_t> number;
  with_property(item, set_number, property, [&](Any entry) {
    std::uint32_t value = 0;
    if (library().entry_number(entry, &value, nullptr) == 1) number = value;
  });
  return number;
}

std::optional<int> count_of(Any item, int (*function)(Any, int*, Any), int most) {
  int count = 0;
  return function(item, &count, nullptr) == 1 ? std::optional(std::clamp(count, 0, most)) : std::nullopt;
}

}  // namespace

struct Handle {
  Any item = nullptr;
  ~Handle() {
    if (item != nullptr) library().item_free(&item, nullptr);
  }
};

struct PffFile::State {
  std::unique_ptr<RandomAccess> bytes;
  Any handle = nullptr, file = nullptr;
};

void load_pff() {
  void* const pff = dlopen("libpff.so.1", RTLD_NOW | RTLD_LOCAL);
  void* const bfio = pff == nullptr ? nullptr : dlopen("libbfio.so.1", RTLD_NOW | RTLD_LOCAL);
  if (bfio == nullptr) return;
  Library& lib = library();
  lib.is_complete = true;
  const auto find = [&](void* from, auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(from, name));
    lib.is_complete = lib.is_complete && function != nullptr;
  };
  find(pff, lib.file_initialize, "libpff_file_initialize");
  find(pff, lib.file_free, "libpff_file_free");
  find(pff, lib.file_open, "libpff_file_open_file_io_handle");
  find(pff, lib.file_close, "libpff_file_close");
  find(pff, lib.root_folder, "libpff_file_get_root_folder");
  find(pff, lib.item_free, "libpff_item_free");
  find(pff, lib.item_type, "libpff_item_get_type");
  find(pff, lib.record_sets, "libpff_item_get_number_of_record_sets");
  find(pff, lib.record_set, "libpff_item_get_record_set_by_index");
  find(pff, lib.set_free, "libpff_record_set_free");
  find(pff, lib.entry_by_type, "libpff_record_set_get_entry_by_type");
  find(pff, lib.entry_free, "libpff_record_entry_free");
  find(pff, lib.entry_text_size, "libpff_record_entry_get_data_as_utf8_string_size");
  find(pff, lib.entry_text, "libpff_record_entry_get_data_as_utf8_string");
  find(pff, lib.entry_number, "libpff_record_entry_get_data_as_32bit_integer");
  find(pff, lib.entry_boolean, "libpff_record_entry_get_data_as_boolean");
  find(pff, lib.entry_time, "libpff_record_entry_get_data_as_filetime");
  find(pff, lib.folder_count, "libpff_folder_get_number_of_sub_folders");
  find(pff, lib.folder, "libpff_folder_get_sub_folder");
  find(pff, lib.message_count, "libpff_folder_get_number_of_sub_messages");
  find(pff, lib.message, "libpff_folder_get_sub_message");
  find(pff, lib.plain_size, "libpff_message_get_plain_text_body_size");
  find(pff, lib.plain, "libpff_message_get_plain_text_body");
  find(pff, lib.html_size, "libpff_message_get_html_body_size");
  find(pff, lib.html, "libpff_message_get_html_body");
  find(pff, lib.rtf_size, "libpff_message_get_rtf_body_size");
  find(pff, lib.rtf, "libpff_message_get_rtf_body");
  find(pff, lib.recipients, "libpff_message_get_recipients");
  find(pff, lib.attachment_count, "libpff_message_get_number_of_attachments");
  find(pff, lib.attachment, "libpff_message_get_attachment");
  find(pff, lib.data_size, "libpff_attachment_get_data_size");
  find(pff, lib.data_read, "libpff_attachment_data_read_buffer");
  find(pff, lib.attached_item, "libpff_attachment_get_item");
  find(bfio, lib.handle_initialize, "libbfio_handle_initialize");
  find(bfio, lib.handle_free, "libbfio_handle_free");
}

bool has_pff() { return library().is_complete; }

Item::Item(Handle* handle) : handle_(handle) {}

ItemKind Item::kind() const {
  // The order of libpff's enumeration.
  constexpr std::uint8_t kAppointment = 2, kContactItem = 8, kEmail = 11, kEmailSmime = 12, kMeeting = 15, kPosting = 18,
                         kTaskItem = 27;
  std::uint8_t type = 0;
  if (library().item_type(handle_->item, &type, nullptr) != 1) return ItemKind::kOther;
  if (type == kAppointment) return ItemKind::kEvent;
  if (type == kContactItem) return ItemKind::kContact;
  if (type == kTaskItem) return ItemKind::kTask;
  const bool is_message = type == kEmail || type == kEmailSmime || type == kMeeting || type == kPosting;
  return is_message ? ItemKind::kMessage : ItemKind::kOther;
}

std::string Item::text(std::uint32_t property) const { return text_in(handle_->item, 0, property); }

std::optional<Instant> Item::time(std::uint32_t property) const {
  constexpr std::uint64_t kBefore1970 = 116'444'736'000'000'000;  // in units of 100 ns since 1601
  constexpr std::uint64_t kYear9999 = 2'650'467'743'999'999'999;
  std::optional<Instant> time;
  with_property(handle_->item, 0, property, [&](Any entry) {
    std::uint64_t value = 0;
    if (library().entry_time(entry, &value, nullptr) == 1 && value > kBefore1970 && value < kYear9999) {
      time = static_cast<Instant>((value - kBefore1970) / 10);
    }
  });
  return time;
}

std::optional<std::uint32_t> Item::number(std::uint32_t property) const { return number_in(handle_->item, 0, property); }

bool Item::is_set(std::uint32_t property) const {
  std::uint8_t value = 0;
  with_property(handle_->item, 0, property, [&](Any entry) {
    if (library().entry_boolean(entry, &value, nullptr) != 1) value = 0;
  });
  return value != 0;
}

std::optional<std::vector<Item>> Item::folders() const {
  const auto count = count_of(handle_->item, library().folder_count, kMaxChildren);
  if (!count) return std::nullopt;
  std::vector<Item> found;
  for (int i = 0; i < *count; ++i) {
    auto folder = std::make_unique<Handle>();
    if (library().folder(handle_->item, i, &folder->item, nullptr) != 1) return std::nullopt;
    found.emplace_back(folder.release());
  }
  return found;
}

std::optional<int> Item::message_count() const { return count_of(handle_->item, library().message_count, kMaxChildren); }

Item Item::message(int index) const {
  auto message = std::make_unique<Handle>();
  return library().message(handle_->item, index, &message->item, nullptr) == 1 ? Item(message.release()) : Item();
}

std::string Item::folder_name() const { return text(kDisplayName); }

std::string Item::plain_body() const { return replace_invalid(sized_text(handle_->item, library().plain_size, library().plain)); }
std::string Item::html_body() const { return sized_text(handle_->item, library().html_size, library().html); }
std::string Item::rtf_body() const { return sized_text(handle_->item, library().rtf_size, library().rtf); }

std::vector<Recipient> Item::recipients() const {
  std::vector<Recipient> found;
  Handle list;
  if (library().recipients(handle_->item, &list.item, nullptr) != 1) return found;
  for (int i = 0, count = count_of(list.item, library().record_sets, kMaxAttachments).value_or(0); i < count; ++i) {
    Recipient one{text_in(list.item, i, kDisplayName), text_in(list.item, i, kSmtpAddress),
                  number_in(list.item, i, kRecipientType).value_or(1)};
    if (one.address.empty()) one.address = text_in(list.item, i, kAddress);
    found.push_back(std::move(one));
  }
  return found;
}

std::vector<Item> Item::attachments() const {
  std::vector<Item> found;
  for (int i = 0, count = count_of(handle_->item, library().attachment_count, kMaxAttachments).value_or(0); i < count; ++i) {
    auto one = std::make_unique<Handle>();
    if (library().attachment(handle_->item, i, &one->item, nullptr) == 1) found.emplace_back(one.release());
  }
  return found;
}

std::string Item::data() const {
  std::uint64_t size = 0;
  if (library().data_size(handle_->item, &size, nullptr) != 1 || size > kMaxAttachmentBytes) return {};
  std::string bytes(size, '\0');
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t count = library().data_read(handle_->item, reinterpret_cast<std::uint8_t*>(bytes.data()) + filled,
                                              bytes.size() - filled, nullptr);
    if (count <= 0) break;
    filled += static_cast<std::size_t>(count);
  }
  bytes.resize(filled);
  return bytes;
}

Item Item::attached_item() const {
  auto item = std::make_unique<Handle>();
  return library().attached_item(handle_->item, &item->item, nullptr) == 1 ? Item(item.release()) : Item();
}

Result<std::unique_ptr<PffFile>> PffFile::open(Tree& tree, EntryNo entry) {
  const Library& lib = library();
  if (!has_pff()) return fail(Code::kInvalidRequest, "libpff is not installed");
  std::unique_ptr<PffFile> file(new PffFile);
  file->state_ = std::make_unique<State>();
  State& state = *file->state_;
  state.bytes = std::make_unique<RandomAccess>(tree, entry);
  const bool is_open = lib.handle_initialize(&state.handle, state.bytes.get(), keep, copy, open_nothing, close_nothing, read_some,
                                             write_nothing, seek_to, is_there, is_there, tell_size, 0, nullptr) == 1 &&
                       lib.file_initialize(&state.file, nullptr) == 1 &&
                       lib.file_open(state.file, state.handle, kReadOnly, nullptr) == 1;
  if (!is_open) return fail(Code::kInvalidRequest, "it is not a data file of Outlook, or too damaged to read");
  return file;
}

PffFile::~PffFile() {
  if (state_->file != nullptr) {
    library().file_close(state_->file, nullptr);
    library().file_free(&state_->file, nullptr);
  }
  if (state_->handle != nullptr) library().handle_free(&state_->handle, nullptr);
}

Item PffFile::root() const {
  auto root = std::make_unique<Handle>();
  return library().root_folder(state_->file, &root->item, nullptr) == 1 ? Item(root.release()) : Item();
}

}  // namespace ladder::imports::outlook
