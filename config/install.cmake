# Where things go on a machine: programs, units, users, pages of the manual, completion, examples. Each
# is of the package of one program: a component.
include(GNUInstallDirs)
install(TARGETS lease-broker RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT broker)
install(TARGETS lease-agent RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT agent)
install(TARGETS leasectl RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT leasectl)

# Units are written for /usr; elsewhere the paths in them are those of the installation, which is
# known only when it is made (cmake --install --prefix).
install(CODE "set(units ${CMAKE_SOURCE_DIR}/config/systemd)
set(programs ${CMAKE_INSTALL_BINDIR})
set(documents ${CMAKE_INSTALL_DATADIR}/doc)" ALL_COMPONENTS)
function(leasehold_install_unit unit component)
  install(CODE "set(unit ${unit})" COMPONENT ${component})
  install(CODE [[
file(READ ${units}/${unit} text)
string(REPLACE "/usr/bin/" "${CMAKE_INSTALL_PREFIX}/${programs}/" text "${text}")
string(REPLACE "/usr/share/doc/" "${CMAKE_INSTALL_PREFIX}/${documents}/" text "${text}")
set(target "${CMAKE_INSTALL_PREFIX}/lib/systemd/system/${unit}")
message(STATUS "Installing: $ENV{DESTDIR}${target}")
file(WRITE "$ENV{DESTDIR}${target}" "${text}")
file(CHMOD "$ENV{DESTDIR}${target}" PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
]] COMPONENT ${component})
endfunction()
foreach(daemon broker agent)
  leasehold_install_unit(lease-${daemon}.service ${daemon})
  install(FILES ${CMAKE_SOURCE_DIR}/config/systemd/leasehold-${daemon}.conf
    DESTINATION lib/sysusers.d COMPONENT ${daemon})
endforeach()
leasehold_install_unit(leasehold-backup.service broker)
leasehold_install_unit(leasehold-backup.timer broker)

# What the built program says, so that no command or option of it is missed.
set(completion ${CMAKE_BINARY_DIR}/completion)
file(MAKE_DIRECTORY ${completion})
foreach(shell bash zsh fish)
  add_custom_command(OUTPUT ${completion}/${shell}
    COMMAND leasectl completion ${shell} > ${completion}/${shell}.new
    COMMAND ${CMAKE_COMMAND} -E rename ${completion}/${shell}.new ${completion}/${shell}
    DEPENDS leasectl VERBATIM COMMENT "Writing the completion of leasectl for ${shell}")
  list(APPEND completions ${completion}/${shell})
endforeach()
add_custom_target(completion ALL DEPENDS ${completions})
function(leasehold_install_completion shell folder name)
  install(FILES ${completion}/${shell} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder} RENAME ${name}
    COMPONENT leasectl)
endfunction()
leasehold_install_completion(bash bash-completion/completions leasectl)
leasehold_install_completion(zsh zsh/vendor-completions _leasectl)
leasehold_install_completion(fish fish/vendor_completions.d leasectl.fish)

include(${CMAKE_SOURCE_DIR}/config/man/man.cmake)

set(documents ${CMAKE_INSTALL_DATADIR}/doc)
install(FILES ${CMAKE_SOURCE_DIR}/README.md ${CMAKE_SOURCE_DIR}/config/KEYS.md
  ${CMAKE_SOURCE_DIR}/schema/METRICS.md
  DESTINATION ${documents}/leasehold-broker COMPONENT broker)
install(FILES ${CMAKE_SOURCE_DIR}/config/broker.toml ${CMAKE_SOURCE_DIR}/config/broker-secure.toml
  ${CMAKE_SOURCE_DIR}/config/plan.toml
  DESTINATION ${documents}/leasehold-broker/examples COMPONENT broker)
if(TARGET leasehold_guide)
  install(DIRECTORY ${LEASEHOLD_GUIDE_BUILT}/ DESTINATION ${documents}/leasehold COMPONENT broker)
endif()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/config/prometheus DESTINATION ${documents}/leasehold-broker
  COMPONENT broker)
install(FILES ${CMAKE_SOURCE_DIR}/config/AGENT_KEYS.md ${CMAKE_SOURCE_DIR}/schema/AGENT_METRICS.md
  DESTINATION ${documents}/leasehold-agent COMPONENT agent)
install(FILES ${CMAKE_SOURCE_DIR}/config/agent.toml
  DESTINATION ${documents}/leasehold-agent/examples COMPONENT agent)
install(FILES ${CMAKE_SOURCE_DIR}/config/scenario.toml
  DESTINATION ${documents}/leasehold-ctl/examples COMPONENT leasectl)
# What Debian asks of a package; each under its own name.
function(leasehold_install_debian package component)
  set(about ${CMAKE_BINARY_DIR}/about/${package})
  add_custom_command(OUTPUT ${about}/changelog.gz
    COMMAND ${CMAKE_COMMAND} -E make_directory ${about}
    COMMAND gzip -9nc ${CMAKE_SOURCE_DIR}/config/packages/changelog > ${about}/changelog.gz
    DEPENDS ${CMAKE_SOURCE_DIR}/config/packages/changelog VERBATIM)
  add_custom_target(about-${package} ALL DEPENDS ${about}/changelog.gz)
  install(FILES ${CMAKE_SOURCE_DIR}/config/packages/copyright ${about}/changelog.gz
    DESTINATION ${documents}/${package} COMPONENT ${component})
endfunction()
leasehold_install_debian(leasehold-broker broker)
leasehold_install_debian(leasehold-agent agent)
leasehold_install_debian(leasehold-ctl leasectl)
install(DIRECTORY DESTINATION /etc/leasehold COMPONENT agent EXCLUDE_FROM_ALL)
# Of packages alone: who installs by hand writes his own.
install(FILES ${CMAKE_SOURCE_DIR}/config/packages/broker.toml DESTINATION /etc/leasehold
  COMPONENT broker EXCLUDE_FROM_ALL
  PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ)
