// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A step knows no units: with other units of mass, length and time, powers of four so that nothing is rounded otherwise, every
// contact model and solver gives the same bits in as many iterations. Numbers without a unit that should have one, scales that are
// left out, and parts of a solver that only cost iterations show here.

#include "support/support.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tractrix/problem.h>
#include <tractrix/sim.h>

// a unit follows its number: 2e4`Mtt is 2e4 kg/s^2; capital letters multiply, small letters divide
static const char scene_text[] =
    "tractrix: 1\n"
    "model:\n"
    "  gravity: [0.5`Ltt, 0.25`Ltt, -9.81`Ltt]\n"
    "  materials:\n"
    "    stuff: {stiffness: 2e4`Mtt, dissipation: 5`Tl, relaxation_time: 0.004`T, friction: 0.4%s}\n"
    "  bodies:\n"
    "    - {name: box, joint: free, geometry: [{shape: box, size: [0.1`L, 0.12`L, 0.08`L], mass: 0.5`M, material: stuff}]}\n"
    "    - {name: ball, joint: free, geometry: [{shape: sphere, radius: 0.05`L, mass: 0.3`M, material: stuff}]}\n"
    "    - name: upper\n"
    "      pose: {xyz: [-0.325`L, 0`L, 0.04`L]}\n"
    "      joints: [{name: shoulder, type: hinge, axis: [0, 0, 1], limits: [-0.1, 1], damping: 0.03`MLLt,\n"
    "                stiffness: 0.2`MLLtt, rest: 0.1, armature: 0.001`MLL, friction: 0.01`MLLtt}]\n"
    "      inertia: {mass: 0.2`M, com: [0.05`L, 0`L, 0`L], tensor: [0.0005`MLL, 0.0006`MLL, 0.0007`MLL]}\n"
    "    - name: lower\n"
    "      parent: upper\n"
    "      joints: [{name: reach, type: slide, axis: [1, 0, 0], damping: 0.5`Mt}]\n"
    "      geometry: [{shape: sphere, radius: 0.03`L, pose: {xyz: [0.2`L, 0`L, 0`L]}, mass: 0.2`M, material: stuff}]\n"
    "    - name: crank\n"
    "      pose: {xyz: [0.5`L, 0`L, 0.3`L]}\n"
    "      joints: [{name: turn, type: hinge, axis: [0, 1, 0], damping: 0.01`MLLt}]\n"
    "      inertia: {mass: 0.1`M, com: [0.03`L, 0`L, 0.01`L], tensor: [0.0002`MLL, 0.0003`MLL, 0.0002`MLL]}\n"
    "    - name: slider\n"
    "      pose: {xyz: [0.6`L, 0`L, 0.3`L]}\n"
    "      joints: [{name: glide, type: slide, axis: [1, 0, 0]}]\n"
    "      inertia: {mass: 0.15`M}\n"
    "    - name: wheel\n"
    "      pose: {xyz: [0.5`L, 0.2`L, 0.3`L]}\n"
    "      joints: [{name: roll, type: hinge, axis: [0, 1, 0], armature: 0.0001`MLL}]\n"
    "      inertia: {mass: 0.1`M, tensor: [0.0001`MLL, 0.0001`MLL, 0.0001`MLL]}\n"
    "    - {name: ground, geometry: [{shape: halfspace, material: stuff}]}\n"
    "  actuators:\n"
    "    - {joint: shoulder, limits: [-1`MLLtt, 1`MLLtt]}\n"
    "    - {joint: reach, type: pd, kp: 200`Mtt, kd: 5`Mt, effort: 3`MLtt, limits: [-1`L, 1`L]}\n"
    "  constraints:\n"
    "    - {name: rod, type: distance, bodies: [crank, slider], at: [0.04`L, 0`L, 0`L], length: 0.06`L}\n"
    "    - {name: gear, type: coupler, joint: roll, of: turn, ratio: 2}\n"
    "contact: {approximation: %s, force_law: %s%s, stiction_tolerance: 1e-3`Lt, joint_stiction_tolerance: 1e-3`t,\n"
    "  tolerance: %s%s}\n"
    "time: {step: 0.01`T, steps: 10}\n"
    "start:\n"
    "  box: {xyz: [0`L, 0`L, 0.0398`L], rpy: [0.01, 0, 0.2], velocity: [-0.6`Lt, 0.1`Lt, -0.1`Lt], spin: [0.5`t, 0`t, 1`t]}\n"
    "  ball: {xyz: [0.01`L, 0`L, 0.1296`L], velocity: [0.1`Lt, 0`Lt, -0.2`Lt], spin: [0`t, 2`t, 0.5`t]}\n"
    "  shoulder: {position: 0, velocity: -0.5`t}\n"
    "  reach: {position: 0.01`L, velocity: 0.2`Lt}\n"
    "  turn: {position: 0, velocity: 1`t}\n"
    "  glide: {position: 0`L, velocity: 0.3`Lt}\n"
    "  roll: {position: 0, velocity: 2`t}\n";

