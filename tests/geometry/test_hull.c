// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Convex hulls: polygons of flat sides, Euler, every vertex inside every face, what has no hull, silence, memory.

#define _POSIX_C_SOURCE 200809L

#include "base/random.h"
#include "geometry/hull.h"
#include "geometry/mesh.h"
#include "geometry/solids.h"
#include "math/vec3.h"
#include "support/parser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double pi = 3.14159265358979323846;
// ---- what holds for every hull ----

// Check writes to a file at every assertion, so wrong items are counted first and asserted once

static void check_loops(const trxi_hull *h)
{
    // each directed edge is there once, and so is its reverse; neighbours are just these edges
    int wrong = 0;
    for (int f = 0; f < h->nface; f++) {
        wrong += h->face_start[f + 1] - h->face_start[f] < 3;
        for (int i = h->face_start[f]; i < h->face_start[f + 1]; i++) {
            int a = h->loops[i], b = h->loops[i + 1 < h->face_start[f + 1] ? i + 1 : h->face_start[f]];
            int there = 0, back = 0;
            for (int k = h->neighbour_start[a]; k < h->neighbour_start[a + 1]; k++) there += h->neighbours[k] == b;
            for (int k = h->neighbour_start[b]; k < h->neighbour_start[b + 1]; k++) back += h->neighbours[k] == a;
            wrong += there != 1 || back != 1;
        }
    }
    for (int i = 0; i < h->nvertex; i++) wrong += h->neighbour_start[i + 1] - h->neighbour_start[i] < 3;
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_eq(h->neighbour_start[h->nvertex], h->nneighbour);
    ck_assert_int_eq(h->face_start[h->nface], h->nloop);
    ck_assert_int_eq(h->nloop, h->nneighbour);
    ck_assert_int_eq(h->nvertex - h->nloop / 2 + h->nface, 2);
}

// twice the area of the triangle of three corners, along the normal
static double turn_of(const double *a, const double *b, const double *c, const double *normal)
{
    double ab[3], bc[3], turn[3];
    trxi_sub3(b, a, ab);
    trxi_sub3(c, b, bc);
    trxi_cross3(ab, bc, turn);
    return trxi_dot3(turn, normal);
}

// corners counterclockwise about the normal and in the plane, all vertices of hull and mesh inside, to `slack` of the size
static void check_planes(const trxi_hull *h, const trx_mesh *mesh, double slack)
{
    double farthest = 0, least_turn = INFINITY, least_offset = INFINITY, gap = 0, above = 0, unit = 0;
    for (int i = 0; i < h->nvertex; i++) farthest = fmax(farthest, trxi_norm3(h->vertices + 3 * i));
    for (int f = 0; f < h->nface; f++) {
        const double *plane = h->faces + 4 * f;
        int begin = h->face_start[f], n = h->face_start[f + 1] - begin;
        unit = fmax(unit, fabs(trxi_norm3(plane) - 1));
        least_offset = fmin(least_offset, plane[3]);
        for (int i = 0; i < n; i++) {
            const double *a = h->vertices + 3 * h->loops[begin + i], *b = h->vertices + 3 * h->loops[begin + (i + 1) % n],
                         *c = h->vertices + 3 * h->loops[begin + (i + 2) % n];
            least_turn = fmin(least_turn, turn_of(a, b, c, plane));
            gap = fmax(gap, fabs(trxi_dot3(plane, a) - plane[3]));
        }
        for (int i = 0; i < h->nvertex; i++) above = fmax(above, trxi_dot3(plane, h->vertices + 3 * i) - plane[3]);
        for (int i = 0; i < mesh->nvertex; i++) {
            double p[3];
            trxi_sub3(mesh->vertices + 3 * i, h->centre, p);
            above = fmax(above, trxi_dot3(plane, p) - plane[3]);
        }
    }
    assert_close(h->radius, farthest, 0);
    assert_below(unit, 1e-14);
    ck_assert(least_turn > 0 && least_offset > 0);
    assert_below(gap, slack * h->radius);
    assert_below(above, slack * h->radius);
}

static double volume_of(const trxi_hull *h, double com[3])
{
    static int triangles[3 * 40000];
    trx_mesh mesh = {NULL, h->nvertex, h->vertices, 0, triangles};
    for (int f = 0; f < h->nface; f++)
        for (int i = h->face_start[f] + 1; i + 1 < h->face_start[f + 1]; i++) {
            int *t = triangles + 3 * mesh.ntriangle++;
            t[0] = h->loops[h->face_start[f]], t[1] = h->loops[i], t[2] = h->loops[i + 1];
        }
    trxi_mesh_integrals x;
    trxi_mesh_integrate(&mesh, &x);
    ck_assert(x.closed);
    trxi_copy3(x.com, com);
    return x.volume;
}

