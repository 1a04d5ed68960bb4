import BackendFixtures
import Foundation
import Gatefold
import OutgoingRequests
import TestSupport
import Testing

@testable import Backends

private let presets = PHPService.fixtures.appending(path: "../deploy").standardizedFileURL.path

@Suite("CDS preset")
struct CDSPresetTests {
    private static let readers = [
        reader("current", cds: "CURRENT", labels: ["2026-09", "2026-10"]),
        reader("lapsed", cds: "EXPIRED", labels: ["2026-01"]),
        reader("none", cds: "CURRENT", labels: []),
    ]

    private static func reader(_ urn: String, cds: String, labels: [String]) -> PHPService.Reader {
        var reader = PHPService.Reader(id: urn, email: urn)
        reader.urn = urn
        reader.surname = "O'Neill & Söhne"
        reader.cds = cds
        reader.labels = labels
        return reader
    }

    private func with(_ body: (PHPService, any SubscriberBackend) async throws -> Void) async throws {
        try await PHPService.run(Self.readers) { service in
            let backend = try openService(
                """
                preset: presets/cds.yaml
                base: \(service.base)/cds?originator=EXAMPLE
                subscription: {editions: {prefix: com.example.monthly.}}
                """, folder: presets)
            try await body(service, backend)
        }
    }

    private func signIn(_ urn: String, _ backend: any SubscriberBackend, surname: String = "O'Neill & Söhne")
        async throws
        -> Subscriber?
    {
        try await backend.authenticate(["urn": urn, "surname": surname], identifier: "urn")
    }

    private func editions(_ names: String...) -> Entitlement {
        .editions(Set(names.compactMap { EditionID("com.example.monthly.\($0)") }))
    }

    @Test("Readers sign in with and without a current subscription and hold the issues of their history")
    func responses() async throws {
        try await with { service, backend in
            let current = try #require(try await signIn("current", backend))
            #expect(
                try await backend.subscription(of: current)
                    == Subscription(
                        state: .active, entitlement: editions("2026-09", "2026-10")))
            let lapsed = try #require(try await signIn("lapsed", backend))
            #expect(
                try await backend.subscription(of: lapsed)
                    == Subscription(
                        state: .inactive, entitlement: editions("2026-01")))
            let none = try #require(try await signIn("none", backend))
            #expect(try await backend.subscription(of: none) == Subscription(state: .active, entitlement: .nothing))
            #expect(try await signIn("current", backend, surname: "Smith") == nil)
            #expect(try await signIn("nobody", backend) == nil)
        }
    }

    @Test("Values arrive unchanged, and the originator is sent once, from the base URL")
    func request() async throws {
        try await with { service, backend in
            _ = try await signIn("a&surname=x#?/%41", backend, surname: "O'Brien+Ça va")
            let request = try #require(try service.requests().last)
            #expect(
                request.query == [
                    "originator": "EXAMPLE", "urn": "a&surname=x#?/%41", "surname": "O'Brien+Ça va", "type": "EXTENDED",
                ])
            #expect(request.uri.ranges(of: "originator").count == 1)
        }
    }

    @Test("A reader that the service no longer knows has the state unknown")
    func gone() async throws {
        try await with { service, backend in
            let current = try #require(try await signIn("current", backend))
            try service.change("current") { $0.surname = "Miller" }
            #expect(try await backend.subscription(of: current) == Subscription(state: .unknown))
        }
    }

    @Test(
        "Corrected from the historic server: a failed verification is an outage and activates no reader",
        arguments: ["error", "empty", "page", "missing", "half"])
    func verificationDoesNotFailOpen(mode: String) async throws {
        try await with { service, backend in
            for urn in ["current", "lapsed"] {
                let subscriber = try #require(try await signIn(urn, backend))
                try service.setMode(mode)
                await #expect(throws: (any Error).self) { try await backend.subscription(of: subscriber) }
                try service.setMode("")
            }
        }
    }

    @Test("Corrected from the historic server: a 200 without a status is an outage and activates no reader")
    func noStatusNode() async throws {
        try await with { service, backend in
            let lapsed = try #require(try await signIn("lapsed", backend))
            try service.setMode("nostatus")
            await #expect(throws: ServiceFailure.unrecognizedResponse(.subscription, status: 200)) {
                try await backend.subscription(of: lapsed)
            }
        }
    }

    @Test("Corrected from the historic server: an outage never results in an active subscription with an empty list")
    func noEmptyList() async throws {
        try await with { service, backend in
            let current = try #require(try await signIn("current", backend))
            try await service.fail(.stopped)
            await #expect(throws: HTTPFailure.unreachable) { try await backend.subscription(of: current) }
            try await service.recover()
            #expect(try await backend.subscription(of: current).entitlement == editions("2026-09", "2026-10"))
        }
    }

    @Test(
        "Corrected from the historic server: a sign-in during an outage is not a rejection",
        arguments: ["error", "empty", "page", "missing", "half", "nostatus"])
    func signInIsNotRejection(mode: String) async throws {
        try await with { service, backend in
            try service.setMode(mode)
            await #expect(throws: (any Error).self) { try await signIn("current", backend) }
        }
    }

    @Test("Corrected from the historic server: an unreachable service is an outage, not the state unknown")
    func noConnection() async throws {
        try await with { service, backend in
            let current = try #require(try await signIn("current", backend))
            try await service.proxy.set(.reset)
            await #expect(throws: HTTPFailure.connectionLost) { try await backend.subscription(of: current) }
        }
    }
}

