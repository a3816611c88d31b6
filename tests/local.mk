# tests/local.mk - `make check`. A unit test is one program, tests/test_<what>.c: one line in unit_tests, and
# one of its sources where it has more than that file.

unit_tests = \
	tests/random_programs \
	tests/test_alloc \
	tests/test_array \
	tests/test_audit \
	tests/test_bad_calls \
	tests/test_bad_input \
	tests/test_base \
	tests/test_box \
	tests/test_buckets \
	tests/test_building_calls \
	tests/test_cache_entries \
	tests/test_cache_size \
	tests/test_caching_driver \
	tests/test_calibration \
	tests/test_calibration_file \
	tests/test_calibration_found \
	tests/test_calibration_kept \
	tests/test_calibration_use \
	tests/test_call \
	tests/test_cl \
	tests/test_cl_program \
	tests/test_closing \
	tests/test_combined \
	tests/test_context \
	tests/test_cxx \
	tests/test_directory \
	tests/test_ending \
	tests/test_entries \
	tests/test_example_faults \
	tests/test_failing_driver \
	tests/test_failure \
	tests/test_fake_threads \
	tests/test_fakecl_map \
	tests/test_fakecl_memory \
	tests/test_fakecl_order \
	tests/test_fakecl_program \
	tests/test_fakecl_time \
	tests/test_faults \
	tests/test_file \
	tests/test_forks \
	tests/test_given \
	tests/test_given_back \
	tests/test_giving_way \
	tests/test_group \
	tests/test_hazards \
	tests/test_io \
	tests/test_kernel \
	tests/test_kernel_cache \
	tests/test_kernel_programs \
	tests/test_kernel_text \
	tests/test_large_arrays \
	tests/test_launch \
	tests/test_log \
	tests/test_log_functions \
	tests/test_log_lines \
	tests/test_many_commands \
	tests/test_map \
	tests/test_memory \
	tests/test_nvidia \
	tests/test_odd_drivers \
	tests/test_own_types \
	tests/test_pack \
	tests/test_packed \
	tests/test_pieces \
	tests/test_plan \
	tests/test_process \
	tests/test_proof \
	tests/test_queues \
	tests/test_random_calibrations \
	tests/test_random_faults \
	tests/test_random_ranks \
	tests/test_random_small \
	tests/test_random_spreads \
	tests/test_reduce \
	tests/test_refused_part \
	tests/test_route \
	tests/test_seats \
	tests/test_select \
	tests/test_small_buffers \
	tests/test_small_cards \
	tests/test_soak \
	tests/test_source \
	tests/test_own_mappers \
	tests/test_padded \
	tests/test_rehearsals \
	tests/test_rehearsed_ends \
	tests/test_rehearsed_faults \
	tests/test_rehearsed_memory \
	tests/test_counted \
	tests/test_spread \
	tests/test_stats \
	tests/test_stepocl \
	tests/test_stopped_device \
	tests/test_waiting_calls \
	tests/test_waiting_functions \
	tests/test_system \
	tests/test_team \
	tests/test_team_measured \
	tests/test_threads \
	tests/test_tiles \
	tests/test_trace \
	tests/test_trace_files \
	tests/test_trace_pieces \
	tests/test_trace_words \
	tests/test_unmodified \
	tests/test_untold \
	tests/test_window_texts \
	tests/test_windows \
	tests/test_wraps \
	tests/test_worth

# What some of them share.
random_sources = tests/bench.c tests/bench.h tests/blame.c tests/blame.h tests/fakecl/fakecl.h tests/fakes.c \
	tests/fakes.h tests/launches.c tests/launches.h tests/model.c tests/model.h tests/operations.c \
	tests/operations.h tests/platforms.c tests/platforms.h tests/program.c tests/program.h tests/random.h
tests_random_programs_SOURCES = tests/random_programs.c $(random_sources)
tests_test_alloc_SOURCES = tests/test_alloc.c tests/threads.h
tests_test_array_SOURCES = tests/test_array.c tests/face.c tests/face.h tests/platforms.c tests/platforms.h
tests_test_bad_calls_SOURCES = tests/test_bad_calls.c tests/bad.h tests/face.c tests/face.h \
	tests/platforms.c tests/platforms.h
