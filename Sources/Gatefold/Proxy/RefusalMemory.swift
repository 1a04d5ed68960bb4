import Synchronization

/// Remembers for whom the last real answer was a refusal, so that an outage does not undo it (PITFALLS rows 9 and 10).
///
/// One serves all publications of a process and outlives their configuration: reading it again in an outage forgives nobody.
/// Bounded: the oldest half is forgotten when it is full. Forgetting errs towards the reader, for as long as the outage
/// lasts and the short-lived credentials do.
public final class RefusalMemory: Sendable {
    enum Key: Hashable {
        /// Refused while the last word about them was anything but "active". The backend said it, whichever publication
        /// asked: whom it refused in one it refused in all that ask it the same.
        case reader(SubscriberReference, Asked)
        /// What opens an edition is also up to the publication.
        case edition(EditionID, SubscriberReference, PublicationID, Asked)

        /// The reader as a whole.
        var reader: Key {
            switch self {
            case .reader: self
            case .edition(_, let subscriber, _, let asked): .reader(subscriber, asked)
            }
        }
    }

    /// Who was asked, and what the answer depended on beside the subject.
    struct Asked: Hashable {
        let backend: String
        /// A digest of the request's fields that decide; empty where none does.
        let fields: [UInt8]
    }

    /// What was said last of a reader, or of a reader and an edition.
    struct Word: Sendable {
        let key: Key
        let isRefusal: Bool
    }

    private struct Contents {
        var recent: Set<Key> = []
        var older: Set<Key> = []
    }

    private let capacity: Int
    private let contents = Mutex(Contents())

    /// - Parameter capacity: the most refusals that are remembered.
    public init(capacity: Int = 200_000) {
        self.capacity = capacity
    }

    /// - Parameter isEarlier: whether the answer was given before, so that it may be older than a refusal: it ends none.
    func note(_ key: Key, refused: Bool, isEarlier: Bool = false) {
        guard refused || !isEarlier else { return }
        let forgotten = contents.withLock { contents in
            var forgotten: Set<Key> = []
            guard refused else {
                if contents.recent.isEmpty, contents.older.isEmpty { return forgotten }
                contents.recent.remove(key)
                contents.older.remove(key)
                return forgotten
            }
            if contents.recent.count >= capacity / 2 {
                (forgotten, contents.older) = (contents.older, contents.recent)
                contents.recent = []
            }
            contents.recent.insert(key)
            return forgotten
        }
        // Freed only here, where nobody waits for it.
        withExtendedLifetime(forgotten) {}
    }

    /// Whether the edition, or its reader as a whole, was refused.
    func wasRefused(_ key: Key) -> Bool {
        contents.withLock { contents in
            [key, key.reader].contains { contents.recent.contains($0) || contents.older.contains($0) }
        }
    }
}
