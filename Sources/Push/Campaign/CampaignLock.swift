import Crypto
import Gatefold

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Keeps two processes, such as a server and an operator, from sending one campaign at once. flock(2) frees it also when
/// its process dies; otherwise its file is gone with it.
package final class CampaignLock: Sendable {
    private let path: String
    private let descriptor: CInt

    /// - Parameter database: the state database's path, beside which the lock lies.
    /// - Throws: ``PushStop/underWay(_:)``, or ``PushStop/unavailable(_:)`` where it can not be made.
    package init(_ campaign: String, beside database: String) throws(PushStop) {
        var digest = SHA256()
        Array(campaign.utf8).withUnsafeBytes { digest.update(bufferPointer: $0) }
        let name = Array(digest.finalize().prefix(8)).hex
        path = "\(database).push-\(name).lock"
        descriptor = try Self.take(path, of: campaign, beside: database)
    }

    deinit {
        // Before it is free, so that nobody waits at a file that is no longer the lock.
        unlink(path)
        close(descriptor)
    }

    private static func take(_ path: String, of campaign: String, beside database: String) throws(PushStop) -> CInt {
        while true {
            let mode: mode_t = 0o600
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode)
            guard descriptor >= 0 else {
                throw .unavailable(
                    "its lock can not be made beside the state database: \(String(cString: strerror(errno)))")
            }
            give(descriptor, toOwnerOf: database)
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                close(descriptor)
                throw .underWay(campaign)
            }
            // Whoever had it may have taken the file away in between.
            if isStill(descriptor, at: path) { return descriptor }
            close(descriptor)
        }
    }

    /// What root makes must not keep out the server, which runs as the database's owner; SQLite does so for its own files.
    private static func give(_ descriptor: CInt, toOwnerOf database: String) {
        var owner = stat()
        guard geteuid() == 0, stat(database, &owner) == 0 else { return }
        _ = fchown(descriptor, owner.st_uid, owner.st_gid)
    }

    private static func isStill(_ descriptor: CInt, at path: String) -> Bool {
        var (held, found) = (stat(), stat())
        return fstat(descriptor, &held) == 0 && lstat(path, &found) == 0 && held.st_ino == found.st_ino
            && held.st_dev == found.st_dev
    }
}
