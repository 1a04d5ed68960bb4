// Moves the time of day of one process, for deploy/cluster. Preloaded with LD_PRELOAD. The file in CLUSTER_CLOCK contains the
// number of seconds as a 64-bit integer, and may change at any time. Clocks that measure durations are not moved, as when
// an operator sets the time.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *moved;
static int (*original)(clockid_t, struct timespec *);

__attribute__((constructor)) static void start(void) {
    original = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    const char *path = getenv("CLUSTER_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *mapped = mmap(NULL, sizeof *moved, PROT_READ, MAP_SHARED, file, 0);
    if (mapped != MAP_FAILED) moved = mapped;
    close(file);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    // Another library may read the time before this one is ready.
    if (!original) start();
    int status = original(clock, time);
    if (status == 0 && moved && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += *moved;
    return status;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    struct timespec now;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *seconds) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
    if (seconds) *seconds = now.tv_sec;
    return now.tv_sec;
}
