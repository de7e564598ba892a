// Embeds a file in the program at build time. LADDER_EMBED(name, path) declares the symbols name_begin and name_end, the
// first byte and the one after the last. Use it at file scope of a .cpp file.
#pragma once

#define LADDER_EMBED(symbol, file)                                                                      \
  __asm__(".section .rodata\n.balign 16\n.globl " #symbol "_begin\n" #symbol "_begin:\n.incbin \"" file \
          "\"\n"                                                                                        \
          ".globl " #symbol "_end\n" #symbol "_end:\n.byte 0\n.previous\n");                            \
  extern "C" {                                                                                          \
  extern const char symbol##_begin[];                                                                   \
  extern const char symbol##_end[];                                                                     \
  }
