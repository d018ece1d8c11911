// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Frames between two processes over a socket: a kind, a number of 8-byte words, and a checksum.

#ifndef TRXI_NLP_FRAME_H
#define TRXI_NLP_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum trxi_frame_result {
    TRXI_FRAME_OK,
    TRXI_FRAME_CLOSED, // the other side is gone
    TRXI_FRAME_LATE,   // nothing came in time
    TRXI_FRAME_BROKEN, // wrong magic number, length or checksum
} trxi_frame_result;

/// Sends `count` words. Waits until `deadline` (trx_clock [s]) while the socket is full. Pauses of this process do not count.
trxi_frame_result trxi_frame_send(int socket, uint32_t kind, const uint64_t *words, size_t count, double deadline);

/// Receives a frame of at most `capacity` words.
trxi_frame_result trxi_frame_receive(int socket, uint32_t *kind, uint64_t *words, size_t capacity, size_t *count, double deadline);

/// A number as a word, and back.
static inline uint64_t trxi_word(double number)
{
    union {
        double number;
        uint64_t word;
    } both = {.number = number};
    return both.word;
}

static inline double trxi_number(uint64_t word)
{
    union {
        uint64_t word;
        double number;
    } both = {.word = word};
    return both.number;
}

#endif
