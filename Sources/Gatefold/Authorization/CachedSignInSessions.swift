public import Foundation
import Synchronization

/// A record of sessions that a cached sign-in opened recently. Another process may have learned shortly before that
/// the password was changed; its fact ends these sessions (see ``SharedFact``).
///
/// One instance serves all publications of a process. The record is bounded: after `lifetime`, no fact can
/// contradict a session any more.
public final class CachedSignInSessions: Sendable {
    public struct Opened: Hashable, Sendable {
        public let publication: PublicationID
        public let subscriber: SubscriberPseudonym
        public let session: SessionPseudonym
        public let issuedAt: Date
        let openedAt: Date
        let cachedSignIns: [CachedSignIn]
    }

    private struct Contents {
        var opened: [Opened] = []
        var followed: [(fact: SharedFact, order: UInt64)] = []
        var order: UInt64 = 0
    }

    /// The time for which a session is recorded, in seconds. It is much longer than a fact takes to reach another
    /// process.
    static let lifetime: TimeInterval = 60
    /// The maximum clock difference between two processes, in seconds.
    private static let tolerance: TimeInterval = 2

    private let capacity: Int
    private let invalidates: @Sendable (SharedFact, CachedSignIn) -> Bool
    private let contents = Mutex(Contents())

    public init(
        capacity: Int = 10_000, invalidates: @escaping @Sendable (SharedFact, CachedSignIn) -> Bool = { _, _ in false }
    ) {
        self.capacity = capacity
        self.invalidates = invalidates
    }

    /// The order of the latest fact. Read it before a backend query.
    var order: UInt64 { contents.withLock(\.order) }

    /// Records a session.
    ///
    /// - Returns: False if a fact that arrived after the given order undoes the sign-in.
    func record(_ opened: Opened, since order: UInt64) -> Bool {
        guard !opened.cachedSignIns.isEmpty else { return true }
        return contents.withLock { contents in
            let isUndone = contents.followed.contains { followed in
                followed.order > order && opened.cachedSignIns.contains { invalidates(followed.fact, $0) }
            }
            if isUndone { return false }
            if contents.opened.count >= capacity { contents.opened.removeFirst(capacity / 2) }
            contents.opened.append(opened)
            return true
        }
    }

    /// Applies a fact that another process recorded.
    ///
    /// - Returns: The sessions that the fact ends.
    public func follow(_ fact: SharedFact, at now: Date) -> [Opened] {
        guard fact.id.kind != .denial, now.timeIntervalSince(fact.timestamp) < Self.lifetime else { return [] }
        return contents.withLock { contents in
            contents.order += 1
            if contents.followed.count >= capacity { contents.followed.removeFirst(capacity / 2) }
            contents.followed.append((fact, contents.order))
            contents.followed.removeAll { now.timeIntervalSince($0.fact.timestamp) >= Self.lifetime }
            contents.opened.removeAll { now.timeIntervalSince($0.openedAt) >= Self.lifetime }
            return contents.opened.filter { opened in
                opened.openedAt.addingTimeInterval(Self.tolerance) >= fact.timestamp
                    && opened.cachedSignIns.contains { invalidates(fact, $0) }
            }
        }
    }
}
