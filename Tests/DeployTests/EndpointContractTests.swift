import Foundation
import TestSupport
import Testing

/// What Traefik and Envoy send, who are not in Debian, and that no configuration names an endpoint there is not.
@Suite("The auth-request endpoint, as the configurations ask it")
struct EndpointContractTests {
    private static let open = "/content/\(GateUnderTest.publication)/ed-1/index.html"

    /// The request that a front makes of a client's.
    enum Convention: String, CaseIterable, CustomTestStringConvertible {
        case traefik, envoy
        var testDescription: String { rawValue }

        func ask(
            _ http: RawHTTP, about target: String, _ method: String = "GET", _ fields: [(String, String)] = []
        ) async throws -> RawResponse {
            switch self {
            case .traefik:
                let told = [
                    ("X-Forwarded-Method", method), ("X-Forwarded-Proto", "https"),
                    ("X-Forwarded-Host", "editions.example.com"), ("X-Forwarded-Uri", target),
                    ("X-Forwarded-For", "192.0.2.7"),
                ]
                return try await http.send("GET", "/auth-request/forwarded-uri", told + fields)
            case .envoy:
                let told = [("X-Envoy-Internal", "true"), ("Content-Length", "0")]
                return try await http.send(method, "/auth-request/path" + target, told + fields)
            }
        }
    }

    @Test("grants what the reader may have, and says which path was checked", arguments: Convention.allCases)
    func grants(convention: Convention) async throws {
        try await withGate { gate in
            let http = RawHTTP(port: gate.port)
            let granted = try await convention.ask(
                http, about: Self.open + "?page=2", "GET", [GateUnderTest.authorization(for: "ed-1")])
            #expect(granted.status == 200)
            #expect(granted["X-Gatefold-Path"] == Self.open)
            #expect(granted.body.isEmpty)
        }
    }

    @Test("refuses with 403, whatever the method and the path", arguments: Convention.allCases)
    func refuses(convention: Convention) async throws {
        try await withGate { gate in
            let http = RawHTTP(port: gate.port)
            let right = try GateUnderTest.authorization(for: "ed-1")
            let wrong = try GateUnderTest.authorization(for: "ed-2")
            let prefix = "/content/\(GateUnderTest.publication)"
            for (target, fields) in [
                (Self.open, []), (Self.open, [wrong]), (Self.open, [right, right]),
                ("\(prefix)/ed-1/../ed-2/index.html", [right]), ("\(prefix)/ed-1/%2e%2e/ed-2/index.html", [right]),
                ("\(prefix)/ed-1%2f..%2fed-2/index.html", [right]), ("\(prefix)//ed-2/index.html", [right]),
                ("/elsewhere", [right]),
            ] {
                let refused = try await convention.ask(http, about: target, "GET", fields)
                expectRefusal(refused, target)
            }
            expectRefusal(
                try await convention.ask(http, about: Self.open, "DELETE", [right]), "DELETE", status: 400...499)
        }
    }

    @Test("stands where every configuration says it does")
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
