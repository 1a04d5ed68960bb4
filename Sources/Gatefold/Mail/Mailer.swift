/// Takes letters to be sent.
public protocol Mailer: Sendable {
    /// Takes a letter, and returns at once: it is sent later, a few times where the first does not succeed, or not at all.
    ///
    /// Whoever answers a reader gives the same answer whether a letter was taken or not, or tells strangers who reads.
    ///
    /// - Throws: ``MailRefused`` when it will not be sent.
    func send(_ letter: Letter) throws(MailRefused)
}

/// Why a letter was not taken.
public enum MailRefused: String, Error, Sendable, Equatable, CaseIterable, CustomStringConvertible {
    /// So many wait already that no more are taken.
    case full
    /// It is addressed to nobody that mail can be sent to.
    case address
    case tooLong
    /// The server is about to stop.
    case stopped

    public var description: String {
        switch self {
        case .full: "too many letters wait to be sent"
        case .address: "expected an address such as ada@example.com"
        case .tooLong: "expected a shorter letter"
        case .stopped: "no more letters are sent"
        }
    }
}
