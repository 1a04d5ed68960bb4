public import Foundation

/// What one process learnt that every other of the same state has to know: that something known before no longer holds.
///
/// Facts replace one another by their ``ID-swift.struct``, so that a store keeps few of them, and each has an end. Nothing in
/// them names a person but keyed digests.
public struct SharedFact: Hashable, Sendable {
    public enum Kind: String, Sendable, CaseIterable {
        /// Whether the last answer about a reader, or about a reader and an edition, was a denial; see ``DenialCache``.
        case denial
        /// Which credentials of an identifier a backend confirmed last, or that it no longer does.
        case credentials
        /// What is cached about somebody no longer holds.
        case invalidation
    }

    public struct ID: Hashable, Sendable {
        public let kind: Kind
        /// The backend's name; empty where it is about none in particular.
        public let backend: String
        /// Whom it is about, as a keyed digest; empty: everybody.
        public let subject: [UInt8]
        /// Which part of what is known about the subject; empty: all of it.
        public let detail: [UInt8]

        public init(kind: Kind, backend: String, subject: [UInt8], detail: [UInt8] = []) {
            self.kind = kind
            self.backend = backend
            self.subject = subject
            self.detail = detail
        }
    }

    public let id: ID
    public let value: [UInt8]
    public let moment: Date
    /// From here on it is of no use to anybody.
    public let end: Date

    public init(id: ID, value: [UInt8], moment: Date, end: Date) {
        self.id = id
        self.value = value
        self.moment = moment
        self.end = end
    }
}

extension SharedFact {
    /// Whether it adds to what is on record of its ID, whichever process wrote that: of many denied editions none is lost.
    public var addsUp: Bool { id.kind == .denial && id.detail.isEmpty }

    /// Whether another fact that is on record says nothing more beside this one.
    public func takesPlace(of other: SharedFact) -> Bool {
        if other.id == id { return true }
        guard addsUp, other.id.kind == .denial, other.id.subject == id.subject else { return false }
        return other.value == Array(value.prefix(1)) && DenialCache.includes(other, among: self)
    }

    /// The value to be on record in place of another.
    public func value(joinedWith recorded: [UInt8]) -> [UInt8] {
        guard addsUp, recorded.first == value.first, let one = DeniedEditions(value.dropFirst()),
            let other = DeniedEditions(recorded.dropFirst())
        else { return value }
        return value.prefix(1) + one.union(other).bytes
    }
}

/// A part of the facts that a store has.
public struct SharedFactPage: Sendable {
    /// In the order in which they were recorded, without those of the process that asks.
    public let facts: [SharedFact]
    /// Where the next page begins; nil when this is the last.
    public let next: Int64?
    /// Up to here everything was read.
    public let sequence: Int64
    /// How many rows could not be understood: they were passed over.
    public let unreadable: Int

    public init(facts: [SharedFact], next: Int64?, sequence: Int64, unreadable: Int) {
        self.facts = facts
        self.next = next
        self.sequence = sequence
        self.unreadable = unreadable
    }
}

/// Keeps the facts that processes share. What a call acknowledged is on disk when it returns.
public protocol SharedFactStore: Sendable {
    /// Records facts together, each in the place of what is on record of its ID. Of two processes the later word counts, in
    /// whatever order they write, and of one process what it writes last, though the clock was set back meanwhile.
    ///
    /// - Parameter origin: names the process, so that it does not follow itself.
    func record(_ facts: [SharedFact], origin: [UInt8]) async throws

    /// The facts recorded after a sequence number; 0 gives all.
    func sharedFacts(after sequence: Int64, besides origin: [UInt8], limit: Int) async throws -> SharedFactPage

    /// Forgets facts whose end lies before `moment`, and the oldest of all that are more than `most`.
    func discardSharedFacts(endedBefore moment: Date, most: Int) async throws
}
