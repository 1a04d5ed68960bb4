// Maintains a copy of a folder in the state that a power cut would leave: each file with the content of its last sync, under
// the names that the folder had at its own last sync.
//
// Loaded with LD_PRELOAD. SYNCED_FROM is the folder, and SYNCED_TO the existing folder of the copy. Both paths are absolute and
// contain no links. Each name in the copy is a link to a file with the content, which is named by the inode number.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static void fail(const char *what) {
    fprintf(stderr, "synced_files: %s: %s\n", what, strerror(errno));
    abort();
}

// Copies the current content of the file. The copy may contain concurrent writes of other threads.
static void keep_file(int file, ino_t inode, const char *to) {
    char part[PATH_MAX], whole[PATH_MAX], own[64], buffer[1 << 16];
    snprintf(part, sizeof part, "%s/part", to);
    snprintf(whole, sizeof whole, "%s/%llu", to, (unsigned long long)inode);
    snprintf(own, sizeof own, "/proc/self/fd/%d", file);
    // Opened again, because the program may have opened the file only for writing.
    int in = open(own, O_RDONLY | O_CLOEXEC), out = open(part, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    if (in < 0 || out < 0) fail("open");
    off_t at = 0;
    for (ssize_t count; (count = pread(in, buffer, sizeof buffer, at)) != 0; at += count)
        if (count < 0 || write(out, buffer, (size_t)count) != count) fail("copy");
    close(in);
    close(out);
    if (rename(part, whole) != 0) fail("rename");
}

static void keep_names(const char *from, const char *to) {
    char path[PATH_MAX], target[32];
    DIR *names = opendir(to);
    if (!names) fail("opendir");
    for (struct dirent *entry; (entry = readdir(names));)
        if (entry->d_type == DT_LNK) unlinkat(dirfd(names), entry->d_name, 0);
    closedir(names);
    names = opendir(from);
    if (!names) fail("opendir");
    for (struct dirent *entry; (entry = readdir(names));) {
        if (entry->d_type != DT_REG) continue;
        snprintf(target, sizeof target, "%llu", (unsigned long long)entry->d_ino);
        snprintf(path, sizeof path, "%s/%s", to, entry->d_name);
        if (symlink(target, path) != 0) fail("symlink");
    }
    closedir(names);
}

static void keep(int file) {
    const char *from = getenv("SYNCED_FROM"), *to = getenv("SYNCED_TO");
    char own[64], path[PATH_MAX];
    struct stat status;
    if (!from || !to) return;
    snprintf(own, sizeof own, "/proc/self/fd/%d", file);
    ssize_t length = readlink(own, path, sizeof path - 1);
    if (length < 0 || fstat(file, &status) != 0) return;
    path[length] = 0;
    size_t folder = strlen(from);
    if (strncmp(path, from, folder) != 0 || (path[folder] != 0 && path[folder] != '/')) return;
    pthread_mutex_lock(&one_at_a_time);
    if (S_ISDIR(status.st_mode)) keep_names(from, to);
    if (S_ISREG(status.st_mode)) keep_file(file, status.st_ino, to);
    pthread_mutex_unlock(&one_at_a_time);
}

static int synced(long call, int file) {
    int result = (int)syscall(call, file), code = errno;
    if (result == 0) keep(file);
    errno = code;
    return result;
}

int fsync(int file) { return synced(SYS_fsync, file); }
int fdatasync(int file) { return synced(SYS_fdatasync, file); }