static const trxi_hull *hull_of(const trx_mesh *mesh, double slack)
{
    const trxi_hull *h;
    trx_status status = trxi_hull_create(context, pool, mesh, &h);
    ck_assert_msg(status == TRX_OK, "%s", trx_context_message(context));
    check_loops(h);
    check_planes(h, mesh, slack);
    double com[3];
    ck_assert(volume_of(h, com) > 0);
    assert_below(max_magnitude(com, 3), 1e-12 * (h->radius + max_magnitude(h->centre, 3)));
    return h;
}

// ---- hulls ----

START_TEST(a_box_has_six_rectangles)
{
    static solid s;
    const double size[3] = {0.2, 0.5, 1.5}, c[3] = {3, -2, 0.25};
    make_box(&s, size, c);
    const trxi_hull *h = hull_of(&s.mesh, 1e-14);
    ck_assert(h->nvertex == 8 && h->nface == 6 && h->nloop == 24);
    assert_below(max_difference(h->centre, c, 3), 1e-14);
    assert_close(h->radius, 0.5 * trxi_norm3(size), 1e-14);
    // vertices are those of the mesh, in its order
    for (int i = 0; i < 8; i++)
        for (int a = 0; a < 3; a++) assert_close(h->vertices[3 * i + a] + c[a], s.vertices[3 * i + a], 1e-14);
    double found[3] = {0, 0, 0};
    for (int f = 0; f < 6; f++)
        for (int a = 0; a < 3; a++)
            if (fabs(h->faces[4 * f + a]) > 0.5) found[a] += h->faces[4 * f + 3];
    assert_below(max_difference(found, size, 3), 1e-14);
}
END_TEST

START_TEST(a_turned_box_in_floats_still_has_six)
{
    static solid s;
    for (uint64_t trial = 0; trial < 200; trial++) {
        double size[3], axis[3], by[3];
        const double origin[3] = {0, 0, 0};
        for (uint64_t a = 0; a < 3; a++) {
            size[a] = 0.05 + trxi_random_uniform(trial, a);
            axis[a] = trxi_random_normal(trial, 3 + a);
            by[a] = 0.3 * trxi_random_normal(trial, 6 + a);
        }
        make_box(&s, size, origin);
        move_solid(&s, axis, 3 * trxi_random_uniform(trial, 9), by);
        round_solid(&s);
        const trxi_hull *h = hull_of(&s.mesh, 2e-6);
        ck_assert_msg(h->nvertex == 8 && h->nface == 6, "trial %d: %d vertices, %d faces", (int)trial, h->nvertex, h->nface);
    }
}
END_TEST

START_TEST(a_tetrahedron_is_its_own_hull)
{
    static solid s;
    const double e[3] = {0.3, 0.7, 1.1};
    make_corner(&s, e);
    const trxi_hull *h = hull_of(&s.mesh, 1e-15);
    ck_assert(h->nvertex == 4 && h->nface == 4);
    for (int a = 0; a < 3; a++) assert_close(h->centre[a], e[a] / 4, 1e-16);
}
END_TEST

START_TEST(points_on_sides_and_edges_and_inside_are_no_corners)
{
    // a lattice of 5 x 5 x 5 points, each of them twice, in random order
    static solid s;
    const double origin[3] = {0, 0, 0}, axis[3] = {1, 2, 3}, by[3] = {1, 0, 0};
    for (int turned = 0; turned < 2; turned++) {
        int order[250];
        for (int i = 0; i < 250; i++) order[i] = i;
        for (int i = 249; i > 0; i--) {
            int j = (int)(trxi_random_bits(8, (uint64_t)i) % (uint64_t)(i + 1)), held = order[i];
            order[i] = order[j], order[j] = held;
        }
        for (int i = 0; i < 250; i++) {
            int n = order[i] / 2;
            trxi_set3(n % 5 * 0.25, n / 5 % 5 * 0.5, n / 25 * 1.0, s.vertices + 3 * i);
        }
        s.mesh = (trx_mesh){NULL, 250, s.vertices, 0, NULL};
        move_solid(&s, axis, turned ? 0.7 : 0, turned ? by : origin);
        const trxi_hull *h = hull_of(&s.mesh, 1e-14);
        ck_assert_msg(h->nvertex == 8 && h->nface == 6, "%d vertices, %d faces", h->nvertex, h->nface);
    }
}
END_TEST

