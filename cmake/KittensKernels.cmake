# kittens_add_kernels(<name> SOURCES <file>... [TARGETS cpu emulated xe] [INCLUDES <dir>...] [DEFINITIONS <name>...]
#                     [ISAS <instruction set>...] [XE_FORMS native software] [OPTIONS <compiler option>...])
#
# Compiles kernel sources once per target, and for `cpu` once per instruction set, and makes an INTERFACE library
# <name>: whatever links it holds the kernels and finds them in the registry. Each SOURCES file becomes a SPIR-V module
# of its own for `xe`. ISAS (default: KITTENS_CPU_ISAS) and XE_FORMS (default: both) leave out what a program does not
# need; OPTIONS come last on the compilers' command lines.
#
# The objects of one instruction set are linked into one and their symbols made local: an inline function of the
# standard library that was compiled for AVX-512 must never be the copy that the linker keeps for everyone.

set(KITTENS_CPU_ISAS avx2 avx512 avx512_bf16 amx CACHE STRING "Instruction sets that cpu kernels are compiled for")
find_program(KITTENS_SPIRV_CLANG NAMES clang++-22 clang++ DOC "clang++ with the SPIR-V backend, for the xe target")
find_program(KITTENS_OBJCOPY NAMES objcopy REQUIRED)
set(KITTENS_CMAKE_DIR ${CMAKE_CURRENT_LIST_DIR})
if(NOT KITTENS_HEADERS_DIR)
  get_filename_component(KITTENS_HEADERS_DIR ${CMAKE_CURRENT_LIST_DIR}/../include ABSOLUTE)
endif()

set(_kittens_flags_avx2 -march=x86-64-v3)
set(_kittens_flags_avx512 -march=x86-64-v4 -mprefer-vector-width=512)
set(_kittens_flags_avx512_bf16 -march=x86-64-v4 -mavx512vnni -mavx512bf16 -mprefer-vector-width=512)
set(_kittens_flags_amx -march=sapphirerapids -mprefer-vector-width=512)
set(_kittens_optimise -O3)
if(KITTENS_SANITIZE)  # unrolled loops full of checks take the compiler long, and nothing vectorizes where the headers ask for it
  set(_kittens_optimise -O1 -Wno-pass-failed)
endif()

set(KITTENS_SPIRV_EXTENSIONS
  SPV_INTEL_2d_block_io SPV_INTEL_subgroup_matrix_multiply_accumulate SPV_INTEL_bfloat16_conversion
  SPV_INTEL_split_barrier SPV_INTEL_subgroups SPV_EXT_shader_atomic_float_add SPV_EXT_shader_atomic_float_min_max)
list(TRANSFORM KITTENS_SPIRV_EXTENSIONS PREPEND "+" OUTPUT_VARIABLE _kittens_spirv_ext)
list(JOIN _kittens_spirv_ext "," _kittens_spirv_ext)
set(KITTENS_SPIRV_FLAGS -std=c++20 -O2 --target=spirv64-unknown-unknown -fno-exceptions -fno-rtti -ffast-math -fno-finite-math-only
  -fconvergent-functions -fno-threadsafe-statics -DKITTENS_TARGET_XE
  -isystem ${KITTENS_HEADERS_DIR}/kittens/target/xe/freestanding -mllvm --spirv-ext=${_kittens_spirv_ext})

# Runs once: can this clang make SPIR-V?
if(NOT DEFINED KITTENS_HAS_XE)
  set(KITTENS_HAS_XE OFF)
  if(KITTENS_SPIRV_CLANG)
    execute_process(COMMAND ${KITTENS_SPIRV_CLANG} --version OUTPUT_VARIABLE _version ERROR_QUIET)
    if(_version MATCHES "clang version ([0-9]+)" AND CMAKE_MATCH_1 GREATER_EQUAL 22)
      set(KITTENS_HAS_XE ON)
    endif()
  endif()
  if(NOT KITTENS_HAS_XE)
    message(WARNING "clang 22 with the SPIR-V backend was not found: kernels are built without the xe target. ./scripts/setup.sh installs it.")
  endif()
  set(KITTENS_HAS_XE ${KITTENS_HAS_XE} CACHE INTERNAL "")
endif()

function(_kittens_objects out name suffix)
  cmake_parse_arguments(A "" "" "SOURCES;INCLUDES;DEFINITIONS;FLAGS;OPTIONS" ${ARGN})
  set(lib ${name}_${suffix})
  add_library(${lib} OBJECT ${A_SOURCES})
  target_include_directories(${lib} PRIVATE ${A_INCLUDES})
  target_compile_definitions(${lib} PRIVATE ${A_DEFINITIONS})
  target_compile_options(${lib} PRIVATE ${_kittens_optimise} -Wall -Wextra -fno-math-errno -fno-trapping-math ${A_FLAGS} ${A_OPTIONS})
  target_link_libraries(${lib} PRIVATE SyclKittens::kittens)
  set_target_properties(${lib} PROPERTIES EXCLUDE_FROM_ALL ON)
  set(${out} ${lib} PARENT_SCOPE)
endfunction()

