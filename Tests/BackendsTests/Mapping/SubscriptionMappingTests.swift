import Foundation
import Gatefold
import Settings
import TestSupport
import Testing

@testable import Backends

@Suite("Subscription mapping")
struct SubscriptionMappingTests {
    private let now = Date(timeIntervalSince1970: 1_793_534_400)

    private func mapping(_ text: String) throws -> SubscriptionMapping {
        try SubscriptionMapping(
            try YAMLSettings.read(text: text, name: "gatefold.yaml", folder: "/nowhere").section("subscription"))
    }

    private func row(_ fields: [String: [String]]) -> Record { Record(fields, requiresEveryField: true) }

    private func entry(_ fields: [String: [String]]) -> Record { Record(fields, requiresEveryField: false) }

    @Test("The five states have their own names by default", arguments: SubscriptionState.allCases)
    func ownNames(state: SubscriptionState) throws {
        let reported = try mapping("").subscription(from: row(["state": [" \(state.rawValue.uppercased()) "]]), at: now)
        #expect(reported.state == state)
        #expect(reported.entitlement == .nothing)
    }

    @Test("A system's own values are mapped, including the empty one and all others")
    func ownMessages() throws {
        let mapping = try mapping(
            """
            subscription:
              state: {from: Status, active: [CURRENT, "1"], empty: unknown, other: inactive}
            """)
        for (word, state) in [
            ("current", SubscriptionState.active), ("1", .active), ("", .unknown), ("  ", .unknown),
            ("LAPSED", .inactive), ("active", .inactive),
        ] {
            #expect(try mapping.subscription(from: entry(["Status": [word]]), at: now).state == state, "\(word)")
        }
        #expect(try mapping.subscription(from: entry([:]), at: now).state == .unknown)
    }

