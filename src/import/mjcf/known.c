// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The elements and attributes of MJCF that this reader knows; all others are noted one by one as dropped. Known elements
// and attributes without a counterpart (softness of MuJoCo's constraints, solver settings, drawing, sensors) are counted,
// not listed.

#include "import/mjcf/mjcf.h"

#include <string.h>

// an element below another: attributes that are read (there or in a class), attributes of the softness of MuJoCo's
// constraints, attributes for drawing, measuring or computing; "*": everything, also inside
typedef struct known {
    const char *parent, *name, *read, *soft, *other;
} known;

#define POSE " pos quat axisangle xyaxes zaxis euler"
#define TENDON_READ                                                                                                    \
    "name class limited range actuatorfrclimited actuatorfrcrange stiffness damping frictionloss armature "            \
    "springlength "                                                                                                    \
    "springyield"
#define SOFT_JOINT "margin solreflimit solimplimit solreffriction solimpfriction"

static const known table[] = {
    {"", "mujoco", "", "", "model"},
    {"mujoco", "compiler",
     "angle autolimits coordinate eulerseq meshdir assetdir strippath fitaabb inertiafromgeom inertiagrouprange "
     "balanceinertia boundmass boundinertia settotalmass alignfree fusestatic discardvisual",
     "",
     "texturedir usethread saveinertial savecompiled savecanonical conflict passthrough convexhull exactmeshinertia"},
    {"compiler", "lengthrange", "", "", "*"},
    {"mujoco", "option", "gravity timestep density viscosity wind actuatorgroupdisable", "",
     "ccd_iterations ccd_tolerance cone impratio integrator iterations jacobian "
     "ls_iterations "
     "ls_tolerance magnetic noslip_iterations noslip_tolerance o_friction o_margin o_solimp o_solref sdf_initpoints "
     "sdf_iterations sleep_tolerance solver tolerance apirate collision mpr_iterations mpr_tolerance"},
    {"option", "flag",
     "gravity filterparent constraint equality frictionloss limit contact passive spring damper clampctrl actuation override",
     "",
     "autoreset diagexact energy eulerdamp fwdinv invdiscrete island midphase multiccd nativeccd refsafe "
     "sensor "
     "sleep speculative warmstart sensornoise"},
    {"mujoco", "default", "class", "", ""},
    {"default", "default", "class", "", ""},
    {"default", "equality", "active", "solref solimp", ""},
    {"default", "tendon", TENDON_READ, SOFT_JOINT, "group material rgba user width"},
    {"mujoco", "asset", "", "", ""},
    {"asset", "mesh", "name class file vertex face scale refpos refquat inertia material builtin", "",
     "content_type maxhullvert normal params smoothnormal texcoord"},
    {"asset", "material", "name class rgba", "",
     "emission metallic reflectance roughness shininess specular texrepeat texture texuniform"},
    {"material", "layer", "", "", "*"},
    {"mujoco", "worldbody", "", "", ""},
    {"body", "body", "name childclass gravcomp mocap" POSE, "", "user sleep simple fuse"},
    {"body", "frame", "name childclass" POSE, "", ""},
    {"body", "inertial", "mass diaginertia fullinertia" POSE, "", ""},
    {"body", "joint",
     "name class type pos axis range limited ref springref stiffness damping armature frictionloss springdamper "
     "springyield "
     "actuatorfrcrange actuatorfrclimited",
     SOFT_JOINT, "group user actuatorgravcomp"},
    {"body", "freejoint", "name align", "", "group"},
    {"body", "geom",
     "name class type size fromto mesh fitscale contype conaffinity friction mass density shellinertia group material "
     "rgba "
     "condim surfacevel adhesion hfield" POSE,
     "solref solimp solmix margin gap priority", "castshadow fluidcoef fluidshape user"},
    {"geom", "plugin", "", "", "*"},
    {"mesh", "plugin", "", "", "*"},
    {"asset", "hfield", "name file nrow ncol size elevation", "", "content_type"},
    {"body", "site", "name class fromto" POSE, "", "size type material mesh rgba group user"},
    {"mujoco", "contact", "", "", ""},
    {"contact", "exclude", "name body1 body2", "", ""},
    {"contact", "pair", "name class geom1 geom2 friction condim", "solref solimp solreffriction margin gap adhesion", ""},
    {"mujoco", "tendon", "", "", ""},
    {"tendon", "fixed", TENDON_READ, SOFT_JOINT, "group user"},
    {"fixed", "joint", "joint coef", "", ""},
    {"tendon", "spatial", TENDON_READ, SOFT_JOINT, "group user width material rgba"},
    {"spatial", "site", "site", "", ""},
    {"spatial", "geom", "geom sidesite", "", ""},
    {"spatial", "pulley", "divisor", "", ""},
    {"mujoco", "equality", "", "", ""},
    {"equality", "connect", "name class active body1 body2 anchor site1 site2", "solref solimp", ""},
    {"equality", "weld", "name class active body1 body2 anchor relpose site1 site2 torquescale", "solref solimp", ""},
    {"equality", "joint", "name class active joint1 joint2 polycoef", "solref solimp", ""},
    {"equality", "tendon", "name class active tendon1 tendon2 polycoef", "solref solimp", ""},
    {"mujoco", "actuator", "", "", ""},
    {"mujoco", "keyframe", "", "", ""},
    {"keyframe", "key", "name qpos qvel ctrl act mpos mquat", "", "time plastic"},

    // whole branches, noted where they occur, or counted here
    {"mujoco", "visual", "", "", "*"},
    {"mujoco", "statistic", "", "", "*"},
    {"mujoco", "size", "", "", "*"},
    {"mujoco", "custom", "", "", "*"},
    {"mujoco", "sensor", "", "", "*"},
    {"mujoco", "extension", "", "", "*"},
    {"asset", "texture", "", "", "*"},
    {"asset", "skin", "", "", "*"},
    {"body", "camera", "", "", "*"},
    {"body", "light", "", "", "*"},
    {"asset", "model", "*", "", ""},
    {"body", "composite", "*", "", ""},
    {"body", "flexcomp", "*", "", ""},
    {"body", "plugin", "*", "", ""},
    {"equality", "flex", "*", "", ""},
    {"equality", "flexvert", "*", "", ""},
    {"equality", "flexstrain", "*", "", ""},
};

