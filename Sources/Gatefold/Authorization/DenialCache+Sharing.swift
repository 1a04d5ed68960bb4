import Foundation
import Synchronization

extension DenialCache {
    /// Applies a fact that another process recorded, or that this process recorded before a restart.
    ///
    /// Only the store decides, by its own clock, whether a fact has expired. A process with a wrong clock would
    /// otherwise skip the fact for its whole lifetime.
    public func follow(_ fact: SharedFact) {
        guard fact.id.kind == .denial, let subscriber = SubscriberPseudonym(bytes: fact.id.subject) else { return }
        let evicted = contents.withLock { contents in
            contents.order += 1
            let order = contents.order
            contents.change(subscriber) { share in
                if fact.id.detail.isEmpty {
                    share.join(Self.deniedEditions(fact), order)
                } else if let key = Self.key(fact.id, subscriber) {
                    switch Change(fact.value) {
                    case .denied(let denial): share.record(key, Entry(denial: denial, order: order), limit: shareLimit)
                    case .ended: share.end(key, order, limit: grantLimit)
                    case .granted:
                        share.entries[key] = nil
                        share.grant(key, order, limit: grantLimit)
                    }
                }
            }
            return contents.makeRoom(capacity)
        }
        withExtendedLifetime(evicted) {}
    }

    /// Returns the set of editions that a fact denies to a subscriber, or nil if the fact concerns a single key.
    public static func deniedEditions(
        by fact: SharedFact
    ) -> (subscriber: SubscriberPseudonym, contains: @Sendable (EditionID) -> Bool)? {
        guard fact.id.kind == .denial, fact.id.detail.isEmpty,
            let subscriber = SubscriberPseudonym(bytes: fact.id.subject)
        else { return nil }
        let deniedEditions = deniedEditions(fact)
        return (subscriber, { deniedEditions.contains($0) })
    }

    /// Returns whether the edition that one fact denies is in the set of editions that another fact denies.
    static func includes(_ one: SharedFact, among other: SharedFact) -> Bool {
        let deniedEditions = deniedEditions(other)
        if deniedEditions == .all { return true }
        guard let subscriber = SubscriberPseudonym(bytes: one.id.subject),
            case .edition(let edition, _, _, _) = key(one.id, subscriber)
        else { return false }
        return deniedEditions.contains(edition)
    }

    /// Returns the denial that a fact records.
    ///
    /// - Returns: nil if the fact is not a denial, or covers more editions than are stored separately. The edition
    ///   is nil if the denial applies to the reader.
    public static func denied(
        by fact: SharedFact
    ) -> (subscriber: SubscriberPseudonym, edition: EditionID?, denial: Denial)? {
        guard fact.id.kind == .denial, !fact.id.detail.isEmpty,
            let subscriber = SubscriberPseudonym(bytes: fact.id.subject), case .denied(let denial) = Change(fact.value)
        else { return nil }
        if case .edition(let edition, _, _, _) = key(fact.id, subscriber) { return (subscriber, edition, denial) }
        return (subscriber, nil, denial)
    }

    /// A shared change for a reader, or for a reader and an edition.
    enum Change: Equatable {
        case denied(Denial)
        /// The end of the denial.
        case ended
        /// A grant for an edition in a set of denied editions. The grant must be retained as long as the set.
        case granted

        /// Decodes a change. A value that this version does not understand is not a denial.
        init(_ value: [UInt8]) {
            switch value.first {
            case 0: self = .granted
            case let first?: self = Denial(rawValue: first).map { .denied($0) } ?? .ended
            case nil: self = .ended
            }
        }

        var value: [UInt8] {
            switch self {
            case .denied(let denial): [denial.rawValue]
            case .ended: []
            case .granted: [0]
            }
        }
    }

    static func fact(_ key: Key, _ change: Change, at timestamp: Date) -> SharedFact {
        var detail: [UInt8] = []
        func add(_ part: some Sequence<UInt8>) {
            let part = Array(part)
            withUnsafeBytes(of: UInt16(clamping: part.count).bigEndian) { detail.append(contentsOf: $0) }
            detail += part
        }
        let queried: QueriedFields
        switch key {
        case .reader(_, let by):
            queried = by
            add(by.fields)
        case .edition(let edition, _, let publication, let by):
            queried = by
            add(by.fields)
            add(publication.rawValue.utf8)
            add(edition.rawValue.utf8)
        }
        return SharedFact(
            id: SharedFact.ID(
                kind: .denial, backend: queried.backend, subject: key.subscriber.bytes, detail: detail),
            value: change.value, timestamp: timestamp,
            end: timestamp.addingTimeInterval(change == .ended ? endedDenialLifetime : lifetime))
    }

    /// Returns the fact for a set of denied editions. The bits of the set follow the denial byte.
    static func fact(_ deniedEditions: DeniedEditions, of subscriber: SubscriberPseudonym, at timestamp: Date)
        -> SharedFact
    {
        SharedFact(
            id: SharedFact.ID(kind: .denial, backend: "", subject: subscriber.bytes),
            value: [Denial.edition.rawValue] + deniedEditions.bytes, timestamp: timestamp,
            end: timestamp.addingTimeInterval(lifetime))
    }

    /// Returns the set of editions in a fact, or all editions if the bits are unreadable.
    private static func deniedEditions(_ fact: SharedFact) -> DeniedEditions {
        DeniedEditions(fact.value.dropFirst()) ?? .all
    }

    /// Returns the key of a fact, or nil if this version does not understand the key.
    private static func key(_ id: SharedFact.ID, _ subscriber: SubscriberPseudonym) -> Key? {
        var rest = id.detail[...]
        var parts: [[UInt8]] = []
        while rest.count >= 2 {
            let count = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
            rest = rest.dropFirst(2)
            guard rest.count >= count else { return nil }
            parts.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        guard rest.isEmpty, let fields = parts.first else { return nil }
        let queried = QueriedFields(backend: id.backend, fields: fields)
        switch parts.count {
        case 1: return .reader(subscriber, queried)
        case 3:
            guard let publication = PublicationID(String(decoding: parts[1], as: UTF8.self)),
                let edition = EditionID(String(decoding: parts[2], as: UTF8.self))
            else { return nil }
            return .edition(edition, subscriber, publication, queried)
        default: return nil
        }
    }
}