START_TEST(a_prism_has_two_polygons)
{
    static solid s;
    for (int n = 3; n <= 300; n = 2 * n + 1) {
        for (int i = 0; i < 2 * n; i++)
            trxi_set3(cos(2 * pi * i / n), sin(2 * pi * i / n), i < n ? -0.5 : 0.5, s.vertices + 3 * i);
        s.mesh = (trx_mesh){NULL, 2 * n, s.vertices, 0, NULL};
        const trxi_hull *h = hull_of(&s.mesh, 1e-14);
        ck_assert_int_eq(h->nvertex, 2 * n);
        ck_assert_int_eq(h->nface, n + 2);
        double com[3];
        assert_close(volume_of(h, com), 0.5 * n * sin(2 * pi / n), 1e-13);
    }
}
END_TEST

START_TEST(clouds_in_general_position_are_exact)
{
    static solid s;
    for (uint64_t trial = 0; trial < 60; trial++) {
        int n = 4 + (int)(trial * trial) % 700;
        for (int i = 0; i < n; i++) {
            double *p = s.vertices + 3 * i;
            for (uint64_t a = 0; a < 3; a++) p[a] = trxi_random_normal(trial, 3 * (uint64_t)i + a);
            if (trial % 3 == 0) trxi_normalize3(p, p);
            if (trial % 3 == 1) p[2] *= 1e-3;
            for (int a = 0; a < 3; a++) p[a] = 5 + 0.01 * p[a];
        }
        s.mesh = (trx_mesh){NULL, n, s.vertices, 0, NULL};
        const trxi_hull *h = hull_of(&s.mesh, 1e-6);
        if (n < 50 && trial % 3 != 1) hull_of(&s.mesh, 1e-9);
        if (trial % 3 == 0) ck_assert_int_ge(h->nvertex, n - n / 50);
    }
}
END_TEST

START_TEST(an_icosphere_keeps_all_its_vertices)
{
    static solid s;
    make_icosphere(&s, 12);
    const trxi_hull *h = hull_of(&s.mesh, 1e-12);
    ck_assert_int_eq(h->nvertex, s.mesh.nvertex);
    ck_assert_int_eq(h->nface, s.mesh.ntriangle);
    assert_close(h->radius, 1, 1e-12);
}
END_TEST

START_TEST(size_and_place_do_not_matter)
{
    static solid s, scaled;
    for (uint64_t i = 0; i < 3 * 80; i++) s.vertices[i] = trxi_random_normal(17, i);
    s.mesh = (trx_mesh){NULL, 80, s.vertices, 0, NULL};
    const trxi_hull *h = hull_of(&s.mesh, 1e-9);
    static const double scales[] = {1e-9, 1e-3, 1e6, 1e12, 1e100};
    for (size_t k = 0; k < sizeof scales / sizeof scales[0]; k++) {
        for (int i = 0; i < 3 * 80; i++) scaled.vertices[i] = scales[k] * (s.vertices[i] + 20);
        scaled.mesh = (trx_mesh){NULL, 80, scaled.vertices, 0, NULL};
        const trxi_hull *other;
        ck_assert_int_eq(trxi_hull_create(context, pool, &scaled.mesh, &other), TRX_OK);
        ck_assert(other->nvertex == h->nvertex && other->nface == h->nface);
        ck_assert_mem_eq(other->loops, h->loops, (size_t)h->nloop * sizeof(int));
    }
}
END_TEST

START_TEST(the_same_mesh_gives_the_same_hull)
{
    static solid s;
    make_icosphere(&s, 8);
    const trxi_hull *first = hull_of(&s.mesh, 1e-12), *second = hull_of(&s.mesh, 1e-12);
    ck_assert_mem_eq(first->loops, second->loops, (size_t)first->nloop * sizeof(int));
    ck_assert_mem_eq(first->neighbours, second->neighbours, (size_t)first->nneighbour * sizeof(int));
    ck_assert_mem_eq(first->faces, second->faces, 4 * (size_t)first->nface * sizeof(double));
    ck_assert_mem_eq(first->vertices, second->vertices, 3 * (size_t)first->nvertex * sizeof(double));
    // loops begin at their smallest vertex, faces are in the order of their loops
    int wrong = 0;
    for (int f = 0; f < first->nface; f++) {
        for (int i = first->face_start[f]; i < first->face_start[f + 1]; i++)
            wrong += first->loops[first->face_start[f]] > first->loops[i];
        wrong += f > 0 && first->loops[first->face_start[f - 1]] > first->loops[first->face_start[f]];
    }
    ck_assert_int_eq(wrong, 0);
}
END_TEST

// ---- what has no hull ----

// runs with standard error and output in a file, and returns how many bytes came
static long noise_of(const trx_mesh *mesh, trx_status *status)
{
    const trxi_hull *h;
    FILE *file = tmpfile();
    ck_assert_ptr_nonnull(file);
    fflush(stdout);
    int out = dup(1), err = dup(2);
    dup2(fileno(file), 1);
    dup2(fileno(file), 2);
    *status = trxi_hull_create(context, pool, mesh, &h);
    fflush(stdout);
    dup2(out, 1);
    dup2(err, 2);
    close(out);
    close(err);
    ck_assert((*status == TRX_OK) == (h != NULL));
    long bytes = lseek(fileno(file), 0, SEEK_END);
    fclose(file);
    return bytes;
}

