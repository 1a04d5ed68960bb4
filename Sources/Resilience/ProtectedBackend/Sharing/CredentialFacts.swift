import Foundation
public import Gatefold
import Synchronization

/// The credentials that each backend last confirmed, in this process or another. A process shares new passwords and
/// newly rejected passwords with the other processes.
///
/// The facts contain only a 16-bit mark of a keyed digest of the credentials. A mark suffices to distinguish a new
/// password from the previous one and is far too short to reveal a password. The number of entries is limited: the
/// oldest are removed and return at the next sign-in.
public final class CredentialFacts: Sendable {
    fileprivate struct Key: Hashable {
        let backend: String
        let subject: [UInt8]
    }

    fileprivate struct Known {
        var fingerprint: UInt16
        /// A Boolean value that indicates whether the credentials have not been rejected since.
        var isConfirmed = true
        /// The start of the query on the monotonic clock, or `nil` if another process reported the credentials.
        var queried: TimeInterval?
        var end: Date

        /// Returns whether these credentials are newer than the result of a query that started at the given time.
        func isLater(than queried: TimeInterval) -> Bool { self.queried.map { $0 > queried } ?? false }
    }

    /// A result about credentials.
    struct Observation {
        let fingerprint: UInt16
        let group: BackendResultStore.Group
        let backend: String
        /// The start of the query on the monotonic clock.
        let queried: TimeInterval
        /// The start of the query in civil time.
        let timestamp: Date
        let end: Date
    }

    fileprivate struct Contents {
        var recent: [Key: Known] = [:]
        var older: [Key: Known] = [:]
    }

    private let capacity: Int
    private let record: @Sendable (SharedFact) -> Void
    private let contents = Mutex(Contents())

    /// Creates an empty collection.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of stored facts. Default: 200,000.
    ///   - record: Receives the facts for other processes. Must return immediately.
    public init(capacity: Int = 200_000, record: @escaping @Sendable (SharedFact) -> Void = { _ in }) {
        self.capacity = capacity
        self.record = record
    }

    /// Records that a backend confirmed credentials of an identifier or of the authenticated subscriber.
    func confirm(_ observation: Observation) {
        let key = Key(backend: observation.backend, subject: observation.group.factSubject)
        contents.withLock { contents in
            let known = contents.known(key)
            if let known, known.isLater(than: observation.queried) { return }
            let same = known.flatMap { known in
                known.isConfirmed && known.fingerprint == observation.fingerprint && observation.timestamp < known.end
                    ? known : nil
            }
            contents.put(
                key,
                Known(
                    fingerprint: observation.fingerprint, queried: observation.queried,
                    end: same?.end ?? observation.end), capacity)
            // The fact is recorded under the lock so that facts of one ID keep their order.
            if same == nil { record(Self.fact(observation, isConfirmed: true)) }
        }
    }

    /// Records that a backend rejected credentials. A rejection matters only for the credentials that were last
    /// confirmed.
    func reject(_ observation: Observation) {
        let key = Key(backend: observation.backend, subject: observation.group.factSubject)
        contents.withLock { contents in
            guard var known = contents.known(key), known.isConfirmed, known.fingerprint == observation.fingerprint,
                !known.isLater(than: observation.queried)
            else { return }
            (known.isConfirmed, known.queried) = (false, observation.queried)
            contents.put(key, known, capacity)
            record(Self.fact(observation, isConfirmed: false))
        }
    }

    /// Records that the results about one subject, or about all, are no longer valid.
    func invalidate(_ subject: [UInt8], in backend: String, at timestamp: Date, until end: Date) {
        record(
            SharedFact(
                id: SharedFact.ID(kind: .invalidation, backend: backend, subject: subject), value: [],
                timestamp: timestamp, end: end))
    }

    /// Applies a fact of another process.
    public func follow(_ fact: SharedFact) {
        guard let credentials = ConfirmedCredentials(fact) else { return }
        let key = Key(backend: fact.id.backend, subject: fact.id.subject)
        contents.withLock { contents in
            if credentials.isConfirmed {
                contents.put(key, Known(fingerprint: credentials.fingerprint, end: fact.end), capacity)
            } else {
                contents.remove(key)
            }
        }
    }

    private static func fact(_ observation: Observation, isConfirmed: Bool) -> SharedFact {
        SharedFact(
            id: SharedFact.ID(kind: .credentials, backend: observation.backend, subject: observation.group.factSubject),
            value: [
                isConfirmed ? 1 : 0, UInt8(observation.fingerprint >> 8),
                UInt8(truncatingIfNeeded: observation.fingerprint),
            ],
            timestamp: observation.timestamp, end: observation.end)
    }
}

extension CredentialFacts.Contents {
    fileprivate func known(_ key: CredentialFacts.Key) -> CredentialFacts.Known? { recent[key] ?? older[key] }

    fileprivate mutating func put(_ key: CredentialFacts.Key, _ known: CredentialFacts.Known, _ capacity: Int) {
        if recent.count >= capacity / 2 { (older, recent) = (recent, [:]) }
        older[key] = nil
        recent[key] = known
    }

    fileprivate mutating func remove(_ key: CredentialFacts.Key) {
        recent[key] = nil
        older[key] = nil
    }
}

/// The content of a fact about credentials.
package struct ConfirmedCredentials: Sendable {
    package let group: BackendResultStore.Group
    package let fingerprint: UInt16
    /// A Boolean value that indicates whether the credentials were confirmed and not rejected.
    package let isConfirmed: Bool

    package init?(_ fact: SharedFact) {
        guard fact.id.kind == .credentials, let group = BackendResultStore.Group(factSubject: fact.id.subject),
            fact.value.count == 3
        else { return nil }
        self.group = group
        isConfirmed = fact.value[0] == 1
        fingerprint = UInt16(fact.value[1]) << 8 | UInt16(fact.value[2])
    }

    /// Returns whether this fact makes proofs with the given mark invalid.
    package func excludes(_ other: UInt16) -> Bool { isConfirmed == (other != fingerprint) }
}

extension BackendResultStore.Group {
    package var factSubject: [UInt8] {
        switch self {
        case .identifier(let number): [1] + number.bigEndianBytes
        case .subscriber(let number): [2] + number.bigEndianBytes
        }
    }

    package init?(factSubject: [UInt8]) {
        guard let number = UInt64(bigEndianBytes: factSubject.dropFirst()) else { return nil }
        switch factSubject.first {
        case 1: self = .identifier(number)
        case 2: self = .subscriber(number)
        default: return nil
        }
    }
}

extension UInt64 {
    fileprivate var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }

    fileprivate init?(bigEndianBytes bytes: some Collection<UInt8>) {
        guard bytes.count == 8 else { return nil }
        self = bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
