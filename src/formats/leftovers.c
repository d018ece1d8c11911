// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Temporary files and folders of processes that were killed. The next process that writes the same target removes them.
//
// A temporary name ends in the number of its process, and this process holds a lock (flock) on the file or folder. The file or
// folder is a leftover when there is no such process and no lock. The lock protects the files of processes on other machines
// and in containers, whose numbers mean nothing here. A folder that was renamed away (`.NAME.old-PID`) is the only copy of an
// old run while the target does not exist, so it is then kept.

#define _GNU_SOURCE // flock

#include "formats/file_io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

bool trxi_is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

bool trxi_remove_tree(int parent, const char *name)
{
    if (unlinkat(parent, name, 0) == 0) return true;
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    if (!folder) {
        if (fd >= 0) close(fd);
        return false;
    }
    bool empty = true;
    for (const struct dirent *entry; (entry = readdir(folder));)
        if (!trxi_is_dots(entry->d_name) && !trxi_remove_tree(fd, entry->d_name)) empty = false;
    closedir(folder);
    return unlinkat(parent, name, AT_REMOVEDIR) == 0 && empty;
}

int trxi_lock(const char *path)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return -1;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return fd;
    close(fd);
    return -1;
}

void trxi_unlock(int lock)
{
    if (lock >= 0) close(lock);
}

// the process of `.NAME.tmp-PID[-n]` or `.NAME.old-PID[-n]`, 0 for other names
static pid_t process_of(const char *entry, const trxi_target *target)
{
    const size_t length = strlen(target->name);
    if (entry[0] != '.' || strncmp(entry + 1, target->name, length) != 0) return 0;
    const char *word = entry + 1 + length;
    if (strncmp(word, ".tmp-", 5) != 0 && !(target->exists && strncmp(word, ".old-", 5) == 0)) return 0;
    char *end;
    const long pid = strtol(word + 5, &end, 10);
    return pid > 0 && (*end == '\0' || *end == '-') ? (pid_t)pid : 0;
}

static bool is_gone(pid_t pid)
{
    return kill(pid, 0) != 0 && errno == ESRCH;
}

void trxi_remove_leftovers(trxi_pool *pool, const trxi_target *target)
{
    DIR *folder = opendir(target->parent);
    if (!folder) return;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        const pid_t pid = process_of(entry->d_name, target);
        if (pid == 0 || !is_gone(pid)) continue;
        const char *path = trxi_pool_printf(pool, "%s/%s", target->parent, entry->d_name);
        const int lock = path ? trxi_lock(path) : -1;
        if (lock >= 0) trxi_remove_tree(AT_FDCWD, path);
        trxi_unlock(lock);
    }
    closedir(folder);
}
