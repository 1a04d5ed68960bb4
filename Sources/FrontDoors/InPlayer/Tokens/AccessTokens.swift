import Foundation
import Gatefold
import JSON
import JWTKit
import Primitives

/// The access tokens of a publication: JWTs (RFC 7519) that contain a session.
///
/// The session is sealed under its own purpose, so that a reader of the token, such as a proxy's log, can neither
/// read the session nor renew it.
struct AccessTokens: Sendable {
    /// The claims of a token.
    struct Claims: JWTPayload, Equatable {
        let iss: String
        let aud: String
        /// The account's number. It is not the uuid, because anyone who knows the uuid could receive the account's
        /// notifications.
        let sub: String
        /// The issue time, in Unix seconds.
        let iat: Int64
        let exp: Int64
        /// The sealed session.
        let session: String

        /// Does nothing, because the caller checks all claims against its own clock.
        func verify(using algorithm: some JWTAlgorithm) {}
    }

    /// A token and its expiry.
    struct Issued: Sendable {
        let text: String
        let expiresAt: Date
    }

    /// The maximum length of a token, in bytes. A sealed session has at most 11,000 bytes, which result in a token
    /// of 15,000 bytes.
    static let maxLength = 20_000

    let codec: SealedTokenCodec
    let keys: SigningKeys
    private let publication: PublicationID
    private let issuer: String
    private let lifetime: TimeInterval

    /// - Parameters:
    ///   - issuer: The `iss` claim of tokens.
    ///   - lifetime: The lifetime of tokens, in seconds.
    init(
        publication: PublicationID, secrets: SecretRing, issuer: String, lifetime: TimeInterval, random: RandomSource
    ) {
        self.publication = publication
        self.issuer = issuer
        self.lifetime = lifetime
        codec = SealedTokenCodec(publication: publication, secrets: secrets, random: random, purpose: .access)
        keys = SigningKeys(secrets, publication: publication)
    }

    /// Issues a token for a session. The token expires no later than the session.
    func issue(_ session: Session, account number: Int64, at timestamp: Date) async throws -> Issued {
        guard let key = keys.all.first else { throw JWTError.noKeyProvided }
        let now = timestamp.timeIntervalSince1970.rounded(.down)
        let ends = min(
            Date(timeIntervalSince1970: now).addingTimeInterval(lifetime), session.expiresAt)
        let inner = Session(
            publication: session.publication, subscriber: session.subscriber, device: session.device,
            reference: session.reference, issuedAt: session.issuedAt, expiresAt: ends)
        let claims = Claims(
            iss: issuer, aud: publication.rawValue, sub: String(number), iat: Int64(now),
            exp: Int64(ends.timeIntervalSince1970), session: try codec.seal(inner))
        let kid = JWKIdentifier(string: key.identifier)
        let text = try await JWTKeyCollection().add(ecdsa: key.key, kid: kid).sign(claims, kid: kid)
        return Issued(text: text, expiresAt: ends)
    }

    /// Returns the claims of a token that one of the publication's keys signed, or `nil` for any other text.
    ///
    /// - Parameter allowsExpired: Whether to accept expired tokens, for sign-out: a token that has just expired
    ///   still identifies the session.
    func read(_ text: String, at timestamp: Date, allowsExpired: Bool = false) async -> Claims? {
        guard text.utf8.count <= Self.maxLength, let header = AccessTokenHeader(text), let key = keys[header.key] else {
            return nil
        }
        let collection = await JWTKeyCollection().add(ecdsa: key.key, kid: JWKIdentifier(string: key.identifier))
        guard let claims = try? await collection.verify(text, as: Claims.self), claims.aud == publication.rawValue
        else { return nil }
        return allowsExpired || timestamp.timeIntervalSince1970 < Double(claims.exp) ? claims : nil
    }
}

/// The header of a token, before any verification.
struct AccessTokenHeader {
    /// The identifier of the signing key that the header names.
    let key: String

    /// Returns `nil` if the text does not have three parts in strict base64url, or names another signature
    /// algorithm (RFC 8725, section 3.1).
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty && Base64URL.decode($0) != nil }),
            let header = Base64URL.decode(parts[0]).flatMap({ try? JSONParser.parse($0) }),
            header["alg"]?.text == "ES256", let key = header["kid"]?.text,
            header["crit"] == nil, header["b64"] == nil
        else { return nil }
        self.key = key
    }
}

/// The bearer token of a request (RFC 6750, section 2.1).
enum Bearer: Equatable {
    case missing
    case token(String)

    /// Parses an `Authorization` header. A header without a token counts as missing, because some apps send it
    /// before sign-in.
    ///
    /// Source: InPlayer protocol, “Empty bearer tokens”.
    init(_ header: String?) {
        guard let header, header.utf8.count <= AccessTokens.maxLength + 16 else {
            self = .missing
            return
        }
        let words = header.split(separator: " ", omittingEmptySubsequences: true)
        self = words.count == 2 && words[0].lowercased() == "bearer" ? .token(String(words[1])) : .missing
    }

    var text: String? {
        if case .token(let text) = self { text } else { nil }
    }
}
