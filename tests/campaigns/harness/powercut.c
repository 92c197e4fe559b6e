/* Loaded into a store by LD_PRELOAD: notes for each file how much of it was there when a sync of it succeeded.
 *
 * Whatever was written behind that is what a power cut may take. A line of the note is the file's inode and that
 * length. The length is taken before the sync, so that it never covers what was written during it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void note(const struct stat *file) {
    static int to = -1;
    char line[64];
    if (to < 0) {
        const char *path = getenv("POWERCUT_NOTE");
        if (path == NULL || (to = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600)) < 0) abort();
    }
    int length = snprintf(line, sizeof line, "%llu %lld\n", (unsigned long long)file->st_ino, (long long)file->st_size);
    if (write(to, line, (size_t)length) != length) abort();
}

static int synced(int fd, const char *name) {
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    struct stat before;
    int is_file = fstat(fd, &before) == 0 && S_ISREG(before.st_mode);
    int result = real(fd);
    if (result == 0 && is_file) note(&before);
    return result;
}

int fsync(int fd) { return synced(fd, "fsync"); }

int fdatasync(int fd) { return synced(fd, "fdatasync"); }
