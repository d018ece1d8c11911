// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Affine maps of mesh files with scenes: x -> L x + p, with L and p as the rows of a 3 x 4 matrix.

#ifndef TRXI_FORMATS_AFFINE_H
#define TRXI_FORMATS_AFFINE_H

typedef struct trxi_affine {
    double m[12]; // row by row
} trxi_affine;

static inline trxi_affine trxi_affine_identity(void)
{
    return (trxi_affine){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
}

static inline trxi_affine trxi_affine_scale(double x, double y, double z)
{
    return (trxi_affine){{x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0}};
}

static inline trxi_affine trxi_affine_move(double x, double y, double z)
{
    return (trxi_affine){{1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z}};
}

/// From a rotation matrix, column by column.
static inline trxi_affine trxi_affine_turn(const double R[9])
{
    return (trxi_affine){{R[0], R[3], R[6], 0, R[1], R[4], R[7], 0, R[2], R[5], R[8], 0}};
}

/// x -> a(b(x)).
static inline trxi_affine trxi_affine_mul(const trxi_affine *a, const trxi_affine *b)
{
    trxi_affine out;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) {
            out.m[4 * i + j] = j == 3 ? a->m[4 * i + 3] : 0;
            for (int k = 0; k < 3; k++) out.m[4 * i + j] += a->m[4 * i + k] * b->m[4 * k + j];
        }
    return out;
}

static inline void trxi_affine_point(const trxi_affine *a, const double x[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a->m[4 * i] * x[0] + a->m[4 * i + 1] * x[1] + a->m[4 * i + 2] * x[2] + a->m[4 * i + 3];
}

/// Whether the map mirrors: triangles must then be reversed to keep their normals outside.
static inline int trxi_affine_mirrors(const trxi_affine *a)
{
    const double *m = a->m;
    return m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) + m[2] * (m[4] * m[9] - m[5] * m[8]) < 0;
}

#endif
