// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The force law of an MJCF actuator from its element and its classes of defaults.

#ifndef TRXI_IMPORT_MJCF_LAW_H
#define TRXI_IMPORT_MJCF_LAW_H

#include "import/mjcf/mjcf.h"

/// Indices of the numbers of a muscle in gain[] and bias[]. FROM and TO are the ends of the range of lengths, relative to the
/// optimal length. A negative FORCE asks for SCALE divided by an acceleration. The other numbers belong to the curves.
enum {
    TRXI_MUSCLE_FROM,
    TRXI_MUSCLE_TO,
    TRXI_MUSCLE_FORCE,
    TRXI_MUSCLE_SCALE,
    TRXI_MUSCLE_SHORTEST,
    TRXI_MUSCLE_LONGEST,
    TRXI_MUSCLE_SPEED,
    TRXI_MUSCLE_PASSIVE,
    TRXI_MUSCLE_LENGTHENING,
    TRXI_MUSCLE_NUMBERS
};

enum { TRXI_LAW_NUMBERS = 10 };

/// f = gain u + bias_0 + bias_1 l + bias_2 dl/dt; the bias is used if `affine`. A positive bias_2 with gain =
/// -bias_1 is a damping ratio. A muscle has curves in place of both.
typedef struct trxi_mjcf_law {
    const char *kind; // name of the element that made it; "": none did
    bool fixed; // the gain is a constant
    bool muscle, passive; // the gain is a muscle's; the bias is a muscle's
    bool affine;
    double gain[TRXI_LAW_NUMBERS], bias[TRXI_LAW_NUMBERS];
    bool stateful; // the actuator has a state, of one of the kinds of `activation` or of another kind
    trx_activation_type activation;
    double times[3]; // time constant of a filter or of a muscle's rise [s], of a muscle's fall [s], a muscle's smoothing [1]
    bool early; // the force depends on the activation at the end of a step; never set by shortcuts
    const char *unserved[3]; // reasons why the gain, the bias and the state are not supported; NULL when they are
    const char *why; // the first of these reasons, or that of the muscle; NULL when the law is supported
    bool odd; // the actuator may have more controls than one
} trxi_mjcf_law;

trxi_mjcf_law trxi_mjcf_read_law(const trxi_mjcf_element *e);

#endif
