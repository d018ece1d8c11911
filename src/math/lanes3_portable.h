// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The names of lanes3_avx2.h in scalar code; a file includes one of the two. An arc is here the cross product itself.

#ifndef TRXI_MATH_LANES3_PORTABLE_H
#define TRXI_MATH_LANES3_PORTABLE_H

#include "math/vec3.h"

#define TRXI_LANES3 static inline

typedef struct trxi_v3 {
    double x[3];
} trxi_v3;

TRXI_LANES3 trxi_v3 trxi_v3_load(const double *x)
{
    return (trxi_v3){{x[0], x[1], x[2]}};
}

TRXI_LANES3 trxi_v3 trxi_v3_load4(const double *x)
{
    return trxi_v3_load(x);
}

TRXI_LANES3 void trxi_v3_store(double *x, trxi_v3 a)
{
    trxi_copy3(a.x, x);
}

TRXI_LANES3 void trxi_v3_store4(double *x, trxi_v3 a)
{
    trxi_copy3(a.x, x);
}

TRXI_LANES3 trxi_v3 trxi_v3_set(double x, double y, double z)
{
    return (trxi_v3){{x, y, z}};
}

TRXI_LANES3 trxi_v3 trxi_v3_zero(void)
{
    return (trxi_v3){{0, 0, 0}};
}

TRXI_LANES3 trxi_v3 trxi_v3_add(trxi_v3 a, trxi_v3 b)
{
    trxi_add3(a.x, b.x, a.x);
    return a;
}

TRXI_LANES3 trxi_v3 trxi_v3_sub(trxi_v3 a, trxi_v3 b)
{
    trxi_sub3(a.x, b.x, a.x);
    return a;
}

TRXI_LANES3 trxi_v3 trxi_v3_scale(double s, trxi_v3 a)
{
    trxi_scale3(s, a.x, a.x);
    return a;
}

TRXI_LANES3 trxi_v3 trxi_v3_axpy(double s, trxi_v3 a, trxi_v3 out)
{
    trxi_axpy3(s, a.x, out.x);
    return out;
}

TRXI_LANES3 trxi_v3 trxi_v3_times(trxi_v3 a, trxi_v3 b)
{
    return (trxi_v3){{a.x[0] * b.x[0], a.x[1] * b.x[1], a.x[2] * b.x[2]}};
}

TRXI_LANES3 trxi_v3 trxi_v3_add_times(trxi_v3 out, trxi_v3 a, trxi_v3 b)
{
    return trxi_v3_add(out, trxi_v3_times(a, b));
}

TRXI_LANES3 trxi_v3 trxi_v3_clean(trxi_v3 a)
{
    return a;
}

TRXI_LANES3 void trxi_v3_sum_clean(trxi_v3 a, trxi_v3 b, double *sum_a, double *sum_b)
{
    *sum_a = a.x[0] + a.x[1] + a.x[2];
    *sum_b = b.x[0] + b.x[1] + b.x[2];
}

TRXI_LANES3 trxi_v3 trxi_v3_arc(trxi_v3 a, trxi_v3 b)
{
    trxi_v3 out;
    trxi_cross3(a.x, b.x, out.x);
    return out;
}

TRXI_LANES3 trxi_v3 trxi_v3_add_arc(trxi_v3 arcs, trxi_v3 a, trxi_v3 b)
{
    trxi_cross_add3(a.x, b.x, arcs.x);
    return arcs;
}

TRXI_LANES3 trxi_v3 trxi_v3_close(trxi_v3 arcs)
{
    return arcs;
}

TRXI_LANES3 trxi_v3 trxi_v3_combine(const trxi_v3 m[3], trxi_v3 x)
{
    trxi_v3 out;
    for (int i = 0; i < 3; i++) out.x[i] = m[0].x[i] * x.x[0] + m[1].x[i] * x.x[1] + m[2].x[i] * x.x[2];
    return out;
}

TRXI_LANES3 double trxi_v3_dot(trxi_v3 a, trxi_v3 b)
{
    return trxi_dot3(a.x, b.x);
}

TRXI_LANES3 double trxi_v3_dot2(trxi_v3 a, trxi_v3 b, trxi_v3 c, trxi_v3 d)
{
    return trxi_dot3(a.x, b.x) + trxi_dot3(c.x, d.x);
}

TRXI_LANES3 trxi_v3 trxi_v3_project(const trxi_v3 m[3], trxi_v3 x)
{
    return (trxi_v3){{trxi_dot3(m[0].x, x.x), trxi_dot3(m[1].x, x.x), trxi_dot3(m[2].x, x.x)}};
}

TRXI_LANES3 trxi_v3 trxi_v3_project2(const trxi_v3 m[3], trxi_v3 x, const trxi_v3 n[3], trxi_v3 y)
{
    return trxi_v3_add(trxi_v3_project(m, x), trxi_v3_project(n, y));
}

TRXI_LANES3 void trxi_v3_tensor(const double t[6], trxi_v3 m[3])
{
    trxi_set3(t[0], t[3], t[4], m[0].x);
    trxi_set3(t[3], t[1], t[5], m[1].x);
    trxi_set3(t[4], t[5], t[2], m[2].x);
}

TRXI_LANES3 void trxi_v3_symmetric(const double t[6], trxi_v3 m[3])
{
    trxi_set3(t[0], t[1], t[3], m[0].x);
    trxi_set3(t[1], t[2], t[4], m[1].x);
    trxi_set3(t[3], t[4], t[5], m[2].x);
}

TRXI_LANES3 void trxi_v3_load6(const double x[6], trxi_v3 *a, trxi_v3 *b)
{
    *a = trxi_v3_load(x);
    *b = trxi_v3_load(x + 3);
}

TRXI_LANES3 void trxi_v3_store6(double x[6], trxi_v3 a, trxi_v3 b)
{
    trxi_v3_store(x, a);
    trxi_v3_store(x + 3, b);
}

TRXI_LANES3 void trxi_v3_add10(const double x[10], double out[10])
{
    for (int i = 0; i < 10; i++) out[i] += x[i];
}

typedef struct trxi_v6_row {
    double x[6];
} trxi_v6_row;

TRXI_LANES3 trxi_v6_row trxi_v6_row_of(trxi_v3 a, trxi_v3 b)
{
    trxi_v6_row row;
    trxi_v3_store6(row.x, a, b);
    return row;
}

TRXI_LANES3 double trxi_v6_row_dot(trxi_v6_row row, const double x[6])
{
    return trxi_dot3(row.x, x) + trxi_dot3(row.x + 3, x + 3);
}

#endif
