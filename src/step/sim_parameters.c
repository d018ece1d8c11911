// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Values of parameters for one simulator (theory 6, parameters). Laws of pairs and settings belong to the simulator.
// For all other parameters the simulator copies its model once and changes the copy in place. The shared model stays
// constant, and thousands of changes take no memory.

#include "model/pair_law.h"
#include "model/parameters.h"
#include "step/sim.h"

static bool is_geometry(trx_parameter_kind kind)
{
    return kind >= TRX_GEOM_SIZE && kind <= TRX_PLACE_TURN;
}

static double value_in_law(const trx_sim *sim, trx_parameter parameter)
{
    trx_pair_law law = *trxi_pair_laws_get(&sim->laws, parameter.index);
    return *trxi_number_of_law(&law, (int)parameter.kind);
}

trx_status trx_sim_parameter(const trx_sim *sim, trx_parameter parameter, double *value)
{
    if (!sim) return TRX_ERR_ARGUMENT;
    if (!value) return trxi_fail(sim->in.context, TRX_ERR_ARGUMENT, "no place for the value");
    trx_status status = trxi_parameter_check(sim->in.context, sim->in.model, parameter);
    if (status < 0) return status;
    if (parameter.kind == TRX_STICTION_TOLERANCE) *value = sim->in.settings.stiction_tolerance;
    else if (parameter.kind == TRX_JOINT_STICTION_TOLERANCE) *value = sim->in.settings.joint_stiction_tolerance;
    else if (trxi_parameter_is_pair(parameter.kind)) *value = value_in_law(sim, parameter);
    else *value = trxi_parameter_value(sim->in.given, sim->in.model, parameter);
    return TRX_OK;
}

static trx_status set_setting(trx_sim *sim, trx_parameter parameter, double value)
{
    trx_sim_settings settings = sim->in.settings;
    if (parameter.kind == TRX_STICTION_TOLERANCE) settings.stiction_tolerance = value;
    else settings.joint_stiction_tolerance = value;
    return trx_sim_set_settings(sim, &settings);
}

static trx_pair_law law_with(const trx_sim *sim, int pair, trx_parameter parameter, double value)
{
    trx_pair_law law = *trxi_pair_laws_get(&sim->laws, pair);
    *trxi_number_of_law(&law, (int)parameter.kind) = value;
    return law;
}

// gives the value to all pairs of the parameter; changes none if a law would be invalid or memory is out
static trx_status set_pairs(trx_sim *sim, trx_parameter parameter, double value)
{
    const trx_model *model = sim->in.model;
    char flaw[TRXI_LAW_FLAW];
    int count = 0;
    for (int i = -1; (i = trxi_parameter_next_pair(model, parameter, i)) >= 0;) {
        const trx_pair_law law = law_with(sim, i, parameter, value);
        if (!trxi_pair_law_usable(&law, flaw)) return trxi_fail(sim->in.context, TRX_ERR_ARGUMENT, "pair %d: %s", i, flaw);
        count++;
    }
    trx_status status = trxi_pair_laws_reserve(&sim->laws, count);
    for (int i = -1; status == TRX_OK && (i = trxi_parameter_next_pair(model, parameter, i)) >= 0;) {
        const trx_pair_law law = law_with(sim, i, parameter, value);
        status = trx_sim_set_pair_law(sim, i, &law);
    }
    return status;
}

static trx_status take_copy(trx_sim *sim)
{
    if (sim->own) return TRX_OK;
    trx_status status = trxi_model_copy(sim->in.context, sim->in.given, 0, &sim->own);
    if (status < 0) return status;
    sim->in.model = sim->own;

    // the shapes of the copy, at the poses of the last step, which stays valid if the value is refused
    for (int g = 0; g < sim->own->ngeom; g++) sim->geometry.shapes[g].shape = &sim->own->geoms[g].shape;
    return TRX_OK;
}

static void changed(trx_sim *sim, trx_parameter_kind kind)
{
    if (is_geometry(kind)) trxi_geometry_read(sim->in.model, &sim->geometry);
    sim->stepped = sim->deriv.linearized = false;
}

trx_status trx_sim_set_parameter(trx_sim *sim, trx_parameter parameter, double value)
{
    if (!sim) return TRX_ERR_ARGUMENT;
    trx_status status = trxi_parameter_check(sim->in.context, sim->in.model, parameter);
    if (status < 0) return status;
    if (trxi_parameter_is_setting(parameter.kind)) return set_setting(sim, parameter, value);
    if (trxi_parameter_is_pair(parameter.kind)) return set_pairs(sim, parameter, value);
    if ((status = take_copy(sim)) < 0) return status;
    if ((status = trxi_parameter_set(sim->in.context, sim->in.given, sim->own, parameter, value)) < 0) return status;
    changed(sim, parameter.kind);
    return TRX_OK;
}

trx_status trxi_sim_put_parameter(trx_sim *sim, trx_parameter parameter, double value)
{
    bool joint = parameter.kind >= TRX_JOINT_DAMPING && parameter.kind <= TRX_JOINT_ARMATURE;
    if (!joint) return trx_sim_set_parameter(sim, parameter, value);
    trx_status status = take_copy(sim);
    if (status < 0) return status;
    trxi_parameter_put(sim->in.given, sim->own, parameter, value);
    changed(sim, parameter.kind);
    return TRX_OK;
}
