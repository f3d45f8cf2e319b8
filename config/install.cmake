# Where things go on a machine: programs, units, completion, examples.
include(GNUInstallDirs)
install(TARGETS lease-broker lease-agent leasectl RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

# Units are written for /usr; elsewhere the paths in them are those of the installation, which is
# known only when it is made (cmake --install --prefix).
install(CODE "set(units ${CMAKE_SOURCE_DIR}/config/systemd)
set(programs ${CMAKE_INSTALL_BINDIR})
set(documents ${CMAKE_INSTALL_DATADIR}/doc)")
install(CODE [[
foreach(unit lease-broker.service lease-agent.service)
  file(READ ${units}/${unit} text)
  string(REPLACE "/usr/bin/" "${CMAKE_INSTALL_PREFIX}/${programs}/" text "${text}")
  string(REPLACE "/usr/share/doc/" "${CMAKE_INSTALL_PREFIX}/${documents}/" text "${text}")
  set(target "${CMAKE_INSTALL_PREFIX}/lib/systemd/system/${unit}")
  message(STATUS "Installing: $ENV{DESTDIR}${target}")
  file(WRITE "$ENV{DESTDIR}${target}" "${text}")
endforeach()
]])
install(FILES ${CMAKE_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# What the built program says, so that no command or option of it is missed.
set(completion ${CMAKE_BINARY_DIR}/completion/leasectl)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/completion)
add_custom_command(OUTPUT ${completion} COMMAND leasectl completion bash > ${completion}.new
  COMMAND ${CMAKE_COMMAND} -E rename ${completion}.new ${completion} DEPENDS leasectl VERBATIM
  COMMENT "Writing the completion of leasectl")
add_custom_target(completion ALL DEPENDS ${completion})
install(FILES ${completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${CMAKE_SOURCE_DIR}/config/systemd/leasehold-sysusers.conf DESTINATION lib/sysusers.d
  RENAME leasehold.conf)
install(FILES ${CMAKE_SOURCE_DIR}/config/broker.toml ${CMAKE_SOURCE_DIR}/config/agent.toml
  ${CMAKE_SOURCE_DIR}/config/plan.toml
  DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
