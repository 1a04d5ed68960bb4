import Foundation
import Gatefold

/// The answers that are remembered: found by the digest of their question, forgotten by whom they are about, and as soon
/// as the memory is full.
struct AnswerMemory: Sendable {
    struct Entry {
        let subject: Subject
        let answer: Answer
        let asked: Moment
        var terms: AnswerRules.Terms
        let bytes: Int
        var nextRevalidation: TimeInterval
        /// Noted when it is taken away.
        let changes = ChangeCount()

        var isRecognised: Bool {
            if case .recognition(.recognised) = answer { true } else { false }
        }

        var part: Part {
            if case .recognition(.notRecognised) = answer { .strangers } else { .readers }
        }
    }

    /// Anybody can have wrong credentials refused, as many as they like. Such refusals have their own small part of the
    /// memory, so that they do not drive out what readers need in an outage.
    enum Part: Int, CaseIterable {
        case readers, strangers
    }

    /// One in so many bytes, at most, is for the refusals of wrong credentials.
    static let strangersShare = 8

    /// The most answers about one subscriber or identifier: whoever asks for ever more drives out what is theirs (PITFALLS
    /// row 23), and looking through it stays short.
    static let share = 512

    /// So many seconds pass before an answer that could not be renewed is tried again.
    static let revalidationPause: TimeInterval = 1

    private let rules: AnswerRules
    /// No question is under way for longer than this, in seconds.
    let longestQuestion: TimeInterval
    private(set) var entries: [Entry?] = []
    private var places: [QuestionKey: Int] = [:]
    private(set) var groups: [Group: AnswerShelf] = [:]
    private var recency = RecencyList(lanes: Part.allCases.count)
    var barriers = Barriers()
    private var bytesByPart = [Int](repeating: 0, count: Part.allCases.count)

    init(_ settings: ProtectionSettings.Cache, longestQuestion: TimeInterval) {
        rules = AnswerRules(settings: settings)
        self.longestQuestion = longestQuestion
    }

    var count: Int { places.count }
    var bytes: Int { bytesByPart.reduce(0, +) }

    mutating func find(_ key: QuestionKey, at now: TimeInterval) -> Finding {
        guard let place = places[key], let entry = entries[place] else { return .missing }
        recency.use(place)
        guard now < entry.terms.freshUntil else { return .missing }
        guard now >= entry.nextRevalidation else {
            return now < entry.terms.revalidateAt ? .fresh(entry.answer) : .ageing(entry.answer, isDue: false)
        }
        entries[place]?.nextRevalidation = now + Self.revalidationPause
        return .ageing(entry.answer, isDue: true)
    }

    /// A fresh answer that nobody has to ask anew yet, how long that is so, and how to see that it was not taken away.
    mutating func peek(
        _ key: QuestionKey, at now: TimeInterval
    ) -> (answer: Answer, mark: ChangeCount.Mark, until: TimeInterval)? {
        guard let place = places[key], let entry = entries[place] else { return nil }
        let until = min(entry.terms.freshUntil, entry.terms.revalidateAt, entry.nextRevalidation)
        guard now < until else { return nil }
        recency.use(place)
        return (entry.answer, entry.changes.mark, until)
    }

    /// The answer that stands in while the backend can not be asked.
    func lastKnownGood(_ key: QuestionKey, at now: TimeInterval) -> Answer? {
        guard let place = places[key], let entry = entries[place], now < entry.terms.goodUntil else { return nil }
        return entry.answer
    }

    /// Remembers an answer, unless something later is known already. A refusal takes the place of what was good before, and
    /// keeps it after it has ceased to be fresh.
    mutating func store(_ told: Told, _ subject: Subject, jitter: Double, at now: TimeInterval) {
        if let place = places[subject.key], let known = entries[place], known.asked.order >= told.asked.order { return }
        guard !barriers.bar(told.asked, subject.groups) else { return }
        let entry = Entry(
            subject: subject, answer: told.answer, asked: told.asked,
            terms: rules.terms(of: told.answer, asked: told.asked.seconds, jitter: jitter),
            bytes: AnswerSize.entry + AnswerSize.bytes(of: told.answer), nextRevalidation: 0)
        if entry.isRecognised, !supersede(entry) { return }
        follow(rules.consequence(of: told.answer), of: entry, at: now)
        insert(entry)
        for group in subject.groups { trimShare(of: group, at: now) }
        trim(at: now)
    }

    /// Forgets all that is remembered about somebody, and what is being asked about them at this moment.
    ///
    /// - Returns: how many answers there were.
    @discardableResult
    mutating func forget(_ group: Group, at moment: Moment) -> Int {
        barriers.raise(group, moment, longestQuestion: longestQuestion)
        let found = groups[group]?.places ?? []
        for place in found { remove(place) }
        return found.count
    }

    @discardableResult
    mutating func forgetAll(at moment: Moment) -> Int {
        let all = count
        barriers.raiseAll(moment)
        for entry in entries { entry?.changes.note() }
        entries = []
        places = [:]
        groups = [:]
        recency = RecencyList(lanes: Part.allCases.count)
        bytesByPart = [Int](repeating: 0, count: Part.allCases.count)
        return all
    }

