#define _GNU_SOURCE
#include "CResidency.h"
#include <sys/types.h>
#include <sys/uio.h>

// In no header that Swift imports: preadv2(2), with the flag that it rather fails than waits.
bool cresidency_holds(int descriptor, int64_t offset) {
#ifdef RWF_NOWAIT
    char byte;
    struct iovec place = {&byte, 1};
    return preadv2(descriptor, &place, 1, (off_t)offset, RWF_NOWAIT) == 1;
#else
    (void)descriptor;
    (void)offset;
    return false;
#endif
}

int64_t cresidency_read(int descriptor, void *bytes, size_t count, int64_t offset) {
#ifdef RWF_NOWAIT
    struct iovec place = {bytes, count};
    return preadv2(descriptor, &place, 1, (off_t)offset, RWF_NOWAIT);
#else
    (void)descriptor;
    (void)bytes;
    (void)count;
    (void)offset;
    return -1;
#endif
}

#if defined(__linux__)
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

int cresidency_open(int directory, const char *path, int flags, bool below) {
    struct open_how how = {.flags = (uint64_t)flags, .resolve = RESOLVE_CACHED};
    if (below) how.resolve |= RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV;
    return (int)syscall(SYS_openat2, directory, path, &how, sizeof(how));
}

bool cresidency_is_local(const char *path) {
    struct statfs status;
    if (statfs(path, &status) != 0) return false;
    switch ((uint32_t)status.f_type) {
        case 0x0000EF53: // ext2, ext3, ext4
        case 0x58465342: // xfs
        case 0x9123683E: // btrfs
        case 0xF2F52010: // f2fs
        case 0x2FC12FC1: // zfs
        case 0x01021994: // tmpfs
        case 0x794C7630: // overlayfs, whose parts are nearly always local
            return true;
        default: return false;
    }
}
#else
bool cresidency_is_local(const char *path) {
    (void)path;
    return false;
}

int cresidency_open(int directory, const char *path, int flags, bool below) {
    (void)directory;
    (void)path;
    (void)flags;
    (void)below;
    return -1;
}
#endif

#if defined(__GLIBC__)
#include <malloc.h>

void cresidency_configure_allocator(void) {
    mallopt(M_MMAP_THRESHOLD, 256 << 10);
    mallopt(M_TRIM_THRESHOLD, 4 << 20);
}

int64_t cresidency_allocated(void) {
    struct mallinfo2 info = mallinfo2();
    return (int64_t)(info.uordblks + info.hblkhd);
}

void cresidency_trim(void) { malloc_trim(0); }
#else
void cresidency_configure_allocator(void) {}

int64_t cresidency_allocated(void) { return 0; }

void cresidency_trim(void) {}
#endif
