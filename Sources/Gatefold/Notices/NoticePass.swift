import Crypto
public import Foundation

/// What says that an app may hear an account's notices for a while.
public struct NoticePass: Sendable, Equatable {
    /// The account's uuid.
    public var account: String
    public var expiresAt: Date

    public init(account: String, expiresAt: Date) {
        self.account = account
        self.expiresAt = expiresAt
    }
}

/// Passes sealed with an AEAD, under keys of this purpose alone: opaque, stateless, URL-safe without padding; and the keys that
/// go with each (PROTOCOLS 5.5).
public struct NoticePassCodec: Sendable {
    /// A longer text, in bytes, is not looked at.
    public static let longestPass = 512
    /// The longest account, in bytes.
    public static let longestAccount = 128

    private static let formatVersion: UInt8 = 1

    private let keys: SealingKeys
    private let signers: [SymmetricKey]
    private let context: [UInt8]
    private let random: RandomSource

    /// - Parameter secrets: the publication's; the keys are derived from them (RFC 5869) and serve nothing else.
    public init(publication: PublicationID, secrets: SecretRing, random: RandomSource) {
        keys = SealingKeys(secrets, purpose: "notice pass", identifierSize: 4)
        signers = secrets.all.map {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: SymmetricKey(data: $0.bytes), info: Data("gatefold notice signer key 1".utf8),
                outputByteCount: 32)
        }
        context = Array("notice pass \(Self.formatVersion) \(publication)".utf8)
        self.random = random
    }

    /// Nil for an account of more than ``longestAccount`` bytes.
    public func seal(_ pass: NoticePass) -> String? {
        guard pass.account.utf8.count <= Self.longestAccount else { return nil }
        var writer = ByteWriter()
        writer.write(Self.formatVersion)
        writer.write(CompactTime.seconds(pass.expiresAt))
        writer.write(text: pass.account)
        let nonce = random.bytes(SealingKeys.nonceSize)
        return (try? keys.seal(writer.bytes, authenticating: context, nonce: nonce)).map { Base64URL.encode($0) }
    }

    /// Whether it has ended is for whoever knows the time.
    public func open(_ text: String) -> NoticePass? {
        guard text.utf8.count <= Self.longestPass, let sealed = Base64URL.decode(text),
            let bytes = keys.open(sealed, authenticating: context)
        else { return nil }
        var reader = ByteReader(bytes)
        guard reader.read(UInt8.self) == Self.formatVersion, let expiry = reader.read(UInt32.self),
            let account = reader.readText(), reader.isAtEnd
        else { return nil }
        return NoticePass(account: account, expiresAt: CompactTime.date(expiry))
    }

    /// The secret that its holder signs with, by each secret of the ring: the first is the one that is handed out.
    public func signingSecrets(of pass: String) -> [Secret] {
        signers.map { signer in
            let code = HMAC<SHA256>.authenticationCode(for: Data(pass.utf8), using: signer)
            return Secret(Base64URL.encode(Array(code)))
        }
    }

    /// A public name for the pass, of upper-case letters and digits as Amazon's are.
    public static func accessKey(of pass: String) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
        let digest = SHA256.hash(data: Data("gatefold notice name \(pass)".utf8))
        return "ASIA" + String(decoding: digest.prefix(16).map { letters[Int($0 & 31)] }, as: UTF8.self)
    }
}
