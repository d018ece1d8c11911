// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A library for LD_PRELOAD under which one kind of call fails: the n-th call alone, or all from the n-th on.
//
//     FAIL_CALL=KIND   allocation, open, read, write, fsync, rename or close
//     FAIL_FROM=N      the first call that fails, from 1; 0: none
//     FAIL_COUNT=N     how many calls fail; 0: all that follow
//     FAIL_ERRNO=N     errno of a failing call; -1: write and read serve half of the bytes instead
//     FAIL_LOG=FILE    at the end: the number of calls of the kind, and of blocks that were never released
//
// The settings are read before main, and only calls after that count. An allocation fails with NULL and ENOMEM. A close that
// fails has closed the descriptor, as Linux does.

#define _GNU_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

static const char *kind = "";
static long first, count;
static int error;
static atomic_long calls, blocks;
static atomic_bool ready;

// the function of this name in the libraries after this one
#define NEXT(function)                     \
    static __typeof__(&(function)) next;   \
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, #function)

static long setting(const char *name)
{
    const char *text = getenv(name);
    return text ? atol(text) : 0;
}

__attribute__((constructor)) static void begin(void)
{
    kind = getenv("FAIL_CALL") ? getenv("FAIL_CALL") : "";
    first = setting("FAIL_FROM"), count = setting("FAIL_COUNT");
    error = (int)setting("FAIL_ERRNO");
    ready = true;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("FAIL_LOG");
    ready = false;
    // the buffer of stdout is a block that glibc keeps; an end without a word on stdout has none
    const bool has_buffer = __fbufsize(stdout) > 1;
    FILE *log = path ? fopen(path, "w") : NULL;
    if (!log) return;
    fprintf(log, "%ld %ld\n", (long)calls, (long)blocks - has_buffer);
    fclose(log);
}

// counts a call, and says whether this call fails
static bool fails(const char *name)
{
    if (!ready || strcmp(kind, name) != 0) return false;
    const long call = ++calls;
    if (first == 0 || call < first || (count > 0 && call >= first + count)) return false;
    if (error >= 0) errno = error;
    return true;
}

static bool no_memory(void)
{
    if (!fails("allocation")) return false;
    errno = ENOMEM;
    return true;
}

// counts a block that was taken after the start
static void *taken(void *block)
{
    if (ready && block) blocks++;
    return block;
}

void *malloc(size_t size)
{
    return no_memory() ? NULL : taken(__libc_malloc(size));
}

void *calloc(size_t number, size_t size)
{
    return no_memory() ? NULL : taken(__libc_calloc(number, size));
}

void *realloc(void *block, size_t size)
{
    if (no_memory()) return NULL;
    void *grown = __libc_realloc(block, size);
    return block ? grown : taken(grown);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return no_memory() ? NULL : taken(__libc_memalign(alignment, size));
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    if (no_memory()) return ENOMEM;
    *block = taken(__libc_memalign(alignment, size));
    return *block ? 0 : ENOMEM;
}

void free(void *block)
{
    if (ready && block) blocks--;
    __libc_free(block);
}

// mode of an open that may create
static mode_t mode_of(int flags, va_list more)
{
    return flags & O_CREAT ? va_arg(more, mode_t) : 0;
}

int open64(const char *path, int flags, ...)
{
    NEXT(open64);
    va_list more;
    va_start(more, flags);
    const mode_t mode = mode_of(flags, more);
    va_end(more);
    return fails("open") ? -1 : next(path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...)
{
    NEXT(openat64);
    va_list more;
    va_start(more, flags);
    const mode_t mode = mode_of(flags, more);
    va_end(more);
    return fails("open") ? -1 : next(folder, path, flags, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
    NEXT(fopen64);
    return fails("open") ? NULL : next(path, mode);
}

ssize_t read(int fd, void *bytes, size_t length)
{
    NEXT(read);
    if (!fails("read")) return next(fd, bytes, length);
    return error < 0 ? next(fd, bytes, (length + 1) / 2) : -1;
}

ssize_t write(int fd, const void *bytes, size_t length)
{
    NEXT(write);
    if (!fails("write")) return next(fd, bytes, length);
    return error < 0 ? next(fd, bytes, (length + 1) / 2) : -1;
}

int fsync(int fd)
{
    NEXT(fsync);
    return fails("fsync") ? -1 : next(fd);
}

int rename(const char *from, const char *to)
{
    NEXT(rename);
    return fails("rename") ? -1 : next(from, to);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
    NEXT(renameat2);
    return fails("rename") ? -1 : next(from_folder, from, to_folder, to, flags);
}

int close(int fd)
{
    NEXT(close);
    const bool failed = fails("close");
    const int held = errno, result = next(fd);
    if (failed) errno = held;
    return failed ? -1 : result;
}
