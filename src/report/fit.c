// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The run folder of an identification (docs/run_folder.md): summary and tables from the room fit, the page, the problem.

#include "report/fit_page.h"

#include "base/context.h"
#include "fit/write.h"

#include <string.h>

// summary.json, and the page that shows it
static trx_status put_summary(trx_fit *fit, const char *title, trxi_folder *folder)
{
    trxi_text summary = trxi_text_create(fit->context), page = summary;
    trx_status status = trxi_fit_write_summary(fit, &summary);
    if (status >= 0) status = trxi_folder_put_text(folder, "summary.json", &summary);
    if (status >= 0) status = trxi_fit_page_write(fit, title, &summary, NULL, &page);
    if (status >= 0) status = trxi_folder_put_text(folder, "fit.html", &page);
    trxi_text_destroy(&summary);
    trxi_text_destroy(&page);
    return status;
}

trx_status trx_fit_write(trx_fit *fit, const char *path, const char *title, const char *problem_text)
{
    if (!fit) return TRX_ERR_ARGUMENT;
    trxi_begin(fit->context);
    if (!path || !title) return trxi_fail(fit->context, TRX_ERR_ARGUMENT, "trx_fit_write: no folder or no title");
    trxi_folder *folder;
    trx_status status = trxi_folder_begin(fit->context, path, &folder);
    if (status < 0) return status;
    status = put_summary(fit, title, folder);
    if (status >= 0) status = trxi_fit_put_tables(fit, folder);
    if (status >= 0 && problem_text) status = trxi_folder_put(folder, "problem.yaml", problem_text, strlen(problem_text));
    if (status >= 0) return trxi_folder_commit(folder);
    trxi_folder_abort(folder);
    return status;
}
