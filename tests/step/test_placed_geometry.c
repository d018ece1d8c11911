// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Geometries of a simulator follow the model: shapes, poses and sizes at creation and after a change of a size (theory 1).

#include "step/scenes.h"
#include "step/sim.h"
#include "support/support.h"

static void judge(const trx_sim *sim)
{
    const trx_model *model = sim->in.model;
    for (int g = 0; g < model->ngeom; g++) {
        const trxi_placed_shape *placed = &sim->geometry.shapes[g];
        ck_assert_ptr_eq(placed->shape, &model->geoms[g].shape);
        ck_assert_ptr_eq(placed->R, sim->geometry.R + 9 * g);
        ck_assert_ptr_eq(placed->p, sim->geometry.p + 3 * g);
        ck_assert(sim->geometry.radii[g] == model->geoms[g].radius);
        for (int i = 0; i < 9; i++) assert_close(placed->R[i], model->geoms[g].R_LG[i], 0);
        for (int i = 0; i < 3; i++) assert_close(placed->p[i], model->geoms[g].p_LG[i], 0);
    }
}

START_TEST(geometries_are_those_of_the_model)
{
    scene s = scene_pair(SCENE_FREE, TRX_SHAPE_BOX, TRX_SHAPE_SPHERE);
    judge(s.sim);
    scene_destroy(&s);
}
END_TEST

START_TEST(a_changed_size_reaches_shape_and_radius)
{
    scene s = scene_pair(SCENE_FREE, TRX_SHAPE_BOX, TRX_SHAPE_SPHERE);
    int ball = 0;
    while (s.sim->in.model->geoms[ball].shape.type != TRX_SHAPE_SPHERE) ball++;
    const trx_shape *before = s.sim->geometry.shapes[ball].shape;
    const trx_parameter radius = {.kind = TRX_GEOM_RADIUS, .index = ball};
    ck_assert_int_eq(trx_sim_set_parameter(s.sim, radius, 0.31), TRX_OK);
    judge(s.sim);
    ck_assert_ptr_ne(s.sim->geometry.shapes[ball].shape, before); // the simulator has a model of its own now
    assert_close(s.sim->geometry.shapes[ball].shape->radius, 0.31, 1e-15);
    assert_close(s.sim->geometry.radii[ball], 0.31, 1e-15);
    scene_destroy(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/placed_geometry");
    TCase *cases = tcase_create("placed_geometry");
    tcase_add_test(cases, geometries_are_those_of_the_model);
    tcase_add_test(cases, a_changed_size_reaches_shape_and_radius);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
