import Foundation
import TestSupport
import Testing

@Suite("Secrets in logs, metrics and state", .serialized)
struct SecrecyTests {
    private static let email = "marker-identifier@example.com"
    private static let password = "marker:password+7/é?"
    private static let wrong = "marker wrong guess"

    @Test("Pitfall 20: output, metrics and state hold no passwords, tokens or names")
    func nowhere() async throws {
        try await withSample(configuration: { $0.replacing("level: info", with: "level: trace") }) { sample in
            try sample.write(
                "marker.csv", "identifier,password,periods\n\(Self.email),\(Self.password),2019-01-01/2090-12-31\n")
            try await sample.succeed(["subscribers", "import", "marker.csv", "-b", "house"])
            try FileManager.default.removeItem(at: sample.folder.appendingPathComponent("marker.csv"))
            try await withServer(sample.launch) { server in
                var secrets = try await everything(sample)
                var outputs = [("output", Data(server.output.utf8))]
                outputs.append(("metrics", Data(try await sample.admin.send("GET", "/metrics").body)))
                secrets += [Self.password, Self.wrong, "marker-ident"]
                for name in try FileManager.default.subpathsOfDirectory(atPath: sample.path("state")) {
                    let file = sample.folder.appendingPathComponent("state/\(name)")
                    if try file.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true { continue }
                    outputs.append((name, try Data(contentsOf: file)))
                }
                // The search finds text that is there.
                #expect(outputs[0].1.range(of: Data("\"message\":\"request\"".utf8)) != nil)
                for (place, data) in outputs {
                    for secret in secrets {
                        if secret == "marker-ident", place.hasPrefix("house.sqlite") { continue }
                        for spelling in Self.spellings(secret) {
                            #expect(data.range(of: spelling.data) == nil, "\(spelling.name) of a secret in \(place)")
                        }
                    }
                }
                let subscriberDatabase = outputs.filter { $0.0.hasPrefix("house.sqlite") }
                #expect(subscriberDatabase.contains { $0.1.range(of: Data("marker-ident".utf8)) != nil })
            }
        }
    }

    /// Runs all calls, including failing ones, and returns the secrets of the responses.
    private func everything(_ sample: Sample) async throws -> [String] {
        var secrets: [String] = []
        for style in Style.allCases {
            let signedIn = try await sample.call(
                "sign_in", ["email": Self.email, "password": Self.password, "device": "marker-device"], style)
            let token = try #require(signedIn.element("token"), "\(signedIn.text)")
            let feed = try #require(signedIn.attribute("global_auth_password"))
            let response = try await sample.call(
                "edition_credentials", ["token": token, "product_id": Sample.third], style)
            let (userid, password) = (
                try #require(response.element("userid")), try #require(response.element("password"))
            )
            secrets += [token, feed, userid, password]
            for path in [Sample.third, Sample.second] {
                _ = try await sample.download("daily/\(path).zip", basic(userid, password))
                _ = try await sample.http.send(
                    "GET", "/auth-request/original-uri",
                    [("X-Original-URI", "/content/daily/\(path).zip"), ("Authorization", basic(userid, password))])
            }
            _ = try await sample.download("daily/feed.xml", basic(token, feed))
            _ = try await sample.call("sign_in", ["email": Self.email, "password": Self.wrong], style)
            _ = try await sample.call("verify_subscription", ["token": token], style)
            _ = try await sample.call("verify_subscription", ["token": token], style, in: "weekly")
            let renewed = try #require(try await sample.call("renew", ["token": token], style).element("token"))
            secrets.append(renewed)
            if style == .json { try await failures(sample, token) }
            _ = try await sample.call("sign_out", ["token": renewed], style)
            _ = try await sample.call("verify_subscription", ["token": token], style)
            _ = try await sample.download("daily/\(Sample.third).zip", basic(userid, password))
        }
        return secrets
    }

    private func failures(_ sample: Sample, _ token: String) async throws {
        let fields = "email=\(Self.email.formEncoded)&password=\(Self.password.formEncoded)&token=\(token)"
        for method in NoCacheOnTheWireTests.methods {
            for path in ["sign_in", "nowhere", "nowhere/sign_in", "test/sign_in", "healthz", "content/daily/x", ""] {
                _ = try await sample.http.send(method, "/\(path)?\(fields)")
            }
        }
        _ = try await sample.http.post("/sign_in", [("Content-Type", "application/json")], Array("{\(fields)".utf8))
        _ = try await sample.http.post(
            "/sign_in", [], Array((fields + String(repeating: "&a=\(Self.password.formEncoded)", count: 3000)).utf8))
        for broken in [
            "GET /sign_in?\(fields)\r\n\r\n", "GET /sign_in?\(fields) HTTP/1.1\r\n\(fields)\r\n\r\n",
            "POST /sign_in HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(fields)\r\n",
        ] {
            _ = try? await sample.http.exchange(Array(broken.utf8))
        }
        // The subscriber database fails and recovers.
        try await sample.withoutTable("subscriber", in: "house") {
            let fields = ["email": Self.email, "password": Self.password, "token": token]
            #expect(try await sample.call("sign_in", fields).status == 503)
            #expect(try await sample.call("verify_subscription", fields).status == 503)
            _ = try await sample.call("edition_credentials", fields)
        }
        try await sample.withoutTable("device", in: "state") {
            let fields = ["email": Self.email, "password": Self.password, "device": "marker-device"]
            let response = try await sample.call("sign_in", fields)
            #expect(response.status == 503)
        }
    }

    /// Returns the secret in plain text, in base64 at any alignment, URL-encoded and in hexadecimal.
    private static func spellings(_ secret: String) -> [(name: String, data: Data)] {
        let bytes = Array(secret.utf8)
        var texts = [
            ("plain", secret), ("URL-coded", secret.formEncoded),
            ("URL-coded", secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? secret),
            ("hexadecimal", bytes.map { String(format: "%02x", $0) }.joined()),
            ("hexadecimal", bytes.map { String(format: "%02X", $0) }.joined()),
        ]
        for skipped in 0..<3 {
            let whole = bytes.dropFirst(skipped)
            let base64 = Data(whole.prefix(whole.count / 3 * 3)).base64EncodedString()
            texts.append(("base64", base64))
            texts.append(("base64", base64.replacing("+", with: "-").replacing("/", with: "_")))
        }
        return texts.map { ($0.0, Data($0.1.utf8)) }
    }
}
