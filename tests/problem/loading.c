// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// See loading.h.

#include "loading.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char PUSH[] = "tractrix: 1\n"
                    "model:\n"
                    "  materials: {table: {stiffness: 2.0e4, dissipation: 5, friction: 0.3}}\n"
                    "  bodies:\n"
                    "    - name: box\n"
                    "      joint: free\n"
                    "      geometry: [{shape: box, size: [0.1, 0.1, 0.1], mass: 0.5, material: table}]\n"
                    "    - name: pusher\n"
                    "      joints:\n"
                    "        - {name: px, type: slide, axis: [1, 0, 0], damping: 2}\n"
                    "        - {name: py, type: slide, axis: [0, 1, 0], damping: 2}\n"
                    "      geometry: [{shape: sphere, radius: 0.02, mass: 0.3, material: table}]\n"
                    "      frames: [{name: tip, pose: {xyz: [0.02, 0, 0]}}]\n"
                    "    - {name: ground, geometry: [{shape: halfspace, material: table}]}\n"
                    "  actuators: [{joint: px, limits: [-20, 20]}, {joint: py, limits: [-20, 20]}]\n"
                    "time: {step: 0.02, steps: 10}\n";

fixture fixture_open(void)
{
    fixture f = {0};
    ck_assert_int_eq(trx_context_create(NULL, &f.context), TRX_OK);
    return f;
}

void fixture_close(fixture *f)
{
    trx_problem_destroy(f->problem);
    trx_context_destroy(f->context);
    *f = (fixture){0};
}

static void forget(fixture *f)
{
    trx_problem_destroy(f->problem);
    f->problem = NULL;
    trx_context_clear(f->context);
}

trx_status load_text(fixture *f, const char *text, const char *const *set, int nset)
{
    return load_text_as(f, "text.yaml", text, set, nset);
}

trx_status load_text_as(fixture *f, const char *name, const char *text, const char *const *set, int nset)
{
    forget(f);
    trx_problem_options options = trx_problem_options_default();
    options.set = set;
    options.nset = nset;
    trx_status status = trx_problem_load_text(f->context, name, text, strlen(text), &options, &f->problem);
    ck_assert((status < 0) == (f->problem == NULL));
    return status;
}

void load_good(fixture *f, const char *text)
{
    trx_status status = load_text(f, text, NULL, 0);
    ck_assert_msg(status == TRX_OK, "%s: %s", trx_status_name(status), trx_context_message(f->context));
}

void load_file(fixture *f, const char *path)
{
    forget(f);
    trx_status status = trx_problem_load(f->context, path, NULL, &f->problem);
    ck_assert_msg(status == TRX_OK, "%s: %s: %s", path, trx_status_name(status), trx_context_message(f->context));
}

char *read_all(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "cannot open %s", path);
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    ck_assert_int_ge(size, 0);
    rewind(file);
    char *text = malloc((size_t)size + 1);
    ck_assert_ptr_nonnull(text);
    ck_assert_uint_eq(fread(text, 1, (size_t)size, file), (size_t)size);
    text[size] = '\0';
    fclose(file);
    *length = (size_t)size;
    return text;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(a, b);
}

int list_files(const char *folder, const char *suffix, char paths[][256], int capacity)
{
    DIR *directory = opendir(folder);
    ck_assert_msg(directory != NULL, "cannot open %s", folder);
    int count = 0;
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        size_t name = strlen(entry->d_name), end = strlen(suffix);
        if (name <= end || strcmp(entry->d_name + name - end, suffix) != 0) continue;
        ck_assert_int_lt(count, capacity);
        ck_assert_int_lt(snprintf(paths[count++], 256, "%s/%s", folder, entry->d_name), 256);
    }
    closedir(directory);
    qsort(paths, (size_t)count, 256, compare_paths);
    return count;
}

bool has_finding(const fixture *f, trx_severity severity, const char *words)
{
    for (int i = 0; i < trx_context_diagnostic_count(f->context); i++) {
        trx_diagnostic finding = trx_context_diagnostic(f->context, i);
        if (finding.severity == severity && strstr(finding.text, words)) return true;
    }
    return false;
}

void load_more(fixture *f, const char *rest)
{
    char text[4096];
    ck_assert_int_lt(snprintf(text, sizeof text, "%s%s", PUSH, rest), (int)sizeof text);
    load_good(f, text);
}

// ---- sandbox ----

sandbox sandbox_open(void)
{
    sandbox s = {.f = fixture_open()};
    temporary_path(s.folder, "tractrix-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(s.folder));
    return s;
}

const char *in_folder(sandbox *s, const char *name)
{
    snprintf(s->path, sizeof s->path, "%s/%s", s->folder, name);
    return s->path;
}

void write_file(sandbox *s, const char *name, const char *text)
{
    FILE *file = fopen(in_folder(s, name), "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

void sandbox_close(sandbox *s, const char *const *names, int count)
{
    for (int i = 0; i < count; i++) ck_assert_int_eq(remove(in_folder(s, names[i])), 0);
    ck_assert_int_eq(rmdir(s->folder), 0);
    fixture_close(&s->f);
}

trx_status load_push(sandbox *s, const char *rest)
{
    char text[8192], name[TEMPORARY_PATH + 16];
    snprintf(text, sizeof text, "%s%s", PUSH, rest);
    snprintf(name, sizeof name, "%s/problem.yaml", s->folder);
    trx_problem_destroy(s->f.problem);
    trx_context_clear(s->f.context);
    return trx_problem_load_text(s->f.context, name, text, strlen(text), NULL, &s->f.problem);
}

const trx_cost_term *plan_term(const sandbox *s, int index)
{
    static trx_plan_problem p;
    trx_plan_settings settings;
    ck_assert_msg(trx_problem_plan(s->f.problem, &p, &settings) == TRX_OK, "%s", trx_context_message(s->f.context));
    ck_assert_int_lt(index, p.nterm);
    return &p.terms[index];
}

// ---- desk ----

desk desk_open(const char *text)
{
    desk d = {0};
    ck_assert_int_eq(trx_context_create(NULL, &d.context), TRX_OK);
    d.pool = trxi_pool_create(d.context);
    ck_assert_ptr_nonnull(d.pool);
    trx_status status = trxi_yaml_parse(d.context, d.pool, "desk.yaml", text, strlen(text), &d.root);
    ck_assert_msg(status == TRX_OK, "%s", trx_context_message(d.context));
    d.reader = (trxi_reader){.context = d.context, .pool = d.pool, .root = d.root, .folder = "", .memory = true};
    return d;
}

void desk_close(desk *d)
{
    trxi_pool_destroy(d->pool);
    trx_context_destroy(d->context);
}

void assert_errors(const desk *d, const char *const *words, int count)
{
    int errors = trx_context_error_count(d->context);
    for (int i = 0; i < count && i < errors; i++) {
        const char *text = trx_context_diagnostic(d->context, i).text;
        ck_assert_msg(strstr(text, words[i]) != NULL, "error %d: '%s' is not in: %s", i, words[i], text);
    }
    ck_assert_msg(errors == count, "%d errors, expected %d; the first: %s", errors, count,
                  errors ? trx_context_diagnostic(d->context, 0).text : "none");
}
