// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A C++ program that uses the library: a box of 1 kg falls on a floor and rests there. It exits with 0 when the box rests at the
// height that its weight and the stiffness of the contact give.

#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#include <tractrix/tractrix.h>

namespace {

struct destroy {
    void operator()(trx_context *p) const { trx_context_destroy(p); }
    void operator()(trx_model *p) const { trx_model_destroy(p); }
    void operator()(trx_sim *p) const { trx_sim_destroy(p); }
};

template <typename T> using owned = std::unique_ptr<T, destroy>;

trx_body_def body(const char *name, const trx_geometry_def *geometry)
{
    trx_body_def def = trx_body_def_default();
    def.name = name;
    def.geometry = geometry;
    def.ngeometry = 1;
    return def;
}

owned<trx_model> box_on_floor(trx_context *context)
{
    trx_material_def material = trx_material_def_default();
    material.name = "default";
    trx_geometry_def geometry[2] = {trx_geometry_def_default(), trx_geometry_def_default()};
    geometry[0].shape = trx_shape_default(TRX_SHAPE_HALFSPACE);
    geometry[1].shape = trx_shape_default(TRX_SHAPE_BOX);
    geometry[1].mass = 1;
    for (double &length : geometry[1].shape.size) length = 0.1;
    trx_joint_def joint = trx_joint_def_default();
    joint.name = "box";
    joint.type = TRX_JOINT_FREE;
    trx_body_def bodies[2] = {body("floor", &geometry[0]), body("box", &geometry[1])};
    bodies[1].joints = &joint;
    bodies[1].njoint = 1;
    trx_model_def def = trx_model_def_default();
    def.materials = &material;
    def.nmaterial = 1;
    def.bodies = bodies;
    def.nbody = 2;
    trx_model *model = nullptr;
    if (trx_model_create(context, &def, &model) < 0) std::printf("%s\n", trx_context_message(context));
    return owned<trx_model>(model);
}

// the height after `steps` steps, NAN when one of them fails
double settle(trx_sim *sim, int steps)
{
    const trx_model *model = trx_sim_model(sim);
    const trx_model_size size = trx_model_get_size(model);
    std::vector<double> x(static_cast<std::size_t>(size.nq + size.nv));
    trx_model_neutral(model, x.data());
    x[2] = 0.06;
    for (int k = 0; k < steps; k++)
        if (trx_step(sim, x.data(), nullptr, x.data()) < 0) return NAN;
    std::vector<double> A(static_cast<std::size_t>(4 * size.nv * size.nv));
    return trx_step_jac(sim, A.data(), nullptr) < 0 ? NAN : x[2];
}

} // namespace

int main()
{
    trx_context *made = nullptr;
    if (trx_context_create(nullptr, &made) < 0) return 1;
    owned<trx_context> context(made);
    owned<trx_model> model = box_on_floor(context.get());
    if (!model) return 1;
    trx_sim_settings settings = trx_sim_settings_default();
    trx_sim *stepped = nullptr;
    if (trx_sim_create(context.get(), model.get(), &settings, &stepped) < 0) return 1;
    owned<trx_sim> sim(stepped);

    // four corners of 5e4 N/m carry 9.81 N
    const double height = settle(sim.get(), 300), expected = 0.05 - 9.81 / (4 * 5e4);
    std::printf("tractrix %s: the box rests at %.6f m, expected %.6f m\n", trx_version(), height, expected);
    return std::fabs(height - expected) < 1e-6 ? 0 : 1;
}
