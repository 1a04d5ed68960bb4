import Crypto
import Foundation
import Gatefold
import Primitives

/// The cache key of a query: a keyed digest of every input of its result. The cache therefore stores nothing that a
/// reader typed.
///
/// The key has four numbers instead of a `SIMD4<UInt64>` because of a bug in Swift 6.3.1. An optimised asynchronous
/// function that holds a vector of 32 bytes across a suspension writes beyond its frame, and the server crashes.
/// `Fixtures/Compiler/WideVector.swift` reproduces the bug.
///
/// Source: Pitfall 7, “A cache key that is too small”.
struct BackendQueryKey: Hashable, Sendable {
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
            return BackendQueryKey(number(0), number(1), number(2), number(3))
        }
    }
}

/// Creates cache keys under a secret key. The secret is the same in all processes of one configuration because they
/// exchange digests of credentials (see ``CredentialFacts``).
///
/// Two queries have the same key only if they agree in everything that the backend sees. The length of each part
/// precedes it, so that ("ab", "c") and ("a", "bc") differ.
struct BackendQueryKeys: Sendable {
    /// The maximum length of a subscriber key and its upstream session, in bytes, for which the cache key is
    /// cached.
    private static let maxCachedLength = 512

    private struct Known: Hashable {
        let edition: EditionID?
        let isVerdict: Bool
        let subscriber: Subscriber
    }

    private let key: SymmetricKey
    private let backend: String
    /// The cache keys of frequent queries whose results depend on no field.
    private let known = GenerationalCache<Known, BackendQueryKey>(capacity: 20_000)

    /// Creates the keys of a backend.
    ///
    /// - Parameter secret: Unpredictable bytes.
    init(secret: [UInt8], backend: String) {
        key = SymmetricKey(data: secret)
        self.backend = backend
    }

    func key(of query: BackendQuery, _ context: CallContext) -> BackendQueryKey {
        guard context.fields.isEmpty, let subscriber = query.subscriber,
            subscriber.key.utf8.count + (subscriber.upstreamSession?.utf8.count ?? 0) <= Self.maxCachedLength
        else { return made(query, context) }
        let about: Known
        switch query {
        case .subscription: about = Known(edition: nil, isVerdict: false, subscriber: subscriber)
        case .verdict(let edition, _):
            about = Known(edition: edition, isVerdict: true, subscriber: subscriber)
        default: return made(query, context)
        }
        return known.value(about, making: { made(query, context) })
    }

    private func made(_ query: BackendQuery, _ context: CallContext) -> BackendQueryKey {
        var parts = Parts()
        parts.add(backend)
        parts.add(query.kind)
        switch query {
        case .authenticate(let credentials): parts.add(credentials)
        case .subscription(let subscriber), .renew(let subscriber), .signOut(let subscriber): parts.add(subscriber)
        case .verdict(let edition, let subscriber):
            parts.add(edition?.rawValue)
            parts.add(subscriber)
        case .health: break
        }
        parts.add(count: context.fields.count)
        for (name, value) in context.fields.sorted(by: { $0.key < $1.key }) {
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

    private func digest(_ parts: Parts) -> BackendQueryKey {
        BackendQueryKey(HMAC<SHA256>.authenticationCode(for: parts.bytes, using: key))
    }

    private struct Parts {
        var bytes: [UInt8] = []

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
