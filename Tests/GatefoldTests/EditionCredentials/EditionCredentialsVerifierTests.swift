import Foundation
import Gatefold
import Primitives
import TestSupport
import Testing

@Suite("Edition credentials verifier")
struct EditionCredentialsVerifierTests {
    static let subject = SaltSubject(
        subscriber: SubscriberPseudonym(bytes: [1, 2, 3, 4, 5, 6, 7])!,
        session: SessionPseudonym(bytes: [8, 9, 10, 11])!,
        issuedAt: .after(-60))
    let none = RevocationList(publication: .daily)

    func issuer(_ form: SaltFormat, _ secret: Secret = .one, in publication: PublicationID = .daily)
        -> EditionCredentialsIssuer
    {
        EditionCredentialsIssuer(
            publication: publication, secrets: SecretRing(current: secret), form: form, random: .seeded(1))
    }

    func verifier(
        _ current: Secret = .one, retired: [Secret] = [], plain: Bool = true, in publication: PublicationID = .daily
    ) -> EditionCredentialsVerifier {
        EditionCredentialsVerifier(
            publication: publication, secrets: SecretRing(current: current, retired: retired), acceptsPlainSalts: plain,
            resumeWindow: 600)
    }

    @Test("A pair opens its own edition only", arguments: SaltFormat.allCases)
    func roundTrip(_ form: SaltFormat) throws {
        let pair = try issuer(form).issue(.first, for: Self.subject, until: .after(3600))
        let verdict = verifier().verify(pair, for: .first, at: .after(0), revocations: none)
        #expect(verdict == .accepted(form == .sealed ? Self.subject : nil))
        #expect(verifier().verify(pair, for: .second, at: .after(0), revocations: none) == .wrongPassword)
        #expect(verifier(.two).verify(pair, for: .first, at: .after(0), revocations: none) == .wrongPassword)
    }

    @Test("A third party that knows only the SHA-1 rule accepts a sealed pair")
    func thirdParty() throws {
        let pair = try issuer(.sealed).issue(.first, for: Self.subject, until: .after(3600))
        let secret = String(decoding: Secret.one.bytes, as: UTF8.self)
        #expect(pair.password == (try ChildProcess.sha1sum("\(EditionID.first):\(pair.userid):\(secret)")))
        #expect(pair.userid.utf8.count == 63)
        #expect(pair.userid.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
    }

    @Test("A sealed pair expires with its minute and can be resumed within the window")
    func expiry() throws {
        let pair = try issuer(.sealed).issue(.first, for: Self.subject, until: .after(61))
        func verdict(_ seconds: TimeInterval) -> EditionCredentialsVerdict {
            verifier().verify(pair, for: .first, at: .after(seconds), revocations: none)
        }
        #expect(verdict(119.9) == .accepted(Self.subject))
        #expect(verdict(120) == .expiredButResumable(Self.subject))
        #expect(verdict(719.9) == .expiredButResumable(Self.subject))
        #expect(verdict(720) == .expired(Self.subject))
    }

    @Test("Rejects the pair of a revoked session but not of another session")
    func revoked() throws {
        let pair = try issuer(.sealed).issue(.first, for: Self.subject, until: .after(3600))
        let list = RevocationList(publication: .daily)
        let other = SessionPseudonym(bytes: [0, 0, 0, 0])!
        list.add(Revocation(publication: .daily, subscriber: Self.subject.subscriber, session: other, at: .after(0)))
        #expect(verifier().verify(pair, for: .first, at: .after(1), revocations: list) == .accepted(Self.subject))
        list.add(
            Revocation(
                publication: .daily, subscriber: Self.subject.subscriber, session: Self.subject.session, at: .after(0)))
        #expect(verifier().verify(pair, for: .first, at: .after(1), revocations: list) == .revoked(Self.subject))
    }