tests_test_bad_input_SOURCES = tests/test_bad_input.c tests/bad.h tests/face.c tests/face.h \
	tests/platforms.c tests/platforms.h
tests_test_base_SOURCES = tests/test_base.c tests/threads.h
tests_test_box_SOURCES = tests/test_box.c tests/random.h
tests_test_cache_size_SOURCES = tests/test_cache_size.c tests/platforms.c tests/platforms.h
tests_test_caching_driver_SOURCES = tests/test_caching_driver.c tests/platforms.c tests/platforms.h
tests_test_calibration_SOURCES = tests/test_calibration.c tests/curves.h
tests_test_calibration_kept_SOURCES = tests/test_calibration_kept.c tests/curves.h
tests_test_calibration_file_SOURCES = tests/test_calibration_file.c tests/any_calibration.c \
	tests/any_calibration.h tests/platforms.c tests/platforms.h tests/random.h
cards_sources = tests/calibrations.h tests/cards.c tests/cards.h tests/face.c tests/face.h \
	tests/fakecl/fakecl.h tests/fakes.c tests/fakes.h tests/platforms.c tests/platforms.h
tests_test_calibration_found_SOURCES = tests/test_calibration_found.c $(cards_sources)
tests_test_calibration_use_SOURCES = tests/test_calibration_use.c $(cards_sources)
tests_test_team_measured_SOURCES = tests/test_team_measured.c $(cards_sources)
tests_test_buckets_SOURCES = tests/test_buckets.c tests/random.h
tests_test_building_calls_SOURCES = tests/test_building_calls.c $(stopped_sources)
tests_test_call_SOURCES = tests/test_call.c tests/face.c tests/face.h tests/platforms.c tests/platforms.h
tests_test_closing_SOURCES = tests/test_closing.c $(stopped_sources)
tests_test_ending_SOURCES = tests/test_ending.c $(stopped_sources)
tests_test_process_SOURCES = tests/test_process.c $(stopped_sources)
tests_test_many_commands_SOURCES = tests/test_many_commands.c $(stopped_sources)
tests_test_log_functions_SOURCES = tests/test_log_functions.c $(stopped_sources)
tests_test_cl_SOURCES = tests/test_cl.c tests/platforms.c tests/platforms.h tests/random.h \
	tests/seats.c tests/seats.h
tests_test_cl_program_SOURCES = tests/test_cl_program.c tests/platforms.c tests/platforms.h \
	tests/seats.c tests/seats.h
tests_test_context_SOURCES = tests/test_context.c tests/face.c tests/face.h tests/platforms.c \
	tests/platforms.h
tests_test_cxx_SOURCES = tests/test_cxx.cc
tests_test_directory_SOURCES = tests/test_directory.c tests/random.h
# The examples' own code, with tests/gives_up.h in the place of examples/must.h.
tests_test_example_faults_SOURCES = tests/test_example_faults.c tests/fakecl/fakecl.h tests/fakes.c \
	tests/fakes.h tests/gives_up.h tests/platforms.c tests/platforms.h tests/random.h \
	tests/scenario_heat.c tests/scenario_hillshade.c tests/scenario_pipeline.c tests/scenario_product.c tests/scenarios.h \
	examples/product/blas.c examples/table.c
tests_test_example_faults_CPPFLAGS = $(AM_CPPFLAGS) $(example_cppflags)
tests_test_example_faults_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
tests_test_example_faults_LDADD = $(LDADD) -lm
tests_test_failing_driver_SOURCES = tests/test_failing_driver.c tests/face.c tests/face.h \
	tests/fakecl/fakecl.h tests/fakes.c tests/fakes.h tests/platforms.c tests/platforms.h
tests_test_failure_SOURCES = tests/test_failure.c tests/face.c tests/face.h tests/platforms.c \
	tests/platforms.h
tests_test_fake_threads_SOURCES = tests/test_fake_threads.c tests/face.c tests/face.h \
	tests/fakecl/fakecl.h tests/fakes.c tests/fakes.h tests/platforms.c tests/platforms.h \
	tests/random.h
