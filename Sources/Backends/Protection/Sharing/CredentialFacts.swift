import Foundation
public import Gatefold
import Synchronization

/// Which credentials each backend confirmed last, in this process or another: what one of them learnt of a new password, or of
/// one that is wrong now, is shared with the others.
///
/// Of credentials there is only a mark of sixteen bits of a keyed digest: enough to tell a new password from the former, and far
/// too little to find one out. Bounded: what was learnt least lately is forgotten, and is learnt anew at the next sign-in.
public final class CredentialFacts: Sendable {
    fileprivate struct Key: Hashable {
        let backend: String
        let subject: [UInt8]
    }

    fileprivate struct Known {
        var mark: UInt16
        /// False when they were refused since.
        var isConfirmed = true
        /// When the question was asked, by the clock that nobody sets; nil for what another process learnt.
        var asked: TimeInterval?
        var end: Date

        /// Whether an answer to a question of that moment is not the latest.
        func isLater(than asked: TimeInterval) -> Bool { self.asked.map { $0 > asked } ?? false }
    }

    /// An answer about credentials.
    struct Word {
        let mark: UInt16
        let group: AnswerMemory.Group
        let backend: String
        /// When the question was asked, by the clock that nobody sets.
        let asked: TimeInterval
        /// The same by the civil time.
        let moment: Date
        let end: Date
    }

    fileprivate struct Contents {
        var recent: [Key: Known] = [:]
        var older: [Key: Known] = [:]
    }

    private let capacity: Int
    private let record: @Sendable (SharedFact) -> Void
    private let contents = Mutex(Contents())

    /// - Parameter record: takes what other processes have to know; returns at once.
    public init(capacity: Int = 200_000, record: @escaping @Sendable (SharedFact) -> Void = { _ in }) {
        self.capacity = capacity
        self.record = record
    }

    /// A backend confirmed credentials of somebody: of an identifier, and of the subscriber whom it recognised.
    func confirm(_ word: Word) {
        let key = Key(backend: word.backend, subject: word.group.factSubject)
        contents.withLock { contents in
            let known = contents.known(key)
            if let known, known.isLater(than: word.asked) { return }
            let same = known.flatMap { known in
                known.isConfirmed && known.mark == word.mark && word.moment < known.end ? known : nil
            }
            contents.put(key, Known(mark: word.mark, asked: word.asked, end: same?.end ?? word.end), capacity)
            // Within the lock, so that facts of one ID are recorded in their order.
            if same == nil { record(Self.fact(word, isConfirmed: true)) }
        }
    }

    /// A backend refused credentials: of interest only where they are those confirmed last.
    func refuse(_ word: Word) {
        let key = Key(backend: word.backend, subject: word.group.factSubject)
        contents.withLock { contents in
            guard var known = contents.known(key), known.isConfirmed, known.mark == word.mark,
                !known.isLater(than: word.asked)
            else { return }
            (known.isConfirmed, known.asked) = (false, word.asked)
            contents.put(key, known, capacity)
            record(Self.fact(word, isConfirmed: false))
        }
    }

    /// What was known of somebody, or of everybody, no longer holds.
    func invalidate(_ subject: [UInt8], in backend: String, at moment: Date, until end: Date) {
        record(
            SharedFact(
                id: SharedFact.ID(kind: .invalidation, backend: backend, subject: subject), value: [],
                moment: moment, end: end))
    }

    /// Takes in what another process learnt.
    public func follow(_ fact: SharedFact) {
        guard let credentials = ConfirmedCredentials(fact) else { return }
        let key = Key(backend: fact.id.backend, subject: fact.id.subject)
        contents.withLock { contents in
            if credentials.isConfirmed {
                contents.put(key, Known(mark: credentials.mark, end: fact.end), capacity)
            } else {
                contents.remove(key)
            }
        }
    }

    private static func fact(_ word: Word, isConfirmed: Bool) -> SharedFact {
        SharedFact(
            id: SharedFact.ID(kind: .credentials, backend: word.backend, subject: word.group.factSubject),
            value: [isConfirmed ? 1 : 0, UInt8(word.mark >> 8), UInt8(truncatingIfNeeded: word.mark)],
            moment: word.moment, end: word.end)
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

/// What a fact says of credentials.
struct ConfirmedCredentials: Sendable {
    let group: AnswerMemory.Group
    let mark: UInt16
    /// False when they were refused.
    let isConfirmed: Bool

    init?(_ fact: SharedFact) {
        guard fact.id.kind == .credentials, let group = AnswerMemory.Group(factSubject: fact.id.subject),
            fact.value.count == 3
        else { return nil }
        self.group = group
        isConfirmed = fact.value[0] == 1
        mark = UInt16(fact.value[1]) << 8 | UInt16(fact.value[2])
    }

    /// Whether proofs of the same mark as these, or of another, are not right any more.
    func excludes(_ other: UInt16) -> Bool { isConfirmed == (other != mark) }
}

extension AnswerMemory.Group {
    var factSubject: [UInt8] {
        switch self {
        case .identifier(let number): [1] + number.bigEndianBytes
        case .subscriber(let number): [2] + number.bigEndianBytes
        }
    }

    init?(factSubject: [UInt8]) {
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
