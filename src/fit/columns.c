// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Columns of recordings (theory 10); see columns.h. The names are those of trajectory.csv: coordinates and velocities of the
// model, u.NAME, NAME.x ... NAME.qz for poses of bodies and frames that are not coordinates, and force(A, B).x, force(ACTUATOR),
// joint_force(JOINT) and acceleration(NAME).x for what a step shows.

#include "fit/columns.h"

#include "base/context.h"
#include "fit/channel.h"
#include "fit/step_channel.h"
#include "formats/scalar.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const char *const quaternion_parts[4] = {"qw", "qx", "qy", "qz"};

// a column's meaning: a channel, and which of its columns
typedef struct meaning {
    trx_fit_channel channel;
    int part;
    const char *group;
} meaning;

static trx_joint_info joint_of_q(const trx_model *model, int index)
{
    int joint = 0;
    while (trx_model_joint(model, joint).q_index + trx_model_joint(model, joint).nq <= index) joint++;
    return trx_model_joint(model, joint);
}

static trx_joint_info joint_of_v(const trx_model *model, int index)
{
    int joint = 0;
    while (trx_model_joint(model, joint).v_index + trx_model_joint(model, joint).nv <= index) joint++;
    return trx_model_joint(model, joint);
}

// "box" of "box.qw"; the name itself without a dot
static const char *owner_of(trxi_pool *pool, const char *name)
{
    const char *dot = strrchr(name, '.');
    return trxi_pool_string(pool, name, dot ? (size_t)(dot - name) : strlen(name));
}

static bool find_coordinate(trxi_pool *pool, const trx_model *model, const char *name, meaning *m)
{
    const int nq = trx_model_get_size(model).nq;
    int i = 0;
    while (i < nq && strcmp(trx_model_q_name(model, i), name) != 0) i++;
    if (i == nq) return false;
    const trx_joint_info joint = joint_of_q(model, i);
    const int local = i - joint.q_index, quaternion = joint.type == TRX_JOINT_FREE ? 3 : joint.type == TRX_JOINT_BALL
        ? 0 : joint.nq;
    const bool several = joint.nv > 1, turn = local >= quaternion || (joint.type == TRX_JOINT_PLANAR && local == 2);
    const char *owner = several ? owner_of(pool, name) : name;
    m->group = trxi_pool_printf(pool, "%s.%s", owner ? owner : "", turn ? "orientation" : "position");
    if (local < quaternion) {
        m->channel = (trx_fit_channel){.kind = TRX_FIT_COORDINATE, .index = i, .name = name};
        return true;
    }
    int which = 0;
    while (which < trx_model_get_size(model).njoint && trx_model_joint(model, which).q_index != joint.q_index) which++;
    m->channel = (trx_fit_channel){.kind = TRX_FIT_ROTATION, .index = which, .name = m->group};
    m->part = local - quaternion;
    return true;
}

static bool find_velocity(trxi_pool *pool, const trx_model *model, const char *name, meaning *m)
{
    const int nv = trx_model_get_size(model).nv;
    int i = 0;
    while (i < nv && strcmp(trx_model_v_name(model, i), name) != 0) i++;
    if (i == nv) return false;
    const trx_joint_info joint = joint_of_v(model, i);
    const int local = i - joint.v_index;
    const bool turn = joint.type == TRX_JOINT_BALL || (joint.type == TRX_JOINT_FREE && local >= 3) ||
                      (joint.type == TRX_JOINT_PLANAR && local == 2);
    const char *owner = owner_of(pool, name);
    m->group = trxi_pool_printf(pool, "%s.%s", owner ? owner : "", turn ? "spin" : "velocity");
    m->channel = (trx_fit_channel){.kind = TRX_FIT_VELOCITY, .index = i, .name = name};
    return true;
}

