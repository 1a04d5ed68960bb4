import Commerce
import Foundation
import JSON
import Primitives
import Settings
import TestSupport
import Testing

@testable import Deliveries

@Suite("Deliveries by webhook")
struct WebhookTests {
    private static let secret = "a secret between Gatefold and the provider"

    private static func transport(port: Int, _ more: String = "") throws -> any DeliveryTransport {
        let section = try YAMLSettings.read(
            text: """
                kind: webhook
                url: http://127.0.0.1:\(port)/credit
                secret: {env: SECRET}
                timeout: 20s
                breaker: {enabled: false}
                \(more)
                """, name: "gatefold.yaml", folder: "/nowhere",
            environment: ["SECRET": secret, "API_KEY": "a key of theirs", "PASSWORD": "pass word"])
        return try DeliverySettings(section).open(clock: ManualClock().wall, random: .system)
    }

    @Test("Sends the complete, signed purchase", arguments: ["json", "form"])
    func reported(_ form: String) async throws {
        let service = FakeCreditService(secret: Self.secret)
        try await service.run { port in
            try await Self.transport(port: port, "body: \(form)").deliver(.sample("GPA.1 2", quantity: 3))
            let seen = service.seen.withLock { $0 }
            #expect(seen.isWellSigned && seen.keys == ["app-store/GPA.1%202"])
            let body = try #require(seen.bodies.first)
            if form == "json" {
                #expect(
                    body
                        == #"{"id":"app-store/GPA.1 2","account":"1001","product":"credit5","quantity":3,"price":"4,99 €","#
                        + #""currency":"EUR","purchased":"2026-10-26T07:33:20Z","store":"app-store","#
                        + #""transaction":"GPA.1 2","environment":"production","publication":"title"}"#)
            } else {
                #expect(
                    body.hasPrefix(
                        "id=app-store%2FGPA.1%202&account=1001&product=credit5&quantity=3&price=4%2C99%20%E2"))
            }
        }
    }

    @Test("Sends the configured authentication")
    func authorization() async throws {
        let service = FakeCreditService(secret: Self.secret)
        try await service.run { port in
            let more =
                "username: gatefold\npassword: {env: PASSWORD}\nheaders: {X-Api-Key: {env: API_KEY}, X-Tenant: daily}"
            try await Self.transport(port: port, more).deliver(.sample())
            try await Self.transport(port: port, "headers: {Authorization: {env: API_KEY}}").deliver(.sample("1001"))
            let seen = service.seen.withLock { $0 }
            #expect(seen.isWellSigned)
            #expect(seen.authorizations == ["Basic Z2F0ZWZvbGQ6cGFzcyB3b3Jk", "a key of theirs"])
            #expect(seen.keysOfTheirs == ["a key of theirs daily", " "])
        }
    }

    @Test(
        "Credits once, even if responses are lost repeatedly",
        arguments: [FaultProxy.Fault.partialResponse, .reset, .garbage])
    func lostResponses(_ fault: FaultProxy.Fault) async throws {
        let service = FakeCreditService(secret: Self.secret)
        try await service.run { port in
            try await withFaultProxy(to: port) { proxy in
                let transport = try Self.transport(port: proxy.port)
                try await proxy.set(fault)
                for _ in 0..<3 {
                    await #expect(throws: DeliveryFailure.self) { try await transport.deliver(.sample()) }
                }
                try await proxy.set(.none)
                try await transport.deliver(.sample())
                try await transport.deliver(.sample("1001"))
            }
            let seen = service.seen.withLock { $0 }
            #expect(seen.requests >= 5)
            #expect(seen.credited == ["app-store/1000": 1, "app-store/1001": 1])
        }
    }

    @Test(
        "Maps the response status to a retry or a rejection",
        arguments: [
            (400, true), (404, true), (410, true), (422, true), (401, false), (403, false), (429, false), (500, false),
            (503, false), (302, false),
        ])
    func statuses(_ status: Int, _ isRejection: Bool) async throws {
        let service = FakeCreditService(secret: Self.secret)
        service.status.withLock { $0 = status }
        try await service.run { port in
            do {
                try await Self.transport(port: port).deliver(.sample())
                Issue.record("delivered")
            } catch let failure as DeliveryFailure {
                #expect(failure.isRequestScoped == isRejection)
                if case .retryLater(_, let wait) = failure { #expect(wait == 120) }
                #expect(!failure.cause.contains("1001"))
            }
        }
    }

    @Test(
        "Rejects a configuration without a URL or a secret",
        arguments: [
            ("kind: webhook\nsecret: {env: SECRET}", "url: missing"),
            ("kind: webhook\nurl: http://a/", "secret: missing"),
            ("kind: webhook\nurl: ftp://a/\nsecret: {env: SECRET}", "url: expected an http or https URL"),
            ("kind: webhook\nurl: http://a/\nsecret: {env: SECRET}\nusername: a", "`username` and `password` together"),
            (
                "kind: webhook\nurl: http://a/\nsecret: {env: SECRET}\nheaders: {Idempotency-Key: a}",
                "headers.Idempotency-Key: expected a header other than"
            ),
            (
                "kind: webhook\nurl: http://a/\nsecret: {env: SECRET}\nusername: a\npassword: {env: SECRET}\n"
                    + "headers: {authorization: a}", "either `username` or a header"
            ),
            ("kind: pigeon", "kind: expected one of webhook, postgresql, odbc, sqlite"),
            ("kind: webhook\nurl: http://a/\nsecret: {env: SECRET}\nretries: 3", "retries: unknown key"),
            ("kind: sqlite\npath: a", "statements: expected a list"),
            ("kind: sqlite\npath: a\nstatements: ['SELECT :acount']", "unknown parameter :acount"),
            ("kind: sqlite\npath: a\nstatements: ['SELECT 1; SELECT 2']", "expected one statement"),
        ])
    func mistakes(_ text: String, _ expected: String) throws {
        let section = try YAMLSettings.read(
            text: text, name: "gatefold.yaml", folder: "/nowhere", environment: ["SECRET": Self.secret])
        let error = try #require(throws: SettingsError.self) { try DeliverySettings(section) }
        #expect(error.description.contains(expected), "\(error)")
    }
}
