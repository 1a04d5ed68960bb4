package import Foundation

/// The revocations of one subscriber in one publication, joined: few of them end what any number ended.
///
/// The end of all sessions takes the place of the ends of single ones that it covers. Where more than ``maxSessions`` sessions
/// were ended one by one, the half that was ended first becomes an end of all that were issued until then: whoever signs in and
/// out without end leaves a bounded number of revocations. A session that was opened before those and never ended is ended
/// with them.
package struct SubscriberRevocations: Sendable, Equatable {
    /// The end of one session, or of one device's.
    struct SessionEnd: Sendable, Equatable {
        private let number: UInt32
        fileprivate(set) var before: WholeSecond
        /// ``WholeSecond/none`` until the store has said it.
        fileprivate(set) var expires: WholeSecond

        init(_ session: SessionReference, before: WholeSecond, expires: WholeSecond) {
            number = UInt32(truncatingIfNeeded: session.number)
            self.before = before
            self.expires = expires
        }

        var session: SessionReference { SessionReference(number: UInt64(number)) }

        func isOf(_ session: SessionReference) -> Bool { UInt64(number) == session.number }

        func ends(_ session: SessionReference, issuedAt: Date) -> Bool {
            isOf(session) && issuedAt < before.date
        }
    }

    /// As many ends of single sessions are held apart.
    package static let maxSessions = 64

    private(set) var all: Revocation?
    private(set) var allExpires = WholeSecond.none
    private(set) var sessions: [SessionEnd]

    package init() {
        sessions = []
    }

    init(_ end: SessionEnd) {
        sessions = [end]
    }

    var isEmpty: Bool { all == nil && sessions.isEmpty }

    /// The end of a session, where there is nothing else.
    var only: SessionEnd? { all == nil && sessions.count == 1 ? sessions[0] : nil }

    /// Whether all sessions of some time were ended at once.
    var hasAll: Bool { all != nil }

    /// How many revocations say the same.
    package var count: Int { sessions.count + (all == nil ? 0 : 1) }

    func ends(_ session: SessionReference, issuedAt: Date) -> Bool {
        if let all, all.ends(session, issuedAt: issuedAt) { return true }
        return sessions.contains { $0.ends(session, issuedAt: issuedAt) }
    }

    /// The latest boundary for a session's scope, or nil where there is none.
    func boundary(of session: SessionReference) -> Date? {
        let own = sessions.first { $0.isOf(session) }.map(\.before.date)
        return [all?.before, own].compactMap(\.self).max()
    }

    /// The latest boundary of any session.
    package var boundary: Date? {
        [all?.before, sessions.map(\.before).max()?.date].compactMap(\.self).max()
    }

    /// Joins a revocation of this subscriber in this publication.
    ///
    /// - Parameter expires: when whatever it ends has expired; nil where only the store can say that.
    /// - Returns: whether it ends anything more.
    @discardableResult
    package mutating func add(_ revocation: Revocation, expires: Date?) -> Bool {
        let expires = expires.map { WholeSecond(roundingUp: $0) } ?? .none
        if let session = revocation.session {
            let before = WholeSecond(roundingUp: revocation.before)
            return add(SessionEnd(session, before: before, expires: expires), of: revocation)
        }
        allExpires = max(allExpires, expires)
        let joined = all?.joined(with: revocation) ?? revocation
        if joined == all { return false }
        all = joined
        sessions = sessions.filter { !covers($0) }
        return true
    }

    private mutating func add(_ end: SessionEnd, of revocation: Revocation) -> Bool {
        if covers(end) { return false }
        if let index = sessions.firstIndex(where: { $0.isOf(end.session) }) {
            sessions[index].expires = max(sessions[index].expires, end.expires)
            guard sessions[index].before < end.before else { return false }
            sessions[index].before = end.before
            return true
        }
        sessions.append(end)
        if sessions.count > Self.maxSessions { fold(revocation) }
        return true
    }

    /// Whether the end of all sessions ends whatever this one ends.
    private func covers(_ end: SessionEnd) -> Bool {
        guard let all, end.before.date <= all.before else { return false }
        guard let spared = all.spared, end.isOf(spared.session) else { return true }
        return end.before.date <= spared.issuedAt
    }

    private mutating func fold(_ like: Revocation) {
        let oldest = sessions.sorted { $0.before < $1.before }.prefix(sessions.count / 2)
        guard let before = oldest.last?.before.date else { return }
        allExpires = max(allExpires, oldest.map(\.expires).max() ?? .none)
        let folded = Revocation(
            publication: like.publication, subscriber: like.subscriber, session: nil, before: before)
        all = all?.joined(with: folded) ?? folded
        sessions = sessions.filter { !covers($0) }
    }

    /// Forgets what ended nothing but tokens that had expired by a moment.
    mutating func discard(expiredBy moment: WholeSecond) {
        func isOver(_ expires: WholeSecond) -> Bool { expires != .none && expires <= moment }
        if all != nil, isOver(allExpires) { all = nil }
        sessions.removeAll { isOver($0.expires) }
    }

    /// Those that are to be on record.
    package func records(of subscriber: SubscriberReference, in publication: PublicationID) -> [UnnumberedRecord] {
        var records: [UnnumberedRecord] = []
        if let all { records.append(UnnumberedRecord(revocation: all, expires: allExpires.date)) }
        records += sessions.map { end in
            UnnumberedRecord(
                revocation: Revocation(
                    publication: publication, subscriber: subscriber, session: end.session, before: end.before.date),
                expires: end.expires.date)
        }
        return records
    }
}

/// A revocation with what a store notes beside it, before it has a place in the order.
package struct UnnumberedRecord: Sendable, Hashable {
    package let revocation: Revocation
    package let expires: Date

    package init(revocation: Revocation, expires: Date) {
        self.revocation = revocation
        self.expires = expires
    }
}
