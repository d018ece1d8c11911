// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The body of the draft that carries a body of the file, and one body for the world: geoms and sites of the
// worldbody belong to a body that is fixed to the world and made for the first of them.

#include "import/mjcf/mjcf.h"

trx_pose trxi_mjcf_world(const trxi_mjcf *reader, int body)
{
    return body < 0 ? trx_pose_identity() : TRXI_MJCF_AT(reader->bodies, trxi_mjcf_body, body)->world;
}

int trxi_mjcf_carrier(trxi_mjcf *reader, int body, trx_source source)
{
    if (body >= 0) return TRXI_MJCF_AT(reader->bodies, trxi_mjcf_body, body)->draft;
    if (reader->world >= 0) return reader->world;
    const char *prefix = trxi_draft_options(reader->draft)->prefix;
    const char *name = trxi_draft_name(reader->draft, prefix && *prefix ? "world" : "worldbody", "body", source);
    trxi_draft_note(reader->draft, TRX_NOTE_REPLACED, source,
                    "what belongs to the world itself is on the body '%s', which "
                    "is fixed to it",
                    name);
    reader->world = trxi_draft_body(reader->draft, name, source, -1);
    trxi_draft_body_at(reader->draft, reader->world)->pose = trxi_draft_options(reader->draft)->pose;
    return reader->world;
}
