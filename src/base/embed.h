// Embeds a file into the program: LADDER_EMBED(symbol, "path") declares symbol_begin and symbol_end. The source file needs the
// embedded file in its OBJECT_DEPENDS (cmake/Layers.cmake, ladder_assets).
#pragma once

#define LADDER_EMBED(symbol, file)                                                                      \
  __asm__(".section .rodata\n.balign 16\n.globl " #symbol "_begin\n" #symbol "_begin:\n.incbin \"" file \
          "\"\n"                                                                                        \
          ".globl " #symbol "_end\n" #symbol "_end:\n.byte 0\n.previous\n");                            \
  extern "C" {                                                                                          \
  extern const char symbol##_begin[];                                                                   \
  extern const char symbol##_end[];                                                                     \
  }
