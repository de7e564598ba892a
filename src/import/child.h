// What ladder-extract does, apart from being a program.
#pragma once

namespace ladder::imports {

int run_child(int argc, char** argv);  // the exit code

}  // namespace ladder::imports
