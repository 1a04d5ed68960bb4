import Synchronization

/// Remembers for whom the last real answer was a refusal, so that an outage does not undo it (PITFALLS rows 9 and 10).
///
/// One serves all publications of a process and outlives their configuration: reading it again in an outage forgives nobody.
/// Bounded: the oldest half is forgotten when it is full. Forgetting errs towards the reader, for as long as the outage
/// lasts and the short-lived credentials do.
public final class RefusalMemory: Sendable {
    struct Key: Hashable {
        let publication: PublicationID
        let subscriber: SubscriberReference
        /// Nil for the reader as a whole: refused while the last word about them was anything but "active".
        let edition: EditionID?
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
        contents.withLock { contents in
            guard refused else {
                contents.recent.remove(key)
                contents.older.remove(key)
                return
            }
            if contents.recent.count >= capacity / 2 {
                contents.older = contents.recent
                contents.recent = []
            }
            contents.recent.insert(key)
        }
    }

    /// Whether the edition, or its reader as a whole, was refused.
    func wasRefused(_ key: Key) -> Bool {
        let reader = Key(publication: key.publication, subscriber: key.subscriber, edition: nil)
        return contents.withLock { contents in
            [key, reader].contains { contents.recent.contains($0) || contents.older.contains($0) }
        }
    }
}
