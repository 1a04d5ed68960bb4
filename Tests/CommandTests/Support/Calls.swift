import Foundation
import TestSupport
import Testing

/// The encoding of the fields of a call.
enum Style: CaseIterable {
    case query, form, json
}

extension Sample {
    /// Sends a call to the front door.
    func call(
        _ name: String, _ fields: [String: String] = [:], _ style: Style = .form, in publication: String? = nil,
        headers: [(String, String)] = []
    ) async throws -> RawResponse {
        let path = "/" + (publication.map { "\($0)/" } ?? "") + name
        let encoded = fields.map { "\($0.formEncoded)=\($1.formEncoded)" }.joined(separator: "&")
        switch style {
        case .query:
            return try await http.send("GET", fields.isEmpty ? path : "\(path)?\(encoded)", headers)
        case .form:
            return try await http.post(
                path, headers + [("Content-Type", "application/x-www-form-urlencoded")], Array(encoded.utf8))
        case .json:
            return try await http.post(
                path, headers + [("Content-Type", "application/json")], Array(try JSONEncoder().encode(fields)))
        }
    }

    /// Signs in and returns the token.
    func signIn(
        _ email: String, _ password: String, device: String? = nil, in publication: String? = nil
    ) async throws -> String {
        var fields = ["email": email, "password": password]
        if let device { fields["device"] = device }
        let response = try await call("sign_in", fields, in: publication)
        return try #require(response.element("token"), "\(response.text)")
    }

    func signIn(_ reader: Reader, device: String? = nil) async throws -> String {
        try await signIn(reader.email, reader.password, device: device)
    }

    /// Returns the state of a verification.
    func state(of token: String, in publication: String? = nil) async throws -> String? {
        try await call("verify_subscription", ["token": token], in: publication).attribute("state")
    }

    func credentials(_ token: String, _ edition: String, in publication: String? = nil) async throws -> RawResponse {
        try await call("edition_credentials", ["token": token, "product_id": edition], in: publication)
    }

    /// Returns the value of `Authorization` that opens the edition.
    func pair(_ token: String, _ edition: String, in publication: String? = nil) async throws -> String {
        let response = try await credentials(token, edition, in: publication)
        return basic(
            try #require(response.element("userid"), "\(response.text)"), try #require(response.element("password")))
    }

    /// Requests a file below `/content/`.
    func download(
        _ path: String, _ authorization: String? = nil, _ fields: [(String, String)] = []
    ) async throws -> RawResponse {
        try await http.send("GET", "/content/\(path)", fields + (authorization.map { [("Authorization", $0)] } ?? []))
    }

    /// Returns the value of a series of the admin listener, or zero if it does not exist.
    func metric(_ series: String) async throws -> Int {
        let text = try await admin.send("GET", "/metrics").text
        let line = text.split(separator: "\n").first { $0.hasPrefix(series + " ") }
        return line.flatMap { Int($0.dropFirst(series.count + 1)) } ?? 0
    }
}

func basic(_ userid: String, _ password: String) -> String {
    "Basic " + Data("\(userid):\(password)".utf8).base64EncodedString()
}

/// Expects the no-cache headers and no validators or cookies (Pitfall 16).
func expectNoCache(_ response: RawResponse, _ comment: Comment, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(
        response.values(of: "Cache-Control") == ["no-store, no-cache, must-revalidate, private, max-age=0"], comment,
        sourceLocation: sourceLocation)
    #expect(response.values(of: "Pragma") == ["no-cache"], comment, sourceLocation: sourceLocation)
    #expect(response.values(of: "Expires") == ["0"], comment, sourceLocation: sourceLocation)
    for name in ["ETag", "Last-Modified", "Set-Cookie"] {
        #expect(response[name] == nil, comment, sourceLocation: sourceLocation)
    }
}