tests_test_fakecl_map_SOURCES = tests/test_fakecl_map.c tests/fakecl/fakecl.h tests/fakes.c \
	tests/fakes.h tests/platforms.c tests/platforms.h
tests_test_fakecl_memory_SOURCES = tests/test_fakecl_memory.c tests/fakecl/fakecl.h tests/fakes.c \
	tests/fakes.h tests/platforms.c tests/platforms.h
tests_test_fakecl_order_SOURCES = tests/test_fakecl_order.c tests/fakecl/fakecl.h tests/fakes.c \
	tests/fakes.h tests/platforms.c tests/platforms.h tests/threads.h
tests_test_fakecl_program_SOURCES = tests/test_fakecl_program.c tests/fakecl/fakecl.h tests/fakes.c \
	tests/fakes.h tests/platforms.c tests/platforms.h
tests_test_fakecl_time_SOURCES = tests/test_fakecl_time.c tests/fakecl/fakecl.h tests/fakes.c \
	tests/fakes.h tests/platforms.c tests/platforms.h
tests_test_faults_SOURCES = tests/test_faults.c tests/face.c tests/face.h tests/platforms.c \
	tests/platforms.h
tests_test_given_SOURCES = tests/test_given.c tests/face.c tests/face.h tests/fakecl/fakecl.h tests/fakes.c \
	tests/fakes.h tests/platforms.c tests/platforms.h
tests_test_given_back_SOURCES = tests/test_given_back.c tests/face.c tests/face.h tests/fakecl/fakecl.h \
	tests/fakes.c tests/fakes.h tests/platforms.c tests/platforms.h
tests_test_giving_way_SOURCES = tests/test_giving_way.c tests/face.c tests/face.h tests/fakecl/fakecl.h \
	tests/fakes.c tests/fakes.h tests/platforms.c tests/platforms.h
tests_test_group_SOURCES = tests/test_group.c tests/random.h
tests_test_hazards_SOURCES = tests/test_hazards.c tests/face.c tests/face.h tests/fakecl/fakecl.h tests/fakes.c \
	tests/fakes.h tests/platforms.c tests/platforms.h
tests_test_io_SOURCES = tests/test_io.c tests/face.c tests/face.h tests/platforms.c \
	tests/platforms.h tests/random.h
tests_test_kernel_programs_SOURCES = tests/test_kernel_programs.c tests/kernels.c tests/kernels.h \
	tests/platforms.c tests/platforms.h
tests_test_kernel_SOURCES = tests/test_kernel.c tests/kernels.c tests/kernels.h tests/platforms.c \
	tests/platforms.h
tests_test_own_types_SOURCES = tests/test_own_types.c tests/kernels.c tests/kernels.h \
	tests/platforms.c tests/platforms.h
tests_test_kernel_cache_SOURCES = tests/test_kernel_cache.c tests/kernels.c tests/kernels.h \
	tests/platforms.c tests/platforms.h
tests_test_large_arrays_SOURCES = tests/test_large_arrays.c tests/face.c tests/face.h tests/platforms.c \
	tests/platforms.h
tests_test_launch_SOURCES = tests/test_launch.c tests/face.c tests/face.h tests/platforms.c \
	tests/platforms.h tests/random.h
tests_test_log_SOURCES = tests/test_log.c tests/threads.h
tests_test_map_SOURCES = tests/test_map.c tests/face.c tests/face.h tests/platforms.c \
	tests/platforms.h tests/threads.h
tests_test_memory_SOURCES = tests/test_memory.c tests/face.c tests/face.h tests/platforms.c \
	tests/platforms.h
tests_test_nvidia_SOURCES = tests/test_nvidia.c tests/face.c tests/face.h tests/fakecl/fakecl.h \
	tests/fakes.c tests/fakes.h tests/platforms.c tests/platforms.h
tests_test_odd_drivers_SOURCES = tests/test_odd_drivers.c tests/face.c tests/face.h tests/fakecl/fakecl.h \
	tests/fakes.c tests/fakes.h tests/platforms.c tests/platforms.h
