import Crypto
package import Foundation

/// The relation of a write to other writes that run at the same time.
package enum StateIsolation: Sendable {
    /// The write takes effect as if no other ran at the same time.
    case serializable
    /// No other write with the same lock runs at the same time. For frequent writes that read and change the rows of one
    /// subject: writes about different subjects then never conflict.
    case locked(StateLock)
    /// Statements of other writes may run between those of this write.
    case statements
}

/// A lock that lasts until the end of a transaction.
package struct StateLock: Sendable, Hashable {
    /// The topic and the subject.
    let parts: [Data]

    /// - Parameters:
    ///   - topic: The kind of subject.
    ///   - subject: The parts of the subject's key.
    package init(_ topic: String, _ subject: Data...) { parts = [Data(topic.utf8)] + subject }

    /// Returns the number of the lock among those of a schema. Different locks may have the same number, which costs time
    /// but no correctness.
    func number(in schema: String) -> Int64 {
        var digest = SHA256()
        for part in [Data(schema.utf8)] + parts {
            withUnsafeBytes(of: UInt64(part.count).bigEndian) { digest.update(bufferPointer: $0) }
            digest.update(data: part)
        }
        return digest.finalize().prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }
}
