import Foundation
import InPlayer
import TestSupport
import Testing

/// Checks the variants in InPlayer protocol, “Response documents”, that servers differ in.
@Suite("Response of the service")
struct ResponseValueTests {
    private func account(_ text: String) async throws -> Account {
        try await client(ScriptedTransport { _ in .json(text) }).accounts.current()
    }
    private func item(_ text: String) async throws -> Asset {
        try await client(ScriptedTransport { _ in .json(text) }).assets.item(1)
    }

    @Test("decodes an account")
    func account() async throws {
        let account = try await account(Shapes.account)
        #expect(account.id == 21)
        #expect(account.roles == ["consumer"])
        #expect(account.isCompleted == true)
        #expect(account.created == Date(timeIntervalSince1970: 1_546_612_165))
        #expect(account.metadata == ["city": "London"])
        #expect(account.dateOfBirth == nil)
    }

    @Test(
        "decodes metadata as an object or a list, with numbers and flags, or absent",
        arguments: [
            (#"{"a":"1","b":2,"c":true,"d":null,"e":{}}"#, ["a": "1", "b": "2", "c": "1"]),
            (#"[{"id":1,"name":"a","value":"x"},{"name":"b"},7]"#, ["a": "x"]), ("[]", [:]), ("null", [:]),
            (#""odd""#, [:]),
        ])
    func metadata(_ text: String, _ expected: [String: String]) async throws {
        #expect(try await account(#"{"id":1,"metadata":\#(text)}"#).metadata == expected)
        #expect(try await item(#"{"id":1,"title":"x","metadata":\#(text)}"#).metadata == expected)
    }

    @Test("decodes an item whose flags are true, 1 or absent")
    func item() async throws {
        let asset = try await item(Shapes.item)
        #expect(asset.isActive == true)
        #expect(asset.accessControl?.needsAccount == true)
        #expect(asset.kind?.contentType == "html")
        #expect(asset.minAge == 16)
        #expect(
            asset.metadata == ["preview_title": "Look", "paywall_cover_photo": "https://cdn.example.com/1.jpg"])
        #expect(try await item(#"{"id":1,"active":0}"#).isActive == false)
        #expect(try await item(#"{"id":"1","active":"1","age_restriction":null}"#).isActive == true)
        #expect(try await item(#"{"id":1}"#).isActive == nil)
    }

    @Test("decodes access, with year 1 as no start and 0 as no end")
    func access() async throws {
        let access = try await client(ScriptedTransport { _ in .json(Shapes.access) }).assets.access(to: 1)
        #expect(access.starts == nil)
        #expect(access.expires == Date(timeIntervalSince1970: 1_893_456_000))
        #expect(access.item?.title == "November")
        let other = try await client(ScriptedTransport { _ in .json(#"{"id":5,"expires_at":0,"item":null}"#) })
            .assets.access(to: 1)
        #expect(other.expires == nil)
        let page = try await client(
            ScriptedTransport { _ in .json(#"{"collection":[{"item_id":3,"expires_at":0},{"item":4}]}"#) }
        ).assets.accessHistory()
        #expect(page.items.map(\.expires) == [nil] && page.unreadable == 1)
    }

    @Test("is an error if access, a fee list or a page is malformed")
    func noAccess() async throws {
        for text in [#"{}"#, #"{"code":402,"message":"No"}"#, #"{"item":{"id":"x"}}"#, "[]", "null", ""] {
            let client = client(ScriptedTransport { _ in .json(text) })
            func expectUnreadable(_ call: () async throws(InPlayerError) -> Void) async {
                do throws(InPlayerError) {
                    try await call()
                    Issue.record("\(text)")
                } catch .unreadable {
                    return
                } catch { Issue.record("\(text): \(error)") }
            }
            await expectUnreadable { () async throws(InPlayerError) in _ = try await client.assets.access(to: 1) }
            await expectUnreadable { () async throws(InPlayerError) in _ = try await client.assets.accessIfAny(to: 1) }
            await expectUnreadable { () async throws(InPlayerError) in _ = try await client.assets.accessHistory() }
            await expectUnreadable { () async throws(InPlayerError) in _ = try await client.subscriptions.list() }
            await expectUnreadable { () async throws(InPlayerError) in
                _ = try await client.accounts.registrationFields()
            }
            if text == "[]" { continue }
            await expectUnreadable { () async throws(InPlayerError) in _ = try await client.assets.accessFees(of: 1) }
        }
    }

    @Test(
        "decodes every format of the end of access",
        arguments: [
            (#"null"#, nil), ("0", nil), (#""0""#, nil), ("1893456000", 1_893_456_000),
            (#""1893456000""#, 1_893_456_000), (#""2030-01-01T00:00:00Z""#, 1_893_456_000),
        ] as [(String, Double?)])
    func ends(_ text: String, _ seconds: Double?) async throws {
        let response = #"{"id":1,"expires_at":\#(text),"item":\#(Shapes.item)}"#
        let access = try await client(ScriptedTransport { _ in .json(response) }).assets.access(to: 43_929)
        #expect(access.expires?.timeIntervalSince1970 == seconds)
    }

    @Test(
        "is an error if the end, the start or the revocation of access is unreadable",
        arguments: [
            #""expires_at":"soon""#, #""expires_at":"""#, #""expires_at":{}"#, #""expires_at":[]"#,
            #""expires_at":false"#, #""expires_at":-5"#, #""expires_at":"1.1.2030""#, #""starts_at":"later""#,
            #""revoked":"perhaps""#, #""revoked":2"#,
        ])
    func noEnd(_ member: String) async throws {
        let entry = #"{"id":1,"item_id":43929,\#(member),"item":\#(Shapes.item)}"#
        if !member.contains("revoked") {
            let error = await #expect(throws: InPlayerError.self) {
                try await client(ScriptedTransport { _ in .json(entry) }).assets.accessIfAny(to: 43_929)
            }
            guard case .unreadable = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
        let page = try await client(ScriptedTransport { _ in .json(#"{"collection":[\#(entry)]}"#) }).assets
            .accessHistory()
        #expect(page.items.isEmpty && page.unreadable == 1)
    }

    @Test("decodes prices to the cent, as numbers or texts, and skips invalid entries")
    func fees() async throws {
        let text = """
            [{"id":5,"amount":4.99,"currency":"EUR","access_type":{"id":1,"name":"ppv","period":"month","quantity":1},
              "trial_period":null,"setup_fee":{"fee_amount":"0.10"},"external_fees":[{"id":2,"external_id":"p"}],
              "item":{"id":3}}, {"id":6,"amount":"1234567.89"}, {"amount":1}, 7]
            """
        let fees = try await client(ScriptedTransport { _ in .json(text) }).assets.accessFees(of: 3)
        #expect(fees.map(\.id) == [5, 6])
        #expect(fees.first?.amount == Decimal(string: "4.99"))
        #expect(fees.first?.setupFee == Decimal(string: "0.1"))
        #expect(fees.first?.external.map(\.product) == ["p"])
        #expect(fees.first?.itemID == 3)
        #expect(fees.last?.amount == Decimal(string: "1234567.89"))
    }

    @Test("decodes subscriptions with the names of either version")
    func subscriptions() async throws {
        let text = """
            {"total":2,"collection":[
              {"item_id":1,"item_title":"a","charged_amount":3,"next_rebill_date":1546612165},
              {"asset_id":2,"asset_title":"b","amount":"4.00","next_billing_date":1546612166}]}
            """
        let page = try await client(ScriptedTransport { _ in .json(text) }).subscriptions.list()
        #expect(page.total == 2)
        #expect(page.items.map(\.itemID) == [1, 2])
        #expect(page.items.map(\.itemTitle) == ["a", "b"])
        #expect(page.items.map(\.amount) == [3, 4])
        #expect(page.items.compactMap(\.nextPayment?.timeIntervalSince1970) == [1_546_612_165, 1_546_612_166])
    }

    @Test("decodes registration fields and social sign-in URLs")
    func registration() async throws {
        let fields = """
            {"collection":[{"id":1,"name":"city","label":"City","type":"select","required":1,"default_value":"",
             "placeholder":"","options":{"l":"London"}},{"name":"new","type":"hologram"},{"label":"nameless"}]}
            """
        let read = try await client(ScriptedTransport { _ in .json(fields) }).accounts.registrationFields()
        #expect(read.map(\.name) == ["city", "new"])
        #expect(read.first?.kind == .select)
        #expect(read.first?.isRequired == true)
        #expect(read.first?.options == ["l": "London"])
        #expect(read.last?.kind == .other("hologram"))
        let urls = #"{"social_urls":[{"facebook":"https://f"},{"google":"https://g"}],"code":200}"#
        #expect(
            try await client(ScriptedTransport { _ in .json(urls) }).accounts.socialURLs(redirect: "x")
                == ["facebook": "https://f", "google": "https://g"])
    }

    @Test("the response to a registration starts a session only if it holds tokens")
    func created() async throws {
        let registration = AccountRegistration(fullName: "Ada", email: "a@example.com", password: "p")
        for (text, isSignedIn) in [(Shapes.session("new"), true), (Shapes.account, false)] {
            let storage = InMemorySessionStorage()
            let client = client(ScriptedTransport { _ in .json(text) }, storage: storage)
            #expect(try await client.accounts.create(registration).id == 21)
            #expect((storage.load() != nil) == isSignedIn)
        }
    }

    @Test(
        "is decoded as a fault with code, message, fields and explanation, if present",
        arguments: [
            (
                422, #"{"code":422,"message":"Bad","errors":{"a":"x","b":["y","z"],"c":7,"d":{}}}"#,
                InPlayerFault(status: 422, code: 422, message: "Bad", fields: ["a": "x", "b": "y", "c": "7"])
            ),
            (
                400, #"{"code":"1001","message":"No","explain":"why"}"#,
                InPlayerFault(status: 400, code: 1001, message: "No", explain: "why")
            ),
            (
                422, #"{"message":"No","explain":{"422":"declined"}}"#,
                InPlayerFault(status: 422, code: 422, message: "No", explain: "declined", isServiceError: false)
            ),
            (402, #"{"errors":{"a":"x"}}"#, InPlayerFault(status: 402, code: 402, message: "x", fields: ["a": "x"])),
            (
                500, "<html>",
                InPlayerFault(
                    status: 500, code: 500, message: "The service responded with status 500", isServiceError: false)
            ),
            (
                502, "",
                InPlayerFault(
                    status: 502, code: 502, message: "The service responded with status 502", isServiceError: false)
            ),
            (
                404, "[1]",
                InPlayerFault(
                    status: 404, code: 404, message: "The service responded with status 404", isServiceError: false)
            ),
        ])
    func faults(_ status: Int, _ text: String, _ expected: InPlayerFault) async throws {
        let transport = ScriptedTransport { _ in .json(text, status: status) }
        let error = await #expect(throws: InPlayerError.self) { try await client(transport).assets.item(1) }
        #expect(error?.fault == expected)
        #expect(expected.isWithoutAccess == (status == 402))
    }

    @Test("is an error that names what was expected", arguments: ["<html>", "[]", "{}", "7", "", #"{"id":[]}"#])
    func unreadable(_ text: String) async throws {
        let transport = ScriptedTransport { _ in .json(text) }
        let error = await #expect(throws: InPlayerError.self) { try await client(transport).assets.item(1) }
        guard case .unreadable(200, let expected) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(expected.hasPrefix("expected"))
    }

    @Test("the response to a call without a result may be empty")
    func empty() async throws {
        for status in [200, 204, 205] {
            let transport = ScriptedTransport { _ in TransportResponse(status: status) }
            try await client(transport).accounts.changePassword(from: "a", to: "b")
        }
    }

    @Test("with random mutations yields a value or an error, and never crashes")
    func anything() async throws {
        var random = SeededRandom(seed: 12)
        let shapes = [Shapes.account, Shapes.item, Shapes.access, Shapes.session("a")].map { Array($0.utf8) }
        var read = 0
        for _ in 0..<5_000 {
            var bytes = shapes[Int.random(in: 0..<shapes.count, using: &random)]
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                bytes[index] = Array(#"{}[]",:0-9.e\tn"#.utf8).randomElement(using: &random) ?? 0
            }
            let body = bytes
            let transport = ScriptedTransport { _ in TransportResponse(status: 200, body: body) }
            do throws(InPlayerError) {
                _ = try await client(transport).assets.item(1)
                read += 1
            } catch .unreadable {
                continue
            } catch { Issue.record("\(error)") }
        }
        #expect(read > 500)
    }
}
