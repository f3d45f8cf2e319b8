# Where things go on a machine: programs, units, completion, examples.
include(GNUInstallDirs)
install(TARGETS lease-broker lease-agent leasectl RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

# Units are written for /usr; elsewhere the paths in them are those of the installation.
foreach(unit lease-broker.service lease-agent.service)
  file(READ ${CMAKE_SOURCE_DIR}/config/systemd/${unit} unit_text)
  string(REPLACE "/usr/bin/" "${CMAKE_INSTALL_FULL_BINDIR}/" unit_text "${unit_text}")
  string(REPLACE "/usr/share/doc/" "${CMAKE_INSTALL_FULL_DATADIR}/doc/" unit_text "${unit_text}")
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/${unit} CONTENT "${unit_text}" @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/generated/${unit} DESTINATION lib/systemd/system)
endforeach()
install(FILES ${CMAKE_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${CMAKE_SOURCE_DIR}/config/completion/leasectl DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
