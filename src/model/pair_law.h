// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Conditions on a contact law (theory 3, 4); see pair_law.c.

#ifndef TRXI_MODEL_PAIR_LAW_H
#define TRXI_MODEL_PAIR_LAW_H

#include <tractrix/model.h>

enum { TRXI_LAW_FLAW = 200 };

/// Returns false, with the error in `text`, when no step can use the law.
bool trxi_pair_law_usable(const trx_pair_law *law, char text[TRXI_LAW_FLAW]);

/// Whether contacts of this approximation can have torsional and rolling friction.
bool trxi_approximation_turns(trx_approximation approximation);

/// Whether the friction has an axis.
bool trxi_pair_law_anisotropic(const trx_pair_law *law);

#endif
