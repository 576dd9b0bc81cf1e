# install.cmake - what `cmake --install` puts where
#
# SPDX-License-Identifier: Apache-2.0

include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/rstd)

install(TARGETS rstd rstd_static EXPORT rstdTargets)
install(TARGETS rstd_command)
install(FILES include/rstd/rstd.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rstd)
install(FILES docs/rstd.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

install(EXPORT rstdTargets NAMESPACE rstd:: DESTINATION ${package_dir})
configure_package_config_file(cmake/rstdConfig.cmake.in rstdConfig.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may break the interface.
write_basic_package_version_file(rstdConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rstdConfig.cmake ${PROJECT_BINARY_DIR}/rstdConfigVersion.cmake
	DESTINATION ${package_dir})

# The .pc file finds its prefix from where it lies, so that the installed tree may be moved.
file(RELATIVE_PATH RSTD_PC_TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" RSTD_PC_TO_PREFIX "${RSTD_PC_TO_PREFIX}")
configure_file(cmake/rstd.pc.in rstd.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/rstd.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(RSTD_BUILD_GRAPH)
	configure_file(cmake/rstd_graph.pc.in rstd_graph.pc @ONLY)
	install(FILES ${PROJECT_BINARY_DIR}/rstd_graph.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
