import Foundation
import Gatefold
import Primitives
import Settings

/// A mapping from a subscriber system's record to a subscription, configured by the backend's `subscription`
/// settings.
///
/// Data that cannot be understood is an error, never an empty result. Only a mapped `all_editions` grants
/// all editions. Source: Pitfall 1, “A missing issue list read as everything”.
struct SubscriptionMapping: Sendable {
    /// The source of the state.
    private enum StateSource: String, CaseIterable {
        /// A field with the system's state value, limited by the periods when periods are configured: without a
        /// current period, no subscription is active.
        case field
        /// The periods: active during a period, otherwise inactive.
        case periods
    }

    /// The readers whose state value “active” counts only during a period.
    private enum StateLimit: String, CaseIterable {
        case always
        /// The readers with a known start or end.
        case dated
        case never
    }

    private struct Category: Sendable {
        let scheme: String
        let field: String
    }

    private struct AllEditionsRule: Sendable {
        let field: String
        let trueValues: Set<String>
    }

    private let source: StateSource
    private let stateField: String
    private let states: StateMapping
    private let messageField: String?
    private let editions: EditionsMapping?
    private let everything: AllEditionsRule?
    private let startField: String?
    private let endField: String?
    private let limit: StateLimit
    private let dates: DateFormat
    private let categories: [Category]

    /// Reads `state`, `message`, `editions`, `all_editions`, `periods` and `user_info`. See the article “Mapping
    /// results”.
    init(_ section: SettingsSection) throws(SettingsError) {
        let state = try section.section("state")
        source = try state.choice("by", default: .field)
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
        if section.has("all_editions") {
            let settings = try section.section("all_editions")
            let field = try settings.string("from", default: "all_editions")
            let trueValues = try settings.strings("when") ?? ["1", "true", "t", "yes", "y"]
            try settings.finish()
            everything = AllEditionsRule(field: field, trueValues: Set(trueValues.map(Self.fold)))
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

    /// The fields that the mapping reads, for backends that must request fields by name.
    var fields: Set<String> {
        let single = [source == .field ? stateField : nil, messageField, editions?.field, everything?.field]
        return Set((single + [startField, endField] + categories.map(\.field)).compactMap(\.self))
    }

    /// The field that a response must contain, even if blank. Without the field, a period that has begun would
    /// never end.
    var requiredEndField: String? { startField == nil ? nil : endField }

    /// The field that lists editions in the records of a separate query.
    var editionsField: String { (editions ?? .standard).field }

    /// Returns the subscription for a record.
    ///
    /// - Parameters:
    ///   - record: the system's data about the subscriber.
    ///   - held: records that list editions when a separate query returns them, otherwise nil.
    func subscription(
        from record: Record, held: [Record]? = nil, at timestamp: Date
    ) throws(MappingError) -> Subscription {
        QueryTrace.received { traced(record) }
        for record in held ?? [] { QueryTrace.received { traced(record) } }
        let periods = try periods(in: record)
        let state = try state(in: record, periods, at: timestamp)
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

    /// Returns the fields of a record for an operator. Only those that decide about access are no personal data.
    private func traced(_ record: Record) -> [QueryTrace.Field] {
        let deciding = Set(
            [stateField, editionsField, everything?.field, startField, endField].compactMap(\.self))
        return record.names.map { name in
            QueryTrace.Field(name, (try? record.values(name)) ?? [], isPersonal: !deciding.contains(name))
        }
    }

    private func state(
        in record: Record, _ periods: [Period], at timestamp: Date
    ) throws(MappingError) -> SubscriptionState {
        let isRunning = periods.contains { $0.contains(timestamp) }
        switch source {
        case .periods: return isRunning ? .active : .inactive
        case .field:
            let state = try states.state(try record.value(stateField))
            let isLimited =
                switch limit {
                case .always: true
                case .dated: !periods.isEmpty
                case .never: false
                }
            // A system may continue to report a reader as active after the last period has ended.
            return state == .active && isLimited && !isRunning ? .inactive : state
        }
    }

    private static func fold(_ value: String) -> String {
        value.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
    }

    private func entitlement(in record: Record, held: [Record]?) throws(MappingError) -> Entitlement {
        if let everything, let value = try record.value(everything.field),
            everything.trueValues.contains(Self.fold(value))
        {
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

    /// Returns the periods. Starts and ends pair up by position. A missing start with an end means “always”, and a
    /// missing end with a start means “never ends”. Without both there is no period, because a missing value does
    /// not mean “for ever”.
    private func periods(in record: Record) throws(MappingError) -> [Period] {
        let starts = try dates(startField, in: record, isEnd: false)
        let ends = try dates(endField, in: record, isEnd: true)
        let count = max(starts.count, ends.count)
        // With several periods, one missing value would pair the others with the wrong neighbour.
        if startField != nil, endField != nil, count > 1, starts.count != ends.count { throw .unpairedPeriods }
        return (0..<count).compactMap { index in
            let start = index < starts.count ? starts[index] : nil
            let end = index < ends.count ? ends[index] : nil
            if start == nil && end == nil { return nil }
            return Period(start: start ?? .distantPast, end: end)
        }
    }

    /// Returns the dates of a field. A blank text gives nil, because it is equivalent to a missing value.
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
