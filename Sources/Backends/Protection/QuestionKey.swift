import Crypto
import Foundation
import Gatefold

/// What a question is known by: a keyed digest of every input of its answer (PITFALLS row 7), so that no answer is kept under
/// what a reader typed.
///
/// Four numbers rather than a `SIMD4<UInt64>`: an optimised asynchronous function of Swift 6.3.1 that keeps a vector of 32 bytes
/// while it waits writes beyond its frame (Fixtures/Compiler/WideVector.swift), and the server ends.
struct QuestionKey: Hashable, Sendable {
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
            return QuestionKey(number(0), number(1), number(2), number(3))
        }
    }
}

/// Makes keys, under a key of its own: the same in all processes of one configuration, as they tell one another whom they
/// know better (see ``CredentialFacts``).
///
/// Two questions have the same key only if they agree in everything that the backend sees. Each part is written with its
/// length in front, so that ("ab", "c") and ("a", "bc") differ.
struct QuestionKeys: Sendable {
    /// The longest key of a subscriber that is kept here, with the backend's own session, in bytes.
    private static let longestKnown = 512

    private struct Known: Hashable {
        let edition: EditionID?
        let isVerdict: Bool
        let subscriber: Subscriber
    }

    private let key: SymmetricKey
    private let backend: String
    /// Those that readers ask again and again, where no field decides.
    private let known = RecentMemory<Known, QuestionKey>(capacity: 20_000)

    /// - Parameter secret: bytes that nobody can guess.
    init(secret: [UInt8], backend: String) {
        key = SymmetricKey(data: secret)
        self.backend = backend
    }

    func key(of question: Question, _ inquiry: Inquiry) -> QuestionKey {
        guard inquiry.fields.isEmpty, let subscriber = question.subscriber,
            subscriber.key.utf8.count + (subscriber.upstreamSession?.utf8.count ?? 0) <= Self.longestKnown
        else { return made(question, inquiry) }
        let about: Known
        switch question {
        case .subscription: about = Known(edition: nil, isVerdict: false, subscriber: subscriber)
        case .verdict(let edition, _):
            about = Known(edition: edition, isVerdict: true, subscriber: subscriber)
        default: return made(question, inquiry)
        }
        return known.value(about, making: { made(question, inquiry) })
    }

    private func made(_ question: Question, _ inquiry: Inquiry) -> QuestionKey {
        var parts = Parts()
        parts.add(backend)
        parts.add(question.kind)
        switch question {
        case .recognise(let credentials): parts.add(credentials)
        case .subscription(let subscriber), .renew(let subscriber), .signOut(let subscriber): parts.add(subscriber)
        case .verdict(let edition, let subscriber):
            parts.add(edition?.rawValue)
            parts.add(subscriber)
        case .health: break
        }
        parts.add(count: inquiry.fields.count)
        for (name, value) in inquiry.fields.sorted(by: { $0.key < $1.key }) {
            parts.add(name)
            parts.add(value)
        }
        return digest(parts)
    }

    /// What the proofs among typed credentials are known by: the same under every spelling of the identifier.
    func proofs(of credentials: Credentials) -> UInt64 {
        var parts = Parts()
        parts.add("proofs")
        for name in credentials.names where name != credentials.identifierField {
            parts.add(name)
            parts.add(credentials[name])
        }
        return digest(parts).first
    }

    /// What somebody's proofs are told from others of theirs by, in other processes: too little to find them out, and nothing
    /// that two readers with the same password have in common.
    func mark(of proofs: UInt64, for group: AnswerMemory.Group) -> UInt16 {
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

    private func digest(_ parts: Parts) -> QuestionKey {
        QuestionKey(HMAC<SHA256>.authenticationCode(for: parts.bytes, using: key))
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