    @Test("Accepts retired secrets during a rotation and rejects removed ones", arguments: SaltFormat.allCases)
    func rotation(_ form: SaltFormat) throws {
        let pair = try issuer(form, .one).issue(.first, for: Self.subject, until: .after(3600))
        let during = verifier(.two, retired: [.one]).verify(pair, for: .first, at: .after(0), revocations: none)
        #expect(during == .accepted(form == .sealed ? Self.subject : nil))
        #expect(verifier(.two).verify(pair, for: .first, at: .after(0), revocations: none) == .wrongPassword)
    }

    @Test("A cached salt is verified again on every request and opens nothing with another password")
    func readBefore() throws {
        let verifier = verifier(.two, retired: [.one])
        let list = RevocationList(publication: .daily)
        let pair = try issuer(.sealed, .one).issue(.first, for: Self.subject, until: .after(60))
        func verdict(_ password: String? = nil, for edition: EditionID = .first, after seconds: TimeInterval = 0)
            -> EditionCredentialsVerdict
        {
            let pair = EditionCredentials(userid: pair.userid, password: password ?? pair.password)
            return verifier.verify(pair, for: edition, at: .after(seconds), revocations: list)
        }
        let other = EditionPassword.make(edition: .first, salt: pair.userid, secret: .two)
        for _ in 1...3 {
            #expect(verdict() == .accepted(Self.subject))
            #expect(verdict(other) == .accepted(Self.subject))
            #expect(verdict(String(repeating: "0", count: 40)) == .wrongPassword)
            #expect(verdict(String(pair.password.reversed())) == .wrongPassword)
            #expect(verdict("") == .malformed)
            #expect(verdict(for: .second) == .wrongPassword)
            #expect(verdict(after: 120) == .expiredButResumable(Self.subject))
            #expect(verdict(after: 10_000) == .expired(Self.subject))
        }
        list.add(
            Revocation(
                publication: .daily, subscriber: Self.subject.subscriber, session: Self.subject.session, at: .after(0)))
        #expect(verdict() == .revoked(Self.subject))
    }

    @Test("Rejects a valid plain pair if only sealed salts are accepted")
    func unsealed() throws {
        let pair = try issuer(.plain).issue(.first, for: Self.subject, until: .after(3600))
        #expect(verifier(plain: false).verify(pair, for: .first, at: .after(0), revocations: none) == .unsealed)
    }

    @Test("A sealed salt of another publication with the same secret is not accepted")
    func otherPublication() throws {
        let pair = try issuer(.sealed, in: .weekly).issue(.first, for: Self.subject, until: .after(3600))
        #expect(verifier(plain: false).verify(pair, for: .first, at: .after(0), revocations: none) == .unsealed)
    }

    @Test("Pitfall 4: rejects empty names and passwords, and hashes of empty input")
    func empty() throws {
        let hashOfNothing = try ChildProcess.sha1sum("ed::")
        for (name, password) in [("", ""), ("", hashOfNothing), ("x", ""), ("x", hashOfNothing)] {
            let verdict = verifier().verify(
                EditionCredentials(userid: name, password: password), for: EditionID("ed")!, at: .after(0),
                revocations: none)
            #expect(verdict == .malformed || verdict == .wrongPassword)
        }
    }

