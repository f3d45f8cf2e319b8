// These texts are what LSF's programs print, in the shapes of its command reference.
#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "common/time/instant.hpp"

namespace leasehold::agent {

inline constexpr const char* kHosts =
    "HOST_NAME          STATUS          JL/U    MAX  NJOBS    RUN  SSUSP  USUSP    RSV \n"
    "big1.site.org      ok              -      8      3      1      1      0      1\n"
    "big2.site.org      closed_Full     -      4      4      4      0      0      0\n"
    "imp-far            closed_Adm      2      0      0      0      0      0      0\n";
inline constexpr const char* kFacts =
    "HOST_NAME      type    model  cpuf ncpus maxmem maxswp server RESOURCES\n"
    "big1.site.org  X86_64 PC6000   116.1 8  15.5G  1983M  Yes    (mg bigmem)\n"
    "big2.site.org  X86_64 PC6000   116.1 4  1000M      -  Yes    ()\n"
    "imp-far        X86_64 PC6000   116.1 4  -          -  Dyn    (mg)\n";
inline constexpr const char* kJobs = R"lsf({
  "COMMAND":"bjobs",
  "JOBS":3,
  "RECORDS":[
    {"JOBID":"321", "JOBINDEX":"0", "STAT":"RUN", "USER":"ana", "QUEUE":"batch",
     "PROJ_NAME":"default", "SLA":"", "JOB_PRIORITY":"50",
     "SUBMIT_TIME":"Apr 12 18:10:00 2026", "START_TIME":"Apr 12 18:10:55 2026",
     "NREQ_SLOT":"3", "NALLOC_SLOT":"5",
     "ALLOC_SLOT":"big1.site.org:2*big2.site.org:big1.site.org:big2.site.org"},
    {"JOBID":"322", "JOBINDEX":"7", "STAT":"PEND", "USER":"ana", "QUEUE":"batch",
     "PROJ_NAME":"default", "SLA":"gold", "JOB_PRIORITY":"",
     "SUBMIT_TIME":"Apr 12 18:10", "START_TIME":"",
     "NREQ_SLOT":"6", "NALLOC_SLOT":"", "ALLOC_SLOT":""},
    {"JOBID":"323", "JOBINDEX":"0", "STAT":"PSUSP", "USER":"bob", "QUEUE":"night",
     "PROJ_NAME":"default", "SLA":"", "JOB_PRIORITY":"-",
     "SUBMIT_TIME":"Dec 31 23:59:59 2025", "START_TIME":"-",
     "NREQ_SLOT":"-", "NALLOC_SLOT":"-", "ALLOC_SLOT":"-"}
  ]
})lsf";
inline constexpr const char* kNobody = R"({"COMMAND":"bjobs","JOBS":0,"RECORDS":[]})";

inline constexpr Instant kNow{1'776'017'500'000};  // Apr 12 18:11:40 2026

inline std::string with(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace leasehold::agent
