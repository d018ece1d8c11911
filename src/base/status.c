// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Texts of the status list; see include/tractrix/status.h.

#include <tractrix/status.h>

const char *trx_status_text(trx_status status)
{
    switch (status) {
#define X(name, value, text)                                                                        \
    case name:                                                                                      \
        return text;
        TRX_STATUS_LIST(X)
#undef X
    }
    return "unknown status";
}

const char *trx_status_name(trx_status status)
{
    switch (status) {
#define X(name, value, text)                                                                        \
    case name:                                                                                      \
        return #name;
        TRX_STATUS_LIST(X)
#undef X
    }
    return "unknown status";
}