    @Test("Pitfall 3: credentials for mag:2024 do not open mag, wherever the pair is split")
    func delimiters() throws {
        let salt = "05ab"
        let secret = String(decoding: Secret.one.bytes, as: UTF8.self)
        let password = try ChildProcess.sha1sum("mag:2024:\(salt):\(secret)")
        for name in ["2024:\(salt)", "2024%3A\(salt)"] {
            let verdict = verifier().verify(
                EditionCredentials(userid: name, password: password), for: EditionID("mag")!, at: .after(0),
                revocations: none)
            #expect(verdict == .malformed || verdict == .wrongPassword)
        }
        let second = EditionCredentials(userid: "2024", password: "\(salt):\(password)")
        #expect(
            verifier().verify(second, for: EditionID("mag")!, at: .after(0), revocations: none) == .malformed)
    }

    @Test("Feed credentials open no edition, and edition credentials do not open the feed")
    func feed() throws {
        let codec = SealedTokenCodec(publication: .daily, secrets: SecretRing(current: .two), random: .seeded(2))
        let pseudonymKey = PseudonymKey(.two)
        let feed = FeedCredentialsVerifier(
            secrets: SecretRing(current: .one), tokens: codec, pseudonymKey: pseudonymKey)
        let token = try codec.seal(.sample())
        let password = EditionPassword.makeForFeed(token: token, secret: .one)
        #expect(feed.verify(token: token, password: password, at: .after(0), revocations: none) != nil)
        #expect(feed.verify(token: token, password: password, at: .after(3600), revocations: none) == nil)
        #expect(feed.verify(token: token + "A", password: password, at: .after(0), revocations: none) == nil)
        let pair = EditionCredentials(userid: token, password: password)
        for edition in [EditionID.first, .second] {
            let verdict = verifier().verify(pair, for: edition, at: .after(0), revocations: none)
            #expect(verdict == .malformed || verdict == .wrongPassword)
        }
        let nowhere = issuer(.plain).issueForNoEdition()
        #expect(
            feed.verify(token: nowhere.userid, password: nowhere.password, at: .after(0), revocations: none) == nil)
        let edition = try issuer(.sealed).issue(.first, for: Self.subject, until: .after(60))
        #expect(
            feed.verify(token: edition.userid, password: edition.password, at: .after(0), revocations: none) == nil)
    }

    @Test("Pitfall 8: rejects the feed credentials of a revoked session but not of another session")
    func revokedFeed() throws {
        let codec = SealedTokenCodec(publication: .daily, secrets: SecretRing(current: .two), random: .seeded(2))
        let pseudonymKey = PseudonymKey(.two)
        let feed = FeedCredentialsVerifier(
            secrets: SecretRing(current: .one), tokens: codec, pseudonymKey: pseudonymKey)
        let session = Session.sample()
        let token = try codec.seal(session)
        let password = EditionPassword.makeForFeed(token: token, secret: .one)
        let subscriber = pseudonymKey.reference(to: session.subscriber)
        let list = RevocationList(publication: .daily)
        func subject() -> SaltSubject? {
            feed.verify(token: token, password: password, at: .after(1), revocations: list)
        }
        let other = SessionPseudonym(bytes: [0, 0, 0, 0])!
        list.add(Revocation(publication: .daily, subscriber: subscriber, session: other, at: .after(0)))
        #expect(subject()?.session == session.reference)
        list.add(Revocation(publication: .daily, subscriber: subscriber, session: session.reference, at: .after(0)))
        #expect(subject() == nil)
    }

    @Test("Pitfall 8: rejects feed credentials whose revocation may have been pruned")
    func forgottenFeed() throws {
        let codec = SealedTokenCodec(publication: .daily, secrets: SecretRing(current: .two), random: .seeded(2))
        let feed = FeedCredentialsVerifier(
            secrets: SecretRing(current: .one), tokens: codec, pseudonymKey: PseudonymKey(.two))
        let session = Session.sample()
        let token = try codec.seal(session)
        let password = EditionPassword.makeForFeed(token: token, secret: .one)
        let list = RevocationList(publication: .daily)
        #expect(feed.verify(token: token, password: password, at: .after(1), revocations: list) != nil)
        list.discard(expiredBy: session.expiresAt)
        #expect(feed.verify(token: token, password: password, at: .after(1), revocations: list) == nil)
    }

    @Test("Rejects 10,000 hostile pairs")
    func fuzz() {
        var random = SeededRandom(seed: 4)
        let verifier = verifier()
        for _ in 0..<10_000 {
            let pair = EditionCredentials(
                userid: String(decoding: random.hostileBytes(upTo: 3, specialCharacters: ":a0"), as: UTF8.self),
                password: String(decoding: random.hostileBytes(upTo: 3, specialCharacters: "0ef"), as: UTF8.self))
            #expect(verifier.verify(pair, for: .first, at: .after(0), revocations: none) == .malformed)
        }
    }
}
