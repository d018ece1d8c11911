// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Counts over the definitions; see scene.h. A scene may still hold the errors that trx_model_create will find
// (a cycle of parents), so walks towards the root are bounded.

#include "problem/scene.h"

#include "model/model.h"

static int count(const trxi_scene *scene, int (*numbers)(trx_joint_type))
{
    int sum = 0;
    for (int i = 0; i < scene->def.nbody; i++)
        for (int j = 0; j < scene->bodies[i].njoint; j++) sum += numbers(scene->bodies[i].joints[j].type);
    return sum;
}

int trxi_scene_nq(const trxi_scene *scene)
{
    return count(scene, trxi_joint_nq);
}

int trxi_scene_nv(const trxi_scene *scene)
{
    return count(scene, trxi_joint_nv);
}

bool trxi_scene_descends(const trxi_scene *scene, int body, int ancestor)
{
    for (int steps = 0; body >= 0 && steps <= scene->def.nbody; steps++) {
        if (body == ancestor) return true;
        body = scene->bodies[body].parent;
    }
    return false;
}

int trxi_scene_group(const trxi_scene *scene, int body)
{
    int sum = 0;
    for (int i = 0; i < scene->def.nbody; i++) {
        if (!trxi_scene_descends(scene, i, body)) continue;
        for (int j = 0; j < scene->bodies[i].njoint; j++) sum += trxi_joint_nv(scene->bodies[i].joints[j].type) == 1;
    }
    return sum;
}

void trxi_group_joints(const trx_model *model, int root, int *joints)
{
    int count = 0;
    for (int i = 0; i < model->nv; i++) {
        int index = model->links[model->dof_link[i]].joint;
        const trxi_joint *joint = &model->joints[index];
        int body = joint->body;
        while (body >= 0 && body != root) body = model->bodies[body].parent;
        if (joint->nv == 1 && body == root) joints[count++] = index;
    }
}
