// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Robots of tests; see robots.h. The functions fail the test instead of returning errors.

#include "robots.h"

#include <stdio.h>
#include <string.h>

robot read_text(const char *text, const trx_import_options *options)
{
    robot r = {0};
    ck_assert_int_eq(trx_context_create(NULL, &r.context), TRX_OK);
    r.status = trx_import_load_text(r.context, "robot.urdf", text, strlen(text), options, &r.import);
    r.result = trx_import_get(r.import);
    ck_assert((r.status < 0) == (r.import == NULL));
    return r;
}

robot read_data(const char *name, const trx_import_options *options)
{
    char path[300];
    robot r = {0};
    snprintf(path, sizeof path, "tests/import/data/%s", name);
    ck_assert_int_eq(trx_context_create(NULL, &r.context), TRX_OK);
    r.status = trx_import_load(r.context, path, options, &r.import);
    ck_assert_msg(r.status == TRX_OK, "%s: %s", path, trx_context_message(r.context));
    r.result = trx_import_get(r.import);
    return r;
}

void free_robot(robot *r)
{
    trx_import_destroy(r->import);
    trx_context_destroy(r->context);
}

int find_body(const robot *r, const char *name)
{
    ck_assert_msg(r->result != NULL, "the robot was refused: %s", trx_context_message(r->context));
    for (int i = 0; i < r->result->def.nbody; i++)
        if (strcmp(r->result->def.bodies[i].name, name) == 0) return i;
    ck_abort_msg("there is no body %s", name);
    return -1;
}

const trx_body_def *body_of(const robot *r, const char *name)
{
    return &r->result->def.bodies[find_body(r, name)];
}

const trx_joint_def *joint_of(const robot *r, const char *body)
{
    const trx_body_def *b = body_of(r, body);
    ck_assert_int_eq(b->njoint, 1);
    return b->joints;
}

int count_notes(const robot *r, trx_note_kind kind, const char *part)
{
    int count = 0;
    for (int i = 0; i < r->result->nnote; i++)
        count += r->result->notes[i].kind == kind && strstr(r->result->notes[i].text, part);
    return count;
}

void assert_note(const robot *r, trx_note_kind kind, int line, const char *text)
{
    ck_assert_msg(r->result != NULL, "the robot was refused: %s", trx_context_message(r->context));
    int count = 0, at = 0;
    for (int i = 0; i < r->result->nnote; i++) {
        const trx_note *note = &r->result->notes[i];
        if (note->kind != kind || strcmp(note->text, text) != 0) continue;
        count++;
        at = note->source.line;
    }
    ck_assert_msg(count == 1, "%d notes of this kind say \"%s\"", count, text);
    ck_assert_int_eq(at, line);
}

void assert_refused(const robot *r, int line, const char *part)
{
    ck_assert_int_eq(r->status, TRX_ERR_INPUT);
    for (int i = 0; i < trx_context_diagnostic_count(r->context); i++) {
        trx_diagnostic d = trx_context_diagnostic(r->context, i);
        if (d.severity == TRX_ERROR && d.source.line == line && strstr(d.text, part)) return;
    }
    ck_abort_msg("no error on line %d says \"%s\"; the first is %s", line, part, trx_context_message(r->context));
}

trx_model *model_of(const robot *r)
{
    trx_model *model = NULL;
    trx_status status = trx_model_create(r->context, &r->result->def, &model);
    ck_assert_msg(status == TRX_OK, "%s", trx_context_message(r->context));
    return model;
}
