# Packages, by cpack in the build folder: Debian's, one for each program (README.md here says what they
# do), from what config/install.cmake installs; and an agent for any Linux, as .rpm and tarball.
set(CPACK_PACKAGE_NAME leasehold)
set(CPACK_PACKAGE_VENDOR Leasehold)
set(CPACK_PACKAGE_CONTACT "Leasehold maintainers <maintainers@leasehold.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "broker that leases job slots between compute clusters")
# Its configuration is under /etc, everything else under /usr.
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL broker agent leasectl)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
if(NOT CPACK_GENERATOR)
  set(CPACK_GENERATOR DEB)
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(daemon_depends "init-system-helpers (>= 1.54~), systemd | systemd-standalone-sysusers")

# leasehold_maintained(DAEMON STATES TIMERS): scripts that run when its package is installed and removed.
function(leasehold_maintained daemon states timers)
  foreach(script postinst prerm postrm)
    configure_file(${CMAKE_SOURCE_DIR}/config/packages/maintainer/${script}.in
      ${CMAKE_BINARY_DIR}/maintainer/${daemon}/${script} @ONLY
      FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
      WORLD_EXECUTE)
  endforeach()
endfunction()

leasehold_maintained(broker "leasehold leasehold-backup" leasehold-backup.timer)
leasehold_maintained(agent leasehold-agent "")
set(scripts ${CMAKE_BINARY_DIR}/maintainer)
set(CPACK_DEBIAN_BROKER_PACKAGE_NAME leasehold-broker)
set(CPACK_DEBIAN_BROKER_PACKAGE_DEPENDS "${daemon_depends}, tzdata")
set(CPACK_DEBIAN_BROKER_PACKAGE_RECOMMENDS leasehold-ctl)
set(CPACK_DEBIAN_BROKER_PACKAGE_CONTROL_EXTRA ${scripts}/broker/postinst ${scripts}/broker/prerm
  ${scripts}/broker/postrm ${CMAKE_SOURCE_DIR}/config/packages/maintainer/conffiles)
set(CPACK_COMPONENT_BROKER_DESCRIPTION
"lease-broker decides which cluster may run jobs on whose slots: it compares
the idle slots of both sides of each lease, moves leases through an inactive
phase so that no slot is given twice, and keeps each decision and its reason.")

set(CPACK_DEBIAN_AGENT_PACKAGE_NAME leasehold-agent)
set(CPACK_DEBIAN_AGENT_PACKAGE_DEPENDS "${daemon_depends}")
set(CPACK_DEBIAN_AGENT_PACKAGE_RECOMMENDS "slurm-client | gridengine-client")
set(CPACK_DEBIAN_AGENT_PACKAGE_CONTROL_EXTRA ${scripts}/agent/postinst ${scripts}/agent/prerm
  ${scripts}/agent/postrm)
set(CPACK_COMPONENT_AGENT_DESCRIPTION
"lease-agent stands beside the workload manager of a cluster (Slurm, Grid
Engine, LSF or a program of the site), tells the broker which slots are idle,
used and waited for, and opens and closes leased slots as it is ordered.")

set(CPACK_DEBIAN_LEASECTL_PACKAGE_NAME leasehold-ctl)
set(CPACK_DEBIAN_LEASECTL_PACKAGE_DEPENDS tzdata)
set(CPACK_COMPONENT_LEASECTL_DESCRIPTION
"leasectl shows operators what is leased to whom and why, and replays, proves
and estimates histories of leases, also where no broker runs.")

# An agent with all its libraries: cpack -G RPM or TGZ with CPACK_COMPONENTS_ALL=portable, once the target
# `portable` is built.
find_program(PATCHELF patchelf)
set(place /opt/leasehold-agent)
if(PATCHELF)
  add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/portable/bin/lease-agent
    COMMAND ${CMAKE_SOURCE_DIR}/config/packages/bundle $<TARGET_FILE:lease-agent>
      ${CMAKE_BINARY_DIR}/portable ${place}
    DEPENDS lease-agent ${CMAKE_SOURCE_DIR}/config/packages/bundle VERBATIM)
  add_custom_target(portable DEPENDS ${CMAKE_BINARY_DIR}/portable/bin/lease-agent)
endif()
file(READ ${CMAKE_SOURCE_DIR}/config/systemd/lease-agent.service unit)
string(REPLACE /usr/bin/lease-agent ${place}/bin/lease-agent unit "${unit}")
file(WRITE ${CMAKE_BINARY_DIR}/portable-unit/lease-agent.service "${unit}")
install(DIRECTORY ${CMAKE_BINARY_DIR}/portable/ DESTINATION ${place} USE_SOURCE_PERMISSIONS
  COMPONENT portable EXCLUDE_FROM_ALL)
install(FILES ${CMAKE_BINARY_DIR}/portable-unit/lease-agent.service
  ${CMAKE_SOURCE_DIR}/config/systemd/leasehold-agent.conf ${CMAKE_SOURCE_DIR}/config/agent.toml
  ${CMAKE_SOURCE_DIR}/config/AGENT_KEYS.md
  DESTINATION ${place}/share COMPONENT portable EXCLUDE_FROM_ALL)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_ARCHIVE_PORTABLE_FILE_NAME
  leasehold-agent-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_RPM_PORTABLE_PACKAGE_NAME leasehold-agent)
set(CPACK_RPM_PORTABLE_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PORTABLE_PACKAGE_AUTOREQPROV " no")  # it brings what it needs
set(CPACK_RPM_PACKAGE_LICENSE none-yet)
set(CPACK_COMPONENT_PORTABLE_DESCRIPTION "${CPACK_COMPONENT_AGENT_DESCRIPTION}")
set(CPACK_RPM_PORTABLE_POST_INSTALL_SCRIPT_FILE ${CMAKE_SOURCE_DIR}/config/packages/rpm/post)
set(CPACK_RPM_PORTABLE_PRE_UNINSTALL_SCRIPT_FILE ${CMAKE_SOURCE_DIR}/config/packages/rpm/preun)
include(CPack)