// NAME.x ... NAME.qz of a body or frame
static bool find_pose(trxi_pool *pool, const trx_model *model, const char *name, meaning *m)
{
    const char *dot = strrchr(name, '.'), *owner = dot ? owner_of(pool, name) : NULL;
    if (!owner) return false;
    const int body = trx_model_find_body(model, owner), frame = body < 0 ? trx_model_find_frame(model, owner) : -1;
    const char *member = dot + 1, *axes = "xyz";
    if (body < 0 && frame < 0) return false;
    const int index = body >= 0 ? body : frame;
    if (strlen(member) == 1 && strchr(axes, *member)) {
        m->channel = (trx_fit_channel){.kind = body >= 0 ? TRX_FIT_BODY_POSITION : TRX_FIT_FRAME_POSITION, .index = index,
                                       .component = (int)(strchr(axes, *member) - axes), .name = name};
        m->group = trxi_pool_printf(pool, "%s.position", owner);
        return true;
    }
    for (int i = 0; i < 4; i++) {
        if (strcmp(member, quaternion_parts[i]) != 0) continue;
        m->group = trxi_pool_printf(pool, "%s.orientation", owner);
        m->channel = (trx_fit_channel){.kind = body >= 0 ? TRX_FIT_BODY_ORIENTATION : TRX_FIT_FRAME_ORIENTATION, .index = index,
                                       .name = m->group};
        m->part = i;
        return true;
    }
    return false;
}

// the text without blanks at its ends
static const char *trimmed(trxi_pool *pool, const char *from, const char *end)
{
    while (from < end && *from == ' ') from++;
    while (end > from && end[-1] == ' ') end--;
    return trxi_pool_string(pool, from, (size_t)(end - from));
}

// force(A, B).x of two bodies
static bool find_contact(trxi_pool *pool, const trx_model *model, const char *name, const char *close, meaning *m)
{
    const char *open = strchr(name, '(');
    assert(open); // the name begins with force(
    const char *comma = memchr(open, ',', (size_t)(close - open));
    const char *axis = close[1] == '.' ? close + 2 : "";
    if (!comma || strlen(axis) != 1 || !strchr("xyz", *axis)) return false;
    const char *a = trimmed(pool, open + 1, comma), *b = trimmed(pool, comma + 1, close);
    m->channel = (trx_fit_channel){.kind = TRX_FIT_CONTACT_FORCE, .index = a ? trx_model_find_body(model, a) : -1,
                                   .other = b ? trx_model_find_body(model, b) : -1, .component = *axis - 'x'};
    m->group = trxi_pool_printf(pool, "force(%s, %s)", a ? a : "", b ? b : "");
    m->channel.name = trxi_pool_printf(pool, "%s.%c", m->group ? m->group : "", *axis);
    return m->channel.index >= 0 && m->channel.other >= 0;
}

// force(ACTUATOR), joint_force(JOINT), acceleration(NAME).x of a body or frame
static bool find_of_step(trxi_pool *pool, const trx_model *model, const char *name, meaning *m)
{
    const char *open = strchr(name, '('), *close = open ? strchr(open, ')') : NULL;
    if (!close) return false;
    if (strncmp(name, "force(", 6) == 0 && memchr(open, ',', (size_t)(close - open)))
        return find_contact(pool, model, name, close, m);
    const char *of = trimmed(pool, open + 1, close), *axis = close[1] == '.' ? close + 2 : "";
    m->channel = (trx_fit_channel){.name = name, .index = -1};
    m->group = trxi_pool_printf(pool, "%.*s", (int)(close - name) + 1, name);
    if (!of || !m->group) return false;
    if (strncmp(name, "acceleration(", 13) == 0 && strlen(axis) == 1 && strchr("xyz", *axis)) {
        const int body = trx_model_find_body(model, of);
        m->channel.kind = body >= 0 ? TRX_FIT_BODY_ACCELERATION : TRX_FIT_FRAME_ACCELERATION;
        m->channel.index = body >= 0 ? body : trx_model_find_frame(model, of);
        m->channel.component = *axis - 'x';
    } else if (close[1] == '\0') {
        const bool joint = strncmp(name, "joint_force(", 12) == 0;
        m->channel.kind = joint ? TRX_FIT_JOINT_FORCE : TRX_FIT_ACTUATOR_FORCE;
        if (joint) m->channel.index = trx_model_find_joint(model, of);
        else if (strncmp(name, "force(", 6) == 0) m->channel.index = trx_model_find_actuator(model, of);
    }
    return m->channel.index >= 0;
}

// ---- the list of channels ----

