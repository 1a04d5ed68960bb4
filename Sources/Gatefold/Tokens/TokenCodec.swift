/// How a session becomes the text an app keeps, and back.
public protocol TokenCodec: Sendable {
    func seal(_ session: Session) throws -> String

    /// Returns nil for a text that is no token of this publication. Expiry and revocation are not its business.
    func open(_ token: String) -> Session?
}