START_TEST(what_has_no_volume_is_refused_in_silence)
{
    static const char flat[] = "all vertices of the mesh are nearly in one plane, so that its convex hull has no volume";
    static solid s;
    const double axis[3] = {1, 2, 3}, by[3] = {10, 20, 30};
    for (int kind = 0; kind < 8; kind++) {
        int n = kind < 2 ? kind + 2 : 40;
        for (int i = 0; i < n; i++) {
            double *p = s.vertices + 3 * i;
            for (uint64_t a = 0; a < 3; a++) p[a] = trxi_random_normal((uint64_t)kind, 3 * (uint64_t)i + a);
            if (kind == 2) p[2] = 0;                   // a plane
            if (kind == 3) p[2] *= 1e-15;              // nearly
            if (kind == 4) p[1] = p[2] = 0;            // a line
            if (kind == 5) trxi_zero3(p);              // a point
            if (kind == 6) trxi_copy3(s.vertices + 3 * (i % 3), p); // three points, many times
            if (kind == 7 && i == 17) p[1] = NAN;
        }
        s.mesh = (trx_mesh){NULL, n, s.vertices, 0, NULL};
        if (kind != 5) move_solid(&s, axis, 0.5, by);
        trx_status status;
        trx_context_clear(context);
        ck_assert_int_eq(noise_of(&s.mesh, &status), 0);
        ck_assert_int_eq(status, TRX_ERR_INPUT);
        ck_assert_str_eq(trx_context_message(context), kind < 2    ? "a convex hull needs at least four vertices"
                                                       : kind == 7 ? "a vertex of the mesh is not finite"
                                                                   : flat);
        ck_assert_int_eq(trx_context_error_count(context), 0);
    }
}
END_TEST

START_TEST(nasty_clouds_are_made_or_refused_in_silence)
{
    // few distinct coordinates, tiny thickness, bits lost in a large offset
    static solid s;
    int made = 0, refused = 0;
    for (uint64_t trial = 0; trial < 600; trial++) {
        int n = 4 + (int)(trial % 60);
        for (uint64_t i = 0; i < 3 * (uint64_t)n; i++) {
            double x = (double)(trxi_random_bits(trial, i) % (2 + trial % 5));
            double noise = trxi_random_normal(trial + 1000, i) * pow(10, -4 - (double)(trial % 13));
            s.vertices[i] = (trial % 2 ? 1e5 : 0) + x + (trial % 3 ? noise : 0);
            if (i % 3 == 2 && trial % 7 == 0) s.vertices[i] *= pow(10, -(double)(trial % 17));
        }
        s.mesh = (trx_mesh){NULL, n, s.vertices, 0, NULL};
        trx_status status;
        ck_assert_int_eq(noise_of(&s.mesh, &status), 0);
        ck_assert(status == TRX_OK || status == TRX_ERR_INPUT);
        made += status == TRX_OK, refused += status != TRX_OK;
    }
    ck_assert(made > 300 && refused > 5);
}
END_TEST

static trx_status create_counted(trx_context *counted, trxi_pool *its_pool, const void *mesh)
{
    const trxi_hull *h;
    trx_status status = trxi_hull_create(counted, its_pool, mesh, &h);
    ck_assert((h != NULL) == (status == TRX_OK));
    return status;
}

START_TEST(whatever_allocation_fails_nothing_is_lost)
{
    static solid s;
    make_icosphere(&s, 8);
    ck_assert_int_ge(fail_every_allocation(create_counted, &s.mesh), 8);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("geometry/hull");
    TCase *cases = tcase_create("hull");
    tcase_add_checked_fixture(cases, open_pool, close_pool);
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, a_box_has_six_rectangles);
    tcase_add_test(cases, a_turned_box_in_floats_still_has_six);
    tcase_add_test(cases, a_tetrahedron_is_its_own_hull);
    tcase_add_test(cases, points_on_sides_and_edges_and_inside_are_no_corners);
    tcase_add_test(cases, a_prism_has_two_polygons);
    tcase_add_test(cases, clouds_in_general_position_are_exact);
    tcase_add_test(cases, an_icosphere_keeps_all_its_vertices);
    tcase_add_test(cases, size_and_place_do_not_matter);
    tcase_add_test(cases, the_same_mesh_gives_the_same_hull);
    tcase_add_test(cases, what_has_no_volume_is_refused_in_silence);
    tcase_add_test(cases, nasty_clouds_are_made_or_refused_in_silence);
    tcase_add_test(cases, whatever_allocation_fails_nothing_is_lost);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
