// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The force law of an MJCF actuator from its element and its classes of defaults.

#ifndef TRXI_IMPORT_MJCF_LAW_H
#define TRXI_IMPORT_MJCF_LAW_H

#include "import/mjcf/mjcf.h"

/// f = gain u + bias_0 + bias_1 l + bias_2 dl/dt; the bias is used if `affine`. A positive bias_2 with gain =
/// -bias_1 is a damping ratio.
typedef struct trxi_mjcf_law {
    const char *kind; // name of the element that made it; "": none did
    bool fixed; // the gain is a constant
    double gain;
    bool affine;
    double bias[3];
    bool stateful; // it has a state of its own, of these kinds or of another
    trx_activation_type activation;
    double time_constant; // of a filter [s]
    bool early; // the force depends on the activation at the end of a step; shortcuts have none
    const char *why; // reason why the law is not supported; NULL when it is
    bool odd; // it may have more controls than one
} trxi_mjcf_law;

trxi_mjcf_law trxi_mjcf_read_law(const trxi_mjcf_element *e);

#endif