// all kinds of actuators together
static const known actuator = {"actuator", "",
                               "name class group joint jointinparent tendon site body cranksite refsite slidersite "
                               "cranklength gear ctrlrange ctrllimited "
                               "forcerange forcelimited inheritrange gaintype gainprm biastype biasprm dyntype dynprm "
                               "kp kv dampratio timeconst area "
                               "diameter bias damping armature delay actlimited actrange actearly "
                               "lengthrange tausmooth range force scale lmin lmax vmax fpmax fvmax",
                               "", "user nsample interp actdim input"};

static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = strstr(list, word); at && length; at = strstr(at + 1, word))
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) return true;
    return false;
}

static const known *find(const char *parent, const char *name)
{
    bool above = strcmp(parent, "worldbody") == 0 || strcmp(parent, "frame") == 0;
    if (above) parent = "body";
    if (trxi_mjcf_is_actuator(name) && (strcmp(parent, "actuator") == 0 || strcmp(parent, "default") == 0))
        return &actuator;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].name, name) == 0 && strcmp(table[i].parent, parent) == 0) return &table[i];
    if (strcmp(parent, "default") != 0) return NULL;

    // a default has the attributes of its element
    static const char *const homes[] = {"body", "asset", "contact"};
    for (int i = 0; i < 3; i++) {
        const known *k = find(homes[i], name);
        if (k) return k;
    }
    return NULL;
}

static void mark_all(trxi_xml_node *node)
{
    node->used = true;
    for (int i = 0; i < node->nattribute; i++) node->keys_used[i] = true;
    for (int i = 0; i < node->count; i++) mark_all(node->items[i]);
}

static void tally_soft(trxi_mjcf *reader, trx_source source)
{
    trxi_draft_tally(reader->draft, TRX_NOTE_REPLACED, source, "softness (solref, solimp, margin, gap, priority) of ",
                     "element", "elements",
                     ": contacts have the law of their materials, limits and equalities are stiff; only the time in which "
                     "equalities close follows solref");
}

static void tally_other(trxi_mjcf *reader, trx_source source)
{
    trxi_draft_tally(
        reader->draft, TRX_NOTE_DROPPED, source, "what ", "element says", "elements say",
        " for drawing, measuring and MuJoCo's own computations (lights, cameras, textures, sensors, groups, "
        "integrator, ...)");
}

static void mark(trxi_mjcf *reader, trxi_xml_node *node, const char *parent)
{
    const known *k = find(parent, node->name);
    if (strcmp(node->name, "deformable") == 0) {
        trxi_draft_note(reader->draft, TRX_NOTE_MISSING, node->source, "deformable and all that is in it");
        mark_all(node);
        return;
    }
    if (!k) return;
    if (k->read[0] == '*' || k->other[0] == '*') {
        if (k->other[0] == '*') tally_other(reader, node->source);
        mark_all(node);
        return;
    }
    node->used = true;
    bool soft = false, other = false;
    for (int i = 0; i < node->nattribute; i++) {
        bool is_soft = has_word(k->soft, node->keys[i]), is_other = has_word(k->other, node->keys[i]);
        soft |= is_soft, other |= is_other;
        node->keys_used[i] = is_soft || is_other || has_word(k->read, node->keys[i]);
    }
    if (soft) tally_soft(reader, node->source);
    if (other && reader->root != node) tally_other(reader, node->source);
    for (int i = 0; i < node->count; i++) mark(reader, node->items[i], node->name);
}

void trxi_mjcf_note_known(trxi_mjcf *reader)
{
    mark(reader, reader->root, "");
    trxi_draft_note_unused(reader->draft, reader->root);
}
