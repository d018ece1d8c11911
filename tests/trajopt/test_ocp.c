// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Stages of an optimal-control quadratic program have the parts that their sizes name, in memory of their own, and no others.

#include "trajopt/ocp.h"

#include "trajopt/scenes.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 2 };

static const trxi_ocp_size sizes[STEPS + 1] = {
    {.nx = 3, .nu = 2},
    {.nx = 5, .nu = 1, .defect = true, .cross = true, .rates = true},
    {.nx = 2, .nu = 7, .defect = true},
};

static char *carve(const trxi_ocp_size *size, int stride, int nball, trxi_ocp *ocp)
{
    trxi_arena arena = {0};
    trxi_ocp_layout(&arena, STEPS, size, stride, nball, ocp);
    char *block = aligned_alloc(64, arena.used);
    ck_assert_ptr_nonnull(block);
    memset(block, 0, arena.used);
    arena = (trxi_arena){.base = block};
    trxi_ocp_layout(&arena, STEPS, size, stride, nball, ocp);
    return block;
}

START_TEST(a_stage_has_the_parts_that_its_size_names)
{
    trxi_ocp ocp;
    char *block = carve(sizes, 1, 0, &ocp);
    const trxi_ocp_stage *s = ocp.stages;
    ck_assert(ocp.nx == 5 && ocp.nu == 2 && ocp.defects);
    ck_assert(s[0].nx_next == 5 && s[1].nx_next == 2 && s[2].nx_next == 0);
    ck_assert(!s[0].b && !s[0].S && !s[0].rate_slope && !s[0].rate_curvature);
    ck_assert(s[1].b && s[1].S && s[1].rate_slope && s[1].rate_curvature);

    // the last stage has neither dynamics nor controls
    ck_assert(!s[2].B && !s[2].A && !s[2].b && s[2].nu == 0);
    ck_assert(s[0].A == s[0].B + 5 * 2 && s[1].A == s[1].B + 2 * 1);
    ck_assert(s[1].u_at == 2 && s[2].u_at == 3 && ocp.controls == 3);
    ck_assert(s[1].K_at == 6 && s[2].K_at == 11 && ocp.gains == 11);
    free(block);
}
END_TEST

START_TEST(parts_do_not_overlap)
{
    trxi_ocp ocp;
    char *block = carve(sizes, 1, 0, &ocp);
    for (int k = 0; k <= STEPS; k++) {
        const trxi_ocp_stage *s = &ocp.stages[k];
        double *parts[] = {s->B, s->b, s->Q, s->S, s->q, s->r, s->rate_slope, s->rate_curvature};
        const int n[] = {s->nx_next * (s->nu + s->nx), s->nx_next, s->nx * s->nx, s->nx * s->nu,
                         s->nx, s->nu, s->nu, s->nu};
        for (int i = 0; i < 8; i++)
            for (int j = 0; parts[i] && j < n[i]; j++) parts[i][j] = 1 + i + 10 * k;
    }
    for (int k = 0; k <= STEPS; k++) {
        const trxi_ocp_stage *s = &ocp.stages[k];
        for (int j = 0; j < s->nx * s->nx; j++) ck_assert(s->Q[j] == 3 + 10 * k);
        for (int j = 0; j < s->nx; j++) ck_assert(s->q[j] == 5 + 10 * k);
        for (int j = 0; s->b && j < s->nx_next; j++) ck_assert(s->b[j] == 2 + 10 * k);
        for (int j = 0; s->S && j < s->nx * s->nu; j++) ck_assert(s->S[j] == 4 + 10 * k);
    }
    free(block);
}
END_TEST

static void visit(trxi_visitor *visitor, void *object)
{
    trxi_ocp_visit(visitor, object);
}

START_TEST(every_number_is_visited)
{
    trxi_ocp ocp;
    trx_context *context = make_context();
    trxi_text bytes = trxi_text_create(context);
    char *block = carve(sizes, 1, 0, &ocp);
    trxi_visit_into(&bytes, visit, &ocp);

    // each part counts its bytes and a length; positions have a count and three rates, and no maps
    size_t expected = 4 * 8 + sizeof(int) + 3 * 8;
    for (int k = 0; k <= STEPS; k++) {
        const trxi_ocp_stage *s = &ocp.stages[k];
        const double *parts[] = {s->B, s->b, s->Q, s->R, s->S, s->q, s->r,
                                 s->u_lower, s->u_upper, s->rate_slope, s->rate_curvature};
        const int n[] = {s->nx_next * (s->nu + s->nx), s->nx_next, s->nx * s->nx, s->nu * s->nu, s->nx * s->nu, s->nx, s->nu,
                         s->nu, s->nu, s->nu, s->nu};
        for (int i = 0; i < 11; i++) expected += parts[i] ? 8 + 8 * (size_t)n[i] : 0;
    }
    ck_assert_uint_eq(bytes.length, expected);
    trxi_text_destroy(&bytes);
    trx_context_destroy(context);
    free(block);
}
END_TEST

START_TEST(one_size_serves_all_stages)
{
    trxi_ocp ocp;
    char *block = carve(sizes, 0, 3, &ocp);
    for (int k = 0; k < STEPS; k++) ck_assert(ocp.stages[k].nx_next == 3 && ocp.stages[k].nu == 2 && ocp.stages[k].nx == 3);
    ck_assert(ocp.stages[STEPS].nu == 0 && ocp.stages[STEPS].nx == 3 && !ocp.defects);
    ck_assert(trxi_ocp_ball_maps(&ocp.positions, 1, 2) == ocp.positions.maps + TRXI_BALL_MAPS * 5);
    free(block);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/ocp");
    TCase *cases = tcase_create("ocp");
    tcase_add_test(cases, a_stage_has_the_parts_that_its_size_names);
    tcase_add_test(cases, parts_do_not_overlap);
    tcase_add_test(cases, every_number_is_visited);
    tcase_add_test(cases, one_size_serves_all_stages);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
