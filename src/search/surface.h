// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Points on the surface of a contact shape, with outward normals (theory 9).

#ifndef TRXI_SEARCH_SURFACE_H
#define TRXI_SEARCH_SURFACE_H

#include <stdint.h>
#include <tractrix/geometry.h>

typedef struct trxi_surface_point {
    double p[3]; // in the frame of the shape [m]
    double n[3]; // outward unit normal
} trxi_surface_point;

/// Sample number `index` of the surface: a pure function of its arguments.
trxi_surface_point trxi_surface_sample(const trx_shape *shape, uint64_t seed, uint64_t index);

#endif
