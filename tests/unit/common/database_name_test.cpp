// Names of databases: what of them is secret, and what libpq makes of them.
#include "common/database_name.hpp"

#include <catch2/catch.hpp>

using namespace leasehold;

TEST_CASE("a database's name is told without its password, wherever that stands") {
  // A password in the query was printed: "?password=…" and "sslpassword=…".
  struct Row {
    const char* name;
    const char* shown;
  };
  for (const Row& row : {
           Row{"leasehold.db", "leasehold.db"},
           Row{"postgresql://db/leasehold", "postgresql://db/leasehold"},
           Row{"postgresql://u@db/leasehold", "postgresql://u@db/leasehold"},
           Row{"postgresql://u:pw@db:5432/leasehold", "postgresql://u@db:5432/leasehold"},
           Row{"postgres://u:p@w@db/leasehold", "postgres://u@db/leasehold"},
           Row{"postgresql://u:p?w@db/leasehold", "postgresql://u@db/leasehold"},
           Row{"postgresql://u@db/l?password=pw", "postgresql://u@db/l?password=***"},
           Row{"postgresql://db?user=u&password=p@w:x&sslmode=require",
               "postgresql://db?user=u&password=***&sslmode=require"},
           Row{"postgresql://u:one@db/l?sslpassword=two&password=three",
               "postgresql://u@db/l?sslpassword=***&password=***"},
           Row{"postgresql:///l?%70assword=pw", "postgresql:///l?%70assword=***"},
           Row{"postgresql:///l?PassWord=pw", "postgresql:///l?PassWord=***"},
           Row{"postgresql:///l?passwd=pw", "postgresql:///l?passwd=***"},
           Row{"postgresql:///l?oauth_client_secret=pw", "postgresql:///l?oauth_client_secret=***"},
           Row{"postgresql:///l?scram_client_key=pw", "postgresql:///l?scram_client_key=***"},
           Row{"postgresql:///l?passfile=/etc/pw&sslkey=/etc/k",
               "postgresql:///l?passfile=/etc/pw&sslkey=/etc/k"},
           Row{"postgresql:///l?password", "postgresql:///l?password"},
           Row{"postgresql:///l?password=&host=db", "postgresql:///l?password=&host=db"},
       }) {
    CHECK(without_password(row.name) == row.shown);
  }
}

TEST_CASE("what libpq says of a name is told without the password that it repeats") {
  const std::string database = "postgresql://u:a%zz@db/l?password=b%zz";
  const std::string limited = with_parameters(database, "connect_timeout=5");
  CHECK(without_password(database, "in URI: \"" + limited + "\"") ==
        "in URI: \"postgresql://u@db/l?password=***&connect_timeout=5\"");
  CHECK(without_password(database, "invalid token: \"a%zz\"") == "invalid token: \"***\"");
  CHECK(without_password(database, "invalid token: \"b%zz\"") == "invalid token: \"***\"");
  CHECK(without_password(database, "no such host \"db\"") == "no such host \"db\"");
}

TEST_CASE("the files that libpq opens by a name are known, as they are called") {
  CHECK(files_named_by("postgresql://db/l?sslmode=require").empty());
  CHECK(files_named_by("leasehold.db").empty());
  CHECK(files_named_by("postgresql:///l?sslrootcert=/a%20b&passfile=/etc/pw&sslkey=k") ==
        std::vector<std::string>{"/a b", "/etc/pw", "k"});
}

TEST_CASE("several hosts are known wherever they stand") {
  // With "?host=a,b" readers asked a replica that was behind.
  struct Row {
    const char* name;
    bool several;
  };
  for (const Row& row : {
           Row{"postgresql://db/leasehold", false},
           Row{"postgresql://db-a,db-b/leasehold", true},
           Row{"postgresql://u:p,w@db/leasehold", false},
           Row{"postgresql://u@db-a:1,db-b:2", true},
           Row{"postgresql://db-a,db-b?sslmode=require", true},
           Row{"postgresql:///leasehold?host=db-a,db-b", true},
           Row{"postgresql://u@/leasehold?sslmode=require&host=db-a,db-b&port=1,2", true},
           Row{"postgresql:///leasehold?host=db-a%2Cdb-b", true},
           Row{"postgresql:///leasehold?%68ost=db-a,db-b", true},
           Row{"postgresql:///leasehold?hostaddr=10.0.0.1,10.0.0.2", true},
           Row{"postgresql:///leasehold?host=db-a", false},
           Row{"postgresql://db-a,db-b/leasehold?host=db-a", false},
           Row{"postgresql:///leasehold?options=a,b", false},
       }) {
    INFO(row.name);
    CHECK(names_several_hosts(row.name) == row.several);
  }
}

TEST_CASE("a name gets further parameters, and says which it has") {
  CHECK(with_parameters("postgresql://db/l", "a=1") == "postgresql://db/l?a=1");
  CHECK(with_parameters("postgresql://db/l?b=2", "a=1") == "postgresql://db/l?b=2&a=1");
  CHECK(with_parameters("postgresql://u:p?w@db/l", "a=1") == "postgresql://u:p?w@db/l?a=1");
  CHECK(names_parameter("postgresql://db/l?target_session_attrs=any", "target_session_attrs"));
  CHECK_FALSE(names_parameter("postgresql://db/target_session_attrs=", "target_session_attrs"));
}

TEST_CASE("libpq's other form is known, and nothing of it is told") {
  // It was taken for a file's path: files of that name were made, and the log had the password.
  for (const char* name :
       {"host=db password=pw", "  host = db user=u", "dbname=l", "user=u host=db",
        "password='p w' host=db", "hots=db password=pw", "sslmode=require"}) {
    INFO(name);
    CHECK(is_conninfo(name));
    CHECK(without_password(name) == "host=…");
  }
  for (const char* name :
       {"leasehold.db", "/data/a=b/leasehold.db", "a=b.db", "/x/host=db/l.db", "", "=", " = x",
        "postgresql://db/l?password=pw", "postgresql:///l?host=db"}) {
    INFO(name);
    CHECK_FALSE(is_conninfo(name));
  }
  CHECK(conninfo_fault().find("postgresql://USER@HOST/NAME") != std::string::npos);
}
