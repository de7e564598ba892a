// Passes the command line to cli/, which runs the command.
#include "cli/application.h"

int main(int argc, char** argv) { return ladder::cli::run(argc, argv, LADDER_VERSION); }
