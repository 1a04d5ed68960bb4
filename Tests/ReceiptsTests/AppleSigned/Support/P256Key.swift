import Crypto

/// A key pair in the format of App Store Connect.
struct P256Key: Sendable {
    let privatePEM: String
    let publicPEM: String

    init() {
        let key = P256.Signing.PrivateKey()
        privatePEM = key.pemRepresentation
        publicPEM = key.publicKey.pemRepresentation
    }
}
