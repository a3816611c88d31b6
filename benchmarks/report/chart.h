/* chart.h - charts as SVG inside a page. They take the page's colours: classes v0, v1, v2 are the versions', v3
 * and v4 are those of copying without exchanges and without their bytes. */
#ifndef REPORT_CHART_H
#define REPORT_CHART_H

#include <stdio.h>

#include "report/results.h"

/** Hetero's time against that of `version`, a line for each cell: the median and its interval; 1 is equal. */
void chart_ratios(FILE *to, const struct results *results, enum version version);

/** How fast the versions are on each set, the one by hand that copies on one device being 1. */
void chart_rates(FILE *to, const struct results *results);

/** Times over the classes of each benchmark, on all devices that may share, those of the version that copies
 *  being 1: of Hetero, of the version that shares by hand, and of the one that copies when its exchanges, or
 *  their bytes alone, are left out. */
void chart_sizes(FILE *to, const struct results *results);

/** How much less there is to write than by hand, in percent. */
void chart_saved(FILE *to, const struct results *results);

#endif