static int group_of(trxi_pool *pool, trxi_channels *list, const char *name)
{
    for (int i = 0; i < list->ngroup; i++)
        if (strcmp(list->groups[i].name, name) == 0) return i;
    if (list->ngroup == list->group_capacity) {
        list->groups = trxi_pool_grow(pool, list->groups, list->ngroup, &list->group_capacity, sizeof *list->groups);
        if (!list->groups) return -1;
    }
    list->groups[list->ngroup] = (trx_fit_group){.name = name, .noise = NAN};
    return list->ngroup++;
}

// first column of values of a channel, which is added if it is new; -1: no memory
static int column_of(trxi_pool *pool, trxi_channels *list, const meaning *m)
{
    if (!m->group || !m->channel.name) return -1;
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->channels[i].name, m->channel.name) == 0) return list->channels[i].column;
    const int group = group_of(pool, list, m->group);
    if (group < 0) return -1;
    if (list->count == list->capacity) {
        list->channels = trxi_pool_grow(pool, list->channels, list->count, &list->capacity, sizeof *list->channels);
        if (!list->channels) return -1;
    }
    trx_fit_channel channel = m->channel;
    channel.group = group;
    channel.column = list->columns;
    list->channels[list->count++] = channel;
    list->columns += trxi_channel_columns(channel.kind);
    return channel.column;
}

// ---- checks ----

static int find_column(trx_context *context, const trxi_csv *csv, const char *name)
{
    const int column = trxi_csv_find(csv, name);
    if (column < 0)
        trxi_error_at(context, (trx_source){csv->file, 1, 1}, "no column \"%s\": add it, or name the right one in fit.data", name);
    return column;
}

// whether a column is part of a quaternion, and no column before is part of the same one
static bool begins_quaternion(const trxi_csv *csv, int column)
{
    const char *name = csv->names[column], *dot = strrchr(name, '.');
    bool part = false;
    for (int i = 0; i < 4 && dot; i++) part = part || strcmp(dot + 1, quaternion_parts[i]) == 0;
    for (int j = 0; j < column && part; j++)
        for (int i = 0; i < 4 && part; i++)
            part = strncmp(csv->names[j], name, (size_t)(dot + 1 - name)) != 0 ||
                   strcmp(csv->names[j] + (dot + 1 - name), quaternion_parts[i]) != 0;
    return part;
}

// every part of a quaternion, and every control, must be there
static trx_status check_parts(trx_context *context, trxi_pool *pool, const trx_model *model, const trxi_csv *csv,
                              const trxi_columns *columns)
{
    const int errors = trx_context_error_count(context), nu = trx_model_get_size(model).nu;
    for (int j = 0; j < csv->cols; j++) {
        const char *owner = owner_of(pool, csv->names[j]);
        if (!owner) return TRX_ERR_MEMORY;
        if (columns->value[j] < 0 || !begins_quaternion(csv, j)) continue;
        for (int i = 0; i < 4; i++) {
            const char *name = trxi_pool_printf(pool, "%s.%s", owner, quaternion_parts[i]);
            if (!name) return TRX_ERR_MEMORY;
            if (trxi_csv_find(csv, name) < 0)
                trxi_error_at(context, csv->name_sources[j], "a quaternion without its column \"%s\": add it", name);
        }
    }
    for (int i = 0; i < nu && columns->controls; i++) {
        const char *name = trxi_pool_printf(pool, "u.%s", trx_model_actuator_name(model, i));
        if (!name) return TRX_ERR_MEMORY;
        find_column(context, csv, name);
    }
    return trx_context_error_count(context) > errors ? TRX_ERR_INPUT : TRX_OK;
}

