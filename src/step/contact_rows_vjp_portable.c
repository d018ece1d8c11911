// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The pull of a contact (theory 6) in plain numbers.

#include "math/lanes3_portable.h"

#define TRXI_PASS

#include "step/contact_rows_pull.h"

const trxi_contact_pull trxi_contact_pull_portable = pull_contact;
