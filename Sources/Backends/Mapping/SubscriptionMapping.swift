import Foundation
import Gatefold
import Settings

/// From what a subscriber system hands over about somebody to a subscription, by the backend's `subscription` settings.
///
/// Whatever it can not understand is an error and not an empty answer, and nothing but a mapped `everything` opens
/// everything (PITFALLS row 1).
struct SubscriptionMapping: Sendable {
    /// What decides the state.
    private enum StateSource: String, CaseIterable {
        /// A field with the system's word for it, and the periods where such are configured: without one that runs,
        /// nobody is active.
        case word
        /// The periods: active while one runs, else inactive.
        case periods
    }

    /// For which readers the word for "active" counts only while a period runs.
    private enum StateLimit: String, CaseIterable {
        case always
        /// Those of whom a start or an end is known.
        case dated
        case never
    }

    private struct Category: Sendable {
        let scheme: String
        let field: String
    }

    private struct Everything: Sendable {
        let field: String
        let words: Set<String>
    }

    private let source: StateSource
    private let stateField: String
    private let states: StateMapping
    private let messageField: String?
    private let editions: EditionsMapping?
    private let everything: Everything?
    private let startField: String?
    private let endField: String?
    private let limit: StateLimit
    private let dates: DateForm
    private let categories: [Category]

    /// Reads `state`, `message`, `editions`, `everything`, `periods` and `user_info`; see the guide "Mapping answers".
    init(_ section: SettingsSection) throws(SettingsError) {
        let state = try section.section("state")
        source = try state.choice("by", default: .word)
        stateField = try state.string("from", default: "state")
        states = try StateMapping(state)
        try state.finish()
        messageField = try section.string("message")
        if section.has("editions") {
            let settings = try section.section("editions")
            editions = try EditionsMapping(settings)
            try settings.finish()
        } else {
            editions = nil
        }
        if section.has("everything") {
            let settings = try section.section("everything")
            let field = try settings.string("from", default: "everything")
            let words = try settings.strings("when") ?? ["1", "true", "t", "yes", "y"]
            try settings.finish()
            everything = Everything(field: field, words: Set(words.map(Self.fold)))
        } else {
            everything = nil
        }
        let periods = try section.section("periods")
        startField = try periods.string("start")
        endField = try periods.string("end")
        dates = try periods.choice("dates", default: .iso)
        let hasPeriods = startField != nil || endField != nil
        limit = try periods.choice("limit_state", default: hasPeriods ? .always : .never)
        if periods.has("limit_state"), !hasPeriods {
            throw periods.error("limit_state", expected: "needs the fields `start`, `end` or both")
        }
        if source == .periods, hasPeriods, limit != .always {
            throw periods.error("limit_state", expected: "expected `always`, because the periods decide the state")
        }
        try periods.finish()
        if source == .periods, !hasPeriods {
            throw state.error("by", expected: "needs `periods` with the fields `start`, `end` or both")
        }
        var categories: [Category] = []
        for item in try section.sections("user_info") {
            categories.append(
                Category(
                    scheme: try item.requiredString("scheme", expected: "a URI"),
                    field: try item.requiredString("from", expected: "the name of a field")))
            try item.finish()
        }
        self.categories = categories
        try section.finish()
    }

    /// The fields it reads, for whoever must ask for them by name.
    var fields: Set<String> {
        let single = [source == .word ? stateField : nil, messageField, editions?.field, everything?.field]
        return Set((single + [startField, endField] + categories.map(\.field)).compactMap(\.self))
    }

    /// The field that has to be in an answer, if only blank: without it a period that has begun would never end.
    var endOfBegun: String? { startField == nil ? nil : endField }

    /// The field that lists editions in the records that a question of its own brings.
    var editionsField: String { (editions ?? .standard).field }

    /// - Parameters:
    ///   - record: what was handed over about the subscriber.
    ///   - held: records that list editions, where these come by a question of their own; nil where they do not.
    func subscription(
        from record: Record, held: [Record]? = nil, at moment: Date
    ) throws(MappingError) -> Subscription {
        let periods = try periods(in: record)
        let state = try state(in: record, periods, at: moment)
        var message: String?
        if let messageField, let text = try record.value(messageField), !text.isEmpty { message = text }
        var info: [UserInfoCategory] = []
        for category in categories {
            for value in try record.values(category.field) where !value.isEmpty {
                info.append(UserInfoCategory(scheme: category.scheme, value: value))
            }
        }
        return Subscription(
            state: state, message: message, entitlement: try entitlement(in: record, held: held), userInfo: info,
            periods: periods)
    }

    private func state(
        in record: Record, _ periods: [Period], at moment: Date
    ) throws(MappingError) -> SubscriptionState {
        let isRunning = periods.contains { $0.contains(moment) }
        switch source {
        case .periods: return isRunning ? .active : .inactive
        case .word:
            let state = try states.state(try record.value(stateField))
            let isLimited =
                switch limit {
                case .always: true
                case .dated: !periods.isEmpty
                case .never: false
                }
            // A system may go on calling a reader active whose last period has ended.
            return state == .active && isLimited && !isRunning ? .inactive : state
        }
    }

    private static func fold(_ word: String) -> String {
        word.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
    }

    private func entitlement(in record: Record, held: [Record]?) throws(MappingError) -> Entitlement {
        if let everything, let word = try record.value(everything.field), everything.words.contains(Self.fold(word)) {
            return .allEditions
        }
        var found: Set<EditionID> = []
        let lists = editions ?? EditionsMapping.standard
        if editions != nil, held == nil || record.has(lists.field) {
            found.formUnion(try lists.editions(in: record))
        }
        for item in held ?? [] { found.formUnion(try lists.editions(in: item)) }
        return .editions(found)
    }

    /// Starts and ends belong together in their order. With an end, a missing start has always been; with a start, a
    /// missing end never comes. Where neither is there is no period: nothing is not "for ever".
    private func periods(in record: Record) throws(MappingError) -> [Period] {
        let starts = try dates(startField, in: record, isEnd: false)
        let ends = try dates(endField, in: record, isEnd: true)
        let count = max(starts.count, ends.count)
        // Of several, one that is missing would move the others to a neighbour's.
        if startField != nil, endField != nil, count > 1, starts.count != ends.count { throw .unpairedPeriods }
        return (0..<count).compactMap { index in
            let start = index < starts.count ? starts[index] : nil
            let end = index < ends.count ? ends[index] : nil
            if start == nil && end == nil { return nil }
            return Period(start: start ?? .distantPast, end: end)
        }
    }

    /// Nil for a blank text, which is as good as none.
    private func dates(_ field: String?, in record: Record, isEnd: Bool) throws(MappingError) -> [Date?] {
        guard let field else { return [] }
        var found: [Date?] = []
        for text in try record.values(field) {
            if text.allSatisfy(\.isWhitespace) {
                found.append(nil)
            } else if let date = dates.date(text, isEnd: isEnd) {
                found.append(date)
            } else {
                throw .unreadableDate(field)
            }
        }
        return found
    }
}
