# info/local.mk - hetero-info, which shows what the library finds and decides. It asks the library's own table of
# routes, so it is linked with the internal symbols.

bin_PROGRAMS += info/hetero-info
info_hetero_info_SOURCES = \
	$(tool_sources) \
	info/advice.c \
	info/info.c \
	info/json.c \
	info/machine.c \
	info/machine.h \
	info/options.c \
	info/options.h \
	info/patience.c \
	info/patience.h \
	info/picture.c \
	info/probe.c \
	info/settings.c \
	info/show.h \
	info/text.c \
	info/ways.c
info_hetero_info_LDADD = libhetero_all.la -lm
info_hetero_info_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
if HAVE_JSON
info_hetero_info_CPPFLAGS += -DHAVE_JSON $(JSON_CFLAGS)
info_hetero_info_LDADD += $(JSON_LIBS)
endif

dist_man_MANS += info/hetero-info.1
