#include "agent/io/agent/session_notes.hpp"

#include <algorithm>

#include "agent/core/work/deserved.hpp"
#include "common/log.hpp"

namespace leasehold::agent {

void SessionNotes::look(const WorkList& work, int64_t slots_usable) {
  WorkSessions found =
      note_sessions(sessions_.all, work.units, scheduling_.session_types, scheduling_.job_comments);
  if (found.comments_left_out && !left_out_logged_) {
    left_out_logged_ = true;
    log_warn("comment-ignored",
             {{"why",
               "comments of jobs ask for a rank or for preemption, and [scheduling] job_comments "
               "does not allow that"},
              {"then", "these jobs have the rank of their session type"},
              {"do", "write job_comments = \"any\" or \"lower\" if users may rank their jobs"}});
  }
  give_deserved(found.all, scheduling_.policy, slots_usable);
  for (const std::string& problem : found.problems) {
    const auto& known = sessions_.problems;
    if (std::find(known.begin(), known.end(), problem) == known.end()) {
      log_warn(
          "comment-invalid",
          {{"why", problem}, {"then", "the comment is left out"}, {"do", "tell the job's user"}});
    }
  }
  sessions_ = std::move(found);
}

}  // namespace leasehold::agent
