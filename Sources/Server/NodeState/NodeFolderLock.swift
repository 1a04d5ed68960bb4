import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// A lock that permits one process at a time in the folder of a node. Two processes would overwrite each other's journal
/// of revocations.
///
/// flock(2) also releases the lock when its process dies.
final class NodeFolderLock: Sendable {
    private let descriptor: CInt

    /// - Parameter folder: The folder of the node.
    /// - Throws: ``NodeFolderError``.
    init(folder: String) throws(NodeFolderError) {
        descriptor = open(folder + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .cannotLock(folder, code: errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw errno == EWOULDBLOCK ? .inUse(folder) : .cannotLock(folder, code: errno)
        }
    }

    deinit {
        guard descriptor >= 0 else { return }
        // Unlock explicitly: after close alone, a forked child process that has not yet executed its program would
        // still hold the lock.
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}

/// The reason that a process cannot use the folder of a node.
enum NodeFolderError: Error, Equatable, CustomStringConvertible {
    case inUse(String)
    case cannotLock(String, code: CInt)

    var description: String {
        switch self {
        case .inUse(let folder):
            "another server uses the folder \(folder); expected a `state.folder` of its own for each node"
        case .cannotLock(let folder, let code): "\(folder)/lock cannot be locked: \(String(cString: strerror(code)))"
        }
    }
}
