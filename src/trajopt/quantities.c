// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The table of quantities that cost terms measure (theory 7), and the pairs of a contact force.

#include "trajopt/quantities.h"

#include "trajopt/cost_terms.h"

typedef enum row { ONE, AXES, TURNS, JOINTS, POSITIONS, VELOCITIES, CONTROLS } row;

typedef struct kind {
    unsigned traits;
    row rows;         // kind of the components; ONE: without names
    const char *unit; // NULL: each component has its own unit
} kind;

static const kind kinds[] = {
    [TRX_BODY_POSITION] = {TRXI_SPATIAL, AXES, "m"},
    [TRX_BODY_ORIENTATION] = {TRXI_SPATIAL | TRXI_TURN, TURNS, "rad"},
    [TRX_BODY_VELOCITY] = {TRXI_SPATIAL | TRXI_RATE, AXES, "m/s"},
    [TRX_BODY_SPIN] = {TRXI_SPATIAL | TRXI_RATE, TURNS, "rad/s"},
    [TRX_FRAME_POSITION] = {TRXI_SPATIAL, AXES, "m"},
    [TRX_FRAME_ORIENTATION] = {TRXI_SPATIAL | TRXI_TURN, TURNS, "rad"},
    [TRX_FRAME_VELOCITY] = {TRXI_SPATIAL | TRXI_RATE, AXES, "m/s"},
    [TRX_FRAME_SPIN] = {TRXI_SPATIAL | TRXI_RATE, TURNS, "rad/s"},
    [TRX_JOINT_POSITION] = {TRXI_OF_JOINTS, JOINTS, NULL},
    [TRX_JOINT_VELOCITY] = {TRXI_OF_JOINTS | TRXI_RATE, JOINTS, NULL},
    [TRX_POSITION] = {0, POSITIONS, NULL},
    [TRX_VELOCITY] = {TRXI_RATE, VELOCITIES, NULL},
    [TRX_CONTROL] = {TRXI_PER_STEP, CONTROLS, NULL},
    [TRX_DISTANCE] = {TRXI_SPATIAL | TRXI_OF_SETS, ONE, "m"},
    [TRX_COM_POSITION] = {TRXI_SPATIAL | TRXI_OF_SETS | TRXI_OF_BODIES, AXES, "m"},
    [TRX_COM_VELOCITY] = {TRXI_SPATIAL | TRXI_OF_SETS | TRXI_OF_BODIES | TRXI_RATE, AXES, "m/s"},
    [TRX_USER] = {TRXI_DENSE, ONE, ""},
    [TRX_CONTACT_FORCE] = {TRXI_DENSE | TRXI_PER_STEP, AXES, "N"},
    [TRX_CONTROL_RATE] = {TRXI_PER_STEP, CONTROLS, "1/s"},
};

// an unknown quantity has no traits and three components
static kind kind_of(trx_quantity quantity)
{
    return (size_t)quantity < sizeof kinds / sizeof *kinds ? kinds[quantity] : (kind){0, AXES, ""};
}

bool trxi_quantity_is(trx_quantity quantity, unsigned traits)
{
    return (kind_of(quantity).traits & traits) != 0;
}

// ---- components ----

int trx_cost_term_dimension(const trx_model *model, const trx_cost_term *term)
{
    if (term->quantity == TRX_USER) return term->dimension;
    switch (kind_of(term->quantity).rows) {
    case ONE: return 1;
    case JOINTS: return term->njoint;
    case POSITIONS:
    case VELOCITIES: return model->nv;
    case CONTROLS: return model->nu;
    default: return 3;
    }
}

int trx_cost_term_target_length(const trx_model *model, const trx_cost_term *term)
{
    if (trxi_quantity_is(term->quantity, TRXI_TURN)) return 4;
    return term->quantity == TRX_POSITION ? model->nq : trx_cost_term_dimension(model, term);
}

static const trxi_joint *joint_of(const trx_model *model, int dof)
{
    return &model->joints[model->links[model->dof_link[dof]].joint];
}

const char *trxi_term_component(const trx_model *model, const trxi_term *term, int i)
{
    static const char *const axes[3] = {"x", "y", "z"}, *const turns[3] = {"rx", "ry", "rz"};
    switch (kinds[term->quantity].rows) {
    case AXES: return axes[i];
    case TURNS: return turns[i];
    case JOINTS: return joint_of(model, term->v_index[i])->name;
    case POSITIONS: return joint_of(model, i)->name;
    case VELOCITIES: return trx_model_v_name(model, i);
    case CONTROLS: return model->actuators[i].name;
    default: return "";
    }
}

const char *trxi_term_unit(const trx_model *model, const trxi_term *term, int i)
{
    const kind *k = &kinds[term->quantity];
    if (k->unit) return k->unit;
    if (k->rows == CONTROLS) return trxi_control_unit(model, i);
    const bool slide = trxi_dof_slides(model, k->rows == JOINTS ? term->v_index[i] : i);
    if (k->traits & TRXI_RATE) return slide ? "m/s" : "rad/s";
    return slide ? "m" : "rad";
}

// ---- contact forces ----

static bool lists(const int *items, int count, int item)
{
    for (int i = 0; i < count; i++)
        if (items[i] == item) return true;
    return false;
}

signed char trxi_force_sign(const trx_model *model, const trx_cost_term *term, int index)
{
    const trxi_pair pair = trxi_model_pair(model, index);
    if (lists(term->geoms_a, term->ngeom_a, pair.geom_a) && lists(term->geoms_b, term->ngeom_b, pair.geom_b)) return 1;
    if (lists(term->geoms_a, term->ngeom_a, pair.geom_b) && lists(term->geoms_b, term->ngeom_b, pair.geom_a)) return -1;
    return 0;
}

bool trxi_force_is_possible(const trx_model *model, const trx_cost_term *term)
{
    for (int i = 0; i < model->npair; i++)
        if (trxi_force_sign(model, term, i) != 0) return true;
    return false;
}
