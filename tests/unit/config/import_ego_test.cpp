// EGO's ConsumerTrees.xml: its content is converted, unknown parts are reported, and the TOML loads
// again.
#include <algorithm>
#include <catch2/catch.hpp>

#include "broker/config/ego/import.hpp"
#include "broker/config/load.hpp"

using namespace leasehold;

namespace {

std::string all_lines(const Imported& imported) {
  std::string text = imported.toml;
  for (const std::string& line : imported.report) text += line + "\n";
  for (const Error& error : imported.errors) text += "error: " + describe(error) + "\n";
  return text;
}

bool reports(const Imported& imported, const std::string& fragment) {
  return std::any_of(imported.report.begin(), imported.report.end(), [&](const std::string& line) {
    return line.find(fragment) != std::string::npos;
  });
}

Imported imported(const std::string& text) {
  return import_ego_text(text, "ConsumerTrees.xml");
}

Plan plan_at_time(const Imported& imported, const char* time) {
  const Loaded loaded = parse_broker_config(imported.toml, "imported.toml");
  INFO(all_lines(imported));
  REQUIRE(loaded.ok());
  return loaded.plans.in_force(0, *parse_time(time, Instant{0}));
}

const PlanConsumer& consumer(const Plan& plan, const std::string& path) {
  const auto at = std::find_if(plan.consumers.begin(), plan.consumers.end(),
                               [&](const PlanConsumer& one) { return one.path == path; });
  REQUIRE(at != plan.consumers.end());
  return *at;
}

const std::string kTrees = R"(<?xml version="1.0"?>
<ResourcePlan version="1">
  <ConsumerHierarchy>
    <Consumer name="Risk" rank="1">
      <Consumer name="Intraday" rank="0" reclaimGracePeriod="60" rebalance="true"/>
      <Consumer name="Batch" rank="5" reclaimGracePeriod="300"/>
    </Consumer>
    <Consumer name="Research" rank="2"/>
  </ConsumerHierarchy>
  <DistributionTree>
    <ResourceGroupName>ComputeHosts</ResourceGroupName>
    <PolicyParameter ParameterName="DistributeBy">EqualFreeSlot</PolicyParameter>
    <TimeInterval start="08:00" end="17:00">
      <Policy consumer="/Risk" type="ownership" owned="30"/>
      <Policy consumer="/Risk/Intraday" owned="20"><Lend limit="10" to="/Risk/Batch"/></Policy>
      <Policy consumer="/Risk/Batch" owned="10">
        <Borrow limit="15"><From consumer="/Research" preference="2"/>
                           <From consumer="/Risk/Intraday" preference="1"/></Borrow></Policy>
      <Policy consumer="/Research" type="share" ratio="2" limit="40"/>
    </TimeInterval>
    <TimeInterval start="17:00" end="8:00">
      <Policy consumer="/Risk" type="hybrid" owned="30" reserve="5" limit="60"/>
    </TimeInterval>
  </DistributionTree>
</ResourcePlan>
)";

std::string with(const std::string& from, const std::string& to) {
  std::string text = kTrees;
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

/// One consumer A, with `inside` in its distribution tree.
std::string tree_with(const std::string& inside) {
  return "<R><ConsumerHierarchy><Consumer name=\"A\"/></ConsumerHierarchy>\n"
         "<DistributionTree><ResourceGroupName>G</ResourceGroupName>\n" +
         inside + "\n</DistributionTree></R>";
}

}  // namespace

