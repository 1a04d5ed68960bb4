import Synchronization

/// The documents that caches may give to anybody: whoever asks is given the same bytes as who asked first.
final class PublicDocuments: Sendable {
    private let known = Mutex<[String: [UInt8]]>([:])

    /// - Parameter name: of a document that does not change while the soak lasts.
    func isSame(_ name: String, _ bytes: [UInt8]) -> Bool {
        known.withLock { known in
            if let first = known[name] { return first == bytes }
            known[name] = bytes
            return true
        }
    }
}
