import AccessModel
import Foundation
import Gatefold

/// What was refused a reader, as far as an outage has to know it.
enum RefusalKey: Hashable {
    /// The last word was anything but "active".
    case reader(String)
    case edition(title: Int, reader: String, EditionID)

    var reader: String {
        switch self {
        case .reader(let reader), .edition(_, let reader, _): reader
        }
    }
}

/// What each process knows of refusals, and what they tell one another.
struct Refusals {
    private struct Word {
        var isRefusal: Bool
        /// Rises with every word.
        let order: Int
        /// In seconds that had passed.
        let at: TimeInterval
        /// Two processes heard different things before they shared them: either may count.
        var isSure = true
        /// Another process heard it, or this one before it was started anew.
        var isNews = false
    }

    private var known: [[RefusalKey: Word]]
    private var waiting: [[RefusalKey: Word]]
    private var stored: [RefusalKey: Word] = [:]
    private var order = 0
    /// Those of whom more editions were refused than there is room for.
    private var crowded: Set<String> = []

    init(processes: Int) {
        known = Array(repeating: [:], count: processes)
        waiting = known
    }

    mutating func note(_ key: RefusalKey, _ isRefusal: Bool, by process: Int, at elapsed: TimeInterval) {
        if !isRefusal, known[process][key] == nil { return }
        order += 1
        let word = Word(isRefusal: isRefusal, order: order, at: elapsed)
        known[process][key] = word
        waiting[process][key] = word
    }

    /// The same of an edition alone, and not of its reader as a whole.
    func wasEditionRefused(_ key: RefusalKey, by process: Int) -> [Bool] {
        crowded.contains(key.reader) ? [false, true] : wasRefused([key], by: process)
    }

    mutating func crowd(_ reader: String) { crowded.insert(reader) }

    /// What a process may say of it: one where that is certain.
    func wasRefused(_ keys: [RefusalKey], by process: Int) -> [Bool] {
        let words = keys.compactMap { known[process][$0] }
        if words.contains(where: { $0.isRefusal && $0.isSure }) { return [true] }
        let isUnsure = words.contains { !$0.isSure } || keys.contains { $0.isOfEdition && crowded.contains($0.reader) }
        return isUnsure ? [false, true] : [false]
    }

    /// Whether it was another process that heard the refusal, or this one before it was started anew.
    func isNews(_ keys: [RefusalKey], to process: Int) -> Bool {
        keys.contains { known[process][$0].map { $0.isRefusal && $0.isNews } ?? false }
    }

    /// The store has what the process heard.
    mutating func tell(_ process: Int) {
        for (key, word) in waiting[process] where word.order > stored[key]?.order ?? 0 { stored[key] = word }
        waiting[process] = [:]
    }

    /// - Parameter isStepped: whether the clock was set since: then the store may have taken an end of a refusal for old.
    mutating func follow(_ process: Int, isStepped: Bool = false) {
        for (key, var word) in stored {
            let own = known[process][key]
            if let own, own.order >= word.order {
                if own.order > word.order, own.isRefusal != word.isRefusal, !own.isRefusal {
                    known[process][key]?.isSure = false
                }
                continue
            }
            word.isNews = true
            if isStepped, !word.isRefusal { word.isSure = false }
            known[process][key] = word
        }
    }

    /// - Parameter hasTold: whether it could write down what it had heard.
    mutating func restart(_ process: Int, hasTold: Bool, at elapsed: TimeInterval) {
        if hasTold { tell(process) }
        waiting[process] = [:]
        known[process] = [:]
        follow(process)
        // A clock that was wrong when it was heard, or is now, may make it a year older than it is.
        for (key, word) in known[process] where elapsed - word.at > 30 * 86_400 { known[process][key]?.isSure = false }
    }
}

extension RefusalKey {
    fileprivate var isOfEdition: Bool {
        if case .edition = self { true } else { false }
    }
}

/// Something that one process heard of the house, and the others have to know.
struct News {
    enum Kind {
        case heard(HouseAnswer, to: HouseQuestion)
        case flushed(reader: String?)
        case flushedName(of: String)
    }

    let kind: Kind
    let order: Int
    /// By the clock of then.
    let moment: Date
    let from: Int

    func isRecognition(of key: String) -> Bool {
        guard case .heard(.recognition(.recognised(let reader)), to: .recognise) = kind else { return false }
        return reader.key == key
    }
}

/// What a refusal is about: a reader, or an edition for a reader.
struct Subject: Hashable {
    let reader: String
    let edition: EditionID?

    init?(_ question: HouseQuestion) {
        switch question {
        case .subscription(let subscriber): (reader, edition) = (subscriber.key, nil)
        case .verdict(let edition, let subscriber): (reader, self.edition) = (subscriber.key, edition)
        case .recognise, .renew, .signOut: return nil
        }
    }
}

/// How much of what was said before a refusal ends.
enum Refusal: Equatable {
    case subscription(SubscriptionState)
    case edition(CredentialsRefusal.Reason?)

    init?(_ answer: HouseAnswer) {
        switch answer {
        case .subscription(let told) where told.state != .active: self = .subscription(told.state)
        case .verdict(.refused(let reason, _)): self = .edition(reason)
        default: return nil
        }
    }
}

/// Sessions that one process ended, until the others know it.
struct EndOfSessions {
    let from: Int
    let sittings: Set<Int>
    let isOfScope: (Chronicle.Ticket) -> Bool
}
