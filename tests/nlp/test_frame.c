// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Frames arrive as they were sent, also in pieces and when they are longer than the socket's buffer; damage, silence and a
// closed socket are told apart.

#define _GNU_SOURCE
#include "nlp/frame.h"
#include "support/support.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <tractrix/context.h>
#include <unistd.h>

static int ends[2];

static void open_ends(void)
{
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
}

static void close_ends(void)
{
    close(ends[0]);
    close(ends[1]);
}

enum { LONG = 1 << 18 };

static void *send_long(void *words)
{
    return trxi_frame_send(ends[0], 7, words, LONG, INFINITY) == TRXI_FRAME_OK ? words : NULL;
}

START_TEST(frames_arrive_as_they_were_sent)
{
    uint64_t *words = malloc(LONG * sizeof *words), *got = malloc(LONG * sizeof *got), none[1];
    uint32_t kind = 0;
    size_t count;
    void *sent;
    pthread_t thread;
    for (size_t i = 0; i < LONG; i++) words[i] = trxi_word(sqrt((double)i));
    ck_assert_int_eq(pthread_create(&thread, NULL, send_long, words), 0);
    ck_assert_int_eq(trxi_frame_receive(ends[1], &kind, got, LONG, &count, INFINITY), TRXI_FRAME_OK);
    pthread_join(thread, &sent);
    ck_assert_ptr_nonnull(sent);
    ck_assert(kind == 7 && count == LONG && memcmp(words, got, LONG * sizeof *words) == 0);
    ck_assert(trxi_number(got[2]) == sqrt(2));

    // a frame without words
    ck_assert_int_eq(trxi_frame_send(ends[0], 3, NULL, 0, INFINITY), TRXI_FRAME_OK);
    ck_assert_int_eq(trxi_frame_receive(ends[1], &kind, none, 0, &count, INFINITY), TRXI_FRAME_OK);
    ck_assert(kind == 3 && count == 0);
    free(words);
    free(got);
}
END_TEST

// one bit in each part of a frame
START_TEST(damage_is_seen)
{
    for (size_t byte = 0; byte < 5 * 8; byte++) {
        char frame[5 * 8];
        uint64_t words[2] = {1, 2}, got[2];
        uint32_t kind;
        size_t count;
        ck_assert_int_eq(trxi_frame_send(ends[0], 5, words, 2, INFINITY), TRXI_FRAME_OK);
        ck_assert_int_eq(recv(ends[1], frame, sizeof frame, MSG_WAITALL), (int)sizeof frame);
        frame[byte] ^= 1;
        ck_assert_int_eq(send(ends[0], frame, sizeof frame, 0), (int)sizeof frame);
        trxi_frame_result result = trxi_frame_receive(ends[1], &kind, got, 2, &count, trx_clock() + 0.05);
        ck_assert_msg(result == TRXI_FRAME_BROKEN || result == TRXI_FRAME_LATE, "byte %zu: %d", byte, (int)result);
        close_ends();
        open_ends();
    }
}
END_TEST

START_TEST(silence_and_a_closed_socket_are_told_apart)
{
    uint64_t word = 0;
    uint32_t kind;
    size_t count;
    double start = trx_clock();
    ck_assert_int_eq(trxi_frame_receive(ends[1], &kind, &word, 1, &count, start + 0.05), TRXI_FRAME_LATE);
    ck_assert(trx_clock() - start >= 0.05 && trx_clock() - start < 2);
    close(ends[0]);
    ck_assert_int_eq(trxi_frame_receive(ends[1], &kind, &word, 1, &count, INFINITY), TRXI_FRAME_CLOSED);
    ck_assert_int_eq(trxi_frame_send(ends[1], 1, &word, 1, INFINITY), TRXI_FRAME_CLOSED);
    open_ends();
}
END_TEST

// Ctrl-Z for longer than Ipopt's silence, and then fg: the plan had lost its solver
START_TEST(a_pause_of_the_receiver_is_no_silence)
{
    const pid_t receiver = fork();
    if (receiver == 0) {
        uint64_t word = 0;
        uint32_t kind;
        size_t count;
        _exit((int)trxi_frame_receive(ends[1], &kind, &word, 1, &count, trx_clock() + 0.5));
    }
    const struct timespec moment = {0, 100000000};
    nanosleep(&moment, NULL);
    ck_assert_int_eq(kill(receiver, SIGSTOP), 0);
    for (int i = 0; i < 8; i++) nanosleep(&moment, NULL);
    ck_assert_int_eq(kill(receiver, SIGCONT), 0);
    nanosleep(&moment, NULL);
    const uint64_t word = 4;
    int code;
    ck_assert_int_eq(trxi_frame_send(ends[0], 1, &word, 1, INFINITY), TRXI_FRAME_OK);
    ck_assert(waitpid(receiver, &code, 0) == receiver && WIFEXITED(code));
    ck_assert_int_eq(WEXITSTATUS(code), TRXI_FRAME_OK);
}
END_TEST

// nobody reads
START_TEST(a_full_socket_is_late)
{
    uint64_t *words = calloc(LONG, sizeof *words);
    ck_assert_int_eq(trxi_frame_send(ends[0], 1, words, LONG, trx_clock() + 0.05), TRXI_FRAME_LATE);
    free(words);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("nlp/frame");
    TCase *cases = tcase_create("frame");
    tcase_add_checked_fixture(cases, open_ends, close_ends);
    tcase_add_test(cases, frames_arrive_as_they_were_sent);
    tcase_add_test(cases, damage_is_seen);
    tcase_add_test(cases, silence_and_a_closed_socket_are_told_apart);
    tcase_add_test(cases, a_pause_of_the_receiver_is_no_silence);
    tcase_add_test(cases, a_full_socket_is_late);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
