// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Names and units of the components of a residual (theory 7): axes, joints or actuators.

#include "trajopt/term_names.h"

static const trxi_joint *joint_of(const trx_model *model, int dof)
{
    return &model->joints[model->links[model->dof_link[dof]].joint];
}

const char *trxi_term_component(const trx_model *model, const trxi_term *term, int i)
{
    static const char *const axes[3] = {"x", "y", "z"}, *const turns[3] = {"rx", "ry", "rz"};
    switch (term->quantity) {
    case TRX_JOINT_POSITION:
    case TRX_JOINT_VELOCITY: return joint_of(model, term->v_index[i])->name;
    case TRX_POSITION: return joint_of(model, i)->name;
    case TRX_VELOCITY: return trx_model_v_name(model, i);
    case TRX_CONTROL_RATE:
    case TRX_CONTROL: return model->actuators[i].name;
    case TRX_DISTANCE:
    case TRX_USER: return "";
    case TRX_BODY_ORIENTATION:
    case TRX_BODY_SPIN:
    case TRX_FRAME_ORIENTATION:
    case TRX_FRAME_SPIN: return turns[i];
    default: return axes[i];
    }
}

// whether a dof is a displacement along an axis
static bool slides(const trx_model *model, int dof)
{
    const trxi_link *link = &model->links[model->dof_link[dof]];
    return link->type == TRXI_SLIDE || link->type == TRXI_TRANSLATION;
}

static const char *control_unit(const trx_model *model, int actuator)
{
    const trxi_actuator *a = &model->actuators[actuator];
    const bool slide = slides(model, a->v);
    if (a->servo) return slide ? "m" : "rad";
    return slide ? "N" : "N m";
}

const char *trxi_term_unit(const trx_model *model, const trxi_term *term, int i)
{
    switch (term->quantity) {
    case TRX_JOINT_POSITION: return slides(model, term->v_index[i]) ? "m" : "rad";
    case TRX_JOINT_VELOCITY: return slides(model, term->v_index[i]) ? "m/s" : "rad/s";
    case TRX_POSITION: return slides(model, i) ? "m" : "rad";
    case TRX_VELOCITY: return slides(model, i) ? "m/s" : "rad/s";
    case TRX_CONTROL: return control_unit(model, i);
    case TRX_BODY_ORIENTATION:
    case TRX_FRAME_ORIENTATION: return "rad";
    case TRX_BODY_SPIN:
    case TRX_FRAME_SPIN: return "rad/s";
    case TRX_BODY_VELOCITY:
    case TRX_FRAME_VELOCITY:
    case TRX_COM_VELOCITY: return "m/s";
    case TRX_CONTROL_RATE: return "1/s";
    case TRX_CONTACT_FORCE: return "N";
    case TRX_USER: return "";
    default: return "m";
    }
}
