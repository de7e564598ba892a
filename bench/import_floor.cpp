// The floor of `bench import`: parses the same file in one process, keeps nothing and writes nothing. Prints what it
// found, so that the compiler can remove none of the work.
//
//   bench_import_floor mail FILE      GMime over the mbox: parses every message, decodes every leaf, reads subject and senders
//   bench_import_floor chatgpt FILE   Boost.JSON's stream parser over the whole file, into its own tree
#include <fcntl.h>
#include <gmime/gmime.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string_view>

namespace {

struct Found {
  std::int64_t items = 0, bytes = 0;
};

int fail(const char* what) {
  std::fprintf(stderr, "bench_import_floor: %s\n", what);
  return 1;
}

void decode(GMimeObject*, GMimeObject* object, gpointer found) {
  if (!GMIME_IS_PART(object)) return;
  GMimeDataWrapper* content = g_mime_part_get_content(GMIME_PART(object));
  if (content == nullptr) return;
  GMimeStream* nowhere = g_mime_stream_null_new();
  static_cast<Found*>(found)->bytes += g_mime_data_wrapper_write_to_stream(content, nowhere);
  g_object_unref(nowhere);
}

// GMime's own mailbox reader stops at messages with other line ends, so messages are split at lines that begin with
// "From ".
bool parse_mail(int file, Found& found) {
  struct stat facts{};
  if (::fstat(file, &facts) != 0 || facts.st_size == 0) return false;
  const auto size = static_cast<std::size_t>(facts.st_size);
  void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (memory == MAP_FAILED) return false;
  std::string_view rest(static_cast<const char*>(memory), size);
  g_mime_init();
  while (!rest.empty()) {
    const std::size_t begin = std::min(rest.find('\n'), rest.size() - 1) + 1;
    const std::size_t end = std::min(rest.find("\nFrom ", begin), rest.size() - 1) + 1;
    GByteArray* const bytes =
        g_byte_array_new_take(reinterpret_cast<guint8*>(const_cast<char*>(rest.data() + begin)), end - begin);
    GMimeStream* const stream = g_mime_stream_mem_new_with_byte_array(bytes);
    g_mime_stream_mem_set_owner(GMIME_STREAM_MEM(stream), FALSE);
    GMimeParser* const parser = g_mime_parser_new_with_stream(stream);
    if (GMimeMessage* const message = g_mime_parser_construct_message(parser, nullptr)) {
      ++found.items;
      const char* subject = g_mime_message_get_subject(message);
      found.bytes += subject == nullptr ? 0 : static_cast<std::int64_t>(std::string_view(subject).size());
      found.bytes += internet_address_list_length(g_mime_message_get_from(message));
      g_mime_message_foreach(message, decode, &found);
      g_object_unref(message);
    }
    g_object_unref(parser);
    g_object_unref(stream);
    g_byte_array_free(bytes, FALSE);
    rest.remove_prefix(end);
  }
  return found.items > 0;
}

bool parse_json(int file, Found& found) {
  boost::json::stream_parser parser;
  std::array<char, 65'536> buffer;
  boost::system::error_code error;
  for (ssize_t count = 0; (count = ::read(file, buffer.data(), buffer.size())) > 0;) {
    parser.write(buffer.data(), static_cast<std::size_t>(count), error);
    if (error) return false;
    found.bytes += count;
  }
  parser.finish(error);
  if (error) return false;
  const boost::json::value tree = parser.release();
  if (!tree.is_array()) return false;
  found.items = static_cast<std::int64_t>(tree.get_array().size());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return fail("usage: bench_import_floor mail|chatgpt FILE");
  const int file = ::open(argv[2], O_RDONLY | O_CLOEXEC);
  if (file < 0) return fail("the file cannot be opened");
  Found found;
  const bool parsed = std::string_view(argv[1]) == "mail" ? parse_mail(file, found) : parse_json(file, found);
  if (!parsed) return fail("the file cannot be parsed");
  std::printf("%lld %lld\n", static_cast<long long>(found.items), static_cast<long long>(found.bytes));
  return 0;
}