// units of q, v and u
static const char *const q_units[] = {"L", "L", "L", "", "", "", "", "L", "L", "L", "", "", "", "", "", "L", "", "L", ""};
static const char *const v_units[] = {"Lt", "Lt", "Lt", "t", "t", "t", "Lt", "Lt", "Lt", "t", "t", "t", "t", "Lt", "t", "Lt", "t"};
enum { NQ = sizeof q_units / sizeof *q_units, NV = sizeof v_units / sizeof *v_units, STEPS = 10, TEXT = 8192 };

typedef struct units {
    double mass, length, time;
} units;

static double factor(const units *u, const char *unit, int count)
{
    double f = 1;
    for (int i = 0; i < count; i++) {
        const double size = strchr("Mm", unit[i]) ? u->mass : strchr("Ll", unit[i]) ? u->length : u->time;
        f *= isupper((unsigned char)unit[i]) ? size : 1 / size;
    }
    return f;
}

// the text with numbers in other units
static void convert(const units *u, const char *from, char *to)
{
    const char *number = from;
    while (*from) {
        if (!strchr("+-.e0123456789", *from) && *from != '`') number = from + 1;
        if (*from != '`') {
            *to++ = *from++;
            continue;
        }
        to -= from - number;
        const char *end = ++from;
        while (isalpha((unsigned char)*end)) end++;
        to += sprintf(to, "%.17g", strtod(number, NULL) * factor(u, from, (int)(end - from)));
        from = end, number = end;
    }
    *to = '\0';
}

// of_mass: only the unit of mass changes. A continuation, which ccp needs here, begins at slips of 1 m/s and 1 rad/s, and dojo at
// 0.1 m/s
typedef struct law {
    const char *friction, *approximation, *force_law, *constants, *more;
    bool of_mass;
} law;

static const char turns[] = ", torsional_friction: 0.004`L, rolling_friction: 0.002`L";
static const law laws[] = {
    {turns, "lagged", "hunt_crossley", "", "", false},
    {turns, "lagged_regularized", "kelvin_voigt", "", "", false},
    {"", "lagged", "smoothed", ", smoothing: 0.001`L", "", false},
    {"", "similar", "hunt_crossley", "", "", false},
    {"", "similar_regularized", "kelvin_voigt", "", "", false},
    {"", "sap", "kelvin_voigt", "", "", false},
    {"", "lagged", "kelvin_voigt", "", ", model: lcp, sweeps: 20000", false},
    {"", "lagged", "kelvin_voigt", "", ", model: lcp, solver: admm, sweeps: 20000", false},
    {"", "lagged", "kelvin_voigt", "", ", model: lcp, solver: staggered", false},
    {"", "lagged", "kelvin_voigt", "", ", model: lcp, solver: pivoting", false},
    {"", "lagged", "kelvin_voigt", "", ", model: ccp", true},
    {"", "lagged", "kelvin_voigt", "", ", model: ccp, solver: pgs, sweeps: 20000", false},
    {"", "lagged", "kelvin_voigt", "", ", model: ccp, solver: admm, sweeps: 20000", false},
    {"", "lagged", "kelvin_voigt", "", ", model: ncp, sweeps: 20000", false},
    {"", "lagged", "kelvin_voigt", "", ", model: ncp, solver: admm, sweeps: 20000", false},
    {"", "lagged", "kelvin_voigt", "", ", model: ncp, solver: staggered", false},
    {"", "lagged", "kelvin_voigt", "", ", model: dojo, kappa: 1e-6`MLLtt", true},
    {"", "lagged", "kelvin_voigt", "", ", model: raisim, sweeps: 20000", false},
    {"", "lagged", "kelvin_voigt", "", ", model: first_order", false},
};
enum { LAWS = sizeof laws / sizeof *laws };