    @Test("Pitfall 1: an unknown value is an error, never an empty result")
    func unrecognizedResponse() throws {
        let mapping = try mapping(
            "subscription: {editions: {from: skus}, all_editions: {from: plan, when: [gold]}, periods: {end: ends}}")
        let good: [String: [String]] = ["state": ["active"], "skus": [], "plan": [], "ends": []]
        #expect(try mapping.subscription(from: row(good), at: now).entitlement == .nothing)
        for (change, expected) in [
            (["state": ["paused"]], MappingError.unmappedState), (["state": []], .emptyState),
            (["state": ["active", "active"]], .severalValues("state")), (["skus": ["a:b"]], .unreadableEdition("skus")),
            (["ends": ["soon"]], .unreadableDate("ends")), (["plan": ["gold", "gold"]], .severalValues("plan")),
        ] as [([String: [String]], MappingError)] {
            #expect(throws: expected) {
                try mapping.subscription(from: row(good.merging(change) { $1 }), at: now)
            }
        }
        for name in ["state", "skus", "plan", "ends"] {
            #expect(throws: MappingError.missingField(name)) {
                try mapping.subscription(from: row(good.filter { $0.key != name }), at: now)
            }
        }
    }

    @Test("Pitfall 1: only the configured value opens all editions, with any other fields")
    func neverEverything() throws {
        var random = SeededRandom(seed: 7)
        let mapping = try mapping(
            """
            subscription:
              state: {other: inactive, empty: inactive}
              editions: {from: skus, others: skip}
              all_editions: {from: plan, when: [gold]}
            """)
        let words = ["", "silver", "golden", "go ld", "*", "all", "null", "gold", "GOLD"]
        for _ in 0..<8_000 {
            var fields: [String: [String]] = ["state": [["active", "inactive", "?"].randomElement(using: &random)!]]
            let plan = words.randomElement(using: &random)!
            if Bool.random(using: &random) { fields["plan"] = [plan] }
            if Bool.random(using: &random) {
                fields["skus"] = [
                    String(decoding: random.hostileBytes(upTo: 20, specialCharacters: ",; *.com"), as: UTF8.self)
                ]
            }
            let reported = try mapping.subscription(from: entry(fields), at: now)
            let isGold = fields["plan"] != nil && plan.lowercased() == "gold"
            #expect((reported.entitlement == .allEditions) == isGold, "\(fields)")
        }
    }

    @Test("Editions come in lists, in several values, in their own records, and with a prefix")
    func editions() throws {
        let mapping = try mapping(
            "subscription: {editions: {from: skus, prefix: com.example., separators: \"|\"}}")
        let reported = try mapping.subscription(
            from: row(["state": ["active"], "skus": ["1| 2 ||", "3"]]),
            held: [entry(["skus": ["4"]]), entry([:])], at: now)
        let expected = ["com.example.1", "com.example.2", "com.example.3", "com.example.4"].compactMap { EditionID($0) }
        #expect(reported.entitlement == .editions(Set(expected)))
        let standard = try self.mapping("").subscription(
            from: row(["state": ["active"]]), held: [row(["edition": ["a"]]), row(["edition": ["b"]])], at: now)
        #expect(standard.entitlement == .editions(Set(["a", "b"].compactMap { EditionID($0) })))
    }

    @Test("Periods determine the state with `by: periods`, and a day as an end lasts until its last second")
    func periods() throws {
        let mapping = try mapping(
            "subscription: {state: {by: periods}, periods: {start: from, end: to, dates: day_first}}")
        let day = "01/11/2026"
        let reported = try mapping.subscription(from: row(["from": [day], "to": [day]]), at: now)
        #expect(reported.state == .active)
        #expect(reported.periods.count == 1)
        let lapsed = try mapping.subscription(from: row(["from": ["1.1.2020"], "to": ["31.10.2026"]]), at: now)
        #expect(lapsed.state == .inactive)
        #expect(try mapping.subscription(from: row(["from": ["1-1-2020"], "to": []]), at: now).state == .active)
        #expect(try mapping.subscription(from: row(["from": [], "to": []]), at: now).state == .inactive)
    }

    @Test("A configured period limits the state: a reader whose period has ended is not active")
    func endedPeriod() throws {
        let word = "subscription: {state: {from: status, suspended: [hold]}, periods: {start: from, end: expiry"
        let always = try mapping(word + "}}")
        let dated = try mapping(word + ", limit_state: dated}}")
        let never = try mapping(word + ", limit_state: never}}")
        for (status, from, expiry, states) in [
            ("active", "2026-01-01", "2026-12-31", [.active, .active, .active]),
            ("active", "2026-01-01", "2026-10-31", [.inactive, .inactive, .active]),
            ("active", "", "2026-10-31", [.inactive, .inactive, .active]),
            ("active", "2026-12-01", "", [.inactive, .inactive, .active]),
            ("active", "2020-01-01", "", [.active, .active, .active]),
            ("active", "", "", [.inactive, .active, .active]),
            ("hold", "2026-01-01", "2026-12-31", [.suspended, .suspended, .suspended]),
            ("inactive", "2026-01-01", "2026-12-31", [.inactive, .inactive, .inactive]),
            ("unknown", "2026-01-01", "2026-12-31", [.unknown, .unknown, .unknown]),
        ] as [(String, String, String, [SubscriptionState])] {
            let record = row(["status": [status], "from": [from], "expiry": [expiry]])
            let reported = try [always, dated, never].map { try $0.subscription(from: record, at: now).state }
            #expect(reported == states, "\(status) from \(from) to \(expiry)")
        }
        // Without configured periods the state field alone counts.
        let alone = try mapping("subscription: {state: {from: status}}")
        #expect(try alone.subscription(from: row(["status": ["active"]]), at: now).state == .active)
    }

    @Test("Pitfall 1: a reader whose period has ended keeps single editions, but not all editions")
    func endedEverything() throws {
        let mapping = try mapping(
            "subscription: {all_editions: {from: plan, when: [gold]}, editions: {from: skus}, periods: {end: ends}}")
        func reported(_ plan: String) throws -> Subscription {
            try mapping.subscription(
                from: row(["state": ["active"], "plan": [plan], "skus": ["a"], "ends": ["2026-10-31"]]), at: now)
        }
        let edition = try #require(EditionID("a"))
        #expect(try reported("").opens(edition))
        #expect(try !reported("gold").opens(edition))
    }

    @Test("Pitfall 1: without a start and an end there is no period, and blank equals missing")
    func blankPeriods() throws {
        let ends = try mapping("subscription: {state: {by: periods}, periods: {end: to}}")
        let starts = try mapping("subscription: {state: {by: periods}, periods: {start: from}}")
        let both = try mapping("subscription: {state: {by: periods}, periods: {start: from, end: to}}")
        for nothing in [[], [""], [" \t"]] as [[String]] {
            for mapping in [ends, starts, both] {
                let reported = try mapping.subscription(from: row(["from": nothing, "to": nothing]), at: now)
                #expect(reported.state == .inactive && reported.periods.isEmpty, "\(nothing)")
            }
            let running = try both.subscription(from: row(["from": ["2020-01-01"], "to": nothing]), at: now)
            #expect(running.state == .active && running.periods.first?.end == nil, "a period without an end continues")
            let known = try both.subscription(from: row(["from": nothing, "to": ["2030-01-01"]]), at: now)
            #expect(known.state == .active, "a period without a start has always begun")
        }
        #expect(try starts.subscription(from: row(["from": ["2020-01-01"]]), at: now).state == .active)
        let several = try both.subscription(
            from: row(["from": ["2020-01-01", ""], "to": ["2021-01-01", " "]]), at: now)
        #expect(several.state == .inactive && several.periods.count == 1)
    }

    @Test("Pitfall 1: starts and ends that cannot be paired are an error")
    func unpairedPeriods() throws {
        let mapping = try mapping("subscription: {state: {by: periods}, periods: {start: from, end: to}}")
        for (starts, ends) in [
            (["2020-01-01", "2021-01-01"], ["2022-01-01"]), (["2020-01-01"], ["2020-02-01", "2022-01-01"]),
            (["2020-01-01", "2021-01-01"], []), ([], ["2020-02-01", "2022-01-01"]),
        ] as [([String], [String])] {
            #expect(throws: MappingError.unpairedPeriods) {
                try mapping.subscription(from: row(["from": starts, "to": ends]), at: now)
            }
        }
        let one = try self.mapping("subscription: {state: {by: periods}, periods: {end: to}}")
        let reported = try one.subscription(from: row(["to": ["2020-01-01", "2030-01-01"]]), at: now)
        #expect(reported.state == .active && reported.periods.count == 2, "a field without its counterpart")
    }

    @Test("White space around the value for all editions is ignored, as around the values for states")
    func everythingTrimmed() throws {
        let mapping = try mapping("subscription: {all_editions: {from: plan, when: [' Gold']}}")
        let reported = try mapping.subscription(from: row(["state": ["active "], "plan": ["gold  "]]), at: now)
        #expect(reported.entitlement == .allEditions)
    }

    @Test("Message and user information pass through; blank values are dropped")
    func words() throws {
        let mapping = try mapping(
            "subscription: {message: note, user_info: [{scheme: 'http://example.com/plan', from: plan}]}")
        let reported = try mapping.subscription(
            from: row(["state": ["active"], "note": ["Thank you"], "plan": ["gold", ""]]), at: now)
        #expect(reported.message == "Thank you")
        #expect(reported.userInfo == [UserInfoCategory(scheme: "http://example.com/plan", value: "gold")])
        #expect(
            try mapping.subscription(from: row(["state": ["active"], "note": [""], "plan": []]), at: now).message == nil
        )
    }

    @Test(
        "An invalid setting is rejected with its position",
        arguments: [
            ("state: {active: [a], inactive: [A]}", "the value `A` is mapped to two states"),
            ("state: {by: periods}", "needs `periods`"), ("periods: {limit_state: dated}", "needs the fields"),
            ("state: {by: periods}, periods: {end: a, limit_state: never}", "expected `always`"),
            ("state: {other: maybe}", "expected one of unknown"),
            ("editions: {form: a}", "did you mean `from`?"), ("user_info: [{scheme: a}]", "the name of a field"),
        ])
    func badSettings(text: String, expected: String) throws {
        let error = #expect(throws: SettingsError.self) { try mapping("subscription: {\(text)}") }
        #expect(error?.description.contains(expected) == true, "\(String(describing: error))")
        #expect(error?.description.hasPrefix("gatefold.yaml:1: subscription") == true)
    }
}
