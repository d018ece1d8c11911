// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Journals in memory; see journal.h. A record is
//
//     kind, whether it is a state, number of bytes of its items     (record_head)
//     items: number of bytes, bytes
//
// in the byte order of the machine. A journal is only read on the kind of machine and by the version that wrote it, because the
// computation would have other bits elsewhere.

#include "formats/journal.h"

#include "formats/npz.h"
#include "formats/sha256.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <tractrix/version.h>

typedef struct record_head {
    int32_t kind, is_state;
    uint64_t bytes;
} record_head;

trxi_journal trxi_journal_create(trx_context *context)
{
    return (trxi_journal){.bytes = trxi_text_create(context)};
}

void trxi_journal_destroy(trxi_journal *journal)
{
    if (journal->bytes.context) trxi_text_destroy(&journal->bytes);
}

void trxi_journal_clear(trxi_journal *journal)
{
    trxi_text_clear(&journal->bytes);
    journal->next = journal->kept = 0;
    journal->closed = false;
}

// ---- visitors ----

static void write_item(trxi_visitor *visitor, void *data, size_t bytes)
{
    const uint64_t size = bytes;
    trxi_text_append(visitor->out, &size, sizeof size);
    trxi_text_append(visitor->out, data, bytes);
}

static void read_item(trxi_visitor *visitor, void *data, size_t bytes)
{
    uint64_t size = 0;
    visitor->fits = visitor->fits && visitor->left >= sizeof size;
    if (visitor->fits) memcpy(&size, visitor->in, sizeof size);
    visitor->fits = visitor->fits && size == bytes && visitor->left - sizeof size >= bytes;
    if (!visitor->fits) return;
    if (bytes > 0) memcpy(data, visitor->in + sizeof size, bytes);
    visitor->in += sizeof size + bytes;
    visitor->left -= sizeof size + bytes;
}

void trxi_visit_into(trxi_text *out, trxi_visit_function visit, void *object)
{
    visit(&(trxi_visitor){.item = write_item, .out = out, .fits = true}, object);
}

// ---- reading ----

// the head of the record at `at`; false when no whole record is there
static bool find_record(const trxi_journal *journal, size_t at, record_head *head)
{
    const size_t left = journal->bytes.length - at;
    if (left < sizeof *head) return false;
    memcpy(head, journal->bytes.data + at, sizeof *head);
    return head->bytes <= left - sizeof *head;
}

static void cut(trxi_journal *journal, size_t length)
{
    if (length < journal->bytes.length) journal->bytes.length = length;
}

bool trxi_journal_load(trxi_journal *journal, const void *bytes, size_t length, unsigned ends)
{
    trxi_journal_clear(journal);
    trxi_text_append(&journal->bytes, bytes, length);
    if (journal->bytes.status < 0) return false;
    size_t at = 0, end = 0;
    for (record_head head; find_record(journal, at, &head);) {
        const size_t start = at;
        at += sizeof head + (size_t)head.bytes;
        if (head.kind < 0 || head.kind > 31 || !(ends & 1u << head.kind)) continue;
        end = at;
        journal->kept = head.is_state ? start : at;
    }
    if (at != length) trxi_journal_clear(journal);
    cut(journal, end);
    return at == length;
}

bool trxi_journal_recalls(const trxi_journal *journal)
{
    return journal->next < journal->bytes.length;
}

bool trxi_journal_recall(trxi_journal *journal, int kind, trxi_visit_function visit, void *object)
{
    record_head head;
    if (!find_record(journal, journal->next, &head) || head.kind != kind) return false;
    const char *items = journal->bytes.data + journal->next + sizeof head;
    trxi_visitor visitor = {.item = read_item, .in = items, .left = (size_t)head.bytes, .fits = true};
    visit(&visitor, object);
    if (!visitor.fits || visitor.left > 0) return false;
    journal->next += sizeof head + (size_t)head.bytes;
    return true;
}

// ---- writing ----