tests_test_pack_SOURCES = tests/test_pack.c tests/face.c tests/face.h tests/fakecl/fakecl.h tests/fakes.c \
	tests/fakes.h tests/platforms.c tests/platforms.h tests/routing.h
tests_test_packed_SOURCES = tests/test_packed.c tests/face.c tests/face.h tests/platforms.c \
	tests/platforms.h
tests_test_pieces_SOURCES = tests/test_pieces.c tests/face.c tests/face.h tests/fakecl/fakecl.h tests/fakes.c \
	tests/fakes.h tests/platforms.c tests/platforms.h
tests_test_plan_SOURCES = tests/test_plan.c tests/random.h
tests_test_proof_SOURCES = tests/test_proof.c tests/platforms.c tests/platforms.h tests/systems.h
tests_test_queues_SOURCES = tests/test_queues.c tests/calibrations.h tests/face.c tests/face.h \
	tests/fakecl/fakecl.h tests/fakes.c tests/fakes.h tests/platforms.c tests/platforms.h
tests_test_random_calibrations_SOURCES = tests/test_random_calibrations.c tests/calibrations.h \
	$(random_sources)
tests_test_random_faults_SOURCES = tests/test_random_faults.c $(random_sources)
tests_test_random_ranks_SOURCES = tests/test_random_ranks.c tests/face.c tests/face.h tests/fakecl/fakecl.h \
	tests/fakes.c tests/fakes.h tests/platforms.c tests/platforms.h tests/random.h
tests_test_route_SOURCES = tests/test_route.c tests/face.c tests/face.h tests/fakecl/fakecl.h tests/fakes.c \
	tests/fakes.h tests/platforms.c tests/platforms.h tests/routing.h
tests_test_seats_SOURCES = tests/test_seats.c tests/platforms.c tests/platforms.h tests/systems.h
tests_test_select_SOURCES = tests/test_select.c tests/platforms.c tests/platforms.h
small_sources = tests/small.c tests/small.h tests/face.c tests/face.h tests/fakecl/fakecl.h tests/fakes.c \
	tests/fakes.h tests/platforms.c tests/platforms.h tests/random.h
tests_test_random_small_SOURCES = tests/test_random_small.c $(small_sources)
tests_test_small_buffers_SOURCES = tests/test_small_buffers.c $(small_sources)
tests_test_small_cards_SOURCES = tests/test_small_cards.c $(small_sources)
tests_test_soak_SOURCES = tests/test_soak.c $(random_sources)
tests_test_source_SOURCES = tests/test_source.c tests/calibrations.h tests/face.c tests/face.h \
	tests/fakecl/fakecl.h tests/fakes.c tests/fakes.h tests/platforms.c tests/platforms.h
tests_test_own_mappers_SOURCES = tests/test_own_mappers.c tests/spreads.h tests/face.c tests/face.h \
	tests/platforms.c tests/platforms.h
tests_test_padded_SOURCES = tests/test_padded.c tests/spreads.h tests/face.c tests/face.h tests/platforms.c \
	tests/platforms.h
tests_test_rehearsals_SOURCES = tests/test_rehearsals.c tests/spreads.h tests/face.c tests/face.h tests/platforms.c \
	tests/platforms.h
tests_test_rehearsed_ends_SOURCES = tests/test_rehearsed_ends.c tests/face.c tests/face.h tests/platforms.c tests/platforms.h
tests_test_rehearsed_faults_SOURCES = tests/test_rehearsed_faults.c tests/face.c tests/face.h tests/fakecl/fakecl.h \
	tests/fakes.c tests/fakes.h tests/platforms.c tests/platforms.h
tests_test_rehearsed_memory_SOURCES = tests/test_rehearsed_memory.c tests/spreads.h tests/face.c tests/face.h tests/platforms.c \
	tests/platforms.h
tests_test_counted_SOURCES = tests/test_counted.c tests/face.c tests/face.h tests/platforms.c tests/platforms.h \
	tests/suite.h