@Suite("Dovetail preset")
struct DovetailPresetTests {
    private static let readers = [
        reader("both", ["WK": "WK-D", "MO": "MO-D"]), reader("second", ["WK": "", "MO": "MO-D"]),
        reader("lapsed", ["WK": "", "MO": ""]), reader("onlysecond", ["MO": "MO-D"]), reader("onlylapsed", ["WK": ""]),
    ]

    private static func reader(_ id: String, _ brands: [String: String]) -> PHPService.Reader {
        var reader = PHPService.Reader(id: id, email: "\(id)@example.com")
        reader.brands = brands
        return reader
    }

    private func with(_ body: (PHPService, any SubscriberBackend) async throws -> Void) async throws {
        try await PHPService.run(Self.readers) { service in
            let backend = try openService(
                """
                preset: presets/dovetail.yaml
                base: \(service.base)
                variables: {client_ref: "A & B"}
                variants: {weekly: {brand: WK, product: WK-D}, monthly: {brand: MO, product: MO-D}}
                """, folder: presets)
            try await body(service, backend)
        }
    }

    private func signIn(_ id: String, _ backend: any SubscriberBackend) async throws -> Subscriber? {
        try await backend.authenticate(["webId": "\(id)@example.com"], identifier: "webId")
    }

    /// Returns the brand at which the reader signs in.
    private func brand(of id: String, _ backend: any SubscriberBackend) async throws -> String? {
        ServiceSession(try await signIn(id, backend)?.upstreamSession)?.variant
    }

    @Test("The first entitled brand wins, otherwise the last that knows the reader")
    func brands() async throws {
        try await with { service, backend in
            #expect(try await brand(of: "both", backend) == "weekly")
            #expect(try await brand(of: "second", backend) == "monthly")
            #expect(try await brand(of: "onlysecond", backend) == "monthly")
            #expect(try await brand(of: "lapsed", backend) == "monthly")
            #expect(try await brand(of: "onlylapsed", backend) == "weekly")
            let nobody = try await signIn("nobody", backend)
            #expect(nobody == nil)
        }
    }

    @Test("The brand's own token is stored and selects that brand in later queries")
    func token() async throws {
        try await with { service, backend in
            let second = try #require(try await signIn("second", backend))
            #expect(ServiceSession(second.upstreamSession)?.values["token"] == "MO:second@example.com")
            #expect(try await backend.subscription(of: second).state == .active)
            #expect(try await backend.subscription(of: second).entitlement == .allEditions)
            let lapsed = try #require(try await signIn("lapsed", backend))
            #expect(try await backend.subscription(of: lapsed) == Subscription(state: .inactive))
            try service.change("lapsed@example.com") { $0.brands = [:] }
            #expect(try await backend.subscription(of: lapsed) == Subscription(state: .inactive), "401 and a response")
        }
    }

