// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The subset of MJCF for robots: the model that MuJoCo would compile, as definitions. Includes come first, then copies and attached
// models, then the sections in the order in which they refer to each other. Several sections of one name are read as one.

#include "import/mjcf/mjcf.h"

void trxi_mjcf_read(trxi_draft *draft, trxi_xml_node *root)
{
    static void (*const sections[])(trxi_mjcf *) = {
        trxi_mjcf_include,        trxi_mjcf_read_settings,  trxi_mjcf_expand,         trxi_mjcf_read_defaults,
        trxi_mjcf_read_assets,    trxi_mjcf_read_bodies,    trxi_mjcf_finish_inertia, trxi_mjcf_finish_fluid,
        trxi_mjcf_read_contact,   trxi_mjcf_read_tendons,   trxi_mjcf_read_equality,  trxi_mjcf_read_actuators,
        trxi_mjcf_read_keyframes, trxi_mjcf_note_known,
    };
    trxi_mjcf *reader = TRXI_DRAFT_TAKE(draft, trxi_mjcf, 1);
    if (!reader) return;
    reader->draft = draft;
    reader->context = trxi_draft_context(draft);
    reader->root = root;
    reader->world = -1;
    trxi_draft_larger_friction(draft);
    for (size_t i = 0; i < sizeof sections / sizeof *sections && trxi_draft_ok(draft); i++) sections[i](reader);
}
