// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The contact law in the three places of the file: for all pairs (contact:), for one pair (override:), for one
// stage (continuation:). docs/problem_file.md, contact, lists the laws of each approximation and the numbers of
// each law.

#ifndef TRXI_PROBLEM_LAW_H
#define TRXI_PROBLEM_LAW_H

#include "problem/scene.h"

extern const char *const trxi_approximation_words[];
extern const char *const trxi_force_law_words[];
enum { TRXI_APPROXIMATION_WORDS = 5, TRXI_FORCE_LAW_WORDS = 6 };

/// Values given at one place; -1 and NAN for missing values. Words are indices into the tables above.
typedef struct trxi_law_entry {
    int approximation, force_law;
    double smoothing, stiffness, dissipation, relaxation_time, friction;
    double barrier, reach;
} trxi_law_entry;

trxi_law_entry trxi_law_nothing(void);

/// Rows for the law in the table of a record with the member `law`.
#define TRXI_LAW_FIELDS(record)                                                                     \
    TRXI_FIELD("approximation", TRXI_WORD, record, law.approximation, .words = trxi_approximation_words, \
               .count = TRXI_APPROXIMATION_WORDS),                                                  \
    TRXI_FIELD("force_law", TRXI_WORD, record, law.force_law, .words = trxi_force_law_words,        \
               .count = TRXI_FORCE_LAW_WORDS),                                                      \
    TRXI_FIELD("smoothing", TRXI_NOT_NEGATIVE, record, law.smoothing, .of = TRXI_OF_LENGTH)
#define TRXI_LAW_BARRIER_FIELDS(record)                                                             \
    TRXI_FIELD("barrier", TRXI_POSITIVE, record, law.barrier),                                      \
    TRXI_FIELD("reach", TRXI_POSITIVE, record, law.reach, .of = TRXI_OF_LENGTH)
#define TRXI_LAW_NUMBER_FIELDS(record)                                                              \
    TRXI_FIELD("stiffness", TRXI_NOT_NEGATIVE, record, law.stiffness, .of = TRXI_OF_STIFFNESS), \
    TRXI_FIELD("dissipation", TRXI_NOT_NEGATIVE, record, law.dissipation, .of = TRXI_OF_DISSIPATION), \
    TRXI_FIELD("relaxation_time", TRXI_NOT_NEGATIVE, record, law.relaxation_time, .of = TRXI_OF_RELAXATION), \
    TRXI_FIELD("friction", TRXI_NOT_NEGATIVE, record, law.friction, .of = TRXI_OF_FRICTION)

/// Checks the values of `node` with the values that it inherits, and fills in implied values: sap without a law is
/// kelvin_voigt. A stage (TRXI_FOR_PLAN) cannot have a barrier.
void trxi_law_check(trxi_reader *reader, const trxi_yaml_node *node, const trxi_law_entry *inherited, trxi_scope scope,
                    trxi_law_entry *law);

/// trx_force_law of a word, -1 for none.
int trxi_law_number(int force_law_word);

#endif
