// The umask: who may read the files that a program makes is said by whoever starts it. A program
// may give others less than that, and never more.
#pragma once

#include <sys/types.h>

namespace leasehold {

/// The umask that the program was started with. First called before there are other threads.
mode_t given_umask();

/// From here on nobody but the owner and the group of a new file may read it, and nobody but its
/// owner write it: whoever can read a database can hold its locks. What the given umask takes away
/// beyond that stays away.
void keep_files_from_others();

}  // namespace leasehold
