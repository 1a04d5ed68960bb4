import CResidency
import Synchronization

/// The roots of content whose file system is known to be on this machine.
///
/// Only below these may an event loop open files: opening a file of a network file system waits for another machine.
final class LocalRoots: Sendable {
    private let known = Mutex<[String: Bool]>([:])
    private let isLocal: @Sendable (String) -> Bool

    /// - Parameter isLocal: Returns whether the file system of a path is local. It may wait.
    init(isLocal: @escaping @Sendable (String) -> Bool = { cresidency_is_local($0) }) {
        self.isLocal = isLocal
    }

    /// Returns whether a root has been examined and is local.
    func contains(_ root: String) -> Bool { known.withLock { $0[root] == true } }

    /// Examines a root once. Call this on a thread that may wait.
    func examine(_ root: String) {
        guard known.withLock({ $0[root] == nil }) else { return }
        let isLocal = isLocal(root)
        known.withLock { $0[root] = isLocal }
    }
}
