import Crypto
import Foundation
import Gatefold

#if canImport(Glibc)
    import Glibc
#endif

/// Keeps two processes, such as a server and an operator, from sending one campaign at once. flock(2) frees it also when
/// its process dies.
package final class CampaignLock: Sendable {
    private let descriptor: CInt

    /// - Parameters:
    ///   - path: the state database's, beside which the lock lies.
    /// - Throws: ``PushStop/underWay(_:)``.
    package init(_ campaign: String, beside path: String) throws(PushStop) {
        let name = Array(SHA256.hash(data: Data(campaign.utf8))).prefix(8).map { $0 }.hex
        let mode: mode_t = 0o600
        descriptor = open("\(path).push-\(name).lock", O_RDWR | O_CREAT | O_CLOEXEC, mode)
        guard descriptor >= 0 else {
            throw .unavailable(
                "its lock can not be made beside the state database: \(String(cString: strerror(errno)))")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw .underWay(campaign)
        }
    }

    deinit {
        close(descriptor)
    }
}
