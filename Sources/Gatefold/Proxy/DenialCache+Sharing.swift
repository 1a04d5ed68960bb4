import Foundation
import Synchronization

extension DenialCache {
    /// Takes in what another process learnt, or this one before it was started anew.
    public func follow(_ fact: SharedFact) {
        guard fact.id.kind == .denial, clock.now < fact.end,
            let subscriber = SubscriberReference(bytes: fact.id.subject)
        else { return }
        let forgotten = contents.withLock { contents in
            contents.order += 1
            var share = contents.take(subscriber)
            if fact.id.detail.isEmpty {
                share.exhaust()
            } else if let key = Self.key(fact.id, subscriber) {
                if let denial = fact.value.first.flatMap(Denial.init(rawValue:)) {
                    if !share.isExhausted || !key.isOfEdition {
                        share.note(key, Entry(denial: denial, order: contents.order), most: shareLimit)
                    }
                } else {
                    share.entries[key] = nil
                }
            }
            let forgotten = contents.makeRoom(capacity)
            contents.put(share, of: subscriber)
            return forgotten
        }
        withExtendedLifetime(forgotten) {}
    }

    /// What a fact says of somebody.
    ///
    /// - Returns: nil where it is no denial. The edition is nil where it is of the reader, or of more editions than there was
    ///   room for.
    public static func denied(
        by fact: SharedFact
    ) -> (subscriber: SubscriberReference, edition: EditionID?, denial: Denial)? {
        guard fact.id.kind == .denial, let subscriber = SubscriberReference(bytes: fact.id.subject),
            let denial = fact.value.first.flatMap(Denial.init(rawValue:))
        else { return nil }
        if case .edition(let edition, _, _, _) = key(fact.id, subscriber) { return (subscriber, edition, denial) }
        return (subscriber, nil, denial)
    }

    static func fact(_ key: Key, _ denial: Denial?, at moment: Date) -> SharedFact {
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
            value: denial.map { [$0.rawValue] } ?? [], moment: moment,
            end: moment.addingTimeInterval(denial == nil ? endedLifetime : lifetime))
    }

    static func exhausted(_ subscriber: SubscriberReference, at moment: Date) -> SharedFact {
        SharedFact(
            id: SharedFact.ID(kind: .denial, backend: "", subject: subscriber.bytes),
            value: [Denial.edition.rawValue], moment: moment, end: moment.addingTimeInterval(lifetime))
    }

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
