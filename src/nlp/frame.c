// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Frames between two processes of one machine. A head of three words precedes the words of a frame:
//
//     magic number and kind | number of words | checksum of kind, number and words (like FNV-1a, by words)
//
// Both sides have the same byte order. A write to a process that is gone is a result, not a signal.

#include "nlp/frame.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <sys/socket.h>
#include <tractrix/context.h>

static const uint64_t MAGIC = UINT64_C(0x74727866) << 32; // "trxf"

static uint64_t checksum(uint32_t kind, const uint64_t *words, size_t count)
{
    const uint64_t prime = UINT64_C(0x100000001b3);
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    sum = (sum ^ kind) * prime;
    sum = (sum ^ count) * prime;
    for (size_t i = 0; i < count; i++) {
        sum = (sum ^ words[i]) * prime;
        sum ^= sum >> 29;
    }
    return sum;
}

// waits until the socket is ready. A pause of this process (Ctrl-Z, a machine that sleeps) moves the deadline, because the other
// side could not be heard meanwhile
static trxi_frame_result wait_for(int socket, short events, double *deadline)
{
    const double longest = 0.1; // one wait, the accuracy of a pause [s]
    for (;;) {
        const double begun = trx_clock(), wait = fmin(longest, *deadline - begun);
        if (!(wait > 0)) return TRXI_FRAME_LATE;
        struct pollfd entry = {.fd = socket, .events = events};
        const int ready = poll(&entry, 1, (int)ceil(1e3 * wait));
        if (ready > 0) return TRXI_FRAME_OK;
        if (ready < 0 && errno != EINTR) return TRXI_FRAME_CLOSED;
        *deadline += fmax(0, trx_clock() - begun - wait);
    }
}

static bool must_wait(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

static trxi_frame_result send_bytes(int socket, const void *data, size_t size, double *deadline)
{
    for (const char *next = data; size > 0;) {
        const ssize_t sent = send(socket, next, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) {
            next += sent;
            size -= (size_t)sent;
            continue;
        }
        if (sent < 0 && !must_wait()) return TRXI_FRAME_CLOSED;
        trxi_frame_result result = wait_for(socket, POLLOUT, deadline);
        if (result != TRXI_FRAME_OK) return result;
    }
    return TRXI_FRAME_OK;
}

static trxi_frame_result receive_bytes(int socket, void *data, size_t size, double *deadline)
{
    for (char *next = data; size > 0;) {
        const ssize_t got = recv(socket, next, size, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && !must_wait())) return TRXI_FRAME_CLOSED;
        if (got > 0) {
            next += got;
            size -= (size_t)got;
            continue;
        }
        trxi_frame_result result = wait_for(socket, POLLIN, deadline);
        if (result != TRXI_FRAME_OK) return result;
    }
    return TRXI_FRAME_OK;
}

trxi_frame_result trxi_frame_send(int socket, uint32_t kind, const uint64_t *words, size_t count, double deadline)
{
    const uint64_t head[3] = {MAGIC | kind, count, checksum(kind, words, count)};
    trxi_frame_result result = send_bytes(socket, head, sizeof head, &deadline);
    return result == TRXI_FRAME_OK ? send_bytes(socket, words, count * sizeof *words, &deadline) : result;
}

trxi_frame_result trxi_frame_receive(int socket, uint32_t *kind, uint64_t *words, size_t capacity, size_t *count, double deadline)
{
    uint64_t head[3];
    trxi_frame_result result = receive_bytes(socket, head, sizeof head, &deadline);
    if (result != TRXI_FRAME_OK) return result;
    *kind = (uint32_t)head[0];
    if ((head[0] ^ *kind) != MAGIC || head[1] > capacity) return TRXI_FRAME_BROKEN;
    *count = (size_t)head[1];
    result = receive_bytes(socket, words, *count * sizeof *words, &deadline);
    if (result != TRXI_FRAME_OK) return result;
    return checksum(*kind, words, *count) == head[2] ? TRXI_FRAME_OK : TRXI_FRAME_BROKEN;
}