tests_test_spread_SOURCES = tests/test_spread.c tests/spreads.h tests/face.c tests/face.h tests/platforms.c \
	tests/platforms.h
tests_test_combined_SOURCES = tests/test_combined.c tests/spreads.h tests/face.c tests/face.h tests/platforms.c \
	tests/platforms.h tests/random.h
tests_test_stats_SOURCES = tests/test_stats.c tests/face.c tests/face.h tests/platforms.c tests/platforms.h
tests_test_stepocl_SOURCES = tests/test_stepocl.c tests/random.h $(stepocl_reading) $(stepocl_planning)
tests_test_stepocl_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) $(EXPAT_CFLAGS)
tests_test_stepocl_LDADD = $(LDADD) $(EXPAT_LIBS)
stopped_sources = tests/stopped.c tests/stopped.h tests/face.c tests/face.h tests/fakecl/fakecl.h tests/fakes.c \
	tests/fakes.h tests/platforms.c tests/platforms.h
tests_test_stopped_device_SOURCES = tests/test_stopped_device.c $(stopped_sources)
tests_test_waiting_calls_SOURCES = tests/test_waiting_calls.c $(stopped_sources)
tests_test_waiting_functions_SOURCES = tests/test_waiting_functions.c $(stopped_sources)
tests_test_forks_SOURCES = tests/test_forks.c tests/platforms.c tests/platforms.h tests/systems.h
tests_test_log_lines_SOURCES = tests/test_log_lines.c tests/platforms.c tests/platforms.h tests/systems.h
tests_test_system_SOURCES = tests/test_system.c tests/platforms.c tests/platforms.h tests/systems.h
tests_test_random_spreads_SOURCES = tests/test_random_spreads.c tests/face.c tests/face.h tests/platforms.c \
	tests/platforms.h tests/random.h
tests_test_refused_part_SOURCES = tests/test_refused_part.c tests/face.c tests/face.h tests/fakecl/fakecl.h \
	tests/fakes.c tests/fakes.h tests/platforms.c tests/platforms.h
tests_test_reduce_SOURCES = tests/test_reduce.c tests/face.c tests/face.h tests/platforms.c tests/platforms.h \
	tests/random.h
tests_test_team_SOURCES = tests/test_team.c tests/face.c tests/face.h tests/platforms.c tests/platforms.h
tests_test_threads_SOURCES = tests/test_threads.c tests/face.c tests/face.h tests/platforms.c \
	tests/platforms.h
tests_test_tiles_SOURCES = tests/test_tiles.c tests/face.c tests/face.h tests/fakecl/fakecl.h tests/fakes.c \
	tests/fakes.h tests/platforms.c tests/platforms.h tests/random.h
tests_test_trace_SOURCES = tests/test_trace.c tests/face.c tests/face.h tests/fakecl/fakecl.h tests/fakes.c \
	tests/fakes.h tests/platforms.c tests/platforms.h tests/scene.h tests/threads.h tests/timeline.h
tests_test_trace_files_SOURCES = tests/test_trace_files.c tests/face.c tests/face.h tests/fakecl/fakecl.h \
	tests/fakes.c tests/fakes.h tests/platforms.c tests/platforms.h tests/scene.h tests/timeline.h
tests_test_trace_pieces_SOURCES = tests/test_trace_pieces.c tests/face.c tests/face.h tests/fakecl/fakecl.h \
	tests/fakes.c tests/fakes.h tests/platforms.c tests/platforms.h tests/scene.h tests/timeline.h
if HAVE_JSON
AM_CPPFLAGS += $(JSON_CFLAGS) -DHAVE_JANSSON
tests_test_trace_SOURCES += tests/timeline.c
tests_test_trace_LDADD = $(LDADD) $(JSON_LIBS)
tests_test_trace_files_SOURCES += tests/timeline.c
tests_test_trace_files_LDADD = $(LDADD) $(JSON_LIBS)
tests_test_trace_pieces_SOURCES += tests/timeline.c
tests_test_trace_pieces_LDADD = $(LDADD) $(JSON_LIBS)
endif
tests_test_trace_words_SOURCES = tests/test_trace_words.c tests/face.c tests/face.h tests/fakecl/fakecl.h \
	tests/fakes.c tests/fakes.h tests/platforms.c tests/platforms.h

