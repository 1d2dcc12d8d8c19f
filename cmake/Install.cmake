# find_package(SyclKittens) from an outside project: headers, runtime, and kittens_add_kernels.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(DIRECTORY include/kittens DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS kittens kittens_runtime EXPORT SyclKittensTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
# An interface library of build flags has to be in the set that a static library links; it carries nothing outside.
install(TARGETS kittens_options EXPORT SyclKittensTargets)
install(EXPORT SyclKittensTargets NAMESPACE SyclKittens:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/SyclKittens)
configure_package_config_file(cmake/SyclKittensConfig.cmake.in ${CMAKE_BINARY_DIR}/SyclKittensConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/SyclKittens PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/SyclKittensConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/SyclKittensConfig.cmake ${CMAKE_BINARY_DIR}/SyclKittensConfigVersion.cmake
  cmake/KittensKernels.cmake cmake/KittensSycl.cmake cmake/embed_module.cpp.in DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/SyclKittens)