// the results of ten steps, in the units of the scene
typedef struct outcome {
    trx_status status[STEPS];
    double x[STEPS][NQ + NV];
    int iterations[STEPS], contacts[STEPS];
} outcome;

static void simulate(const law *l, const units *u, outcome *out)
{
    char template[TEXT], text[TEXT];
    const char *tolerance = strstr(l->more, "sweeps") ? "1e-2" : "1e-6"; // sweeps converge slowly
    snprintf(template, sizeof template, scene_text, l->friction, l->approximation, l->force_law, l->constants, tolerance, l->more);
    convert(u, template, text);
    trx_context *context;
    trx_problem *problem;
    trx_sim *sim;
    context = context_open();
    trx_status status = trx_problem_load_text(context, "units", text, strlen(text), NULL, &problem);
    ck_assert_msg(status == TRX_OK, "%s\n%s", trx_context_message(context), text);
    const trx_sim_settings settings = trx_problem_sim_settings(problem);
    ck_assert_int_eq(trx_sim_create(context, trx_problem_model(problem), &settings, &sim), TRX_OK);
    const trx_model_size size = trx_model_get_size(trx_problem_model(problem));
    ck_assert(size.nq == NQ && size.nv == NV);

    double x[NQ + NV];
    const double control[2] = {0.2 * factor(u, "MLLtt", 5), 0.03 * factor(u, "L", 1)};
    memcpy(x, trx_problem_start(problem), sizeof x);
    for (int k = 0; k < STEPS; k++) {
        out->status[k] = trx_step(sim, x, control, x);
        ck_assert_msg(out->status[k] >= 0, "%s", trx_context_message(context));
        out->iterations[k] = trx_sim_step_info(sim).iterations;
        out->contacts[k] = trx_sim_step_info(sim).contacts;
        for (int i = 0; i < NQ; i++) out->x[k][i] = x[i] / factor(u, q_units[i], (int)strlen(q_units[i]));
        for (int i = 0; i < NV; i++) out->x[k][NQ + i] = x[NQ + i] / factor(u, v_units[i], (int)strlen(v_units[i]));
    }
    trx_sim_destroy(sim);
    trx_problem_destroy(problem);
    context_close(context);
}

START_TEST(a_step_knows_no_units)
{
    static const units plain = {1, 1, 1}, others[] = {{4, 1, 1}, {0.0625, 1, 1}, {1, 4, 1}, {1, 1, 0.25}, {16, 0.25, 4}};
    static outcome expected, found;
    simulate(&laws[_i], &plain, &expected);
    int touching = 0;
    for (int k = 0; k < STEPS; k++) touching += expected.contacts[k] > 0;
    ck_assert_int_ge(touching, STEPS / 2);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (laws[_i].of_mass && (others[i].length != 1 || others[i].time != 1)) continue;
        simulate(&laws[_i], &others[i], &found);
        for (int k = 0; k < STEPS; k++) {
            for (int j = 0; j < NQ + NV; j++)
                ck_assert_msg(found.x[k][j] == expected.x[k][j], "%s %s%s, units %d, step %d, entry %d: %.17g is not %.17g",
                              laws[_i].approximation, laws[_i].force_law, laws[_i].more, (int)i, k, j, found.x[k][j],
                              expected.x[k][j]);
            ck_assert_int_eq(found.iterations[k], expected.iterations[k]);
            ck_assert_int_eq(found.status[k], expected.status[k]);
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/units");
    TCase *cases = tcase_create("units");
    tcase_set_timeout(cases, 60);
    tcase_add_loop_test(cases, a_step_knows_no_units, 0, LAWS);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