tests_test_audit_SOURCES = tests/test_audit.c tests/face.c tests/face.h tests/platforms.c tests/platforms.h
tests_test_unmodified_SOURCES = tests/test_unmodified.c tests/face.c tests/face.h tests/platforms.c \
	tests/platforms.h
tests_test_window_texts_SOURCES = tests/test_window_texts.c tests/face.c tests/face.h tests/platforms.c \
	tests/platforms.h
tests_test_windows_SOURCES = tests/test_windows.c tests/face.c tests/face.h tests/platforms.c tests/platforms.h \
	tests/random.h tests/spreads.h
tests_test_wraps_SOURCES = tests/test_wraps.c tests/spreads.h tests/face.c tests/face.h tests/platforms.c \
	tests/platforms.h
tests_test_worth_SOURCES = tests/test_worth.c $(cards_sources)

# Replays what the library says of its transitions; tests/replay.sh runs it.
check_PROGRAMS += tests/protocol_replay
tests_protocol_replay_SOURCES = tests/protocol/commands.h tests/protocol/replay.c tests/protocol/states.h \
	tests/protocol/world.c tests/protocol/world.h
tests_protocol_replay_LDADD = libhetero_all.la

# Moves bytes for tests/calibrate.sh.
check_PROGRAMS += tests/moved
tests_moved_SOURCES = tests/moved.c
tests_moved_LDADD = libhetero_all.la

# Launches for tests/flat_launches.sh.
check_PROGRAMS += tests/held_launches
tests_held_launches_SOURCES = tests/held_launches.c
tests_held_launches_LDADD = libhetero_all.la

# Fields for tests/stepocl.sh.
check_PROGRAMS += tests/stepocl_field
tests_stepocl_field_SOURCES = tests/stepocl_field.c
tests_stepocl_field_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
tests_stepocl_field_LDADD = -lm

# Scripts that take minutes begin first, so that none of them is left alone at the end.
long_tests = \
	tests/mutants.sh \
	tests/protocol.sh \
	tests/calibrate_machines.sh \
	tests/on_fakes.sh

# Of the project rather than of the code: scripts that exit 77 where they cannot run.
script_tests = \
	tests/bare_array.sh \
	tests/calibrate.sh \
	tests/calibrate_faults.sh \
	tests/calibrate_files.sh \
	tests/calibrate_whole.sh \
	tests/configure.sh \
	tests/exported_symbols.sh \
	tests/floors.sh \
	tests/fuzz_calibration.sh \
	tests/headers.sh \
	tests/info.sh \
	tests/installed.sh \
	tests/log_topics.sh \
	tests/packages.sh \
	tests/quickstart.sh \
	tests/readme.sh \
	tests/reference.sh \
	tests/scripts.sh \
	tests/sources.sh \
	tests/stepocl.sh \
	tests/stepocl_paper.sh \
	tests/tested_functions.sh \
	tests/trace.sh

# What `make check-valgrind` runs: tests that compile no kernel, or whose compiler is another program, and those of
# tests with devices that compile few and show how things come and go; drivers' compilers take minutes there.
valgrind_text_tests = \
	tests/test_alloc \
	tests/test_base \
	tests/test_box \
	tests/test_buckets \
	tests/test_cache_entries \
	tests/test_calibration \
	tests/test_calibration_file \
	tests/test_calibration_kept \
	tests/test_directory \
	tests/test_entries \
	tests/test_file \
	tests/test_given \
	tests/test_kernel_text \
	tests/test_log \
	tests/test_plan \
	tests/test_stepocl
valgrind_device_tests = \
	tests/test_array \
	tests/test_bad_input \
	tests/test_call \
	tests/test_failure \
	tests/test_map \
	tests/test_stats

if HAVE_CHECK
AM_CPPFLAGS += $(CHECK_CFLAGS)
LDADD = libhetero_all.la $(CHECK_LIBS)
check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)
LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/replay.sh
else
check_DATA = libcheck-is-missing
libcheck-is-missing:
	@echo "The unit tests need libcheck: install the package check, then run configure again." >&2; exit 1
