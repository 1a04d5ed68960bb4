import Foundation
import Primitives

@testable import Accounts
@testable import Commerce
@testable import FrontDoors
@testable import Gatefold

extension FuzzTarget {
    /// Sealed texts: only issued texts open (Pitfall 7).
    static let sealedTexts = FuzzTarget(
        "sealed-texts", upTo: 512, of: "SealedTokenCodec", "CachingTokenCodec", "SealedSalt", "PasswordResetTokens",
        "NotificationToken", "ByteWriter", "SealingKeys", "PseudonymKey", "ReaderHandle", "SealedSubscriber"
    ) { bytes in
        let text = text(bytes)
        // Swift treats the decomposed form as equal: a cache keyed by it would mix the two up if this one came first.
        let decomposed = text.decomposedStringWithCanonicalMapping
        _ = caching.open(decomposed)
        _ = FuzzedTenant.pseudonymKey.reference(to: Subscriber(backend: "house", key: decomposed))
        for (genuine, isOpened) in opened(text) {
            promise(!isOpened || Array(text.utf8) == Array(genuine.utf8), "a text was opened that was not issued")
        }
        promise(
            FuzzedTenant.pseudonymKey.open(SealedSubscriber(bytes: bytes)) == nil,
            "a subscriber was opened that was not sealed")
        // A reader's pseudonym is unique, whatever the previous query was.
        let reader = Subscriber(backend: "house", key: text)
        let alone = PseudonymKey(Secret("the key of the references")).reference(to: reader)
        promise(FuzzedTenant.pseudonymKey.reference(to: reader) == alone, "a reader has the pseudonym of another one")
    }

    /// Two lines: the user and the password of an edition or of the feed.
    static let editionCredentials = FuzzTarget(
        "edition-credentials", upTo: 512, of: "EditionCredentialsVerifier", "FeedCredentialsVerifier", "EditionPassword"
    ) { bytes in
        let lines = lines(bytes, 2)
        let pair = EditionCredentials(userid: lines[0], password: lines[1])
        for edition in [FuzzedTenant.edition, FuzzedTenant.other] {
            let verdict = FuzzedTenant.verifier.verify(
                pair, for: edition, at: FuzzedTenant.now, revocations: FuzzedTenant.revocations)
            guard case .accepted = verdict else { continue }
            promise(
                pairs.contains { $0.0 == edition && isSame($0.1, pair) },
                "credentials open an edition that they were not issued for")
        }
        let subject = FuzzedTenant.feedVerifier.verify(
            token: lines[0], password: lines[1], at: FuzzedTenant.now, revocations: FuzzedTenant.revocations)
        promise(
            subject == nil || Array(lines[0].utf8) == Array(FuzzedTenant.token.utf8),
            "a token was accepted that was not issued"
        )
    }

    /// The header of access tokens, before its verification.
    static let accessTokens = FuzzTarget("access-token", upTo: 1024, of: "AccessTokens", "JSONValue") { bytes in
        let text = text(bytes)
        if let header = AccessTokenHeader(text) {
            promise(text.utf8.count { $0 == UInt8(ascii: ".") } == 2, "a token does not have three parts")
            _ = signers[header.key]
        }
        if case .token(let token) = Bearer(text) { promise(!token.contains(" "), "a token contains a space") }
    }

    private static let signers = SigningKeys(FuzzedTenant.secrets, publication: FuzzedTenant.id)

    /// Returns every issued text and whether the given text opens as one of its kind.
    private static func opened(_ text: String) -> [(genuine: String, isOpened: Bool)] {
        [
            (FuzzedTenant.token, FuzzedTenant.codec.open(text) != nil),
            (FuzzedTenant.token, caching.open(text) != nil),
            (access.1, access.0.open(text) != nil),
            (salt, sealer.open(text, for: FuzzedTenant.edition) != nil),
            ("", sealer.open(text, for: FuzzedTenant.other) != nil),
            (leave, resetTokens.open(text, at: FuzzedTenant.now) != nil),
            (pass, join.open(text) != nil),
            (handle, ReaderHandle.open(text, key: FuzzedTenant.pseudonymKey) != nil),
        ]
    }

    /// One issued text of each kind, for the seeds.
    static let genuineTexts = [FuzzedTenant.token, access.1, salt, leave, pass]

    private static let caching = CachingTokenCodec(FuzzedTenant.codec)

    private static let access = {
        let codec = SealedTokenCodec(
            publication: FuzzedTenant.id, secrets: FuzzedTenant.secrets, random: FuzzedTenant.random, purpose: .access)
        return (codec, ready { try codec.seal(FuzzedTenant.session) })
    }()

    private static let sealer = SaltSealer(
        publication: FuzzedTenant.id, secrets: FuzzedTenant.secrets, random: FuzzedTenant.random)
    private static let salt = FuzzedTenant.pair(FuzzedTenant.edition, .sealed).userid

    private static let resetTokens = PasswordResetTokens(
        publication: FuzzedTenant.id, secrets: FuzzedTenant.secrets, random: FuzzedTenant.random, lifetime: 3600)
    private static let leave = ready {
        try resetTokens.seal(FuzzedTenant.subscriber, revision: [1, 2, 3], at: FuzzedTenant.now)
    }

    private static let join = NotificationTokenCodec(
        publication: FuzzedTenant.id, secrets: FuzzedTenant.secrets, random: FuzzedTenant.random)
    private static let pass = join.seal(
        NotificationToken(account: "a1", expiresAt: FuzzedTenant.now, subject: FuzzedTenant.subject))!

    /// A handle. It is no seed, because its nonce is random.
    private static let handle = ready {
        try ReaderHandle(FuzzedTenant.subscriber, key: FuzzedTenant.pseudonymKey).description
    }

    /// Every issued pair with its edition.
    static let pairs = [FuzzedTenant.edition, FuzzedTenant.other].flatMap { edition in
        SaltFormat.allCases.map { (edition, FuzzedTenant.pair(edition, $0)) }
    }

    private static func isSame(_ one: EditionCredentials, _ other: EditionCredentials) -> Bool {
        Array(one.userid.utf8) == Array(other.userid.utf8) && Array(one.password.utf8) == Array(other.password.utf8)
    }
}
