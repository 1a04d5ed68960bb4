/// Where what concerns an account is told to its apps (PROTOCOLS 5.5).
public protocol Noticeboard: Sendable {
    /// Tells it to whoever listens, and returns at once. What can not be told for too long is lost: apps ask when they start.
    ///
    /// - Parameter topic: the account's uuid.
    func publish(_ payload: [UInt8], to topic: String)
}
