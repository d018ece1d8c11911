// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Common parts of the tests of mesh readers: parsing of bytes that end where their memory ends, exact errors, damage, memory
// that runs out at each allocation. A reader is a function of the same arguments as trxi_obj_parse.

#ifndef TESTS_FORMATS_MESHES_H
#define TESTS_FORMATS_MESHES_H

#include "support/parser.h"

#include <tractrix/geometry.h>

typedef trx_status mesh_reader(trx_context *, trxi_pool *, const char *, const char *, size_t, trx_mesh *);

/// The mesh of good bytes; the test fails when they are refused.
trx_mesh read_good(mesh_reader *reader, const char *data, size_t length);

/// Fails unless the bytes are refused with exactly one error, "LINE:COLUMN: TEXT".
void assert_bad(mesh_reader *reader, const char *data, size_t length, const char *error);

/// Fails unless the mesh is the tetrahedron of the origin and the three unit points: 4 vertices, 4 triangles that are
/// closed and look outwards, with volume `volume` and centre of mass `com`.
void assert_tetrahedron(const trx_mesh *mesh, double volume, const double com[3]);

/// Damaged copies of good bytes, some of them cut: every one is a mesh with valid triangles, or one error.
void assert_damage_is_harmless(mesh_reader *reader, const char *data, size_t length);

/// Writes a number of 1 to 8 bytes in the order of a little or of a big machine; returns its bytes.
size_t put_number(char *out, const void *number, size_t size, bool big);

/// Each allocation fails once; nothing is lost.
void assert_memory_is_kept(mesh_reader *reader, const char *data, size_t length);

#endif
