// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A journal of a long computation. After an interruption the computation continues from its journal, with the same bits.
//
// The computation runs again from its beginning. A part with a record in the journal is read instead of computed, so only the
// last, unfinished part costs time. The computation must give the same bits every time, and its parts must come in the same
// order. The state of the loops around the parts is then not recorded, because the loops take the same branches again.
//
// A record is either kept for good, or it is the state of the unfinished part, which the next record replaces.

#ifndef TRXI_FORMATS_JOURNAL_H
#define TRXI_FORMATS_JOURNAL_H

#include "formats/text.h"

/// Copies the items of an object to a record or from a record, in the order of the object's visit function.
typedef struct trxi_visitor trxi_visitor;
struct trxi_visitor {
    void (*item)(trxi_visitor *visitor, void *data, size_t bytes);
    trxi_text *out;      // of a visitor that writes
    const char *in;      // of a visitor that reads: the rest of the record
    size_t left;         // bytes of this rest
    bool fits;           // every item has had the size that the record expects
};

typedef void (*trxi_visit_function)(trxi_visitor *visitor, void *object);

/// One item of `bytes` bytes.
static inline void trxi_visit(trxi_visitor *visitor, void *data, size_t bytes)
{
    visitor->item(visitor, data, bytes);
}

/// One item: a number, or a struct of numbers.
#define TRXI_VISIT(visitor, number) trxi_visit(visitor, &(number), sizeof(number))

/// Items of `count` doubles; NULL is none.
static inline void trxi_visit_doubles(trxi_visitor *visitor, double *data, size_t count)
{
    if (data) trxi_visit(visitor, data, count * sizeof *data);
}

typedef struct trxi_journal {
    trxi_text bytes; // records, one after the other; its status tells whether memory is out
    size_t next;     // start of the record that is recalled next; at the end while recording
    size_t kept;     // end of the records that are kept
    bool closed;     // later records are dropped, because an uninterrupted computation would not have them
} trxi_journal;

trxi_journal trxi_journal_create(trx_context *context);
void trxi_journal_destroy(trxi_journal *journal);

/// Empties the journal and opens it.
void trxi_journal_clear(trxi_journal *journal);

/// Makes `bytes` the content and returns to the first record. Records after the last record of a kind in `ends` (bit set) are
/// dropped. Returns false when the bytes are no sequence of records, or when memory is out; the journal is then empty.
bool trxi_journal_load(trxi_journal *journal, const void *bytes, size_t length, unsigned ends);

/// Whether there is a record to recall.
bool trxi_journal_recalls(const trxi_journal *journal);

/// Reads the next record into `object` if it has this kind (0 to 31); false otherwise, or when the record does not fit.
bool trxi_journal_recall(trxi_journal *journal, int kind, trxi_visit_function visit, void *object);

/// Appends a record that is kept, or the state of an unfinished part. Records that were not recalled are dropped.
void trxi_journal_keep(trxi_journal *journal, int kind, trxi_visit_function visit, void *object);
void trxi_journal_keep_state(trxi_journal *journal, int kind, trxi_visit_function visit, void *object);

/// The computation that a journal belongs to.
typedef struct trxi_journal_head {
    const char *what; // "plan"
    char inputs[65];  // hash of the inputs of the computation
    double seconds;   // time used so far [s]
} trxi_journal_head;

/// The hash of the items of an object. Errors: MEMORY.
trx_status trxi_journal_identify(trx_context *context, trxi_visit_function visit, void *object, char hash[65]);

/// A journal as bytes: its head with the version of the library, the records, and the CRC-32 of both. Errors: MEMORY.
trx_status trxi_journal_pack(const trxi_journal *journal, const trxi_journal_head *head, trxi_text *out);

/// Loads bytes from trxi_journal_pack if they belong to the computation of `head` and to this version, and reads head->seconds.
/// Errors: INPUT, MEMORY.
trx_status trxi_journal_unpack(trx_context *context, trxi_journal *journal, const void *bytes, size_t length, unsigned ends,
                               trxi_journal_head *head);

/// Writes the items of an object to a text.
void trxi_visit_into(trxi_text *out, trxi_visit_function visit, void *object);

#endif
