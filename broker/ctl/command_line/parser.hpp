// Parser: every command and option of leasectl, as CLI11 needs them. Commands that ask a broker
// come from the catalogue (broker/views/catalogue.hpp), the others are in parser.cpp. For parse.cpp
// only.
#pragma once

#include <CLI/CLI.hpp>
#include <array>

#include "broker/ctl/command_line/command_line.hpp"
#include "broker/ctl/command_line/what_if_options.hpp"
#include "broker/views/catalogue.hpp"

namespace leasehold::ctl {

/// Texts that are read after CLI11 is done, so that errors say what would be right.
struct RawTexts {
  std::array<std::string, 64> times;  // by RequestField
  std::array<bool, kTokensOf<DrainSide>.size()> halves{};
  std::string timeout;
  WhatIfTexts what_if;
};

struct Parser {
  CLI::App app{"Shows and changes what lease-broker does: leases of job slots between clusters."};
  CommandLine line;
  RawTexts raw;
  bool version = false;

  Parser();
  Parser(const Parser&) = delete;  // options point into it
  Parser& operator=(const Parser&) = delete;

 private:
  CLI::App* add(const char* name, const char* what, const std::string& examples);
  void add_common();
  void add_request(const RequestRow& row);
  void add_fields(CLI::App* command, RequestFields fields);
  void add_name(CLI::App* command, RequestField filter);
  void add_replay();
  void add_keep();
  void add_files();
  void add_imports();
  void add_plan();
  void add_itself();
};

}  // namespace leasehold::ctl