endif
TESTS += $(script_tests)
TEST_EXTENSIONS = .sh
SH_LOG_COMPILER = $(SHELL)

# In an instrumented build tests may take longer, and Mesa's Clover is not loaded: where it finds no device it is
# unloaded again, and then leaks inside it can no longer be told from ours.
if INSTRUMENTED
driver_choice = CK_TIMEOUT_MULTIPLIER=10; export CK_TIMEOUT_MULTIPLIER; \
	if test -z "$$OCL_ICD_VENDORS" && test -d /etc/OpenCL/vendors; then \
		OCL_ICD_VENDORS='$(abs_top_builddir)/vendors'; export OCL_ICD_VENDORS; \
		test -d "$$OCL_ICD_VENDORS" || mkdir "$$OCL_ICD_VENDORS" 2>/dev/null; \
		for icd in /etc/OpenCL/vendors/*.icd; do \
			case $$icd in */mesa.icd) ;; \
			*) test -e "$$OCL_ICD_VENDORS/$${icd\#\#*/}" || \
				ln -s "$$icd" "$$OCL_ICD_VENDORS" 2>/dev/null ;; esac; \
		done; \
	fi;
endif

# The same for every test: no wishes of the user's, of many processors four (tests that cut the CPU are written for a
# few parts), where things are, a cache of its own for built kernels, and what
# sanitizers are to pass over because it happens inside OpenCL drivers. The leak check of gcc 12 takes memory of
# glibc's for variables of threads and may crash on it, unless it does not watch __tls_get_addr.
if HAVE_JSON
has_json = yes
else
has_json = no
endif
if HAVE_PNG
has_png = yes
else
has_png = no
endif
AM_TESTS_ENVIRONMENT = unset HETERO_DEVICES HETERO_SHARE HETERO_CHECK HETERO_QUEUES HETERO_LOG HETERO_CACHE_MIB HETERO_PROTOCOL HETERO_ROUTE HETERO_STAGING_MIB \
	HETERO_PATIENCE HETERO_TRACE HETERO_STATS; \
	HETERO_CALIBRATION=off; export HETERO_CALIBRATION; \
	$(driver_choice) \
	test "`nproc`" -le 4 || { POCL_MAX_PTHREAD_COUNT=4; export POCL_MAX_PTHREAD_COUNT; }; \
	LC_ALL=C.UTF-8; export LC_ALL; has_json=$(has_json) has_png=$(has_png); export has_json has_png; \
	debug_checks='$(HET_DEBUG_FLAGS)'; CC='$(CC)'; CXX='$(CXX)'; AWK='$(AWK)'; OPENCL_CFLAGS='$(OPENCL_CFLAGS)'; \
	HET_INSTRUMENT_FLAGS='$(HET_INSTRUMENT_FLAGS)'; shared_library='$(shared_library)'; \
	prefix='$(prefix)'; bindir='$(bindir)'; libdir='$(libdir)'; man3dir='$(man3dir)'; \
	HETERO_FAKE_DRIVER='$(abs_top_builddir)/tests/fakecl/.libs/libfakecl.so'; \
	HETERO_FAKE_MACHINES='$(abs_top_srcdir)/tests/fakecl/machines'; \
	FAKECL_CACHE='$(abs_top_builddir)/fakecl-cache'; \
	export HETERO_FAKE_DRIVER HETERO_FAKE_MACHINES FAKECL_CACHE; \
	top_srcdir='$(abs_top_srcdir)'; top_builddir='$(abs_top_builddir)'; \
	HETERO_CACHE='$(abs_top_builddir)/kernel-cache'; \
	LSAN_OPTIONS='suppressions=$(abs_top_srcdir)/tests/lsan.supp:print_suppressions=0'; \
	ASAN_OPTIONS='intercept_tls_get_addr=0'; \
	TSAN_OPTIONS='suppressions=$(abs_top_srcdir)/tests/tsan.supp:ignore_noninstrumented_modules=1'; \
	UBSAN_OPTIONS='print_stacktrace=1'; \
	export CC CXX AWK OPENCL_CFLAGS HET_INSTRUMENT_FLAGS shared_library top_srcdir top_builddir; \
	compile_flags='$(HET_DIALECT_FLAGS) $(PTHREAD_CFLAGS) $(OPENCL_CFLAGS) -DHETERO_SYSCONFDIR="$(sysconfdir)"'; \
	INIPARSER_LIBS='$(INIPARSER_LIBS)'; export INIPARSER_LIBS; \
	link_flags='$(PTHREAD_CFLAGS) $(OPENCL_RPATH) $(CHECK_LIBS) $(JSON_LIBS) $(OPENCL_LIBS) $(INIPARSER_LIBS)'; export compile_flags link_flags; \
	export debug_checks prefix bindir libdir man3dir HETERO_CACHE ASAN_OPTIONS LSAN_OPTIONS TSAN_OPTIONS UBSAN_OPTIONS;

