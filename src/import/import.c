// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The entry points of the import: options are checked, the text is parsed, and the reader of its root element fills
// a draft, which becomes the result. All data lives in the import's pool.

#include <tractrix/import.h>

#include "formats/files.h"
#include "geometry/decompose.h"
#include "import/mjcf/mjcf.h"
#include "import/sdf/sdf.h"
#include "import/urdf/urdf.h"
#include "math/rotation.h"

#include <string.h>

struct trx_import {
    trx_context *context;
    trxi_pool *pool;
    trx_import_result result;
};

trx_import_options trx_import_options_default(void)
{
    return (trx_import_options){
        .size = sizeof(trx_import_options),
        .pose = trx_pose_identity(),
        .material = trx_material_def_default(),
        .repair = TRX_REPAIR_NEAREST,
        .decompose = trx_decomposition_default(),
    };
}

const char *trx_note_kind_name(trx_note_kind kind)
{
    switch (kind) {
    case TRX_NOTE_ASSUMED: return "assumed";
    case TRX_NOTE_REPLACED: return "replaced";
    case TRX_NOTE_DROPPED: return "dropped";
    case TRX_NOTE_REPAIRED: return "repaired";
    case TRX_NOTE_MISSING: return "missing";
    }
    return "";
}

// ---- options ----

static trx_status check_prefix(trx_context *context, const char *prefix)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", more[] = "0123456789_-";
    if (!prefix || !*prefix) return TRX_OK;
    bool fine = strchr(letters, prefix[0]) != NULL;
    for (const char *c = prefix; *c; c++) fine &= strchr(letters, *c) || strchr(more, *c);
    if (fine) return TRX_OK;
    return trxi_fail(context, TRX_ERR_ARGUMENT,
                     "import: the prefix \"%.100s\" is no name: use letters, digits, _ and -, a letter first", prefix);
}

static trx_status check_packages(trx_context *context, const trx_import_options *options)
{
    if (options->npackage < 0 || (options->npackage > 0 && !options->packages))
        return trxi_fail(context, TRX_ERR_ARGUMENT, "import: %d packages, but no list of them", options->npackage);
    for (int i = 0; i < options->npackage; i++) {
        const char *text = options->packages[i], *equals = text ? strchr(text, '=') : NULL;
        if (!equals || equals == text || !equals[1])
            return trxi_fail(context, TRX_ERR_ARGUMENT, "import: package \"%.200s\": write NAME=DIR", text ? text : "");
    }
    return TRX_OK;
}

static trx_status check_options(trx_context *context, trx_import_options *options)
{
    trx_status status = trxi_check_size(context, options->size, sizeof *options, "trx_import_options_default");
    if (status < 0) return status;
    if ((int)options->base < 0 || options->base > TRX_BASE_PLANAR)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "import: base %d is none of trx_base", (int)options->base);
    if ((int)options->repair < 0 || options->repair > TRX_REPAIR_NEAREST)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "import: repair %d is none of trx_repair_inertia",
                         (int)options->repair);
    const char *division = options->decompose.most != 0 ? trxi_decomposition_defect(&options->decompose) : NULL;
    if (division) return trxi_fail(context, TRX_ERR_ARGUMENT, "import: %s", division);
    bool finite = true;
    for (int i = 0; i < 3; i++) finite &= isfinite(options->pose.p[i]) != 0;
    for (int i = 0; i < 4; i++) finite &= isfinite(options->pose.quat[i]) != 0;
    if (!finite || !(trxi_quat_normalize(options->pose.quat) > 0))
        return trxi_fail(context, TRX_ERR_ARGUMENT,
                         "import: the pose needs finite numbers and a quaternion that is not 0");
    if ((status = check_prefix(context, options->prefix)) < 0) return status;
    return check_packages(context, options);
}

// ---- reading ----

static trx_status read_root(trx_context *context, trxi_draft *draft, trxi_xml_node *root)
{
    int errors = trx_context_error_count(context);
    trx_status status = TRX_OK;
    root->used = true;
    if (strcmp(root->name, "robot") == 0)
        trxi_urdf_read(draft, root);
    else if (strcmp(root->name, "mujoco") == 0)
        trxi_mjcf_read(draft, root);
    else if (strcmp(root->name, "sdf") == 0)
        status = trxi_sdf_read(draft, root);
    else
        return trxi_error_at(context, root->source,
                             "<%.100s> is no robot: the first element must be <robot> (URDF), <mujoco> (MJCF) or <sdf> (SDF)",
                             root->name);
    if (status < 0) return status;
    if (!trxi_draft_ok(draft)) return TRX_ERR_MEMORY;
    return trx_context_error_count(context) > errors ? TRX_ERR_INPUT : TRX_OK;
}

static trx_status read_text(trx_import *import, const char *path, const char *text, size_t length,
                            const trx_import_options *options)
{
    trxi_xml_node *root;
    trx_status status = trxi_xml_parse(import->context, import->pool, path, text, length, &root);
    if (status < 0) return status;
    trxi_draft *draft = trxi_draft_create(import->context, import->pool, path, options);
    if (!draft) return TRX_ERR_MEMORY;
    status = read_root(import->context, draft, root);
    if (status == TRX_ERR_INPUT) trxi_draft_judge_given_inertias(draft);
    return status < 0 ? status : trxi_draft_finish(draft, &import->result);
}

// both entry points: `text` NULL means to read the file
static trx_status load(trx_context *context, const char *path, const char *text, size_t length,
                       const trx_import_options *options, trx_import **import)
{
    trx_import_options chosen = options ? *options : trx_import_options_default();
    trx_status status = check_options(context, &chosen);
    if (status < 0) return status;
    trx_import *made = trxi_allocate(context, sizeof *made);
    if (!made) return TRX_ERR_MEMORY;
    made->context = context;
    made->pool = trxi_pool_create(context);
    const char *kept = made->pool ? trxi_pool_string(made->pool, path, strlen(path)) : NULL;
    char *bytes = NULL;
    status = kept ? TRX_OK : TRX_ERR_MEMORY;
    if (status == TRX_OK && !text) {
        status = trxi_file_read(context, made->pool, kept, TRXI_XML_MAX_SIZE, &bytes, &length);
        text = bytes;
    }
    if (status == TRX_OK) status = read_text(made, kept, text, length, &chosen);
    if (status < 0)
        trx_import_destroy(made);
    else
        *import = made;
    return status;
}

trx_status trx_import_load(trx_context *context, const char *path, const trx_import_options *options, trx_import **import)
{
    if (!context || !import) return TRX_ERR_ARGUMENT;
    trxi_begin(context);
    *import = NULL;
    if (!path) return trxi_fail(context, TRX_ERR_ARGUMENT, "import: no path");
    return load(context, path, NULL, 0, options, import);
}

trx_status trx_import_load_text(trx_context *context, const char *path, const char *text, size_t length,
                                const trx_import_options *options, trx_import **import)
{
    if (!context || !import) return TRX_ERR_ARGUMENT;
    trxi_begin(context);
    *import = NULL;
    if (!path || !text) return trxi_fail(context, TRX_ERR_ARGUMENT, "import: no path or no text");
    return load(context, path, text, length, options, import);
}

void trx_import_destroy(trx_import *import)
{
    if (!import) return;
    trxi_pool_destroy(import->pool);
    trxi_release(import->context, import);
}

const trx_import_result *trx_import_get(const trx_import *import)
{
    return import ? &import->result : NULL;
}
