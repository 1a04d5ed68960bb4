import Synchronization

/// The documents in public caches. Every client must receive the same bytes.
final class PublicDocuments: Sendable {
    private let known = Mutex<[String: [UInt8]]>([:])

    /// - Parameter name: The name of a document that does not change during the soak.
    func isSame(_ name: String, _ bytes: [UInt8]) -> Bool {
        known.withLock { known in
            if let first = known[name] { return first == bytes }
            known[name] = bytes
            return true
        }
    }
}
