# calibrate/local.mk - hetero-calibrate, which measures how bytes are best moved. It asks the library's own table
# of routes, so it is linked with the internal symbols.

# What hetero-info reads, draws and says alike.
tool_sources = \
	calibrate/figures.c \
	calibrate/figures.h \
	calibrate/plot.c \
	calibrate/plot.h \
	calibrate/svg.c \
	calibrate/svg.h \
	calibrate/tool.c \
	calibrate/tool.h \
	calibrate/words.c \
	calibrate/words.h

bin_PROGRAMS += calibrate/hetero-calibrate
calibrate_hetero_calibrate_SOURCES = \
	$(tool_sources) \
	calibrate/bench.c \
	calibrate/bench.h \
	calibrate/calibrate.c \
	calibrate/check.c \
	calibrate/check.h \
	calibrate/edges.c \
	calibrate/look.c \
	calibrate/look.h \
	calibrate/measure.c \
	calibrate/measure.h \
	calibrate/options.c \
	calibrate/options.h \
	calibrate/place.c \
	calibrate/place.h \
	calibrate/queues.c \
	calibrate/report.c \
	calibrate/report.h \
	calibrate/samples.c \
	calibrate/samples.h \
	calibrate/series.c \
	calibrate/series.h \
	calibrate/speed.c \
	calibrate/speed.h \
	calibrate/systems.c \
	calibrate/systems.h \
	calibrate/tune.c \
	calibrate/tune.h
calibrate_hetero_calibrate_LDADD = libhetero_all.la -lm
calibrate_hetero_calibrate_CPPFLAGS = $(AM_CPPFLAGS)
if HAVE_JSON
calibrate_hetero_calibrate_CPPFLAGS += -DHAVE_JSON $(JSON_CFLAGS)
calibrate_hetero_calibrate_LDADD += $(JSON_LIBS)
endif

dist_man_MANS += calibrate/hetero-calibrate.1 calibrate/hetero-calibration.5

# Measures everything, and writes where the library looks first.
calibrate: calibrate/hetero-calibrate
	calibrate/hetero-calibrate
.PHONY: calibrate

# The last of what is installed: where it is interrupted, or without a device, the rest is there. Run from here:
# programs may be installed at the same time. What it finds stays when Hetero is uninstalled: people write into it.
AM_DISTCHECK_CONFIGURE_FLAGS = --disable-calibration
if CALIBRATE
install-calibration: install-names
	@if test -z "$(DESTDIR)"; then \
	  umask 022; $(MKDIR_P) "$(sysconfdir)/hetero" && \
	  calibrate/hetero-calibrate --quick --output "$(sysconfdir)/hetero/calibration.ini" || \
	    echo 'The machine was not calibrated: defaults apply until hetero-calibrate is run.' >&2; \
	fi
else
install-calibration:
endif

uninstall-calibration:
	@if test -f "$(DESTDIR)$(sysconfdir)/hetero/calibration.ini"; then \
	  echo '$(DESTDIR)$(sysconfdir)/hetero/calibration.ini stays.'; \
	fi

.PHONY: install-calibration uninstall-calibration
