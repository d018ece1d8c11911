// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The short way of a contact (theory 6) in plain numbers.

#include "math/lanes3_portable.h"

#define TRXI_PASS

#include "step/contact_rows_pull.h"

#include "step/contact_rows_push.h"

const trxi_contact_ways trxi_contact_portable = {pull_contact, push_contact};
