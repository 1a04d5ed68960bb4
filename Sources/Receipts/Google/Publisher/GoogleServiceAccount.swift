import Foundation
import JSON
import JWTKit
import OutgoingRequests
import Primitives

/// A Google service account, read from its credentials file. It requests access tokens with signed assertions (RFC
/// 7523).
///
/// Its description is redacted, because it holds a private key.
struct GoogleServiceAccount: Sendable, CustomStringConvertible, CustomReflectable {
    private let mail: String
    private let keyID: String?
    private let key: Insecure.RSA.PrivateKey
    let tokenURL: ServiceURL

    static let scope = "https://www.googleapis.com/auth/androidpublisher"

    /// Reads a credentials file. Returns nil if the text is not such a file.
    ///
    /// - Parameter tokenURL: The URL that replaces the file's own, or nil to use the file's own.
    init?(_ text: String, tokenURL: ServiceURL?) {
        guard let json = try? JSONParser.parse(Array(text.utf8)), json["type"]?.text == "service_account",
            let mail = json["client_email"]?.text, let pem = json["private_key"]?.text,
            let key = try? Insecure.RSA.PrivateKey(pem: pem),
            let url = tokenURL ?? json["token_uri"]?.text.flatMap({ ServiceURL($0) })
        else { return nil }
        self.mail = mail
        self.key = key
        keyID = json["private_key_id"]?.text
        self.tokenURL = url
    }

    var description: String { "GoogleServiceAccount(redacted)" }
    var customMirror: Mirror { Mirror(self, children: []) }

    private struct Assertion: JWTPayload {
        let iss: String
        let scope: String
        let aud: String
        let iat: Int
        let exp: Int

        func verify(using algorithm: some JWTAlgorithm) {}
    }

    /// Requests a new access token.
    ///
    /// - Throws: ``GoogleFailure/noToken(status:)``, or another error if there is no response.
    func token(through http: OutgoingHTTP, at timestamp: Date) async throws -> TokenCache.Token {
        let keys = JWTKeyCollection()
        await keys.add(rsa: key, digestAlgorithm: .sha256, kid: keyID.map { JWKIdentifier(string: $0) })
        let now = Int(timestamp.timeIntervalSince1970)
        let assertion = try await keys.sign(
            Assertion(iss: mail, scope: Self.scope, aud: tokenURL.text, iat: now, exp: now + 3600),
            kid: keyID.map { JWKIdentifier(string: $0) })
        let grant = PercentEncoding.encode("urn:ietf:params:oauth:grant-type:jwt-bearer")
        var request = OutboundRequest(
            method: "POST", url: tokenURL, body: Array("grant_type=\(grant)&assertion=\(assertion)".utf8),
            isRepeatable: true)
        request.headers = [
            OutboundRequest.Header(name: "Content-Type", value: "application/x-www-form-urlencoded"),
            OutboundRequest.Header(name: "Accept", value: "application/json"),
        ]
        return try Self.token(in: try await http.send(request))
    }

    /// Reads the token of a response.
    ///
    /// - Throws: ``GoogleFailure/noToken(status:)``.
    static func token(in response: OutboundResponse) throws(GoogleFailure) -> TokenCache.Token {
        guard response.status == 200, let json = try? JSONParser.parse(response.body),
            let token = json["access_token"]?.text, isToken(token),
            let lifetime = json["expires_in"]?.integer, (1...86_400).contains(lifetime)
        else { throw .noToken(status: response.status) }
        return TokenCache.Token(text: token, lifetime: TimeInterval(lifetime))
    }

    /// Returns whether the text is valid in a header (RFC 6750 section 2.1).
    static func isToken(_ text: String) -> Bool {
        (1...8192).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
