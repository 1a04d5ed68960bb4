import Foundation
import TestSupport
import Testing

/// Tests with the requests of Traefik and Envoy, which Debian does not package, and a check that every configured
/// endpoint exists.
@Suite("Auth-request endpoint contract")
struct EndpointContractTests {
    private static let open = "/content/\(GateHarness.publication)/ed-1/index.html"

    /// The format of a front's request for a client's request.
    enum Convention: String, CaseIterable, CustomTestStringConvertible {
        case traefik, envoy
        var testDescription: String { rawValue }

        func send(
            _ http: RawHTTP, about target: String, _ method: String = "GET", _ fields: [(String, String)] = []
        ) async throws -> RawResponse {
            switch self {
            case .traefik:
                let reported = [
                    ("X-Forwarded-Method", method), ("X-Forwarded-Proto", "https"),
                    ("X-Forwarded-Host", "editions.example.com"), ("X-Forwarded-Uri", target),
                    ("X-Forwarded-For", "192.0.2.7"),
                ]
                return try await http.send("GET", "/auth-request/forwarded-uri", reported + fields)
            case .envoy:
                let reported = [("X-Envoy-Internal", "true"), ("Content-Length", "0")]
                return try await http.send(method, "/auth-request/path" + target, reported + fields)
            }
        }
    }

    @Test("Grants an entitled reader and returns the checked path", arguments: Convention.allCases)
    func grants(convention: Convention) async throws {
        try await withGate { gate in
            let http = RawHTTP(port: gate.port)
            let granted = try await convention.send(
                http, about: Self.open + "?page=2", "GET", [GateHarness.authorization(for: "ed-1")])
            #expect(granted.status == 200)
            #expect(granted["X-Gatefold-Path"] == Self.open)
            #expect(granted.body.isEmpty)
        }
    }

    @Test("Rejects with 403 for any method and path", arguments: Convention.allCases)
    func rejects(convention: Convention) async throws {
        try await withGate { gate in
            let http = RawHTTP(port: gate.port)
            let right = try GateHarness.authorization(for: "ed-1")
            let wrong = try GateHarness.authorization(for: "ed-2")
            let prefix = "/content/\(GateHarness.publication)"
            for (target, fields) in [
                (Self.open, []), (Self.open, [wrong]), (Self.open, [right, right]),
                ("\(prefix)/ed-1/../ed-2/index.html", [right]), ("\(prefix)/ed-1/%2e%2e/ed-2/index.html", [right]),
                ("\(prefix)/ed-1%2f..%2fed-2/index.html", [right]), ("\(prefix)//ed-2/index.html", [right]),
                ("/elsewhere", [right]),
            ] {
                let rejected = try await convention.send(http, about: target, "GET", fields)
                expectDenial(rejected, target)
            }
            expectDenial(
                try await convention.send(http, about: Self.open, "DELETE", [right]), "DELETE", status: 400...499)
        }
    }

    @Test("Serves every endpoint that a configuration names")
    func everyNamedEndpointExists() async throws {
        var named: Set<String> = []
        let files = FileManager.default.enumerator(at: SitePlan.fronts, includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension != "md", let text = try? String(contentsOf: file, encoding: .utf8) else {
                continue
            }
            named.formUnion(text.matches(of: /\/auth-request\/[a-z-]+/).map { String($0.output) })
        }
        #expect(
            named == [
                "/auth-request/original-uri", "/auth-request/forwarded-uri", "/auth-request/path",
                "/auth-request/notifications",
            ])
    }
}
