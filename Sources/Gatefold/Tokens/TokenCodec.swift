/// A codec that converts a session to the token text that an app stores, and back.
public protocol TokenCodec: Sendable {
    func seal(_ session: Session) throws -> String

    /// Returns the session of a token, or nil if the text is not a token of this publication. The caller must check
    /// expiry and revocation.
    func open(_ token: String) -> Session?
}
