# doc/local.mk - the reference: one manual page a public header, made from its comments.

topics = api array kernel launch opencl shape spread status system
reference_pages = \
	doc/reference/hetero_api.3 \
	doc/reference/hetero_array.3 \
	doc/reference/hetero_kernel.3 \
	doc/reference/hetero_launch.3 \
	doc/reference/hetero_opencl.3 \
	doc/reference/hetero_shape.3 \
	doc/reference/hetero_spread.3 \
	doc/reference/hetero_status.3 \
	doc/reference/hetero_system.3

headers2man = $(top_srcdir)/doc/headers2man.awk
nodist_man3_MANS = $(reference_pages)
dist_man_MANS += doc/het.clh.7 doc/hetero.7 doc/hetero.hpp.3
kernel_names = HET_WINDOW HET_PASS HET_POINTER \
	HET_AT1 HET_AT2 HET_AT3 HET_AT4 HET_AT5 HET_AT6 HET_AT7 HET_AT8 \
	HET_INDEX1 HET_INDEX2 HET_INDEX3 HET_INDEX4 HET_INDEX5 HET_INDEX6 HET_INDEX7 HET_INDEX8 \
	het_atomic_add_float het_atomic_min_float het_atomic_max_float \
	het_atomic_add_double het_atomic_min_double het_atomic_max_double
owner_names = het::system het::array het::kernel het::team het::owner het::check het::error
nodist_noinst_DATA = doc/reference/names
CLEANFILES += $(reference_pages) doc/reference/names
EXTRA_DIST += doc/headers2man.awk doc/timeline2svg.py

# A page is made in a temporary file, so that a header without comments leaves no half-made page.
make_page = $(AM_V_GEN)header=$(top_srcdir)/include/hetero/$$(basename $@ .3 | sed s/hetero_//).h; \
	$(MKDIR_P) doc/reference && \
	LC_ALL=C $(AWK) -v what=page -v version=$(PACKAGE_VERSION) -f $(headers2man) $$header > $@.tmp && mv $@.tmp $@

$(reference_pages): $(topic_HEADERS) $(headers2man)
	$(make_page)

# "het_map array": which page documents which function, type, macro or constant.
doc/reference/names: $(topic_HEADERS) $(headers2man)
	$(AM_V_GEN)$(MKDIR_P) doc/reference && for t in $(topics); do \
	  LC_ALL=C $(AWK) -v what=names -f $(headers2man) $(top_srcdir)/include/hetero/$$t.h | sed "s/$$/ $$t/" || exit 1; \
	done | LC_ALL=C sort -u > $@.tmp && mv $@.tmp $@

# `man het_map`: one file a name that refers to the topic's page. For everybody, whatever the umask is.
install-names: doc/reference/names
	@umask 022 && $(MKDIR_P) "$(DESTDIR)$(man3dir)" "$(DESTDIR)$(man7dir)" && \
	while read -r name topic; do \
	  echo ".so man3/hetero_$$topic.3" > "$(DESTDIR)$(man3dir)/$$name.3" || exit 1; \
	done < doc/reference/names && \
	for name in $(kernel_names); do \
	  echo '.so man7/het.clh.7' > "$(DESTDIR)$(man7dir)/$$name.7" || exit 1; \
	done && \
	for name in $(owner_names); do \
	  echo '.so man3/hetero.hpp.3' > "$(DESTDIR)$(man3dir)/$$name.3" || exit 1; \
	done

uninstall-names: doc/reference/names
	@for name in $(kernel_names); do rm -f "$(DESTDIR)$(man7dir)/$$name.7"; done
	@for name in $(owner_names); do rm -f "$(DESTDIR)$(man3dir)/$$name.3"; done
	@while read -r name topic; do rm -f "$(DESTDIR)$(man3dir)/$$name.3"; done < doc/reference/names

.PHONY: install-names uninstall-names

dist_doc_DATA = \
	doc/design.md \
	doc/timeline.svg \
	doc/machine.svg \
	doc/trust.md
