// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Paths of meshes: relative, absolute, file://, and packages wherever they may lie.

#define _XOPEN_SOURCE 700 // mkdtemp

#include "import/mesh_path.h"
#include "support/folders.h"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// a small world of folders: ws/pkg_a/{package.xml,meshes/m.stl,urdf/}, ws/other/m.stl, ws/elsewhere/meshes/m.stl
static char base[TEMPORARY_PATH];

typedef struct fixture {
    trx_context *context;
    trxi_pool *pool;
    trxi_draft *draft;
} fixture;

static void make_file(const char *path)
{
    char full[400];
    snprintf(full, sizeof full, "%s/%s", base, path);
    for (char *slash = full + strlen(base) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(full, 0700);
        *slash = '/';
    }
    FILE *file = fopen(full, "w");
    ck_assert(file != NULL);
    fclose(file);
}

static void make_world(void)
{
    temporary_path(base, "tractrix_paths_XXXXXX");
    ck_assert(mkdtemp(base) != NULL);
    make_file("ws/pkg_a/package.xml");
    make_file("ws/pkg_a/meshes/m.stl");
    make_file("ws/pkg_a/urdf/robot.urdf");
    make_file("ws/other/m.stl");
    make_file("ws/elsewhere/meshes/m.stl");
    unsetenv("ROS_PACKAGE_PATH");
}

static void remove_world(void)
{
    remove_all(base);
    unsetenv("ROS_PACKAGE_PATH");
}

static fixture begin(const char *package)
{
    static char robot[400];
    static const char *packages[1];
    fixture f = {0};
    trx_import_options options = trx_import_options_default();
    snprintf(robot, sizeof robot, "%s/ws/pkg_a/urdf/robot.urdf", base);
    packages[0] = package;
    options.packages = packages;
    options.npackage = package != NULL;
    ck_assert_int_eq(trx_context_create(NULL, &f.context), TRX_OK);
    f.pool = trxi_pool_create(f.context);
    f.draft = trxi_draft_create(f.context, f.pool, robot, &options);
    return f;
}

static void end(fixture *f)
{
    trxi_pool_destroy(f->pool);
    trx_context_destroy(f->context);
}

// the path of `uri` without the base, or the reason why it has none
static void assert_path(fixture *f, const char *uri, const char *folder, const char *expected)
{
    const char *why = NULL, *path = trxi_mesh_path(f->draft, uri, folder, &why);
    ck_assert_msg(path != NULL, "%s: %s", uri, why);
    ck_assert_msg(strncmp(path, base, strlen(base)) == 0, "%s leads to %s", uri, path);
    ck_assert_str_eq(path + strlen(base) + 1, expected);
}

static void assert_nowhere(fixture *f, const char *uri, const char *part)
{
    const char *why = NULL, *path = trxi_mesh_path(f->draft, uri, NULL, &why);
    ck_assert_msg(path == NULL, "%s leads to %s", uri, path);
    ck_assert_msg(strstr(why, part) != NULL, "\"%s\" does not say \"%s\"", why, part);
}

START_TEST(paths_are_relative_to_the_robots_file_or_to_a_folder)
{
    fixture f = begin(NULL);
    char folder[400], absolute[400], uri[410];
    snprintf(folder, sizeof folder, "%s/ws/elsewhere", base);
    snprintf(absolute, sizeof absolute, "%s/ws/other/m.stl", base);
    snprintf(uri, sizeof uri, "file://%s", absolute);
    assert_path(&f, "../meshes/m.stl", NULL, "ws/pkg_a/urdf/../meshes/m.stl");
    assert_path(&f, "meshes/m.stl", folder, "ws/elsewhere/meshes/m.stl");
    assert_path(&f, absolute, NULL, "ws/other/m.stl");
    assert_path(&f, uri, folder, "ws/other/m.stl");
    assert_path(&f, "file://../meshes/m.stl", NULL, "ws/pkg_a/urdf/../meshes/m.stl");
    assert_nowhere(&f, "meshes/m.stl", "there is no file");
    assert_nowhere(&f, "..", "there is no file"); // a folder is none
    assert_nowhere(&f, "model://arm/m.stl", "is not served: write a path, package://NAME/PATH or file://PATH");
    end(&f);
}
END_TEST

START_TEST(packages_are_found_upwards_by_name_and_by_package_xml)
{
    fixture f = begin(NULL);
    // by the name of the folder, two levels up and then down; by package.xml whatever the name
    assert_path(&f, "package://other/m.stl", NULL, "ws/pkg_a/urdf/../../other/m.stl");
    assert_path(&f, "package://any_name/meshes/m.stl", NULL, "ws/pkg_a/urdf/../meshes/m.stl");
    assert_nowhere(&f, "package://any_name/nothing.stl", "--package any_name=DIR");
    assert_nowhere(&f, "package://any_name", "names no file: write package://NAME/PATH");
    assert_nowhere(&f, "package:///m.stl", "names no file");
    end(&f);
}
END_TEST

