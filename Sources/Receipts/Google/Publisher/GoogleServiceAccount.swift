import Foundation
import Gatefold
import JSON
import JWTKit
import OutgoingRequests

/// A service account of Google's, by its file of credentials: gets access tokens with signed assertions (RFC 7523).
///
/// Prints as nothing: it holds a private key.
struct GoogleServiceAccount: Sendable, CustomStringConvertible, CustomReflectable {
    private let mail: String
    private let keyID: String?
    private let key: Insecure.RSA.PrivateKey
    let tokenURL: ServiceURL

    static let scope = "https://www.googleapis.com/auth/androidpublisher"

    /// Nil where the text is no such file.
    ///
    /// - Parameter tokenURL: in place of the file's own.
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

    /// A new access token.
    ///
    /// - Throws: ``GoogleFailure/noToken(status:)``, or what says that there was no answer.
    func token(through http: OutgoingHTTP, at moment: Date) async throws -> TokenKeeper.Token {
        let keys = JWTKeyCollection()
        await keys.add(rsa: key, digestAlgorithm: .sha256, kid: keyID.map { JWKIdentifier(string: $0) })
        let now = Int(moment.timeIntervalSince1970)
        let assertion = try await keys.sign(
            Assertion(iss: mail, scope: Self.scope, aud: tokenURL.text, iat: now, exp: now + 3600),
            kid: keyID.map { JWKIdentifier(string: $0) })
        let grant = PercentEncoding.encode("urn:ietf:params:oauth:grant-type:jwt-bearer")
        var question = HTTPQuestion(
            method: "POST", url: tokenURL, body: Array("grant_type=\(grant)&assertion=\(assertion)".utf8),
            isRepeatable: true)
        question.headers = [
            HTTPQuestion.Header(name: "Content-Type", value: "application/x-www-form-urlencoded"),
            HTTPQuestion.Header(name: "Accept", value: "application/json"),
        ]
        return try Self.token(in: try await http.send(question))
    }

    /// - Throws: ``GoogleFailure/noToken(status:)``.
    static func token(in answer: HTTPAnswer) throws(GoogleFailure) -> TokenKeeper.Token {
        guard answer.status == 200, let json = try? JSONParser.parse(answer.body),
            let token = json["access_token"]?.text, isToken(token),
            let lifetime = json["expires_in"]?.integer, (1...86_400).contains(lifetime)
        else { throw .noToken(status: answer.status) }
        return TokenKeeper.Token(text: token, lifetime: TimeInterval(lifetime))
    }

    /// What may stand in a header (RFC 6750 section 2.1).
    static func isToken(_ text: String) -> Bool {
        (1...8192).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
