"""A file system of limited size for each database, so that a full disk affects nothing else."""

import os
import pathlib
import shutil
import subprocess

SIZE = 3_000_000_000


def create(folder, image):
    """Mounts a file system in a file on the folder, and returns whether this machine allows it."""
    folder.mkdir(exist_ok=True)
    if os.geteuid() != 0 or not shutil.which("mkfs.ext4"):
        return False
    with open(image, "wb") as file:
        file.truncate(SIZE)
    try:
        subprocess.run(["mkfs.ext4", "-q", "-m", "0", image], check=True, stderr=subprocess.DEVNULL)
        subprocess.run(["mount", "-o", "loop", image, folder], check=True, stderr=subprocess.DEVNULL)
    except subprocess.CalledProcessError:
        image.unlink()
        return False
    return True


def fill(folder):
    """Uses all free space of the file system."""
    with open(folder / "filler", "wb", buffering=0) as file:
        for size in (1 << 20, 1 << 12):
            try:
                while True:
                    free = os.statvfs(folder)
                    length = max(size, free.f_bavail * free.f_frsize // 2)
                    end = file.seek(0, os.SEEK_END)
                    os.posix_fallocate(file.fileno(), end, length)
            except OSError:
                # Less than this size is free.
                pass


def free(folder):
    (folder / "filler").unlink(missing_ok=True)


def remove(run):
    """Unmounts the file systems of a run."""
    mounted = [line.split()[1] for line in pathlib.Path("/proc/mounts").read_text().splitlines()]
    for point in mounted:
        if pathlib.Path(point).parent == run:
            if subprocess.run(["umount", point], stderr=subprocess.DEVNULL).returncode:
                # A process that still ends holds it. It is released with the last one.
                subprocess.run(["umount", "--lazy", point], stderr=subprocess.DEVNULL)
