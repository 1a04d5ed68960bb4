import Foundation
import Gatefold
import JSON
import OutgoingRequests
import Settings
import TestSupport
import Testing

@testable import Backends

/// Of each kind and format: an answer that opens little, damaged at random, never opens more.
///
/// The words that mean more are such that no damage makes them. The one exception is an edition's identifier that has become
/// another one: it is then a list of another edition, and the editions that count here are unlike each other.
@Suite("Pitfalls 1 and 38: a damaged answer never opens more than the whole one") struct DamagedAnswersTests {
    private static let held = "com.example.daily.held"
    private static let others = ["com.example.weekly.4711", "zz9.secret"].compactMap { EditionID($0) }
    private static let activeWord = "K7Q2ZP"
    private static let everythingWord = "W9X4LM"
    private static let now = Date(timeIntervalSince1970: 1_793_534_400)

    private static let mapping = """
        subscription:
          state: {from: state, active: [\(activeWord)], inactive: [lapsed]}
          editions: {from: skus, separators: "|"}
          everything: {from: plan, when: [\(everythingWord)]}
        """
    /// Of a reader whose only period has ended: without its date there is none, and never a longer one.
    private static let ending = """
        subscription:
          state: {from: state, active: [\(activeWord)], inactive: [lapsed]}
          editions: {from: skus, separators: "|"}
          periods: {end: ends}
        """

    private static func mapping(_ text: String) throws -> SubscriptionMapping {
        try SubscriptionMapping(
            try YAMLSettings.read(text: text, name: "a.yaml", folder: "/nowhere").section("subscription"))
    }

    /// Whether more is opened than the held edition, for a reader of that state.
    private static func opensMore(_ told: Subscription, than state: SubscriptionState) -> Bool {
        told.entitlement == .allEditions || !told.beginnings.isEmpty || others.contains { told.opens($0) }
            || (told.state == .active && state != .active)
    }

    /// What the damaged answer says, by each mapping; errors are outages, which open nothing.
    private static func check(
        _ records: (SubscriptionMapping) throws -> Subscription?, _ damaged: @autoclosure () -> String,
        _ state: SubscriptionState, isEnding: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let mapping = try Self.mapping(isEnding ? Self.ending : Self.mapping)
        guard let told = try? records(mapping) else { return }
        try #require(!opensMore(told, than: state), "\(damaged())", sourceLocation: sourceLocation)
    }

