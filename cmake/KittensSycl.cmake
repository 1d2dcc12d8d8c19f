# kittens_find_sycl()                 sets KITTENS_SYCL to the SYCL implementation that programs are built with, "" if none
# kittens_link_sycl(<target> <source>...)  makes a target a SYCL program; the sources are those that include sycl.hpp
#
# Looked for, in this order: the compiler itself (icpx), AdaptiveCpp (find_package; set AdaptiveCpp_DIR or
# CMAKE_PREFIX_PATH), and DPC++'s headers and runtime in the project's tool chain (scripts/setup.sh --sycl), with which any
# C++ compiler builds programs whose kernels come as SPIR-V.

function(kittens_find_sycl)
  if(DEFINED CACHE{KITTENS_SYCL})
    return()
  endif()
  set(found "")
  set(venv ${KITTENS_TOOLCHAIN_DIR}/venv)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "IntelLLVM")
    set(found icpx)
  elseif(AdaptiveCpp_DIR OR NOT EXISTS ${venv}/lib/libsycl.so)
    find_package(AdaptiveCpp CONFIG QUIET)
    if(AdaptiveCpp_FOUND)
      set(found adaptivecpp)
    endif()
  endif()
  if(NOT found AND EXISTS ${venv}/lib/libsycl.so AND EXISTS ${venv}/include/sycl/sycl.hpp)
    set(found dpcpp)
  endif()
  if(found)
    message(STATUS "SYCL: ${found}")
  else()
    message(STATUS "SYCL: no implementation found, its tests and examples are left out (./scripts/setup.sh --sycl installs one)")
  endif()
  set(KITTENS_SYCL "${found}" CACHE INTERNAL "SYCL implementation: icpx, adaptivecpp, dpcpp or empty")
endfunction()

function(kittens_link_sycl target)
  if(KITTENS_SYCL STREQUAL "icpx")
    target_compile_options(${target} PRIVATE -fsycl)
    target_link_options(${target} PRIVATE -fsycl)
  elseif(KITTENS_SYCL STREQUAL "adaptivecpp")
    find_package(AdaptiveCpp CONFIG REQUIRED)
    add_sycl_to_target(TARGET ${target} SOURCES ${ARGN})
  elseif(KITTENS_SYCL STREQUAL "dpcpp")
    set(venv ${KITTENS_TOOLCHAIN_DIR}/venv)
    target_include_directories(${target} SYSTEM PRIVATE ${venv}/include)
    # The header warns where it is not compiled by DPC++ itself.
    target_compile_definitions(${target} PRIVATE SYCL_DISABLE_FSYCL_SYCLHPP_WARNING)
    # libsycl finds the libraries that it loads through the program's own run path.
    target_link_options(${target} PRIVATE -Wl,-rpath,${venv}/lib,--disable-new-dtags -Wl,--allow-shlib-undefined)
    target_link_libraries(${target} PRIVATE ${venv}/lib/libsycl.so)
  else()
    message(FATAL_ERROR "kittens_link_sycl(${target}): no SYCL implementation was found")
  endif()
endfunction()
