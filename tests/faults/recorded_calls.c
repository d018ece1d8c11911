// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A library for LD_PRELOAD that writes down all calls that change files, in their order, for a replay (power.py).
//
//     RECORD=FILE   one line for each call that succeeded, arguments separated by tabs
//
//     open FD FOLDER PATH FLAGS    close FD    fsync FD    write FD BYTES (hexadecimal)
//     mkdir PATH    rename FROM TO FLAGS    remove FOLDER PATH    (FOLDER: descriptor of a folder, -100 the current one)
//
// A line is complete before the call returns, so the lines of a killed process hold all its calls.

#define _GNU_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static FILE *record;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

// the function of this name in the libraries after this one
#define NEXT(function)                   \
    static __typeof__(&(function)) next; \
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, #function)

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("RECORD");
    if (path) record = fopen(path, "we");
}

// writes one line and keeps errno
static void note(const char *format, ...)
{
    if (!record) return;
    const int held = errno;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(record, format, arguments);
    va_end(arguments);
    fputc('\n', record);
    fflush(record);
    errno = held;
}

// mode of an open that may create
static mode_t mode_of(int flags, va_list more)
{
    return flags & O_CREAT ? va_arg(more, mode_t) : 0;
}

int openat64(int folder, const char *path, int flags, ...)
{
    NEXT(openat64);
    va_list more;
    va_start(more, flags);
    const mode_t mode = mode_of(flags, more);
    va_end(more);
    pthread_mutex_lock(&mutex);
    const int fd = next(folder, path, flags, mode);
    if (fd >= 0) note("open\t%d\t%d\t%s\t%d", fd, folder, path, flags);
    pthread_mutex_unlock(&mutex);
    return fd;
}

int open64(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    const mode_t mode = mode_of(flags, more);
    va_end(more);
    return openat64(AT_FDCWD, path, flags, mode);
}

ssize_t write(int fd, const void *bytes, size_t length)
{
    NEXT(write);
    pthread_mutex_lock(&mutex);
    const ssize_t written = next(fd, bytes, length);
    if (record && written > 0 && fd > 2 && fd != fileno(record)) {
        fprintf(record, "write\t%d\t", fd);
        for (ssize_t i = 0; i < written; i++) {
            const unsigned char byte = ((const unsigned char *)bytes)[i];
            fputc("0123456789abcdef"[byte >> 4], record);
            fputc("0123456789abcdef"[byte & 15], record);
        }
        note("%s", "");
    }
    pthread_mutex_unlock(&mutex);
    return written;
}

// a call that returns 0 on success, and is then recorded
#define RECORDED(name, parameters, arguments, ...) \
    int name parameters                            \
    {                                              \
        NEXT(name);                                \
        pthread_mutex_lock(&mutex);                \
        const int result = next arguments;         \
        if (result == 0) note(__VA_ARGS__);        \
        pthread_mutex_unlock(&mutex);              \
        return result;                             \
    }

RECORDED(fsync, (int fd), (fd), "fsync\t%d", fd)
RECORDED(close, (int fd), (fd), "close\t%d", fd)
RECORDED(mkdir, (const char *path, mode_t mode), (path, mode), "mkdir\t%s", path)
RECORDED(rename, (const char *from, const char *to), (from, to), "rename\t%s\t%s\t0", from, to)
RECORDED(renameat2, (int from_folder, const char *from, int to_folder, const char *to, unsigned flags),
         (from_folder, from, to_folder, to, flags), "rename\t%s\t%s\t%u", from, to, flags)
RECORDED(unlink, (const char *path), (path), "remove\t%d\t%s", AT_FDCWD, path)
RECORDED(rmdir, (const char *path), (path), "remove\t%d\t%s", AT_FDCWD, path)
RECORDED(unlinkat, (int folder, const char *path, int flags), (folder, path, flags), "remove\t%d\t%s", folder, path)