    @Test("Pugpig: an endpoint's list of issues")
    func pugpig() throws {
        let whole = """
            <?xml version="1.0"?><subscription state="active" message="m"><userinfo><category scheme="s" term="t"/></userinfo>\
            <issues><issue>\(Self.held)</issue></issues><!-- Generated --></subscription>
            """
        var damage = Damage(seed: 1)
        for _ in 0..<20_000 {
            let bytes = damage.damaged(whole)
            let answer = HTTPAnswer(status: 200, headers: [], body: bytes)
            guard let told = try? PugpigDocuments.subscription(answer) else { continue }
            let text = String(decoding: bytes, as: UTF8.self)
            if told.entitlement == .allEditions {
                // The protocol's own value for it: nothing is left but what is no list.
                let rest = text.replacing(/<!--.*?-->/.dotMatchesNewlines(), with: "")
                    .replacing(/<userinfo\s*(\/>|>.*?<\/userinfo\s*>)/.dotMatchesNewlines(), with: "")
                try #require(
                    rest.contains(/<subscription\s[^<>]*(\/>|>\s*<\/subscription\s*>)/), "everything by \(text)")
                try #require(!rest.lowercased().contains("issue"), "everything by \(text)")
            } else {
                try #require(!Self.others.contains { told.opens($0) }, "\(text)")
            }
        }
    }

    @Test("Pugpig: credentials for an edition")
    func pugpigCredentials() throws {
        var damage = Damage(seed: 2)
        for whole in [
            "<credentials><error status=\"notentitled\" message=\"m\"/></credentials>",
            "<error status=\"notrecognised\"/>",
        ] {
            for _ in 0..<8_000 {
                let bytes = damage.damaged(whole)
                let answer = HTTPAnswer(status: 200, headers: [], body: bytes)
                let verdict = try? PugpigDocuments.verdict(answer)
                try #require(verdict != .granted, "\(String(decoding: bytes, as: UTF8.self))")
            }
        }
    }

    @Test("a process: a line of JSON")
    func process() throws {
        var damage = Damage(seed: 3)
        for (whole, state, isEnding) in [
            (
                #"{"id":7,"record":{"state":"\#(Self.activeWord)","skus":["\#(Self.held)"],"plan":"silver"}}"#, .active,
                false
            ),
            (#"{"id":7,"record":{"state":"lapsed","skus":["\#(Self.held)"],"plan":null}}"#, .inactive, false),
            (#"{"id":7,"record":{"state":"\#(Self.activeWord)","skus":[],"ends":"1999-12-31"}}"#, .inactive, true),
        ] as [(String, SubscriptionState, Bool)] {
            for _ in 0..<8_000 {
                let bytes = damage.damaged(whole)
                // A later date is another date.
                if isEnding, !Self.keepsDate(bytes) { continue }
                try Self.check(
                    { mapping in
                        try ProcessAnswer(bytes, to: 7).record().map {
                            try mapping.subscription(from: $0, at: Self.now)
                        }
                    }, String(decoding: bytes, as: UTF8.self), state, isEnding: isEnding)
            }
        }
    }

    private static func keepsDate(_ bytes: [UInt8]) -> Bool {
        String(decoding: bytes, as: UTF8.self).replacing("1999-12-31", with: "").filter(\.isNumber).count <= 3
    }

    @Test(
        "a web service: JSON by pointers and paths, XML, SOAP and a form",
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
        let call = try ServiceCall(.subscription, section, base: nil, namespaces: [:], isAuthorizedByUs: false)
        var damage = Damage(seed: 4)
        for (word, state) in [(Self.activeWord, SubscriptionState.active), ("lapsed", .inactive)] {
            let text = whole.replacing("STATE", with: word).replacing("HELD", with: Self.held)
            for _ in 0..<8_000 {
                let bytes = damage.damaged(text)
                try Self.check(
                    { mapping in
                        let answer = HTTPAnswer(status: 200, headers: [], body: bytes)
                        guard case .good(let read) = try call.outcome(of: answer) else { return nil }
                        return try mapping.subscription(from: Record(read, namesEveryField: true), at: Self.now)
                    }, String(decoding: bytes, as: UTF8.self), state)
            }
        }
    }

    @Test(
        "a web service: an end that its answer does not hold is no period without an end, unless it may be missing",
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
        func told(_ body: String, isOptional: Bool = false) throws -> SubscriptionState? {
            let read =
                "{start: {\(place.replacing("end", with: "start"))}, end: {\(place)\(isOptional ? ", optional: true" : "")}}"
            let section = try YAMLSettings.read(
                text: "url: http://127.0.0.1/\nread: \(read)", name: "a.yaml", folder: "/nowhere")
            let call = try ServiceCall(
                .subscription, section, base: nil, namespaces: [:], isAuthorizedByUs: false, needing: mapping.endOfBegun
            )
            let answer = HTTPAnswer(status: 200, headers: [], body: Array(body.utf8))
            guard case .good(let read) = try call.outcome(of: answer) else { return nil }
            return try mapping.subscription(from: Record(read, namesEveryField: true), at: Self.now).state
        }
        #expect(try told(blank) == .active)
        #expect(throws: MappingError.missingField("end")) { try told(missing) }
        #expect(try told(missing, isOptional: true) == .active)
    }

    @Test("rows and directories' entries: fields that are gone, doubled, renamed, moved or of another value")
    func records() throws {
        var damage = Damage(seed: 5)
        let values = ["", " ", "*", "all", "null", "NULL", "true", "1", "[\"\"]", "\u{0}", "0000-00-00", Self.held]
        for (fields, state, isEnding) in [
            (["state": [Self.activeWord], "skus": [Self.held], "plan": ["silver"]], .active, false),
            (["state": ["lapsed"], "skus": [Self.held], "plan": []], .inactive, false),
            (["state": [Self.activeWord], "skus": [], "ends": ["1999-12-31"]], .inactive, true),
        ] as [([String: [String]], SubscriptionState, Bool)] {
            for namesEveryField in [true, false] {
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
                                from: Record(fields, namesEveryField: namesEveryField), at: Self.now)
                        }, "\(fields)", state, isEnding: isEnding)
                }
            }
        }
    }

    @Test(
        "a feed: separated values, XML and fixed columns",
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
            let bed = FeedBed(folder)
            let settings =
                "folder: kept\nsource: {url: \"file://FOLDER/readers.csv\"}\nformat: \(format)\ncheck_proof: false\n"
                + "limits: {bad_rows_at_most: 100%}\n" + Self.mapping
            let feed = try bed.open(settings)
            var damage = Damage(seed: 6)
            for (word, state) in [(Self.activeWord, SubscriptionState.active), ("lapsed", .inactive)] {
                let text = whole.replacing("STATEX", with: word.padding(toLength: 6, withPad: " ", startingAt: 0))
                    .replacing("STATE", with: word).replacing("HELD", with: Self.held)
                try bed.write(text)
                bed.clock.advance(by: 60)
                await feed.fetch()
                try #require(
                    try await feed.subscription("7").entitlement.includes(#require(EditionID(Self.held))), "\(name)")
                for _ in 0..<150 {
                    let bytes = damage.damaged(text)
                    try bed.write(bytes)
                    bed.clock.advance(by: 60)
                    await feed.fetch()
                    guard let told = try? await feed.subscription("7") else { continue }
                    try #require(
                        !Self.opensMore(told, than: state), "\(String(decoding: bytes, as: UTF8.self))")
                }
            }
        }
    }

    @Test("several systems and several rows: no union opens what none of them opens by itself")
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
            let lines = FeedLines.combined(all)
            for edition in names + Self.others {
                try #require(!lines.opens(edition) || all.contains { $0.opens(edition) }, "\(edition) of lines \(all)")
            }
        }
    }
}
