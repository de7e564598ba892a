#include "import/ocr/ocr.h"

#include "base/text/format.h"
#include "import/text/text.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <vector>

namespace ladder::imports {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxLanguages = 3;  // each one costs time on every page

// The functions of Tesseract's C interface that are used.
struct Tesseract {
  const char* (*version)() = nullptr;
  void* (*create)() = nullptr;
  void (*remove)(void*) = nullptr;
  int (*init)(void*, const char*, const char*) = nullptr;
  void (*set_image)(void*, const unsigned char*, int, int, int, int) = nullptr;
  void (*set_resolution)(void*, int) = nullptr;
  char* (*text)(void*) = nullptr;
  void (*free_text)(const char*) = nullptr;
  fs::path folder;
  std::string languages;  // "eng+deu"
  void* recognizer = nullptr;

  bool is_complete() const {
    return version && create && remove && init && set_image && set_resolution && text && free_text && !languages.empty();
  }
};

Tesseract& tesseract() {
  static Tesseract loaded;
  return loaded;
}

// English first, then the others by name.
std::string installed_languages(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& each : fs::directory_iterator(folder, error)) {
    const std::string name = each.path().stem().string();
    if (each.path().extension() == ".traineddata" && name != "osd" && name != "equ") names.push_back(name);
  }
  std::ranges::sort(names,
                    [](const std::string& a, const std::string& b) { return (a == "eng") != (b == "eng") ? a == "eng" : a < b; });
  if (names.size() > kMaxLanguages) names.resize(kMaxLanguages);
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : "+") + name;
  return all;
}

}  // namespace

void load_ocr() {
  Tesseract& ocr = tesseract();
  for (const char* folder : {"/usr/share/tesseract-ocr/5/tessdata", "/usr/share/tessdata", "/usr/share/tesseract/tessdata"}) {
    ocr.languages = installed_languages(folder);
    ocr.folder = folder;
    if (!ocr.languages.empty()) break;
  }
  if (ocr.languages.empty()) return;
  setenv("OMP_THREAD_LIMIT", "1", 1);  // NOLINT(concurrency-mt-unsafe): the process has one thread; the sandbox allows no others
  void* const library = dlopen("libtesseract.so.5", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    ocr = {};
    return;
  }
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
  };
  find(ocr.version, "TessVersion");
  find(ocr.create, "TessBaseAPICreate");
  find(ocr.remove, "TessBaseAPIDelete");
  find(ocr.init, "TessBaseAPIInit3");
  find(ocr.set_image, "TessBaseAPISetImage");
  find(ocr.set_resolution, "TessBaseAPISetSourceResolution");
  find(ocr.text, "TessBaseAPIGetUTF8Text");
  find(ocr.free_text, "TessDeleteText");
  if (!ocr.is_complete()) ocr = {};
}

bool has_ocr() { return tesseract().is_complete(); }
std::string ocr_reader() { return has_ocr() ? format("tesseract {}", tesseract().version()) : std::string(); }
fs::path ocr_data_folder() { return has_ocr() ? tesseract().folder : fs::path(); }

std::string recognized_text(const unsigned char* pixels, int width, int height, int bytes_per_pixel, int bytes_per_line,
                            int dots) {
  Tesseract& ocr = tesseract();
  if (!has_ocr() || width <= 0 || height <= 0) return {};
  if (ocr.recognizer == nullptr) {  // kept for the other pages; the process ends soon
    void* const made = ocr.create();
    if (made == nullptr) return {};
    if (ocr.init(made, ocr.folder.c_str(), ocr.languages.c_str()) != 0) {
      ocr.remove(made);
      return {};
    }
    ocr.recognizer = made;
  }
  ocr.set_image(ocr.recognizer, pixels, width, height, bytes_per_pixel, bytes_per_line);
  ocr.set_resolution(ocr.recognizer, dots);
  char* const text = ocr.text(ocr.recognizer);
  if (text == nullptr) return {};
  std::string copy = replace_invalid(text);
  ocr.free_text(text);
  return copy;
}

}  // namespace ladder::imports
