# Pages of the manual, made of what the built programs say of themselves: of --help, of the table of
# keys (--describe-config) and of commands (leasectl reference). By help2man and lowdown; where those are
# not installed there are none, and the build says so.
find_program(HELP2MAN help2man)
find_program(LOWDOWN lowdown)
set(man ${CMAKE_BINARY_DIR}/man)
if(NOT HELP2MAN OR NOT LOWDOWN)
  message(STATUS "No pages of the manual: help2man or lowdown is missing")
  return()
endif()
file(MAKE_DIRECTORY ${man})

# leasehold_program_page(PROGRAM): for the manual of administrators, from its --help and its file here.
function(leasehold_program_page program)
  add_custom_command(OUTPUT ${man}/${program}.8.gz
    COMMAND ${HELP2MAN} --no-info --section=8 --manual=Leasehold --source=Leasehold
      --include=${CMAKE_SOURCE_DIR}/config/man/${program}.h2m --output=${man}/${program}.8
      $<TARGET_FILE:${program}>
    COMMAND gzip -9nf ${man}/${program}.8
    DEPENDS ${program} ${CMAKE_SOURCE_DIR}/config/man/${program}.h2m VERBATIM)
endfunction()

# leasehold_table_page(NAME SECTION PROGRAM argument...): what it is, from its file here, and what the program
# prints as Markdown.
function(leasehold_table_page name section program)
  set(page ${man}/${name}.${section})
  add_custom_command(OUTPUT ${page}.gz
    COMMAND ${program} ${ARGN} > ${page}.table
    COMMAND ${CMAKE_COMMAND} -E cat ${CMAKE_SOURCE_DIR}/config/man/${name}.md ${page}.table > ${page}.md
    COMMAND ${LOWDOWN} -s -T man -M title=${name} -M section=${section} -M source=Leasehold
      -M volume=Leasehold -o ${page} ${page}.md
    COMMAND gzip -9nf ${page}
    DEPENDS ${program} ${CMAKE_SOURCE_DIR}/config/man/${name}.md VERBATIM)
endfunction()

leasehold_program_page(lease-broker)
leasehold_program_page(lease-agent)
leasehold_table_page(lease-broker.toml 5 lease-broker --describe-config)
leasehold_table_page(lease-agent.toml 5 lease-agent --describe-config)
leasehold_table_page(leasectl 1 leasectl reference)
add_custom_target(man ALL DEPENDS ${man}/lease-broker.8.gz ${man}/lease-agent.8.gz
  ${man}/lease-broker.toml.5.gz ${man}/lease-agent.toml.5.gz ${man}/leasectl.1.gz)
install(FILES ${man}/lease-broker.8.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man8 COMPONENT broker)
install(FILES ${man}/lease-broker.toml.5.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man5 COMPONENT broker)
install(FILES ${man}/lease-agent.8.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man8 COMPONENT agent)
install(FILES ${man}/lease-agent.toml.5.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man5 COMPONENT agent)
install(FILES ${man}/leasectl.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT leasectl)