    /// The subscribers that somebody's credentials were recognised as.
    func subscribers(recognisedIn group: Group) -> Set<Group> {
        var found: Set<Group> = []
        for place in groups[group]?.recognised ?? [] {
            for other in entries[place]?.subject.groups ?? [] where other != group { found.insert(other) }
        }
        return found
    }

    /// Of a subscriber, and of an identifier, only the proofs recognised last are remembered, good ones of an outage included:
    /// the password before is wrong now (PITFALLS row 8), under whatever spelling of the identifier the backend took it
    /// (PITFALLS row 22). Returns false when later ones are known.
    ///
    /// It goes by whom the backend recognised, never by what identifiers look like: nobody's answers go because somebody else
    /// signs in under a similar one. A receipt is not wrong because there is another.
    private mutating func supersede(_ entry: Entry) -> Bool {
        guard let proofs = entry.subject.proofs else { return true }
        for group in entry.subject.groups {
            for place in groups[group]?.recognised ?? [] {
                guard let other = entries[place], let others = other.subject.proofs, others != proofs
                else { continue }
                if other.asked.order > entry.asked.order { return false }
                remove(place)
            }
        }
        return true
    }

    private mutating func follow(_ consequence: AnswerRules.Consequence, of entry: Entry, at now: TimeInterval) {
        guard consequence != .none else { return }
        for group in entry.subject.groups {
            // What is under way about one edition may be about any other, too.
            if consequence != .edition {
                barriers.raise(
                    group, Moment(seconds: now, order: entry.asked.order &- 1), longestQuestion: longestQuestion)
            }
            for place in places(in: group, takenBy: consequence, on: entry.subject.edition) {
                guard let other = entries[place], other.asked.order < entry.asked.order else { continue }
                let isSameEdition = other.subject.edition == entry.subject.edition
                if consequence.takes(other.answer, isSameEdition: isSameEdition) { remove(place) }
            }
        }
    }

    /// Where what a consequence takes can be.
    func places(in group: Group, takenBy consequence: AnswerRules.Consequence, on edition: EditionID?) -> Set<Int> {
        guard let shelf = groups[group] else { return [] }
        return consequence == .edition ? shelf.verdicts(on: edition) : shelf.places
    }

    private mutating func insert(_ entry: Entry) {
        if let place = places[entry.subject.key] { remove(place) }
        let place = recency.insert(in: entry.part.rawValue)
        while entries.count <= place { entries.append(nil) }
        var entry = entry
        entry.nextRevalidation = entry.terms.revalidateAt
        entries[place] = entry
        places[entry.subject.key] = place
        for group in entry.subject.groups {
            groups[group, default: AnswerShelf()].insert(
                place, on: entry.subject.edition, isRecognised: entry.isRecognised)
        }
        bytesByPart[entry.part.rawValue] += entry.bytes
    }

    mutating func remove(_ place: Int) {
        guard let entry = entries[place] else { return }
        entry.changes.note()
        entries[place] = nil
        places[entry.subject.key] = nil
        for group in entry.subject.groups {
            groups[group]?.remove(place, on: entry.subject.edition)
            if groups[group]?.count == 0 { groups[group] = nil }
        }
        recency.remove(place)
        bytesByPart[entry.part.rawValue] -= entry.bytes
    }

    /// Ends the freshness of an answer about a subscription; it still stands in.
    mutating func age(_ place: Int, at now: TimeInterval) {
        guard let entry = entries[place], case .subscription = entry.answer else { return }
        entry.changes.note()
        entries[place]?.terms = entry.terms.endingFreshness(at: now)
        entries[place]?.nextRevalidation = min(entry.nextRevalidation, now)
    }

    /// Takes away a quarter of what there is about somebody where it is too much: first what helps nobody in an outage, then
    /// what was asked longest ago.
    private mutating func trimShare(of group: Group, at now: TimeInterval) {
        guard let places = groups[group]?.places, places.count > Self.share else { return }
        let order = places.compactMap { place in
            entries[place].map { (place, isGood: now < $0.terms.goodUntil, order: $0.asked.order) }
        }.sorted { ($0.isGood ? 1 : 0, $0.order) < ($1.isGood ? 1 : 0, $1.order) }
        for (place, _, _) in order.prefix(places.count / 4) { remove(place) }
    }

    /// Makes room, and takes away a little of what nobody used since it ceased to be good.
    private mutating func trim(at now: TimeInterval) {
        for part in Part.allCases {
            for _ in 0..<2 {
                guard let oldest = recency.oldest(in: part.rawValue), let entry = entries[oldest],
                    now >= max(entry.terms.goodUntil, entry.terms.freshUntil) + longestQuestion
                else { break }
                remove(oldest)
            }
        }
        let most = rules.settings.memory
        trim(.strangers, while: { $0.bytesByPart[Part.strangers.rawValue] > most / Self.strangersShare })
        trim(.readers, while: { $0.bytes > most })
        // Where a single answer is all that fits.
        trim(.strangers, while: { $0.bytes > most })
    }

    private mutating func trim(_ part: Part, while isTooMuch: (Self) -> Bool) {
        while isTooMuch(self), let oldest = recency.oldest(in: part.rawValue) { remove(oldest) }
    }
}
