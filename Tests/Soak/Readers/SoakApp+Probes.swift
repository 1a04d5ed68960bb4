import Foundation
import TestSupport

/// Requests that resemble a Pugpig call or a download. They have a fixed response in any condition and no effect.
extension SoakApp {
    enum Probe: String, CaseIterable {
        /// A request without a body in the response, which ends no session either.
        case head = "HEAD"
        case options = "OPTIONS"
        case otherMethod = "PUT, DELETE and PATCH"
        /// A path that a cache could treat as a file.
        case pathBehind = "path below a call"
        case strangePublication = "unknown publication"
        case credentialsTwice = "repeated credentials"
    }

    static let pugpigCalls = [
        "sign_in", "renew_token", "renew", "verify_subscription", "edition_credentials", "sign_out",
    ]

    func probe(_ token: SoakReader.Token) async throws {
        guard let probe = Probe.allCases.randomElement(using: &random),
            let name = Self.pugpigCalls.randomElement(using: &random)
        else { return }
        try await self.probe(probe, name, token)
    }

    /// - Parameter name: The name of a Pugpig call.
    func probe(_ probe: Probe, _ name: String, _ token: SoakReader.Token) async throws {
        let fields = [
            "email": reader.email, "password": PublisherSystem.password, "token": token.text,
            "product_id": SoakPlan.first,
        ]
        let callVariant = CallVariant(endsWithSlash: Bool.random(using: &random))
        let publication = SoakPlan.titles[token.title].id
        let target = callVariant.target(name, in: token.title, fields)
        switch probe {
        case .head:
            let call = try await exchange(probe.rawValue, in: token.title) {
                try await context.http.send("HEAD", target)
            }
            let type = name == "sign_out" ? "text/plain; charset=utf-8" : "text/xml; charset=utf-8"
            guard call.response.status == 200, call.response["Content-Type"] == type else {
                throw fail(call, "expected the headers of a response to \(name)")
            }
            record(call, "headers")
        case .options:
            let call = try await exchange(probe.rawValue, in: token.title) {
                try await context.http.send("OPTIONS", target)
            }
            try judge(call, 204, "allowed methods", allows: true)
        case .otherMethod:
            let method = ["PUT", "DELETE", "PATCH"].randomElement(using: &random) ?? "PUT"
            let call = try await exchange(probe.rawValue, in: token.title) {
                try await context.http.send(method, target, [("Content-Length", "0")])
            }
            try judge(call, 405, "method not allowed", allows: true)
        case .pathBehind:
            let call = try await exchange(probe.rawValue, in: token.title) {
                try await context.http.send("GET", "/\(publication)/\(name)/x.css?token=\(token.text.formEncoded)")
            }
            try judge(call, 404, "not found")
        case .strangePublication:
            let call = try await exchange(probe.rawValue) {
                try await context.http.send("GET", "/unknown/\(name)?token=\(token.text.formEncoded)")
            }
            try judge(call, 404, "not found")
        case .credentialsTwice:
            let basic = Self.basic("reader", "password")
            let file = "/content/\(publication)/\(SoakPlan.first)/index.html"
            let call = try await exchange(probe.rawValue, in: token.title) {
                try await context.http.send("GET", file, [basic, basic])
            }
            try judge(call, 400, "bad request")
        }
    }

    private func judge(_ call: Call, _ status: Int, _ message: String, allows: Bool = false) throws {
        guard call.response.status == status else { throw fail(call, "expected \(status)") }
        guard !allows || call.response["Allow"] == "GET, HEAD, POST, OPTIONS" else {
            throw fail(call, "unexpected Allow header")
        }
        record(call, message)
    }
}
