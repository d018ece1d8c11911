// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Processes are started, talk over their socket, are ended, and say how they ended.

#include "nlp/child.h"
#include "support/support.h"

#include <signal.h>
#include <string.h>
#include <time.h>
#include <sys/socket.h>
#include <tractrix/context.h>
#include <unistd.h>

static char text[256];

START_TEST(a_process_reads_and_writes_its_socket)
{
    trxi_child child;
    char got[4] = "";
    ck_assert_msg(trxi_child_start("/bin/sh", &child, text, sizeof text), "%s", text);
    ck_assert_int_eq(send(child.socket, "echo abc >&0\n", 13, 0), 13);
    ck_assert_int_eq(recv(child.socket, got, 4, MSG_WAITALL), 4);
    ck_assert(memcmp(got, "abc\n", 4) == 0);
    trxi_child_stop(&child, text, sizeof text);
    ck_assert_str_eq(text, "exit code 0");
    ck_assert_int_eq(child.pid, 0);
    trxi_child_stop(&child, text, sizeof text);
}
END_TEST

START_TEST(the_end_is_told)
{
    trxi_child child;
    ck_assert(trxi_child_start("/bin/false", &child, text, sizeof text));
    trxi_child_stop(&child, text, sizeof text);
    ck_assert_str_eq(text, "exit code 1");
    ck_assert(trxi_child_start("/bin/sh", &child, text, sizeof text));
    kill(child.pid, SIGKILL);
    trxi_child_stop(&child, text, sizeof text);
    ck_assert_str_eq(text, "killed by signal 9 (Killed)");
}
END_TEST

// a process that does not look at its socket
START_TEST(a_process_that_does_not_end_is_killed)
{
    trxi_child child;
    ck_assert(trxi_child_start("/bin/sh", &child, text, sizeof text));
    ck_assert_int_eq(send(child.socket, "exec sleep 1000 </dev/null\n", 27, 0), 27);
    const pid_t pid = child.pid;
    const struct timespec moment = {0, 50000000};
    nanosleep(&moment, NULL);
    double start = trx_clock();
    trxi_child_stop(&child, text, sizeof text);
    assert_below(trx_clock() - start, 5);
    ck_assert_str_eq(text, "killed by signal 9 (Killed)");
    ck_assert_int_ne(kill(pid, 0), 0);
}
END_TEST

START_TEST(a_program_that_is_not_there_is_named)
{
    trxi_child child;
    ck_assert(!trxi_child_start("/nowhere/program", &child, text, sizeof text));
    ck_assert_str_eq(text, "No such file or directory");
    ck_assert_int_eq(child.pid, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("nlp/child");
    TCase *cases = tcase_create("child");
    tcase_add_test(cases, a_process_reads_and_writes_its_socket);
    tcase_add_test(cases, the_end_is_told);
    tcase_add_test(cases, a_process_that_does_not_end_is_killed);
    tcase_add_test(cases, a_program_that_is_not_there_is_named);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
