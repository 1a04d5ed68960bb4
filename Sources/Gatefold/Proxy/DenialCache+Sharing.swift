import Foundation
import Synchronization

extension DenialCache {
    /// Takes in what another process learnt, or this one before it was started anew.
    ///
    /// Whether a fact has ended only the store decides, by its own clock: what a wrong clock left out here would be left out for
    /// as long as the process lives.
    public func follow(_ fact: SharedFact) {
        guard fact.id.kind == .denial, let subscriber = SubscriberReference(bytes: fact.id.subject) else { return }
        let forgotten = contents.withLock { contents in
            contents.order += 1
            let order = contents.order
            contents.change(subscriber) { share in
                if fact.id.detail.isEmpty {
                    share.join(Self.many(fact), order)
                } else if let key = Self.key(fact.id, subscriber) {
                    switch Change(fact.value) {
                    case .begun(let denial): share.note(key, Entry(denial: denial, order: order), most: shareLimit)
                    case .ended: share.end(key, order, most: grantLimit)
                    case .granted:
                        share.entries[key] = nil
                        share.grant(key, order, most: grantLimit)
                    }
                }
            }
            return contents.makeRoom(capacity)
        }
        withExtendedLifetime(forgotten) {}
    }

    /// Many editions that a subscriber was denied; nil where a fact is of no more than one.
    public static func deniedMany(
        by fact: SharedFact
    ) -> (subscriber: SubscriberReference, contains: @Sendable (EditionID) -> Bool)? {
        guard fact.id.kind == .denial, fact.id.detail.isEmpty,
            let subscriber = SubscriberReference(bytes: fact.id.subject)
        else { return nil }
        let many = many(fact)
        return (subscriber, { many.contains($0) })
    }

    /// Whether what one fact denies is one of many editions that another denies.
    static func includes(_ one: SharedFact, among other: SharedFact) -> Bool {
        let many = many(other)
        if many == .all { return true }
        guard let subscriber = SubscriberReference(bytes: one.id.subject),
            case .edition(let edition, _, _, _) = key(one.id, subscriber)
        else { return false }
        return many.contains(edition)
    }

    /// What a fact says of somebody.
    ///
    /// - Returns: nil where it is no denial, or of more editions than are held apart. The edition is nil where it is of the
    ///   reader.
    public static func denied(
        by fact: SharedFact
    ) -> (subscriber: SubscriberReference, edition: EditionID?, denial: Denial)? {
        guard fact.id.kind == .denial, !fact.id.detail.isEmpty,
            let subscriber = SubscriberReference(bytes: fact.id.subject), case .begun(let denial) = Change(fact.value)
        else { return nil }
        if case .edition(let edition, _, _, _) = key(fact.id, subscriber) { return (subscriber, edition, denial) }
        return (subscriber, nil, denial)
    }

    /// What is shared of a reader, or of a reader and an edition.
    enum Change: Equatable {
        case begun(Denial)
        /// The denial.
        case ended
        /// One of many denied editions: it has to be known for as long as these are.
        case granted

        /// What this version does not understand is no denial.
        init(_ value: [UInt8]) {
            switch value.first {
            case 0: self = .granted
            case let first?: self = Denial(rawValue: first).map { .begun($0) } ?? .ended
            case nil: self = .ended
            }
        }

        var value: [UInt8] {
            switch self {
            case .begun(let denial): [denial.rawValue]
            case .ended: []
            case .granted: [0]
            }
        }
    }

    static func fact(_ key: Key, _ change: Change, at moment: Date) -> SharedFact {
        var detail: [UInt8] = []
        func add(_ part: some Sequence<UInt8>) {
            let part = Array(part)
            withUnsafeBytes(of: UInt16(clamping: part.count).bigEndian) { detail.append(contentsOf: $0) }
            detail += part
        }
        let asked: Asked
        switch key {
        case .reader(_, let by):
            asked = by
            add(by.fields)
        case .edition(let edition, _, let publication, let by):
            asked = by
            add(by.fields)
            add(publication.rawValue.utf8)
            add(edition.rawValue.utf8)
        }
        return SharedFact(
            id: SharedFact.ID(
                kind: .denial, backend: asked.backend, subject: key.subscriber.bytes, detail: detail),
            value: change.value, moment: moment,
            end: moment.addingTimeInterval(change == .ended ? endedLifetime : lifetime))
    }

    /// The bits of many editions are behind the denial.
    static func fact(_ many: DeniedEditions, of subscriber: SubscriberReference, at moment: Date) -> SharedFact {
        SharedFact(
            id: SharedFact.ID(kind: .denial, backend: "", subject: subscriber.bytes),
            value: [Denial.edition.rawValue] + many.bytes, moment: moment, end: moment.addingTimeInterval(lifetime))
    }

    /// All where they can not be read.
    private static func many(_ fact: SharedFact) -> DeniedEditions { DeniedEditions(fact.value.dropFirst()) ?? .all }

    /// Nil for what this version does not understand.
    private static func key(_ id: SharedFact.ID, _ subscriber: SubscriberReference) -> Key? {
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
        let asked = Asked(backend: id.backend, fields: fields)
        switch parts.count {
        case 1: return .reader(subscriber, asked)
        case 3:
            guard let publication = PublicationID(String(decoding: parts[1], as: UTF8.self)),
                let edition = EditionID(String(decoding: parts[2], as: UTF8.self))
            else { return nil }
            return .edition(edition, subscriber, publication, asked)
        default: return nil
        }
    }
}
