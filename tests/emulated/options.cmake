# Line numbers: one of the tests is about a fault's place in the source.
set_source_files_properties(emulated/counters_test.cpp PROPERTIES COMPILE_OPTIONS -g1)