START_TEST(packages_of_the_options_win_over_the_environment_and_both_over_the_way_up)
{
    char package[400], path[900];
    snprintf(package, sizeof package, "pkg_a=%s/ws/elsewhere", base);
    fixture f = begin(package);
    assert_path(&f, "package://pkg_a/meshes/m.stl", NULL, "ws/elsewhere/meshes/m.stl");
    assert_nowhere(&f, "package://pkg_a/meshes/n.stl", "ws/elsewhere, given by --package, has no meshes/n.stl");
    end(&f);

    // an entry that contains the package, after one that does not exist
    snprintf(path, sizeof path, "/nowhere::%s/ws/", base);
    setenv("ROS_PACKAGE_PATH", path, 1);
    f = begin(NULL);
    assert_path(&f, "package://elsewhere/meshes/m.stl", NULL, "ws/elsewhere/meshes/m.stl");
    assert_path(&f, "package://pkg_a/meshes/m.stl", NULL, "ws/pkg_a/meshes/m.stl");
    end(&f);

    // an entry that is the package
    snprintf(path, sizeof path, "%s/ws/elsewhere", base);
    setenv("ROS_PACKAGE_PATH", path, 1);
    f = begin(package);
    assert_path(&f, "package://elsewhere/meshes/m.stl", NULL, "ws/elsewhere/meshes/m.stl");
    assert_nowhere(&f, "package://elsewhere/meshes/n.stl", "is in no folder of the package");
    end(&f);
}
END_TEST

START_TEST(a_wrong_folder_of_the_right_name_does_no_harm)
{
    char package[400];
    snprintf(package, sizeof package, "other=%s/ws/elsewhere", base);
    fixture f = begin(package);
    assert_path(&f, "package://other/m.stl", NULL, "ws/pkg_a/urdf/../../other/m.stl");
    end(&f);
}
END_TEST

START_TEST(a_package_that_no_folder_has_is_guessed_by_the_end_of_the_path)
{
    fixture f = begin(NULL);
    const char *path = trxi_mesh_path_by_end(f.draft, "package:///share/robots/other/m.stl");
    ck_assert(path != NULL);
    ck_assert_str_eq(path + strlen(base) + 1, "ws/pkg_a/urdf/../../other/m.stl");
    path = trxi_mesh_path_by_end(f.draft, "package://robots/ws/elsewhere/meshes/m.stl"); // the longest end wins
    ck_assert_str_eq(path + strlen(base) + 1, "ws/pkg_a/urdf/../../../ws/elsewhere/meshes/m.stl");
    path = trxi_mesh_path_by_end(f.draft, "/home/nobody/robots/other/m.stl"); // of another machine
    ck_assert(path != NULL);
    ck_assert_str_eq(path + strlen(base) + 1, "ws/pkg_a/urdf/../../other/m.stl");
    ck_assert(trxi_mesh_path_by_end(f.draft, "/n.stl") == NULL);
    ck_assert(trxi_mesh_path_by_end(f.draft, "package://robots/n.stl") == NULL);
    ck_assert(trxi_mesh_path_by_end(f.draft, "other/m.stl") == NULL);
    ck_assert(trxi_mesh_path_by_end(f.draft, "file://other/m.stl") == NULL);
    ck_assert(trxi_mesh_path_by_end(f.draft, "$(arg folder") == NULL);
    end(&f);
}
END_TEST

START_TEST(then_by_its_name_alone_beside_the_robot_or_in_its_folder_of_meshes)
{
    // files of xacro without the values of arguments, and packages whose folders have other names
    static const char *const uris[] = {"$(arg mesh_folder)/m.stl", "package://m.stl", "package://gone/visual/m.stl", "/m.stl"};
    fixture f = begin(NULL);
    for (int i = 0; i < 4; i++) {
        const char *path = trxi_mesh_path_by_end(f.draft, uris[i]);
        ck_assert_msg(path != NULL, "%s", uris[i]);
        ck_assert_str_eq(path + strlen(base) + 1, "ws/pkg_a/urdf/../meshes/m.stl");
    }
    end(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/mesh_path");
    TCase *tests = tcase_create("mesh_path");
    tcase_add_checked_fixture(tests, make_world, remove_world);
    tcase_add_test(tests, paths_are_relative_to_the_robots_file_or_to_a_folder);
    tcase_add_test(tests, packages_are_found_upwards_by_name_and_by_package_xml);
    tcase_add_test(tests, packages_of_the_options_win_over_the_environment_and_both_over_the_way_up);
    tcase_add_test(tests, a_wrong_folder_of_the_right_name_does_no_harm);
    tcase_add_test(tests, a_package_that_no_folder_has_is_guessed_by_the_end_of_the_path);
    tcase_add_test(tests, then_by_its_name_alone_beside_the_robot_or_in_its_folder_of_meshes);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
