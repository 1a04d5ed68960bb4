public import Foundation
public import Gatefold

/// A question to a publisher's subscriber system, the house.
public enum HouseQuestion: Hashable, Sendable {
    /// - Parameter identifier: as it was typed.
    case recognise(identifier: String, password: String)
    case subscription(Subscriber)
    case verdict(EditionID, Subscriber)
    case renew(Subscriber)
    case signOut(Subscriber)
}

public enum HouseAnswer: Equatable, Sendable {
    case recognition(Recognition)
    case subscription(Subscription)
    case verdict(EditionVerdict?)
    case done
}

/// What the house said, for how long that counts, and what it takes back of what it said before.
public struct HouseMemory: Sendable {
    private struct Said {
        let answer: HouseAnswer
        let at: TimeInterval
        /// Rises with everything that is heard, here or elsewhere.
        let order: Int
    }

    /// For so long a good word counts as said now, in seconds.
    public var freshness: TimeInterval = 60
    /// For so long a refusal does.
    public var negative: TimeInterval = 5
    /// For so long a good word stands in while the house can not be asked.
    public var lastKnownGood: TimeInterval = 86_400
    private var said: [HouseQuestion: Said] = [:]

    public init() {}

    /// - Parameters:
    ///   - now: by the monotonic clock.
    ///   - order: rises with everything that is heard.
    public mutating func hear(
        _ answer: HouseAnswer, to question: HouseQuestion, at now: TimeInterval, order: Int
    ) {
        switch question {
        case .renew(let reader):
            // Another session of the reader is another question from now on.
            if answer != .recognition(.recognised(reader)) { forget(reader: reader.key) }
        case .signOut(let reader): forget(reader: reader.key)
        case .recognise, .subscription, .verdict:
            takeBack(by: answer, to: question, order: order)
            said[question] = Said(answer: answer, at: now, order: order)
        }
    }

    /// Takes in what was heard elsewhere: what was said here before no longer holds where that contradicts it.
    public mutating func learn(_ answer: HouseAnswer, to question: HouseQuestion, order: Int) {
        switch question {
        case .recognise, .subscription, .verdict: takeBack(by: answer, to: question, order: order)
        case .renew, .signOut: break
        }
    }

    /// What needs not be asked.
    public func fresh(_ question: HouseQuestion, at now: TimeInterval) -> HouseAnswer? {
        guard let word = said[question] else { return nil }
        // A session opened in the house is one sign-in's.
        if case .recognition(.recognised(let reader)) = word.answer, reader.upstreamSession != nil { return nil }
        let age = now - word.at
        return age < (Self.isYes(word.answer) ? freshness : negative) ? word.answer : nil
    }

    /// What counts while the house can not be asked: never a refusal.
    public func standIn(_ question: HouseQuestion, at now: TimeInterval) -> HouseAnswer? {
        guard let word = said[question], Self.isYes(word.answer) || Self.leavesSomething(word.answer) else {
            return nil
        }
        return now - word.at < lastKnownGood ? word.answer : nil
    }

    /// - Parameter order: only what was heard before.
    public mutating func forgetAll(before order: Int = .max) { said = said.filter { $0.value.order >= order } }

    public mutating func forget(reader key: String, before order: Int = .max) {
        said = said.filter { $0.value.order >= order || Self.reader($0.key, $0.value.answer) != key }
    }

    public mutating func forget(identifier: String) {
        let own = said.filter { Self.isRecognition($0.key, of: identifier) }
        for (question, word) in own {
            said[question] = nil
            if let key = Self.reader(question, word.answer) { forget(reader: key) }
        }
    }

    /// A refusal ends what the same reader was told before, in whatever session: PITFALLS rows 8, 9 and 22.
    private mutating func takeBack(by answer: HouseAnswer, to question: HouseQuestion, order: Int) {
        if case .recognise(let identifier, let password) = question, case .recognition(.recognised(let reader)) = answer
        {
            // The password is another one now, however the reader spells their name.
            said = said.filter { old in
                guard old.value.order < order, case .recognise(let name, let other) = old.key, other != password,
                    case .recognition(.recognised(let known)) = old.value.answer
                else { return true }
                return !Self.isSame(name, identifier) && known.key != reader.key
            }
        }
        guard let key = Self.reader(question, answer) else { return }
        switch answer {
        case .subscription(let told) where told.state == .unknown: forget(reader: key, before: order)
        case .verdict(.refused(.notRecognised?, _)): forget(reader: key, before: order)
        case .verdict(nil), .verdict(.granted), .recognition, .done: break
        default:
            said = said.filter { old in
                old.value.order >= order || Self.reader(old.key, old.value.answer) != key
                    || !Self.ends(answer, question, old.key, old.value.answer)
            }
        }
    }

    /// Whether two identifiers as they were typed are one to the program itself.
    private static func isSame(_ one: String, _ other: String) -> Bool {
        func plain(_ name: String) -> String { name.trimmingCharacters(in: .whitespaces).lowercased() }
        return plain(one) == plain(other)
    }

    private static func ends(
        _ answer: HouseAnswer, _ question: HouseQuestion, _ oldQuestion: HouseQuestion, _ old: HouseAnswer
    ) -> Bool {
        switch (answer, old) {
        case (.subscription(let told), .verdict): told.state != .active
        case (.subscription(let told), .subscription(let before)):
            told.state == .suspended || told.state == .inactive && before.state == .active
        case (.verdict(.refused(let reason, _)), .verdict):
            reason != .expired && edition(question) == edition(oldQuestion)
        default: false
        }
    }

    private static func isYes(_ answer: HouseAnswer) -> Bool {
        switch answer {
        case .recognition(.recognised), .verdict(.granted), .verdict(nil), .done: true
        case .subscription(let told): told.state == .active
        case .recognition, .verdict: false
        }
    }

    /// Whoever pays no more, and still holds editions.
    private static func leavesSomething(_ answer: HouseAnswer) -> Bool {
        guard case .subscription(let told) = answer, told.state == .inactive else { return false }
        return told.entitlement != .nothing && told.entitlement != .allEditions
    }

    private static func reader(_ question: HouseQuestion, _ answer: HouseAnswer) -> String? {
        switch question {
        case .recognise:
            if case .recognition(.recognised(let reader)) = answer { reader.key } else { nil }
        case .subscription(let reader), .verdict(_, let reader), .renew(let reader), .signOut(let reader): reader.key
        }
    }

    private static func isRecognition(_ question: HouseQuestion, of identifier: String) -> Bool {
        if case .recognise(let name, _) = question { isSame(name, identifier) } else { false }
    }

    private static func edition(_ question: HouseQuestion) -> EditionID? {
        if case .verdict(let edition, _) = question { edition } else { nil }
    }
}