# Hours: a million random programs, every k of the fault tests, half an hour of soak, larger models.
check-long: $(check_PROGRAMS)
	HETERO_TEST_LONG=1 HETERO_TEST_SOAK_S="$${HETERO_TEST_SOAK_S:-1800}" $(MAKE) $(AM_MAKEFLAGS) check \
		TESTS='tests/random_programs tests/test_random_faults tests/test_example_faults tests/test_soak \
			tests/test_threads tests/protocol.sh'

# Only what it runs is built.
check-valgrind:
	device_tests='$(valgrind_device_tests)' $(MAKE) $(AM_MAKEFLAGS) check-TESTS \
		check_PROGRAMS='$(valgrind_device_tests) $(valgrind_text_tests)' \
		TESTS='$(valgrind_device_tests) $(valgrind_text_tests)' \
		LOG_COMPILER='$(SHELL) $(abs_top_srcdir)/tests/under_valgrind.sh'

clean-local:
	rm -rf *.transitions *.results fakecl-cache kernel-cache vendors configure.work fuzz.work readme.work calibrate.work calibrate_*.work benchmark_routes.work info.work installed.work mutants.work protocol.work stepocl.work

# What many test programs include.
EXTRA_DIST += \
	tests/checks.h \
	tests/culprit.h \
	tests/suite.h

EXTRA_DIST += \
	$(long_tests) \
	$(script_tests) \
	tests/protocol/drivers.pml \
	tests/protocol/explored \
	tests/protocol/protocol.pml \
	tests/calibrate/check.changed.json \
	tests/calibrate/check.changed.txt \
	tests/calibrate/check.gaps.json \
	tests/calibrate/check.gaps.txt \
	tests/calibrate/check.json \
	tests/calibrate/check.txt \
	tests/calibrate/dry-run.json \
	tests/calibrate/dry-run.only.txt \
	tests/calibrate/dry-run.txt \
	tests/calibrate/explain.json \
	tests/calibrate/explain.same.json \
	tests/calibrate/explain.txt \
	tests/calibrate/info.txt \
	tests/calibrate/plot.svg \
	tests/calibrate/two.ini \
	tests/info/fake.ini \
	tests/info/fake.txt \
	tests/info/five-devices.short.txt \
	tests/info/five-devices.txt \
	tests/info/nine.ini \
	tests/info/nine.machine \
	tests/info/nine.txt \
	tests/info/odd.ini \
	tests/info/odd.txt \
	tests/info/one.ini \
	tests/info/one.json \
	tests/info/one.txt \
	tests/info/three.ini \
	tests/info/three.txt \
	tests/protocol/words.pml \
	tests/calibrate_common.sh \
	tests/tool_common.sh \
	tests/coverage.sh \
	tests/drawing.py \
	tests/pixels.py \
	tests/fuzz_calibration.c \
	tests/public_functions.sh \
	tests/replay.sh \
	tests/under_valgrind.sh \
	tests/with_cuda_loader.sh \
	tests/with_intel.sh \
	tests/lsan.supp \
	tests/tsan.supp \
	tests/valgrind.supp