// all names of columns with coordinates, velocities, controls and poses; NULL: no memory
static const char **list_names(trxi_pool *pool, const trx_model *model, int *count)
{
    static const char *const members[7] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
    const trx_model_size size = trx_model_get_size(model);
    const char **names = TRXI_POOL(pool, const char *, size.nq + size.nv + size.nu + 7 * (size.nbody + size.nframe) + 1);
    int n = 0;
    if (!names) return NULL;
    for (int i = 0; i < size.nq; i++) names[n++] = trx_model_q_name(model, i);
    for (int i = 0; i < size.nv; i++) names[n++] = trx_model_v_name(model, i);
    for (int i = 0; i < size.nu; i++) names[n++] = trxi_pool_printf(pool, "u.%s", trx_model_actuator_name(model, i));
    for (int i = 0; i < 7 * (size.nbody + size.nframe); i++) {
        const int k = i / 7;
        const char *owner = k < size.nbody ? trx_model_body_name(model, k) : trx_model_frame_name(model, k - size.nbody);
        names[n++] = trxi_pool_printf(pool, "%s.%s", owner, members[i % 7]);
    }
    for (int i = 0; i < n; i++)
        if (!names[i]) return NULL;
    *count = n;
    return names;
}

// leaves a column out: with a warning if its name resembles a name of the model that the file lacks, otherwise with a note
static trx_status leave_out(trx_context *context, trxi_pool *pool, const trx_model *model, const trxi_csv *csv, int j)
{
    int count = 0;
    const char **names = list_names(pool, model, &count);
    if (!names) return TRX_ERR_MEMORY;
    const char *near = trxi_suggest(csv->names[j], names, count);
    if (near && trxi_csv_find(csv, near) < 0)
        trxi_warn_at(context, csv->name_sources[j], "column \"%s\" is nothing of the model and is left out; did you mean \"%s\"?",
                     csv->names[j], near);
    else
        trxi_note_at(context, csv->name_sources[j], "column \"%s\" is nothing of the model: it is left out", csv->names[j]);
    return TRX_OK;
}

static trx_status find_one(trx_context *context, trxi_pool *pool, const trx_model *model, const trxi_csv *csv, int j,
                           trxi_channels *list, trxi_columns *columns)
{
    const char *name = csv->names[j];
    meaning m = {0};
    if (strncmp(name, "u.", 2) == 0 && (columns->control[j] = trx_model_find_actuator(model, name + 2)) >= 0) {
        columns->controls = true;
        return TRX_OK;
    }
    if (!find_coordinate(pool, model, name, &m) && !find_velocity(pool, model, name, &m) && !find_pose(pool, model, name, &m) &&
        !find_of_step(pool, model, name, &m)) {
        return leave_out(context, pool, model, csv, j);
    }
    if (trxi_channel_is_of_step(m.channel.kind) && !trxi_step_channel_exists(model, &m.channel))
        return trxi_error_at(context, csv->name_sources[j], m.channel.kind == TRX_FIT_JOINT_FORCE
                                 ? "column \"%s\": only joints with one degree of freedom have this force: leave the column out"
                                 : "column \"%s\": no geometries of these bodies may touch: leave the column out", name);
    const int column = column_of(pool, list, &m);
    if (column < 0) return TRX_ERR_MEMORY;
    columns->value[j] = column + m.part;
    return TRX_OK;
}

trx_status trxi_columns_find(trx_context *context, trxi_pool *pool, const trx_model *model, const trx_fit_file *file,
                             const trxi_csv *csv, trxi_channels *list, trxi_columns *columns)
{
    *columns = (trxi_columns){.recording = -1, .value = TRXI_POOL(pool, int, csv->cols), .control = TRXI_POOL(pool, int,
                                                                                                              csv->cols)};
    if (!columns->value || !columns->control) return TRX_ERR_MEMORY;
    const int errors = trx_context_error_count(context);
    columns->time = find_column(context, csv, file->time ? file->time : "t");
    if (file->recording) columns->recording = find_column(context, csv, file->recording);
    bool any = false;
    for (int j = 0; j < csv->cols; j++) {
        columns->value[j] = columns->control[j] = -1;
        if (j == columns->time || j == columns->recording) continue;
        trx_status status = find_one(context, pool, model, csv, j, list, columns);
        if (status < 0) return status;
        any = any || columns->value[j] >= 0;
    }
    if (trx_context_error_count(context) > errors) return TRX_ERR_INPUT;
    if (!any)
        return trxi_error_at(context, (trx_source){csv->file, 1, 1}, "no column of the model: write columns such as \"%s\"",
                             trx_model_get_size(model).nq > 0 ? trx_model_q_name(model, 0) : "BODY.x");
    return check_parts(context, pool, model, csv, columns);
}
