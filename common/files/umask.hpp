// The umask: whoever starts a program decides who may read the files that it makes. The program may
// give others less than that, and never more.
#pragma once

#include <sys/types.h>

namespace leasehold {

/// Returns the umask that the program was started with. Its first call must come before there are
/// other threads.
mode_t given_umask();

/// From here on only the owner and the group of a new file may read it, and only its owner may
/// write it: whoever can read a database can hold its locks. The given umask still applies beyond
/// that.
void keep_files_from_others();

}  // namespace leasehold
