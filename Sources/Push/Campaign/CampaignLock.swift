import Crypto
import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A lock that prevents two processes, such as a server and an operator's command, from sending one campaign at the
/// same time. flock(2) releases it when its process dies. Otherwise the lock deletes its file.
package final class CampaignLock: Sendable {
    private let path: String
    private let descriptor: CInt

    /// - Parameter database: The path of the state database. The lock file is next to it.
    /// - Throws: ``PushCampaignError/alreadyRunning(_:)``, or ``PushCampaignError/unavailable(_:)`` if the lock file cannot be created.
    package init(_ campaign: String, alongside database: String) throws(PushCampaignError) {
        let name = Array(SHA256.hash(data: Data(campaign.utf8)).prefix(8)).hex
        path = "\(database).push-\(name).lock"
        descriptor = try Self.take(path, of: campaign, alongside: database)
    }

    deinit {
        // The file is deleted before the unlock, so that no process waits on a file that is no longer the lock.
        unlink(path)
        // A close alone would leave the lock with a child process that has not executed its program yet.
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    private static func take(_ path: String, of campaign: String, alongside database: String) throws(PushCampaignError)
        -> CInt
    {
        while true {
            let mode: mode_t = 0o600
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode)
            guard descriptor >= 0 else { throw unavailable() }
            changeOwner(descriptor, toOwnerOf: database)
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                close(descriptor)
                throw .alreadyRunning(campaign)
            }
            guard let marker = write(to: descriptor) else {
                let failure = unavailable()
                close(descriptor)
                throw failure
            }
            // The previous owner may have deleted the file meanwhile. The path then names another file or none.
            if FileManager.default.contents(atPath: path) == marker { return descriptor }
            close(descriptor)
        }
    }

    private static func unavailable() -> PushCampaignError {
        .unavailable("its lock cannot be created beside the state database: \(String(cString: strerror(errno)))")
    }

    /// Gives the file to the database's owner, because a file of root must not lock out the server, which runs as
    /// that owner. SQLite does the same for its own files.
    private static func changeOwner(_ descriptor: CInt, toOwnerOf database: String) {
        guard geteuid() == 0, let owner = try? FileManager.default.attributesOfItem(atPath: database),
            let user = owner[.ownerAccountID] as? Int, let group = owner[.groupOwnerAccountID] as? Int
        else { return }
        _ = fchown(descriptor, uid_t(clamping: user), gid_t(clamping: group))
    }

    /// Writes a marker that is unique to this file.
    ///
    /// - Returns: Nil when the file is not writable.
    private static func write(to descriptor: CInt) -> Data? {
        let marker = Data((0..<16).map { _ in UInt8.random(in: .min ... .max) })
        let written = marker.withUnsafeBytes { bytes in
            ftruncate(descriptor, 0) == 0 ? pwrite(descriptor, bytes.baseAddress, bytes.count, 0) : -1
        }
        return written == marker.count ? marker : nil
    }
}
