import Crypto
import Foundation
import Gatefold

/// The cache key of a query: every input of its result.
///
/// Source: Pitfall 7, “A cache key that is too small”.
enum BackendQueryKey: Hashable, Sendable {
    /// The key of a subscription that depends on no request field. It is looked up for most requests, and costs no
    /// digest.
    case subscription(Subscriber)
    /// The key of a verdict that depends on no request field.
    case verdict(EditionID?, Subscriber)
    /// The key of any other query.
    case digest(BackendQueryDigest)
}

/// A keyed digest of every input of a query. The cache therefore stores nothing that a reader typed.
///
/// The digest has four numbers instead of a `SIMD4<UInt64>` because of a bug in Swift 6.3.1. An optimised asynchronous
/// function that holds a vector of 32 bytes across a suspension writes beyond its frame, and the server crashes.
/// `Fixtures/Compiler/WideVector.swift` reproduces the bug.
struct BackendQueryDigest: Hashable, Sendable {
    let first, second, third, fourth: UInt64

    init(_ first: UInt64, _ second: UInt64, _ third: UInt64, _ fourth: UInt64) {
        self.first = first
        self.second = second
        self.third = third
        self.fourth = fourth
    }

    fileprivate init(_ digest: HMAC<SHA256>.MAC) {
        self = digest.withUnsafeBytes { bytes in
            let number = { bytes.loadUnaligned(fromByteOffset: 8 * $0, as: UInt64.self) }
            return BackendQueryDigest(number(0), number(1), number(2), number(3))
        }
    }
}

extension Subscriber {
    /// The maximum length of the key and the upstream session of a subscriber in a cache key, in bytes.
    private static let maxLengthInKey = 512

    /// A Boolean value that indicates whether the subscriber can be part of a cache key. A longer one would take much
    /// memory.
    var isShort: Bool { key.utf8.count + (upstreamSession?.utf8.count ?? 0) <= Self.maxLengthInKey }
}

/// Creates cache keys under a secret key. The secret is the same in all processes of one configuration because they
/// exchange digests of credentials (see ``CredentialFacts``).
///
/// Two queries have the same key only if they agree in everything that the backend sees. The length of each part
/// precedes it, so that ("ab", "c") and ("a", "bc") differ.
struct BackendQueryKeys: Sendable {
    private let key: SymmetricKey
    private let backend: String

    /// Creates the keys of a backend.
    ///
    /// - Parameter secret: Unpredictable bytes.
    init(secret: [UInt8], backend: String) {
        key = SymmetricKey(data: secret)
        self.backend = backend
    }

    /// Returns the key of a query whose result is cached.
    ///
    /// - Parameter fields: The request fields that the result depends on.
    func key(of query: some CacheableQuery, _ fields: [String: String]) -> BackendQueryKey {
        if fields.isEmpty, let key = query.plainKey { return key }
        return .digest(digest(of: query, fields))
    }

    func key(of query: some BackendQuery, _ fields: [String: String]) -> BackendQueryKey {
        .digest(digest(of: query, fields))
    }

    private func digest<Query: BackendQuery>(of query: Query, _ fields: [String: String]) -> BackendQueryDigest {
        var parts = Parts()
        parts.add(backend)
        parts.add(Query.kind)
        query.add(to: &parts)
        parts.add(count: fields.count)
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            parts.add(name)
            parts.add(value)
        }
        return digest(parts)
    }

    /// Returns a digest of the proofs in typed credentials. The digest is the same for every spelling of the
    /// identifier.
    func proofs(of credentials: Credentials) -> UInt64 {
        var parts = Parts()
        parts.add("proofs")
        for name in credentials.names where name != credentials.identifierField {
            parts.add(name)
            parts.add(credentials[name])
        }
        return digest(parts).first
    }

    /// Returns a short mark that distinguishes a subject's proofs from its other proofs in other processes. The
    /// mark is too short to reveal the proofs, and two readers with the same password have different marks.
    func fingerprint(of proofs: UInt64, for group: BackendResultStore.Group) -> UInt16 {
        var parts = Parts()
        parts.add("mark")
        parts.bytes += group.factSubject
        withUnsafeBytes(of: proofs.littleEndian) { parts.bytes.append(contentsOf: $0) }
        return UInt16(truncatingIfNeeded: digest(parts).first)
    }

    func identifier(_ identifier: String) -> UInt64 {
        var parts = Parts()
        parts.add("identifier")
        parts.add(identifier)
        return digest(parts).first
    }

    private func digest(_ parts: Parts) -> BackendQueryDigest {
        BackendQueryDigest(HMAC<SHA256>.authenticationCode(for: parts.bytes, using: key))
    }

    /// The inputs of a query in an unambiguous form.
    struct Parts {
        fileprivate(set) var bytes: [UInt8] = []

        mutating func add(count: Int) {
            withUnsafeBytes(of: UInt64(count).littleEndian) { bytes.append(contentsOf: $0) }
        }

        mutating func add(_ text: String) {
            add(count: text.utf8.count)
            bytes.append(contentsOf: text.utf8)
        }

        mutating func add(_ text: String?) {
            bytes.append(text == nil ? 0 : 1)
            if let text { add(text) }
        }

        mutating func add(_ credentials: Credentials) {
            add(credentials.identifier)
            add(count: credentials.names.count)
            for name in credentials.names {
                add(name)
                add(credentials[name])
            }
        }

        mutating func add(_ subscriber: Subscriber) {
            add(subscriber.backend)
            add(subscriber.key)
            add(subscriber.upstreamSession)
        }
    }
}
