import Foundation
import TestSupport
import Testing

extension FrontTests {
    /// Headers by which a client could impersonate the front, in spellings that some server treats as equal.
    static let spoofs: [String] = [
        "X-Original-URI", "X-Original-URL", "X-Original-Method", "X-Forwarded-Uri", "X-Forwarded-Method",
        "X-Forwarded-Host",
        "X-Forwarded-Prefix", "X-Rewrite-URL", "X-Checked-Path", "X-Gatefold-Path", "X-Gatefold-Edition",
        "X-Gatefold-Subscriber", "X-Gatefold-Resumption", "X-Accel-Redirect", "X-Sendfile", "X-Envoy-Original-Path",
    ].flatMap { name in
        [
            name, name.lowercased(), name.replacing("-", with: "_"), name.replacing("-", with: "."),
            name.replacingLast("-", with: "_"),
        ]
    }

    @Test("Pitfall 11: no client header impersonates the front", arguments: Front.allCases)
    func spoofedHeaders(_ front: Front) async throws {
        try await withSite(front) { site in
            let reader = try GateHarness.authorization(for: "ed-1")
            let mine = Site.target("ed-1/index.html")
            for name in Self.spoofs {
                for value in [mine, "\(mine), \(mine)"] {
                    for fields in [
                        [(name, value)], [(name, value), (name, value)], [(name, value), ("Connection", name)],
                    ] {
                        let response = try await site.get("ed-2/index.html", [reader] + fields)
                        #expect(response.status == 403 || response.status == 400, "\(name): \(response.status)")
                        #expect(!holdsContent(response), "\(name): \(value)")
                    }
                }
                let honest = try await site.get("ed-1/index.html", [reader, (name, Site.target("ed-2/index.html"))])
                expectFile(honest, "ed-1/index.html")
            }
        }
    }

    @Test("Pitfall 11: two Authorization headers are rejected", arguments: Front.allCases)
    func twoAuthorizations(_ front: Front) async throws {
        try await withSite(front) { site in
            let reader = try GateHarness.authorization(for: "ed-1")
            let wrong = GateHarness.basic("a:b")
            for fields in [
                [reader, wrong], [wrong, reader], [reader, reader], [reader, (reader.0.lowercased(), wrong.1)],
            ] {
                let response = try await site.get("ed-1/index.html", fields)
                #expect(response.status == 400 || response.status == 403, "\(response.status)")
                #expect(!holdsContent(response))
            }
        }
    }
}

extension String {
    fileprivate func replacingLast(_ character: Character, with replacement: String) -> String {
        guard let position = lastIndex(of: character) else { return self }
        return replacingCharacters(in: position...position, with: replacement)
    }
}
