import Foundation
import Gatefold
import JSON
import OutgoingRequests
import Settings
import TestSupport
import Testing

@testable import Backends

/// Damages a result that opens little, of each kind and format, at random, and checks that it never opens more.
///
/// No damage creates the values that mean more. The one exception is an edition's identifier that turned into another
/// one: the result then lists another edition, and the editions that these tests check differ widely.
@Suite("Pitfalls 1 and 38: damaged results") struct DamagedResponsesTests {
    private static let held = "com.example.daily.held"
    private static let others = ["com.example.weekly.4711", "zz9.secret"].compactMap { EditionID($0) }
    private static let activeValue = "K7Q2ZP"
    private static let allEditionsValue = "W9X4LM"
    private static let now = Date(timeIntervalSince1970: 1_793_534_400)

    private static let mapping = """
        subscription:
          state: {from: state, active: [\(activeValue)], inactive: [lapsed]}
          editions: {from: skus, separators: "|"}
          all_editions: {from: plan, when: [\(allEditionsValue)]}
        """
    /// The mapping of a reader whose only period has ended: without its date there is no period, and never a longer
    /// one.
    private static let ending = """
        subscription:
          state: {from: state, active: [\(activeValue)], inactive: [lapsed]}
          editions: {from: skus, separators: "|"}
          periods: {end: ends}
        """

    private static func mapping(_ text: String) throws -> SubscriptionMapping {
        try SubscriptionMapping(
            try YAMLSettings.read(text: text, name: "a.yaml", folder: "/nowhere").section("subscription"))
    }

    /// Returns whether more than the held edition is opened for a reader of that state.
    private static func opensMore(_ reported: Subscription, than state: SubscriptionState) -> Bool {
        reported.entitlement == .allEditions || !reported.editionPrefixes.isEmpty
            || others.contains { reported.opens($0) }
            || (reported.state == .active && state != .active)
    }

    /// Checks the damaged result with each mapping; an error is an outage, which opens nothing.
    private static func check(
        _ records: (SubscriptionMapping) throws -> Subscription?, _ damaged: @autoclosure () -> String,
        _ state: SubscriptionState, isEnding: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let mapping = try Self.mapping(isEnding ? Self.ending : Self.mapping)
        guard let reported = try? records(mapping) else { return }
        try #require(!opensMore(reported, than: state), "\(damaged())", sourceLocation: sourceLocation)
    }