    @Test("The service decides each edition, with the configuration lines of the guide")
    func verdict() async throws {
        let guide = PHPService.fixtures.appending(path: "../Sources/Backends/Backends.docc/Presets.md")
        let text = try String(contentsOf: guide, encoding: .utf8)
        let calls = try #require(text.firstMatch(of: /```yaml\n(calls:\n  verdict:[^`]*)```/)).1
        try await PHPService.run(Self.readers) { service in
            let backend = try openService(
                """
                preset: presets/dovetail.yaml
                base: \(service.base)
                variables: {client_ref: "A & B"}
                variants: {weekly: {brand: WK, product: WK-D}, monthly: {brand: MO, product: MO-D}}
                \(calls)
                """, folder: presets)
            let both = try #require(try await signIn("both", backend))
            func verdict(_ edition: String) async throws -> EditionVerdict? {
                try await backend.resolved.verdict(on: EditionID(edition), for: both, context: CallContext()).value
            }
            let rejected = EditionVerdict.rejected(.notEntitled, message: nil)
            #expect(try await verdict("WK-D") == .granted)
            #expect(try await verdict("WK-X") == rejected)
            try service.setMode("unknown-product")
            #expect(try await verdict("WK-X") == rejected, "404 and a response")
            for mode in ["missing", "page", "blank", "omitted", "entitlement-down"] {
                try service.setMode(mode)
                await #expect(throws: (any Error).self, "\(mode)") { try await verdict("WK-D") }
            }
            try service.setMode("")
            try service.change("both@example.com") { $0.brands = [:] }
            #expect(try await verdict("WK-D") == rejected, "401 and a response")
        }
    }

    @Test("Corrected from the historic server: values are escaped in URLs")
    func escaped() async throws {
        try await with { service, backend in
            _ = try await backend.authenticate(["webId": "a&brandRef=MO&x=é%41+"], identifier: "webId")
            let request = try #require(try service.requests().first)
            #expect(
                request.query == [
                    "sourceSystem": "MASS", "clientRef": "A & B", "brandRef": "WK", "webId": "a&brandRef=MO&x=é%41+",
                ])
        }
    }

    @Test(
        "Corrected from the historic server: a failed verification is an outage and activates no reader",
        arguments: ["error", "empty", "page", "missing", "entitlement-down", "blank", "omitted"])
    func verificationDoesNotFailOpen(mode: String) async throws {
        try await with { service, backend in
            for id in ["both", "lapsed"] {
                let subscriber = try #require(try await signIn(id, backend))
                try service.setMode(mode)
                await #expect(throws: (any Error).self) { try await backend.subscription(of: subscriber) }
                try service.setMode("")
            }
        }
    }

    @Test(
        "Corrected from the historic server: an error page with status 404 is an outage at sign-in, too",
        arguments: ["missing", "page", "error", "empty"])
    func signIn(mode: String) async throws {
        try await with { service, backend in
            try service.setMode(mode)
            await #expect(throws: (any Error).self) { try await signIn("both", backend) }
            await #expect(throws: (any Error).self) { try await signIn("nobody", backend) }
        }
    }

    @Test("Corrected from the historic server: an unavailable brand is not taken for one that does not know the reader")
    func outageOfOneBrand() async throws {
        try await with { service, backend in
            try service.setMode("down-WK")
            #expect(try await brand(of: "both", backend) == "monthly", "the other brand has the subscription")
            await #expect(throws: ServiceFailure.undecided) { try await signIn("lapsed", backend) }
            await #expect(throws: ServiceFailure.unrecognizedResponse(.signIn, status: 503)) {
                try await signIn("onlylapsed", backend)
            }
            await #expect(throws: ServiceFailure.unrecognizedResponse(.signIn, status: 503)) {
                try await signIn("nobody", backend)
            }
        }
    }

    @Test("Corrected from the historic server: the last brand does not win only because an earlier one is unavailable")
    func outageOfEntitlement() async throws {
        try await with { service, backend in
            try service.setMode("entitlement-down")
            await #expect(throws: ServiceFailure.undecided) { try await signIn("lapsed", backend) }
            #expect(try await brand(of: "onlysecond", backend) == "monthly", "no brand is available")
            #expect(try await brand(of: "onlylapsed", backend) == "weekly")
        }
    }
}
