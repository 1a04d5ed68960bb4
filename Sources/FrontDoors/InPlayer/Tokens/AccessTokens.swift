import Foundation
import Gatefold
import JSON
import JWTKit

/// The access tokens of a publication: JWTs (RFC 7519) with a session inside that is sealed under a purpose of its own, so that
/// whoever reads one, a proxy's log included, can neither see into the session nor renew it.
struct AccessTokens: Sendable {
    /// What a token says.
    struct Claims: JWTPayload, Equatable {
        let iss: String
        let aud: String
        /// The account's uuid; of a program the client.
        let sub: String
        /// Unix seconds.
        let iat: Int64
        let exp: Int64
        /// The sealed session; nil where it is nobody's, but a program's.
        let session: String?

        /// All of it is checked by whoever reads it, who knows the time.
        func verify(using algorithm: some JWTAlgorithm) {}
    }

    /// A token, and when it ends.
    struct Issued: Sendable {
        let text: String
        let expiresAt: Date
    }

    /// In bytes. A sealed session has 11,000 at the most, of which the token makes 15,000.
    static let longest = 20_000

    let codec: SealedTokenCodec
    let keys: SigningKeys
    private let publication: PublicationID
    private let issuer: String
    private let lifetime: TimeInterval

    /// - Parameters:
    ///   - issuer: what a token names as `iss`.
    ///   - lifetime: in seconds.
    init(
        publication: PublicationID, secrets: SecretRing, issuer: String, lifetime: TimeInterval, random: RandomSource
    ) {
        self.publication = publication
        self.issuer = issuer
        self.lifetime = lifetime
        codec = SealedTokenCodec(publication: publication, secrets: secrets, random: random, purpose: .access)
        keys = SigningKeys(secrets, publication: publication)
    }

    /// A token for a session, which ends no later than the session's own.
    func issue(_ session: Session, account uuid: String, at moment: Date) async throws -> Issued {
        let now = moment.timeIntervalSince1970.rounded(.down)
        let ends = min(
            Date(timeIntervalSince1970: now).addingTimeInterval(lifetime), session.expiresAt)
        let inner = Session(
            publication: session.publication, subscriber: session.subscriber, device: session.device,
            reference: session.reference, issuedAt: session.issuedAt, expiresAt: ends)
        return try await issue(subject: uuid, session: try codec.seal(inner), from: now, until: ends)
    }

    /// A token for one of the merchant's own programs.
    func issue(client: String, at moment: Date) async throws -> Issued {
        let now = moment.timeIntervalSince1970.rounded(.down)
        return try await issue(
            subject: client, session: nil, from: now,
            until: Date(timeIntervalSince1970: now).addingTimeInterval(lifetime))
    }

    private func issue(
        subject: String, session: String?, from now: TimeInterval, until ends: Date
    ) async throws -> Issued {
        guard let key = keys.all.first else { throw JWTError.noKeyProvided }
        let claims = Claims(
            iss: issuer, aud: publication.rawValue, sub: subject, iat: Int64(now),
            exp: Int64(ends.timeIntervalSince1970), session: session)
        let kid = JWKIdentifier(string: key.identifier)
        let text = try await JWTKeyCollection().add(ecdsa: key.key, kid: kid).sign(claims, kid: kid)
        return Issued(text: text, expiresAt: ends)
    }

    /// What a token says that one of our keys signed; nil for any other text.
    ///
    /// - Parameter isExpiredToo: for whoever signs out: a token that has just ended still says who.
    func read(_ text: String, at moment: Date, isExpiredToo: Bool = false) async -> Claims? {
        guard text.utf8.count <= Self.longest, let header = AccessTokenHeader(text), let key = keys[header.key] else {
            return nil
        }
        let collection = await JWTKeyCollection().add(ecdsa: key.key, kid: JWKIdentifier(string: key.identifier))
        guard let claims = try? await collection.verify(text, as: Claims.self), claims.aud == publication.rawValue
        else { return nil }
        return isExpiredToo || moment.timeIntervalSince1970 < Double(claims.exp) ? claims : nil
    }
}

/// The header of a token, before anything is believed of it.
struct AccessTokenHeader {
    /// The key that it says it was signed with.
    let key: String

    /// Nil for what is no token of three parts in strict base64url, or says that it was signed in another way than ours
    /// (RFC 8725, section 3.1).
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

/// What a request says of who asks (RFC 6750, section 2.1).
enum Bearer: Equatable {
    case missing
    case token(String)

    /// A header without a token is none: some apps send one while nobody is signed in (PROTOCOLS 5.3).
    init(_ header: String?) {
        guard let header, header.utf8.count <= AccessTokens.longest + 16 else {
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
