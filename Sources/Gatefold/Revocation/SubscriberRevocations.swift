package import Foundation
import Primitives

/// The joined revocations of one subscriber in one publication.
///
/// A revocation of all sessions replaces the revocations of single sessions that it covers. If more than
/// ``maxSessions`` single sessions are ended, the half that ended first becomes one revocation of all sessions
/// issued until then. The number of revocations therefore stays bounded even if a reader signs in and out without
/// end. An older session that never ended is ended with them.
package struct SubscriberRevocations: Sendable, Equatable {
    /// The end of one session, or of one device's sessions.
    struct SessionRevocation: Sendable, Equatable {
        private let number: UInt32
        fileprivate(set) var before: WholeSecond
        /// The latest expiry of the ended tokens, or `WholeSecond.none` until the store provides it.
        fileprivate(set) var expires: WholeSecond

        init(_ session: SessionPseudonym, before: WholeSecond, expires: WholeSecond) {
            number = UInt32(truncatingIfNeeded: session.number)
            self.before = before
            self.expires = expires
        }

        var session: SessionPseudonym { SessionPseudonym(number: UInt64(number)) }

        func isOf(_ session: SessionPseudonym) -> Bool { UInt64(number) == session.number }

        func ends(_ session: SessionPseudonym, issuedAt: Date) -> Bool {
            isOf(session) && issuedAt < before.date
        }
    }

    /// The maximum number of ended sessions that are stored individually.
    package static let maxSessions = 64

    private(set) var all: Revocation?
    private(set) var allExpires = WholeSecond.none
    private(set) var sessions: [SessionRevocation]

    package init() {
        sessions = []
    }

    init(_ end: SessionRevocation) {
        sessions = [end]
    }

    var isEmpty: Bool { all == nil && sessions.isEmpty }

    /// The ended session, if there is exactly one and no revocation of all sessions.
    var only: SessionRevocation? { all == nil && sessions.count == 1 ? sessions[0] : nil }

    /// A Boolean value that indicates whether a revocation of all sessions exists.
    var hasAll: Bool { all != nil }

    /// The number of revocations after joining.
    package var count: Int { sessions.count + (all == nil ? 0 : 1) }

    func ends(_ session: SessionPseudonym, issuedAt: Date) -> Bool {
        if let all, all.ends(session, issuedAt: issuedAt) { return true }
        return sessions.contains { $0.ends(session, issuedAt: issuedAt) }
    }

    /// Returns the latest boundary for a session's scope, or nil if there is none.
    func boundary(of session: SessionPseudonym) -> Date? {
        let own = sessions.first { $0.isOf(session) }.map(\.before.date)
        return [all?.before, own].compactMap(\.self).max()
    }

    /// The latest boundary of any session.
    package var boundary: Date? {
        [all?.before, sessions.map(\.before).max()?.date].compactMap(\.self).max()
    }

    /// Joins a revocation of this subscriber in this publication.
    ///
    /// - Parameter expires: The time at which all sessions that the revocation ends have expired, or nil if only
    ///   the store knows it.
    /// - Returns: `true` if the revocation ends further sessions.
    @discardableResult
    package mutating func add(_ revocation: Revocation, expires: Date?) -> Bool {
        let expires = expires.map { WholeSecond(roundingUp: $0) } ?? .none
        if let session = revocation.session {
            let before = WholeSecond(roundingUp: revocation.before)
            return add(SessionRevocation(session, before: before, expires: expires), of: revocation)
        }
        allExpires = max(allExpires, expires)
        let joined = all?.joined(with: revocation) ?? revocation
        if joined == all { return false }
        all = joined
        sessions = sessions.filter { !covers($0) }
        return true
    }

    private mutating func add(_ end: SessionRevocation, of revocation: Revocation) -> Bool {
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

    /// Returns whether the revocation of all sessions covers this one.
    private func covers(_ end: SessionRevocation) -> Bool {
        guard let all, end.before.date <= all.before else { return false }
        guard let exempt = all.exempt, end.isOf(exempt.session) else { return true }
        return end.before.date <= exempt.issuedAt
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

    /// Discards revocations whose tokens had all expired by the given time.
    mutating func discard(expiredBy timestamp: WholeSecond) {
        func isExpired(_ expires: WholeSecond) -> Bool { expires != .none && expires <= timestamp }
        if all != nil, isExpired(allExpires) { all = nil }
        sessions.removeAll { isExpired($0.expires) }
    }

    /// Returns the revocations to store.
    package func records(of subscriber: SubscriberPseudonym, in publication: PublicationID) -> [UnsequencedRevocation] {
        var records: [UnsequencedRevocation] = []
        if let all { records.append(UnsequencedRevocation(revocation: all, expires: allExpires.date)) }
        records += sessions.map { end in
            UnsequencedRevocation(
                revocation: Revocation(
                    publication: publication, subscriber: subscriber, session: end.session, before: end.before.date),
                expires: end.expires.date)
        }
        return records
    }
}

/// A revocation and its expiry, without a sequence number.
package struct UnsequencedRevocation: Sendable, Hashable {
    package let revocation: Revocation
    package let expires: Date

    package init(revocation: Revocation, expires: Date) {
        self.revocation = revocation
        self.expires = expires
    }
}
