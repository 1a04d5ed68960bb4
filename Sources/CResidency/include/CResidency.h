#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether the byte of a file is in the system's memory, so that reading it waits for no disk. False where the system can not say.
bool cresidency_holds(int descriptor, int64_t offset);

/// Reads the bytes of a file that are in the system's memory, and returns their number. It waits for no disk: it returns fewer
/// bytes, or -1, where it would, and -1 where the system can not say.
int64_t cresidency_read(int descriptor, void *bytes, size_t count, int64_t offset);

/// Opens a file whose path is in the system's memory, and returns its descriptor. It returns -1 where it would wait for a
/// disk to find the file, and -1 where the system can not say. A file system on another machine may still be asked to open the
/// file that was found: see `cresidency_is_local`.
///
/// With `below`, the path must stay below the directory and on its file system, and contain no symbolic link.
int cresidency_open(int directory, const char *path, int flags, bool below);

/// Whether the file system of a path is on this machine and its files can be opened without asking another program. It may
/// wait.
bool cresidency_is_local(const char *path);

/// Configures the C library's allocator. Call it before anything large is allocated. Does nothing where the C library has no such
/// settings.
///
/// Blocks from 256 KB on are given back to the system as soon as they are freed, also after larger ones were in use: by itself
/// the C library raises that limit to 32 MB. Of smaller blocks, up to 4 MB at the end of each heap are retained, instead of
/// 128 KB: the bodies of 64 files of 20 KB need more, and giving their pages back and taking them again costs a quarter of such
/// a download.
void cresidency_configure_allocator(void);

/// The bytes that the program has allocated and not freed; 0 where the C library can not say.
int64_t cresidency_allocated(void);

/// Gives freed memory back to the system, as far as it can be.
void cresidency_trim(void);
