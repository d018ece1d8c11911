// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The page of an identification: one HTML file that needs only a browser.

#ifndef TRXI_REPORT_FIT_PAGE_H
#define TRXI_REPORT_FIT_PAGE_H

#include "fit/state.h"
#include "formats/text.h"

/// Appends the page. `summary` is the text of summary.json. scripts: folder of dygraphs, NULL: /usr/share/javascript; without
/// dygraphs the page has no plots of recordings and says so. Errors: MEMORY.
trx_status trxi_fit_page_write(const trx_fit *fit, const char *title, const trxi_text *summary, const char *scripts,
                               trxi_text *out);

#endif
