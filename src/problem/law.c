// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Combinations of approximation, law and numbers; see law.h. An error is reported at the second of two incompatible
// keys, or at the only key when the other value is inherited.

#include "problem/law.h"

#include <math.h>

enum { HUNT_CROSSLEY, HERTZ, KELVIN_VOIGT, SMOOTHED, LOG_BARRIER, IPC };

const char *const trxi_approximation_words[TRXI_APPROXIMATION_WORDS] = {"lagged", "lagged_regularized", "similar",
                                                                        "similar_regularized", "sap"};
const char *const trxi_force_law_words[TRXI_FORCE_LAW_WORDS] = {"hunt_crossley", "hertz",       "kelvin_voigt",
                                                                "smoothed",      "log_barrier", "ipc"};

trxi_law_entry trxi_law_nothing(void)
{
    return (trxi_law_entry){-1, -1, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
}

int trxi_law_number(int word)
{
    static const int numbers[] = {TRX_HUNT_CROSSLEY, TRX_HERTZ, TRX_KELVIN_VOIGT, TRX_SMOOTHED, TRX_LOG_BARRIER, TRX_IPC};
    return word < 0 ? -1 : numbers[word];
}

// the later of `key` and of the keys that chose the law
static trx_source second_key(const trxi_yaml_node *node, const char *key)
{
    static const char *const choosing[] = {"approximation", "force_law"};
    trx_source source = trxi_key_source(node, key);
    for (int i = 0; i < 2; i++)
        if (trxi_yaml_get(node, choosing[i]) && trxi_source_after(trxi_key_source(node, choosing[i]), source))
            source = trxi_key_source(node, choosing[i]);
    return source;
}

static void check_numbers(trxi_reader *reader, const trxi_yaml_node *node, const trxi_law_entry *law, int word,
                          double smoothing, bool sap)
{
    const char *name = sap ? "kelvin_voigt, the law of sap" : trxi_force_law_words[word];
    bool dissipates = word == HUNT_CROSSLEY || word == HERTZ || word == SMOOTHED;
    if (!isnan(law->dissipation) && !dissipates)
        trxi_error_at(reader->context, second_key(node, "dissipation"), "dissipation does not serve %s%s", name,
                      word == KELVIN_VOIGT ? ": write relaxation_time" : ": remove it");
    if (!isnan(law->relaxation_time) && word != KELVIN_VOIGT)
        trxi_error_at(reader->context, second_key(node, "relaxation_time"), "relaxation_time does not serve %s%s", name,
                      dissipates ? ": write dissipation" : ": remove it");
    if (law->smoothing > 0 && word != SMOOTHED)
        trxi_error_at(reader->context, second_key(node, "smoothing"),
                      "smoothing does not serve %s: write force_law: smoothed, or remove it", name);
    if (word == SMOOTHED && !(smoothing > 0) && (law->force_law >= 0 || !isnan(law->smoothing)))
        trxi_error_at(reader->context, trxi_key_source(node, law->force_law >= 0 ? "force_law" : "smoothing"),
                      "smoothed needs a smoothing length: add smoothing: 0.001 or another above 0");
}

// a barrier has its own two numbers and no stiffness
static void check_barrier(trxi_reader *reader, const trxi_yaml_node *node, const trxi_law_entry *law,
                          const trxi_law_entry *inherited,
                          int word)
{
    const bool barrier = word == LOG_BARRIER || word == IPC;
    const struct {
        const char *key;
        double value, inherited;
        const char *example;
    } keys[] = {{"barrier", law->barrier, inherited->barrier, word == IPC ? "1.0e4 [N/m]" : "0.001 [J]"},
                {"reach", law->reach, inherited->reach, "0.001 [m]"}};
    for (int i = 0; i < 2; i++) {
        if (!barrier && !isnan(keys[i].value))
            trxi_error_at(reader->context, second_key(node, keys[i].key),
                          "%s does not serve %s: write force_law: ipc or log_barrier, or remove it", keys[i].key,
                          trxi_force_law_words[word]);
        bool missing = isnan(keys[i].inherited) && !trxi_yaml_get(node, keys[i].key);
        if (barrier && missing && trxi_yaml_get(node, "force_law"))
            trxi_error_at(reader->context, trxi_key_source(node, "force_law"), "%s needs %s: add %s: %s or another above 0",
                          trxi_force_law_words[word], keys[i].key, keys[i].key, keys[i].example);
    }
    if (barrier && !isnan(law->stiffness))
        trxi_error_at(reader->context, second_key(node, "stiffness"), "stiffness does not serve %s: write barrier",
                      trxi_force_law_words[word]);
}

void trxi_law_check(trxi_reader *reader, const trxi_yaml_node *node, const trxi_law_entry *inherited, trxi_scope scope,
                    trxi_law_entry *law)
{
    int approximation = law->approximation >= 0 ? law->approximation : inherited->approximation;
    bool sap = approximation == TRX_SAP;
    if (sap && law->approximation >= 0 && law->force_law < 0) law->force_law = KELVIN_VOIGT;
    int word = law->force_law >= 0 ? law->force_law : inherited->force_law;

    if (sap && word != KELVIN_VOIGT) {
        trxi_error_at(reader->context, second_key(node, "force_law"),
                      "sap takes only kelvin_voigt, not %s: write force_law: kelvin_voigt, or another approximation",
                      trxi_force_law_words[word]);
        return;
    }
    check_numbers(reader, node, law, word, isnan(law->smoothing) ? inherited->smoothing : law->smoothing, sap);
    const trxi_yaml_node *written = trxi_yaml_get(node, "force_law");
    if (scope == TRXI_FOR_PLAN && written && (word == LOG_BARRIER || word == IPC))
        trxi_not_served(reader, scope, written, trxi_force_law_words[word]);
    else
        check_barrier(reader, node, law, inherited, word);
}