// appends a record after the records that are kept
static void append(trxi_journal *journal, record_head head, trxi_visit_function visit, void *object)
{
    if (journal->closed) return;
    trxi_text *out = &journal->bytes;
    cut(journal, journal->next < journal->kept ? journal->next : journal->kept);
    const size_t start = out->length;
    trxi_text_append(out, &head, sizeof head);
    trxi_visit_into(out, visit, object);
    if (out->status < 0) return;
    head.bytes = out->length - start - sizeof head;
    memcpy(out->data + start, &head, sizeof head);
    journal->next = out->length;
    journal->kept = head.is_state ? start : out->length;
}

void trxi_journal_keep(trxi_journal *journal, int kind, trxi_visit_function visit, void *object)
{
    append(journal, (record_head){.kind = kind}, visit, object);
}

void trxi_journal_keep_state(trxi_journal *journal, int kind, trxi_visit_function visit, void *object)
{
    append(journal, (record_head){.kind = kind, .is_state = 1}, visit, object);
}

// ---- bytes ----

typedef struct saved_head {
    char name[48], version[24], inputs[65];
    double seconds;
} saved_head;

static saved_head head_of(const trxi_journal_head *from)
{
    saved_head h;
    memset(&h, 0, sizeof h);
    snprintf(h.name, sizeof h.name, "tractrix progress of a %s", from->what);
    snprintf(h.version, sizeof h.version, "%s", trx_version());
    memcpy(h.inputs, from->inputs, sizeof h.inputs);
    h.seconds = from->seconds;
    return h;
}

trx_status trxi_journal_identify(trx_context *context, trxi_visit_function visit, void *object, char hash[65])
{
    trxi_text inputs = trxi_text_create(context);
    trxi_visit_into(&inputs, visit, object);
    const trx_status status = inputs.status;
    if (status >= 0) trxi_sha256(trxi_text_get(&inputs), inputs.length, hash);
    trxi_text_destroy(&inputs);
    return status;
}

trx_status trxi_journal_pack(const trxi_journal *journal, const trxi_journal_head *head, trxi_text *out)
{
    const saved_head h = head_of(head);
    trxi_text_clear(out);
    trxi_text_append(out, &h, sizeof h);
    trxi_text_append(out, trxi_text_get(&journal->bytes), journal->bytes.length);
    const uint32_t sum = trxi_crc32(0, trxi_text_get(out), out->length);
    trxi_text_append(out, &sum, sizeof sum);
    return journal->bytes.status < 0 ? journal->bytes.status : out->status;
}

trx_status trxi_journal_unpack(trx_context *context, trxi_journal *journal, const void *bytes, size_t length, unsigned ends,
                               trxi_journal_head *head)
{
    const saved_head own = head_of(head);
    saved_head h;
    uint32_t sum;
    bool whole = bytes && length >= sizeof h + sizeof sum;
    if (whole) memcpy(&h, bytes, sizeof h);
    if (whole) memcpy(&sum, (const char *)bytes + length - sizeof sum, sizeof sum);
    whole = whole && memcmp(h.name, own.name, sizeof h.name) == 0 && sum == trxi_crc32(0, bytes, length - sizeof sum);
    if (!whole) return trxi_fail(context, TRX_ERR_INPUT, "this is not the progress of a %s, or it is damaged", head->what);
    if (memcmp(h.version, own.version, sizeof h.version) != 0)
        return trxi_fail(context, TRX_ERR_INPUT, "the progress was saved by version %.23s, but this is version %s: only the same "
                         "version goes on with the same bits", h.version, own.version);
    if (memcmp(h.inputs, own.inputs, sizeof h.inputs) != 0)
        return trxi_fail(context, TRX_ERR_INPUT, "the progress belongs to another problem, start, guess or setting");
    head->seconds = h.seconds;
    if (trxi_journal_load(journal, (const char *)bytes + sizeof h, length - sizeof h - sizeof sum, ends)) return TRX_OK;
    return trxi_fail(context, journal->bytes.status < 0 ? TRX_ERR_MEMORY : TRX_ERR_INPUT, "the progress could not be read");
}
