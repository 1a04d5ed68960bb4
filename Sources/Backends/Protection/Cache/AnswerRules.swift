import Foundation
import Gatefold
import Protections

/// For how long an answer holds, and what it says about those remembered beside it.
struct AnswerRules: Sendable {
    /// Moments in the life of an answer, in seconds by the same clock that nobody sets as its question.
    struct Terms: Sendable, Equatable {
        /// What is no longer fresh at a moment, and stands in all the same.
        func endingFreshness(at moment: TimeInterval) -> Terms {
            Terms(
                revalidateAt: min(revalidateAt, moment), freshUntil: min(freshUntil, moment), goodUntil: goodUntil)
        }

        /// From here on it is asked anew behind the reader's back.
        let revalidateAt: TimeInterval
        /// From here on it is asked anew while the reader waits.
        let freshUntil: TimeInterval
        /// Until here it stands in when the backend can not be asked.
        let goodUntil: TimeInterval
    }

    /// What an answer takes with it of what the same subscriber was told before.
    enum Consequence: Sendable, Equatable {
        case none
        /// The grants of the same edition: another of their sessions was refused it.
        case edition
        /// Editions that were granted: the session no longer holds.
        case verdicts
        /// These, and what any of their sessions was told of an active subscription.
        case activity
        /// These, and whatever any of their sessions was told of a subscription.
        case subscriptions
        /// Everything: the backend no longer knows them.
        case everything

        /// - Parameter isSameEdition: whether both are verdicts on one edition.
        func takes(_ older: Answer, isSameEdition: Bool) -> Bool {
            switch (self, older) {
            case (.none, _): false
            case (.edition, .verdict): isSameEdition
            case (.edition, _): false
            case (.everything, _), (.verdicts, .verdict), (.activity, .verdict), (.subscriptions, .verdict): true
            case (.activity, .subscription(let subscription)): subscription.state == .active
            case (.subscriptions, .subscription): true
            case (.verdicts, _), (.activity, _), (.subscriptions, _): false
            }
        }
    }

    let settings: ProtectionSettings.Cache

    /// The age counts from when the question was put, not from when the answer came.
    ///
    /// - Parameter jitter: from 0 to 1; shortens what holds long by up to a fifth, so that what was learnt together is not
    ///   asked anew together. It never lengthens: freshness is a promise.
    func terms(of answer: Answer, asked: TimeInterval, jitter: Double) -> Terms {
        let goodUntil = Self.isGood(answer) ? asked + settings.lastKnownGood : asked
        if Self.opensSession(answer) { return Terms(revalidateAt: asked, freshUntil: asked, goodUntil: goodUntil) }
        guard Self.isAffirmative(answer) else {
            let freshUntil = asked + settings.negative
            return Terms(revalidateAt: freshUntil, freshUntil: freshUntil, goodUntil: goodUntil)
        }
        let share = 1 - jitter / 5
        return Terms(
            revalidateAt: asked + settings.revalidateAfter * share, freshUntil: asked + settings.freshness * share,
            goodUntil: goodUntil)
    }

    func consequence(of answer: Answer) -> Consequence {
        switch answer {
        case .subscription(let subscription):
            switch subscription.state {
            case .active: .none
            case .unknown: .everything
            case .inactive: .activity
            case .suspended: .subscriptions
            // Of this one session: the reader's others may be as good as ever.
            case .stale: .verdicts
            }
        case .verdict(.refused(.notRecognised?, _)): .everything
        case .verdict(.refused(.notEntitled?, _)), .verdict(.refused(nil, _)): .edition
        case .recognition, .verdict, .nothing: .none
        }
    }

    /// Whether it holds as long as ``ProtectionSettings/Cache/freshness``; the others only as long as a refusal does, so
    /// that whoever renews is let in at once.
    static func isAffirmative(_ answer: Answer) -> Bool {
        switch answer {
        case .recognition(.recognised), .verdict(nil), .verdict(.granted), .nothing: true
        case .subscription(let subscription): subscription.state == .active
        case .recognition(.notRecognised), .verdict(.refused), .verdict(.leftTo): false
        }
    }

    /// Whether it may stand in while the backend can not be asked. A refusal may not: it would be heard anew by somebody
    /// who has paid, or corrected the password, since (PITFALLS row 9). An inactive reader's own editions may.
    static func isGood(_ answer: Answer) -> Bool {
        switch answer {
        case .recognition, .verdict, .nothing: return isAffirmative(answer)
        case .subscription(let subscription):
            switch subscription.state {
            case .active: return true
            case .inactive: return subscription.entitlement != .nothing && subscription.entitlement != .allEditions
            case .unknown, .suspended, .stale: return false
            }
        }
    }

    /// Whether the answer is a session of its own at the backend, which two sign-ins should not share.
    static func opensSession(_ answer: Answer) -> Bool {
        guard case .recognition(.recognised(let subscriber)) = answer else { return false }
        return subscriber.upstreamSession != nil
    }
}