    @Test("Pugpig: a damaged list of issues never opens more")
    func pugpig() throws {
        let whole = """
            <?xml version="1.0"?><subscription state="active" message="m"><userinfo><category scheme="s" term="t"/></userinfo>\
            <issues><issue>\(Self.held)</issue></issues><!-- Generated --></subscription>
            """
        var damage = Damage(seed: 1)
        for _ in 0..<20_000 {
            let bytes = damage.damaged(whole)
            let response = OutboundResponse(status: 200, headers: [], body: bytes)
            guard let reported = try? PugpigDocuments.subscription(response) else { continue }
            let text = String(decoding: bytes, as: UTF8.self)
            if reported.entitlement == .allEditions {
                // The protocol's own value for all editions: the rest contains nothing that could be a list.
                let rest = text.replacing(/<!--.*?-->/.dotMatchesNewlines(), with: "")
                    .replacing(/<userinfo\s*(\/>|>.*?<\/userinfo\s*>)/.dotMatchesNewlines(), with: "")
                try #require(
                    rest.contains(/<subscription\s[^<>]*(\/>|>\s*<\/subscription\s*>)/), "all editions by \(text)")
                try #require(!rest.lowercased().contains("issue"), "all editions by \(text)")
            } else {
                try #require(!Self.others.contains { reported.opens($0) }, "\(text)")
            }
        }
    }

    @Test("Pugpig: damaged edition credentials never grant")
    func pugpigCredentials() throws {
        var damage = Damage(seed: 2)
        for whole in [
            "<credentials><error status=\"notentitled\" message=\"m\"/></credentials>",
            "<error status=\"notrecognised\"/>",
        ] {
            for _ in 0..<8_000 {
                let bytes = damage.damaged(whole)
                let response = OutboundResponse(status: 200, headers: [], body: bytes)
                let verdict = try? PugpigDocuments.verdict(response)
                try #require(verdict != .granted, "\(String(decoding: bytes, as: UTF8.self))")
            }
        }
    }

    @Test("Process: a damaged line of JSON never opens more")
    func process() throws {
        var damage = Damage(seed: 3)
        for (whole, state, isEnding) in [
            (
                #"{"id":7,"record":{"state":"\#(Self.activeValue)","skus":["\#(Self.held)"],"plan":"silver"}}"#,
                .active,
                false
            ),
            (#"{"id":7,"record":{"state":"lapsed","skus":["\#(Self.held)"],"plan":null}}"#, .inactive, false),
            (#"{"id":7,"record":{"state":"\#(Self.activeValue)","skus":[],"ends":"1999-12-31"}}"#, .inactive, true),
        ] as [(String, SubscriptionState, Bool)] {
            for _ in 0..<8_000 {
                let bytes = damage.damaged(whole)
                // A later date is another date.
                if isEnding, !Self.hasUnchangedDate(bytes) { continue }
                try Self.check(
                    { mapping in
                        try ProcessResponse(bytes, to: 7).record().map {
                            try mapping.subscription(from: $0, at: Self.now)
                        }
                    }, String(decoding: bytes, as: UTF8.self), state, isEnding: isEnding)
            }
        }
    }

    private static func hasUnchangedDate(_ bytes: [UInt8]) -> Bool {
        String(decoding: bytes, as: UTF8.self).replacing("1999-12-31", with: "").filter(\.isNumber).count <= 3
    }

    @Test(
        "Web service: damaged JSON, XML, SOAP and form responses never open more",
        arguments: [
            (
                "{state: {json: /state}, skus: {json: /skus}, plan: {json: /plan}}",
                #"{"state":"STATE","skus":["HELD"],"plan":"silver"}"#
            ),
            (
                "{state: {json: $.reader.state}, skus: {json: '$.reader.skus[*]'}, plan: {json: $.reader.plan}}",
                #"{"reader":{"state":"STATE","skus":["HELD"],"plan":null}}"#
            ),
            (
                "{state: {xml: /r/state}, skus: {xml: //sku}, plan: {xml: /r/@plan}}",
                #"<r plan="silver"><state>STATE</state><skus><sku>HELD</sku></skus></r>"#
            ),
            (
                "{state: {xml: '//*[local-name()=\"state\"]'}, skus: {xml: '//*[local-name()=\"sku\"]'}, "
                    + "plan: {xml: '//*[local-name()=\"plan\"]'}}",
                #"<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><r xmlns="urn:x">"#
                    + "<state>STATE</state><sku>HELD</sku><plan>silver</plan></r></s:Body></s:Envelope>"
            ),
            ("{state: {form: state}, skus: {form: sku}, plan: {form: plan}}", "state=STATE&sku=HELD&plan=silver"),
        ])
    func service(read: String, whole: String) throws {
        let section = try YAMLSettings.read(
            text: "url: http://127.0.0.1/\nread: \(read)", name: "a.yaml", folder: "/nowhere")
        let call = try ServiceCall(.subscription, section, base: nil, namespaces: [:], usesServiceAccount: false)
        var damage = Damage(seed: 4)
        for (value, state) in [(Self.activeValue, SubscriptionState.active), ("lapsed", .inactive)] {
            let text = whole.replacing("STATE", with: value).replacing("HELD", with: Self.held)
            for _ in 0..<8_000 {
                let bytes = damage.damaged(text)
                try Self.check(
                    { mapping in
                        let response = OutboundResponse(status: 200, headers: [], body: bytes)
                        guard case .good(let read) = try call.outcome(of: response) else { return nil }
                        return try mapping.subscription(from: Record(read, requiresEveryField: true), at: Self.now)
                    }, String(decoding: bytes, as: UTF8.self), state)
            }
        }
    }

    @Test(
        "Web service: a missing end field is an error unless it is optional",
        arguments: [
            ("json: /end", #"{"start":"2020-01-01","end":null}"#, #"{"start":"2020-01-01","End":"2020-02-01"}"#),
            ("json: $.end", #"{"start":"2020-01-01","end":""}"#, #"{"start":"2020-01-01","End":"2020-02-01"}"#),
            (
                "xml: /r/end", "<r><start>2020-01-01</start><end/></r>",
                "<r><start>2020-01-01</start><End>2020-02-01</End></r>"
            ),
            ("form: end", "start=2020-01-01&end=", "start=2020-01-01&End=2020-02-01"),
        ])
    func missingEnd(place: String, blank: String, missing: String) throws {
        let mapping = try Self.mapping("subscription: {state: {by: periods}, periods: {start: start, end: end}}")
        func reported(_ body: String, isOptional: Bool = false) throws -> SubscriptionState? {
            let read =
                "{start: {\(place.replacing("end", with: "start"))}, end: {\(place)\(isOptional ? ", optional: true" : "")}}"
            let section = try YAMLSettings.read(
                text: "url: http://127.0.0.1/\nread: \(read)", name: "a.yaml", folder: "/nowhere")
            let call = try ServiceCall(
                .subscription, section, base: nil, namespaces: [:], usesServiceAccount: false,
                requiring: mapping.requiredEndField
            )
            let response = OutboundResponse(status: 200, headers: [], body: Array(body.utf8))
            guard case .good(let read) = try call.outcome(of: response) else { return nil }
            return try mapping.subscription(from: Record(read, requiresEveryField: true), at: Self.now).state
        }
        #expect(try reported(blank) == .active)
        #expect(throws: MappingError.missingField("end")) { try reported(missing) }
        #expect(try reported(missing, isOptional: true) == .active)
    }

    @Test("Rows and directory entries: missing, doubled, renamed, moved or changed fields never open more")
    func records() throws {
        var damage = Damage(seed: 5)
        let values = ["", " ", "*", "all", "null", "NULL", "true", "1", "[\"\"]", "\u{0}", "0000-00-00", Self.held]
        for (fields, state, isEnding) in [
            (["state": [Self.activeValue], "skus": [Self.held], "plan": ["silver"]], .active, false),
            (["state": ["lapsed"], "skus": [Self.held], "plan": []], .inactive, false),
            (["state": [Self.activeValue], "skus": [], "ends": ["1999-12-31"]], .inactive, true),
        ] as [([String: [String]], SubscriptionState, Bool)] {
            for requiresEveryField in [true, false] {
                for _ in 0..<8_000 {
                    var fields = fields
                    for _ in 0...damage.chance(0..<3) {
                        let name = fields.keys.sorted()[damage.chance(0..<fields.count)]
                        switch damage.chance(0..<6) {
                        case 0: fields[name] = nil
                        case 1: fields[name]?.append(values[damage.chance(0..<values.count)])
                        case 2: fields[name] = [values[damage.chance(0..<values.count)]]
                        case 3: fields[name.uppercased()] = fields.removeValue(forKey: name)
                        case 4: fields[name] = []
                        default: fields[["state", "skus", "plan", "ends"][damage.chance(0..<4)]] = fields[name]
                        }
                        if fields.isEmpty { break }
                    }
                    try Self.check(
                        { mapping in
                            try mapping.subscription(
                                from: Record(fields, requiresEveryField: requiresEveryField), at: Self.now)
                        }, "\(fields)", state, isEnding: isEnding)
                }
            }
        }
    }

    @Test(
        "Feed: damaged separated values, XML and fixed columns never open more",
        arguments: [
            (
                "csv", "csv\ncolumns: {identifier: email, key: id}",
                "id,email,state,skus,plan\n7,ann@example.com,STATE,HELD,silver\n"
            ),
            (
                "xml", "xml\nlayout: {record: r}\ncolumns: {identifier: email, key: id}",
                "<rs><r><id>7</id><email>ann@example.com</email><state>STATE</state><skus>HELD</skus><plan>silver</plan></r></rs>"
            ),
            (
                "fixed",
                "fixed\nlayout: {columns: [{name: id, start: 1, length: 2}, {name: email, start: 3, length: 17}, "
                    + "{name: state, start: 20, length: 8}, {name: skus, start: 28, length: 24}, "
                    + "{name: plan, start: 52, length: 6}]}\ncolumns: {identifier: email, key: id}",
                "7 ann@example.com  STATEX  HELD  silver\n"
            ),
        ])
    func feed(name: String, format: String, whole: String) async throws {
        try await withTemporaryFolder { folder in
            let harness = FeedHarness(folder)
            let settings =
                "folder: kept\nsource: {url: \"file://FOLDER/readers.csv\"}\nformat: \(format)\ncheck_proof: false\n"
                + "limits: {max_bad_rows: 100%}\n" + Self.mapping
            let feed = try harness.open(settings)
            var damage = Damage(seed: 6)
            for (value, state) in [(Self.activeValue, SubscriptionState.active), ("lapsed", .inactive)] {
                let text = whole.replacing("STATEX", with: value.padding(toLength: 6, withPad: " ", startingAt: 0))
                    .replacing("STATE", with: value).replacing("HELD", with: Self.held)
                try harness.write(text)
                harness.clock.advance(by: 60)
                await feed.fetch()
                try #require(
                    try await feed.subscription("7").entitlement.includes(#require(EditionID(Self.held))), "\(name)")
                for _ in 0..<150 {
                    let bytes = damage.damaged(text)
                    try harness.write(bytes)
                    harness.clock.advance(by: 60)
                    await feed.fetch()
                    guard let reported = try? await feed.subscription("7") else { continue }
                    try #require(
                        !Self.opensMore(reported, than: state), "\(String(decoding: bytes, as: UTF8.self))")
                }
            }
        }
    }

    @Test("Unions of several systems or rows open only what one of them opens by itself")
    func unions() throws {
        var damage = Damage(seed: 7)
        let names = ["a", "b", "c"].compactMap { EditionID($0) }
        for _ in 0..<20_000 {
            let all = (0...damage.chance(0..<4)).map { _ in
                Subscription(
                    state: SubscriptionState.allCases[damage.chance(0..<5)],
                    entitlement: damage.chance(0..<4) == 0
                        ? .allEditions : .editions(Set(names.filter { _ in damage.chance(0..<2) == 0 })))
            }
            for union in [SubscriptionUnion.of(all), Subscription.merged(all)] {
                for edition in names + Self.others {
                    try #require(union.opens(edition) == all.contains { $0.opens(edition) }, "\(edition) of \(all)")
                }
            }
            let lines = FeedLines.merged(all)
            for edition in names + Self.others {
                try #require(!lines.opens(edition) || all.contains { $0.opens(edition) }, "\(edition) of lines \(all)")
            }
        }
    }
}
