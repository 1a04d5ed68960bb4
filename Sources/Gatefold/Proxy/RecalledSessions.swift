public import Foundation
import Synchronization

/// Sessions that were opened lately by an answer from memory: another process may have learnt just before that the password was
/// changed, and what it learnt ends them (see ``SharedFact``).
///
/// One serves all publications of a process. Bounded: what is older than ``lifetime`` has been contradicted by nobody.
public final class RecalledSessions: Sendable {
    public struct Opened: Hashable, Sendable {
        public let publication: PublicationID
        public let subscriber: SubscriberReference
        public let session: SessionReference
        public let issuedAt: Date
        let openedAt: Date
        let recalled: [RecalledSignIn]
    }

    private struct Contents {
        var opened: [Opened] = []
        var followed: [(fact: SharedFact, order: UInt64)] = []
        var order: UInt64 = 0
    }

    /// In seconds; far longer than news takes from one process to the other.
    static let lifetime: TimeInterval = 60
    /// So much do the moments of two processes differ at most.
    private static let tolerance: TimeInterval = 2

    private let capacity: Int
    private let undoes: @Sendable (SharedFact, RecalledSignIn) -> Bool
    private let contents = Mutex(Contents())

    public init(
        capacity: Int = 10_000, undoes: @escaping @Sendable (SharedFact, RecalledSignIn) -> Bool = { _, _ in false }
    ) {
        self.capacity = capacity
        self.undoes = undoes
    }

    /// To be noted before a backend is asked.
    var order: UInt64 { contents.withLock(\.order) }

    /// - Returns: false when something that was followed since an order was noted undoes the sign-in.
    func note(_ opened: Opened, since order: UInt64) -> Bool {
        guard !opened.recalled.isEmpty else { return true }
        return contents.withLock { contents in
            let isUndone = contents.followed.contains { followed in
                followed.order > order && opened.recalled.contains { undoes(followed.fact, $0) }
            }
            if isUndone { return false }
            if contents.opened.count >= capacity { contents.opened.removeFirst(capacity / 2) }
            contents.opened.append(opened)
            return true
        }
    }

    /// Takes in what another process learnt.
    ///
    /// - Returns: the sessions that it ends.
    public func follow(_ fact: SharedFact, at now: Date) -> [Opened] {
        guard fact.id.kind != .denial, now.timeIntervalSince(fact.moment) < Self.lifetime else { return [] }
        return contents.withLock { contents in
            contents.order += 1
            if contents.followed.count >= capacity { contents.followed.removeFirst(capacity / 2) }
            contents.followed.append((fact, contents.order))
            contents.followed.removeAll { now.timeIntervalSince($0.fact.moment) >= Self.lifetime }
            contents.opened.removeAll { now.timeIntervalSince($0.openedAt) >= Self.lifetime }
            return contents.opened.filter { opened in
                opened.openedAt.addingTimeInterval(Self.tolerance) >= fact.moment
                    && opened.recalled.contains { undoes(fact, $0) }
            }
        }
    }
}