function(_kittens_spirv name module source includes definitions forms options)
  set(dir ${CMAKE_CURRENT_BINARY_DIR}/${name}.spirv)
  file(MAKE_DIRECTORY ${dir})
  list(TRANSFORM includes PREPEND -I)
  list(TRANSFORM definitions PREPEND -D)
  foreach(form native software)
    if(NOT form IN_LIST forms)  # an empty file: the module does not have this form
      file(GENERATE OUTPUT ${dir}/${module}.${form}.spv CONTENT "")
      continue()
    endif()
    set(extra)
    if(form STREQUAL "software")
      # Without loop strength reduction: for rolled loops it makes counters of two or three bits, which clang 22 turns into
      # bytes that do not wrap around. The native form keeps it: without it a step of the GEMM ladder has a tenth more instructions in
      # its loop on pvc, and none of our native kernels has such a counter, before or after that pass.
      set(extra -DKITTENS_XE_SOFTWARE -mllvm -disable-lsr)
    endif()
    add_custom_command(OUTPUT ${dir}/${module}.${form}.spv
      COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${KITTENS_SPIRV_CLANG} ${KITTENS_SPIRV_FLAGS} ${options} ${extra} ${definitions} ${includes} -I${KITTENS_HEADERS_DIR}
              -MD -MF ${dir}/${module}.${form}.d -MT ${dir}/${module}.${form}.spv -c ${source} -o ${dir}/${module}.${form}.spv
      DEPENDS ${source} DEPFILE ${dir}/${module}.${form}.d
      COMMENT "SPIR-V (${form}) ${module}" VERBATIM COMMAND_EXPAND_LISTS)
  endforeach()
  set(KITTENS_MODULE_NAME ${module})
  set(KITTENS_MODULE_DIR ${dir})
  configure_file(${KITTENS_CMAKE_DIR}/embed_module.cpp.in ${dir}/${module}.cpp @ONLY)
  set_source_files_properties(${dir}/${module}.cpp PROPERTIES OBJECT_DEPENDS "${dir}/${module}.native.spv;${dir}/${module}.software.spv")
  # The xe target's host pass registers the kernels of the module; KITTENS_MODULE names it.
  set_source_files_properties(${source} PROPERTIES LANGUAGE CXX)
endfunction()

function(kittens_add_kernels name)
  cmake_parse_arguments(A "" "" "SOURCES;TARGETS;INCLUDES;DEFINITIONS;ISAS;XE_FORMS;OPTIONS" ${ARGN})
  if(NOT A_TARGETS)
    set(A_TARGETS cpu emulated xe)
  endif()
  if(NOT A_ISAS)
    set(A_ISAS ${KITTENS_CPU_ISAS})
  endif()
  if(NOT A_XE_FORMS)
    set(A_XE_FORMS native software)
  endif()
  list(APPEND A_INCLUDES ${CMAKE_CURRENT_SOURCE_DIR})
  set(sources)
  foreach(s ${A_SOURCES})
    get_filename_component(s ${s} ABSOLUTE)
    list(APPEND sources ${s})
  endforeach()
  set(objects)
  set(common SOURCES ${sources} INCLUDES ${A_INCLUDES} OPTIONS ${A_OPTIONS} DEFINITIONS ${A_DEFINITIONS})

  if("cpu" IN_LIST A_TARGETS)
    foreach(isa ${A_ISAS})
      _kittens_objects(lib ${name} cpu_${isa} ${common} DEFINITIONS KITTENS_TARGET_CPU FLAGS ${_kittens_flags_${isa}} -fvisibility=hidden)
      set(merged ${CMAKE_CURRENT_BINARY_DIR}/${name}_cpu_${isa}.o)
      add_custom_command(OUTPUT ${merged}
        COMMAND ${CMAKE_LINKER} -r --force-group-allocation -o ${merged} $<TARGET_OBJECTS:${lib}>
        COMMAND ${KITTENS_OBJCOPY} --keep-global-symbol=kittens_nothing_is_exported ${merged}
        DEPENDS ${lib} $<TARGET_OBJECTS:${lib}> COMMENT "Kernels ${name} for ${isa}" VERBATIM COMMAND_EXPAND_LISTS)
      list(APPEND objects ${merged})
    endforeach()
  endif()
  if("emulated" IN_LIST A_TARGETS)
    _kittens_objects(lib ${name} emulated ${common} DEFINITIONS KITTENS_TARGET_EMULATED)
    list(APPEND objects $<TARGET_OBJECTS:${lib}>)
  endif()
  if("xe" IN_LIST A_TARGETS AND KITTENS_HAS_XE)
    foreach(source ${sources})
      get_filename_component(stem ${source} NAME_WE)
      set(module ${name}_${stem})
      _kittens_spirv(${name} ${module} ${source} "${A_INCLUDES}" "${A_DEFINITIONS}" "${A_XE_FORMS}" "${A_OPTIONS}")
      _kittens_objects(lib ${name} xe_${stem} SOURCES ${source} INCLUDES ${A_INCLUDES} OPTIONS ${A_OPTIONS}
        DEFINITIONS ${A_DEFINITIONS} KITTENS_TARGET_XE KITTENS_MODULE="${module}")
      target_sources(${lib} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/${name}.spirv/${module}.cpp)
      list(APPEND objects $<TARGET_OBJECTS:${lib}>)
    endforeach()
  endif()

  set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  add_library(${name} INTERFACE)
  target_sources(${name} INTERFACE ${objects})
  target_link_libraries(${name} INTERFACE SyclKittens::runtime)
  target_include_directories(${name} INTERFACE ${A_INCLUDES})
  add_custom_target(${name}_objects DEPENDS ${objects})
  add_dependencies(${name} ${name}_objects)
endfunction()
