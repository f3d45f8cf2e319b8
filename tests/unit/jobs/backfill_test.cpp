// EASY backfilling, by examples worked by hand.
#include <catch2/catch.hpp>
#include <vector>

#include "common/jobs/job_model.hpp"

using namespace leasehold;

namespace {

using Ids = std::vector<uint64_t>;

/// Queued jobs are in the order of their ids; `limit` 0: the run time is known.
Job timed_job(uint64_t id, int64_t run, int32_t width, int64_t limit = 0) {
  return {id, {static_cast<int64_t>(id)}, run, width, 0, limit};
}

Ids started(JobModel& model, int64_t now) {
  Ids ids;
  for (const RunningJob& row : model.start({now})) ids.push_back(row.job.id);
  return ids;
}

/// Ten slots, of which job 1 has 6 until 100, or as long as its limit says.
JobModel busy(Backfill backfill, int64_t limit = 0) {
  JobModel model(backfill);
  model.add_host(10, 10);
  model.arrive(timed_job(1, 100, 6, limit));
  CHECK(started(model, 0) == Ids{1});
  return model;
}

}  // namespace

// Job 2 wants 8 and has them at 100, with 2 to spare. Job 3 would end at 150 and takes 3: it would
// delay job 2. Job 4 ends at 100, job 5 fits beside job 2; after that no slot is left that job 6
// could keep beyond 100, and 1 is left until then.
TEST_CASE("EASY starts what ends before the first job's reservation, or fits beside it") {
  JobModel easy = busy(Backfill::easy);
  JobModel plain = busy(Backfill::first_fit);
  for (JobModel* model : {&easy, &plain}) {
    model->arrive(timed_job(2, 50, 8));
    model->arrive(timed_job(3, 150, 3));
    model->arrive(timed_job(4, 100, 1));
    model->arrive(timed_job(5, 500, 2));
    model->arrive(timed_job(6, 101, 1));
    model->arrive(timed_job(7, 99, 1));
  }
  CHECK(started(easy, 0) == Ids{4, 5, 7});
  CHECK(started(plain, 0) == Ids{3, 4});
  easy.complete({100});
  CHECK(started(easy, 100) == Ids{2});  // at its reserved time
  plain.complete({100});
  CHECK(started(plain, 100) == Ids{5, 6, 7});  // job 2 still waits
}

TEST_CASE(
    "a reservation is by what jobs are expected to run, and is made anew when they end early") {
  JobModel model = busy(Backfill::easy, 1000);
  model.arrive(timed_job(2, 50, 8));
  model.arrive(timed_job(3, 900, 3));
  model.arrive(timed_job(4, 10, 1, 1001));
  CHECK(started(model, 0) == Ids{3, 4});  // job 4 fits beside job 2, however long it may run
  CHECK(model.next_completion() == Instant{10});
  model.complete({100});
  CHECK(started(model, 100).empty());  // job 3 has 3 of 10 until 900
  model.arrive(timed_job(5, 700, 7, 801));
  model.arrive(timed_job(6, 700, 2, 801));
  model.arrive(timed_job(7, 700, 2, 800));
  CHECK(started(model, 100) == Ids{6, 7});  // 2 to spare at 900; until then 7
}

TEST_CASE("a job that outruns its limit is expected to end at any moment") {
  JobModel model = busy(Backfill::easy, 20);
  model.arrive(timed_job(2, 50, 8));
  CHECK(started(model, 50).empty());
  model.arrive(timed_job(3, 1, 4));
  model.arrive(timed_job(4, 2, 4));
  CHECK(started(model, 50) == Ids{3});
}

TEST_CASE(
    "slots that may no longer be used are promised to nobody, and who waits for a lease stops "
    "nobody") {
  JobModel model(Backfill::easy);
  model.add_host(4, 4);
  const uint32_t leased = model.add_host(0, 6);
  model.arrive(timed_job(1, 100, 4));
  model.arrive(timed_job(2, 200, 3));
  CHECK(started(model, 0) == Ids{1, 2});
  model.set_cap(leased, 3);  // all of which job 2 is on
  model.arrive(timed_job(3, 10, 8));
  model.arrive(timed_job(4, 10, 5));
  CHECK(started(model, 0).empty());
  model.set_cap(leased, 4);
  model.arrive(timed_job(5, 101, 1));
  // Job 3 wants 8, and has them at 200. Under the cap of 3 it would never have them, and job 4
  // would be first.
  CHECK(started(model, 0) == Ids{5});
  model.set_cap(leased, 2);
  model.complete({101});
  CHECK(started(model, 101).empty());
  // Job 3 cannot have a reservation; job 4 has 5 of 6 from 200, when job 2 ends: 1 is to spare.
  model.arrive(timed_job(6, 100, 3));
  model.arrive(timed_job(7, 500, 2));
  model.arrive(timed_job(8, 500, 1));
  model.arrive(timed_job(9, 99, 1));
  CHECK(started(model, 101) == Ids{8, 9});
}
