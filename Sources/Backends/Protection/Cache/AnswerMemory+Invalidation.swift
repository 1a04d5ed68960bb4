import Foundation
import Gatefold

/// What other processes learnt: it concerns what was asked before they did, whose order only the clocks can tell.
extension AnswerMemory {
    /// Forgets all about somebody that was asked until then.
    mutating func forget(_ group: Group, askedUntil seconds: TimeInterval, at moment: Moment) {
        barriers.raise(group, moment, longestQuestion: longestQuestion)
        for place in groups[group]?.places ?? [] where isAsked(place, until: seconds) { remove(place) }
    }

    /// Forgets that proofs of somebody were right, where that was asked until then.
    mutating func forgetCredentials(
        of group: Group, askedUntil seconds: TimeInterval, at moment: Moment, where isWrong: (UInt64) -> Bool
    ) {
        barriers.raise(group, moment, longestQuestion: longestQuestion)
        for place in groups[group]?.recognised ?? [] where isAsked(place, until: seconds) {
            if let proofs = entries[place]?.subject.proofs, isWrong(proofs) { remove(place) }
        }
    }

    /// Takes what a denial takes with it. What it leaves of the reader's subscriptions is asked anew as soon as possible.
    mutating func deny(
        _ group: Group, _ consequence: AnswerRules.Consequence, on edition: EditionID?,
        askedUntil seconds: TimeInterval, at moment: Moment
    ) {
        barriers.raise(group, moment, longestQuestion: longestQuestion)
        for place in places(in: group, takenBy: consequence, on: edition) where isAsked(place, until: seconds) {
            guard let entry = entries[place] else { continue }
            if consequence.takes(entry.answer, isSameEdition: entry.subject.edition == edition) { remove(place) }
        }
        age(group, askedUntil: seconds, at: moment)
    }

    /// Takes the verdicts on many editions. What a subscription says of the others is as good as before.
    mutating func deny(
        _ group: Group, onEditions isDenied: (EditionID) -> Bool, askedUntil seconds: TimeInterval, at moment: Moment
    ) {
        barriers.raise(group, moment, longestQuestion: longestQuestion)
        for place in groups[group]?.verdicts(onEditions: isDenied) ?? [] where isAsked(place, until: seconds) {
            remove(place)
        }
        age(group, askedUntil: seconds, at: moment)
    }

    private mutating func age(_ group: Group, askedUntil seconds: TimeInterval, at moment: Moment) {
        for place in groups[group]?.places ?? [] where isAsked(place, until: seconds) { age(place, at: moment.seconds) }
    }

    private func isAsked(_ place: Int, until seconds: TimeInterval) -> Bool {
        entries[place].map { $0.asked.seconds <= seconds } ?? false
    }
}
