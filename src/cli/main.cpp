// The program: hands the words of the command line to cli/, which picks the command.
#include "cli/app/application.h"

int main(int argc, char** argv) { return ladder::cli::run(argc, argv, LADDER_VERSION); }
