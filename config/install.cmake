# Where things go on a machine: programs, units, completion, examples.
include(GNUInstallDirs)
install(TARGETS lease-broker lease-agent leasectl RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
