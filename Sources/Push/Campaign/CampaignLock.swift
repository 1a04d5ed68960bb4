import Crypto
import Foundation
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
        let name = Array(SHA256.hash(data: Data(campaign.utf8)).prefix(8)).hex
        path = "\(database).push-\(name).lock"
        descriptor = try Self.take(path, of: campaign, beside: database)
    }

    deinit {
        // Before it is free, so that nobody waits at a file that is no longer the lock.
        unlink(path)
        // Closing it alone would leave the lock to a child process that has not executed its program yet.
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    private static func take(_ path: String, of campaign: String, beside database: String) throws(PushStop) -> CInt {
        while true {
            let mode: mode_t = 0o600
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode)
            guard descriptor >= 0 else { throw unavailable() }
            give(descriptor, toOwnerOf: database)
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                close(descriptor)
                throw .underWay(campaign)
            }
            guard let mark = write(to: descriptor) else {
                let failure = unavailable()
                close(descriptor)
                throw failure
            }
            // Whoever had it may have taken the file away in between: what is at the path is then another's, or nothing.
            if FileManager.default.contents(atPath: path) == mark { return descriptor }
            close(descriptor)
        }
    }

    private static func unavailable() -> PushStop {
        .unavailable("its lock can not be made beside the state database: \(String(cString: strerror(errno)))")
    }

    /// What root makes must not keep out the server, which runs as the database's owner; SQLite does so for its own files.
    private static func give(_ descriptor: CInt, toOwnerOf database: String) {
        guard geteuid() == 0, let owner = try? FileManager.default.attributesOfItem(atPath: database),
            let user = owner[.ownerAccountID] as? Int, let group = owner[.groupOwnerAccountID] as? Int
        else { return }
        _ = fchown(descriptor, uid_t(clamping: user), gid_t(clamping: group))
    }

    /// Writes something that no other file has.
    ///
    /// - Returns: nil when it can not be written.
    private static func write(to descriptor: CInt) -> Data? {
        let mark = Data((0..<16).map { _ in UInt8.random(in: .min ... .max) })
        let written = mark.withUnsafeBytes { bytes in
            ftruncate(descriptor, 0) == 0 ? pwrite(descriptor, bytes.baseAddress, bytes.count, 0) : -1
        }
        return written == mark.count ? mark : nil
    }
}