TEST_CASE("consumers, ranks, graces and intervals come over and load again") {
  const Imported result = imported(kTrees);
  INFO(all_lines(result));
  REQUIRE(result.errors.empty());
  CHECK(result.report.empty());
  const Plan day = plan_at_time(result, "2026-11-21T12:00:00Z");
  CHECK(day.name == "ComputeHosts");
  CHECK(day.placement == Placement::balanced);
  CHECK(day.policy == PlanPolicy::ownership);
  CHECK(consumer(day, "/Risk").owned == 30);
  CHECK(consumer(day, "/Risk").rank == 1);
  CHECK(consumer(day, "/Risk/Intraday").owned == 20);
  CHECK(consumer(day, "/Risk/Intraday").lend_limit == 10);
  CHECK(consumer(day, "/Risk/Intraday").lend_to == ConsumerList{false, {2}, {}});
  CHECK(consumer(day, "/Risk/Intraday").reclaim_grace_ms == 60'000);
  CHECK(consumer(day, "/Risk/Batch").borrow_limit == 15);
  CHECK(consumer(day, "/Risk/Batch").borrow_from == ConsumerList{false, {1, 3}, {}});
  CHECK(consumer(day, "/Research").share_ratio == 2);
  CHECK(consumer(day, "/Research").share_limit == 40);
  CHECK_FALSE(consumer(day, "/Research").limit);
}

TEST_CASE("each interval has its own numbers and policy") {
  const Plan night = plan_at_time(imported(kTrees), "2026-11-21T17:00:00Z");
  CHECK(consumer(night, "/Risk").policy == PlanPolicy::hybrid);
  CHECK(consumer(night, "/Risk").owned == 30);
  CHECK(consumer(night, "/Risk").reserved == 5);
  CHECK(consumer(night, "/Risk").limit == 60);
  CHECK_FALSE(consumer(night, "/Risk/Intraday").owned);
  CHECK_FALSE(consumer(night, "/Research").share_limit);
}

TEST_CASE("what is not understood is reported with its line and nothing else is lost") {
  struct Odd {
    std::string text;
    const char* report;
  };
  const Odd cases[] = {
      {with("rank=\"1\"", "rank=\"1\" colour=\"red\""), "xml:4: attribute colour=\"red\""},
      {with("<Consumer name=\"Research\" rank=\"2\"/>",
            "<Consumer name=\"Research\"><ExecutionUser>ego</ExecutionUser></Consumer>"),
       "xml:8: <ExecutionUser> (\"ego\") has no counterpart"},
      {with("EqualFreeSlot", "Moon"), "xml:12: PolicyParameter DistributeBy = \"Moon\""},
      {with("DistributeBy", "Whatever"), "xml:12: PolicyParameter Whatever"},
      {with("  <DistributionTree>", "  <Users><User>ana</User></Users>\n  <DistributionTree>"),
       "xml:10: <Users>"},
      {with("rank=\"2\"", "rank=\"first\""), "xml:8: rank=\"first\" is not a whole number"},
      {with("rebalance=\"true\"", "rebalance=\"maybe\""), "xml:5: rebalance=\"maybe\" is neither"},
      {with("type=\"share\"", "type=\"lottery\""), "xml:19: type=\"lottery\" was not understood"},
      {with("<TimeInterval start=\"17", "stray words <TimeInterval start=\"17"),
       "xml:10: text \"stray words\""},
      {with("to=\"/Risk/Batch\"", "to=\"Batch\""), "\"Batch\" is no full path"},
      {with("consumer=\"/Research\" type", "consumer=\"/Resarch\" type"),
       "xml:19: a policy of \"/Resarch\", which <ConsumerHierarchy> does not name"},
      {with("<Consumer name=\"Research\" rank=\"2\"/>", "<Consumer name=\"Idle\"/>"),
       "consumer /Idle has no policy in any"},
      {with("end=\"8:00\"", "end=\"07:00\""), "xml:10: the intervals of ComputeHosts do not cover"},
      {with("preference=\"2\"", "preference=\"2\" when=\"now\""), "attribute when=\"now\""},
      {with("<Policy consumer=\"/Risk/Batch\" owned=\"10\">",
            "<Policy consumer=\"/Risk/Batch\" type=\"hybrid\" owned=\"10\">"),
       "is not that of its root-level branch"},
  };
  for (const Odd& odd : cases) {
    const Imported result = imported(odd.text);
    INFO(odd.report << "\n" << all_lines(result));
    CHECK(reports(result, odd.report));
  }
}

TEST_CASE("borrowing that names nobody is from any lender; of short names alone from nobody") {
  const auto borrow = [](const std::string& inside) {
    return plan_at_time(
        imported(tree_with("<TimeInterval start=\"0:00\" end=\"24:00\"><Policy "
                           "consumer=\"/A\" type=\"ownership\"><Borrow limit=\"3\">" +
                           inside + "</Borrow></Policy></TimeInterval>")),
        "2026-11-21T12:00:00Z");
  };
  CHECK(borrow("").consumers[0].borrow_from == ConsumerList{true, {}, {}});
  CHECK(borrow("").consumers[0].borrow_limit == 3);
  CHECK_FALSE(borrow("<From consumer=\"B\"/>").consumers[0].borrow_from);
  CHECK_FALSE(borrow("<From consumer=\"B\"/>").consumers[0].borrow_limit);
}

TEST_CASE("what the policy of its branch does not know is left out of an import, and told") {
  const Imported result = imported(
      tree_with("<TimeInterval start='8:00' end='20:00'>"
                "<Policy consumer='/A' type='ownership' owned='5' reserve='2'/></TimeInterval>"
                "<TimeInterval start='20:00' end='8:00'>"
                "<Policy consumer='/A' type='hybrid' owned='5' reserve='3'/></TimeInterval>"));
  CHECK(reports(result,
                "'reserved' of /A is left out: its branch has policy ownership, and only "
                "hybrid knows it"));
  CHECK_FALSE(plan_at_time(result, "2026-11-21T12:00:00Z").consumers[0].reserved);
  CHECK(plan_at_time(result, "2026-11-21T23:00:00Z").consumers[0].reserved == 3);
}

TEST_CASE("an interval of the whole day is the consumer's own, not a window") {
  for (const char* times :
       {"start=\"0:00\" end=\"24:00\"", "StartTime=\"08:00\" EndTime=\"8:00\""}) {
    const Imported result = imported(
        tree_with("<TimeInterval " + std::string(times) +
                  "><Policy consumer=\"/A\" type=\"hybrid\" owned=\"3\"/></TimeInterval>"));
    INFO(all_lines(result));
    REQUIRE(result.errors.empty());
    CHECK(result.report.empty());
    CHECK(result.toml.find("window") == std::string::npos);
    CHECK(plan_at_time(result, "2026-11-21T12:00:00Z").consumers[0].owned == 3);
  }
}

TEST_CASE("share ratios alone are the share-ratio policy") {
  const Imported result = imported(
      tree_with("<TimeInterval start=\"0:00\" end=\"24:00\"><Policy consumer=\"/A\" type=\"share\" "
                "ratio=\"3\"/></TimeInterval>"));
  const Plan plan = plan_at_time(result, "2026-11-21T12:00:00Z");
  CHECK(plan.policy == PlanPolicy::share_ratio);
  CHECK(plan.consumers[0].share_ratio == 3);
}

TEST_CASE("what is no consumer tree is refused with its line") {
  const auto error = [](const std::string& text) {
    const Imported result = imported(text);
    REQUIRE(result.errors.size() == 1);
    CHECK(result.errors[0].code == ErrorCode::usage);
    return describe(result.errors[0]);
  };
  CHECK_THAT(error("<a>\n<b></a>"), Catch::Contains("ConsumerTrees.xml:2: is not XML"));
  CHECK_THAT(error(""), Catch::Contains("is not XML"));
  CHECK_THAT(error("<a/>"), Catch::Contains("has no <ConsumerHierarchy>"));
  CHECK_THAT(error("<a><ConsumerHierarchy/></a>"), Catch::Contains("has no <DistributionTree>"));
  CHECK_THAT(error(tree_with("<TimeInterval start=\"noon\" end=\"24:00\"/>")),
             Catch::Contains("ConsumerTrees.xml:3: <TimeInterval> from \"noon\""));
  CHECK_THAT(describe(import_ego("/nonexistent.xml").errors.at(0)),
             Catch::Contains("No such file"));
}

TEST_CASE("what is said a second time is told, not dropped: the first one holds") {
  const auto with_policy = [](const std::string& policy) {
    return imported(
        tree_with("<TimeInterval start='0:00' end='24:00'>" + policy + "</TimeInterval>"));
  };
  const Imported attribute = with_policy("<Policy consumer='/A' owned='71' owned='888'/>");
  CHECK(attribute.toml.find("= 71") != std::string::npos);
  CHECK(reports(attribute, "owned=\"888\""));
  const Imported lend = with_policy(
      "<Policy consumer='/A' type='ownership' owned='80'><Lend limit='71'/><Lend limit='72'/>"
      "<Borrow limit='73'/><Borrow limit='74'/></Policy>");
  CHECK(lend.toml.find("lend_limit    = 71") != std::string::npos);
  CHECK(lend.toml.find("borrow_limit  = 73") != std::string::npos);
  CHECK(reports(lend, "a second <Lend>"));
  CHECK(reports(lend, "a second <Borrow>"));
  CHECK(reports(with_policy("<Policy consumer='/A' type='share' shareLimit='71' limit='88'/>"),
                "limit=\"88\""));
  CHECK(reports(imported(tree_with("<ResourceGroupName>Second</ResourceGroupName>")),
                "a second <ResourceGroupName>"));
}

TEST_CASE("texts where none belong, and what stands beside the first element, are told") {
  const Imported from = imported(
      tree_with("<TimeInterval start='0:00' end='24:00'><Policy consumer='/A' type='ownership' "
                "owned='5'><Borrow><From consumer='/A'>words</From></Borrow></Policy>"
                "</TimeInterval>"));
  CHECK(reports(from, "\"words\""));
  CHECK(reports(imported(kTrees + "<Other><More/></Other>"), "<More>"));
  CHECK(reports(imported(kTrees + "more words"), "\"more words\""));
  const Imported nul = imported(kTrees + std::string(1, '\0') + "<Other/>");
  REQUIRE(nul.errors.size() == 1);
  CHECK(nul.errors.front().message.find("character of value 0") != std::string::npos);
}

TEST_CASE("a plan that contradicts itself is told, with the TOML that says so") {
  const Imported result = imported(with("owned=\"20\"", "owned=\"25\""));
  INFO(all_lines(result));
  REQUIRE(result.errors.size() == 1);
  CHECK_THAT(result.errors[0].message,
             Catch::Contains("/Risk: 'owned' is 30, but its children have "
                             "35"));
}

TEST_CASE("trees nested without end are not followed without end") {
  std::string deep = "<R><ConsumerHierarchy>";
  for (int i = 0; i < 20'000; ++i) deep += "<Consumer name=\"n\">";
  const Imported result = imported(deep);  // not even closed
  CHECK_FALSE(result.errors.empty());
  for (int i = 0; i < 20'000; ++i) deep += "</Consumer>";
  deep +=
      "</ConsumerHierarchy><DistributionTree><ResourceGroupName>G</ResourceGroupName>"
      "</DistributionTree></R>";
  CHECK(reports(imported(deep), "nested too deeply"));
}
